"""Which value network learns best: python benchmarks/value_networks.py [--situations 4000000] [--epochs 60].

Situations of leduc_no_limit such as are met are drawn and solved, and networks of several shapes, activations and rates
learn from them. One line of JSON for each: the mean Huber loss on situations that it has not seen, as a share of what
each player has put in, over all pots and by pot. First comes how fast situations are solved.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from feint.games.library import load_game
from feint.games.poker import Poker
from feint.search.lookahead import Method
from feint.search.oracle import NEARLY
from feint.search.situations import Situations, drawing_of
from feint.search.training import Epoch, Schedule, loss_of, train
from feint.search.values import Layers, new_values

DESIGNS = [
    (units, depth, activation)
    for units, depth in ((64, 3), (128, 3), (256, 3), (128, 5))
    for activation in ("tanh", "relu", "softplus", "prelu")
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="leduc_no_limit")
    parser.add_argument("--lines", type=int, default=65536, help="pots in a batch; as many situations on every board")
    parser.add_argument("--situations", type=int, default=4_000_000)
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--met", type=float, default=1.0)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--rates", default="0.003")
    asked = parser.parse_args()
    game = load_game(asked.game)
    assert isinstance(game, Poker)
    drawing = eqx.filter_jit(drawing_of(game, Method(NEARLY.rule, True, asked.iterations), asked.lines, asked.met))
    jax.block_until_ready(drawing(jax.random.key(0)))
    started, parts = time.perf_counter(), []
    while sum(len(part.paid) for part in parts) < asked.situations:
        parts.append(jax.block_until_ready(drawing(jax.random.key(1 + len(parts)))))
    lessons = Situations(*map(jnp.concatenate, zip(*parts, strict=True)))
    a_minute = round(len(lessons.paid) / (time.perf_counter() - started) * 60)
    print(
        json.dumps({"situations": len(lessons.paid), "iterations": asked.iterations, "a_minute": a_minute}), flush=True
    )
    tests = jax.tree.map(lambda part: part[: 1 << 17], drawing(jax.random.key(0)))
    for rate in map(float, asked.rates.split(",")):
        made = [
            new_values(game, Layers((units,) * depth, activation), "ordered", jax.random.key(0))
            for units, depth, activation in DESIGNS
        ]
        schedule, started = Schedule(asked.epochs, asked.batch, rate, falls=True), time.perf_counter()
        best = train(made, [0] * len(made), lessons, tests, schedule, partial(_tell, started))
        for design, values in zip(DESIGNS, best, strict=True):
            row = dict(zip(("units", "depth", "activation"), design, strict=True)) | {"rate": rate}
            losses = {f"{pot:g}": _loss_at(values, tests, pot) for pot in np.unique(np.asarray(tests.paid))[:8]}
            print(json.dumps(row | {"huber": float(loss_of(values, tests)), "pots": losses}), flush=True)


def _loss_at(values, tests: Situations, pot: float) -> float:
    here = jax.tree.map(lambda part: part[np.asarray(tests.paid) == pot], tests)
    return float(loss_of(values, here))


def _tell(started: float, epoch: Epoch) -> None:
    if epoch.number % 10 == 0:
        best = ", ".join(f"{loss:.2g}" for loss in epoch.test)
        print(f"# {epoch.number} epochs in {time.perf_counter() - started:.0f} s: {best}", flush=True)


if __name__ == "__main__":
    main()
