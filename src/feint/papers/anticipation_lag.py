"""Why NFSP with a small share is slower than fictitious play: what it answers is remembered, and memories lag.

The best response of NFSP answers what others did while its memory goes back, and `fast` has that go back for a share of
all steps so far, in which the average moves on. So fictitious play is given such a memory, exactly; and NFSP is tried
without each of the things in which it differs from fictitious play.
"""

from __future__ import annotations

from typing import Any, NamedTuple, final

import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from feint.forms.library import form_of
from feint.forms.strategy import TabularStrategy
from feint.learners.nfsp import NFSP
from feint.papers.kuhn_baselines import gaps_after
from feint.papers.records import Row, short
from feint.runs.config import resolve
from feint.solvers.algorithm import Algorithm, Metrics
from feint.solvers.fictitious_play import FictitiousPlayer, FictitiousState
from feint.tree.sequence_form import Plan, without

ROUND = "shapley"
"""The game that is asked why: plain fictitious play goes round in it for ever."""
PLAIN = "as it is"
CHANGES: dict[str, dict[str, Any]] = {
    PLAIN: {},
    "no exploration": {"exploration.epsilon": 0.0},
    "an average of all alike": {"average.growth": 0.0},
    "a memory that does not grow": {"replay.share": 0.0},
}
"""What NFSP is tried with in it, by what it is called."""
CAUSES = {
    "no exploration": "that it explores",
    "an average of all alike": "that later steps count more in the average",
    "a memory that does not grow": "that its memory grows with the steps",
}
"""What it is in each of them that would slow it down."""
EXACT = (PLAIN, "an average of all alike", "a memory that does not grow")
"""Those that mean something to fictitious play with a memory."""


class LaggedState(NamedTuple):
    played: FictitiousState
    seen: tuple[Plan, ...]
    """What is remembered of every player, in plans."""


@final
class LaggedPlayer(Algorithm[LaggedState]):
    """Fictitious play, all at once, that answers what it remembers of others rather than what they do now."""

    player: FictitiousPlayer
    window: Float[Array, ""]
    """The iterations that are remembered, as a share of all so far …"""
    least: Float[Array, ""]
    """… beside so many."""
    power: Float[Array, ""]
    """What is played at t counts t^power times in the average."""

    def init(self, key: PRNGKeyArray) -> LaggedState:
        state = self.player.init(key)
        return LaggedState(state, state.average)

    def step(self, state: LaggedState) -> tuple[LaggedState, Metrics]:
        time, average, response = state.played
        time, news = time + 1.0, 1.0 / (self.window * time + self.least)
        shown = self.player.expected(average, response)
        seen = tuple(old + (new - old) * news for old, new in zip(state.seen, shown, strict=True))
        sides = enumerate(self.player.form.sides)
        answers = tuple(side.plan(side.pure(side.backup(without(number, seen)))) for number, side in sides)
        weight = (self.power + 1.0) / (time + self.power + 1.0)
        average = tuple(old + (new - old) * weight for old, new in zip(average, answers, strict=True))
        return LaggedState(FictitiousState(time, average, answers), seen), {}

    def strategy(self, state: LaggedState) -> TabularStrategy:
        return self.player.strategy(state.played)


def lagged(what: Row) -> Row:
    """Exploitability of fictitious play with the memory and the average of NFSP, after so many iterations."""
    tree, settings = form_of(what["game"]).whole("This reproduction"), resolve("nfsp", CHANGES[what["change"]])
    assert isinstance(settings, NFSP)
    numbers = what["anticipation"], settings.replay.share, settings.replay.least, settings.average.growth
    share, *memory = (jnp.asarray(number, float) for number in numbers)
    solver = LaggedPlayer(FictitiousPlayer(tree.form, False, share, tree.fingerprint), *memory)
    found = gaps_after(solver, tree, what["iterations"])
    return {"exploitability": list(map(short, found))}
