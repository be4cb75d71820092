"""What a run is judged by on its way: exact exploitability, or winnings where the game is too large for that."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, final

import equinox as eqx
import jax

from feint.arena.betting import Playground
from feint.arena.cards import CardArena, build_card_arena
from feint.arena.policy import Uniform
from feint.evaluate.match import play_deals
from feint.learners.self_play import SelfPlay
from feint.solvers.algorithm import Algorithm, Metrics
from feint.tree.best_response import nash_conv_of
from feint.tree.sequence_form import SequenceForm
from feint.tree.tree import Tree

JUDGED_DEALS = 4096
"""Deals, each played from both seats, in an evaluation of a game too large to judge exactly."""
FEW_DEALS = 50
"""As many of them make a hundred hands, which is what some papers judge by; others every time, as theirs are."""


class Judge(eqx.Module):
    """Says how good a strategy is."""

    number: eqx.AbstractClassVar[str]
    """The number that matters."""
    low_is_good: eqx.AbstractClassVar[bool]
    growth: eqx.AbstractClassVar[float]
    """Evaluations come when the steps have grown by this factor: evenly spaced on a logarithmic axis."""

    @abstractmethod
    def __call__(self, solver: Algorithm[Any], state: Any) -> Metrics:
        """That number and what else the judge and the algorithm can tell."""


@final
class TreeJudge(Judge):
    """Exact exploitability."""

    number: ClassVar[str] = "exploitability"
    low_is_good: ClassVar[bool] = True
    growth: ClassVar[float] = 1.1
    form: SequenceForm

    def __call__(self, solver: Algorithm[Any], state: Any) -> Metrics:
        gap = nash_conv_of(self.form, solver.strategy(state).probabilities)
        judged = {"exploitability": gap / len(self.form.seats), "nash_conv": gap}
        return judged | solver.measure(state, self.form)


@final
class CardJudge(Judge):
    """Winnings against random play on the same deals every time, in thousandths of a big blind per hand."""

    number: ClassVar[str] = "winnings"
    low_is_good: ClassVar[bool] = False
    growth: ClassVar[float] = 1.3  # judging by play takes as long as many steps
    arena: CardArena
    big_blind: float = eqx.field(static=True)

    def __call__(self, solver: Algorithm[Any], state: Any) -> Metrics:
        assert isinstance(solver, SelfPlay), "only those who play are let into large games"
        players = solver.policy(state), Uniform(self.arena)
        won = play_deals(self.arena, players, JUDGED_DEALS, jax.random.key(0)).mean(1) * (1000 / self.big_blind)
        measured = solver.measure(state, None)
        choosing = jax.random.fold_in(jax.random.key(1), measured["hands"])
        few = jax.random.choice(choosing, won, (FEW_DEALS,), replace=False)
        judged = {"winnings": won.mean(), "winnings_error": 1.96 * won.std() / JUDGED_DEALS**0.5}
        return judged | {"winnings_100": few.mean()} | measured


def judge_of(game: Playground) -> Judge:
    """Whoever can judge strategies for this game."""
    return TreeJudge(game.form) if isinstance(game, Tree) else CardJudge(build_card_arena(game), game.big_blind)
