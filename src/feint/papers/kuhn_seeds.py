"""Many seeds of fictitious play by winnings side by side, each judged exactly after every step."""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.forms.unrolled import TreeForm
from feint.learners.elite_play import ElitePlay, ElitePlayer, EliteState
from feint.tree.best_response import nash_conv_of
from feint.tree.sequence_form import SequenceForm
from feint.tree.tree import Tree


class Played(NamedTuple):
    """A variant's runs: `u` updates (from none on) and `s` seeds."""

    tables: Float[np.ndarray, "u s i a"]
    nash_conv: Float[np.ndarray, "u s"]

    @property
    def last(self) -> Float[np.ndarray, "s i a"]:
        return np.asarray(self.tables[-1])


def play(tree: Tree, settings: ElitePlay, updates: int, seeds: int, sure: float = 1.0) -> Played:
    """Many seeds side by side, and every strategy on the way; their first networks are so many times as `sure`."""

    def run(learner: ElitePlayer, form: SequenceForm, key: Array) -> tuple[Array, Array]:
        first = surer(learner, learner.init(key), sure)

        def step(state: EliteState, _: None) -> tuple[EliteState, Array]:
            after = learner.step(state)[0]
            return after, after.policy

        _, later = jax.lax.scan(step, first, length=updates)
        tables = jnp.concatenate([first.policy[None], later])
        return tables, jax.vmap(lambda table: nash_conv_of(form, table))(tables)

    each = eqx.filter_jit(eqx.filter_vmap(run, in_axes=(None, None, 0)))
    tables, gaps = each(settings.on(TreeForm(tree)), tree.form, jax.vmap(jax.random.key)(jnp.arange(seeds)))
    return Played(np.asarray(tables).swapaxes(0, 1), np.asarray(gaps).T)


def surer(learner: ElitePlayer, state: EliteState, factor: float) -> EliteState:
    """The same with a network whose numbers for moves are so many times as large."""
    last = lambda network: network.layers[-1]  # noqa: E731
    network = eqx.tree_at(last, state.network, jax.tree.map(lambda weights: factor * weights, last(state.network)))
    return state._replace(network=network, policy=learner.outputs(network))
