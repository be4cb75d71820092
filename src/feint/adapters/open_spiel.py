"""OpenSpiel both ways: strategies as its policies and back, players as its bots and back.

    from feint.adapters.open_spiel import to_open_spiel
    policy = to_open_spiel(run.strategy, "leduc")        # open_spiel.python.policy.TabularPolicy

Our games go by what OpenSpiel calls them (feint.games.twins); an imported game, `open_spiel:NAME`, is its own twin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import numpy as np
from jaxtyping import ArrayLike

from feint.forms.form import Form
from feint.forms.library import form_of
from feint.forms.strategy import Strategy, TabularStrategy, tabulate
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.twins import Twin, twin_of
from feint.players.open_spiel_bots import BotPlayer
from feint.players.player import Player, StrategyPlayer
from feint.players.table import observation
from feint.tree.tree import Tree

try:
    import pyspiel
    from open_spiel.python.policy import Policy, TabularPolicy
except ImportError as error:
    raise BadInput(
        "OpenSpiel's policies and bots need OpenSpiel, which is not installed; run: pip install 'feint[open-spiel]'."
    ) from error


@final
class Translator:
    """A game in both languages: make one where more than one strategy is to be translated."""

    def __init__(self, game: Game[Any] | str, name: str | None = None) -> None:
        """`name` is what OpenSpiel calls a game of your own, where it has the same."""
        self.form: Form = form_of(game)
        self.tree: Tree = self.form.whole("Translating strategies")
        self.twin: Twin = twin_of(self.form.game, name)
        moves = [self.form.game.actions.index(action) for action in self.tree.actions]
        self._cells = list[tuple[int, int, str, int]]()
        for row, (player, view) in enumerate(zip(self.tree.player.tolist(), self.tree.views, strict=True)):
            here = self.twin.situations[player, view]
            for column in np.flatnonzero(self.tree.legal[row]).tolist():
                self._cells.append((row, column, here.name, here.moves[moves[column]]))
        self._uniform = TabularPolicy(self.twin.source)

    def policy(self, strategy: Strategy | ArrayLike) -> TabularPolicy:
        """A strategy, or a table of one, as OpenSpiel's policy."""
        table, policy = tabulate(self.tree, strategy), self._uniform.__copy__()
        for row, column, name, action in self._cells:
            policy.policy_for_key(name)[action] = table[row, column]
        return policy

    def strategy(self, policy: Policy) -> TabularStrategy:
        """A policy of OpenSpiel's as a strategy, which can be judged and played like any other."""
        told: dict[tuple[int, str], dict[int, float]] = {}
        table = np.zeros(self.tree.legal.shape)
        for row, column, name, action in self._cells:
            player = int(self.tree.player[row])
            if (player, name) not in told:
                told[player, name] = policy.action_probabilities(self._state(player, name), player)
            table[row, column] = told[player, name].get(action, 0.0)
        return TabularStrategy(self.tree.fingerprint, tabulate(self.tree, table))

    def _state(self, player: int, name: str) -> Any:
        """One of OpenSpiel's states in which a player knows this."""
        state = self.twin.source.new_initial_state()
        for action in self.twin.named[player, name].histories[0][1]:
            state.apply_action(action)
        return state


def to_open_spiel(strategy: Strategy | ArrayLike, game: Game[Any] | str, name: str | None = None) -> TabularPolicy:
    """A strategy, or a table of one, as OpenSpiel's `TabularPolicy`; `name` is what OpenSpiel calls the game."""
    return Translator(game, name).policy(strategy)


def from_open_spiel(policy: Policy, game: Game[Any] | str, name: str | None = None) -> TabularStrategy:
    """A policy of OpenSpiel's as a strategy."""
    return Translator(game, name).strategy(policy)


def policy_player(policy: Policy, game: Game[Any] | str, seed: int | None = None) -> StrategyPlayer:
    """A policy of OpenSpiel's as a player: it can be matched, judged and asked."""
    translator = Translator(game)
    return StrategyPlayer(translator.strategy(policy), translator.form, seed)


def bot_player(make: Callable[[int], Any], game: Game[Any] | str, seed: int | None = None) -> BotPlayer:
    """A bot of OpenSpiel's as a player; `make` gives one for each seat. By name, that is the player `open-spiel`."""
    return BotPlayer(twin_of(form_of(game).game), make, seed)


@final
class PlayerBot(pyspiel.Bot):  # type: ignore[misc]  # OpenSpiel has no types
    """A player of ours as OpenSpiel's bot in one seat. It sees what its seat sees, whatever the state tells."""

    def __init__(self, player: Player, twin: Twin, seat: int) -> None:
        pyspiel.Bot.__init__(self)
        self._player, self._twin, self._seat = player, twin, seat
        self._begun = False

    def restart(self) -> None:
        """A new hand begins."""
        self._begun = False

    def restart_at(self, state: Any) -> None:
        """A new hand begins."""
        self._begun = False

    def step(self, state: Any) -> int:
        """The move that the player makes."""
        here = self._twin.named[self._seat, state.information_state_string(self._seat)]
        seen = observation(self._twin.game, here.state, self._seat)
        self._begin(here.state)
        self._player.saw(seen)
        return here.moves[self._player.move(seen)]

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Another player made a move, which is told where everyone sees moves."""
        if player_id < 0 or player_id == self._seat or not self._twin.game.open_moves:
            return
        here = self._twin.named[player_id, state.information_state_string(player_id)]
        made = next(move for move, number in here.moves.items() if number == action)
        self._begin(here.state)
        self._player.heard(player_id, self._twin.game.spoken(here.state, made))

    def _begin(self, state: Any) -> None:
        if not self._begun:
            self._begun = True
            self._player.begin(self._seat, self._twin.game.seated(state, self._seat))


def as_bots(player: Player, game: Game[Any] | str, name: str | None = None) -> list[PlayerBot]:
    """A player of ours as OpenSpiel's bot, one for each seat; `name` is what OpenSpiel calls the game."""
    twin = twin_of(form_of(game).game, name)
    return [PlayerBot(player, twin, seat) for seat in range(twin.game.players)]
