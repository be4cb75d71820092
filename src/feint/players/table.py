"""One table, played by the rules one hand at a time: for people, for searches, and for whoever wants to look on.

Thousands of hands at once are the arena's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, final

import numpy as np

from feint.games.errors import IllegalMove
from feint.games.game import CHANCE, TERMINAL, Game
from feint.players.player import Observation, Player, Result


class Chance(Protocol):
    """Where luck comes from: NumPy's generators, Python's own, or the operating system's secrets."""

    def random(self) -> float:
        """A number from 0 to below 1."""


@final
class HandInPlay:
    """One hand at a table, move by move: dealt at once, over when `actor` is `TERMINAL`."""

    def __init__(self, rules: Game[Any], players: Sequence[Player], chance: Chance) -> None:
        self.rules, self._players, self._chance = rules, players, chance
        every = list(enumerate(players))
        self._everyone = [(n, player) for n, player in every if all(player is not each for _, each in every[:n])]
        """Each player once, with the first of its seats."""
        self.places: list[float] = []
        """All that chance has done, as `Game.outcome` takes it: with the moves, the whole hand."""
        self.made: list[tuple[int, int, str]] = []
        """Who made which move, and what it was called."""
        self._saw: dict[int, str] = {}
        self._state = self._dealt(rules.start())
        for number, player in enumerate(players):
            player.begin(number, rules.seated(self._state, number))
        self._views: dict[int, Any] = {}
        self._look()

    @property
    def actor(self) -> int:
        """Who is to move; `TERMINAL` when it is over."""
        return self.rules.actor(self._state)

    @property
    def won(self) -> tuple[float, ...]:
        """What each player won, in chips, once it is over."""
        return tuple(map(float, self.rules.payoffs(self._state)))

    def observation(self, player: int) -> Observation:
        """What a player may see now."""
        return observation(self.rules, self._state, player)

    @property
    def state(self) -> Any:
        """As the rules have it, for whoever holds the table; players are shown observations of it."""
        return self._state

    def step(self) -> None:
        """Ask whoever is to move, and go on."""
        self.make(self._players[self.actor].move(self.observation(self.actor)))

    def make(self, move: int) -> None:
        """Make a move for whoever is to move, and tell everyone what they may know of it."""
        rules, actor = self.rules, self.actor
        seen = self.observation(actor)
        word = next((word for word, number in seen.moves.items() if number == move), None)
        if word is None:
            raise IllegalMove(
                f"Player {actor + 1} made move {move}, but may make one of {seen.moves}; mend the player."
            )
        self.made.append((actor, move, word))
        self._saw[actor] = seen.label
        if rules.open_moves:
            for _, player in self._everyone:
                if player is not self._players[actor]:
                    player.heard(actor, word)
        self._state = self._dealt(rules.play(self._state, move))
        self._look()
        if self.actor == TERMINAL:
            made = tuple((who, word) for who, _, word in self.made)
            hidden = ((), {}) if rules.open_moves else (made, self._saw)
            for number, player in self._everyone:
                shown, revealed = rules.shown(self._state, number), rules.revealed(self._state)
                player.end(Result(self.won, shown, *hidden, revealed=revealed))

    def _look(self) -> None:
        """Show players what has changed for them."""
        before, self._views = self._views, {n: self.rules.view(self._state, n) for n in range(len(self._players))}
        for number, player in enumerate(self._players):
            if number not in before or before[number] != self._views[number]:
                player.saw(self.observation(number))

    def _dealt(self, state: Any) -> Any:
        """The state after all that chance does next."""
        while self.rules.actor(state) == CHANCE:
            self.places.append(float(self._chance.random()))
            state = self.rules.outcome(state, self.places[-1])
        return state


@final
class Table:
    """A game on a table, hand after hand."""

    def __init__(self, rules: Game[Any], seed: int | None = None) -> None:
        self.rules = rules
        self._random = np.random.default_rng(seed)

    def hand(self, players: Sequence[Player], seed: int | Sequence[int] | None = None) -> tuple[float, ...]:
        """Play a hand: what each player wins, in chips. The same seed deals the same cards to whoever sits there."""
        hand = HandInPlay(self.rules, players, self._random if seed is None else np.random.default_rng(seed))
        while hand.actor != TERMINAL:
            hand.step()
        return hand.won


def observation(rules: Game[Any], state: Any, player: int) -> Observation:
    """What a player may see of a state."""
    moves = dict[str, int]()
    if rules.actor(state) == player:
        legal = rules.legal(state)
        moves = {rules.spoken(state, move): move for move in legal}
        if len(moves) < len(legal):  # what is spoken alike cannot be told apart
            moves = {rules.actions[move]: move for move in legal}
    prices = {word: price for word, move in moves.items() if (price := rules.price(state, move)) is not None}
    return Observation(
        player=player,
        view=rules.view(state, player),
        label=rules.label(state, player),
        told=rules.told(state, player),
        upturned=rules.upturned(state),
        scene=rules.scene(state, player),
        moves=moves,
        going_on=rules.actor(state) != TERMINAL,
        prices=prices,
    )
