"""Any sequential OpenSpiel game with perfect recall, by its OpenSpiel name: `open_spiel:liars_dice(numdice=1)`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, final

from feint.games.errors import BadInput, IllegalMove, nearest
from feint.games.game import CHANCE, TERMINAL, Game

PREFIX = "open_spiel:"


@final
class OpenSpielGame(Game[Any]):
    """An OpenSpiel game under our rules' interface. States are OpenSpiel's own, never mutated."""

    def __init__(self, text: str) -> None:
        self.source = _load(text)
        self.name = PREFIX + str(self.source).removesuffix("()")
        self.about = f"{self.source.get_type().long_name}, as OpenSpiel plays it."
        self.players = self.source.num_players()
        self.actions = tuple(str(move) for move in range(self.source.num_distinct_actions()))
        self._tensor = self.source.get_type().provides_information_state_tensor

    def start(self) -> Any:
        return self.source.new_initial_state()

    def actor(self, state: Any) -> int:
        if state.is_terminal():
            return TERMINAL
        return CHANCE if state.is_chance_node() else int(state.current_player())

    def legal(self, state: Any) -> Sequence[int]:
        return list(state.legal_actions())

    def chance(self, state: Any) -> Sequence[tuple[float, Any]]:
        return [(chance, state.child(outcome)) for outcome, chance in state.chance_outcomes()]

    def play(self, state: Any, action: int) -> Any:
        if action not in state.legal_actions():
            raise IllegalMove(f"Move {action} is not legal here; the legal moves are {state.legal_actions()}.")
        return state.child(action)

    def view(self, state: Any, player: int) -> Hashable:
        return str(state.information_state_string(player))

    def label(self, state: Any, player: int) -> str:
        return " ".join(state.information_state_string(player).split())

    def spoken(self, state: Any, action: int) -> str:
        return " ".join(state.action_to_string(state.current_player(), action).split())

    def features(self, state: Any, player: int) -> Sequence[float] | None:
        return list(state.information_state_tensor(player)) if self._tensor else None

    def payoffs(self, state: Any) -> Sequence[float]:
        return list(state.returns())

    def declaration(self) -> str:
        from importlib.metadata import version

        return f"{self.name} in OpenSpiel {version('open_spiel')}"


def _load(text: str) -> Any:
    """OpenSpiel's game, or a sentence about why it cannot be used here."""
    try:
        import pyspiel
    except ImportError as error:
        raise BadInput(
            f"{PREFIX}{text} needs OpenSpiel, which is not installed; run: pip install 'feint[open-spiel]'."
        ) from error
    name = text.partition("(")[0]
    known = pyspiel.registered_names()
    if name not in known:
        raise BadInput(f"OpenSpiel has no game called {name!r}; {nearest(name, known)}")
    try:
        game = pyspiel.load_game(text)
    except pyspiel.SpielError as error:
        first = str(error).strip().splitlines()[0]
        raise BadInput(f"OpenSpiel cannot load {text!r} ({first}); check its parameters.") from error
    kind = game.get_type()
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise BadInput(
            f"{PREFIX}{text} has simultaneous moves, which Feint does not take; "
            f"use {PREFIX}turn_based_simultaneous_game(game={text if '(' in text else text + '()'})."
        )
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise BadInput(f"{PREFIX}{text} samples its chance moves, so it cannot be unrolled; choose another game.")
    if not kind.provides_information_state_string:
        raise BadInput(f"{PREFIX}{text} does not say what its players know, so it cannot be solved; choose another.")
    return game
