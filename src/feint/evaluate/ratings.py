"""Who is better, from what everyone wins off everyone: one number each, and where no such numbers can tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations, product

import numpy as np

from feint.evaluate.measure import Measure

CrossTable = Mapping[tuple[str, str], Measure]
"""What the first of two named players wins off the second, who takes all other seats."""
ROUNDING = 1e-9
"""Chips per hand that exact winnings may be off by rounding."""


def means(names: Sequence[str], won: CrossTable) -> dict[str, float]:
    """What each player wins off the others, in the mean over them."""
    return {one: float(np.mean([won[one, other].value for other in names if other != one])) for one in names}


def ratings(names: Sequence[str], won: CrossTable) -> tuple[dict[str, float], float]:
    """Numbers whose differences are as near as can be (least squares) to what players win off each other.

    They sum to nothing. Beside them, which share of all winnings, squared, they explain: 1 where everyone wins just the
    difference, less where who meets whom matters more than who is good.
    """
    gaps = np.array([[0.0 if one == two else _gap(won, one, two) for two in names] for one in names])
    rated = gaps.mean(1)  # what least squares come to where everyone meets everyone
    total, left = (gaps**2).sum(), ((gaps - (rated[:, None] - rated[None])) ** 2).sum()
    return dict(zip(names, rated.tolist(), strict=True)), float(1 - left / total) if total else 1.0


def _gap(won: CrossTable, one: str, two: str) -> float:
    """By how much one does better against the other than the other way round; what one wins, where that is zero-sum."""
    return (won[one, two].value - won[two, one].value) / 2


def beats(measure: Measure) -> bool:
    """Whether winnings are above nothing for sure: exactly so, or by all of their 95% interval."""
    low = measure.value if measure.low is None else measure.low
    return low > ROUNDING


def cycles(names: Sequence[str], won: CrossTable) -> list[tuple[str, ...]]:
    """The shortest circles in which each player surely beats the next and the last the first, each told once."""
    sure = {(one, two) for one, two in product(names, repeat=2) if one != two and beats(won[one, two])}
    for length in range(3, len(names) + 1):
        found = [
            ring
            for ring in permutations(names, length)
            if names.index(ring[0]) == min(map(names.index, ring))
            and all(pair in sure for pair in zip(ring, (*ring[1:], ring[0]), strict=True))
        ]
        if found:
            return found
    return []
