"""Grids of 13 by 13 kinds of hands: to paint a range on, and to read what is done with each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import htpy as h
from htpy import Node, Renderable

from feint.games.errors import BadInput
from feint.games.holdem import RANKS
from feint.games.postflop import DECK
from feint.games.ranges import by_kind, read_range

NAMES = RANKS[::-1]


def rows_of_kinds() -> Iterator[list[str]]:
    """The kinds as players lay them out: suited ones above the diagonal, the highest first."""
    for row, first in enumerate(NAMES):
        yield [
            first + second + ("s" if row < column else "") if row <= column else f"{second}{first}o"
            for column, second in enumerate(NAMES)
        ]


def painter(label: str, name: str, text: str) -> Renderable:
    """A range as text, and on a grid on which it can be painted too."""
    try:
        written = by_kind(read_range(text, DECK), DECK)
    except BadInput:  # which is told when it is sent
        written = {}
    return h.div(".range")[
        h.label[
            h.span[label],
            h.textarea(id=name, name=name, rows="3", maxlength="4000", spellcheck="false", data_empty="")[text],
        ],
        h.div(".grid13", data_paints=name, role="group", aria_label=f"{label}, to paint")[
            ((_cell(kind, written.get(kind, "")) for kind in row) for row in rows_of_kinds())
        ],
    ]


def _cell(kind: str, text: str) -> Renderable:
    """A kind of hand as a button: pressed where it always comes, mixed where it sometimes does."""
    pressed = "true" if text == kind else "mixed" if text else "false"
    return h.button(type="button", tabindex="-1", data_hand=kind, data_text=text or None, aria_pressed=pressed)[kind]


def grid(of: Callable[[str], Node], caption: str) -> Renderable:
    """A grid with something in the cell of every kind."""
    return h.div(".grid13.told", role="group", aria_label=caption)[
        ((of(kind) for kind in row) for row in rows_of_kinds())
    ]
