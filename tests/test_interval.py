"""Intervals hold for whoever looks on and stops when they like, which those for a fixed number of deals do not."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from feint.arena.policy import Always, Uniform
from feint.arena.tables import build_arena
from feint.evaluate.interval import FEWEST, reach
from feint.evaluate.match import match
from feint.evaluate.measure import ESTIMATE, LOWER_BOUND, Measure, Pace, bound_by_play

SEEDS, DEALS, LOOK = 2000, 2000, 20


def winnings(kind: str) -> np.ndarray:
    """What is won on each deal of many judgements, the truth being 0: pots won and lost, or skewed as a bluffer's."""
    rng = np.random.default_rng(0)
    if kind == "pots":
        return rng.choice([-8.0, -2.0, -1.0, 0.0, 1.0, 2.0, 8.0], (SEEDS, DEALS))
    return rng.exponential(size=(SEEDS, DEALS)) - 1.0


@pytest.mark.parametrize("kind", ["pots", "skewed"])
def test_whoever_stops_at_the_best_look_is_told_the_truth(kind):
    """Whoever ever sees the truth outside is wrong: someone who wants a high number stops there, or a low one."""
    won = winnings(kind)
    steps = np.arange(1, DEALS + 1)
    mean = won.cumsum(1) / steps
    error = np.sqrt(np.maximum((won**2).cumsum(1) / steps - mean**2, 0.0) / (steps - 1).clip(1))
    looks = range(LOOK, DEALS + 1, LOOK)

    def wrong(asked):
        off = [error[:, n - 1] * reach(1.0, n, asked) for n in looks]
        return (np.abs(mean[:, [n - 1 for n in looks]]) > np.stack(off, 1)).any(1).mean()

    assert wrong(DEALS) <= 0.05
    assert wrong(None) > 0.25, "looked at so often, an interval for a fixed number of deals is often wrong"


def test_at_the_end_it_costs_little_to_have_looked_on():
    assert reach(1.0, 1000) == pytest.approx(1.962, abs=1e-3)
    assert reach(1.0, 1000, 1000) == pytest.approx(2.057, abs=1e-3)
    assert 3.5 < reach(1.0, 100, 1000) < reach(1.0, 999, 1000) < 4.0


def test_a_few_deals_tell_no_interval_on_the_way():
    assert reach(1.0, FEWEST - 1, 1000) == math.inf
    assert reach(0.0, FEWEST, 1000) == math.inf, "nothing varied so far"
    assert reach(0.0, 1000, 1000) == 0
    assert math.isfinite(reach(1.0, FEWEST, 1000))


def test_what_was_left_on_the_way_says_so():
    won = np.random.default_rng(0).normal(size=(100, 2))
    whole, left = bound_by_play(won, 100), bound_by_play(won, 1000)
    assert (whole.hands, whole.asked) == (200, None)
    assert (left.hands, left.asked) == (200, 2000)
    assert left.high - left.low > 1.5 * (whole.high - whole.low)
    assert "over 200 hands: a lower bound" in str(whole)
    assert "over 200 of 2,000 hands: a lower bound" in str(left)


@pytest.mark.parametrize(
    ("half", "words"),
    [
        (0.0, "1,515 ± 0 mbb/h"),
        (0.00001, "1,515.4600 ± 0.0000 mbb/h"),
        (0.02, "1,515.46 ± 0.02 mbb/h"),
        (0.4, "1,515.5 ± 0.4 mbb/h"),
        (1.0, "1,515 ± 1 mbb/h"),
        (23.7, "1,515 ± 24 mbb/h"),
        (math.inf, "1,515 ± inf mbb/h"),
    ],
)
def test_numbers_have_as_many_decimals_as_show_how_narrow_their_interval_is(half, words):
    found = Measure("winnings", 1515.46, "mbb/h", ESTIMATE, 1515.46 - half, 1515.46 + half)
    assert found.words == words
    assert found.half == pytest.approx(half)
    assert Measure("winnings", 1515.46, "mbb/h", ESTIMATE).half is None


def test_bounds_have_as_many_decimals():
    found = Measure("exploitability", 3.26, "mbb/h", LOWER_BOUND, 3.06, 3.46)
    assert found.words == "at least 3.1 mbb/h (a best response won 3.3, 3.1 to 3.5)"


def test_a_match_that_is_looked_at_may_be_stopped(tree_of, monkeypatch):
    arena, told = build_arena(tree_of("kuhn")), []
    one, other = Uniform(arena), Always(arena, 1, 1)
    monkeypatch.setattr("feint.evaluate.match.DEALS", {"cpu": 60, "gpu": 60})
    alone = match(arena, one, other, 600)
    watched = match(arena, one, other, 600, progress=told.append)
    assert [each.deals for each in told] == [60, 120, 180, 240, 300]
    assert [each.winnings.asked for each in told] == [600, 600, 600, 600, None]
    assert told[0].interval == (-math.inf, math.inf)
    widths = [(each.interval[1] - each.interval[0]) / each.error for each in (*told[1:], alone)]
    assert widths[:3] == pytest.approx([2 * reach(1.0, deals, 300) for deals in (120, 180, 240)])
    assert widths[3] == pytest.approx(2 * reach(1.0, 300, 300))
    assert widths[4] == pytest.approx(2 * reach(1.0, 300))
    assert (watched.mean, watched.error) == (alone.mean, alone.error)


@pytest.mark.parametrize("hands", [20, 400])
def test_a_match_stopped_early_says_how_early(call, monkeypatch, hands):
    def stopped(arena, one, other, asked, seed, progress):
        progress(replace(match(arena, one, other, hands, seed), asked=asked // 2))
        raise KeyboardInterrupt

    monkeypatch.setattr("feint.evaluate.match.match", stopped)
    _, out, _ = call("match", "feint:kuhn", "random", "--hands", "100000")
    assert f"over {hands} of 100,000 hands of kuhn" in out
    assert ("± ? mbb/h" in out) == (hands == 20)
    told = json.loads(call("match", "feint:kuhn", "random", "--hands", "100000", "--json")[1])
    assert (told["hands"], told["asked"], told["error"] is None) == (hands, 100_000, hands == 20)


def test_how_long_it_takes_is_told_once_it_is_known(monkeypatch):
    """The first part may have been slow for being compiled."""
    clock = iter([100.0, 110.0, 400.0, 500.0])
    monkeypatch.setattr("feint.evaluate.measure.time.monotonic", lambda: next(clock))
    pace = Pace()
    left = [pace.left(done, 1000) for done in (100, 200, 400, 1000)]
    assert left == ["", ", about 80 s left", ", about 10 min left", ""]
