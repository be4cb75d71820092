"""Evolved networks with and without a hall of fame, judged exactly: python benchmarks/evolution.py [GAME …].

One line of JSON for a look at all seeds of a variant: how exploitable the winner of the last tournament is, and how
exploitable are all in the hall of fame, or in the generation, as one that is anyone of them in each hand (`together`);
what the winner wins off random play, off whoever always calls, and off an equilibrium, the mean of both seats. All in
chips a hand, and exact. Lines are gathered in results/evolution.jsonl: pictures.py makes the picture and the table.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.forms.library import form_of
from feint.learners.evolved import Evolution, Evolved, Fame
from feint.solvers.cfr import ALGORITHMS
from feint.tree.best_response import nash_conv_of
from feint.tree.sequence_form import Plan, SequenceForm, without
from feint.tree.tree import Tree

VARIANTS = {
    "hall of fame": Evolved(),
    "none": Evolved(fame=Fame(places=0)),
    "hall of fame, exact": Evolved(games=None),
    "none, exact": Evolved(games=None, fame=Fame(places=0)),
}
"""With and without, tournaments of 1,000 hands and such as are worked out."""
ITERATIONS = 2000
"""Of CFR+: within 0.02 chips of equilibrium in no-limit Leduc, within 0.0001 in Leduc."""
NUMBERS = ("exploitability", "together", "random", "call", "equilibrium")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=["leduc", "leduc_no_limit"])
    parser.add_argument("--steps", type=int, default=1000, help="generations")
    parser.add_argument("--every", type=int, default=25, help="generations from one look to the next")
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    for name in asked.games:
        form = form_of(name)
        tree = form.whole("this benchmark")
        others = _opponents(tree, form.actions.index("call"))
        for variant, config in VARIANTS.items():
            solver = config.on(form)
            keys = jax.vmap(jax.random.key)(jnp.arange(asked.seeds))
            states = _begin(solver, keys)
            for step, further in _looks(asked.steps, asked.every):
                states = _forward(solver, states, jnp.asarray(further))
                judged = np.asarray(_look(solver, tree.form, states, others)).T
                told = {number: values.round(6).tolist() for number, values in zip(NUMBERS, judged, strict=True)}
                row = {"game": name, "variant": variant, "step": step} | told
                print(json.dumps(row), flush=True)


def _looks(last: int, every: int) -> list[tuple[int, int]]:
    """Generations at which to look, denser at first, and how many lie before each."""
    points = sorted({*(2**power for power in range(every.bit_length())), *range(every, last + 1, every)})
    return [(point, point - before) for before, point in zip([0, *points[:-1]], points, strict=True)]


def _opponents(tree: Tree, call: int) -> Sequence[tuple[Plan, ...]]:
    """The plans of random play, of a caller and of an equilibrium."""
    form, solver = tree.form, ALGORITHMS["cfr+"].config.on(form_of(tree.game))
    solved = jax.lax.fori_loop(0, ITERATIONS, lambda _, state: solver.step(state)[0], solver.init(jax.random.key(0)))
    calls = np.zeros(tree.legal.shape)
    calls[:, call] = 1.0
    tables = tree.uniform(), calls, solver.strategy(solved).table(tree)
    return [form.plans(form.vectors(jnp.asarray(table))) for table in tables]


@eqx.filter_jit
def _begin(solver: Evolution, keys: Any) -> Any:
    return jax.vmap(solver.init)(keys)


@eqx.filter_jit
def _forward(solver: Evolution, states: Any, steps: Array) -> Any:
    return jax.lax.fori_loop(0, steps, lambda _, states: jax.vmap(lambda state: solver.step(state)[0])(states), states)


@eqx.filter_jit
def _look(
    solver: Evolution, form: SequenceForm, states: Any, others: Sequence[tuple[Plan, ...]]
) -> Float[Array, "seeds n"]:
    def look(state: Any) -> Float[Array, " n"]:
        table = jnp.asarray(solver.strategy(state).everywhere(jnp.zeros(0)))
        vectors, players = form.vectors(table), len(form.sides)
        gaps = [nash_conv_of(form, each) / players for each in (table, solver.mixture(state, form))]
        won = [
            sum(side.backup(without(seat, plans), vectors[seat]).value for seat, side in enumerate(form.sides))
            / players
            for plans in others
        ]
        return jnp.stack([*gaps, *won])

    return jax.vmap(look)(states)


if __name__ == "__main__":
    main()
