"""Numbers that are known, on the device."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Shaped
from numpy.typing import ArrayLike


def on_device(values: ArrayLike, dtype: Any = None) -> Shaped[Array, "..."]:
    """An array of these numbers, for what is built once.

    `jnp.asarray` compiles a conversion for every shape that is new, and a tree has hundreds of them.
    """
    array: Array = jax.device_put(np.asarray(values, dtype), may_alias=False)
    return array
