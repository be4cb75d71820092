"""Players that simulate at each of their moves: Monte Carlo tree search for games with hidden information.

`ismcts` begins every simulation at its decision, with what it does not see drawn anew, and makes the move that was made
most often. What others hold is as likely as it was dealt: what they have done says nothing of it, and all simulations
have the searcher's own cards, so others come to play as if they knew them. That is the method as published.

`smooth-uct` begins with the deal, for everyone, so that others answer all that the searcher may hold; its trees are
kept from move to move and hand to hand, and it moves as their average does, which in small games comes near an
equilibrium. In large ones few simulations come by its decision: then half of them begin there, in trees of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, final

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from feint.arena.arena import InfoState
from feint.forms.form import Form
from feint.players.player import Observation, Player
from feint.search.monte_carlo import Choice, Search, Values
from feint.search.worlds import World
from feint.solvers.algorithm import MoveValues
from feint.tree.compiled import compiled

ENOUGH = 100
"""Visits of a decision by which its average can be trusted."""
MANY = 1_000_000
"""Places in trees that are kept; beyond that they are begun anew."""


@final
@dataclass(frozen=True)
class Budget:
    """How much a player may simulate at a move: whichever comes first."""

    simulations: int | None
    seconds: float | None

    def half(self) -> Budget:
        return Budget(
            None if self.simulations is None else (self.simulations + 1) // 2,
            None if self.seconds is None else self.seconds / 2,
        )


@final
class MonteCarloPlayer(Player):
    """Simulates at each of its moves."""

    def __init__(
        self, world: World, choice: Choice, values: Values | None, budget: Budget, from_the_deal: bool, seed: int | None
    ) -> None:
        self._world, self._choice, self._values, self._budget = world, choice, values, budget
        self._from_the_deal, self._random = from_the_deal, Random(seed)
        self._kept = self._search()

    def move(self, seen: Observation) -> int:
        moves = sorted(seen.moves.values())
        if len(moves) == 1:
            return moves[0]
        shares = self.shares(seen.player, seen.view)
        if self._from_the_deal:
            return self._random.choices(moves, shares)[0]
        return moves[max(range(len(moves)), key=shares.__getitem__)]

    def shares(self, player: int, view: Hashable) -> Sequence[float]:
        """How often each move is made in simulations where a player sees this, by its place among the legal ones."""
        world, asked = self._world, self._world.asked(player, view)

        def here() -> Any:
            return world.like(player, view, self._random)

        if not self._from_the_deal:
            search = self._search()
            self._simulate(search, here, self._budget)
            return search.spots[asked].average()
        if len(self._kept.spots) > MANY:
            self._kept = self._search()
        half = self._budget.half()
        self._simulate(self._kept, lambda: world.fresh(self._random), half)
        spot = self._kept.spots.get(asked)
        if spot is not None and spot.visits >= ENOUGH:
            self._simulate(self._kept, lambda: world.fresh(self._random), half)
            return spot.average()
        search = self._search()
        self._simulate(search, here, half)
        return search.spots[asked].average()

    def _search(self) -> Search:
        return Search(self._world, self._choice, self._values)

    def _simulate(self, search: Search, begin: Callable[[], Any], budget: Budget) -> None:
        search.run(begin, self._random, budget.simulations, budget.seconds)


def learned_values(values: MoveValues, form: Form, world: World) -> Values:
    """What seats have learned of moves in a zero-sum game for two, as simulations ask for it."""
    known: dict[Any, Sequence[float]] = {}

    def worth(state: Any) -> Sequence[float]:
        seen = world.seen(state)
        if seen not in known:
            player = world.actor(state)
            best = float(_best(values, form.sees(player, world.view(state)), jnp.asarray(player))[0])
            known[seen] = (best, -best) if player == 0 else (-best, best)
        return known[seen]

    return worth


@compiled
def _best(values: MoveValues, infostate: InfoState, turn: Int[Array, ""]) -> Float[Array, " b"]:
    return values.best(infostate, turn)
