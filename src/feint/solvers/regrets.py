"""How regret turns into play, whatever form the game is in.

The CFR family differs only in how the past is weighted (Brown & Sandholm 2019, discounted CFR): after iteration t,
positive regret sums are multiplied by t^alpha / (t^alpha + 1), negative ones by t^beta / (t^beta + 1), and the plan of
iteration t enters the average with weight t^gamma. Predictive CFR+ (Farina, Kroer & Sandholm 2021) plays as if the last
regret came once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, final

import jax.numpy as jnp
from jaxtyping import Array, Float


@final
@dataclass(frozen=True)
class Rule:
    """One of the family."""

    alpha: float
    beta: float
    gamma: float
    predictive: bool
    skip: int = 0
    """The first iterations, which do not enter the average."""

    def weight(self, time: Float[Array, ""]) -> Float[Array, ""]:
        """How much an iteration counts in the average."""
        weight = time**self.gamma
        return jnp.where(time > self.skip, weight, 0.0) if self.skip else weight

    def added(
        self, sums: Float[Array, "..."], regret: Float[Array, "..."], time: Float[Array, ""]
    ) -> Float[Array, "..."]:
        """The regret sums after an iteration, the past discounted."""
        total = sums + regret
        kept = [self._kept(exponent, time, total.dtype) for exponent in (self.alpha, self.beta)]
        return jnp.where(total > 0, total * kept[0], total * kept[1])

    def hoped(self, sums: Float[Array, "..."], regret: Float[Array, "..."] | None) -> Float[Array, "..."]:
        """What the next iteration plays in proportion to, given the regret of the last."""
        return jnp.maximum(sums + regret if self.predictive and regret is not None else sums, 0.0)

    @staticmethod
    def _kept(exponent: float, time: Float[Array, ""], dtype: Any) -> Any:
        if abs(exponent) == inf:
            return 1.0 if exponent > 0 else 0.0
        power = time**exponent
        # A power too large for a float keeps all; otherwise as published, to the last bit.
        return jnp.where(jnp.isinf(power), 1.0, power / (power + 1.0)).astype(dtype)


DISCOUNTED = Rule(alpha=1.5, beta=0.0, gamma=2.0, predictive=False)
"""Discounted CFR as Brown & Sandholm (2019) recommend it."""
