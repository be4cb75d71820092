"""What states and strategies hold, array by array, to be written down and read back."""

from __future__ import annotations

from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from feint.tree.arrays import on_device

State = TypeVar("State")


def leaves_of(state: Any) -> dict[str, Any]:
    """Every array by its place; random keys as their words."""
    return {jax.tree_util.keystr(place): _plain(leaf) for place, leaf in jax.tree_util.tree_leaves_with_path(state)}


def restored(arrays: dict[str, np.ndarray], like: State) -> State:
    """Arrays by place in the shape of `like`, whose leaves need not hold anything."""

    def restore(place: Any, leaf: Any) -> Any:
        name = jax.tree_util.keystr(place)
        value, plain = arrays[name], _plain(leaf)
        if value.shape != plain.shape or value.dtype != plain.dtype:
            raise ValueError(f"{name} is {value.dtype}{value.shape}, not {plain.dtype}{plain.shape}")
        return jax.random.wrap_key_data(on_device(value)) if _is_key(leaf) else on_device(value)

    state: State = jax.tree_util.tree_map_with_path(restore, like)
    return state


def _plain(leaf: Any) -> Any:
    return jax.random.key_data(leaf) if _is_key(leaf) else leaf


def _is_key(leaf: Any) -> bool:
    return bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key))
