"""Runs: what they do, what they leave behind, and what they refuse."""

from __future__ import annotations

import json
import math
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from itertools import pairwise

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.forms.library import form_of
from feint.games.errors import RunStopped
from feint.runs.config import RunConfig, algorithms, flat, resolve
from feint.runs.files import rows_of, sealed, unsealed, write_whole
from feint.runs.folder import RunFolder
from feint.runs.loop import evaluation_points
from feint.runs.provenance import provenance
from feint.runs.run import load_run
from feint.runs.trainer import Trainer


def test_a_run_comes_back_as_it_was(tmp_path):
    run = feint.train("cfr+", "kuhn", steps=100, out=tmp_path / "run")
    again = load_run(run.path)
    tree = feint.unroll("kuhn")
    assert again.config == run.config
    assert again.metrics == run.metrics
    assert again.timings == run.timings
    np.testing.assert_array_equal(again.strategy.table(tree), run.strategy.table(tree))
    assert run.metrics[-1]["step"] == 100
    assert feint.exploitability(tree, again.strategy) == pytest.approx(run.metrics[-1]["exploitability"], abs=1e-15)


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    paths = [feint.train("dcfr", "leduc", steps=50, out=tmp_path / name).path for name in ("one", "two")]
    for name in ("config.json", "metrics.jsonl", "strategy.safetensors", "README.md"):
        assert (paths[0] / name).read_bytes() == (paths[1] / name).read_bytes()


def test_until_stops_at_the_first_evaluation_that_is_low_enough(tmp_path):
    values = [row["exploitability"] for row in feint.train("cfr+", "kuhn", until=0.01, out=tmp_path / "run").metrics]
    assert values[-1] <= 0.01
    assert all(value > 0.01 for value in values[:-1])


@pytest.mark.slow
def test_hands_stop_a_run_at_the_first_step_that_has_enough(tmp_path, monkeypatch):
    few = {"settings": {"tables": 16}}
    run = feint.train("nfsp", "kuhn", hands=333, out=tmp_path / "run", **few)
    last = run.metrics[-1]
    assert last["hands"] >= 333
    before = feint.train("nfsp", "kuhn", steps=last["step"] - 1, out=tmp_path / "before", **few)
    assert before.metrics[-1]["hands"] < 333
    assert before.metrics[:-1] == run.metrics[: len(before.metrics) - 1]
    monkeypatch.setattr("feint.runs.loop.PIECE", 0.0)  # one step at a time
    again = feint.train("nfsp", "kuhn", hands=333, out=tmp_path / "again", **few)
    assert again.metrics == run.metrics
    assert (again.path / "strategy.safetensors").read_bytes() == (run.path / "strategy.safetensors").read_bytes()


def test_the_first_of_several_ends_stops_a_run(tmp_path):
    few = {"tables": 16}
    by_steps = feint.train("nfsp", "kuhn", steps=5, hands=10**6, settings=few, out=tmp_path / "steps")
    by_hands = feint.train("nfsp", "kuhn", steps=10**6, hands=5, settings=few, out=tmp_path / "hands")
    assert by_steps.metrics[-1]["step"] == 5
    assert by_hands.metrics[-1]["step"] < 5
    assert "--steps 5 --seed" in (by_steps.path / "README.md").read_text()
    assert "--hands 5 --seed" in (by_hands.path / "README.md").read_text()


@pytest.mark.parametrize("name", ["steps", "hands", "seed", "seeds", "devices"])
def test_what_is_counted_is_counted_in_whole_numbers(tmp_path, name):
    asked = {name: (value := 2.5)}
    with pytest.raises(feint.BadInput, match=rf"^{name} must be a whole number, but {name}={value} was given; round"):
        feint.train("cfr+", "kuhn", **{"steps": 2} | asked, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_whole_numbers_may_be_written_as_others(tmp_path):
    asked = {"steps": 1e6, "hands": np.float64(40.0), "seeds": np.int64(1), "settings": {"tables": 16}}
    run = load_run(feint.train("nfsp", "kuhn", **asked, out=tmp_path / "run").path)
    config = run.config
    assert str((config.steps, config.hands, config.seeds)) == "(1000000, 40, 1)"
    assert "--hands 40 --seed 0" in config.command(run.metrics[-1])


def test_a_run_tells_where_and_with_what_it_was_made(tmp_path, monkeypatch):
    made = ("a machine", "jax 1.2.3", "feint 4.5.6")
    monkeypatch.setattr("feint.runs.folder.provenance", lambda devices: made)
    run = feint.train("cfr", "kuhn", steps=2, out=tmp_path / "run")
    assert run.provenance == load_run(run.path).provenance == made
    assert "On a machine with jax 1.2.3 and feint 4.5.6. " in (run.path / "README.md").read_text()
    (run.path / "provenance.json").unlink()
    with pytest.raises(feint.BadInput, match=r"is not a finished run \(it has no provenance\.json\)"):
        load_run(run.path)


def test_this_machine_is_told():
    machine, *programs = provenance()
    assert machine
    assert programs[0] == f"jax {jax.__version__}"
    assert programs[1].startswith(f"feint {feint.__version__}")


def test_seconds_stop_a_run_in_time(tmp_path):
    start = time.monotonic()
    run = feint.train("cfr", "kuhn", seconds=0.5, out=tmp_path / "run")
    assert time.monotonic() - start < 20
    assert run.metrics[-1]["step"] > 1


def test_the_programme_needs_no_second_step(tmp_path):
    run = feint.train("linear-program", "leduc", out=tmp_path / "run")
    assert [row["step"] for row in run.metrics] == [1]
    assert run.metrics[-1]["exploitability"] < 1e-9


def test_settings_are_checked_and_kept(tmp_path):
    run = feint.train("cfr+", "kuhn", steps=2, settings={"alternating": "false"}, out=tmp_path / "run")
    assert run.config.settings["alternating"] is False
    assert json.loads((run.path / "config.json").read_text())["settings"]["beta"] == "-inf"
    with pytest.raises(feint.BadInput, match="alternating='perhaps'"):
        feint.train("cfr+", "kuhn", steps=2, settings={"alternating": "perhaps"}, out=tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    "settings",
    [
        {"network.hidden": (64, 32)},
        {"network.hidden": [64, 32]},
        {"network": {"hidden": "64,32"}},
        {"network.hidden": "64,32"},
        {"network.hidden": "[64, 32]"},
        {"network.hidden": "(64,32)"},
    ],
)
def test_settings_are_dotted_or_in_groups_and_lists_need_no_brackets(settings):
    assert resolve("nfsp", settings).network.hidden == (64, 32)


def test_short_lists_are_lists_too():
    assert resolve("nfsp", {"network.hidden": "64"}).network.hidden == (64,)
    assert resolve("nfsp", {"network.hidden": "[]"}).network.hidden == ()
    assert resolve("nfsp", {"values.reward_scale": "none"}, "paper").values.reward_scale is None


def test_lists_are_read_as_such_whether_there_may_be_none_or_not():
    """Which way a setting is now does not matter: `policy.hidden` has no list until one is given."""
    some = resolve("nfsp", {"policy.hidden": "64,32", "network.hidden": "none"})
    assert (some.policy.hidden, some.network.hidden) == ((64, 32), ()), "none for a linear map"
    assert resolve("nfsp", {"policy.hidden": "none"}).policy.hidden is None
    config = RunConfig("kuhn", "nfsp", asdict(some))
    words = shlex.split(config.command({"step": 1}))
    asked = dict(word.split("=") for place, word in enumerate(words) if words[place - 1] == "--set")
    assert resolve("nfsp", asked) == some, "a run's card has the command that makes it again"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"hidden": 8}, r"nfsp has no setting called 'hidden'; did you mean network\.hidden or policy\.hidden\?"),
        ({"rate": 1}, r"no setting called 'rate'; did you mean policy\.rate or values\.rate\?"),
        ({"networks.hiden": 8}, r"no setting called 'networks\.hiden'; did you mean network\.hidden"),
        ({"network": {"hiden": 8}}, r"no setting called 'network\.hiden'; did you mean network\.hidden"),
        (
            {"exploration": 0.1},
            r"'exploration'; did you mean exploration\.decay or exploration\.epsilon or exploration\.fall or",
        ),
        ({"replay_capacity": 8}, r"'replay_capacity'; did you mean replay\.capacity"),
        ({"network.hidden": "8,x"}, r"nfsp cannot take network\.hidden='8,x': Input should be a valid integer"),
        ({"values.rate": "-1"}, r"^values\.rate must be above 0, but -1\.0 was given\.$"),
    ],
)
def test_settings_that_there_are_not_are_answered_with_the_nearest(settings, sentence):
    with pytest.raises(feint.BadInput, match=sentence):
        resolve("nfsp", settings)


@pytest.mark.slow
def test_groups_come_back_as_they_were(tmp_path):
    settings = {"tables": 16, "network.hidden": (8, 8), "policy": {"smoothing": 0.5}}
    run = feint.train("nfsp", "kuhn", steps=2, settings=settings, out=tmp_path / "run")
    assert load_run(run.path).config == run.config
    kept = json.loads((run.path / "config.json").read_text())["settings"]
    assert (kept["network"]["hidden"], kept["policy"]["smoothing"], kept["values"]["error_clip"]) == (
        [8, 8],
        0.5,
        "inf",
    )
    card = (run.path / "README.md").read_text()
    assert "--set tables=16 --set network.hidden=8,8 --set policy.smoothing=0.5 --steps 2" in card
    assert "| network.hidden | 8,8 |\n" in card


def test_a_run_with_settings_of_old_is_not_called_damaged(tmp_path, call):
    path = feint.train("nfsp", "kuhn", steps=2, settings={"tables": 16}, out=tmp_path / "runs" / "old").path
    config = unsealed(path / "config.json")
    config["settings"] = {"tables": 16, "epsilon": 0.03, "hidden": [64]}
    (path / "config.json").write_bytes(sealed(config))
    sentence = (
        r"old holds a run with settings that this version of Feint does not take "
        r"\(nfsp has no setting called 'epsilon'; did you mean exploration\.epsilon\?\); train it again\.$"
    )
    with pytest.raises(feint.BadInput, match=sentence):
        load_run(path)
    assert "made by another version of Feint" in " ".join(call("runs")[1].split())


CONFIGS = [
    (name, config) for name, method in algorithms().items() for config in (method.config, *method.presets.values())
]


@pytest.mark.parametrize(("algorithm", "config"), CONFIGS)
def test_the_command_on_a_card_makes_the_same_run(algorithm, config):
    known = flat(asdict(config))
    learners = {"network.hidden": (8, 8), "values.reward_scale": None}
    for changes in ({}, learners, {"network.hidden": ()}, {"alternating": False, "alpha": math.inf}):
        settings = known | {key: value for key, value in changes.items() if key in known}
        fitting = resolve(algorithm, settings)
        words = shlex.split(RunConfig("kuhn", algorithm, asdict(fitting), 7, 2).command({"step": 90}))
        assert words[:4] == ["feint", "train", algorithm, "kuhn"]
        assert words[-6:] == ["--steps", "90", "--seed", "7", "--seeds", "2"]
        given = [value for option, value in pairwise(words) if option == "--set"]
        preset = next((value for option, value in pairwise(words) if option == "--preset"), None)
        assert resolve(algorithm, dict(text.split("=", 1) for text in given), preset) == fitting


def test_evaluation_points_are_dense_then_sparse_and_end_at_the_last():
    points = list(evaluation_points(1000, 1.1))
    assert points[:5] == [1, 2, 3, 4, 5]
    assert points[-1] == 1000
    assert points == sorted(set(points))
    assert len(points) < 70
    assert list(evaluation_points(1, 1.1)) == [1]


@pytest.mark.parametrize(
    ("name", "damage", "sentence"),
    [
        ("config.json", b"{", "damaged run"),
        ("metrics.jsonl", b"not json\n", "damaged run"),
        ("metrics.jsonl", b"", r"damaged run \(ValueError: metrics\.jsonl was changed\)"),
        ("strategy.safetensors", b"\x80\x04pickle", "damaged run"),
        ("strategy.safetensors", None, "not a finished run"),
        ("config.json", None, "is not a run"),
    ],
)
def test_damaged_runs_are_refused_in_a_sentence(tmp_path, name, damage, sentence):
    path = feint.train("cfr", "kuhn", steps=2, out=tmp_path / "run").path
    (path / name).unlink()
    if damage is not None:
        (path / name).write_bytes(damage)
    with pytest.raises(feint.BadInput, match=sentence):
        load_run(path)


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, b"first")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, b"second")
    assert path.read_bytes() == b"first"


@pytest.mark.slow
def test_an_interrupt_keeps_what_there_is(tmp_path):
    command = [sys.executable, "-m", "feint", "train", "cfr", "leduc", "--seconds", "120", "--out", "run"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    metrics = tmp_path / "run" / "metrics.jsonl"
    for _ in range(600):
        if metrics.exists() and len(metrics.read_text().splitlines()) > 5:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
    run = load_run(tmp_path / "run")
    tree = feint.unroll("leduc")
    assert feint.exploitability(tree, run.strategy) == pytest.approx(run.metrics[-1]["exploitability"], abs=1e-12)


def test_a_run_that_goes_on_counts_the_time_since_its_last_evaluation(tmp_path, monkeypatch):
    """Time goes by between evaluations too; checkpoints tell it."""
    monkeypatch.setattr("feint.runs.loop.PIECE", 0.0)  # a checkpoint after every step
    monkeypatch.setattr("feint.runs.loop.SAVE_SHARE", math.inf)
    run = feint.train("cfr", "kuhn", steps=40, out=tmp_path / "run", save_every=0.0)
    evaluated = {row["step"] for row in run.metrics}
    saved = [row for row in run.timings if row["step"] not in evaluated]
    assert saved, "a checkpoint between evaluations"
    folder = RunFolder.resume(run.path, run.config)
    folder.rewind(saved[-1]["step"], {row["step"] for row in run.metrics if row["step"] <= saved[-1]["step"]})
    assert folder.timings[-1] == saved[-1]
    assert folder.metrics[-1]["step"] < saved[-1]["step"]
    assert [row["seconds"] for row in run.timings] == sorted(row["seconds"] for row in run.timings)


@pytest.mark.slow
def test_going_on_with_other_settings_names_those_that_differ(tmp_path):
    begun, asked = ({"tables": 16, "network.hidden": hidden} for hidden in ((8, 8), (16,)))
    feint.train("nfsp", "kuhn", steps=2, settings=begun, out=tmp_path / "run")
    sentence = r"begun with settings network\.hidden=8,8, not network\.hidden=16; ask for the same"
    with pytest.raises(feint.BadInput, match=sentence):
        feint.train("nfsp", "kuhn", steps=4, settings=asked, out=tmp_path / "run", resume=True)


def test_going_on_with_other_rules_is_refused(tmp_path):
    """The name is the same and so are all shapes; only what the rules say has changed."""
    file, out = tmp_path / "mine.py", tmp_path / "run"
    text = "from feint.games.matrix import matrix\ndef game():\n    return matrix(payoffs=((1, -1), (-1, 1)))\n"
    file.write_text(text)
    feint.train("cfr+", f"{file}:game", steps=3, out=out)
    before = (out / "metrics.jsonl").read_bytes()
    file.write_text(text.replace("((1,", "((5,"))
    with pytest.raises(feint.BadInput, match=r"was begun with other rules than .*mine\.py:game has now; train without"):
        feint.train("cfr+", f"{file}:game", steps=6, out=out, resume=True)
    assert (out / "metrics.jsonl").read_bytes() == before
    file.write_text(text)
    assert feint.train("cfr+", f"{file}:game", steps=6, out=out, resume=True).metrics[-1]["step"] == 6


def test_going_on_with_rules_of_another_text_is_refused_where_a_fingerprint_cannot_tell(tmp_path):
    """Too large to be walked through, a game has one of its betting and its showdown, and not of what that calls."""
    file, out = tmp_path / "mine.py", tmp_path / "run"
    text = (
        "from feint.games.cards import Deck\nfrom feint.games.poker import Poker, Round\n"
        "def value(rank):\n    return rank\n"
        "def top(deck, hole, board):\n    return max(value(deck.rank(card)) for card in hole)\n"
        "def game():\n"
        "    deck = Deck('23456789TJQKA', 4, suits=True)\n"
        "    return Poker(deck, (Round(2, 1), Round(2, 1, 1)), top, hole=2, ante=1)\n"
    )
    file.write_text(text)
    small = {"tables": 2, "network.hidden": [4], "replay": {"kind": "rows", "capacity": 16}, "encoding": "rlcard"}
    feint.train("dqn", f"{file}:game", steps=1, settings=small, out=out)
    load_run(out, trust=True)  # from the copy that it brings
    file.write_text(text.replace("return rank", "return -rank"))
    with pytest.raises(feint.BadInput, match=r"was begun when .*mine\.py:game had another text, which is in .*/rules;"):
        feint.train("dqn", f"{file}:game", steps=2, settings=small, out=out, resume=True)


@pytest.mark.parametrize(("opponent", "whom"), [("self", "itself"), ("uniform", "random play")])
def test_a_card_says_against_whom_hands_were_played(opponent, whom, tmp_path):
    small = {"tables": 2, "network.hidden": [4], "replay.capacity": 16, "opponent": opponent}
    run = feint.train("dqn", "kuhn", steps=1, settings=small, out=tmp_path / "run")
    assert f"| played to learn it, against {whom} |" in (run.path / "README.md").read_text()


@pytest.mark.slow
def test_a_card_s_numbers_are_those_of_the_strategy_it_is_for(tmp_path, call):
    """With many seeds a run's curve is their median, and its strategy the best one's."""
    run = feint.train("elite-play", "kuhn", steps=3, seeds=4, out=tmp_path / "run")
    tree, last = feint.unroll("kuhn"), run.metrics[-1]
    exact = feint.exploitability(tree, run.strategy)
    assert min(last["seeds"]) == pytest.approx(exact)
    assert exact < last["exploitability"]
    card = (run.path / "README.md").read_text()
    assert f"type: exploitability, value: {min(last['seeds'])!r}, unit: chips per hand, kind: exact" in card
    assert f"| exploitability | {exact:.6g} |" in card
    assert f"| NashConv | {2 * exact:.6g} |" in card
    spread = f"(the best of 4 seeds; their median is {last['exploitability']:.3g}, from {exact:.3g} to"
    assert spread in repr(run)
    assert spread in card
    shown = " ".join(call("show", str(run.path))[1].split())
    assert f"exploitability {exact:.3g} chips per hand (exact) after 3 steps {spread}" in shown


def test_a_run_that_diverges_stops_and_keeps_what_was_sound(tmp_path, monkeypatch, call):
    """Nothing that is no number is ever written, and the run can be ended where it was sound."""
    monkeypatch.setattr("feint.runs.loop.PIECE", 0.0)  # a checkpoint after every step
    monkeypatch.setattr("feint.runs.loop.SAVE_SHARE", math.inf)
    asked = {"settings": {"values.rate": 30.0, "tables": 64, "warmup": 20}, "out": tmp_path / "run", "save_every": 0.0}
    asked |= {"seed": 7}
    stopped = r"stopped because dqn \(seed 7\) diverged by step \d+: .* slowly than with values\.rate=30; `feint train "
    with pytest.raises(RunStopped, match=stopped) as error:
        feint.train("dqn", "kuhn", steps=400, **asked)
    rows, _ = rows_of(tmp_path / "run" / "metrics.jsonl")
    assert all(math.isfinite(value) for row in rows for value in row.values())
    assert not (tmp_path / "run" / "provenance.json").exists(), "it is not finished"
    last = int(re.search(r"--steps (\d+)", str(error.value))[1])
    assert last < int(re.search(r"by step (\d+)", str(error.value))[1])
    command = re.search(r"`(.*)`", str(error.value))[1]
    assert call(*shlex.split(command)[1:])[0] == 0
    run = load_run(tmp_path / "run")
    assert run.metrics[-1]["step"] == last
    assert np.isfinite(run.strategy.table(feint.unroll("kuhn"))).all()


@pytest.mark.slow
def test_a_run_that_diverges_before_any_checkpoint_says_so(tmp_path):
    with pytest.raises(RunStopped, match=r"diverged by step \d+: .*; nothing is kept\."):
        feint.train(
            "dqn", "kuhn", steps=400, settings={"values.rate": 50.0, "tables": 64, "warmup": 20}, out=tmp_path / "run"
        )
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_values_that_die_are_told_of_once(tmp_path, call):
    """Nothing is wrong with such a run but its rate: it goes on, and judges say how it plays."""
    asked = ["--set", "network.hidden=8,8", "--set", "tables=64", "--set", "values.rate=3", "--steps", "40"]
    code, out, err = call("train", "nfsp", "kuhn", *asked, "--out", str(tmp_path / "run"))
    assert code == 0
    told = re.findall(
        r"By step (\d+) of nfsp a value network died: .* more slowly than with values\.rate=3, policy", out + err
    )
    rows = load_run(tmp_path / "run").metrics
    assert [int(step) for step in told] == [next(row["step"] for row in rows if row["value_spread"] == 0)]
    assert rows[0]["value_spread"] > 0, "it lived at first"


def test_values_that_died_with_one_seed_are_not_lost_in_the_median(monkeypatch):
    seen = {"exploitability": np.array([3.0, 1.0, 2.0]), "value_spread": np.array([1.0, 0.0, 2.0])}
    monkeypatch.setattr("feint.runs.trainer._look", lambda *_: seen)
    form = form_of("kuhn")
    learner = resolve("dqn", {"tables": 8, "replay.capacity": 8}).on(form)
    row = Trainer(learner, form.gauge(False), RunConfig("kuhn", "dqn", {}, seeds=3)).evaluate()
    assert (row["exploitability"], row["value_spread"]) == (2.0, 0.0)


@pytest.mark.parametrize(("seeds", "evaluations"), [(1, 1), (3, 2)])
def test_of_one_seed_nothing_is_judged_to_find_the_best(monkeypatch, seeds, evaluations):
    seen, form = [], form_of("kuhn")
    look = lambda *_: seen.append(1) or {"exploitability": np.arange(3.0) if seeds > 1 else np.array(3.0)}  # noqa: E731
    monkeypatch.setattr("feint.runs.trainer._look", look)
    learner = resolve("dqn", {"tables": 8, "replay.capacity": 8}).on(form)
    Trainer(learner, form.gauge(False), RunConfig("kuhn", "dqn", {}, seeds=seeds)).best_state()
    assert len(seen) == evaluations


def test_of_many_seeds_those_that_diverge_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr("feint.runs.loop.PIECE", 0.0)
    advance = Trainer.advance

    def broken(trainer, steps):
        taken = advance(trainer, steps)
        trainer.state = jax.tree.map(
            lambda leaf: leaf.at[1].set(jnp.nan) if eqx.is_inexact_array(leaf) else leaf, trainer.state
        )
        return taken

    monkeypatch.setattr(Trainer, "advance", broken)
    with pytest.raises(RunStopped, match=r"cfr \(seed 6\) diverged by step 1:"):
        feint.train("cfr", "kuhn", steps=5, seed=5, seeds=3, out=tmp_path / "run")
