"""The player that searches, by name: with the values of a run, or without any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax

from feint.forms.form import Form
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.library import load_game
from feint.games.poker import Poker
from feint.players.player import PlayerConfig
from feint.players.resolver import ResolvingPlayer, poker_to_search, small
from feint.runs.agents import agents
from feint.runs.run import config_of, load_run
from feint.search.beyond import CheckedDown, Nothing
from feint.search.deepstack import Searching, Solver
from feint.search.oracle import PlayedOut
from feint.search.resolving import Guesses


@final
@dataclass(frozen=True)
class Resolving(PlayerConfig):
    """Continual re-solving."""

    about: ClassVar[str] = "Searches at each of its moves: continual re-solving, as DeepStack does it."
    thinks: ClassVar[bool] = True
    values: str | None = None
    """What the next round is worth by: a run of deepstack (none for the agent that comes with Feint), nothing, checked
    (nobody bets any more), or played-out (solved again and again, which is slow)."""
    solver: Solver = "dcfr"
    """How lookaheads are solved: dcfr, cfr+, cfr, or tool (as the public DeepStack-Leduc program does)."""
    iterations: int = 1000
    """Of the solver, at each decision."""
    bets: tuple[str, ...] | None = None
    """The raises that it considers, by name, as in ('pot', 'all-in'); it may be met with others. All if left out."""

    def check(self, game: Game[Any]) -> None:
        if len(small(game).rounds) > 1 and self.values is None:
            _agent(game)

    def at(self, form: Form, seed: int | None) -> ResolvingPlayer:
        method, game = Searching(self.solver, self.iterations).method, poker_to_search(form)
        return ResolvingPlayer(form, method, self._guesses(form, game), seed, self.bets)

    def _guesses(self, form: Form, game: Poker) -> Guesses:
        if self.values == "nothing" or (self.values is None and len(game.rounds) == 1):  # then nothing comes after it
            return Nothing.of
        if self.values == "checked":
            return CheckedDown.of
        if self.values == "played-out":
            return jax.tree_util.Partial(PlayedOut.on, game, bets=self.bets)
        run = load_run(self.values or _agent(game))
        if run.config.fingerprint != form.fingerprint:
            raise BadInput(
                f"{run.path.name} is for {run.config.game}, and not for {form.name}; train deepstack on that and give "
                f"values=RUN."
            )
        if run.strategy.guesses is None:
            raise BadInput(
                f"{run.path.name} was trained by {run.config.algorithm}, which keeps no values to search with; "
                f"give a run of deepstack."
            )
        return run.strategy.guesses


def _agent(game: Game[Any]) -> str:
    """The agent that comes with Feint and has values for a game."""
    for name, path in agents().items():
        config = config_of(path)
        if config.algorithm == "deepstack" and load_game(config.game).declaration() == game.declaration():
            return name
    raise BadInput(
        f"No agent that comes with Feint has values for {game.name}; train some with feint train deepstack and give "
        f"values=RUN, or values=checked."
    )


PLAYERS = {"resolver": Resolving()}
