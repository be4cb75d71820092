"""The players that simulate, by name: with the values that a run has learned, or without any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

from feint.forms.form import Form
from feint.games.errors import BadInput
from feint.players.monte_carlo import Budget, MonteCarloPlayer, learned_values
from feint.players.player import PlayerConfig
from feint.runs.on_the_way import last_state
from feint.runs.run import load_run
from feint.search.monte_carlo import Choice, Values
from feint.search.worlds import World, world_of
from feint.solvers.algorithm import require


@final
@dataclass(frozen=True)
class Simulating(PlayerConfig):
    """Monte Carlo tree search."""

    about: ClassVar[str] = "Simulates at each of its moves: tree search over what it cannot see."
    thinks: ClassVar[bool] = True
    kind: Literal["ismcts", "smooth-uct"] = "ismcts"
    """Information-set MCTS from its decision on, or smooth UCT from the deal on."""
    simulations: int | None = 1000
    """At each move, at most; None where only the clock counts."""
    seconds: float | None = None
    """For each move, at most; None for as long as it takes."""
    values: str | None = None
    """A run whose learned values of moves take the place of playing on at random; none for playing on."""
    c: float = 0.7
    """How much moves gain that were rarely made, as a share of the largest payoff: UCB's constant."""
    eta: float = 0.9
    """Smooth UCT: how often a move is chosen by UCB at first, and else as often as before: η / (1 + d √N) …"""
    gamma: float = 0.1
    """… at least so often …"""
    d: float = 0.001
    """… and how fast that falls."""

    def __post_init__(self) -> None:
        require(
            self,
            simulations=(self.simulations is None or self.simulations >= 1, "at least 1"),
            seconds=(self.seconds is None or self.seconds > 0, "above 0"),
            c=(self.c >= 0, "0 or more"),
            eta=(0 <= self.eta <= 1, "from 0 to 1"),
            gamma=(0 <= self.gamma <= 1, "from 0 to 1"),
            d=(self.d >= 0, "0 or more"),
        )
        if self.simulations is None and self.seconds is None:
            raise BadInput("A player that simulates needs an end to it; give simulations or seconds.")

    def at(self, form: Form, seed: int | None) -> MonteCarloPlayer:
        world, smooth = world_of(form), self.kind == "smooth-uct"
        choice = Choice(self.c * world.largest, smooth, self.eta, self.gamma, self.d)
        values = None if self.values is None else values_of(self.values, form, world)
        return MonteCarloPlayer(world, choice, values, Budget(self.simulations, self.seconds), smooth, seed)


def values_of(name: str, form: Form, world: World) -> Values:
    """What a run has learned of moves, as simulations ask for it."""
    if form.players != 2 or not form.zero_sum:
        raise BadInput(
            f"Learned values tell of whoever is to move, which says all in zero-sum games for two alone, and "
            f"{form.name} is none; leave out values."
        )
    run = load_run(name, form.game)
    learner, state = last_state(run, form)
    values = learner.move_values(state)
    if values is None:
        raise BadInput(
            f"{run.path.name} was trained by {run.config.algorithm}, which learns no values of moves; give a run of "
            f"dqn or nfsp."
        )
    return learned_values(values, form, world)


PLAYERS = {"ismcts": Simulating(), "smooth-uct": Simulating(kind="smooth-uct")}
