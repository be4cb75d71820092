"""Any game that is unrolled, by its labels alone: information sets by what is given away there, the worst first."""

from __future__ import annotations

from collections.abc import Callable

import htpy as h
from htpy import Node

from feint.studio.page import field, paged, table, turn
from feint.studio.strategies import Pages, Spot
from feint.studio.views.parts import ROUNDING, Look, chips, moves_cell, note, percent

Link = Callable[[int], str | None]
"""Where more is told of an information set."""


def leaks(look: Look, pages: Pages, link: Link) -> Node:
    """Why it can be beaten: where a best response does otherwise, and what that wins."""
    rows = pages.found(look.filter)
    shown, number, last = paged(rows, look.page)
    total = float(pages.leaks.gain.sum())
    return h.section("#leaks", aria_label="Where it gives away most")[
        h.h2["Why it can be beaten"],
        h.p["No best response wins more than the strategy itself does: it cannot be beaten (exact, up to rounding)."]
        if total < ROUNDING
        else h.p[
            f"Best responses win {chips(total)} chips a hand more than the strategy itself, all players together "
            f"(NashConv, exact). Each of the {len(pages.tree.player):,} information sets gives away its part of that: "
            "what the moves there lose, times how often the strategy gets there."
        ],
        h.form(".choices", data_go=look.path)[
            field("Only situations with", "filter", look.filter, maxlength="100"),
            h.input(type="hidden", name="betting", value=look.betting),
            h.input(type="hidden", name="board", value=look.board),
            h.input(type="hidden", name="dealer", value=f"{look.dealer}") if look.dealer else None,
            h.button(type="submit")["Find"],
        ],
        table(
            (
                "Player", "Sees", "Does, and what moves win", "A best response", "Comes to this", "Gives away", "Share",
            ),
            (_row(pages.spot(row), link(row)) for row in shown),
            f"{len(rows):,} information sets, {len(shown)} shown; chips per hand, exact",
            numbers=3,
        ) if rows else h.p["No label has these words."],
        turn(number, last, lambda page: look.address(page=page)),
        note(
            "What moves win: chips a hand for whoever makes them, while the others keep to the strategy and the player "
            "goes on as well as can be. ",
            h.a(href=look.sheet, download="")["All of it as CSV"],
        ),
    ]  # fmt: skip


def _row(spot: Spot, address: str | None) -> tuple[Node, ...]:
    return (
        f"{spot.player + 1}",
        h.a(href=address)[spot.sees] if address else spot.sees,
        moves_cell(spot.moves, spot.values),
        spot.best,
        percent(spot.reach),
        chips(spot.gain),
        percent(spot.share),
    )
