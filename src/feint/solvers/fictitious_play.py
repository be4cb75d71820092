"""Fictitious play: everyone always plays a best response to the others' average so far.

Brown (1951) plays it on the matrix; XFP (Heinrich, Lanctot & Silver 2015) on the tree, mixing in *plans*, which
makes it the same thing: averaging plans is averaging the pure strategies of the normal form. So both are one
algorithm here, and a matrix is a tree of depth one.

With *anticipation* (Shamma & Arslan 2005; the η of NFSP) a response is not to the others' averages but to where these
are going: a mixture with their last responses. That settles games in which plain fictitious play goes round for ever,
such as Shapley's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from feint.forms.form import Form
from feint.forms.strategy import TabularStrategy
from feint.games.errors import BadInput
from feint.solvers.algorithm import Algorithm, Config, Entry, Metrics, require
from feint.tree.sequence_form import Plan, SequenceForm, Vector, without


@final
@dataclass(frozen=True)
class ExtensiveFictitiousPlay(Config):
    """Full-width extensive-form fictitious play."""

    alternating: bool = True
    """Update the players in turn, each against the others' newest averages; otherwise all at once."""
    anticipation: float = 0.0
    """The share of the others' last responses in what is responded to; the rest is their averages."""

    def __post_init__(self) -> None:
        require(self, anticipation=(0 <= self.anticipation <= 1, "from 0 to 1"))

    def on(self, form: Form) -> FictitiousPlayer:
        tree = form.whole("xfp")
        return FictitiousPlayer(tree.form, self.alternating, _share(self.anticipation), tree.fingerprint)


@final
@dataclass(frozen=True)
class FictitiousPlay(Config):
    """Fictitious play on a matrix game."""

    alternating: bool = True
    """Update the players in turn, as Brown did; otherwise both at once."""
    anticipation: float = 0.0
    """The share of the other's last response in what is responded to; the rest is its average."""

    def __post_init__(self) -> None:
        require(self, anticipation=(0 <= self.anticipation <= 1, "from 0 to 1"))

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
        return FictitiousPlayer(tree.form, self.alternating, _share(self.anticipation), tree.fingerprint)


ALGORITHMS = {
    "fictitious-play": Entry("Best responses to averages, on a matrix game (Brown 1951).", FictitiousPlay()),
    "xfp": Entry("Fictitious play on the whole tree (Heinrich et al. 2015).", ExtensiveFictitiousPlay()),
}


def _share(anticipation: float) -> Float[Array, ""] | None:
    """As compiled code takes it, which is then the same for all shares; None where nothing is anticipated."""
    return jnp.asarray(anticipation, float) if anticipation else None


class FictitiousState(NamedTuple):
    iteration: Float[Array, ""]
    average: tuple[Plan, ...]
    """Every player's average plan; the uniform strategy counts as the first."""
    response: tuple[Plan, ...]
    """Every player's last response, in plans; nothing where none is anticipated."""


@final
class FictitiousPlayer(Algorithm[FictitiousState]):
    """Fictitious play on one game, by plans."""

    form: SequenceForm
    alternating: bool = eqx.field(static=True)
    anticipation: Float[Array, ""] | None
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> FictitiousState:
        uniform = [side.normalise(jnp.zeros(side.cells.shape)) for side in self.form.sides]
        plans = self.form.plans(uniform)
        return FictitiousState(jnp.zeros(()), plans, () if self.anticipation is None else plans)

    def step(self, state: FictitiousState) -> tuple[FictitiousState, Metrics]:
        return self._next(state)[1], {}

    def _next(self, state: FictitiousState) -> tuple[list[Vector], FictitiousState]:
        """What players answer, and the state after it."""
        time, answers = state.iteration + 1.0, list[Vector]()
        average, last = list(state.average), list(state.response)
        for player, side in enumerate(self.form.sides):
            opposing = self.expected(average, last) if self.alternating else self.expected(*state[1:])
            answers.append(side.pure(side.backup(without(player, opposing))))
            response = side.plan(answers[-1])
            average[player] = average[player] + (response - average[player]) / (time + 1.0)
            if last:
                last[player] = response
        return answers, FictitiousState(time, tuple(average), tuple(last))

    def expected(self, average: Sequence[Plan], response: Sequence[Plan]) -> Sequence[Plan]:
        """What players are expected to do next: their averages, with a share of their last responses."""
        share = self.anticipation
        if share is None:
            return average
        return [(1 - share) * usual + share * last for usual, last in zip(average, response, strict=True)]

    def strategy(self, state: FictitiousState) -> TabularStrategy:
        averages = [side.normalise(plan[:-1]) for side, plan in zip(self.form.sides, state.average, strict=True)]
        return TabularStrategy(self.fingerprint, self.form.table(averages))

    def latest(self, state: FictitiousState) -> TabularStrategy:
        return TabularStrategy(self.fingerprint, self.form.table(self._next(state)[0]))
