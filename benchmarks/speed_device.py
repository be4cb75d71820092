"""How fast limit hold'em is played and learned on an accelerator, as JSON.

    python benchmarks/speed_device.py OUT.json [stage/agent …] [--seconds 5]

Random play and ranking of hands, then steps of the agents of `feint reproduce poker-rnn`, with the seats at once and
one after the other. Compilation is told apart.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import equinox as eqx
import jax
import jax.numpy as jnp

import ours_hands
from feint.forms.dealt import CardForm
from feint.learners import nfsp, q_learning
from feint.learners.self_play import SelfPlay, SelfPlayState
from feint.papers.poker_rnn_stages import LARGE, PUBLISHED, limit_holdem

METHODS = nfsp.ALGORITHMS | q_learning.ALGORITHMS
PRESETS = {stage.name: stage.preset for stage in (PUBLISHED, LARGE)}
TABLES = 1 << 20
"""Hands of random play at once."""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("out", type=Path)
    asked.add_argument("agents", nargs="*", default=[f"{stage}/{agent}" for stage in PRESETS for agent in METHODS])
    asked.add_argument("--seconds", type=float, default=5.0, help="how long each is timed, about")
    args = asked.parse_args()
    results: dict[str, Any] = {"device": jax.devices()[0].device_kind, "jax": jax.__version__}

    def keep(name: str, facts: dict[str, float]) -> None:
        results[name] = facts
        args.out.write_text(json.dumps(results, indent=1) + "\n")
        print(name, facts, flush=True)

    run, facts = ours_hands.random_play(TABLES)
    count, seconds = lasting(run, args.seconds)
    keep("random play", {"tables": TABLES, "hands a second": count * facts["hands"] / seconds})
    run, facts = ours_hands.rank()
    count, seconds = lasting(run, args.seconds)
    keep("ranking seven cards", {"hands a second": count * facts["hands"] / seconds})
    betting = limit_holdem()
    for name in args.agents:
        stage, _, agent = name.partition("/")
        learner = METHODS[agent].presets[PRESETS[stage]].on(CardForm(betting))
        for alike in (True, False):
            words = "seats at once" if alike else "seats in turn"
            keep(
                f"{name}, {words}",
                steps_of(replace(learner, seating=replace(learner.seating, alike=alike)), args.seconds),
            )


def lasting(run: Callable[[int], None], seconds: float) -> tuple[int, float]:
    """How many went by in how long."""
    count = 1
    while True:
        begun = time.perf_counter()
        run(count)
        taken = time.perf_counter() - begun
        if taken >= 0.3 * seconds:
            return count, taken
        count = max(count + 1, min(10 * count, int(0.6 * seconds * count / taken)))


def steps_of(learner: SelfPlay, seconds: float) -> dict[str, float]:
    """Steps of a learner that has played long enough to learn."""
    begun = time.perf_counter()
    state = eqx.filter_jit(lambda learner, key: learner.init(key))(learner, jax.random.key(0))
    state = jax.block_until_ready(_advance(learner, jax.tree.map(jnp.copy, state), jnp.asarray(1)))
    compiling = time.perf_counter() - begun

    def run(count: int) -> None:
        nonlocal state
        state = jax.block_until_ready(_advance(learner, state, jnp.asarray(count)))

    run(100)
    count, taken = lasting(run, seconds)
    return {
        "compile seconds": compiling,
        "milliseconds a step": 1e3 * taken / count,
        "decisions a second": count * learner.settings.tables / taken,
    }


@eqx.filter_jit(donate="all-except-first")
def _advance(learner: SelfPlay, state: SelfPlayState, steps: Any) -> SelfPlayState:
    return jax.lax.fori_loop(0, steps, lambda _, state: learner.step(state)[0], state)


if __name__ == "__main__":
    main()
