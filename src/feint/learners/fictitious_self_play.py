"""Fictitious self-play (Heinrich, Lanctot & Silver 2015): fictitious play from samples, with tables.

The step between fictitious play and its neural form. Best responses come from Q-learning on a table, the average
from counting the moves they made; nothing is known of the rules but what play shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from feint.learners.experience import HistoryTally, ReplayTally
from feint.learners.networks import Design, Optimiser
from feint.learners.seat import SeatSettings
from feint.learners.self_play import SelfPlay, self_play
from feint.solvers.algorithm import Method, require
from feint.tree.tree import Tree


@final
@dataclass(frozen=True)
class FictitiousSelfPlay:
    """Fictitious self-play with tabular Q-learning and a counted average."""

    tables: int = 1024
    """Hands played at once; one step is one move at each."""
    anticipation: float = 0.2
    """The share of hands in which a seat plays its best response."""
    epsilon: float = 0.03
    """The share of random moves in a best response, at the start."""
    epsilon_decay: float = 0.01
    """Exploration falls as epsilon / (1 + epsilon_decay · √step)."""
    replay_share: float = 0.02
    """The window of transitions learned from, as a share of all steps so far."""
    replay_least: float = 100.0
    """The window is at least this many steps."""
    growth: float = 2.0
    """Step t counts t^growth times in the average."""
    average_from: int = 100
    """The first step whose moves enter the average."""
    rate: float = 0.01
    """How far a table entry moves towards its target in one update, at the start."""
    decay: float = 20_000.0
    """It falls as 1/√updates after this many."""
    updates: int = 2
    """Updates of the table in each step."""

    def __post_init__(self) -> None:
        require(
            self,
            tables=(self.tables >= 1, "at least 1"),
            anticipation=(0 < self.anticipation <= 1, "above 0 and at most 1"),
            epsilon=(0 <= self.epsilon <= 1, "from 0 to 1"),
            epsilon_decay=(self.epsilon_decay >= 0, "0 or more"),
            replay_share=(self.replay_share >= 0, "0 or more"),
            replay_least=(self.replay_least >= 1, "at least 1"),
            growth=(self.growth >= 0, "0 or more"),
            rate=(self.rate > 0, "above 0"),
            decay=(self.decay > 0, "above 0"),
            updates=(self.updates >= 1, "at least 1"),
        )

    def on(self, tree: Tree) -> SelfPlay:
        engine = SeatSettings(
            tables=self.tables,
            anticipation=self.anticipation,
            epsilon=self.epsilon,
            epsilon_decay=self.epsilon_decay,
            replay=ReplayTally(self.replay_share, self.replay_least, flatten=0.5),
            history=HistoryTally(self.growth, flatten=1.0),
            values=Optimiser("adam", self.rate, self.decay),
            policy=None,
            # A linear map of one indicator for each information set is a table, if it has no bias that they share.
            network=Design((), bias=False),
            value_updates=self.updates,
            average_from=self.average_from,
            one_hot=True,
        )
        return self_play(tree, engine)


ALGORITHMS = {
    "fsp": Method(
        "Fictitious self-play: best responses by Q-learning on tables (Heinrich et al. 2015).", FictitiousSelfPlay()
    )
}
