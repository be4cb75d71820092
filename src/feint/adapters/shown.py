"""What environments show of a game: numbers for a network, and which moves may be made."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any, final

import numpy as np
from jaxtyping import Float, Int8

from feint.forms.library import form_of
from feint.games.errors import BadInput
from feint.games.game import CHANCE, TERMINAL, Game
from feint.games.poker import Poker
from feint.players.table import Chance

VERSION = 0
"""Of what environments show and pay: it grows whenever results with an older one would no longer compare."""
UNDECIDED = 10_000
"""So many hands in a row in which nobody decides anything are taken to mean that nobody ever does."""


def versioned(game: str) -> str:
    """What the environment of a game is called, in letters, digits and underscores."""
    return f"feint_{re.sub(r'[^A-Za-z0-9]+', '_', game).strip('_')}_v{VERSION}"


@final
class Shown:
    """What is shown of one game: the rules' own features, or where they give none one indicator for each situation."""

    def __init__(self, game: Game[Any]) -> None:
        self.game, self.moves = game, len(game.actions)
        first = dealt(game, np.random.default_rng(0))
        given = game.features(first, game.actor(first))
        self._number: dict[tuple[int, Hashable], int] | None = None
        if given is None:
            tree = form_of(game).whole("An environment of rules without features")
            self._number = {key: row for row, key in enumerate(zip(tree.player.tolist(), tree.views, strict=True))}
        self.size = len(given) if given is not None else len(self._number or ())

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which numbers features lie, as far as that is known."""
        if isinstance(self.game, Poker):  # cards of one kind that came in one round are counted
            return 0.0, float(max(self.game.hole, *(declared.board for declared in self.game.rounds)))
        return (0.0, 1.0) if self._number is not None else (-np.inf, np.inf)

    def features(self, state: Any, player: int) -> Float[np.ndarray, " f"]:
        """What a player sees of a state."""
        if self._number is None:
            return np.asarray(self.game.features(state, player), np.float32)
        shown = np.zeros(self.size, np.float32)
        if self.game.actor(state) == player:
            shown[self._number[player, self.game.view(state, player)]] = 1.0
        return shown

    def mask(self, state: Any, player: int) -> Int8[np.ndarray, " a"]:
        """1 for the moves that a player may make now: none where another is to move."""
        allowed = np.zeros(self.moves, np.int8)
        if self.game.actor(state) == player:
            allowed[list(self.game.legal(state))] = 1
        return allowed


def after_chance(game: Game[Any], state: Any, chance: Chance) -> Any:
    """The state after all that chance does next."""
    while game.actor(state) == CHANCE:
        state = game.outcome(state, float(chance.random()))
    return state


def dealt(game: Game[Any], chance: Chance) -> Any:
    """A new hand in which somebody is to move: those that end with the deal are dealt again, as the arena does."""
    for _ in range(UNDECIDED):
        state = after_chance(game, game.start(), chance)
        if game.actor(state) != TERMINAL:
            return state
    raise BadInput(f"{game.name} has no decisions to play; choose another game.")
