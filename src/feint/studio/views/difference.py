"""What differs between two strategies, drawn: colours say where more is done and where less, numbers how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import htpy as h
from htpy import Renderable

from feint.studio.comparing import KindApart
from feint.studio.page import table
from feint.studio.views.parts import percent, signed
from feint.studio.views.starting_hands import CELL

SHADES = 5
"""How many strengths of colour there are."""
NOTHING = 0.005
"""Differences below this have no colour."""
SHOWN = 12
"""Kinds of hands whose numbers are shown without asking."""


def shade(change: float) -> str:
    """The class of a difference: more or less, and how strong."""
    if abs(change) < NOTHING:
        return "same"
    return f"{'more' if change > 0 else 'less'}.s{min(SHADES, 1 + int(abs(change) * SHADES))}"


def difference_cell(first: Mapping[str, float], second: Mapping[str, float]) -> Renderable:
    """Each move of both, and the difference as a bar from the middle."""
    rows = []
    for word, often in first.items():
        change = second[word] - often
        left, width = 50 + 50 * min(change, 0.0), 50 * abs(change)
        rows.append(
            h.tr[
                h.th(scope="row")[word],
                h.td(".number")[f"{often:.1%}"],
                h.td(".number")[f"{second[word]:.1%}"],
                h.td[
                    h.svg(".bar", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")[
                        h.rect(".rest", width="100", height="10"),
                        h.rect(
                            f".change.{shade(change)}", x=f"{left:.2f}", width=f"{width:.2f}", height="10"
                        ),
                        h.rect(".middle-line", x="49.5", width="1", height="10"),
                    ]
                ],
                h.td(".number")[f"{signed(100 * change, 1)} points"],
            ]
        )  # fmt: skip
    return h.table(".tiny.differing")[h.tbody[rows]]


def kinds_chart(kinds: Sequence[KindApart], ranks: int) -> Renderable:
    """Every kind of starting hand, coloured by how much more or less often the last move, the boldest, is made."""
    move = list(kinds[0].first)[-1]
    cells = []
    for kind in kinds:
        change, left, top = kind.second[move] - kind.first[move], kind.column * CELL, kind.row * CELL
        middle = {"x": f"{left + CELL / 2:g}", "text_anchor": "middle"}
        cells.append(
            h.g[
                h.title[f"{kind.name}: {move} {signed(100 * change, 1)} points"],
                h.rect(".rest", x=f"{left}", y=f"{top}", width=f"{CELL}", height=f"{CELL}"),
                h.rect(f".change.{shade(change)}", x=f"{left}", y=f"{top}", width=f"{CELL - 1}", height=f"{CELL - 1}"),
                h.text(**middle, y=f"{top + 17}")[kind.name],
                h.text(".small", **middle, y=f"{top + 31}")[signed(100 * change, 0)],
            ]
        )
    size = ranks * CELL
    about = f"How much more or less often the second makes the move {move} than the first, hand by hand"
    return h.figure(".hands")[
        h.svg(".chart.differing", viewBox=f"0 0 {size} {size}", role="img", aria_label=about)[cells],
        h.figcaption[f"{about}, in points of a hundred: gold more, blue less."],
    ]


def kinds_table(kinds: Sequence[KindApart]) -> Renderable:
    """The same hand by hand, with all moves; those that differ little are folded away."""
    most, rest = kinds[:SHOWN], kinds[SHOWN:]
    return h.fragment[
        _rows(most, "Those that differ most first, combinations counted"),
        h.details[h.summary[f"The other {len(rest)} kinds of hands"], _rows(rest, "Those that differ less")]
        if rest
        else None,
    ]


def _rows(kinds: Sequence[KindApart], caption: str) -> Renderable:
    return table(
        ("Hand", "Combinations", "Moves: first, second, difference", "Apart"),
        ((each.name, f"{each.left}", difference_cell(each.first, each.second), percent(each.apart)) for each in kinds),
        caption,
        numbers=1,
    )
