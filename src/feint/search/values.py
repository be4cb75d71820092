"""Networks that say what hands are worth at the start of a round, from the pot and both ranges.

What they are told is an encoding: every hand on every board a bucket of its own, as in the public DeepStack-Leduc
program; hands in order of strength, by which all boards of Leduc are one; or likewise with those of equal strength as
one, for in the game cards of a rank come equally often. Whatever a network says, an outer layer takes from it what
would make the game other than zero-sum.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer, PRNGKeyArray

from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.public.build import Arrivals
from feint.public.showdown import Products
from feint.search.beyond import CheckedDown, Guess, shares
from feint.search.situations import shapes_of

Activation = Literal["tanh", "relu", "softplus", "prelu"]
ACTIVATIONS: tuple[Activation, ...] = ("tanh", "relu", "softplus", "prelu")
LEFT_OUT = -1
Kind = Literal["buckets", "ordered", "even"]
SLOPE = 0.25
"""The slope of a PReLU below 0, before it is learned."""


class Encoding(eqx.Module):
    """What networks are told of situations, and what they say."""

    entries: eqx.AbstractVar[int]
    """How many hands have a place of their own, for each player."""

    @property
    def inputs(self) -> int:
        return 1 + 2 * self.entries

    @property
    def outputs(self) -> int:
        return 2 * self.entries

    @abstractmethod
    def places(self, board: Integer[Array, " n"]) -> Int[Array, "n h"]:
        """The place of each hand on some boards."""

    def rows(
        self, board: Integer[Array, " n"], share: Float[Array, " n"], ranges: Float[Array, "n 2 h"]
    ) -> Float[Array, "n f"]:
        """Situations as a network sees them: the share of the stack that is in the pot, and both ranges."""
        blank = jnp.zeros((*ranges.shape[:2], self.entries), ranges.dtype)
        row, player = jnp.ogrid[: len(board), :2]
        told = blank.at[row[..., None], player[..., None], self.places(board)[:, None]].add(ranges)
        return jnp.concatenate([share[:, None].astype(ranges.dtype), told.reshape(len(board), -1)], 1)

    def values(
        self, said: Float[Array, "n o"], board: Integer[Array, " n"], ranges: Float[Array, "n 2 h"]
    ) -> Float[Array, "n 2 h"]:
        """What a network says of the hands there are, made zero-sum."""
        places = jnp.broadcast_to(self.places(board)[:, None], ranges.shape)
        values = jnp.take_along_axis(said.reshape(len(said), 2, -1), places, 2)
        return values - (values * ranges).sum((1, 2), keepdims=True) / 2


@final
class Buckets(Encoding):
    """Every hand on every board by itself."""

    cards: Int[Array, "b h"]
    """The card of each hand."""
    entries: int = eqx.field(static=True)

    def places(self, board: Integer[Array, " n"]) -> Int[Array, "n h"]:
        deck = self.entries // len(self.cards)
        return board[:, None].astype(jnp.int32) * deck + self.cards[board]


@final
class Ordered(Encoding):
    """Hands in order of strength, the best first, whatever the board; those of equal strength apart, or as one."""

    order: Int[Array, "b h"]
    """The place of each hand."""
    entries: int = eqx.field(static=True)

    def places(self, board: Integer[Array, " n"]) -> Int[Array, "n h"]:
        return self.order[board]


def encoding_of(game: Poker, kind: Kind) -> Encoding:
    """An encoding for the last round of a game whose players hold one card."""
    if game.hole != 1 or len(game.rounds) != 2:
        raise BadInput(f"Values are learned for games of two rounds and one card each, and {game.name} is none.")
    stage = shapes_of(game)[0].tree.rounds[0]
    assert isinstance(stage.showdown, Products)
    strength = -np.asarray(stage.showdown.strength)
    if kind == "ordered":
        order = np.argsort(np.argsort(strength, 1, kind="stable"), 1)
        return Ordered(order=jnp.asarray(order, jnp.int32), entries=stage.hands)
    if kind == "even":
        order = np.stack([np.unique(each, return_inverse=True)[1] for each in strength])
        return Ordered(order=jnp.asarray(order, jnp.int32), entries=int(order.max()) + 1)
    cards = np.asarray(stage.rest)[:, np.asarray(stage.removal.cards)[:, 0]]
    return Buckets(cards=jnp.asarray(cards, jnp.int32), entries=stage.boards * (stage.hands + 1))


@final
@dataclass(frozen=True)
class Layers:
    """The shape of a value network."""

    hidden: tuple[int, ...] = (50, 50)
    """Units in each hidden layer; none for a linear map."""
    activation: Activation = "prelu"
    """The activation of the hidden layers: tanh, relu, softplus or prelu."""

    def __call__(self, inputs: int, outputs: int, key: PRNGKeyArray, deep: int = 0) -> ValueNetwork:
        """A new network. One of fewer hidden layers than `deep` gets more like its last one, which are left out."""
        more = max(0, deep - len(self.hidden))
        sizes = [inputs, *self.hidden, *self.hidden[-1:] * more, outputs]
        keys = jax.random.split(key, len(sizes) - 1)
        layers = [
            eqx.nn.Linear(before, after, key=key, dtype=jnp.float32)
            for (before, after), key in zip(pairwise(sizes), keys, strict=True)
        ]
        bends = [ACTIVATIONS.index(self.activation)] * len(self.hidden) + [LEFT_OUT] * more
        slopes = jnp.full(len(bends), SLOPE, jnp.float32)
        return ValueNetwork(tuple(layers), slopes, jnp.asarray(bends, jnp.int32))


@final
class ValueNetwork(eqx.Module):
    """A multilayer perceptron. Activations and depth are data, so that networks of many kinds are trained as one."""

    layers: tuple[eqx.nn.Linear, ...]
    slopes: Float[Array, " d"]
    """Of PReLU below 0, one for each hidden layer."""
    activations: Int[Array, " d"]
    """Of each hidden layer: a place among `ACTIVATIONS`, or `LEFT_OUT`."""

    def __call__(self, rows: Float[Array, "n f"]) -> Float[Array, "n o"]:
        *hidden, last = self.layers
        for number, layer in enumerate(hidden):
            activation, slope = self.activations[number], self.slopes[number].astype(rows.dtype)
            bent = jax.lax.switch(activation, BENDS, _through(layer, rows), slope)
            rows = jnp.where(activation == LEFT_OUT, rows, bent) if bent.shape == rows.shape else bent
        return _through(last, rows)


def _through(layer: eqx.nn.Linear, rows: Float[Array, "n f"]) -> Float[Array, "n u"]:
    assert layer.bias is not None
    return rows @ layer.weight.T + layer.bias


def _tanh(rows: Float[Array, "n u"], slope: Float[Array, ""]) -> Float[Array, "n u"]:
    return jnp.tanh(rows)


def _relu(rows: Float[Array, "n u"], slope: Float[Array, ""]) -> Float[Array, "n u"]:
    return jax.nn.relu(rows)


def _softplus(rows: Float[Array, "n u"], slope: Float[Array, ""]) -> Float[Array, "n u"]:
    return jax.nn.softplus(rows)


def _prelu(rows: Float[Array, "n u"], slope: Float[Array, ""]) -> Float[Array, "n u"]:
    return jnp.where(rows > 0, rows, slope * rows)


BENDS = (_tanh, _relu, _softplus, _prelu)
"""`ACTIVATIONS` as functions of what a layer adds up, and of a slope."""


@final
class Values(eqx.Module):
    """What a network says of situations of one game."""

    network: ValueNetwork
    encoding: Encoding
    whole: float = eqx.field(static=True)
    """What a player can put in at most: pots are told as a share of that."""

    def __call__(
        self, board: Integer[Array, " n"], paid: Float[Array, " n"], ranges: Float[Array, "n 2 h"]
    ) -> Float[Array, "n 2 h"]:
        """What each hand of each player wins, as a share of what each has put in, by unit of the other's range."""
        said = self.network(self.encoding.rows(board, paid / self.whole, ranges))
        return self.encoding.values(said, board, ranges)


def new_values(game: Poker, layers: Layers, kind: Kind, key: PRNGKeyArray, deep: int = 0) -> Values:
    """Values that nobody has learned yet; see `Layers` for `deep`."""
    encoding = encoding_of(game, kind)
    network = layers(encoding.inputs, encoding.outputs, key, deep)
    return Values(network, encoding, shapes_of(game)[-1].high)


@final
class LearnedValues(Guess):
    """What a network says of the ranges that come to the next round."""

    values: Values

    @classmethod
    def on(cls, values: Values, arrivals: Arrivals) -> Guess:
        if (arrivals.nodes < 0).all():
            return CheckedDown.of(arrivals)
        return cls(jnp.asarray(arrivals.paid), tuple((arrivals.nodes < 0).tolist()), values)

    def guess(
        self, player: int, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"], shown: Float[Array, "b l h"]
    ) -> Float[Array, "b l h"]:
        boards, lines, hands = mine.shape
        ranges = jnp.stack([shares(mine), shares(theirs)][:: 1 if player == 0 else -1], 2).astype(jnp.float32)
        board = jnp.repeat(jnp.arange(boards), lines)
        paid = jnp.tile(self.paid, boards).astype(jnp.float32)
        said = self.values(board, paid, ranges.reshape(-1, 2, hands))[:, player].reshape(mine.shape)
        return said.astype(mine.dtype) * theirs.sum(-1, keepdims=True)
