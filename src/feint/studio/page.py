"""What all pages look like: the frame around them, and the words they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar, final

import htpy as h
from fastapi import Request
from htpy import Node, Renderable
from starlette.responses import HTMLResponse

from feint.games.names import modules

A_PAGE = 50
"""Rows of long tables that are shown at once."""
T = TypeVar("T")


@final
@dataclass(frozen=True)
class Tab:
    """A page in the row at the top. A file of pages/ joins by declaring `TAB` beside its `router`."""

    place: int
    title: str
    path: str


@cache
def tabs() -> list[Tab]:
    """All of them, in order."""
    found = [module.TAB for module in modules("feint.studio.pages") if hasattr(module, "TAB")]
    return sorted(found, key=lambda tab: tab.place)


def page(request: Request, title: str, *content: Node) -> HTMLResponse:
    """A whole page."""
    return HTMLResponse(shell(title, *content, path=request.url.path))


def shell(title: str, *content: Node, path: str = "") -> str:
    """The frame around a page."""
    here = max((tab for tab in tabs() if _within(path, tab.path)), key=lambda tab: len(tab.path), default=None)
    links = (h.a(href=tab.path, aria_current="page" if tab is here else None)[tab.title] for tab in tabs())
    return str(
        h.html(lang="en")[
            h.head[
                h.meta(charset="utf-8"),
                h.meta(name="viewport", content="width=device-width, initial-scale=1"),
                h.title[f"{title} · Feint"],
                h.link(rel="icon", href="/static/icon.svg", type="image/svg+xml"),
                h.link(rel="stylesheet", href="/static/studio.css"),
                h.script(src="/static/studio.js", defer=True),
            ],
            h.body[
                h.a(".skip", href="#main")["Skip to the page"],
                h.header[
                    h.a(".brand", href="/")["Feint"],
                    h.nav(aria_label="Pages")[links],
                    h.button("#theme", type="button", title="Light or dark", aria_label="Light or dark")["◐"],
                ],
                h.div("#alert", role="alert"),
                h.main("#main", tabindex="-1")[h.h1[title], content],
            ],
        ]
    )


def _within(path: str, tab: str) -> bool:
    return path == tab or (tab != "/" and path.startswith(f"{tab}/"))


def table(
    heads: Sequence[Node], rows: Iterable[Sequence[Node]], caption: str = "", numbers: int = 0, stacked: bool = False
) -> Renderable:
    """A table that scrolls sideways where it must; its last `numbers` columns stand on the right.

    With `stacked` its rows are laid out one below another where the page is narrow, so that nothing is cut.
    """

    def cells(row: Sequence[Node], cell: h.Element) -> list[Renderable]:
        return [
            cell(".number" if len(row) - place <= numbers else "", data_head=str(heads[place]) if stacked else None)[
                each
            ]
            for place, each in enumerate(row)
        ]

    return h.div(
        ".scroll.stacked" if stacked else ".scroll", tabindex="0", role="region", aria_label=caption or "A table"
    )[
        h.table[
            h.caption[caption] if caption else None,
            h.thead[h.tr[cells(heads, h.th)]],
            h.tbody[(h.tr[cells(row, h.td)] for row in rows)],
        ]
    ]


def chooser(label: str, name: str, options: Iterable[tuple[str, str]], chosen: str | None = None, **more: str) -> Node:
    """A labelled list of things to choose one from, as (value, words)."""
    words = (h.option(value=value, selected=value == chosen)[text] for value, text in options)
    return h.label[h.span[label], h.select(name=name, **more)[words]]


def field(label: str, name: str, value: str = "", kind: str = "text", **more: str) -> Node:
    """A labelled field to type into."""
    return h.label[h.span[label], h.input(name=name, type=kind, value=value, **more)]


def paged(rows: Sequence[T], number: int) -> tuple[Sequence[T], int, int]:
    """The rows of a page, from 1 on, its number, which is the last one's where there is none of that, and the last."""
    last = max(1, -(-len(rows) // A_PAGE))
    number = min(max(1, number), last)
    return rows[(number - 1) * A_PAGE : number * A_PAGE], number, last


def turn(number: int, last: int, address: Callable[[int], str]) -> Node:
    """Links to the pages before and after one of so many."""
    if last == 1:
        return None
    return h.nav(".turn", aria_label="More of them")[
        h.a(href=address(number - 1))["‹ before"] if number > 1 else None,
        h.span[f"page {number} of {last:,}"],
        h.a(href=address(number + 1))["after ›"] if number < last else None,
    ]
