"""Fictitious play: everyone always plays a best response to the others' average so far.

Brown (1951) plays it on the matrix; XFP (Heinrich, Lanctot & Silver 2015) on the tree, mixing in *plans*, which
makes it the same thing: averaging plans is averaging the pure strategies of the normal form. So both are one
algorithm here, and a matrix is a tree of depth one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from feint.forms.form import Form
from feint.forms.strategy import TabularStrategy
from feint.games.errors import BadInput
from feint.solvers.algorithm import Algorithm, Config, Entry, Metrics
from feint.tree.sequence_form import Plan, SequenceForm, without


@final
@dataclass(frozen=True)
class ExtensiveFictitiousPlay(Config):
    """Full-width extensive-form fictitious play."""

    alternating: bool = True
    """Update the players in turn, each against the others' newest averages; otherwise all at once."""

    def on(self, form: Form) -> FictitiousPlayer:
        tree = form.whole("xfp")
        return FictitiousPlayer(tree.form, self.alternating, tree.fingerprint)


@final
@dataclass(frozen=True)
class FictitiousPlay(Config):
    """Fictitious play on a matrix game."""

    alternating: bool = True
    """Update the players in turn, as Brown did; otherwise both at once."""

    def check(self, form: Form) -> None:
        tree = form.whole("fictitious-play")
        if len(tree.player) != tree.players:
            raise BadInput(
                f"fictitious-play is for matrix games, but {tree.name} has {len(tree.player)} information sets; "
                f"use xfp, the same method on trees."
            )

    def on(self, form: Form) -> FictitiousPlayer:
        self.check(form)
        tree = form.whole("fictitious-play")
        return FictitiousPlayer(tree.form, self.alternating, tree.fingerprint)


ALGORITHMS = {
    "fictitious-play": Entry("Best responses to averages, on a matrix game (Brown 1951).", FictitiousPlay()),
    "xfp": Entry("Fictitious play on the whole tree (Heinrich et al. 2015).", ExtensiveFictitiousPlay()),
}


class FictitiousState(NamedTuple):
    iteration: Float[Array, ""]
    average: tuple[Plan, ...]
    """Every player's average plan; the uniform strategy counts as the first."""


@final
class FictitiousPlayer(Algorithm[FictitiousState]):
    """Fictitious play on one game, by plans."""

    form: SequenceForm
    alternating: bool = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> FictitiousState:
        uniform = [side.normalise(jnp.zeros(side.cells.shape)) for side in self.form.sides]
        return FictitiousState(jnp.zeros(()), self.form.plans(uniform))

    def step(self, state: FictitiousState) -> tuple[FictitiousState, Metrics]:
        time = state.iteration + 1.0
        average = list(state.average)
        for player, side in enumerate(self.form.sides):
            opposing = average if self.alternating else state.average
            response = side.plan(side.pure(side.backup(without(player, opposing))))
            average[player] = average[player] + (response - average[player]) / (time + 1.0)
        return FictitiousState(time, tuple(average)), {}

    def strategy(self, state: FictitiousState) -> TabularStrategy:
        averages = [side.normalise(plan[:-1]) for side, plan in zip(self.form.sides, state.average, strict=True)]
        return TabularStrategy(self.fingerprint, self.form.table(averages))

    def latest(self, state: FictitiousState) -> TabularStrategy:
        responses = [
            side.pure(side.backup(without(player, state.average))) for player, side in enumerate(self.form.sides)
        ]
        return TabularStrategy(self.fingerprint, self.form.table(responses))
