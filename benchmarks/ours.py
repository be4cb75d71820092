"""Feint, to be timed: run by solvers.py, see racing.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

import feint
from feint.forms.unrolled import TreeForm
from feint.solvers.cfr import ALGORITHMS, CFRState, RegretMinimiser
from feint.solvers.linear_program import solve
from feint.tree.arrange import arrange
from feint.tree.best_response import nash_conv_of
from feint.tree.sequence_form import SequenceForm
from feint.tree.tree import Tree
from racing import CHECKED, Facts, Run, elapsed, repeat, serve


def main() -> None:
    serve(prepare, ["feint", "jax"])


def prepare(method: str, game: str) -> tuple[Run, Facts]:
    return METHODS[method](unrolled(game), method)


@cache
def unrolled(game: str) -> Tree:
    return feint.unroll(game, cache=False)


def tree(tree: Tree, _: str) -> tuple[Run, Facts]:
    """Nothing to time: how large the game is."""
    return repeat(lambda: None), {"nodes": tree.nodes, "infosets": len(tree.infosets)}


@eqx.filter_jit
def iterate(algorithm: RegretMinimiser, state: CFRState, count: Int[Array, ""]) -> CFRState:
    return jax.lax.fori_loop(0, count, lambda _, state: algorithm.step(state)[0], state)


@cache
def compiled(tree: Tree, method: str) -> tuple[RegretMinimiser, Any, float]:
    """An algorithm, its compiled loop, and how many seconds compiling took."""
    config: Any = ALGORITHMS[method.removesuffix(" simultaneous")].config
    algorithm: RegretMinimiser = replace(config, alternating=not method.endswith(" simultaneous")).on(TreeForm(tree))
    start = algorithm.init(jax.random.key(0))
    seconds, loop = elapsed(lambda: iterate.lower(algorithm, start, jnp.asarray(1)).compile())
    return algorithm, loop, seconds


@cache
def first_call(tree: Tree) -> float:
    """How many seconds the first NashConv of a tree takes: nearly all of it is compiling."""
    tree.form  # noqa: B018  (arranging is timed apart)
    return elapsed(lambda: feint.nash_conv(tree, tree.uniform()))[0]


@cache
def checked(tree: Tree, method: str) -> tuple[Float[np.ndarray, "i a"], Facts]:
    """The average after a few iterations, and its NashConv, which peers must agree with.

    Also the NashConv of the average as LiteEFG takes it: of what each iteration led to, not of what it played.
    """
    first_call(tree)
    algorithm, loop, _ = compiled(tree, method)
    state = algorithm.init(jax.random.key(0))
    later = state.plan_sum
    for time in range(1, CHECKED + 1):
        state = loop(algorithm, state, jnp.asarray(1))
        weight = time**algorithm.config.gamma
        later = tuple(total + weight * plan for total, plan in zip(later, state.plans, strict=True))
    table = algorithm.strategy(state).table(tree)
    values = [
        feint.nash_conv(tree, strategy) for strategy in (table, algorithm.strategy(state._replace(plan_sum=later)))
    ]
    return table, dict(zip(("nash_conv", "nash_conv_later"), values, strict=True))


def solver(tree: Tree, method: str) -> tuple[Run, Facts]:
    algorithm, loop, seconds = compiled(tree, method)
    state = algorithm.init(jax.random.key(0))

    def run(count: int) -> None:
        nonlocal state
        due = int(state.iteration) + count
        state = jax.block_until_ready(loop(algorithm, state, jnp.asarray(count)))
        assert int(state.iteration) == due

    return run, {"compile_s": seconds, **checked(tree, method)[1]}


def nash_conv(tree: Tree, _: str) -> tuple[Run, Facts]:
    """The public call on a table, as a user makes it."""
    table, facts = checked(tree, "cfr+")
    return repeat(lambda: feint.nash_conv(tree, table)), {"compile_s": first_call(tree), **facts}


@eqx.filter_jit
def judge(form: SequenceForm, table: Float[Array, "i a"], count: Int[Array, ""]) -> Float[Array, ""]:
    """Judge a table again and again. It depends on the last result, or the compiler would judge it only once."""
    return jax.lax.fori_loop(
        0, count, lambda _, last: nash_conv_of(form, table * jnp.where(last > -1, 1.0, last)), jnp.zeros(())
    )


def nash_conv_loop(tree: Tree, _: str) -> tuple[Run, Facts]:
    """The judge inside a compiled loop, as training calls it."""
    table, facts = checked(tree, "cfr+")
    table = jnp.asarray(table)
    seconds, loop = elapsed(lambda: judge.lower(tree.form, table, jnp.asarray(1)).compile())

    def run(count: int) -> None:
        loop(tree.form, table, jnp.asarray(count)).block_until_ready()

    return run, {"compile_s": seconds, **facts, "nash_conv": float(loop(tree.form, table, jnp.asarray(2)))}


def unrolling(tree: Tree, _: str) -> tuple[Run, Facts]:
    return repeat(lambda: feint.unroll(tree.name, cache=False)), {}


def arranging(tree: Tree, _: str) -> tuple[Run, Facts]:
    return repeat(lambda: jax.block_until_ready(arrange(tree))), {}


def linear_program(tree: Tree, _: str) -> tuple[Run, Facts]:
    return repeat(lambda: solve(tree)), {"nash_conv": feint.nash_conv(tree, solve(tree))}


METHODS: dict[str, Callable[[Tree, str], tuple[Run, Facts]]] = {
    "tree": tree,
    "cfr": solver,
    "cfr simultaneous": solver,
    "cfr+": solver,
    "nash_conv": nash_conv,
    "nash_conv loop": nash_conv_loop,
    "unroll": unrolling,
    "arrange": arranging,
    "linear-program": linear_program,
}


if __name__ == "__main__":
    main()
