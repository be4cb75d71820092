"""How far luck reaches: 95% intervals of a mean that hold at the end, and for whoever looks on and stops as they like.

An interval for a number of deals fixed in advance is right in 95 of 100 cases at that number. Looked at again and again
it is wrong somewhere far more often, and whoever stops where it looks best finds that place. So of the 5 in 100 one is
for all looks on the way together and four are for the end: wherever one stops, and for whatever reason, the interval
told there is wrong in 5 of 100 cases at most.

On the way that takes a *confidence sequence*, Robbins' normal mixture with the deviation estimated: Waudby-Smith,
Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences" (Annals of
Statistics, 2024). Like the interval at the end it leans on the central limit theorem, so the first few deals tell none.
"""

from __future__ import annotations

import math

from scipy import stats

WRONG, ON_THE_WAY = 0.05, 0.01
"""How often intervals may be wrong, and how much of that goes to all looks on the way together."""
FEWEST = 100
"""Deals before which there is no interval on the way."""
EARLY = 115.0
"""Where the mixture is narrowest: at a tenth of the deals asked for. Later it loses little, earlier more."""


def reach(error: float, deals: int, asked: int | None = None) -> float:
    """Half of the interval of a mean over so many deals with this standard error.

    `asked` is how many deals are to be played, where anyone may look on and stop before; None where nobody does.
    """
    if asked is None or deals >= asked:
        wrong = WRONG if asked is None else WRONG - ON_THE_WAY
        return float(stats.t.ppf(1 - wrong / 2, deals - 1)) * error
    if deals < FEWEST or error == 0:  # nothing is known yet of how far deals differ
        return math.inf
    grown = EARLY * deals / asked
    return error * math.sqrt(2 * (1 + 1 / grown) * math.log(math.sqrt(1 + grown) / ON_THE_WAY))
