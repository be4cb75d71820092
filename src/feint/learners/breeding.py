"""Networks as rows of numbers, all their weights: how rows are crossed and mutated, and the hall of fame."""

from __future__ import annotations

from itertools import pairwise
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from feint.learners.memory import last_wins
from feint.learners.networks import Network

Genes = Float[Array, "_ w"]
"""Networks of one shape, a row for each."""


def as_network(genes: Float[Array, " w"], like: Network) -> Network:
    """The network with these weights, in the shape of another, whose leaves need not hold anything."""
    leaves, structure = jax.tree.flatten(like)
    ends = np.cumsum([0, *(leaf.size for leaf in leaves)]).tolist()
    parts = [genes[start:end].reshape(leaf.shape) for leaf, (start, end) in zip(leaves, pairwise(ends), strict=True)]
    network: Network = jax.tree.unflatten(structure, parts)
    return network


def crossed(one: Genes, other: Genes, key: PRNGKeyArray) -> Genes:
    """A network somewhere between two each, as far from the second as its weights are on the way to the first."""
    return other + jax.random.uniform(key, (len(one), 1), jnp.float32) * (one - other)


def mutated(genes: Genes, rate: float, spread: float, key: PRNGKeyArray) -> Genes:
    """A share of all weights drawn anew, with this standard deviation.

    They are not moved from where they are: an output that has fallen silent, as a fold does while nobody bluffs, needs
    to come back when it is wanted, and small steps would not take it there.
    """
    choosing, drawing = jax.random.split(key)
    anew = spread * jax.random.normal(drawing, genes.shape, jnp.float32)
    return jnp.where(jax.random.uniform(choosing, genes.shape, jnp.float32) < rate, anew, genes)


@final
class Hall(eqx.Module):
    """A hall of fame."""

    genes: Genes
    """A row for each place, of which the first ones are taken."""
    entered: Int[Array, ""]
    """How many have ever entered."""

    @property
    def taken(self) -> Int[Array, ""]:
        return jnp.minimum(self.entered, len(self.genes))

    def some(self, number: int, key: PRNGKeyArray) -> Genes:
        """So many of them at random; they mean nothing while nobody has entered."""
        return self.genes[jax.random.randint(key, (number,), 0, jnp.maximum(self.taken, 1))]

    def after(self, newcomers: Genes, key: PRNGKeyArray) -> Hall:
        """The hall once others have entered, who in a full one take anyone's place."""
        number, places = len(newcomers), len(self.genes)
        free = self.entered + jnp.arange(number)
        place = jnp.where(free < places, free, jax.random.randint(key, (number,), 0, places))
        place = last_wins(place)  # of those who take the same one, or devices would not agree on it
        return Hall(
            self.genes.at[jnp.where(place < 0, places, place)].set(newcomers, mode="drop"), self.entered + number
        )
