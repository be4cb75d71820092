"""Reproductions of tree search and of anticipation: what is measured, and pages that say what records have."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import numpy as np
import pytest

import feint
from feint.forms.library import form_of
from feint.papers import anticipation, anticipation_claims, anticipation_page, monte_carlo
from feint.papers.anticipation_lag import EXACT
from feint.papers.library import papers
from feint.papers.monte_carlo_page import claim, page_of
from feint.papers.monte_carlo_trials import CONSTANTS, FULL, QUICK, asked, curve, likeliest, searched, seated
from feint.papers.records import Records, band
from feint.players.monte_carlo import Budget, MonteCarloPlayer
from feint.runs.loop import Unwatched
from feint.search.monte_carlo import Choice, Search
from feint.search.worlds import world_of


def test_both_are_found_by_name():
    assert {"monte-carlo", "anticipation"} <= set(papers())


def test_what_is_on_record_is_not_measured_again(tmp_path):
    records = Records(tmp_path / "rows.jsonl")
    assert records.row({"game": "kuhn", "stops": [1, 2]}, lambda: {"found": 3})["found"] == 3
    again = Records(tmp_path / "rows.jsonl")
    assert again.row({"game": "kuhn", "stops": [1, 2]}, lambda: pytest.fail("measured again"))["found"] == 3
    assert again.row({"game": "kuhn", "stops": [1, 3]}, lambda: {"found": 4})["found"] == 4
    assert [row["found"] for row in Records(tmp_path / "rows.jsonl").rows] == [3, 4]
    assert any("feint" in words for words in again.rows[0]["made_with"])
    assert (band([0.5]), band([3.0, 1.0, 2.0])) == ("0.500", "2.000 (1.000 to 3.000)")


def at_a_table(smooth, simulations):
    """Kuhn's tree, and players of it that have just sat down."""
    form = form_of("kuhn")
    world = world_of(form)
    choice, budget = Choice(0.7 * world.largest, smooth), Budget(simulations, None)
    return form.tree, lambda seed, luck: MonteCarloPlayer(world, choice, None, budget, smooth, luck)


@pytest.mark.parametrize("smooth", [True, False])
def test_players_at_a_table_are_judged_as_they_move(smooth):
    tree, sits = at_a_table(smooth, 60)
    table = searched(tree, sits, 0, 0)
    assert np.allclose(table.sum(1), 1)
    assert (table[~tree.legal] == 0).all()
    alone = feint.exploitability(tree, table if smooth else likeliest(tree, table))
    found = seated(tree, sits, smooth, seeds=2, searches=1)
    assert found["moves"][0] == pytest.approx(alone, rel=1e-3)
    assert (found["moves"] == found["shares"]) == smooth
    assert np.allclose(searched(tree, sits, 0, 0), table), "the same seed searches alike"


def test_more_searches_make_players_that_mix():
    """One search of `ismcts` at each decision is a pure strategy, several are what it does in the long run."""
    tree, sits = at_a_table(False, 20)
    tables = [likeliest(tree, searched(tree, sits, 0, number)) for number in range(6)]
    assert (np.mean(tables, 0).max(1) < 1).any()
    found = seated(tree, sits, False, seeds=1, searches=6)
    assert found["together"] == found["moves"][0]
    assert found["moves"][0] == pytest.approx(feint.exploitability(tree, np.mean(tables, 0)), rel=1e-3)


def test_trees_are_judged_on_their_way():
    form = form_of("kuhn")
    found = curve(Search(world_of(form), Choice(1.4, True)), form.tree, 0, [100, 2000])
    assert found["exploitability"][1] < found["exploitability"][0]
    assert len(found["likeliest"]) == len(found["seconds"]) == 2


def made_up(course):
    """Rows of every search, with a course of exploitability for smooth UCT and UCT."""
    rows = []
    for game in ("kuhn", "leduc"):
        for what in asked(game, FULL):
            row = what | {"made_with": ["here"], "exploitability": 0.25, "average": 0.5}
            if what["what"] == "trees":
                values = course[what["kind"]]
                row |= {"exploitability": values, "likeliest": values, "seconds": [1.0] * len(values)}
            if what["what"] == "player":
                row |= {"moves": [0.125, 0.25, 0.5], "shares": [0.5, 0.5, 0.5], "together": 0.125, "seconds": 6.0}
            rows.append(row)
    return rows


def test_claims_are_answered_from_records():
    falling, climbing = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1.0, 0.9, 0.8, 0.4, 0.5, 0.6, 0.7]
    for smooth, plain, verdict, times in ((falling, climbing, "holds", 1.7), (climbing, falling, "does not hold", 0.6)):
        rows = made_up({"smooth-uct": smooth, "uct": plain})
        assert claim(rows, "leduc", "smooth-uct", CONSTANTS[0])[-1] == verdict
        assert claim(rows, "leduc", "uct", CONSTANTS[0])[-1] == verdict
        text = page_of(rows)
        assert "| leduc | ismcts |  | as it moves | 0.250 (0.125 to 0.500) |" in text
        assert "| leduc | smooth-uct | 0.7 | 1.000 (1.000 to 1.000)" in text
        assert "nan" not in text
        ends = (
            f"overlap last after 10,000 simulations; after 1,000,000 UCT's median is {times} times that of smooth UCT"
        )
        assert " ".join(text.split()).count(ends) == 4


def test_what_values_change_is_said_by_seeds():
    rows = made_up({"smooth-uct": [1.0] * 7, "uct": [1.0] * 7})
    for row in rows:
        if row.get("values") and row["what"] == "trees" and row["kind"] == "uct":
            row["exploitability"] = [0.5, *[1.0] * 5, 1.5]
    text = page_of(rows)
    assert (
        "- uct on kuhn: after 1,000 simulations every seed is lower, after 1,000,000 simulations every seed is h"
        in text
    )
    assert "- smooth-uct on kuhn: after 1,000 simulations seeds overlap, after 1,000,000 simulations seeds" in text
    assert "- `ismcts` on leduc: with 100 seeds overlap, with 1,000 seeds overlap, with 10,000 seeds overlap." in text
    assert "these are exploitable by 1.000 on kuhn and 1.000 on leduc at least" in text


def test_shapley_settles_from_some_share_on():
    what = {"what": "exact", "game": "shapley", "alternating": False, "iterations": [100, 1000]}
    rows = [
        row | anticipation.exact(row) for row in (what | {"anticipation": share} for share in (0.0, 0.01, 0.1, 0.5))
    ]
    assert anticipation_claims.goes_round(rows)[-1] == "holds"
    assert anticipation_claims.settled(rows, "With it play settles")[-1] == "holds from η = 0.1 on"
    assert not anticipation_claims.settles(rows[0])


def test_where_play_does_not_settle_is_said_by_the_rule_of_the_page():
    courses = {0.0: [1.0, 0.4, 0.1], 0.01: [0.5, 0.3, 0.12], 0.1: [0.6, 0.5, 0.5]}
    rows = [
        {
            "game": "kuhn",
            "alternating": False,
            "iterations": [1, 10, 100],
            "anticipation": share,
            "exploitability": each,
        }
        for share, each in courses.items()
    ]
    ahead = "Nearest to equilibrium is η = 0.01 after 1, 0.01 after 10, 0 after 100."
    told = " ".join(anticipation_claims.limit(rows).split())
    assert told == f"- kuhn, all at once: play does not settle from η = 0.1 on. {ahead}"
    assert "play settles with every η." in anticipation_claims.limit(rows[:2])
    assert "play does not settle from η = 0.1 on." in anticipation_claims.limit(rows[2:])


def test_the_best_share_is_said_to_be_no_more_than_it_is():
    some = {"game": "kuhn", "preset": "fast", "steps": 1000}
    rows = [some | {"anticipation": 0.1, "exploitability": [1.0, 2.0]}]
    apart = [*rows, some | {"anticipation": 0.3, "exploitability": [3.0, 4.0]}]
    close = [*rows, some | {"anticipation": 0.3, "exploitability": [1.9, 4.0]}]
    told = "- kuhn, `fast`, after 1,000 steps: η = 0.1 is best of those tried, every seed ahead of all others."
    assert anticipation_page.quickest(apart) == told
    longer = [row | {"steps": 2000} for row in close]
    assert anticipation_page.quickest([*apart, *longer]).splitlines()[0] == told  # other lengths are other runs
    assert "seeds that overlap" in anticipation_page.quickest(close)
    alike = [row | {"exploitability": [0.458, 0.458]} for row in close]
    assert anticipation_page.quickest(alike) == "- kuhn, `fast`, after 1,000 steps: none that was tried is ahead."


def nfsp(game, courses, **settings):
    """Rows of NFSP with η by what its seeds came to."""
    some = {"game": game, "preset": "fast", "steps": 2000} | settings
    return [some | {"anticipation": share, "exploitability": seeds} for share, seeds in courses.items()]


def test_learned_play_settles_where_ten_times_the_steps_halve_it_in_every_seed():
    before = nfsp("shapley", {share: [1.0, 1.0] for share in (0.01, 0.1, 0.3, 1.0)})
    after = nfsp("shapley", {0.01: [0.5, 0.7], 0.1: [0.4, 0.6], 0.3: [0.4, 0.49]}, steps=20_000)
    rows = [*before, *after, *nfsp("kuhn", {0.1: [1.0, 1.0]})]
    (claim, measured, verdict), (other, values, decided) = anticipation_claims.learned_claims(rows)
    assert claim == "NFSP settles: shapley, `fast`, 2,000 to 20,000 steps"
    assert measured == "every seed with η = 0.3; some seeds with η = 0.1; no seed with η = 0.01"
    assert verdict == "holds from η = 0.3 on"
    assert other == "NFSP settles with the paper's η = 0.1: shapley, `fast`, 2,000 to 20,000 steps"
    assert values == "1 (1 to 1) after 2,000, 0.5 (0.4 to 0.6) after 20,000"
    assert decided == "not decided"
    worse = [*rows, *nfsp("shapley", {1.0: [0.9, 0.9]}, steps=20_000)]
    assert anticipation_claims.learned_claims(worse)[0][-1] == "holds in part"
    undecided = anticipation_claims.spans([row for row in rows if row["anticipation"] < 0.3])
    assert anticipation_claims.learned_settles(undecided[0])[-1] == "not decided"


def test_what_slows_play_down_is_found_by_leaving_it_out():
    def verdict(ends, exact, steps=20_000):
        plain = [row for n, end in ((2000, 1.0), (20_000, 0.9)) for row in nfsp("shapley", {0.1: [end, 0.8]}, steps=n)]
        changed = [row | {"change": EXACT[-1]} for row in nfsp("shapley", {0.1: ends}, steps=steps)]
        row = {"change": EXACT[-1], "iterations": [10, 100], "anticipation": 0.1, "exploitability": exact}
        rows = [row, row | {"change": EXACT[0], "exploitability": [1.0, 0.6]}] if exact else []
        return anticipation_claims.lag_claims(rows, plain, changed)[-1:]

    [(claim, measured, holds)] = verdict([0.1, 0.2], [1.0, 0.1])
    assert claim == "What slows η = 0.1 down: shapley, that its memory grows with the steps"
    ends = "0.15 (0.1 to 0.2) and 0.85 (0.8 to 0.9) after 20,000"
    assert measured.startswith(f"NFSP without it and with it {ends}; ")
    assert measured.endswith("; fictitious play without it and with it 1 and 1 after 10, 0.1 and 0.6 after 100")
    assert holds == "holds"
    assert verdict([0.1, 0.2], [])[0][-1] == verdict([0.1, 0.2], [], 2000)[0][-1] == "holds", "one length is enough"
    assert verdict([0.1, 0.42], [])[0][-1] == verdict([0.1, 0.42], [1.0, 0.1])[0][-1] == "not decided"
    assert verdict([0.1, 0.2], [1.0, 0.5])[0][-1] == verdict([0.6, 0.9], [1.0, 0.1])[0][-1] == "does not hold"
    assert verdict([0.1, 0.2], [], 500) == [], "nothing to lay it beside"


def test_what_slows_play_down_is_decided_by_the_most_steps():
    plain = [row for n in (2000, 20_000, 200_000) for row in nfsp("shapley", {0.1: [1.0, 1.0]}, steps=n)]
    ends = {2000: [0.9, 0.9], 20_000: [0.4, 0.3]}
    changed = [row | {"change": EXACT[-1]} for n, end in ends.items() for row in nfsp("shapley", {0.1: end}, steps=n)]
    [(_, measured, verdict)] = anticipation_claims.lag_claims([], plain, changed)
    assert "after 2,000, " in measured
    assert "200,000" not in measured
    assert verdict == "holds"


def test_that_play_settles_takes_more_than_one_share():
    steps = {2000: [1.0, 1.0], 20_000: [0.1, 0.1]}
    rows = [row for n, ends in steps.items() for row in nfsp("shapley", {0.1: ends}, steps=n)]
    told = ["NFSP settles with the paper's η = 0.1: shapley, `fast`, 2,000 to 20,000 steps"]
    assert [claim for claim, *_ in anticipation_claims.learned_claims(rows)] == told


def test_rows_of_one_kind_from_several_places_are_told_apart_by_their_share():
    rows = [row | {"what": "learned"} for row in nfsp("kuhn", {0.5: [1.0], 0.1: [1.0], 0.01: [1.0]})]
    here, there = ["here"], ["there"]
    made = [row | {"made_with": place} for row, place in zip(rows, (here, there, there), strict=True)]
    label = "NFSP in kuhn, `fast`, 2,000 steps"
    assert list(map(anticipation_page.labels(made), made)) == [f"{label}, η = {n}" for n in ("0.5", *["0.01, 0.1"] * 2)]
    assert set(map(anticipation_page.labels(rows), rows)) == {label}


@pytest.mark.slow
def test_search_is_reproduced_in_short(tmp_path, monkeypatch):
    """All of it, tiny, and from records alone the second time."""
    monkeypatch.setattr(monte_carlo, "QUICK", replace(QUICK, stops=(100, 1000), searches={10: 2}))
    page = monte_carlo.reproduce(tmp_path, True, lambda _: Unwatched())
    text = page.read_text()
    assert (tmp_path / "exploitability.png").is_file()
    monkeypatch.setattr(monte_carlo.Laboratory, "find", lambda *_: pytest.fail("measured again"))
    assert monte_carlo.reproduce(tmp_path, True, lambda _: Unwatched()).read_text() == text


@pytest.mark.slow
def test_anticipation_is_reproduced_in_short(tmp_path, monkeypatch):
    runs = tuple(("shapley", "fast", steps, (0.1,)) for steps in (15, 150))
    changed = tuple((EXACT[-1], steps, (0.1,)) for steps in (15, 150))
    size = replace(anticipation.QUICK, stops=(10, 100), runs=runs, changed=changed)
    monkeypatch.setattr(anticipation, "QUICK", size)
    text = anticipation.reproduce(tmp_path, True, lambda _: Unwatched()).read_text()
    assert (tmp_path / "anticipation.png").is_file()
    monkeypatch.setattr(anticipation, "exact", lambda *_: pytest.fail("measured again"))
    monkeypatch.setattr(anticipation, "lagged", lambda *_: pytest.fail("measured again"))
    monkeypatch.setattr(anticipation, "learned", lambda *_: pytest.fail("measured again"))
    assert anticipation.reproduce(tmp_path, True, lambda _: Unwatched()).read_text() == text
    kept = [row["exploitability"] for row in anticipation.Records(tmp_path / anticipation.RECORDS).rows]
    assert f"{median(kept[-1]):.3g}" in text
