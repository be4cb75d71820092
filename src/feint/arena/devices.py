"""Batches over several devices: each takes an equal part of the rows, and the compiler adds up what they come to.

Code that works on a batch says where the batch is (`shared`) and where everyone needs all of it (`whole`). Both do
nothing unless code is traced under a mesh with an axis for tables, which `feint train --devices` sets up, so that
whoever has one device pays nothing for it.
"""

from __future__ import annotations

from typing import TypeVar

import jax
from jax.sharding import PartitionSpec

TABLES = "tables"
"""The axis of devices that a batch is laid over."""

Batch = TypeVar("Batch")


def shared(batch: Batch) -> Batch:
    """A batch, its rows shared out among the devices."""
    return _laid(batch, PartitionSpec(TABLES))


def whole(arrays: Batch) -> Batch:
    """Arrays that every device holds all of."""
    return _laid(arrays, PartitionSpec())


def _laid(arrays: Batch, over: PartitionSpec) -> Batch:
    if TABLES not in jax.sharding.get_abstract_mesh().axis_names:
        return arrays
    laid: Batch = jax.tree.map(lambda leaf: jax.lax.with_sharding_constraint(leaf, over), arrays)
    return laid
