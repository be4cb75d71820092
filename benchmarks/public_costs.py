"""How the cost of public trees grows with them: python benchmarks/public_costs.py [NAME …] [--limit SECONDS].

One line of JSON for each game, measured in a process of its own: public decisions, hands, numbers in a table, seconds
for an iteration of CFR+ and for a judgement, bytes of the tables that CFR+ keeps, and the most memory that the process
held, compiling too; the line of `nothing` has what a process holds that has only computed something. Times are the
least of a few. Lines are gathered in results/public_costs.jsonl: pictures.py makes the picture and the table of them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from feint.games.cards import Deck, high_card, pair_then_rank
from feint.games.holdem import RANKS
from feint.games.leduc import leduc_no_limit
from feint.games.library import load_game
from feint.games.poker import Poker, Round
from feint.games.postflop import Spot
from feint.public.build import build_public_tree
from feint.public.judge import judge
from feint.public.tree import PublicTree
from feint.solvers.cfr import ALGORITHMS
from feint.solvers.public_cfr import PublicRegretMinimiser
from feint.solvers.regrets import Rule
from feint.solvers.spots import spot_tree
from racing import elapsed, processor

LEAST_SECONDS, LONG, BLOCKS = 0.3, 5.0, 3
"""How long a block of work takes at least, and how many there are: two where one takes longer than LONG."""
SPOT = Path(__file__).parent / "spots" / "QsJh2h.json"
NOTHING = "nothing"


def kuhn_like(cards: int, cap: int) -> Poker:
    return Poker(Deck(RANKS[-cards:], 1), (Round(1, cap),), high_card, ante=1)


def leduc_like(ranks: int, copies: int, cap: int, boards: int) -> Poker:
    rounds = Round(2, cap), *(Round(4, cap, board=1) for _ in range(boards))
    return Poker(Deck(RANKS[-ranks:], copies), rounds, pair_then_rank, ante=1)


def no_limit(stack: float, *bets: float) -> Poker:
    return replace(leduc_no_limit(), stack=stack, pot_bets=bets)


GAMES: dict[str, Callable[[], Poker]] = {
    "kuhn": lambda: load_game("kuhn"),
    "Kuhn, 13 cards, 8 raises": lambda: kuhn_like(13, 8),
    "leduc": lambda: load_game("leduc"),
    "leduc_no_limit": lambda: load_game("leduc_no_limit"),
    "Leduc, 13 × 2 cards, 8 raises": lambda: leduc_like(13, 2, 8, 1),
    "Leduc, no-limit, 50 antes, 3 sizes": lambda: no_limit(5000, 0.5, 1.0),
    "Leduc, 13 × 4 cards, 4 raises, 3 rounds": lambda: leduc_like(13, 4, 4, 2),
    "Leduc, 13 × 4 cards, 1 raise, 4 rounds": lambda: leduc_like(13, 4, 1, 3),
    "Leduc, 13 × 2 cards, 8 raises, 3 rounds": lambda: leduc_like(13, 2, 8, 2),
    **{
        name: lambda name=name: load_game(name)  # type: ignore[misc]
        for name in (
            *(f"flop_holdem(ranks={ranks})" for ranks in (3, 4, 6, 8, 10)),
            *(f"turn_holdem(ranks={ranks})" for ranks in (3, 4, 5)),
            *(f"river_holdem(ranks={ranks})" for ranks in (4, 6, 8)),
            "flop_holdem",
        )
    },
}
SPOTS = {"river spot": "QsJh2h5c7d", "turn spot": "QsJh2h5c", "flop spot": "QsJh2h"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[NOTHING, *GAMES, *SPOTS])
    parser.add_argument("--limit", type=float, default=240.0, help="games that take longer are left out, and named")
    parser.add_argument("--here", action="store_true", help="in this process")
    asked = parser.parse_args()
    for name in asked.names:
        if asked.here:
            print(json.dumps(_measured(name)), flush=True)
            continue
        try:
            subprocess.run([sys.executable, __file__, name, "--here"], check=True, timeout=asked.limit)
        except subprocess.TimeoutExpired:
            print(json.dumps({"name": name, "longer_than_s": asked.limit}), flush=True)


def _measured(name: str) -> dict[str, Any]:
    if name == NOTHING:
        jax.block_until_ready(jax.jit(jnp.sin)(jnp.ones(8)))
        return {"name": name, "peak_bytes": _peak()}
    built, tree = elapsed(lambda: jax.block_until_ready(_tree(name)))
    config = ALGORITHMS["cfr+"].config
    solver = PublicRegretMinimiser(
        tree, Rule(config.alpha, config.beta, config.gamma, config.predictive), config.alternating, ""
    )
    state = eqx.filter_jit(lambda solver: jax.tree.map(jnp.copy, solver.init(jax.random.key(0))))(solver)
    tables = jax.tree.leaves(state.book)
    sizes = {"cells": sum(table.size for table in tables) // 2, "table_bytes": sum(table.nbytes for table in tables)}
    del tables
    forward: Any = eqx.filter_jit(_forward, donate="all-except-first")
    look: Any = eqx.filter_jit(lambda solver, state: judge(solver.tree, solver.strategy(state).weights))
    compiled, forward = elapsed(lambda: forward.lower(solver, state, jnp.asarray(1)).compile())

    def iterate(count: int) -> None:
        nonlocal state
        state = jax.block_until_ready(forward(solver, state, jnp.asarray(count)))

    def judged(count: int) -> None:
        for _ in range(count):
            jax.block_until_ready(look(solver, state))

    iteration = _least(iterate)
    more, look = elapsed(lambda: look.lower(solver, state).compile())
    rounds = tree.rounds
    return {
        "name": name,
        "public": sum(stage.boards * stage.betting.count for stage in rounds),
        "hands": max(stage.hands for stage in rounds),
        "infosets": sum(stage.boards * stage.betting.count * stage.hands for stage in rounds),
        **sizes,
        "iteration_s": iteration,
        "judged_s": _least(judged),
        "built_s": round(built, 2),
        "compiled_s": round(compiled + more, 2),
        "peak_bytes": _peak(),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
    }


def _tree(name: str) -> PublicTree:
    if name in SPOTS:
        return spot_tree(Spot.read(json.loads(SPOT.read_text()) | {"board": SPOTS[name]}))
    return build_public_tree(GAMES[name]())


def _least(work: Callable[[int], None]) -> float:
    """The least seconds that work takes once, of a few blocks that are long enough to be timed."""
    count, times, wanted = 1, list[float](), BLOCKS
    while len(times) < wanted:
        took, _ = elapsed(partial(work, count))
        if took < LEAST_SECONDS:
            count = max(count + 1, int(count * min(10.0, 1.2 * LEAST_SECONDS / took)))
        else:
            times.append(took / count)
            wanted = 2 if took > LONG else BLOCKS
    return float(f"{min(times):.4g}")


def _forward(solver: PublicRegretMinimiser, state: Any, steps: jax.Array) -> Any:
    return jax.lax.fori_loop(0, steps, lambda _, state: solver.step(state)[0], state)


def _peak() -> int:
    """The most memory that this process held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
