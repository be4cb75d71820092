"""Players that need no training and that everybody should beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from feint.arena.policy import Always, Uniform
from feint.forms.form import Form
from feint.forms.strategy import PolicyStrategy
from feint.games.errors import BadInput, nearest
from feint.games.game import Game
from feint.players.player import PlayerConfig, StrategyPlayer


@final
@dataclass(frozen=True)
class Random(PlayerConfig):
    """Every legal move equally often."""

    about: ClassVar[str] = "Moves at random, every legal one equally often."

    def at(self, form: Form, seed: int | None) -> StrategyPlayer:
        return StrategyPlayer(PolicyStrategy(form.fingerprint, Uniform(form.arena)), form, seed)


@final
@dataclass(frozen=True)
class AlwaysThis(PlayerConfig):
    """One move wherever it is legal."""

    about: ClassVar[str] = "Always the same move, and another where that is not legal."
    move: str = "call"
    """What it does wherever it may."""
    otherwise: str | None = None
    """What it does elsewhere; if left out it calls, and where a game has no calls makes the first move it may."""

    @property
    def called(self) -> str:
        return f"always-{self.move}"

    def check(self, game: Game[Any]) -> None:
        self._check_moves(game.name, game.actions)

    def _check_moves(self, name: str, actions: tuple[str, ...]) -> None:
        for move in (self.move, self.otherwise):
            if move is not None and move not in actions:
                raise BadInput(f"There is no move called {move!r} to make always in {name}; {nearest(move, actions)}")

    def at(self, form: Form, seed: int | None) -> StrategyPlayer:
        self._check_moves(form.name, form.actions)  # fewer than the rules have, where some never come
        columns = {name: column for column, name in enumerate(form.actions)}
        always = Always(form.arena, columns[self.move], columns.get(self.otherwise or "call"))
        return StrategyPlayer(PolicyStrategy(form.fingerprint, always), form, seed)


PLAYERS = {
    "random": Random(),
    "always": AlwaysThis(),
    "fold": AlwaysThis("fold"),
    "call": AlwaysThis("call"),
    "raise": AlwaysThis("raise"),
}
