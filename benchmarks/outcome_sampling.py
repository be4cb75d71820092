"""Monte Carlo CFR next to OpenSpiel's, in hands a second on one core; and next to our own full sweeps, in seconds.

Blocks of ours and theirs take turns. The records are results/outcome_sampling.jsonl, a line for each game.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

RESULTS = Path(__file__).parent / "results" / "outcome_sampling.jsonl"
GAMES = {
    "kuhn": "kuhn_poker",
    "leduc": "leduc_poker(suit_isomorphism=True)",
    "leduc(suits=True)": "leduc_poker",
}
BLOCKS = 3
HANDS = (1_000_000, 10_000_000)
"""After how many hands ours is judged, and how long full sweeps take to come as near."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="the least a timed block takes")
    seconds = parser.parse_args().seconds
    os.environ |= {"JAX_PLATFORMS": "cpu", "OMP_NUM_THREADS": "1"}
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows = [measured(ours, theirs, seconds) for ours, theirs in GAMES.items()]
    RESULTS.write_text("".join(json.dumps(row) + "\n" for row in rows))


def measured(ours: str, theirs: str, seconds: float) -> dict[str, Any]:
    """A game's line."""
    from racing import processor

    runs = {
        "Feint": feint_hands(ours, {}),
        "Feint, one table": feint_hands(ours, {"tables": 1, "baselines": None}),
        **open_spiel_hands(theirs),
    }
    blocks: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(BLOCKS):
        for name, run in runs.items():
            blocks[name].append(rate(run, seconds))
    rates = {name: median(found) for name, found in blocks.items()}
    packages = {name: version(name) for name in ("feint", "jax", "open_spiel")}
    row = {"game": ours, "processor": processor(), "versions": packages, "hands_a_second": rates}
    row |= {"nearing": [nearing(ours, hands) for hands in HANDS]}
    print(json.dumps(row))
    return row


def rate(run: Callable[[int], int], seconds: float) -> float:
    """What is done a second, of a block that takes at least so long; a run says how much it did."""
    count = 1
    while True:
        start = time.perf_counter()
        done = run(count)
        took = time.perf_counter() - start
        if took >= seconds:
            return done / took
        count = max(count + 1, int(count * min(10.0, 1.2 * seconds / took)))


def loop(name: str, game: str, settings: dict[str, Any]) -> tuple[Any, Callable[[Any, int], Any]]:
    """An algorithm of ours, and its steps in one compiled loop."""
    import equinox as eqx
    import jax
    import jax.numpy as jnp

    import feint
    from feint.forms.unrolled import TreeForm
    from feint.runs.config import resolve

    algorithm = resolve(name, settings).on(TreeForm(feint.unroll(game)))

    @eqx.filter_jit
    def steps(algorithm: Any, state: Any, count: Any) -> Any:
        return jax.lax.fori_loop(0, count, lambda _, now: algorithm.step(now)[0], state)

    return algorithm, lambda state, count: jax.block_until_ready(steps(algorithm, state, jnp.asarray(count)))


def feint_hands(game: str, settings: dict[str, Any]) -> Callable[[int], int]:
    import jax

    algorithm, steps = loop("mccfr", game, settings)
    state = steps(algorithm.init(jax.random.key(0)), 1)

    def run(count: int) -> int:
        nonlocal state
        before = int(algorithm.hands(state))
        state = steps(state, count)
        return int(algorithm.hands(state)) - before

    return run


def open_spiel_hands(game: str) -> dict[str, Callable[[int], int]]:
    """Their two: an iteration plays a hand for each player."""
    import pyspiel
    from open_spiel.python.algorithms.outcome_sampling_mccfr import OutcomeSamplingSolver

    source = pyspiel.load_game(game)
    each = {
        "OpenSpiel C++": pyspiel.OutcomeSamplingMCCFRSolver(source).run_iteration,
        "OpenSpiel Python": OutcomeSamplingSolver(source).iteration,
    }

    def repeated(iteration: Callable[[], None]) -> Callable[[int], int]:
        def run(count: int) -> int:
            for _ in range(count):
                iteration()
            return count * source.num_players()

        return run

    return {name: repeated(iteration) for name, iteration in each.items()}


def nearing(game: str, hands: int) -> dict[str, Any]:
    """How near so many hands come to equilibrium, in how many seconds, and how long cfr+ takes for that."""
    import jax

    import feint

    tree, key = feint.unroll(game), jax.random.key(0)
    algorithm, steps = loop("mccfr", game, {})
    count = -(-hands // algorithm.settings.tables)
    steps(algorithm.init(key), 1)
    start = time.perf_counter()
    state = steps(algorithm.init(key), count)
    took = time.perf_counter() - start
    found = feint.exploitability(tree, algorithm.strategy(state))
    solver, sweeps = loop("cfr+", game, {})
    iterations, swept = 0, solver.init(key)
    while feint.exploitability(tree, solver.strategy(swept)) > found:
        iterations, swept = iterations + 1, sweeps(swept, 1)

    def run(count: int) -> int:
        sweeps(swept, count)
        return count

    told = {"hands": hands, "exploitability": found, "seconds": took}
    return told | {"cfr+ iterations": iterations, "cfr+ seconds": iterations / rate(run, 0.5)}


if __name__ == "__main__":
    main()
