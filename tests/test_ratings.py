"""Who is better: ratings, and circles in which everybody beats the next."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from feint.evaluate.measure import CHIPS, EXACT, Measure
from feint.evaluate.ratings import MOST_CIRCLES, beats, cycles, means, ratings


def won_by(rows: dict[str, dict[str, float]], half: float | None = None) -> dict[tuple[str, str], Measure]:
    ends = (lambda v: (None, None)) if half is None else (lambda v: (v - half, v + half))
    return {(a, b): Measure("winnings", v, CHIPS, EXACT, *ends(v)) for a, row in rows.items() for b, v in row.items()}


def league_of(names: list[str], sure: set[tuple[str, str]]) -> dict[tuple[str, str], Measure]:
    """A league in which these beat those, and nobody else anybody."""
    return won_by({one: {two: float((one, two) in sure) for two in names if two != one} for one in names})


def circles_by_trying_all(names: list[str], sure: set[tuple[str, str]]) -> list[tuple[str, ...]]:
    for length in range(3, len(names) + 1):
        rings = [ring for ring in permutations(names, length) if names.index(ring[0]) == min(map(names.index, ring))]
        if found := [ring for ring in rings if sure.issuperset(zip(ring, (*ring[1:], ring[0]), strict=True))]:
            return found
    return []


def test_ratings_and_circles() -> None:
    straight = won_by({"a": {"b": 1.0, "c": 3.0}, "b": {"a": -1.0, "c": 2.0}, "c": {"a": -3.0, "b": -2.0}})
    rated, share = ratings("abc", straight)
    assert rated["a"] - rated["b"] == pytest.approx(1.0)
    assert rated["b"] - rated["c"] == pytest.approx(2.0)
    assert share == pytest.approx(1.0)
    assert means("abc", straight)["a"] == 2.0
    assert cycles("abc", straight) == []
    circle = {"a": {"b": 1.0, "c": -1.0}, "b": {"a": -1.0, "c": 1.0}, "c": {"a": 1.0, "b": -1.0}}
    assert cycles("abc", won_by(circle)) == [("a", "b", "c")]
    assert cycles("abc", won_by(circle, half=1.5)) == []  # luck could have done that
    assert ratings("abc", won_by(circle))[1] == pytest.approx(0.0)
    even = {"a": {"b": 1.0, "c": -1.0}, "b": {"a": 1.0, "c": 1.0}, "c": {"a": 1.0, "b": 1.0}}
    assert cycles("abc", won_by(even)) == []  # where more than two play, two can beat each other
    assert not beats(Measure("winnings", 1e-12, CHIPS, EXACT))


def test_circles_are_those_found_by_trying_all() -> None:
    luck = random.Random(20260301)
    names = list("caebdf")  # not in the order of the alphabet: a circle begins with whoever is named first
    lengths = set()
    for share in [0.2, 0.3, 0.4, 0.6] * 50:
        pairs = [(one, two) for one in names for two in names if names.index(one) < names.index(two)]
        sure = {pair if luck.random() < 0.5 else pair[::-1] for pair in pairs if luck.random() < share}
        found = cycles(names, league_of(names, sure))
        assert found == circles_by_trying_all(names, sure)
        lengths |= set(map(len, found))
    assert {3, 4} <= lengths


def test_circles_of_many_players_are_found_soon() -> None:
    names = [f"player {number}" for number in range(60)]
    better = {(one, two) for place, one in enumerate(names) for two in names[place + 1 :]}
    assert cycles(names, league_of(names, better)) == []
    ring = set(zip(names, [*names[1:], names[0]], strict=True))
    assert cycles(names, league_of(names, ring)) == [tuple(names)]
    # Twelve groups of five, each of which beats the next: 5 ** 12 circles, none of them shorter.
    around = {(one, two) for i, one in enumerate(names) for j, two in enumerate(names) if (j // 5 - i // 5) % 12 == 1}
    found = cycles(names, league_of(names, around))
    assert len(set(found)) == len(found) == MOST_CIRCLES
    assert {len(each) for each in found} == {12}
