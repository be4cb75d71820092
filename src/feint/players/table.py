"""One table, played by the rules one hand at a time: for people, for searches, and for whoever wants to look on.

Thousands of hands at once are the arena's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from feint.games.errors import IllegalMove
from feint.games.game import CHANCE, TERMINAL, Game
from feint.players.player import Observation, Player, Result


@final
class Table:
    """A game on a table, and what each player may see of it."""

    def __init__(self, rules: Game[Any], seed: int | None = None) -> None:
        self.rules = rules
        self._random = np.random.default_rng(seed)

    def hand(self, players: Sequence[Player], seed: int | Sequence[int] | None = None) -> tuple[float, ...]:
        """Play a hand: what each player wins, in chips. The same seed deals the same cards to whoever sits there."""
        rules, random = self.rules, self._random if seed is None else np.random.default_rng(seed)
        state = self._dealt(rules.start(), random)
        for number, player in enumerate(players):
            player.begin(number, rules.seated(state, number))
        before, made, saw = self._look(players, state, {}), list[tuple[int, str]](), dict[int, str]()
        while (actor := rules.actor(state)) != TERMINAL:
            seen = self.observation(state, actor)
            move, word = _asked(players[actor], seen)
            made, saw = [*made, (actor, word)], saw | {actor: seen.label}
            if rules.open_moves:
                for number, player in enumerate(players):
                    if number != actor:
                        player.heard(actor, word)
            state = self._dealt(rules.play(state, move), random)
            before = self._look(players, state, before)
        won = tuple(map(float, rules.payoffs(state)))
        told = ((), {}) if rules.open_moves else (tuple(made), saw)
        for number, player in enumerate(players):
            player.end(Result(won, rules.shown(state, number), *told, revealed=rules.revealed(state)))
        return won

    def observation(self, state: Any, player: int) -> Observation:
        """What a player may see."""
        rules, moves = self.rules, dict[str, int]()
        if rules.actor(state) == player:
            legal = rules.legal(state)
            moves = {rules.spoken(state, move): move for move in legal}
            if len(moves) < len(legal):  # what is spoken alike cannot be told apart
                moves = {rules.actions[move]: move for move in legal}
        return Observation(
            player=player,
            view=rules.view(state, player),
            label=rules.label(state, player),
            told=rules.told(state, player),
            upturned=rules.upturned(state),
            moves=moves,
            going_on=rules.actor(state) != TERMINAL,
        )

    def _look(self, players: Sequence[Player], state: Any, before: dict[int, Any]) -> dict[int, Any]:
        """Show players what has changed for them; what each of them knows now."""
        after = {number: self.rules.view(state, number) for number in range(len(players))}
        for number, player in enumerate(players):
            if number not in before or before[number] != after[number]:
                player.saw(self.observation(state, number))
        return after

    def _dealt(self, state: Any, random: np.random.Generator) -> Any:
        """The state after all that chance does next."""
        while self.rules.actor(state) == CHANCE:
            state = self.rules.outcome(state, random.random())
        return state


def _asked(player: Player, seen: Observation) -> tuple[int, str]:
    """A player's move, and what it is called."""
    move = player.move(seen)
    for word, number in seen.moves.items():
        if number == move:
            return move, word
    raise IllegalMove(f"Player {seen.player + 1} made move {move}, but may make one of {seen.moves}; mend the player.")
