"""Showdowns on an NVIDIA card: who beats whom is worked out where it is multiplied, and never written down."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu
from jaxtyping import Array, Bool, Float

LINES, OTHERS, HANDS = 64, 32, 128
"""How many lines, hands that are met, and hands that meet them one program looks at together."""
PARTS = 3
"""Into how many bfloat16 numbers a float32 number is split: three have all its digits."""


def won_less_lost(
    reach: Float[Array, "b t h"], strength: Float[Array, "b h"], apart: Bool[Array, "h h"], interpret: bool = False
) -> Float[Array, "b t h"]:
    """How often each hand wins less how often it loses, against others that come as often as `reach` says."""
    boards, lines, hands = reach.shape
    step = min(LINES, max(16, 1 << (lines - 1).bit_length()))
    more_lines, more_hands = -lines % step, -hands % HANDS
    reach = jnp.pad(reach, ((0, 0), (0, more_lines), (0, more_hands)))
    strength = jnp.pad(strength, ((0, 0), (0, more_hands)))
    apart = jnp.pad(apart.astype(jnp.bfloat16), ((0, more_hands),) * 2)
    _, all_lines, others = reach.shape
    made: Float[Array, "b t h"] = pl.pallas_call(
        _kernel,
        out_shape=jax.ShapeDtypeStruct(reach.shape, jnp.float32),
        grid=(others // HANDS, all_lines // step, boards),
        in_specs=[
            pl.BlockSpec((None, step, others), lambda hands, lines, board: (board, lines, 0)),
            pl.BlockSpec((None, others), lambda hands, lines, board: (board, 0)),
            pl.BlockSpec((None, HANDS), lambda hands, lines, board: (board, hands)),
            pl.BlockSpec((others, HANDS), lambda hands, lines, board: (0, hands)),
        ],
        out_specs=pl.BlockSpec((None, step, HANDS), lambda hands, lines, board: (board, lines, hands)),
        compiler_params=plgpu.CompilerParams(num_warps=4, num_stages=3),
        interpret=interpret,
    )(reach, strength, strength, apart)
    return made[:, :lines, :hands]


def _kernel(reach: Any, others: Any, mine: Any, apart: Any, out: Any) -> None:
    strength = mine[...]

    def step(turn: Any, total: Any) -> Any:
        here = pl.ds(turn * OTHERS, OTHERS)
        better = jnp.clip(strength[None, :] - others[here][:, None], -1.0, 1.0)
        sign = better.astype(jnp.bfloat16) * apart[here, :]
        left = reach[:, here]
        for _ in range(PARTS):
            head = left.astype(jnp.bfloat16)
            total += jax.lax.dot(head, sign, preferred_element_type=jnp.float32)
            left = left - head.astype(jnp.float32)
        return total

    out[...] = jax.lax.fori_loop(0, others.shape[0] // OTHERS, step, jnp.zeros(out.shape, jnp.float32))
