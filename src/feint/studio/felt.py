"""The table as it is drawn: who holds what, what lies open, and what is in the pot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import htpy as h
from htpy import Renderable

from feint.studio.drawing import cards


@final
@dataclass(frozen=True)
class Sitter:
    """A player at the table."""

    called: str
    cards: Sequence[str | None]
    """By name; None for those that are hidden."""
    paid: float
    left: float | None = None
    """Chips behind; None where stacks do not count."""
    mine: bool = False
    """Whether the person sits there, whose place is at the lower edge."""


def felt(seats: Sequence[Sitter], board: Sequence[str], told: str = "", refresh: str | None = None) -> Renderable:
    """The table; where there are no cards and chips to draw, what is told of it instead."""
    pot = h.span(".pot")[f"pot {sum(seat.paid for seat in seats):g}"]
    middle = h.div(".middle")[cards(board, "board") if board else None, pot]
    return h.section(".felt", aria_label="The table", data_refresh=refresh)[
        (_drawn(seat) for seat in seats if not seat.mine),
        middle if seats else h.p[told],
        (_drawn(seat) for seat in seats if seat.mine),
    ]


def _drawn(seat: Sitter) -> Renderable:
    behind = "" if seat.left is None else f", {seat.left:g} left"
    return h.div(".seat.mine" if seat.mine else ".seat")[
        cards(seat.cards, seat.called), h.span(".chips")[f"{seat.paid:g} in{behind}"]
    ]
