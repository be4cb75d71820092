"""The game, played: what learners and matches need of a game to play thousands of hands of it at once.

Everything works on batches, one row for each table, and compiles. Randomness comes in as uniform 32-bit words. Hands
restart as they end.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

AnyArray = Array | np.ndarray
Where = Any
"""Where tables are: a pytree of arrays, one row for each table."""

InfoState = Any
"""What players see, packed: a pytree of arrays, one row each. Memories keep these."""


class Played(NamedTuple):
    """What one move at every table led to."""

    where: Where
    """Where each table is now; at a new hand's first decision where the last one ended."""
    done: Bool[Array, " t"]
    payoff: Float[Array, "t p"]
    """Chips won by each player where the hand ended; 0 elsewhere."""


class Arena(eqx.Module):
    """A game to be played at many tables."""

    players: eqx.AbstractVar[int]

    @property
    @abstractmethod
    def zero_sum(self) -> bool:
        """Whether what one wins the others lose."""

    @property
    @abstractmethod
    def deal_words(self) -> int:
        """Random words that dealing one hand takes."""

    @property
    @abstractmethod
    def play_words(self) -> int:
        """Random words that one move takes, a new deal included."""

    @abstractmethod
    def deal(self, words: UInt32[Array, "w t"]) -> Where:
        """The first decision of a new hand at each table."""

    @abstractmethod
    def play(self, where: Where, move: Int[Array, " t"], words: UInt32[Array, "w t"]) -> Played:
        """Make a legal move at every table."""

    @abstractmethod
    def per_hand(self, won: Float[Array, "t p"]) -> Float[Array, "t p"]:
        """What players win in the mean of a hand, given what they won in one that was dealt."""

    @abstractmethod
    def turn(self, where: Where) -> Int[Array, " t"]:
        """Who is to move at each table."""

    @abstractmethod
    def infostate(self, where: Where) -> InfoState:
        """What the player to move sees at each table."""

    @abstractmethod
    def legal(self, infostate: InfoState) -> Bool[Array, "t a"]:
        """The moves that the rules allow there."""


def random_words(key: Array, *shape: int) -> UInt32[Array, "..."]:
    """Uniform random 32-bit words."""
    return jax.random.bits(key, shape, jnp.uint32)


SLACK = 1e-5
"""The share of a row that may lie on illegal moves: rounding, and no more."""


def draw(
    probabilities: Float[Array, "t a"], uniform: Float[Array, " t"], legal: Bool[Array, "t a"]
) -> Int[Array, " t"]:
    """One legal move from each row; rows need not sum to exactly 1.

    Whatever else a row holds: what is no chance of a legal move counts for nothing, and where nothing is left every
    legal move is as likely.
    """
    chances = jnp.where(legal & (probabilities > 0) & (probabilities < jnp.inf), probabilities, 0)
    chances = jnp.where(chances.any(1, keepdims=True), chances, legal.astype(chances.dtype))
    rungs = jnp.cumsum(chances, 1)
    drawn = (uniform[:, None] * rungs[:, -1:] >= rungs).sum(1)
    # A number just below 1 times the sum may round up to the sum.
    last = legal.shape[1] - 1 - (chances[:, ::-1] > 0).argmax(1)
    return jnp.minimum(drawn, last).astype(jnp.int32)


def playable(probabilities: Float[AnyArray, "t a"], legal: Bool[AnyArray, "t a"]) -> Bool[AnyArray, " t"]:
    """Whether each row holds chances of legal moves: none negative, none missing, and nothing on illegal moves."""
    total = probabilities.sum(1)
    astray = (probabilities * ~legal).sum(1)
    return (probabilities >= 0).all(1) & (total > 0) & (total < jnp.inf) & (astray <= SLACK * total)


def as_uniform(words: UInt32[Array, "..."]) -> Float[Array, "..."]:
    """Random words as float32 numbers from 0 up to but not including 1."""
    return (words >> 8).astype(jnp.float32) * 2.0**-24


def narrow(most: int) -> Any:
    """The smallest type for whole numbers from 0 to `most`: memories keep millions of them."""
    return next(kind for kind in (jnp.int8, jnp.int16, jnp.int32) if most <= jnp.iinfo(kind).max)


def for_device(choices: Mapping[str, int]) -> int:
    """The number that suits the device that computes: the one given for its kind, or for a GPU."""
    return choices.get(jax.default_backend(), choices["gpu"])
