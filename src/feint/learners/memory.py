"""Memories that learners sample from, filled in batches but exact: each batch leaves what inserting its rows one
by one would have left, in distribution and, for the circular buffer, to the bit.

A memory holds any pytree of arrays, one row for each item. All have one shape: `slots` says where a batch's rows go,
−1 for rows that are not kept, never the same slot twice.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, PRNGKeyArray

from feint.arena.devices import shared

Item = TypeVar("Item")


class Memory(NamedTuple, Generic[Item]):
    """Rows, and how many have ever been offered."""

    rows: Item
    """Arrays of `capacity` rows each."""
    seen: Int[Array, ""]
    """Items offered so far, 64-bit: long runs pass 2³¹."""

    @property
    def capacity(self) -> int:
        return int(jax.tree.leaves(self.rows)[0].shape[0])

    @property
    def size(self) -> Int[Array, ""]:
        """Rows that hold something."""
        return jnp.minimum(self.seen, self.capacity)


def empty(item: Item, capacity: int) -> Memory[Item]:
    """A memory of rows like `item`, all blank."""
    rows = jax.tree.map(lambda leaf: jnp.zeros((capacity, *leaf.shape), leaf.dtype), item)
    return Memory(rows, jnp.zeros((), jnp.int64))


def circular_slots(seen: Int[Array, ""], capacity: int, offered: Bool[Array, " b"]) -> Int[Array, " b"]:
    """The newest rows replace the oldest."""
    order = jnp.cumsum(offered)
    slot = (seen + order - 1) % capacity
    overwritten = order + capacity <= order[-1]
    return jnp.where(offered & ~overwritten, slot, -1).astype(jnp.int32)


def reservoir_slots(
    seen: Int[Array, ""],
    capacity: int,
    offered: Bool[Array, " b"],
    key: PRNGKeyArray,
    least: float = 0.0,
    growth: float = 0.0,
) -> Int[Array, " b"]:
    """Vitter's reservoir: after m items each has been kept with probability capacity / m.

    With `growth` above 0 new items are taken 1 + growth times as often, and each pushes an old one out: item k is held
    with a probability in proportion to k^growth. (The first (1 + growth) · capacity items are all taken and follow no
    such law, but soon they are a small part.) With `least` above 0 it is an exponential reservoir: items are taken with
    at least that probability. Where two rows of the batch fall into one slot, the later wins, as it would one by one.
    """
    number = (seen + jnp.cumsum(offered)).astype(jnp.float64)
    accept = jnp.clip((1.0 + growth) * capacity / jnp.maximum(number, 1.0), least, 1.0)
    uniform = jax.random.uniform(key, offered.shape, jnp.float64)
    drawn = jnp.minimum((uniform / accept * capacity).astype(jnp.int32), capacity - 1)
    slot = jnp.where(number <= capacity, number.astype(jnp.int32) - 1, jnp.where(uniform < accept, drawn, -1))
    return last_wins(jnp.where(offered, slot, -1))


def last_wins(slot: Int[Array, " b"]) -> Int[Array, " b"]:
    """−1 in place of every slot that comes again later in the batch."""
    order = jnp.argsort(slot, stable=True)
    ordered = slot[order]
    repeated = jnp.concatenate([ordered[:-1] == ordered[1:], jnp.zeros(1, bool)])
    return jnp.zeros_like(slot).at[order].set(jnp.where(repeated, -1, ordered), unique_indices=True)


def insert(memory: Memory[Item], items: Item, slots: Int[Array, " b"], offered: Bool[Array, " b"]) -> Memory[Item]:
    """Write a batch's rows into their slots."""
    where = jnp.where(slots < 0, memory.capacity, slots)
    rows = jax.tree.map(
        lambda rows, new: rows.at[where].set(new.astype(rows.dtype), mode="drop"),
        memory.rows,
        items,
    )
    return Memory(rows, memory.seen + offered.sum())


def sample(memory: Memory[Item], key: PRNGKeyArray, count: int) -> Item:
    """`count` rows drawn uniformly, with replacement, from those that hold something."""
    # A float32 below 1 has 23 random bits: too few where there are more than 8 million rows.
    words = jax.random.bits(key, (count,), jnp.uint32).astype(jnp.uint64)
    row = ((words * memory.size.astype(jnp.uint64)) >> 32).astype(jnp.int32)
    drawn: Item = jax.tree.map(lambda rows: rows[row], memory.rows)
    return shared(drawn)
