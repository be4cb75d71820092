"""What several views of a strategy are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final
from urllib.parse import quote, urlencode

import htpy as h
from htpy import Node, Renderable

from feint.studio.drawing import strip
from feint.studio.strategies import Book
from feint.studio.walking import Walk

ROUNDING = 1e-12
"""Chips per hand below which there is nothing but rounding."""


@final
@dataclass(frozen=True)
class Look:
    """What of a strategy is looked at."""

    book: Book
    path: str
    """The address of the page."""
    betting: str = ""
    board: str = ""
    dealer: int = 0
    filter: str = ""
    page: int = 1

    def address(self, **changes: str | int) -> str:
        """The page, looked at otherwise."""
        other = replace(self, **changes)  # type: ignore[arg-type]  # fields by name
        told = {name: getattr(other, name) for name in ("betting", "board", "dealer", "filter", "page")}
        plain = {"dealer": 0, "page": 1}
        asked = {name: value for name, value in told.items() if value not in ("", plain.get(name))}
        return f"{self.path}?{urlencode(asked)}" if asked else self.path

    @property
    def sheet(self) -> str:
        """Where all of it can be had as a table."""
        return f"/api/strategy/{quote(self.book.name)}.csv"


def crumbs(look: Look, walk: Walk) -> Renderable:
    """The betting so far, and the moves that go on, as links."""

    def to(betting: str | None) -> str:
        return look.address(betting=betting or "", board=_kept(look, betting or ""), page=1)

    made = [h.li[h.a(href=to(""))["start"]]]
    for step in walk.made:
        words = f"{step.player + 1}: {step.word}"
        here = step is walk.made[-1]
        made.append(h.li[h.a(href=to(step.betting), aria_current="step" if here else None)[words]])
    offered = [
        h.li[
            h.a(".button", href=to(step.betting))[step.word]
            if step.betting is not None
            else h.span(".ends")[f"{step.word} (ends the hand)"]
        ]
        for step in walk.offered
    ]
    return h.nav(".walk", aria_label="The betting")[
        h.ol(".crumbs")[made],
        h.p[f"Player {walk.hand.actor + 1} is to move. Go on with:"],
        h.ul(".onward")[offered],
    ]


def _kept(look: Look, betting: str) -> str:
    """The board goes on being looked at as long as betting stays in its round."""
    return look.board if betting.count("/") == look.betting.count("/") else ""


def moves_cell(moves: Mapping[str, float], values: Mapping[str, float] | None = None) -> Renderable:
    """How often each move is made, small: a bar in pieces, then words, numbers and what each wins."""
    rows = [
        h.tr[
            h.th(scope="row")[word],
            h.td(".number")[f"{often:.1%}"],
            h.td(".number")[signed(values[word])] if values is not None else None,
        ]
        for word, often in moves.items()
    ]
    return h.div(".does")[strip(moves), h.table(".tiny")[h.tbody[rows]]]


def signed(value: float, digits: int = 3) -> str:
    """A number with its sign, unless it comes to nothing."""
    if math.isnan(value):
        return "never comes"
    return f"{value:+.{digits}f}" if round(value, digits) else f"{0:.{digits}f}"


def percent(share: float) -> str:
    """A share that may be small."""
    if share >= 0.01 or share < ROUNDING:
        return f"{share:.1%}"
    return "< 0.01%" if share < 1e-4 else f"{share:.2%}"


def chips(amount: float) -> str:
    """Chips per hand that may be few; what is only rounding is nothing."""
    if amount < ROUNDING:
        return "0"
    return "< 0.00001" if amount < 1e-5 else f"{amount:.5f}"


def note(*words: Node) -> Renderable:
    return h.p(".note")[words]
