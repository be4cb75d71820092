"""What is done on a public tree, written down in full or asked of whoever plays."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

Moves = tuple[Float[Array, "b l h"], ...]
"""Numbers for each move at a decision: on every board, in every line, with every hand.

Moves are arrays of their own: accelerators are slow at sums over few numbers, and at writing such numbers together.
"""

Tables = tuple[tuple[tuple[Float[Array, "_ _ _"], ...], ...], ...]
"""Moves by round and decision."""


class Play(eqx.Module):
    """A strategy for both players, asked for all hands on some boards at once."""

    @abstractmethod
    def __call__(self, number: int, decision: int, first: Int[Array, ""], boards: int) -> Moves:
        """What is done at a decision of a round, on `boards` boards from the first on."""


@final
class Written(Play):
    """Moves in proportion to weights."""

    weights: Tables

    def __call__(self, number: int, decision: int, first: Int[Array, ""], boards: int) -> Moves:
        return normalised(cut(self.weights[number][decision], first, boards))


class Bound(NamedTuple):
    """What a player is bound to at a decision."""

    hands: Bool[Array, "b l h"]
    """On which boards, in which lines, with which hands …"""
    moves: Moves
    """… and how often each move is made there."""

    def over(self, play: Moves) -> Moves:
        """What is done at the decision, written over what would be."""
        return tuple(jnp.where(self.hands, told, move) for told, move in zip(self.moves, play, strict=True))

    def worth(self, values: Moves) -> Moves:
        """What moves are worth where there is nothing to choose: all of them the same."""
        value = mean(self.moves, values)
        return tuple(jnp.where(self.hands, value, move) for move in values)


def cut(pages: Any, first: Int[Array, ""], boards: int) -> Any:
    """Some boards of arrays that have boards as their first axis."""
    return jax.tree.map(lambda page: jax.lax.dynamic_slice_in_dim(page, first, boards), pages)


def normalised(weights: tuple[Float[Array, "*s"], ...]) -> tuple[Float[Array, "*s"], ...]:
    """Non-negative weights as move probabilities; uniform where they are all zero, nan where they are no numbers."""
    total = sum(weights[1:], weights[0])
    nothing = total <= 0
    share = 1 / jnp.where(nothing, 1, total)
    return tuple(jnp.where(nothing, 1 / len(weights), move * share) for move in weights)


def mean(chances: Moves, values: Moves) -> Float[Array, "b l h"]:
    """What a decision is worth where moves of these values are made with these chances."""
    worth = [chance * value for chance, value in zip(chances, values, strict=True)]
    return sum(worth[1:], worth[0])
