"""Monte Carlo tree search against exact exploitability, by simulations: python benchmarks/mcts.py --game leduc.

A line of JSON for each way of choosing moves, each seed and each number of simulations from the deal on: exploitability
of the trees' average strategy and of its likeliest moves alone, exact, in chips per hand, and simulations a second of
processor time. Lines are gathered in results/mcts.jsonl: pictures.py makes the picture and the tables of them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

import feint
from feint.forms.library import form_of
from feint.search.monte_carlo import Choice, Search
from feint.search.worlds import world_of
from racing import processor

STOPS = (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
KINDS = {"uct": False, "smooth-uct": True}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=["kuhn", "leduc"], default="leduc")
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--c", type=float, nargs="+", required=True, help="as multiples of the largest payoff")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--simulations", type=int, default=STOPS[-1])
    asked = parser.parse_args()
    for c in asked.c:
        for kind in asked.kinds:
            for seed in asked.seeds:
                for line in curve(asked.game, kind, c, seed, asked.simulations):
                    print(json.dumps(line), flush=True)


def curve(game: str, kind: str, c: float, seed: int, simulations: int) -> Iterator[dict[str, Any]]:
    form = form_of(game)
    tree, world, random = form.whole("This benchmark"), world_of(form), Random(seed)
    search = Search(world, Choice(c * world.largest, KINDS[kind]))
    done, took = 0, 0.0
    for stop in STOPS:
        if stop > simulations:
            return
        begun = time.process_time()
        search.run(lambda: world.fresh(random), random, stop - done)
        took, done = took + time.process_time() - begun, stop
        table = search.table(tree)
        likeliest = np.eye(table.shape[1])[np.where(tree.legal, table, -1.0).argmax(1)]
        yield {
            "game": game,
            "kind": kind,
            "c": c,
            "seed": seed,
            "simulations": stop,
            "exploitability": _short(feint.exploitability(tree, table)),
            "likeliest": _short(feint.exploitability(tree, likeliest)),
            "simulations_per_second": round(done / took, -2),
            "processor": processor(),
        }


def _short(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    main()
