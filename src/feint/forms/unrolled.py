"""Games unrolled whole: every strategy is a table, and judged exactly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np
from jaxtyping import Array, Float, Int

from feint.arena.betting import BettingTree, unroll_betting
from feint.arena.policy import Policy, card_table
from feint.arena.situations import Listed, listed
from feint.arena.tables import TreeArena, build_arena
from feint.forms.form import Form, Gauge, Judged, Leak, Measured
from feint.forms.strategy import Strategy, tabulate
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.poker import Poker
from feint.tree.arrays import on_device
from feint.tree.best_response import judge_of, nash_conv_of
from feint.tree.move_values import move_values_of
from feint.tree.sequence_form import SequenceForm
from feint.tree.tree import Tree
from feint.tree.unroll import is_unrolled, unroll


@final
class ExactGauge(Gauge):
    """Exact exploitability."""

    number: ClassVar[str] = "exploitability"
    low_is_good: ClassVar[bool] = True
    growth: ClassVar[float] = 1.1
    form: SequenceForm
    players: Int[Array, " i"]

    def __call__(self, strategy: Strategy, hands: Int[Array, ""]) -> Measured:
        gap = nash_conv_of(self.form, strategy.everywhere(self.players))
        return {"exploitability": gap / len(self.form.sides), "nash_conv": gap}

    @property
    def sequence_form(self) -> SequenceForm:
        return self.form


@final
class TreeForm(Form):
    """A game as a tree."""

    order: ClassVar[int] = 0
    exact: ClassVar[bool] = True
    judges: tuple[str, ...] = ("exploitability",)

    def __init__(self, tree: Tree) -> None:
        self.tree: Tree = tree
        self.game, self.players, self.actions = tree.game, tree.players, tree.actions
        self.size = f"{len(tree.player):,} information sets"
        self.largest = float(np.abs(tree.payoff).max()) or 1.0

    @classmethod
    def of(cls, game: Game[Any], report: Callable[[int], None] | None) -> TreeForm | None:
        return cls(unroll(game, report=report)) if is_unrolled(game) else None

    @property
    def fingerprint(self) -> str:
        return self.tree.fingerprint

    @property
    def zero_sum(self) -> bool:
        return self.tree.zero_sum

    @cached_property
    def arena(self) -> TreeArena:
        return build_arena(self.tree)

    def situations(self, player: int, encoding: str) -> Listed:
        if player not in self.tree.player:
            raise BadInput(
                f"Player {player + 1} of {self.name} never decides anything, so it cannot learn by play; "
                f"use a solver such as cfr+, or leave that player out of the rules."
            )
        return listed(self.tree, player, encoding)

    def gauge(self, written: bool, alike: bool = False) -> ExactGauge:
        return ExactGauge(self.tree.form, on_device(self.tree.player))

    def sees(self, player: int, view: Hashable) -> Int[Array, "1"]:
        return on_device([self._number[player, view]])

    @cached_property
    def _number(self) -> dict[tuple[int, Hashable], int]:
        keys = zip(self.tree.player.tolist(), self.tree.views, strict=True)
        return {key: number for number, key in enumerate(keys)}

    def by_cards(self, strategy: Strategy) -> tuple[BettingTree, Policy] | None:
        if not isinstance(self.game, Poker):
            return None
        betting = unroll_betting(self.game)
        return betting, card_table(self.tree, betting, tabulate(self.tree, strategy))

    def judged(self, strategy: Strategy, leaks: int) -> Judged:
        judgement = judge_of(self.tree).judged(tabulate(self.tree, strategy))
        gains = np.asarray(judgement.gains)
        worst = [row for row in (-gains).argsort(kind="stable")[:leaks].tolist() if gains[row] > 0]
        told = (Leak(float(gains[row]), int(self.tree.player[row]), self.tree.labels[row]) for row in worst)
        return Judged(np.asarray(judgement.values), np.asarray(judgement.best_values), tuple(told))

    def nash_conv(self, strategy: Strategy) -> float:
        return judge_of(self.tree).nash_conv(tabulate(self.tree, strategy))  # compiled in half the time of all else

    def values(self, strategies: Sequence[Strategy]) -> Float[np.ndarray, " p"]:
        table = np.zeros(self.tree.legal.shape)
        for player, strategy in enumerate(strategies):
            mine = self.tree.player == player
            table[mine] = tabulate(self.tree, strategy)[mine]
        return np.asarray(judge_of(self.tree).judged(table).values)

    def move_values(self, strategy: Strategy) -> Callable[[Int[Array, "1"]], Float[np.ndarray, " a"]]:
        values = move_values_of(self.tree, tabulate(self.tree, strategy))
        return lambda infostate: np.asarray(values[int(infostate[0])])


FORMS = (TreeForm,)
