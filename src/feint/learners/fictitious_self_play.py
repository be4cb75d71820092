"""Fictitious self-play (Heinrich, Lanctot & Silver 2015): fictitious play from samples, with tables.

The step between fictitious play and its neural form. Best responses come from Q-learning on a table, the average
from counting the moves they made; nothing is known of the rules but what play shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from feint.forms.form import Form
from feint.learners.networks import Design
from feint.learners.self_play import SelfPlay, self_play
from feint.learners.settings import Average, SelfPlaySettings, ValueTraining
from feint.solvers.algorithm import Entry


@final
@dataclass(frozen=True)
class FictitiousSelfPlay(SelfPlaySettings):
    """Fictitious self-play with tabular Q-learning and a counted average."""

    values: ValueTraining = ValueTraining(rate=0.01, decay=20_000.0, updates=2)
    anticipation: float = 0.2
    """The share of hands in which a seat plays its best response."""
    average: Average = Average(growth=2.0, since=100)
    """What the average is counted from."""

    # A linear map of one indicator for each information set is a table, if it has no bias that they share.
    network: ClassVar[Design] = Design((), bias=False)
    encoding: ClassVar[str] = "one-hot"
    needs_tree: ClassVar[bool] = True

    def on(self, form: Form) -> SelfPlay:
        return self_play(form, self)


ALGORITHMS = {
    "fsp": Entry(
        "Fictitious self-play: best responses by Q-learning on tables (Heinrich et al. 2015).", FictitiousSelfPlay()
    )
}
