"""What is to be said of a solved spot after some betting, for programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from feint.games.postflop import DECK
from feint.solvers.spots import Node, Solution


def spot_facts(solution: Solution, node: Node) -> dict[str, Any]:
    """All of it as JSON has it: the spot, as it can be solved again, the decision, and every hand that comes there."""
    return {
        "spot": solution.spot.words(),
        "board": "".join(map(DECK.name, node.board)),
        "pot": solution.spot.pot,
        "exploitability": {"value": solution.share, "unit": "share of the pot", "kind": "exact"},
        "iterations": solution.steps,
        "seconds": solution.seconds,
        "wins": {seat: solution.wins(seat) for seat in ("oop", "ip")},
        "rake": solution.raked,
        "player": node.seat,
        "comes": node.comes,
        "moves": dict(zip(node.moves, node.overall.tolist(), strict=True)),
        "hands": [{"hand": name} | told for name, told in node.by_hand().items()],
    }


def hands_as_csv(facts: dict[str, Any]) -> str:
    """The hands of such facts, a line each: how often it comes, each move's chance and winnings, and its equity."""
    moves = list(facts["moves"])
    heads = ["hand", "weight", *moves, *(f"chips won by {move}" for move in moves), "equity"]
    rows = (
        [each["hand"], each["weight"], *each["moves"].values(), *each["wins"].values(), each["equity"]]
        for each in facts["hands"]
    )
    return as_csv([heads, *rows])


def as_csv(rows: Sequence[Sequence[Any]]) -> str:
    """Rows as text; what is not known stays empty."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
