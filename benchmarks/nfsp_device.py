"""NFSP on an accelerator: one preset, several seeds at once, exploitability against time, as JSON.

    python benchmarks/nfsp_device.py --preset gpu --seeds 4 --seconds 540 --out result.json

It needs no more than the packages from games/ to learners/, so it also runs where Feint's command line does not.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import feint
from feint.forms.unrolled import TreeForm
from feint.learners.nfsp import ALGORITHMS
from feint.runs.provenance import provenance
from feint.tree.best_response import nash_conv_of


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--game", default="leduc")
    asked.add_argument("--preset", default="gpu")
    asked.add_argument("--hidden", type=int)
    asked.add_argument("--seeds", type=int, default=4)
    asked.add_argument("--seconds", type=float, default=60.0)
    asked.add_argument("--steps", type=int)
    asked.add_argument("--out", type=Path)
    args = asked.parse_args()

    tree = feint.unroll(args.game)
    config = ALGORITHMS["nfsp"].presets[args.preset]
    network = replace(config.network, hidden=(args.hidden,)) if args.hidden else config.network
    config = replace(config, network=network)
    learner = config.on(TreeForm(tree))
    start = time.perf_counter()
    state = eqx.filter_jit(lambda learner, keys: jax.vmap(learner.init)(keys))(
        learner, jax.vmap(jax.random.key)(jnp.arange(args.seeds))
    )
    state = jax.tree.map(jnp.copy, state)
    state = advance(learner, state, jnp.asarray(1))
    judge(learner, state, tree.form)
    compiling = time.perf_counter() - start

    rows, steps, piece, running, due = [], 1, 20, 0.0, 1.0
    while True:
        start = time.perf_counter()
        state = jax.block_until_ready(advance(learner, state, jnp.asarray(piece)))
        taken = time.perf_counter() - start
        steps, running = steps + piece, running + taken
        last = running >= args.seconds or (args.steps is not None and steps >= args.steps)
        if running >= due or last:
            due *= 1.15
            values = np.asarray(judge(learner, state, tree.form)) / tree.players
            rows.append({"step": steps, "seconds": round(running, 3), "seeds": values.tolist()})
            print(
                f"{running:7.1f} s {steps:9,} steps  median {np.median(values):.4f}  {np.sort(values).round(4)}",
                flush=True,
            )
        if last:
            break
        piece = max(1, min(int(piece * 0.5 / max(taken, 1e-4)), 10 * piece))
        piece = min(piece, args.steps - steps) if args.steps is not None else piece
    decisions = steps * config.tables * args.seeds / running
    result = {
        "game": args.game,
        "preset": args.preset,
        "hidden": config.network.hidden,
        "made_with": list(provenance()),
        "compile_seconds": round(compiling, 1),
        "decisions_per_second": round(decisions),
        "rows": rows,
    }
    print(f"compiled in {compiling:.1f} s; {decisions:,.0f} decisions/s over {args.seeds} seeds")
    if args.out:
        args.out.write_text(json.dumps(result) + "\n")


@eqx.filter_jit(donate="all-except-first")
def advance(learner, state, steps):
    step = jax.vmap(lambda state: learner.step(state)[0])
    return jax.lax.fori_loop(0, steps, lambda _, state: step(state), state)


@eqx.filter_jit
def judge(learner, state, form):
    return jax.vmap(lambda state: nash_conv_of(form, learner.strategy(state).probabilities))(state)


if __name__ == "__main__":
    main()
