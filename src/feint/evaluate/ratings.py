"""Who is better, from what everyone wins off everyone: one number each, and where no such numbers can tell it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from feint.evaluate.measure import Measure

CrossTable = Mapping[tuple[str, str], Measure]
"""What the first of two named players wins off the second, who takes all other seats."""
ROUNDING = 1e-9
"""Chips per hand that exact winnings may be off by rounding."""
MOST_CIRCLES = 1000
"""Circles that are told of: there can be more than anybody could look at, or wait for."""


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
    """The shortest circles in which each player surely beats the next and the last the first, each told once.

    A circle begins with whoever of its players is named first; of more than `MOST_CIRCLES` the first are told. Two who
    beat each other, as they can where more than two play, are even.
    """
    surely = {(one, two) for one in names for two in names if one != two and beats(won[one, two])}
    beaten = {one: [two for two in names if (one, two) in surely and (two, one) not in surely] for one in names}
    found, shortest = list[tuple[str, ...]](), len(names)
    for place, first in enumerate(names):
        away = _wins_to(first, names[place:], beaten)  # circles with those named before are told of already
        length = min((1 + away[two] for two in beaten[first] if two in away), default=len(names) + 1)
        if length < shortest:
            found, shortest = [], length
        if length == shortest:
            found += islice(_rings((first,), length, away, beaten), MOST_CIRCLES - len(found))
    return found


def _wins_to(goal: str, names: Sequence[str], beaten: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many wins lead from a player to one of them at least, by players from whom any do."""
    away, reached = {goal: 0}, {goal}
    while reached:
        reached = {one for one in names if one not in away and not reached.isdisjoint(beaten[one])}
        away |= dict.fromkeys(reached, max(away.values()) + 1)
    return away


def _rings(
    path: tuple[str, ...], length: int, away: Mapping[str, int], beaten: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """The circles that begin with a path: each step of theirs comes nearer to its begin, so none is taken in vain."""
    if len(path) == length:
        yield path
        return
    for two in beaten[path[-1]]:
        if away.get(two) == length - len(path):
            yield from _rings((*path, two), length, away, beaten)
