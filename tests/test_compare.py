"""Runs beside each other: those that differ only by their seeds are one line."""

from __future__ import annotations

import json
from statistics import median
from types import SimpleNamespace

import pytest

import feint
from feint.report.compare import curves_of
from feint.report.curve import Curve


@pytest.fixture
def runs(tmp_path):
    """Two seeds of one algorithm, the same with another setting, and another algorithm."""
    asked = [("cfr+", 0, {}), ("cfr+", 1, {}), ("cfr+", 0, {"alternating": False}), ("cfr", 0, {})]
    return [
        feint.train(algorithm, "kuhn", steps=20 + number, seed=seed, settings=settings, out=tmp_path / f"run{number}")
        for number, (algorithm, seed, settings) in enumerate(asked)
    ]


def test_seeds_are_one_line_and_labels_say_what_differs(runs):
    curves = curves_of(runs)
    labels = ["cfr+ alternating=True", "cfr+ alternating=False", "cfr"]
    assert [(curve.label, len(curve.runs)) for curve in curves] == list(zip(labels, (2, 1, 1), strict=True))
    points = curves[0].points("steps")
    assert [place for place, _ in points] == [row["step"] for row in runs[0].metrics], "those that both have made"
    assert points[3][1] == [run.metrics[3]["exploitability"] for run in runs[:2]]
    seconds = [place for place, _ in curves[0].points("seconds")]
    assert seconds == sorted(seconds)


def test_no_runs_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(feint.BadInput, match=r"^There are no runs to compare; name at least one"):
        feint.compare([], tmp_path / "none.png")


def test_a_run_of_many_seeds_is_a_band(tmp_path):
    run = feint.train("cfr", "kuhn", steps=3, seeds=3, out=tmp_path / "run")
    assert curves_of([run])[0].points("steps")[-1] == (3, run.metrics[-1]["seeds"])


def test_what_is_no_number_is_not_drawn(tmp_path):
    run = feint.train("cfr", "kuhn", steps=3, seeds=3, out=tmp_path / "run")
    with pytest.raises(
        feint.BadInput, match=r"^cfr has no metric called 'seeds'; choose from exploitability, nash_conv"
    ):
        feint.compare([run], tmp_path / "all.png", metric="seeds")


def test_seeds_that_chance_has_no_part_in_are_told_as_alike(tmp_path):
    run = feint.train("cfr+", "kuhn", steps=3, seeds=3, out=tmp_path / "run")
    assert repr(run).endswith(" (3 seeds, all alike))")


def test_nash_conv_has_a_band_as_exploitability_has(tmp_path, call):
    """It is as many times as large as there are players, of every seed."""
    run = feint.train("elite-play", "kuhn", steps=3, seeds=3, out=tmp_path / "run")
    words = ("compare", str(run.path), "--out", str(tmp_path / "all.png"), "--json")
    (less,), (more,) = (
        json.loads(call(*words, "--metric", metric)[1])["runs"] for metric in ("exploitability", "nash_conv")
    )
    assert less["low"] < less["median"] < less["high"]
    assert (less["seeds"], more["seeds"]) == (3, 3)
    assert [more[name] for name in ("median", "low", "high")] == pytest.approx(
        [2 * less[name] for name in ("median", "low", "high")]
    )


@pytest.mark.parametrize(
    ("seeds", "shown"), [([0.0, 0.2, 0.4], [0.0, 0.4, 0.8]), ([0.0, 0.0], [0.0, 0.0]), ([0.0, 0.0, 0.3], [0.0])]
)
def test_nash_conv_of_seeds_that_found_the_equilibrium(seeds, shown):
    """Where the median is nothing, it does not tell how many players there are."""
    middle = median(seeds)
    rows = [{"step": 1, "exploitability": middle, "nash_conv": 2 * middle, "seeds": seeds}]
    run = SimpleNamespace(config=None, metrics=rows, timings=[])
    assert Curve([run], "cfr", "nash_conv").points("steps") == [(1.0, pytest.approx(shown))]


def test_the_command_draws_and_tells(runs, tmp_path, call):
    names = [str(run.path) for run in runs]
    code, out, err = call("compare", *names, "--across", "seconds", "--out", str(tmp_path / "all.svg"), "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert [row["seeds"] for row in told["runs"]] == [2, 1, 1]
    assert told["runs"][2]["median"] == pytest.approx(runs[3].metrics[-1]["exploitability"])
    assert (tmp_path / "all.svg").read_text().startswith("<?xml")
    assert feint.compare(runs, tmp_path / "one.png", metric="nash_conv").is_file()
    code, out, _ = call("compare", *names, "--out", str(tmp_path / "all.png"))
    assert code == 0
    assert "cfr+ alternating=False" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--across", "miles"), "drawn against steps, hands, moves, seconds, but 'miles' was given"),
        (("--across", "hands"), "cfr+ counts no hands"),
        (("--metric", "luck"), "has no metric called 'luck'; choose from"),
        (("--out", "picture.exe"), "a .png, .svg or .pdf, but 'picture.exe' was given"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_sentence(runs, words, sentence, call, tmp_path):
    code, _, err = call("compare", str(runs[0].path), *words)
    assert code == 2
    assert sentence in err


def test_showing_several_runs_is_comparing_them(runs, tmp_path, call):
    paths = [str(run.path) for run in runs]
    code, out, err = call("show", *paths, "--out", str(tmp_path / "all.png"), "--json")
    assert code == 0, err
    assert json.loads(out) == json.loads(call("compare", *paths, "--out", str(tmp_path / "all.png"), "--json")[1])
    code, _, err = call("show", *paths, "--all")
    assert (code, "show them one by one" in err) == (2, True)


def test_runs_are_sorted(runs, tmp_path, call):
    def listed(sort):
        return json.loads(call("runs", str(tmp_path), "--sort", sort, "--json")[1])

    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "config.json").write_text("{")  # damaged: it comes last
    values = [row.get("exploitability") for row in listed("value")]
    assert values[:-1] == sorted(run.metrics[-1]["exploitability"] for run in runs)
    assert values[-1] is None
    assert [row.get("steps") for row in listed("steps")] == [20, 21, 22, 23, None]
    assert [row.get("algorithm") for row in listed("algorithm")] == ["cfr", "cfr+", "cfr+", "cfr+", None]
    code, _, err = call("runs", str(tmp_path), "--sort", "luck")
    assert (code, "sorted by name, game" in err) == (2, True)


def test_runs_of_one_seed_are_lines_of_their_own(tmp_path, call):
    """Two of one seed are no two seeds, and the longer one is told to its end."""
    short, long = (
        feint.train("nfsp", "kuhn", steps=steps, settings={"tables": 8}, out=tmp_path / f"to{steps}")
        for steps in (5, 50)
    )
    both = feint.train("nfsp", "kuhn", steps=5, seeds=2, settings={"tables": 8}, out=tmp_path / "both")
    curves = curves_of([short, long, both])
    assert [curve.label for curve in curves] == [f"nfsp ({run.path})" for run in (short, long, both)]
    assert [curve.points("steps")[-1][0] for curve in curves] == [5, 50, 5]
    assert [len(curve.points("steps")[-1][1]) for curve in curves] == [1, 1, 2]
    assert len(curves_of([long, str(long.path)])) == 1, "twice the same run is that run"
    other = feint.train("nfsp", "kuhn", steps=5, seed=7, settings={"tables": 8}, out=tmp_path / "other")
    code, out, err = call("compare", str(long.path), str(other.path), "--out", str(tmp_path / "seeds.png"))
    assert (code, "nfsp is told up to 5 steps, the last evaluation that all 2 runs have." in err) == (0, True)
    assert out.splitlines()[1].split()[:3] == ["nfsp", "2", "5"]


def test_a_run_that_was_gone_on_with_is_beside_what_it_was(tmp_path):
    before = feint.train("cfr+", "kuhn", steps=1, out=tmp_path / "run")
    after = feint.train("cfr+", "kuhn", steps=4, out=tmp_path / "run", resume=True)
    curves = curves_of([before, after, after.path])
    assert [curve.label for curve in curves] == [f"cfr+ ({after.name}, {steps} steps)" for steps in (1, 4)]


def test_agents_are_called_by_name_beside_runs(tmp_path):
    agent = feint.load_run("feint:leduc")
    assert agent.name == "feint:leduc"
    with pytest.raises(feint.BadInput, match=r"^feint:leduc was trained on leduc with other rules than kuhn has"):
        _ = feint.load_run("feint:leduc", "kuhn").form
