"""Reproductions run from start to end."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import feint
from feint.games.errors import BadInput, RunStopped
from feint.papers import (
    deepstack_leduc,
    kuhn_baselines,
    kuhn_players,
    kuhn_spoilers,
    kuhn_training_sets,
    leduc_nfsp,
    leduc_thesis,
    trials,
)
from feint.papers.deepstack_bets import BETS, bet_sets, bets_in
from feint.papers.deepstack_networks import LEARNING, NETWORKS
from feint.papers.kuhn_figures import kuhn_equilibrium
from feint.papers.library import papers, published
from feint.papers.thesis_trials import KNOWN, RECORDS, Experiment, has_all, keep_record, records
from feint.runs.config import RunConfig
from feint.runs.files import unsealed
from feint.runs.loop import Unwatched, evaluation_points
from feint.runs.run import Run


def test_papers_are_found_by_name():
    assert "leduc-nfsp" in papers()
    assert [curve.label for curve in published("nfsp", "leduc")] == [
        "Heinrich & Silver 2016, 16 units",
        "Heinrich & Silver 2016, 64 units",
        "Heinrich & Silver 2016, 128 units",
    ]
    assert published("cfr", "leduc") == []


def test_published_curves_are_read_as_printed():
    curve = dict(leduc_nfsp.published_curves()[1].points)
    assert curve[1_000.0] == 1.88
    assert min(curve.values()) == 0.075


def falling(step: int) -> float:
    """Crosses all of the paper's curves before 100,000 steps."""
    return 100.0 / step**0.6


def made_up(curves: dict[str, Callable[[int], float]], steps: int = 10**9) -> leduc_nfsp.Trials:
    """Three seeds of every experiment, a tenth apart, that follow these curves; `falling` where none is given."""
    trials = {}
    for name, experiment in leduc_nfsp.KNOWN.items():
        points = list(evaluation_points(min(experiment.steps, steps), 1.1))
        trials[name] = [
            Run(
                Path("nowhere"),
                RunConfig("leduc", "nfsp", {}, seed),
                [{"step": n, "exploitability": curves.get(name, falling)(n) * 1.1**seed} for n in points],
                [],
                None,
                find_form=lambda: None,
            )
            for seed in range(3)
        ]
    return trials


def verdicts(trials: leduc_nfsp.Trials) -> dict[str, str]:
    return {claim: verdict for claim, _, verdict in leduc_nfsp.findings(trials)}


def test_claims_hold_where_the_runs_say_so():
    worse = {name: lambda step: 2.0 * falling(step) for name in ("16-units", "relu-output", "imitate-values")}
    level = {name: lambda step: max(falling(step), 0.2) for name in ("dqn-average", "anticipation")}
    single = {
        "128-units": lambda step: 0.5 * falling(step),
        "dqn": lambda step: 2.0,
        "window": lambda step: falling(step) + step / 1e6,
        "small-fading": lambda step: falling(step) * (1.2 if step % 2 else 1.0),
    }
    found = verdicts(made_up(worse | level | single))
    assert set(found.values()) == {"holds"}, found


def test_claims_do_not_hold_where_the_runs_say_otherwise():
    """64 units learn nothing, all others fall alike: nothing levels off or climbs, and equal bands decide nothing."""
    found = verdicts(made_up({"64-units": lambda step: 1.0}))
    assert found["64 units: the paper's curve is followed or beaten at 100,000 steps"] == "does not hold"
    assert found["16 units: the paper's curve is followed or beaten at 1,000,000 steps"] == "holds"
    assert found["64 units do better than 16"] == "does not hold"
    assert found["128 units do better than 64"] == "holds"
    assert found["Q-learning's greedy strategy is highly exploitable"] == "does not hold"
    assert found["η = 0.5 levels off"] == "does not hold"
    assert found["A sliding window diverges"] == "does not hold"
    assert found["An exponential reservoir is noisier"] == "not decided"


def test_a_curve_just_above_the_paper_decides_nothing():
    """The paper's has 0.43 at 100,000 steps, read off a figure to about a tenth; the last seed is a fifth higher."""
    claim = "64 units: the paper's curve is followed or beaten at 100,000 steps"
    cases = (
        (0.35, "holds"),
        (0.37, "not decided"),
        (0.42, "not decided"),
        (0.45, "not decided"),
        (0.48, "does not hold"),
    )
    for value, verdict in cases:
        assert verdicts(made_up({"64-units": lambda step, value=value: value}))[claim] == verdict


def test_short_runs_decide_nothing():
    assert set(verdicts(made_up({}, steps=5_000)).values()) == {"not decided at this length"}


def test_a_reproduction_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    """Cut off before the first checkpoint, then by Ctrl-C, then not at all."""
    experiment, whole = leduc_nfsp.Experiment("short", "CFR", "cfr", None), trials.train
    path = tmp_path / "short" / "seed-1"
    path.mkdir(parents=True)
    (path / "config.json").write_text("{}")
    monkeypatch.setattr(trials, "train", lambda *of, steps, **how: whole(*of, steps=steps // 2, **how))
    with pytest.raises(RunStopped, match=r"at 4 of 8 steps of CFR, seed 1; the same command goes on"):
        leduc_nfsp.run_seed(experiment, tmp_path, 8, 1, Unwatched())
    monkeypatch.setattr(trials, "train", whole)
    run = leduc_nfsp.run_seed(experiment, tmp_path, 8, 1, Unwatched())
    assert [row["step"] for row in run.metrics] == list(range(1, 9))
    assert any(f"feint {feint.__version__}" in words for words in unsealed(path / "provenance.json")["made_with"])


def test_a_run_of_another_length_or_game_is_not_taken_for_this_one(tmp_path):
    trial = trials.Trial(tmp_path / "run", "CFR", "cfr", "kuhn", steps=8)
    run = trials.trained(trial, Unwatched())
    assert trials.trained(trial, Unwatched()).metrics == run.metrics
    for other in ({"steps": 4}, {"game": "leduc"}):
        with pytest.raises(BadInput, match="keeps another run than CFR is now; choose another folder with --out"):
            trials.trained(replace(trial, **other), Unwatched())
    assert trials.trained(trial, Unwatched()).metrics == run.metrics


@pytest.mark.slow
def test_the_leduc_report_is_written_from_its_runs(tmp_path, monkeypatch):
    """All experiments, tiny: the page has every one of them, the pictures are there, and nothing is run twice."""
    monkeypatch.setattr(leduc_nfsp, "QUICK", (3, 1))
    page = leduc_nfsp.reproduce(tmp_path, True, lambda _: Unwatched())
    text = page.read_text()
    assert all(experiment.label in text for experiment in leduc_nfsp.EXPERIMENTS)
    assert all(claim.text in text for claim in leduc_nfsp.CLAIMS)
    assert {path.stem for path in tmp_path.glob("*.png")} == set(leduc_nfsp.FIGURES)
    assert len(json.loads((tmp_path / "curves.json").read_text())["dqn-average"]["seed 0"]) == 3
    monkeypatch.setattr(trials, "train", lambda *_, **__: pytest.fail("ran again"))
    assert leduc_nfsp.reproduce(tmp_path, True, lambda _: Unwatched()).read_text() == text


@pytest.mark.slow
def test_a_relu_output_does_not_learn(tmp_path):
    """The thesis's finding, as far as it holds here: values that cannot be negative teach no strategy."""
    ends = []
    for output in ("linear", "relu"):
        settings, out = {"network.output": output}, tmp_path / output
        run = feint.train("nfsp", "leduc", preset="paper", settings=settings, steps=30_000, out=out)
        ends.append(run.metrics[-1]["exploitability"])
    assert ends[1] > 1.5 * ends[0]


def test_numbers_printed_in_figures_stand_beside_ours():
    """Three seeds that all play the same equilibrium: each number is that equilibrium's, where the words say."""
    tree = feint.unroll("kuhn")
    seeds = np.repeat(kuhn_equilibrium(tree, 0.14)[None], 3, 0)
    told = kuhn_baselines.printed(tree, (tree.uniform()[None], seeds, seeds, seeds))
    assert "| C 0.50, F 0.50 | the untrained agent | player 1 calls with Q after check bet 0.50; player 2 calls" in told
    assert (
        "| B 0.14, 0.86 | agent 1 bets or checks the lowest card | player 1 bets J 0.14 ± 0.00 (100%); player 1" in told
    )
    assert "player 1 checks J 0.86 ± 0.00 (100%) |" in told
    assert "bets Q after check 0.00 ± 0.00 (0%); player 2 bets K after check 1.00 ± 0.00 (100%)" in told
    # Agent 2 folds for 1 and -1, agent 1 for -1 and 1: so the seed has 0.53 for the second and 0.60 for the first.
    assert "| C 0.53, F 0.47 | agent 2 calls with the middle card | player 2 calls with Q after bet 0.33 ±" in told
    assert "| C 0.60 F 0.40 | agent 1 calls with the middle card | player 1 calls with Q after check bet 0.47 ±" in told
    rare = kuhn_baselines.unlike(tree, (tree.uniform()[None], seeds, seeds, seeds))
    for step in (2, 10):
        assert f"player 2 calls with Q after bet 0.53 (Figure 3, if of step {step}; 0.0%)" in rare
        assert f"player 1 calls with Q after check bet 0.60 (Figure 3, if of step {step}; 0.0%)" in rare
    assert not any("with K" in number or "checks J" in number for number in rare)


def test_exact_methods_come_nearer_an_equilibrium():
    found = kuhn_baselines.baselines(feint.unroll("kuhn"))
    *methods, (solved,) = found.values()
    assert all(gaps == sorted(gaps, reverse=True) and gaps[-1] > 0 for gaps in methods)
    assert abs(solved) < 1e-6
    assert kuhn_baselines.baselines_table(found).endswith(f"|  |  | {solved:.1e} |")


def test_what_depends_heavily_on_training_sets_is_told_by_intervals():
    """Even seeds choose the worst way and the best, odd ones say how far apart they are."""

    def row(selection, gaps, short):
        return {
            "selection": selection,
            "hands": 100,
            "steps": 10,
            "seeds": 20,
            "exploitability": gaps,
            "short": short,
        }

    even, uneven = [1.0] * 20, [1.0, 1.2] * 10
    rows = [row(2, even, even), row(5, [3.0, 2.9] * 10, [1.0] * 20), row(20, [5.0, 6.0] * 10, uneven)]
    told = kuhn_training_sets.verdicts(rows)
    assert "Convergence depends heavily on how the training set is made, after 10 steps*: **holds** (6.00 times" in told
    assert "one in 20 of 100 hands beside one in 2 of 100 hands). Without that worst way 2.90 times" in told
    assert (
        "The accuracy of best responses depends heavily on how the training set is made, after 10 steps*: **does"
        in told
    )
    low, ratio, high = kuhn_training_sets.times([1.0, 5.0] * 10, [1.0, 2.0] * 10)
    assert ratio == pytest.approx(2)
    assert low < 2 < high
    assert low * high == pytest.approx(ratio**2)


def test_a_page_has_only_the_seeds_that_were_asked_for(tmp_path, monkeypatch):
    """A quick look and then the whole in the same folder: no row is of both, and nothing is told of the other's."""

    def found(what):
        return {key: list(np.linspace(0.1, what["selection"], what["seeds"])) for key in ("exploitability", "short")}

    monkeypatch.setattr(kuhn_training_sets, "judged", found)
    for quick, seeds in ((True, 50), (False, 200), (True, 50)):
        rows = kuhn_training_sets.measured(tmp_path, quick, lambda _: Unwatched())
        told = kuhn_training_sets.sets_section(rows)
        assert told.count(f"after 10 steps ({seeds} seeds)") == 2
        assert {row["seeds"] for row in rows if row["steps"] == 10} == {seeds}
    assert len((tmp_path / kuhn_training_sets.RECORDS).read_text().splitlines()) == 4 + 9 + 4


@pytest.mark.slow
def test_answers_fall_short_of_best_responses_by_what_these_would_win_more():
    """Against agents that move at random, a first answer wins less than a best response and more than 0."""
    found = kuhn_training_sets.judged({"selection": 5, "hands": 2000, "steps": 2, "seeds": 4})
    tree = feint.unroll("kuhn")
    assert all(0 < short < feint.exploitability(tree, tree.uniform()) for short in found["short"])
    assert len(found["exploitability"]) == 4


@pytest.mark.parametrize(("players", "safe"), [(2, True), (3, False)])
def test_with_more_than_two_players_one_can_harm_another_at_an_equilibrium(players, safe):
    found = kuhn_spoilers.harmed({"players": players, "iterations": 300})
    assert (np.mean(found["least"]) >= -found["nash_conv"]) == safe
    assert all(least <= value + 1e-9 for least, value in zip(found["least"], found["values"], strict=True))
    assert ("**does not hold**" in kuhn_spoilers.harm([{"players": players} | found])) == safe


def test_where_methods_stop_is_told_from_records(tmp_path):
    size = {"nodes": 617, "infosets": 48, "seconds": 2.0}
    lines = [
        {"method": "cfr+", "players": 2, "step_seconds": 0.5, "nash_conv": 0.25} | size,
        {"method": "cfr+", "players": 3, "stopped": "kuhn(players=3) has 3 players; take two."} | size,
        {"method": "cfr+", "players": 4, "stopped": "kuhn(players=4) has 4 players; take two."} | size,
        {"method": "cfr+", "players": 5, "stopped": "not done", "made_with": ["here", "jax"]} | size,
        {"method": "linear-program", "players": 5, "form": "TreeForm", "stopped": "for two"} | size,
        {"method": "nfsp", "players": 4, "step_seconds": 0.125, "form": "TreeForm"} | size,
        {"method": "dominance", "players": 3, "dominated": 22} | size,
        {"method": "elite-play", "players": 2, "step_seconds": 0.25, "nash_conv": 0.5} | size,
        {"method": "xfp", "players": 2, "step_seconds": 0.75} | size,
        {"method": "nfsp", "players": 2, "far": {"10": [0.5, 0.75, 1.0], "20": [0.25, 0.5, 0.75]}} | size,
        {"method": "nfsp", "players": 3, "far": {"10": [0.5, 0.5, 0.5], "20": [0.25, 0.5, 0.25]}} | size,
        {"method": "nfsp", "players": 4, "far": {}, "stopped": "not done in 9 s"} | size,
    ]
    assert "python benchmarks/kuhn_players.py > players.jsonl" in kuhn_players.players_section(tmp_path)
    (tmp_path / kuhn_players.RECORDS).write_text("".join(json.dumps(line) + "\n" for line in reversed(lines)))
    told = kuhn_players.players_section(tmp_path).splitlines()
    assert "here, jax (for CFR+ with 5)." in told
    assert "| CFR+ | 2 | 3 to 4: the game has more players; 5: not done |" in told
    assert any(line.startswith("With 5 players unrolling alone takes 2 s.") for line in told)
    assert "| NFSP | 4 | nothing that was tried |" in told
    assert "| 2 | 617 | 48 |  |  | 750 ms | 500 ms, 0.25 | 250 ms |  |" in told
    assert "| players | NFSP, 10 steps | NFSP, 20 steps |" in told
    assert "| 2 | 0.75 (0.5 to 1) | 0.5 (0.25 to 0.75) |" in told
    assert (
        "From 10 to 20 steps NFSP comes nearer by every seed with 2 players. Not measured so far: NFSP with 4 players."
    ) in told
    assert any(line.endswith("and takes 3 times as long with 2.") for line in told)
    assert "| 3 | 617 | 48 |  | 2 s, 22 moves |  | – |  |  |" in told
    assert "| 4 | 617 | 48 |  |  |  | – |  | 120 ms |" in told
    assert kuhn_players.spans([2, 3, 4, 5, 7, 9, 10]) == "2 to 5, 7, 9 to 10"


@pytest.mark.parametrize("late", [True, False])
def test_what_is_cut_off_on_its_way_further_is_told_from_first_steps(monkeypatch, late):
    """So that its line, added to the others, takes the place of none."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
    import kuhn_players as program

    def cut(command, **_):
        if late:
            raise subprocess.TimeoutExpired(command, 9)
        return subprocess.CompletedProcess(command, 1, "", "no memory")

    monkeypatch.setattr(program.subprocess, "run", cut)
    size = {"method": "nfsp", "players": 3, "nodes": 617, "infosets": 48}
    stopped = size | {"stopped": "not done in 9 s" if late else "no memory"}
    assert program.in_a_process("nfsp", 3, 9, go_far=False) == stopped
    assert program.in_a_process("nfsp", 3, 9, go_far=True) == stopped | {"far": {}}


class TrainingError(Exception):
    """Something was to be trained."""


def in_training(*_: object, **__: object) -> None:
    raise TrainingError


OF_THESE = {"what": deepstack_leduc.MEASURED, "found": {"networks": "others", "size": "any"}}


@pytest.mark.parametrize("networks", [None, b"these"])
@pytest.mark.parametrize("rows", [[{"what": "tool at 100", "found": 1.0}], [OF_THESE]])
def test_numbers_of_other_networks_are_refused_before_any_are_trained(tmp_path, monkeypatch, networks, rows):
    """How the networks of these numbers learned is not overwritten: it may be all that is left of them."""
    monkeypatch.setattr(deepstack_leduc, "learned", in_training)
    (tmp_path / LEARNING).write_text("how they learned")
    (tmp_path / deepstack_leduc.NUMBERS).write_text("".join(json.dumps(row) + "\n" for row in rows))
    if networks:
        (tmp_path / NETWORKS).write_bytes(networks)
    with pytest.raises(BadInput, match=r"numbers\.jsonl has numbers of other networks than .* keeps, .* with --out"):
        deepstack_leduc.reproduce(tmp_path, False, lambda _: Unwatched())
    assert (tmp_path / LEARNING).read_text() == "how they learned"


def test_bet_sets_are_numbers_of_no_networks(tmp_path, monkeypatch):
    """A folder that has nothing else is gone on with, and so is one whose numbers are of its networks."""
    monkeypatch.setattr(deepstack_leduc, "learned", in_training)
    bets = {"what": f"{BETS}pot", "found": 40.0}
    (tmp_path / deepstack_leduc.NUMBERS).write_text(json.dumps(bets) + "\n")
    with pytest.raises(TrainingError):
        deepstack_leduc.reproduce(tmp_path, False, lambda _: Unwatched())
    (tmp_path / NETWORKS).write_bytes(b"these")
    records = deepstack_leduc.Records(tmp_path / deepstack_leduc.NUMBERS)
    records.note(deepstack_leduc.MEASURED, lambda: deepstack_leduc._measured_of(tmp_path, deepstack_leduc.QUICK))
    records.note("tool at 100", lambda: 1.0)
    with pytest.raises(TrainingError):
        deepstack_leduc.reproduce(tmp_path, True, lambda _: Unwatched())
    with pytest.raises(BadInput, match="or of a look of another size"):
        deepstack_leduc.reproduce(tmp_path, False, lambda _: Unwatched())


def test_bet_sets_are_told_once_all_are_known():
    found = dict.fromkeys([f"{BETS}pot; judged in leduc_no_limit(bets=(0.5,1,2))"], 1.0)
    assert bets_in(found) == bets_in({}) == {}
    bet_sets(lambda words, _: found.setdefault(words, 2.0))
    assert bets_in(found)["pot, all-in"] == dict.fromkeys(("judged with no other bets", "judged with all bets"), 2.0)


@pytest.mark.parametrize(
    ("asked", "seeds", "steps", "enough"),
    [
        (1000, [0, 1, 2, 3], 1000, True),
        (1000, [1, 3, 0, 2, 4], 1000, True),
        (1000, [0, 1], 1000, False),
        (999, [0, 1, 2, 3], 1000, False),
        (300, [0, 1, 2, 3], 300, True),
        (300, [0, 1], 300, False),
        (1000, [0, 1], 300, True),
        (2000, [0, 1], 1000, False),
    ],
)
def test_records_of_fewer_seeds_or_steps_than_are_asked_for_are_made_anew(asked, seeds, steps, enough):
    """That the clock ended one is no reason; and what is only a look never takes the place of what is longer."""
    experiment = Experiment("some", "some", steps=1000, seeds=4)
    assert has_all({"asked": asked, "seeds": seeds, "steps": 10}, experiment, steps) is enough
    assert not has_all(None, experiment, steps)


def test_records_made_anew_take_the_place_of_the_old(tmp_path, monkeypatch):
    """Of four experiments one has too few seeds, and one is not there: these are run, and no other."""
    few = ["thesis", "thesis-relu", "16-units", "16-tanh"]
    lines = [{"name": name, "seeds": list(range(KNOWN[name].seeds)), "asked": 10**9, "steps": 1} for name in few[:3]]
    lines[1]["seeds"] = [0, 1]
    (tmp_path / RECORDS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = []

    def run(experiment: Experiment, steps: int, tell: object) -> dict[str, object]:
        ran.append(experiment.name)
        return {"name": experiment.name, "seeds": list(range(experiment.seeds)), "asked": steps, "steps": steps}

    monkeypatch.setattr(leduc_thesis, "EXPERIMENTS", tuple(KNOWN[name] for name in few))
    monkeypatch.setattr(leduc_thesis, "run", run)
    monkeypatch.setattr(leduc_thesis, "write_report", lambda out, kept: out)
    for _ in range(2):
        leduc_thesis.reproduce(tmp_path, False, lambda _: Unwatched())
        assert ran == ["thesis-relu", "16-tanh"]
    kept = [json.loads(line) for line in (tmp_path / RECORDS).read_text().splitlines()]
    assert [record["name"] for record in kept] == few
    assert [kept[0], kept[2]] == [lines[0], lines[2]]
    assert kept[1]["seeds"] == [0, 1, 2, 3]
    leduc_thesis.reproduce(tmp_path, True, lambda _: Unwatched())
    assert ran == ["thesis-relu", "16-tanh"]  # a quick look is shorter than any of these
    keep_record(tmp_path, {"name": "16-units"})
    assert list(records(tmp_path)) == few
