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
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Num

Vector = Float[Array, " s"]
"""One number for each sequence of a player, in the form's order."""

ROUNDING = 1e-12
"""Worths closer than this, in chips per hand, are equal."""

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
    others: Int[Array, "others terminals moves rows"]
    """The other players' last sequences at those terminals."""
    child: Int[Array, "children moves rows"]
    """The player's next information sets after each sequence, counted within the depth below."""

    def of(self, vector: Num[Array, " _"]) -> Num[Array, "moves rows"]:
        """The block's part of a vector."""
        return vector[self.start : self.start + self.moves * self.rows].reshape(self.moves, self.rows)


Choose = Callable[[Block, Float[Array, "moves rows"]], Float[Array, " rows"]]
"""What an information set is worth, given what its moves are worth."""


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

    def backup(self, others: Sequence[Plan], choose: Choose) -> tuple[Vector, Float[Array, ""]]:
        """One sweep up: what each move is worth beyond its information set, and what the game is worth.

        Worth is counterfactual: weighted with the probability that chance and the other players play along. With
        `choose` an expectation the first result is the instantaneous regret; with a maximum, a best response's.
        """
        advantages: list[Vector] = []
        below: Float[Array, " rows"] | None = None
        for depth in reversed(self.depths):
            worths = []
            for block in reversed(depth):
                worth = _weighted(block.payoff, block.others, others).sum(0)
                if below is not None and len(block.child):
                    worth = worth + below[block.child].sum(0)
                chosen = choose(block, worth)
                worths.append(chosen)
                advantages.append((worth - chosen).ravel())
            below = jnp.concatenate([*reversed(worths), jnp.zeros(1)])
        value = _weighted(self.idle_payoff, self.idle_others, others).sum()
        if below is not None:
            value = value + below.sum()
        return _joined(advantages[::-1]), value

    def expected(self, strategy: Vector) -> Choose:
        """Worth under a behaviour strategy, for `backup`."""
        return lambda block, worth: (block.of(strategy) * worth).sum(0)

    def per_infoset(self, vector: Vector) -> Float[Array, " rows"]:
        """Sums over the moves of each information set, in the order of `infosets`."""
        return _joined([block.of(vector).sum(0) for block in self.blocks])

    def pure(self, worth: Vector) -> Vector:
        """The strategy that takes the first best move everywhere; differences that rounding can make are ties."""

        def best(block: Block) -> Float[Array, "moves rows"]:
            part = block.of(worth)
            first = (part >= part.max(0) - ROUNDING).argmax(0)
            return (jnp.arange(block.moves)[:, None] == first).astype(worth.dtype)

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
