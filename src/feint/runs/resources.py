"""Where a run is at home, and whether it fits into memory there, worked out before any of that is taken."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax

from feint.forms.form import Form
from feint.games.errors import BadInput
from feint.runs.config import RunConfig, flat
from feint.solvers.algorithm import Algorithm, Config
from feint.tree.memory import gigabytes, memory

COPIES = 2
"""A state is held twice while it is set up and while it is saved."""
MANY = 10_000_000
"""Where a setting asks for more of anything, steps are looked at before the compiler, which crashes, sees them."""


SMALL = 30_000
"""Trees of fewer nodes are swept faster by a processor: an accelerator takes longer to be asked than to answer."""


def device_for(asked: Config, form: Form) -> jax.Device | None:
    """Where a run is faster; None for where JAX would have it."""
    nodes = form.tree.nodes if form.tree else None
    if not on_processor(jax.default_backend(), asked.needs_tree, nodes):
        return None
    try:
        return jax.local_devices(backend="cpu")[0]
    except RuntimeError:  # JAX was told to leave it alone
        return None


def on_processor(backend: str, sweeps: bool, nodes: int | None) -> bool:
    """Whether to leave an accelerator for the processor: for algorithms that sweep over small trees."""
    return backend != "cpu" and sweeps and nodes is not None and nodes < SMALL


def check_room(solver: Algorithm[Any], config: RunConfig) -> None:
    """Refuse a run whose states, or the largest array of whose steps, do not fit."""
    with _traced(config):
        state = jax.eval_shape(lambda: solver.init(jax.random.key(0)))
    sizes = {jax.tree_util.keystr(place): _size(leaf) for place, leaf in jax.tree_util.tree_leaves_with_path(state)}
    most = max(sizes, key=lambda place: sizes[place])
    _refuse(COPIES * config.seeds * sum(sizes.values()), f"state{most} most of all", config)
    if any(isinstance(value, int) and value > MANY for value in flat(config.settings).values()):
        with _traced(config):
            step = jax.make_jaxpr(lambda state: solver.step(state))(state).jaxpr
        _refuse(config.seeds * max(_made(step), default=0), "its steps most of all", config)


@contextmanager
def _traced(config: RunConfig) -> Iterator[None]:
    """What there cannot be as many of is met in many ways, all told in a sentence."""
    try:
        yield
    except BadInput:
        raise
    except Exception as error:
        first = next(iter(str(error).splitlines()), "")
        raise BadInput(
            f"{config.algorithm} cannot be set up with these settings ({type(error).__name__}: {first[:100]}); "
            f"choose smaller ones."
        ) from error


def check_steps(needed: int, config: RunConfig) -> None:
    """Refuse a run whose steps, as they were compiled, need more bytes on their way than there are."""
    _refuse(needed, "its steps most of all", config)


def _size(array: Any) -> int:
    return int(math.prod(array.shape) * array.dtype.itemsize)


def _made(code: Any) -> Iterator[int]:
    """The size of every array that traced code makes, loops and branches included."""
    for line in code.eqns:
        yield from (_size(made.aval) for made in line.outvars)
        for inner in jax.tree.leaves(list(line.params.values()), is_leaf=lambda part: hasattr(part, "eqns")):
            if hasattr(inner, "eqns"):
                yield from _made(inner)


def _refuse(needed: int, most: str, config: RunConfig) -> None:
    free = memory()
    if free is not None and needed > free:
        seeds = f" with {config.seeds:,} seeds" if config.seeds > 1 else ""
        raise BadInput(
            f"{config.algorithm} on {config.game}{seeds} needs {gigabytes(needed)} of memory ({most}), but "
            f"{gigabytes(free)} are free; choose smaller settings{' or fewer seeds' if seeds else ''}."
        )
