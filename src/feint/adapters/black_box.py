"""A hand of poker as a black box, with the two functions of Listing 1 in Joos's thesis (2018).

    box = BlackBox("leduc_thesis", seed=1)
    box.reset(dealer=0)
    s, a, r, s_1, t = box.get_state(0)      # the last own decision, the move, the reward, what is seen now, the end
    box.step([0.1, 0.7, 0.2], 0)            # the likeliest move of three, or its number

Players are told what is theirs to know and nothing of the rules. Before a player's first move in a hand the state and
the move are zeros. The thesis's training loop asks players to move whose turn it is not: who asks out of turn is told
again what it was told last, and its move is passed over. A move that is not legal is played as a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float

from feint.adapters.shown import after_chance
from feint.games.errors import BadInput
from feint.games.game import TERMINAL
from feint.games.library import load_game
from feint.games.poker import CALL, Hand, Poker


class Transition(NamedTuple):
    """What a player is told when it asks for the state."""

    state: Float[np.ndarray, " f"]
    """What it saw at its last decision of this hand …"""
    action: Float[np.ndarray, " a"]
    """… and the move it asked for then, 1 of k."""
    reward: float
    """What it won, in chips, once the hand is over; 0 before."""
    next_state: Float[np.ndarray, " f"]
    """What it sees now."""
    end: bool


@final
class BlackBox:
    """A table of poker, one hand at a time."""

    def __init__(self, game: str | Poker = "leduc_thesis", seed: int | None = None) -> None:
        rules = load_game(game) if isinstance(game, str) else game
        if not isinstance(rules, Poker):
            raise BadInput(f"A black box is a table of poker with a dealer, but {rules.name} was given; choose leduc.")
        self.rules, self._chance = rules, np.random.default_rng(seed)
        self._hand: Hand | None = None
        self._decided: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._told: dict[int, Transition] = {}

    def reset(self, dealer: int) -> None:
        """Deal a new hand; the dealer's seat is the first."""
        if not 0 <= dealer < self.rules.players:
            raise BadInput(f"The dealer is one of the players from 0 on, but {dealer} was given; choose one of them.")
        self._hand = after_chance(self.rules, self.rules.seat(dealer), self._chance)
        self._decided, self._told = {}, {}

    @property
    def round_index(self) -> int:
        """The round of betting, from 0 on."""
        return len(self._dealt.moves) - 1

    def get_state(self, index: int) -> Transition:
        """A player's last decision and what has come of it so far."""
        hand = self._dealt
        over = self.rules.actor(hand) == TERMINAL
        if over or self.rules.actor(hand) == index or index not in self._told:
            seen = np.asarray(self.rules.features(hand, index), np.float32)
            blank = np.zeros_like(seen), np.zeros(len(self.rules.actions), np.float32)
            won = float(self.rules.payoffs(hand)[index]) if over else 0.0
            self._told[index] = Transition(*self._decided.get(index, blank), won, seen, over)
        return self._told[index]

    def step(self, action: int | Sequence[float] | Float[np.ndarray, " a"], index: int) -> None:
        """Make a player's move: a number, or one number for each move of which the largest counts."""
        hand = self._dealt
        if self.rules.actor(hand) != index:
            return
        count = len(self.rules.actions)
        told = np.asarray(action).ravel()
        wished = int(told[0]) if told.size == 1 else int(np.argmax(told)) if told.size == count else -1
        if not 0 <= wished < count:
            raise BadInput(f"A move is a number below {count}, or {count} numbers, but {action} was given.")
        seen = np.asarray(self.rules.features(hand, index), np.float32)
        self._decided[index] = seen, np.eye(count, dtype=np.float32)[wished]
        move = wished if wished in self.rules.legal(hand) else CALL
        self._hand = after_chance(self.rules, self.rules.play(hand, move), self._chance)

    @property
    def _dealt(self) -> Hand:
        if self._hand is None:
            raise BadInput("No hand has been dealt yet; call reset first.")
        return self._hand
