"""What judges say who can only bound exploitability."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

from jaxtyping import Float
from numpy import ndarray
from scipy import stats


@final
@dataclass(frozen=True)
class Bound:
    """What an opponent who knows a strategy wins off it, averaged over the seats: a strategy loses at least that.

    In a zero-sum game no opponent wins more than exploitability, which is NashConv / players.
    """

    value: float
    low: float
    """Where the 95% interval of the value begins: exploitability is at least this, but for bad luck with the cards."""
    high: float
    hands: int
    unit: str = "chips per hand"
    kind: str = "lower bound"

    def in_big_blinds(self, big_blind: float) -> Bound:
        """The same in thousandths of a big blind per hand."""
        scale = 1000 / big_blind
        return replace(self, value=self.value * scale, low=self.low * scale, high=self.high * scale, unit="mbb/h")

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g}) {self.unit}, {self.kind}, {self.hands:,} hands"


def bound_by_play(won: Float[ndarray, "d p"]) -> Bound:
    """The bound from what was won on each of many independent deals in each seat, in chips."""
    by_deal = won.mean(1)
    value, error = float(by_deal.mean()), float(by_deal.std(ddof=1)) / math.sqrt(len(by_deal))
    reach = float(stats.t.ppf(0.975, len(by_deal) - 1)) * error
    return Bound(value, value - reach, value + reach, won.size)
