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

from collections.abc import Callable, Sequence
from typing import NamedTuple, final

import equinox as eqx
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
    """Information sets of one player at one depth with `moves` legal moves each."""

    start: int = eqx.field(static=True)
    """Where the block's sequences begin in the player's vectors."""
    moves: int = eqx.field(static=True)
    rows: int = eqx.field(static=True)
    """How many information sets the block has."""
    parent: Int[Array, " rows"]
    """The player's sequence before each information set, counted within the depth above; unused at depth 0."""
    payoff: Float[Array, "terminals moves rows"]
    """Chance-weighted payoffs of the terminals that follow each sequence directly; 0 where there are fewer."""
    stake: Float[Array, "terminals moves rows"]
    """The same, were all of them gains: what rounding in them is to be measured by."""
    others: Int[Array, "others terminals moves rows"]
    """The other players' last sequences at those terminals."""
    child: Int[Array, "children moves rows"]
    """The player's next information sets after each sequence, counted within the depth below."""

    def of(self, vector: Num[Array, " _"]) -> Num[Array, "moves rows"]:
        """The block's part of a vector."""
        return vector[self.start : self.start + self.moves * self.rows].reshape(self.moves, self.rows)


Choose = Callable[[Block, Float[Array, "moves rows"]], Float[Array, " rows"]]
"""What an information set is worth, given what its moves are worth."""


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

    depths: tuple[tuple[Block, ...], ...]
    cells: Int[Array, " s"]
    """Where each sequence stands in a flattened strategy table."""
    idle_payoff: Float[Array, " t"]
    """Chance-weighted payoffs of the terminals that come before the player's first move."""
    idle_others: Int[Array, "others t"]
    """The other players' last sequences at those terminals."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(block for depth in self.depths for block in depth)

    def each(self, function: Callable[[Block], Float[Array, "moves rows"]]) -> Vector:
        """A vector made block by block."""
        return _joined([function(block).ravel() for block in self.blocks])

    def normalise(self, weights: Vector) -> Vector:
        """Non-negative weights as move probabilities; uniform where they are all zero."""

        def probabilities(block: Block) -> Float[Array, "moves rows"]:
            part = block.of(weights)
            total = part.sum(0)
            return jnp.where(total > 0, part / jnp.where(total > 0, total, 1.0), 1.0 / block.moves)

        return self.each(probabilities)

    def plan(self, strategy: Vector) -> Float[Array, " s+1"]:
        """The plan of a behaviour strategy: one sweep down the player's own depths."""
        depths: list[Vector] = []
        for depth in self.depths:
            parts = [block.of(strategy) for block in depth]
            if depths:
                parts = [part * depths[-1][block.parent] for part, block in zip(parts, depth, strict=True)]
            depths.append(_joined([part.ravel() for part in parts]))
        return jnp.concatenate([*depths, jnp.ones(1)])

    def backup(self, others: Sequence[Plan], choose: Choose) -> Worth:
        """One sweep up. With `choose` an expectation the advantage is the instantaneous regret; with a maximum, a best
        response's.
        """
        advantages: list[Vector] = []
        sizes: list[Vector] = []
        below: tuple[Float[Array, " rows"], Float[Array, " rows"]] | None = None
        for depth in reversed(self.depths):
            worths, largest = [], []
            for block in reversed(depth):
                worth, size = (_weighted(part, block.others, others).sum(0) for part in (block.payoff, block.stake))
                if below is not None and len(block.child):
                    worth, size = worth + below[0][block.child].sum(0), size + below[1][block.child].sum(0)
                chosen = choose(block, worth)
                worths.append(chosen)
                largest.append(size.max(0))
                advantages.append((worth - chosen).ravel())
                sizes.append(size.ravel())
            none = jnp.zeros(1)
            below = jnp.concatenate([*reversed(worths), none]), jnp.concatenate([*reversed(largest), none])
        value = _weighted(self.idle_payoff, self.idle_others, others).sum()
        if below is not None:
            value = value + below[0].sum()
        return Worth(_joined(advantages[::-1]), _joined(sizes[::-1]), value)

    def best(self, others: Sequence[Plan]) -> Worth:
        """What moves are worth to who plays on as well as can be."""
        return self.backup(others, lambda _, worth: worth.max(0))

    def expected(self, strategy: Vector) -> Choose:
        """Worth under a behaviour strategy, for `backup`."""
        return lambda block, worth: (block.of(strategy) * worth).sum(0)

    def per_infoset(self, vector: Vector) -> Float[Array, " rows"]:
        """Sums over the moves of each information set, in the order of `infosets`."""
        return _joined([block.of(vector).sum(0) for block in self.blocks])

    def pure(self, worth: Worth) -> Vector:
        """The strategy that takes the first best move everywhere; differences that rounding can make are ties.

        What rounding can make is a share of what was added up, however rarely the others let it come to this.
        """

        def best(block: Block) -> Float[Array, "moves rows"]:
            part, size = block.of(worth.advantage), block.of(worth.size)
            first = (part >= part.max(0) - ROUNDING * size.max(0)).argmax(0)
            return (jnp.arange(block.moves)[:, None] == first).astype(part.dtype)

        return self.each(best)

    def infosets(self, moves: int) -> Int[Array, " rows"]:
        """The number of each information set, in the order of `per_infoset`, for tables with `moves` columns."""
        return (_joined([block.of(self.cells)[0] for block in self.blocks]) // moves).astype(jnp.int32)


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


def _weighted(payoff: Array, sequences: Array, plans: Sequence[Plan]) -> Array:
    """Payoffs times the other players' plans."""
    for sequence, plan in zip(sequences, plans, strict=True):
        payoff = payoff * plan[sequence]
    return payoff


def _joined(parts: list[Array]) -> Array:
    return jnp.concatenate(parts) if parts else jnp.zeros(0)
