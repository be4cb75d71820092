"""How fast situations are solved, and how well: python benchmarks/situations.py [GAME] [--iterations 100,200].

One line of JSON for each: situations a minute once compiled, and how far values are from those of many more iterations,
as a share of what each player has put in: root of the mean square, mean, and Huber loss. First comes what the public
DeepStack-Leduc program does, 1,000 iterations of regret matching⁺, the second half averaged.
"""

from __future__ import annotations

import argparse
import json
import time

import equinox as eqx
import jax
import numpy as np
import optax

from feint.games.library import load_game
from feint.games.poker import Poker
from feint.search.lookahead import TOOL, Method
from feint.search.oracle import NEARLY
from feint.search.situations import drawing_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="leduc_no_limit")
    parser.add_argument("--lines", type=int, default=2048, help="pots in a batch; as many situations on every board")
    parser.add_argument("--iterations", default="100,200,400,800")
    parser.add_argument("--many", type=int, default=8000)
    asked = parser.parse_args()
    game = load_game(asked.game)
    assert isinstance(game, Poker)
    key = jax.random.key(0)
    truth = eqx.filter_jit(drawing_of(game, _method(asked.many), asked.lines))(key)
    for method in (TOOL, *map(_method, map(int, asked.iterations.split(",")))):
        drawing = eqx.filter_jit(drawing_of(game, method, asked.lines))
        jax.block_until_ready(drawing(key))
        started = time.perf_counter()
        drawn = jax.block_until_ready(drawing(key))
        taken = time.perf_counter() - started
        wrong = np.asarray(drawn.values) - np.asarray(truth.values)
        row = {"game": asked.game, "device": jax.devices()[0].device_kind, "tool": method is TOOL}
        row |= {"iterations": method.iterations, "a_minute": round(len(drawn.paid) / taken * 60)}
        row |= {"rms": float(np.sqrt((wrong**2).mean())), "mean": float(np.abs(wrong).mean())}
        print(json.dumps(row | {"huber": float(optax.huber_loss(wrong).mean())}), flush=True)


def _method(iterations: int) -> Method:
    return Method(NEARLY.rule, NEARLY.alternating, iterations)


if __name__ == "__main__":
    main()
