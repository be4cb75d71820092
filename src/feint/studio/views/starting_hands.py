"""Hold'em: every two cards at a decision, as the chart that card players read, and combination by combination."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

import htpy as h
from htpy import Node, Renderable

from feint.studio.combinations import Combinations, Kind
from feint.studio.drawing import coloured, moves_legend
from feint.studio.page import field, paged, table, turn
from feint.studio.views.parts import Look, crumbs, note
from feint.studio.walking import Walk

CELL = 40
"""The width of a cell of the chart; it is as high as wide."""


def betting_and_board(look: Look, walk: Walk) -> Renderable:
    """The way to a decision: links for the betting, and fields for it and for the board."""
    due = len(walk.hand.board)
    return h.section("#walk", aria_label="The betting and the board")[
        h.h2[f"After {walk.betting}" if walk.betting else "The first move"],
        crumbs(look, walk),
        h.form(".choices", data_go=look.path)[
            field("Betting so far", "betting", look.betting, maxlength="300", placeholder="raise call / check bet"),
            field(
                f"Board: {due} cards" if due else "Board: no card yet",
                "board",
                look.board,
                maxlength="40",
                placeholder="such as 2c7d9s"[: 40 if due else 0],
            ),
            h.button(type="submit")["Show"],
        ],
    ]


def chart(told: Combinations) -> Renderable:
    """Every kind of hand in its place, filled from the left by how often each move is made."""
    kinds = list(told.kinds())
    return h.figure(".hands")[
        hands_chart(((kind, told.told(kind.chances)) for kind in kinds), len(told.game.deck.ranks)),
        h.figcaption[moves_legend(told.moves)],
        h.details[
            h.summary["The same in numbers"],
            table(
                ("Hand", "Combinations", *told.moves),
                (
                    (kind.name, f"{kind.left}", *(f"{each:.1%}" for each in told.told(kind.chances).values()))
                    for kind in kinds
                    if kind.left
                ),
                "Means over the combinations of each kind of hand",
                numbers=1 + len(told.moves),
            ),
        ],
    ]


def hands_chart(kinds: Iterable[tuple[Kind, Mapping[str, float]]], ranks: int) -> Renderable:
    """The chart itself."""
    cells = []
    for kind, moves in kinds:
        left, top = kind.column * CELL, kind.row * CELL
        pieces: list[Node] = [h.rect(".rest", x=f"{left}", y=f"{top}", width=f"{CELL}", height=f"{CELL}")]
        place, colours = float(left), coloured(moves)
        for word, often in reversed(list(moves.items())):
            if kind.left and not math.isnan(often):
                box = {"x": f"{place:.2f}", "y": f"{top}", "width": f"{CELL * often:.2f}", "height": f"{CELL}"}
                pieces.append(h.rect(colours[word], **box))
                place += CELL * often
        words = ", ".join(f"{word} {often:.0%}" for word, often in moves.items()) if kind.left else "not on this board"
        middle = {"x": f"{left + CELL / 2:g}", "y": f"{top + CELL / 2 + 4:g}", "text_anchor": "middle"}
        cells.append(h.g[h.title[f"{kind.name}: {words}"], pieces, h.text(**middle)[kind.name]])
    size = ranks * CELL
    about = "What is done with every kind of starting hand; the numbers stand below"
    return h.svg(".chart", viewBox=f"0 0 {size} {size}", role="img", aria_label=about)[cells]


def combinations_table(look: Look, told: Combinations) -> Renderable:
    """Every combination that the board leaves, some at a time."""
    wanted = look.filter.casefold()
    rows = [(name, moves) for name, moves in told.rows() if wanted in name.casefold()]
    shown, number, last = paged(rows, look.page)
    query = urlencode({"betting": told.asked.betting, "board": told.asked.board_words})
    return h.section("#combinations", aria_label="Combination by combination")[
        h.h2["Combination by combination"],
        h.form(".choices", data_go=look.path)[
            field("Hands with", "filter", look.filter, maxlength="10", placeholder="such as Ah"),
            h.input(type="hidden", name="betting", value=look.betting),
            h.input(type="hidden", name="board", value=look.board),
            h.button(type="submit")["Find"],
        ],
        table(
            ("Cards", *told.moves),
            ((name, *(f"{often:.1%}" for often in moves.values())) for name, moves in shown),
            f"{len(rows):,} combinations, {len(shown)} shown: how often each move is made",
            numbers=len(told.moves),
        )
        if rows
        else h.p["No combination has these cards."],
        turn(number, last, lambda page: look.address(page=page) + "#combinations"),
        note(
            "What moves win is not known here: the game is too large to be exact, and nothing is guessed. ",
            h.a(href=f"{look.sheet}?{query}", download="")["All of it as CSV"],
        ),
    ]
