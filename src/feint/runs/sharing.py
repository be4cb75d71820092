"""Several devices for one run: seeds side by side, or the tables and minibatches of one seed.

Seeds know nothing of each other, so that each device trains some of them and nothing is exchanged. Of one seed every
device plays some of the tables and learns from some rows of every minibatch; networks and memories are everywhere, and
what the devices come to is added up at every step. Sums in another order round otherwise, and nothing else differs: so
where a run is trained is no part of what it is, and it goes on with any number of devices.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, PartitionSpec

from feint.arena.devices import TABLES
from feint.games.errors import BadInput
from feint.runs.config import RunConfig
from feint.solvers.algorithm import Algorithm

SEEDS = "seeds"
"""The axis of devices that seeds are laid over."""


@final
@dataclass(frozen=True)
class Sharing:
    """How a run is shared out among devices: by seeds where there are many, else by tables, or not at all."""

    many: bool
    """Whether there are several seeds."""
    mesh: Mesh | None = None

    def each(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of one seed as one of all of them."""
        if not self.many:
            return function
        seeds = jax.vmap(function)
        if self.mesh is None:
            return seeds
        over = PartitionSpec(SEEDS)
        apart: Callable[..., Any] = jax.shard_map(seeds, mesh=self.mesh, in_specs=over, out_specs=over, check_vma=False)
        return apart

    def here(self) -> AbstractContextManager[Any]:
        """Where batches inside of compiled code are shared out."""
        return nullcontext() if self.mesh is None or self.many else jax.set_mesh(self.mesh)


def share_out(solver: Algorithm[Any], config: RunConfig, home: jax.Device | None) -> Sharing:
    """Find the devices that a run asks for, like the one where it is at `home`; refuse what cannot be shared out."""
    count, many = config.devices, config.seeds > 1
    if count == 1:
        return Sharing(many)
    there = jax.local_devices(backend=home.platform if home else None)
    if count > len(there):
        kind = there[0].platform
        more = f"; XLA_FLAGS=--xla_force_host_platform_device_count={count} makes so many of a processor"
        raise BadInput(
            f"--devices {count} needs {count} devices, but there {'is' if len(there) == 1 else 'are'} {len(there)} "
            f"({kind}); ask for no more{more if kind == 'cpu' else ''}."
        )
    batches = {"--seeds": config.seeds} if many else solver.batches
    if not batches:
        raise BadInput(
            f"{config.algorithm} on {config.game} plays no tables that {count} devices could share; give --seeds "
            f"{count} to train a seed on each, or leave out --devices."
        )
    for name, size in batches.items():
        if size % count:
            raise BadInput(f"{name} must be a multiple of the {count} devices that share it, but it is {size}.")
    return Sharing(many, Mesh(np.array(there[:count]), (SEEDS if many else TABLES,), axis_types=(AxisType.Auto,)))
