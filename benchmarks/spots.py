"""Spots of hold'em solved to a share of the pot: python benchmarks/spots.py [--board QsJh2h5c] [--share 0.003].

The spot is TexasSolver's benchmark (QsJh2h, pot 10, stacks of 95; bupticybee/TexasSolver on GitHub, benchmark/), on the
flop unless a longer board is given. Published there: TexasSolver with 6 threads .276% of the pot in 175 s, PioSolver
.29% in 243 s, 5.361 chips for whoever acts first. One line of JSON for each look at how good it is, and a last one.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np

from feint.games.cards import Cards
from feint.games.postflop import DECK, Spot
from feint.games.ranges import read_range
from feint.runs.provenance import provenance
from feint.solvers import spots
from feint.solvers.spot_trees import spot_size
from feint.solvers.spots import Node, Progress, solve

SPOT = Path(__file__).parent / "spots" / "QsJh2h.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--board", default="QsJh2h")
    parser.add_argument("--share", type=float, default=0.003)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--hands", default="", help="tell the first decision with these, such as 4c3c,4h3h")
    parser.add_argument("--gamma", type=float, help="weigh iteration t by t to this power in the average")
    asked = parser.parse_args()
    if asked.gamma is not None:
        spots.RULE = replace(spots.RULE, gamma=asked.gamma)
    spot = Spot.read(json.loads(SPOT.read_text()) | {"board": asked.board})
    size = spot_size(spot)
    print(
        json.dumps({"device": jax.devices()[0].device_kind, "public": size.public, "cells": sum(size.cells)}),
        flush=True,
    )
    started = time.perf_counter()
    solution = solve(spot, asked.share, seconds=asked.seconds, progress=_told)
    node = solution.at()
    told = {"steps": solution.steps, "share": solution.share, "seconds": solution.seconds}
    told |= {"all_s": time.perf_counter() - started, "oop_wins": solution.wins("oop"), "ip_wins": solution.wins("ip")}
    told |= {"gamma": spots.RULE.gamma}
    told |= {"moves": dict(zip(node.moves, node.overall.round(4).tolist(), strict=True))}
    asked_for = read_range(asked.hands, DECK) if asked.hands else ()
    told |= {"hands": {"".join(map(DECK.name, hand)): _with(node, hand) for hand in asked_for}}
    cores = len(os.sched_getaffinity(0))
    print(json.dumps({"board": asked.board, "cores": cores, "made_with": list(provenance())} | told))


def _with(node: Node, hand: Cards) -> dict[str, float]:
    """How often each move is made with a hand."""
    (row,) = (node.hands == np.sort(hand)).all(1).nonzero()[0]
    return dict(zip(node.moves, node.chances[row].round(4).tolist(), strict=True))


def _told(progress: Progress) -> None:
    print(json.dumps(progress._asdict()), flush=True)


if __name__ == "__main__":
    main()
