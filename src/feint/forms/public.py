"""Card games for two too large to unroll whole, but not their public trees: played like larger ones, judged exactly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache, cached_property
from math import factorial
from typing import Any, ClassVar, final

import numpy as np
from jaxtyping import Array, Float, Int

from feint.arena.arena import for_device
from feint.arena.betting import BettingTree, unroll_betting
from feint.arena.cards import CardArena, Seen
from feint.arena.policy import Policy
from feint.arena.situations import Shown
from feint.forms.dealt import CardForm
from feint.forms.form import Form, Gauge, Judged, Leak, Measured
from feint.forms.public_strategy import PublicStrategy
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.hand import Hand
from feint.games.poker import Poker
from feint.public.build import build_public_tree
from feint.public.judge import Judgement, judge, values_of
from feint.public.leaks import Leaks, leaks_of
from feint.public.play import Tables
from feint.public.policy import written_down
from feint.public.room import LARGEST, lacking, room
from feint.public.start import for_such, start_of
from feint.public.tree import PublicSize, PublicTree
from feint.tree.compiled import compiled
from feint.tree.memory import gigabytes

QUICK = {"cpu": 1 << 22, "gpu": 1 << 29}
"""Where fewer situations are to be asked about, networks are judged exactly while they learn."""


@final
class PublicGauge(Gauge):
    """Exact exploitability."""

    number: ClassVar[str] = "exploitability"
    low_is_good: ClassVar[bool] = True
    growth: ClassVar[float] = 1.3
    tree: PublicTree

    def __call__(self, strategy: Strategy, hands: Int[Array, ""]) -> Measured:
        gap = judge(self.tree, _tables(self.tree, strategy)).nash_conv
        return {"exploitability": gap / 2, "nash_conv": gap}


def _tables(tree: PublicTree, strategy: Strategy) -> Tables:
    """What is done on a tree: as it is written down, where that is for the boards of this one."""
    if isinstance(strategy, PublicStrategy) and strategy.tree.renamings.shape == tree.renamings.shape:
        return strategy.weights
    return written_down(tree, strategy.policy)


@final
class PublicForm(Form):
    """A poker game for two by its public tree."""

    order: ClassVar[int] = 5
    exact: ClassVar[bool] = True
    has_public: ClassVar[bool] = True
    judges: tuple[str, ...] = ("exploitability",)

    def __init__(self, betting: BettingTree, size: PublicSize) -> None:
        self.betting, self._played = betting, CardForm(betting)
        self._made: dict[bool, PublicTree] = {}
        self._fitting = set[bool]()
        self.game: Poker = betting.game
        self.players, self.actions = betting.players, betting.actions
        self.largest, self.forfeit = self._played.largest, self._played.forfeit
        sets = f"{size.infosets:,} information sets up to suits ({gigabytes(room(size))} to solve)"
        self.size = f"{size.public:,} public decisions and {sets}"

    @classmethod
    def of(cls, game: Game[Any], report: Callable[[int], None] | None) -> PublicForm | None:
        if not isinstance(game, Poker) or not for_such(game):
            return None
        if game.size.infosets > LARGEST * factorial(game.deck.copies):
            return None  # renaming suits makes no more than so many into one
        size = start_of(game).size
        return cls(unroll_betting(game), size) if sum(size.cells) <= LARGEST else None

    @property
    def fingerprint(self) -> str:
        return self.betting.fingerprint

    @property
    def zero_sum(self) -> bool:
        return self._played.zero_sum

    @property
    def arena(self) -> CardArena:
        return self._played.arena

    def situations(self, player: int, encoding: str) -> Shown:
        return self._played.situations(player, encoding)

    def gauged_exactly(self, written: bool, alike: bool = False) -> bool:
        return written or (self._sized(alike).infosets < for_device(QUICK) and self._fits(alike))

    def gauge(self, written: bool, alike: bool = False) -> Gauge:
        if self.gauged_exactly(written, alike):
            return PublicGauge(self.public(written or alike))
        return self._played.gauge(written)

    def sees(self, player: int, view: Hashable) -> Seen:
        return self._played.sees(player, view)

    def by_cards(self, strategy: Strategy) -> tuple[BettingTree, Policy]:
        return self._played.by_cards(strategy)

    def public(self, symmetric: bool = True) -> PublicTree:
        if symmetric not in self._made:
            self._made[symmetric] = build_public_tree(self.betting.game, symmetric=symmetric)
        return self._made[symmetric]

    @cached_property
    def _sized(self) -> Callable[[bool], PublicSize]:
        return cache(lambda symmetric: start_of(self.betting.game, symmetric=symmetric).size)

    def judged(self, strategy: Strategy, leaks: int) -> Judged | None:
        tree = self._for(strategy)
        if tree is None:
            return None
        if not leaks:
            values, best = _judge(tree, strategy)
            return Judged(np.asarray(values), np.asarray(best), (), ())
        values, found = _judge_leaks(tree, strategy, leaks)
        worst, betting = self._worst(tree, found), self._by_betting(found, leaks)
        alike = self.game.deck.suits and len(tree.renamings) > 1
        return Judged(np.asarray(values), np.asarray(found.best), worst, betting, alike)

    def _worst(self, tree: PublicTree, found: Leaks) -> tuple[Leak, ...]:
        return tuple(
            Leak(gain, int(self.betting.actor[node]), self._told(tree, node, board, hand))
            for gain, node, board, hand in zip(*(np.asarray(each).tolist() for each in found.worst), strict=True)
            if gain > 0
        )

    def _told(self, tree: PublicTree, node: int, board: int, hand: int) -> str:
        """What a player sees at a betting decision, in the words of the rules."""
        deck, actor = self.game.deck, int(self.betting.actor[node])
        every = np.asarray(tree.held[hand]), np.asarray(tree.rounds[self.betting.round[node]].cards[board])
        held, shown = (tuple((cards if deck.suits else cards // deck.copies).tolist()) for cards in every)
        seen = Hand(0, (held, held), shown, self.betting.moves[node], (), (), actor, 0, 0)
        return self.game.label(seen, actor)

    def _by_betting(self, found: Leaks, leaks: int) -> tuple[Leak, ...]:
        gains, labels = np.asarray(found.betting), self.betting.labels
        worst = (-gains).argsort(kind="stable")[:leaks].tolist()
        return tuple(
            Leak(float(gains[node]), int(self.betting.actor[node]), labels[node] or "the first decision")
            for node in worst
        )

    def values(self, strategies: Sequence[Strategy]) -> Float[np.ndarray, " p"] | None:
        if not all(isinstance(strategy, PublicStrategy) for strategy in strategies):
            return None  # networks can be asked about everything, but that takes longer than a match
        first, second = strategies
        alike = first.policy.symmetric and second.policy.symmetric
        return np.asarray(_values(self.public(alike), first, second)) if self._fits(alike) else None

    def _for(self, strategy: Strategy) -> PublicTree | None:
        """The tree on which a strategy can be judged: where it may see suits, all boards are told apart.

        None where that takes more memory than there is.
        """
        if strategy.fingerprint != self.fingerprint:
            raise BadInput(f"This strategy is for another game than {self.name}; give the game that it was trained on.")
        if isinstance(strategy, PublicStrategy):
            return strategy.tree
        alike = strategy.policy.symmetric
        return self.public(alike) if self._fits(alike) else None

    def _fits(self, alike: bool) -> bool:
        """Whether there is room for the tree, or was when that was asked before: who asked then goes by the answer."""
        size = self._sized(alike)
        if alike not in self._fitting and sum(size.cells) <= LARGEST and lacking(size) is None:
            self._fitting.add(alike)
        return alike in self._fitting or alike in self._made


@compiled
def _judge(tree: PublicTree, strategy: Strategy) -> Judgement:
    return judge(tree, _tables(tree, strategy))


@compiled
def _judge_leaks(tree: PublicTree, strategy: Strategy, leaks: int) -> tuple[Float[Array, "2"], Leaks]:
    tables = _tables(tree, strategy)
    return values_of(tree, tables), leaks_of(tree, tables, leaks)


@compiled
def _values(tree: PublicTree, first: Strategy, second: Strategy) -> Float[Array, "2"]:
    both = [_tables(tree, strategy) for strategy in (first, second)]
    tables = tuple(
        tuple(both[decision.actor][number][decision.number] for decision in stage.betting.decisions)
        for number, stage in enumerate(tree.rounds)
    )
    return values_of(tree, tables)


FORMS = (PublicForm,)
