"""How much of exploitability our bounds find where it is known exactly: python benchmarks/bounds.py [GAME] --uniform …

One line of JSON for each strategy: its exploitability, and what a local and a learned best response win off it, all in
thousandths of a big blind a hand, with 95% intervals. Strategies are uniform play, runs, CFR+ after some iterations,
and the last of these with uniform play mixed in at every decision. Lines are gathered in results/bounds.jsonl, from
which pictures.py makes the picture and the table.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from feint.arena.policy import Uniform
from feint.evaluate.learned_best_response import learned_best_response
from feint.evaluate.local_best_response import local_best_response
from feint.evaluate.measure import Measure
from feint.forms.public import PublicForm
from feint.forms.public_strategy import PublicStrategy
from feint.forms.strategy import PolicyStrategy, Strategy
from feint.games.library import load_game
from feint.public.play import normalised
from feint.runs.run import load_run
from feint.solvers.cfr import ALGORITHMS
from racing import elapsed, processor


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="flop_holdem")
    parser.add_argument("--uniform", action="store_true", help="judge uniform play")
    parser.add_argument("--runs", nargs="*", default=[], metavar="NAME=RUN", help="judge these")
    parser.add_argument("--cfr", default="", help="judge CFR+ after so many iterations")
    parser.add_argument("--mixed", default="", help="… and the last of these with so much uniform play mixed in")
    parser.add_argument("--hands", type=int, default=20_000, help="hands of a local best response")
    parser.add_argument("--steps", type=int, default=20_000, help="steps of learning a best response")
    parser.add_argument("--fresh", type=int, default=400_000, help="hands that what was learned is judged by")
    asked = parser.parse_args()
    form = PublicForm.of(load_game(asked.game), None)
    if form is None:
        raise SystemExit(f"{asked.game} has no public tree that can be held, so that nothing exact is known of it.")
    for name, strategy in _strategies(form, asked):
        took, judged = elapsed(partial(form.judged, strategy, 0))
        assert judged is not None
        gap, scale = float((judged.best - judged.values).sum()), 1000 / form.big_blind
        row = {"game": form.name, "strategy": name, "exact": gap / 2 * scale, "exact_s": took}
        betting, policy = form.betting, strategy.policy
        took, bound = elapsed(partial(local_best_response, betting, policy, asked.hands))
        row |= _told("local", took, bound.in_big_blinds(form.big_blind))
        took, bound = elapsed(partial(learned_best_response, form, policy, asked.steps, asked.fresh))
        row |= _told("learned", took, bound.in_big_blinds(form.big_blind)) | {"learned_steps": asked.steps}
        row |= {"processor": processor(), "cores": len(os.sched_getaffinity(0))}
        print(json.dumps({key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()}))
        sys.stdout.flush()


def _told(who: str, took: float, bound: Measure) -> dict[str, Any]:
    """What an opponent found."""
    numbers = {"": bound.value, "_low": bound.low, "_high": bound.high, "_hands": bound.hands, "_s": took}
    return {who + name: number for name, number in numbers.items()}


def _strategies(form: PublicForm, asked: argparse.Namespace) -> Iterator[tuple[str, Strategy]]:
    if asked.uniform:
        yield "uniform", PolicyStrategy(form.fingerprint, Uniform(form.arena))
    for named in asked.runs:
        name, _, run = named.partition("=")
        yield name, load_run(run).strategy
    if asked.cfr:
        last = None
        for name, last in _solved(form, [int(each) for each in asked.cfr.split(",")]):
            yield name, last
        for share in map(float, filter(None, asked.mixed.split(","))):
            assert last is not None
            yield f"{name}, {share:g} uniform", _mixed(last, share)


def _solved(form: PublicForm, iterations: list[int]) -> Iterator[tuple[str, PublicStrategy]]:
    """CFR+ after so many iterations, in turn."""
    solver: Any = ALGORITHMS["cfr+"].config.on(form)
    state = eqx.filter_jit(lambda solver: jax.tree.map(jnp.copy, solver.init(jax.random.key(0))))(solver)
    forward: Any = eqx.filter_jit(_forward, donate="all-except-first")
    done = 0
    for until in iterations:
        state, done = forward(solver, state, jnp.asarray(until - done)), until
        yield f"CFR+ {until}", solver.strategy(state)


def _forward(solver: Any, state: Any, steps: jax.Array) -> Any:
    return jax.lax.fori_loop(0, steps, lambda _, state: solver.step(state)[0], state)


@eqx.filter_jit
def _mixed(strategy: PublicStrategy, share: float) -> PublicStrategy:
    """A strategy that plays uniformly at random at a decision so often."""
    weights = tuple(
        tuple(tuple((1 - share) * chance + share / len(moves) for chance in normalised(moves)) for moves in decisions)
        for decisions in strategy.weights
    )
    return PublicStrategy(strategy.fingerprint, strategy.tree, weights)


if __name__ == "__main__":
    main()
