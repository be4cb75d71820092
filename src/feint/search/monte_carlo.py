"""Monte Carlo tree search where players hide things from each other: one tree of counts for each player.

A simulation begins with the deal, or with a state that looks to the searcher like the true one, and everybody descends
their own tree by what they see (multiple-observer information-set MCTS, Cowling, Powley & Whitehouse 2012): nobody acts
on another's cards. Whoever comes to a place that their tree does not have yet adds it and moves at random from there
on; with values at hand, the simulation ends there instead and is worth what they say.

In a tree moves are chosen by *UCB*, the mean of what a move won plus c √(ln N / n), or by *smooth UCT* (Heinrich &
Silver 2015), which does so only with a probability of max(γ, η / (1 + d √N)) and otherwise makes every move as often as
it was made before. That resembles fictitious play: the counts come near an equilibrium where UCB alone need not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, final

import numpy as np
from jaxtyping import Float

from feint.search.worlds import World
from feint.tree.tree import Tree

Values = Callable[[Any], Sequence[float]]
"""What a state in which somebody is to move is worth to each player, in chips."""
CLOCK = 16
"""Simulations between looks at the clock."""


@final
class Spot:
    """What a tree knows of a place: how often it was visited, how often each move was made, and what it won in all."""

    __slots__ = ("made", "visits", "won")

    def __init__(self, moves: int) -> None:
        self.visits = 0
        self.made, self.won = [0] * moves, [0.0] * moves

    def average(self) -> list[float]:
        """How often each move was made, as shares; equal ones where none was."""
        return [made / self.visits for made in self.made] if self.visits else [1 / len(self.made)] * len(self.made)


@final
@dataclass(frozen=True)
class Choice:
    """How moves are chosen in a tree, by the letters of the papers."""

    c: float
    """How much a move that was rarely made gains by that, in chips."""
    smooth: bool = False
    """Whether to mix in the average, and then how often not to: from η …"""
    eta: float = 0.9
    gamma: float = 0.1
    """… at least γ …"""
    d: float = 0.001
    """… and how fast it falls with the root of the visits."""

    def __call__(self, spot: Spot, random: Random) -> int:
        """The place of a move."""
        if self.smooth and spot.visits:
            share = max(self.gamma, self.eta / (1 + self.d * math.sqrt(spot.visits)))
            if random.random() >= share:
                return _as_before(spot, random)
        return self.upper(spot, random)

    def upper(self, spot: Spot, random: Random) -> int:
        """The move with the highest upper confidence bound; one of those never made, where there are any."""
        made, won = spot.made, spot.won
        if 0 in made:
            return random.choice([place for place, times in enumerate(made) if not times])
        reach = self.c * math.sqrt(math.log(spot.visits))
        best, place = -math.inf, 0
        for at, times in enumerate(made):
            bound = won[at] / times + reach / math.sqrt(times)
            if bound > best:
                best, place = bound, at
        return place


def _as_before(spot: Spot, random: Random) -> int:
    """A move, each as often as it was made before."""
    left = random.random() * spot.visits
    for place, times in enumerate(spot.made):
        left -= times
        if left < 0:
            return place
    return len(spot.made) - 1


@final
class Search:
    """The players' trees at a game, which grow with every simulation."""

    def __init__(self, world: World, choice: Choice, values: Values | None = None) -> None:
        self.world, self._choice, self._values = world, choice, values
        self.spots: dict[Hashable, Spot] = {}
        """By what whoever is to move sees; players see nothing alike, so one dictionary holds all their trees."""

    def simulate(self, state: Any, random: Random) -> None:
        """Play from a state to the end, or to where values take over, and remember what came of it."""
        world, spots, choice = self.world, self.spots, self._choice
        path: list[tuple[Spot, int, int]] = []
        left_tree = [False] * world.players
        while (actor := world.actor(state)) >= 0:
            if left_tree[actor]:
                place = int(random.random() * world.moves(state))
            else:
                key = world.seen(state)
                spot = spots.get(key)
                if spot is not None:
                    place = choice(spot, random)
                else:
                    spot = spots[key] = Spot(world.moves(state))
                    if self._values is not None:
                        break
                    place, left_tree[actor] = int(random.random() * len(spot.made)), True
                path.append((spot, place, actor))
            state = world.after(state, place, random)
        won = world.payoffs(state) if actor < 0 else self._guessed(state)
        for spot, place, player in path:
            spot.visits += 1
            spot.made[place] += 1
            spot.won[place] += won[player]

    def _guessed(self, state: Any) -> Sequence[float]:
        assert self._values is not None, "without values simulations end when the game does"
        return self._values(state)

    def run(
        self, begin: Callable[[], Any], random: Random, simulations: int | None, seconds: float | None = None
    ) -> int:
        """Simulate from wherever `begin` says, so often or for so long, whichever comes first; returns how often."""
        done, stop = 0, math.inf if seconds is None else time.monotonic() + seconds
        while simulations is None or done < simulations:
            self.simulate(begin(), random)
            done += 1
            if done % CLOCK == 0 and time.monotonic() > stop:
                break
        return done

    def table(self, tree: Tree) -> Float[np.ndarray, "i a"]:
        """The average strategy at every information set of an unrolled game; uniform where nobody came by."""
        table = tree.uniform()
        for row, legal in enumerate(tree.legal):
            if (spot := self.spots.get(row)) is not None:
                table[row, legal] = spot.average()
        return table
