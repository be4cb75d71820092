"""The sequence form, laid out so that every sweep over the game is a few gathers and sums on slices.

A *sequence* is a move at one of a player's information sets. A player's *plan* gives each sequence the product of
their own move probabilities up to and including that move. Under plans everything is short: what a sequence earns
is a sum over its terminals of payoff times the other players' plans; best responses and counterfactual values are
one backward sweep over the player's own depths; averages of strategies are averages of plans. n players need
nothing new.

Information sets of one player, at one depth (own moves made before), with equally many moves form a *block*.
A block's sequences are contiguous and move-major, so that its part of a vector reshapes to [moves, information
sets], and sums over moves, terminals and children all run along leading axes: no masks and no scatters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Num

Vector = Float[Array, " s"]
"""One number for each sequence of a player, in the form's order."""

ROUNDING = 1e-12
"""Worths that differ by a smaller share of what was added up to them are equal."""

Plan = Float[Array, " _"]
"""A plan. It has an entry more than a vector: the empty sequence's, last and 1, so 'no move yet' is no special case."""


@final
class Block(eqx.Module):
    """Information sets of one player at one depth, or at each depth of a stretch, with `moves` legal moves each."""

    start: int = eqx.field(static=True)
    """Where the block's sequences begin in the player's vectors."""
    shape: tuple[int, ...] = eqx.field(static=True)
    """Depths, where they are more than one, moves, and information sets at each."""
    parent: Int[Array, "*depths rows"]
    """The player's sequence before each information set, counted within the depth above; unused at depth 0."""
    payoff: Float[Array, "*depths terminals moves rows"]
    """Chance-weighted payoffs of the terminals that follow each sequence directly; 0 where there are fewer."""
    stake: Float[Array, "*depths terminals moves rows"]
    """The same, were all of them gains: what rounding in them is to be measured by."""
    others: Int[Array, "*depths others terminals moves rows"]
    """The other players' last sequences at those terminals."""
    child: Int[Array, "*depths children moves rows"]
    """The player's next information sets after each sequence, counted within the depth below."""

    def of(self, vector: Num[Array, " _"]) -> Num[Array, "*depths moves rows"]:
        """The block's part of a vector."""
        return vector[self.start : self.start + math.prod(self.shape)].reshape(self.shape)


@final
class Stretch(eqx.Module):
    """One depth; or, in a deep game, many after each other.

    Those are filled up with information sets that nothing leads to until they have one shape, so that a loop, compiled
    once, goes over them all.
    """

    depths: int = eqx.field(static=True)
    room: int = eqx.field(static=True)
    """How many information sets the loop hands up, at least those of its depths and of the depth below."""
    width: int = eqx.field(static=True)
    """How many sequences the loop hands down, at least those of its depths and of the depth above."""
    blocks: tuple[Block, ...]


class Worth(NamedTuple):
    """What moves are worth, weighted with the probability that chance and the other players play along."""

    advantage: Vector
    """What each move is worth beyond its information set."""
    size: Vector
    """What was added up to that, were all of it gains: what rounding and ties are to be measured by."""
    value: Float[Array, ""]
    """What the game is worth."""


@final
class Side(eqx.Module):
    """One player's side of the sequence form."""

    stretches: tuple[Stretch, ...]
    cells: Int[Array, " s"]
    """Where each sequence stands in a flattened strategy table; beyond its end for those that only fill up."""
    idle_payoff: Float[Array, " t"]
    """Chance-weighted payoffs of the terminals that come before the player's first move."""
    idle_others: Int[Array, "others t"]
    """The other players' last sequences at those terminals."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(block for stretch in self.stretches for block in stretch.blocks)

    def normalise(self, weights: Vector) -> Vector:
        """Non-negative weights as move probabilities; uniform where they are all zero."""

        def probabilities(part: Float[Array, "*depths moves rows"]) -> Float[Array, "*depths moves rows"]:
            total = part.sum(-2, keepdims=True)
            return jnp.where(total > 0, part / jnp.where(total > 0, total, 1.0), 1.0 / part.shape[-2])

        return _joined([probabilities(block.of(weights)).ravel() for block in self.blocks])

    def plan(self, strategy: Vector) -> Float[Array, " s+1"]:
        """The plan of a behaviour strategy: one sweep down the player's own depths."""
        plans: list[Vector] = []
        above = jnp.ones(1)
        for number, stretch in enumerate(self.stretches):
            parts = [block.of(strategy) for block in stretch.blocks]
            parents = [block.parent for block in stretch.blocks]
            if stretch.depths > 1:
                above, parts = jax.lax.scan(_down, _filled(above, stretch.width), (parents, parts))
            else:
                if number:
                    parts = [part * above[parent] for part, parent in zip(parts, parents, strict=True)]
                above = _joined([part.ravel() for part in parts])
            plans += [part.ravel() for part in parts]
        return jnp.concatenate([*plans, jnp.ones(1)])

    def backup(self, others: Sequence[Plan], strategy: Vector | None = None) -> Worth:
        """One sweep up, playing on by a strategy, for instantaneous regrets; without one, as well as can be."""
        advantages: list[Vector] = []
        sizes: list[Vector] = []
        below: Below | None = None
        for stretch in reversed(self.stretches):
            parts = [None if strategy is None else block.of(strategy) for block in stretch.blocks]
            if stretch.depths > 1:
                start = below or (jnp.zeros(1), jnp.zeros(1))
                below, made = jax.lax.scan(
                    lambda below, now: _up(below, *now, others),
                    (_filled(start[0], stretch.room + 1), _filled(start[1], stretch.room + 1)),
                    (stretch.blocks, parts),
                    reverse=True,
                )
            else:
                below, made = _up(below, stretch.blocks, parts, others)
            advantages += [advantage.ravel() for advantage, _ in reversed(made)]
            sizes += [size.ravel() for _, size in reversed(made)]
        value = _weighted(self.idle_payoff, self.idle_others, others).sum()
        if below is not None:
            value = value + below[0].sum()
        return Worth(_joined(advantages[::-1]), _joined(sizes[::-1]), value)

    def per_infoset(self, vector: Vector) -> Float[Array, " rows"]:
        """Sums over the moves of each information set, in the order of `infosets`."""
        return _joined([block.of(vector).sum(-2).ravel() for block in self.blocks])

    def pure(self, worth: Worth) -> Vector:
        """The strategy that takes the first best move everywhere; differences that rounding can make are ties.

        What rounding can make is a share of what was added up, however rarely the others let it come to this.
        """

        def best(part: Float[Array, "*depths moves rows"], size: Float[Array, "*depths moves rows"]) -> Array:
            tied = part >= part.max(-2, keepdims=True) - ROUNDING * size.max(-2, keepdims=True)
            first = tied.argmax(-2, keepdims=True)
            return (jnp.arange(part.shape[-2])[:, None] == first).astype(part.dtype)

        return _joined([best(block.of(worth.advantage), block.of(worth.size)).ravel() for block in self.blocks])

    def infosets(self, moves: int) -> Int[Array, " rows"]:
        """The number of each information set, in the order of `per_infoset`, for tables with `moves` columns."""
        cells = [block.of(self.cells)[..., 0, :].ravel() for block in self.blocks]
        return (_joined(cells) // moves).astype(jnp.int32)


@final
class SequenceForm(eqx.Module):
    """Every player's side, and the way to and from strategy tables."""

    sides: tuple[Side, ...]
    infosets: int = eqx.field(static=True)
    moves: int = eqx.field(static=True)

    def vectors(self, table: Float[Array, "i a"]) -> tuple[Float[Array, " _"], ...]:
        """A table's entries for each player's sequences."""
        return tuple(table.ravel()[side.cells] for side in self.sides)

    def table(self, vectors: Sequence[Float[Array, " _"]]) -> Float[Array, "i a"]:
        """The table with these entries, 0 at illegal moves."""
        flat = jnp.zeros(self.infosets * self.moves)
        for side, vector in zip(self.sides, vectors, strict=True):
            flat = flat.at[side.cells].set(vector, unique_indices=True)
        return flat.reshape(self.infosets, self.moves)

    def plans(self, strategies: Sequence[Float[Array, " _"]]) -> tuple[Plan, ...]:
        return tuple(side.plan(strategy) for side, strategy in zip(self.sides, strategies, strict=True))


def without(player: int, plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """The other players' plans."""
    return tuple(plan for other, plan in enumerate(plans) if other != player)


Below = tuple[Float[Array, " _"], Float[Array, " _"]]
"""What the information sets of the depth below are worth, and the size of what was added up to that; then 0."""


def _up(
    below: Below | None, blocks: Sequence[Block], parts: Sequence[Array | None], others: Sequence[Plan]
) -> tuple[Below, list[tuple[Float[Array, "moves rows"], Float[Array, "moves rows"]]]]:
    """One depth of the sweep up: what its information sets are worth, and its moves' advantages and sizes."""
    worths, largest, made = [], [], []
    for block, part in zip(blocks, parts, strict=True):
        worth, size = (_weighted(each, block.others, others).sum(0) for each in (block.payoff, block.stake))
        if below is not None and len(block.child):
            worth, size = worth + below[0][block.child].sum(0), size + below[1][block.child].sum(0)
        chosen = worth.max(0) if part is None else (part * worth).sum(0)
        worths.append(chosen)
        largest.append(size.max(0))
        made.append((worth - chosen, size))
    looped = below is not None and len(blocks[0].shape) > 2
    count = len(below[0]) if below is not None and looped else sum(map(len, worths)) + 1
    return (_filled(_joined(worths), count), _filled(_joined(largest), count)), made


def _down(above: Array, now: tuple[list[Array], list[Array]]) -> tuple[Array, list[Array]]:
    """One depth of the sweep down, from its information sets' parents and the strategy there."""
    parts = [part * above[parent] for parent, part in zip(*now, strict=True)]
    return _filled(_joined([part.ravel() for part in parts]), len(above)), parts


def _filled(vector: Array, length: int) -> Array:
    """The vector with zeros after it."""
    return jnp.concatenate([vector, jnp.zeros(length - len(vector))]) if length > len(vector) else vector


def _weighted(payoff: Array, sequences: Array, plans: Sequence[Plan]) -> Array:
    """Payoffs times the other players' plans."""
    for sequence, plan in zip(sequences, plans, strict=True):
        payoff = payoff * plan[sequence]
    return payoff


def _joined(parts: list[Array]) -> Array:
    return jnp.concatenate(parts) if parts else jnp.zeros(0)
