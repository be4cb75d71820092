"""OpenSpiel's bots at our tables, in OpenSpiel's games and in those of ours that it has too.

A bot is asked with a state, and a state tells all cards. So it is given one that may be: drawn, as likely as chance
makes it, from all that agree with what its seat sees. Of what others do it learns from that state's history.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from feint.forms.form import Form
from feint.games.errors import BadInput, nearest
from feint.games.game import Game
from feint.games.twins import Twin, twin_name, twin_of
from feint.players.player import Observation, Player, PlayerConfig

SEARCH = "ismcts"
"""Information-set Monte Carlo tree search, which OpenSpiel has but does not list."""


@final
class BotPlayer(Player):
    """A bot of OpenSpiel's. `make` gives one for each seat."""

    def __init__(self, twin: Twin, make: Callable[[int], Any], seed: int | None = None) -> None:
        self._twin, self._make, self._bots = twin, make, dict[int, Any]()
        self._random = np.random.default_rng(seed)

    def begin(self, player: int, told: str) -> None:
        if player not in self._bots:
            self._bots[player] = self._make(player)
        self._bots[player].restart()

    def move(self, seen: Observation) -> int:
        here = self._twin.situations[seen.player, seen.view]
        chances = np.array([chance for chance, _ in here.histories])
        _, history = here.histories[int(self._random.choice(len(chances), p=chances / chances.sum()))]
        state = self._twin.source.new_initial_state()
        for action in history:
            state.apply_action(action)
        if seen.player not in self._bots:  # asked about one spot
            self.begin(seen.player, "")
        made = self._bots[seen.player].step(state)
        return next(move for move, action in here.moves.items() if action == made)


@final
@dataclass(frozen=True)
class OpenSpielBot(PlayerConfig):
    """A bot by the name that OpenSpiel has for it."""

    about: ClassVar[str] = "One of OpenSpiel's bots, in its games and in Kuhn and Leduc; ismcts searches."
    thinks: ClassVar[bool] = True
    bot: str = "uniform_random"
    """Which one: ismcts, or another that OpenSpiel has registered."""
    simulations: int = 100
    """How many hands ismcts plays out before each move."""

    @property
    def called(self) -> str:
        return f"open-spiel-{self.bot}"

    def check(self, game: Game[Any]) -> None:
        twin_name(game)

    def at(self, form: Form, seed: int | None) -> BotPlayer:
        try:
            import pyspiel
        except ImportError as error:
            raise BadInput(
                "The player open-spiel needs OpenSpiel, which is not installed; run: pip install 'feint[open-spiel]'."
            ) from error
        known = [SEARCH, *pyspiel.registered_bots()]
        if self.bot not in known:
            raise BadInput(f"OpenSpiel has no bot called {self.bot!r}; {nearest(self.bot, known)}")
        if self.simulations < 1:
            raise BadInput(f"ismcts plays out 1 hand or more, but simulations={self.simulations} was given.")
        twin = twin_of(form.game)
        source = np.random.default_rng(seed)

        def make(player: int) -> Any:
            luck = int(source.integers(2**31))
            if self.bot == SEARCH:
                leaves = pyspiel.RandomRolloutEvaluator(1, luck)
                return pyspiel.ISMCTSBot(luck, leaves, 2.0 * form.largest, self.simulations)
            if self.bot not in pyspiel.bots_that_can_play_game(twin.source, player):
                raise BadInput(f"OpenSpiel's {self.bot} does not play {form.name}; choose another bot.")
            seeded = {"seed": luck} if self.bot == "uniform_random" else {}
            return pyspiel.load_bot(self.bot, twin.source, player, seeded)

        return BotPlayer(twin, make, seed)


PLAYERS = {"open-spiel": OpenSpielBot()}
