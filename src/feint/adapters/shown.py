"""What environments show of a game: numbers for a network, and which moves may be made.

One table walks the rules again and again, and what they said of a state is not asked twice: a `Place` is a state with
all that was asked of it. Places are kept where they were come to, so that a game grows a tree of them as it is walked,
and after some hands a move is a few look-ups. Of games with more nodes than would be met again nothing is kept, and the
rules are asked every time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Hashable
from itertools import accumulate
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
MOST = 50_000
"""Places that are kept."""


def versioned(game: str) -> str:
    """What the environment of a game is called, in letters, digits and underscores."""
    return f"feint_{re.sub(r'[^A-Za-z0-9]+', '_', game).strip('_')}_v{VERSION}"


def after_chance(game: Game[Any], state: Any, chance: Chance) -> Any:
    """The state after all that chance does next, by the rules alone."""
    while game.actor(state) == CHANCE:
        state = game.outcome(state, float(chance.random()))
    return state


@final
class Shown:
    """What is shown of one game: the rules' own features, or where they give none one indicator for each situation."""

    def __init__(self, game: Game[Any]) -> None:
        self.game, self.moves, size = game, len(game.actions), game.unrolled_size()
        self._left = MOST if size is None or size[0] <= MOST else 0
        self._root = Place(self, game.start())
        self._number: dict[tuple[int, Hashable], int] | None = None
        first = self.dealt(np.random.default_rng(0))
        given = game.features(first.state, first.actor)
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

    def begun(self, chance: Chance) -> Place:
        """A new hand, where somebody is to move or it is over with the deal."""
        return self._root.settled(chance)

    def dealt(self, chance: Chance) -> Place:
        """A new hand in which somebody is to move: those that end with the deal are dealt again, as the arena does."""
        for _ in range(UNDECIDED):
            place = self.begun(chance)
            if place.actor != TERMINAL:
                return place
        raise BadInput(f"{self.game.name} has no decisions to play; choose another game.")

    @property
    def keeps(self) -> bool:
        """Whether there is room for more places."""
        return self._left > 0

    def new(self, state: Any) -> Place:
        """A place that was not come to before."""
        self._left -= 1
        return Place(self, state)

    def features(self, place: Place, player: int) -> Float[np.ndarray, " f"]:
        """What a player sees at a place."""
        if self._number is None:
            return np.asarray(self.game.features(place.state, player), np.float32)
        shown = np.zeros(self.size, np.float32)
        if place.actor == player:
            shown[self._number[player, place.view(player)]] = 1.0
        return shown

    def mask(self, place: Place, player: int) -> Int8[np.ndarray, " a"]:
        """1 for the moves that a player may make there: none where another is to move."""
        allowed = np.zeros(self.moves, np.int8)
        if place.actor == player:
            allowed[list(self.game.legal(place.state))] = 1
        return allowed


@final
class Place:
    """A state, and what the rules said of it."""

    __slots__ = ("_after", "_ends", "_features", "_masks", "_outcomes", "_shown", "_views", "_won", "actor", "state")

    def __init__(self, shown: Shown, state: Any) -> None:
        self._shown, self.state, self.actor = shown, state, shown.game.actor(state)
        self._after: dict[int, Place] = {}
        self._outcomes: list[Any] | None = None
        self._ends: list[float] = []
        self._won: tuple[float, ...] | None = None
        self._views: dict[int, Hashable] = {}
        self._features: dict[int, Float[np.ndarray, " f"]] = {}
        self._masks: dict[int, Int8[np.ndarray, " a"]] = {}

    def after(self, move: int, chance: Chance) -> Place:
        """Where a move of the actor's leads, once chance has done all that it does then."""
        found = self._after.get(move) or self._kept(move, self._shown.game.play(self.state, move))
        return found.settled(chance)

    def settled(self, chance: Chance) -> Place:
        """Where all that chance does next leads; here, if that is nothing."""
        place = self
        while place.actor == CHANCE:
            place = place._turned(float(chance.random()))
        return place

    def view(self, player: int) -> Hashable:
        """All that a player knows."""
        if player not in self._views:
            self._views[player] = self._shown.game.view(self.state, player)
        return self._views[player]

    def features(self, player: int) -> Float[np.ndarray, " f"]:
        """What a player sees, in numbers."""
        if player not in self._features:
            self._features[player] = self._shown.features(self, player)
        return self._features[player].copy()  # whoever learns from it may write into it

    def mask(self, player: int) -> Int8[np.ndarray, " a"]:
        """1 for the moves that a player may make now."""
        if player not in self._masks:
            self._masks[player] = self._shown.mask(self, player)
        return self._masks[player].copy()

    @property
    def won(self) -> tuple[float, ...]:
        """What each player won, in chips, once it is over."""
        if self._won is None:
            self._won = tuple(map(float, self._shown.game.payoffs(self.state)))
        return self._won

    def _turned(self, luck: float) -> Place:
        """Where chance leads that falls at `luck`, as `Game.outcome` has it."""
        if self._outcomes is None:
            if not self._shown.keeps:
                return self._shown.new(self._shown.game.outcome(self.state, luck))
            outcomes = self._shown.game.chance(self.state)
            self._outcomes = [state for _, state in outcomes]
            self._ends = list(accumulate(likely for likely, _ in outcomes))
        number = bisect_right(self._ends, luck * self._ends[-1], hi=len(self._ends) - 1)
        return self._after.get(number) or self._kept(number, self._outcomes[number])

    def _kept(self, number: int, state: Any) -> Place:
        place = self._shown.new(state)
        if self._shown.keeps:
            self._after[number] = place
        return place
