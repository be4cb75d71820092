"""One table, played by the rules one hand at a time, for whoever wants to look on: a person, or a search.

Thousands of hands at once are the arena's business. Here the unrolled game is followed alongside the rules, so that a
strategy that knows only its numbers can sit down with a person who knows only what can be seen.
"""

from __future__ import annotations

from typing import Any, Protocol, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.arena.arena import Arena, Sight
from feint.arena.betting import Playground
from feint.arena.cards import CardArena
from feint.arena.policy import Policy
from feint.games.game import CHANCE, TERMINAL, Game
from feint.games.poker import Hand
from feint.tree.tree import Tree


@final
class Table:
    """A game on a table. After `deal` a player is to move, or the hand is over."""

    def __init__(self, rules: Game[Any], ground: Playground, arena: Arena, seed: int | None = None) -> None:
        self.rules = rules
        self.random = np.random.default_rng(seed)
        self._ground, self._arena = ground, arena
        # Moves that are never legal have no column in a strategy's table.
        self._moves = [rules.actions.index(name) for name in ground.actions]
        self.deal()

    def deal(self) -> None:
        """Begin a new hand."""
        self.state, self._node = self.rules.start(), 0
        self._chance()

    @property
    def actor(self) -> int:
        """The player to move, or `TERMINAL`."""
        return self.rules.actor(self.state)

    @property
    def over(self) -> bool:
        return self.actor == TERMINAL

    def play(self, move: int) -> None:
        """The actor's move, and what chance does then. Raises `IllegalMove` when the rules do not allow it."""
        after = self.rules.play(self.state, move)
        self._follow(self._moves.index(move))
        self.state = after
        self._chance()

    def sight(self) -> Sight:
        """What the player to move sees, as strategies have it."""
        if isinstance(self._ground, Tree):
            return jnp.asarray(self._ground.infoset[self._node : self._node + 1])
        assert isinstance(self._arena, CardArena)
        assert isinstance(self.state, Hand)
        cards = np.zeros((1, self._arena.dealt), np.uint8)  # those to come are hidden, whatever they are
        dealt = [card for group in (*self.state.holes, self.state.board) for card in group]
        cards[0, : len(dealt)] = dealt
        return self._arena.seen(jnp.asarray([self._node]), jnp.asarray(cards), jnp.asarray([self.actor]))

    def by_move(self, row: Float[np.ndarray, " c"]) -> Float[np.ndarray, " a"]:
        """A row of a strategy's table by the rules' own numbers of the moves; 0 for those that are never legal."""
        told = np.zeros(len(self.rules.actions))
        told[self._moves] = row
        return told

    def _chance(self) -> None:
        while self.actor == CHANCE:
            outcomes = self.rules.chance(self.state)
            chances = np.array([chance for chance, _ in outcomes])
            number = int(self.random.choice(len(outcomes), p=chances / chances.sum()))
            if isinstance(self._ground, Tree):
                self._follow(number)
            self.state = outcomes[number][1]

    def _follow(self, move: int) -> None:
        """Go along in the unrolled game."""
        if not isinstance(self._ground, Tree):
            self._node = int(self._ground.child[self._node, move])
            return
        first, count = self._ground.first_child[self._node], self._ground.children[self._node]
        self._node = int(first + self._ground.move[first : first + count].tolist().index(move))


class Player(Protocol):
    """Whoever decides at a table."""

    def move(self, table: Table) -> int:
        """A legal move for the player to move."""


@final
class StrategyPlayer:
    """Plays a strategy."""

    def __init__(self, policy: Policy) -> None:
        self._ask = eqx.filter_jit(policy)

    def written(self, tree: Tree) -> Float[np.ndarray, "i a"]:
        """The strategy in full."""
        rows = np.asarray(self._ask(jnp.arange(len(tree.player)), jnp.asarray(tree.player)), float)
        return np.asarray(rows / rows.sum(1, keepdims=True))

    def chances(self, table: Table) -> Float[np.ndarray, " a"]:
        """How often it makes each move here."""
        told: Array = self._ask(table.sight(), jnp.asarray(table.actor))
        chances = table.by_move(np.asarray(told[0], float))
        return np.asarray(chances / chances.sum())

    def move(self, table: Table) -> int:
        chances = self.chances(table)
        return int(table.random.choice(len(chances), p=chances))
