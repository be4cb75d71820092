"""Card games too large to unroll: the betting as a tree, the cards as dealt. Strategies are played, and bounded."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, ClassVar, cast, final, get_args

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Int

from feint.arena.betting import BettingTree, unroll_betting
from feint.arena.cards import HIDDEN, CardArena, Encoding, Seen, build_card_arena
from feint.arena.hands import play_deals
from feint.arena.policy import Policy, Uniform
from feint.arena.situations import Shown
from feint.forms.form import Form, Gauge, Measured
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput, nearest
from feint.games.game import Game
from feint.games.poker import Poker
from feint.public.room import LARGEST, smaller, words
from feint.public.sampled import sampled_soon
from feint.public.start import for_such, start_of
from feint.tree.arrays import on_device

JUDGED_DEALS = 4096
"""Deals, each played from both seats, in an evaluation of a game too large to judge exactly."""
FEW_DEALS = 50
"""As many of them make a hundred hands, which is what some papers judge by; others every time, as theirs are."""


@final
class WinningsGauge(Gauge):
    """Winnings against random play on the same deals every time, in thousandths of a big blind per hand."""

    number: ClassVar[str] = "winnings"
    low_is_good: ClassVar[bool] = False
    growth: ClassVar[float] = 1.3  # judging by play takes as long as many steps
    arena: CardArena
    big_blind: float = eqx.field(static=True)

    def __call__(self, strategy: Strategy, hands: Int[Array, ""]) -> Measured:
        players = strategy.policy, Uniform(self.arena)
        won = play_deals(self.arena, players, JUDGED_DEALS, jax.random.key(0)).mean(1) * (1000 / self.big_blind)
        few = jax.random.choice(jax.random.fold_in(jax.random.key(1), hands), won, (FEW_DEALS,), replace=False)
        error = 1.96 * won.std() / JUDGED_DEALS**0.5
        return {"winnings": won.mean(), "winnings_error": error, "winnings_100": few.mean()}


@final
class CardForm(Form):
    """A poker game by its betting."""

    order: ClassVar[int] = 9
    exact: ClassVar[bool] = False

    def __init__(self, betting: BettingTree) -> None:
        self.betting = betting
        self.game, self.players, self.actions = betting.game, betting.players, betting.actions
        self.largest = float(betting.paid.max())
        posted = sum(betting.game.blinds) / betting.players + betting.game.ante
        self.forfeit = 1000 * posted / betting.big_blind
        self.size = f"{len(betting.actor):,} betting decisions for every deal of the cards"
        # A local best response has one opponent, who wins what it loses.
        bounded = ["local-best-response"] if betting.players == 2 and not betting.game.rake else []
        self.judges = "winnings", *(["sampled-boards"] if sampled_soon(betting) else bounded)
        if for_such(betting.game):
            self.smaller = f"{smaller(betting.game)}; {self.judges[-1]} judges what plays"

    @classmethod
    def of(cls, game: Game[Any], report: Callable[[int], None] | None) -> CardForm | None:
        return cls(unroll_betting(game)) if isinstance(game, Poker) else None

    @property
    def fingerprint(self) -> str:
        return self.betting.fingerprint

    @property
    def zero_sum(self) -> bool:
        return not self.betting.game.rake

    @cached_property
    def arena(self) -> CardArena:
        return build_card_arena(self.betting)

    @property
    def excess(self) -> str:
        game = self.betting.game
        if not for_such(game) or sum((size := start_of(game).size).cells) <= LARGEST:
            return super().excess
        return f"{super().excess}, and its public tree has {words(size)}, where {LARGEST:,} numbers are the most"

    def situations(self, player: int, encoding: str) -> Shown:
        if encoding not in get_args(Encoding):
            known = get_args(Encoding)
            raise BadInput(f"{self.name} has no encoding called {encoding!r}; {nearest(encoding, known)}")
        if encoding not in self._shown:
            self._shown[encoding] = Shown(build_card_arena(self.betting, cast("Encoding", encoding)))
        return self._shown[encoding]

    @cached_property
    def _shown(self) -> dict[str, Shown]:
        """By encoding. All players are faced with the same."""
        return {}

    def gauge(self, written: bool, alike: bool = False) -> WinningsGauge:
        return WinningsGauge(self.arena, self.betting.big_blind)

    def sees(self, player: int, view: Hashable) -> Seen:
        _, hole, board, moves = cast("Any", view)
        cards = np.full((1, len(self.arena.arrived)), HIDDEN, np.uint8)
        cards[0, : len(hole) + len(board)] = [*hole, *board]
        node = on_device([self._number[moves]], self.arena.node_type)
        return Seen(node, on_device(cards))

    def by_cards(self, strategy: Strategy) -> tuple[BettingTree, Policy]:
        return self.betting, strategy.policy

    @cached_property
    def _number(self) -> dict[tuple[tuple[int, ...], ...], int]:
        return {moves: number for number, moves in enumerate(self.betting.moves)}


FORMS = (CardForm,)
