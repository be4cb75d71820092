"""Runs survive anything: kills, damaged files, full disks."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from conftest import few
from feint.runs.checkpoint import checkpoints, load_checkpoint, save_checkpoint
from feint.runs.files import write_whole
from feint.runs.run import metrics_of

SETTINGS = [
    "--set",
    "tables=32",
    "--set",
    "replay.kind=rows",
    "--set",
    "replay.capacity=500",
    "--set",
    "average.kind=reservoir",
    "--set",
    "average.capacity=500",
]
COMMAND = ["train", "nfsp", "kuhn", *SETTINGS, "--save-every", "0.01", "--out", "run"]
STATE = {"weights": jnp.arange(6.0), "key": jax.random.key(3), "count": jnp.int64(2**40)}


def feint_command(*words: str, cwd: Path) -> subprocess.Popen:
    environment = os.environ | {"FEINT_CACHE": str(cwd / "cache")}
    return subprocess.Popen(
        [sys.executable, "-m", "feint", *words],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finished(process: subprocess.Popen) -> str:
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err.decode()
    return err.decode()


def result(path: Path) -> dict[str, bytes]:
    """All of a run that must be the same, however it got there."""
    names = ["config.json", "metrics.jsonl", "strategy.safetensors", "README.md"]
    last = checkpoints(path / "checkpoints")[0][1]
    return {name: (path / name).read_bytes() for name in names} | {last.name: last.read_bytes()}


def killed_and_resumed(tmp_path: Path, end: str, kills: int, seed: int) -> int:
    """A run killed at random moments ends as one that was left alone does; returns how often it was killed."""
    words = [*COMMAND, *end.split()]
    finished(feint_command(*words, cwd=tmp_path))
    expected, last = result(tmp_path / "run"), checkpoints(tmp_path / "run" / "checkpoints")[0][0]
    (tmp_path / "run").rename(tmp_path / "undisturbed")
    moments = random.Random(seed)
    count = 0
    while count < kills:
        folder = tmp_path / "run" / "checkpoints"
        before = checkpoints(folder)[0][0] if folder.is_dir() and checkpoints(folder) else None
        if before is None and (tmp_path / "run").is_dir():
            subprocess.run(["rm", "-r", tmp_path / "run"], check=True)  # killed before its first checkpoint
        process = feint_command(*words, *(["--resume"] if before is not None else []), cwd=tmp_path)
        while process.poll() is None and not (
            folder.is_dir() and checkpoints(folder) and checkpoints(folder)[0][0] != before
        ):
            time.sleep(0.002)
        time.sleep(moments.random() * 0.3)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        count += 1
        if checkpoints(folder)[0][0] == last:
            break
    finished(feint_command(*words, "--resume", cwd=tmp_path))
    assert result(tmp_path / "run") == expected
    return count


@pytest.mark.slow
def test_a_killed_run_ends_as_if_it_had_not_been(tmp_path):
    assert killed_and_resumed(tmp_path, "--steps 6000", kills=1, seed=0) == 1


@pytest.mark.slow
def test_fifty_kills(tmp_path):
    assert killed_and_resumed(tmp_path, "--hands 2000000", kills=50, seed=1) == 50


@pytest.mark.parametrize(
    "algorithm",
    few("cfr+", "dcfr", "pcfr+", "xfp", "mccfr", "nfsp", "fsp", "dqn", fast=("cfr+", "dcfr", "pcfr+", "xfp", "mccfr")),
)
def test_stopping_and_going_on_changes_nothing(tmp_path, algorithm):
    small = {"tables": 16} if algorithm in {"mccfr", "nfsp", "fsp", "dqn"} else {}
    whole = feint.train(algorithm, "kuhn", steps=60, settings=small, out=tmp_path / "whole")
    feint.train(algorithm, "kuhn", steps=25, settings=small, out=tmp_path / "parts")
    parts = feint.train(algorithm, "kuhn", steps=60, settings=small, out=tmp_path / "parts", resume=True)
    assert result(parts.path) == result(whole.path)


@pytest.mark.parametrize("seeds", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_going_on_to_more_hands_changes_nothing(tmp_path, seeds):
    few = {"settings": {"tables": 16}, "seeds": seeds}
    whole = feint.train("nfsp", "kuhn", hands=600, out=tmp_path / "whole", **few)
    for hands in (150, 600, 600):
        parts = feint.train("nfsp", "kuhn", hands=hands, out=tmp_path / "parts", resume=hands > 150, **few)
    assert result(parts.path) == result(whole.path)
    assert 600 <= whole.metrics[-1]["hands"] < 616


def test_going_on_to_where_exploitability_was_low_enough_changes_nothing(tmp_path):
    whole = feint.train("cfr+", "kuhn", until=0.01, out=tmp_path / "run")
    before = result(whole.path)
    again = feint.train("cfr+", "kuhn", until=0.01, out=tmp_path / "run", resume=True)
    assert result(again.path) == before
    further = feint.train("cfr+", "kuhn", until=0.001, out=tmp_path / "run", resume=True)
    assert further.metrics[-1]["step"] > whole.metrics[-1]["step"]
    assert further.metrics[-1]["exploitability"] <= 0.001


def test_a_run_killed_before_its_first_evaluation_goes_on(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("feint.runs.train.RunFolder.log", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            feint.train("cfr", "kuhn", steps=9, out=tmp_path / "run", save_every=0.0)
    assert checkpoints(tmp_path / "run" / "checkpoints")
    assert not (tmp_path / "run" / "metrics.jsonl").exists()
    run = feint.train("cfr", "kuhn", steps=9, out=tmp_path / "run", resume=True)
    assert result(run.path) == result(feint.train("cfr", "kuhn", steps=9, out=tmp_path / "whole").path)


def test_an_evaluation_that_is_owed_is_made(tmp_path):
    """A run killed after its checkpoint and before the evaluation there, or in the middle of writing that."""
    whole = result(feint.train("cfr", "kuhn", steps=9, out=tmp_path / "whole").path)
    run = feint.train("cfr", "kuhn", steps=9, out=tmp_path / "run")
    lines = (run.path / "metrics.jsonl").read_text().splitlines(keepends=True)
    (run.path / "metrics.jsonl").write_text("".join(lines[:-1]) + '{"step": 9, "explo')
    (run.path / "provenance.json").unlink()
    assert metrics_of(run.path)[-1]["step"] == 8
    assert result(feint.train("cfr", "kuhn", steps=9, out=tmp_path / "run", resume=True).path) == whole


def test_a_run_that_ended_by_hands_at_a_step_that_is_judged_anyway_is_not_judged_twice(tmp_path):
    few = {"tables": 16}
    third = feint.train("nfsp", "kuhn", steps=3, settings=few, out=tmp_path / "steps").metrics[-1]
    hands = int(third["hands"])
    for resume in (False, True):
        run = feint.train("nfsp", "kuhn", hands=hands, settings=few, out=tmp_path / "run", resume=resume)
        assert [row["step"] for row in run.metrics] == [1, 2, 3]
        assert run.metrics[-1] == third


def test_a_run_goes_on_and_never_back(tmp_path):
    run = feint.train("nfsp", "kuhn", hands=100, settings={"tables": 16}, out=tmp_path / "run")
    step = run.metrics[-1]["step"]
    before = result(run.path)
    for end, sentence in (
        ({"steps": step - 1}, f"is at step {step}, past the {step - 1} asked for; ask for more"),
        ({"hands": 50}, "hands, no fewer than the 50 asked for; ask for more"),
    ):
        with pytest.raises(feint.BadInput, match=sentence):
            feint.train("nfsp", "kuhn", out=run.path, resume=True, **end)
    assert result(run.path) == before


def test_what_goes_on_is_not_finished(tmp_path, monkeypatch):
    path = feint.train("cfr", "kuhn", steps=5, out=tmp_path / "run").path
    assert (path / "provenance.json").is_file()
    with monkeypatch.context() as patch:
        patch.setattr("feint.runs.train.Trainer.strategy", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            feint.train("cfr", "kuhn", steps=9, out=path, resume=True)
    assert not (path / "provenance.json").exists()
    with pytest.raises(feint.BadInput, match="is not a finished run"):
        feint.load_run(path)  # its evaluations are of step 9 and its strategy would be of step 5
    feint.train("cfr", "kuhn", steps=9, out=path, resume=True)
    assert (path / "provenance.json").is_file()


@pytest.mark.slow
def test_seeds_run_side_by_side_are_the_seeds_run_alone(tmp_path):
    settings = {"tables": 16, "average.since": 0, "policy.smoothing": 0.0}
    many = feint.train("nfsp", "kuhn", steps=40, seeds=3, settings=settings, out=tmp_path / "many")
    alone = [
        feint.train("nfsp", "kuhn", steps=40, seed=seed, settings=settings, out=tmp_path / str(seed)).metrics[-1]
        for seed in range(3)
    ]
    assert len(set(many.metrics[-1]["seeds"])) == 3
    # Side by side, matrices are multiplied in another order, so the last bits differ.
    assert many.metrics[-1]["seeds"] == pytest.approx([row["exploitability"] for row in alone], rel=0.05)
    assert many.metrics[-1]["exploitability"] == pytest.approx(np.median(many.metrics[-1]["seeds"]))
    assert feint.exploitability(feint.unroll("kuhn"), many.strategy) == pytest.approx(min(many.metrics[-1]["seeds"]))


def test_a_checkpoint_comes_back_whole(tmp_path):
    save_checkpoint(tmp_path, 7, STATE, write_whole)
    step, state = load_checkpoint(tmp_path, STATE, pytest.fail)
    assert step == 7
    np.testing.assert_array_equal(state["weights"], STATE["weights"])
    assert int(state["count"]) == 2**40
    assert jax.random.uniform(state["key"]) == jax.random.uniform(STATE["key"])


def test_only_the_last_few_are_kept(tmp_path):
    for step in range(1, 12):
        save_checkpoint(tmp_path, step, STATE, write_whole)
    assert [step for step, _ in checkpoints(tmp_path)] == [11, 10, 9]
    (tmp_path / "12.abc.safetensors.part").write_bytes(b"cut off")
    save_checkpoint(tmp_path, 12, STATE, write_whole)
    assert len(list(tmp_path.iterdir())) == 3


def test_damage_anywhere_is_noticed_named_and_passed_over(tmp_path):
    save_checkpoint(tmp_path, 1, STATE, write_whole)
    path = save_checkpoint(tmp_path, 2, STATE, write_whole)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        warnings: list[str] = []
        assert load_checkpoint(tmp_path, STATE, warnings.append)[0] == 1
        assert path.name in warnings[0]
    for length in range(0, len(whole), 50):
        path.write_bytes(whole[:length])
        assert load_checkpoint(tmp_path, STATE, lambda _: None)[0] == 1


def test_a_pickle_is_not_opened(tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "exploded"),)

    data = pickle.dumps(Bomb())
    (tmp_path / f"9.{hashlib.sha256(data).hexdigest()}.safetensors").write_bytes(data)
    with pytest.raises(feint.BadInput, match="is not a checkpoint"):
        load_checkpoint(tmp_path, STATE, pytest.fail)
    assert not (tmp_path / "exploded").exists()


def test_another_algorithms_checkpoint_is_refused(tmp_path):
    save_checkpoint(tmp_path, 1, {"other": jnp.zeros(3)}, write_whole)
    with pytest.raises(feint.BadInput, match="not a checkpoint of this algorithm"):
        load_checkpoint(tmp_path, STATE, pytest.fail)
    with pytest.raises(feint.BadInput, match="has no checkpoint"):
        load_checkpoint(tmp_path / "empty", STATE, pytest.fail)


def test_resuming_asks_for_the_same_run(tmp_path):
    feint.train("cfr", "kuhn", steps=5, out=tmp_path / "run")
    for change in ({"seed": 1}, {"seeds": 2}, {"settings": {"alternating": False}}):
        with pytest.raises(feint.BadInput, match="ask for the same"):
            feint.train("cfr", "kuhn", steps=9, out=tmp_path / "run", resume=True, **change)
    with pytest.raises(feint.BadInput, match="is not a run"):
        feint.train("cfr", "kuhn", steps=9, out=tmp_path / "nothing", resume=True)


def test_resuming_keeps_the_seeds(tmp_path):
    feint.train("cfr", "kuhn", steps=3, seed=4, seeds=2, out=tmp_path / "run")
    run = feint.train("cfr", "kuhn", steps=5, out=tmp_path / "run", resume=True)
    assert (run.config.seed, run.config.seeds) == (4, 2)
    assert run.metrics[-1]["step"] == 5


def test_damaged_evaluations_are_refused_in_a_sentence(tmp_path):
    path = feint.train("cfr", "kuhn", steps=5, out=tmp_path / "run").path
    with (path / "metrics.jsonl").open("a") as file:
        file.write("junk\n")
    with pytest.raises(feint.BadInput, match=r"holds a damaged run \(.*\); train it again in another folder"):
        feint.train("cfr", "kuhn", steps=9, out=path, resume=True)


def test_the_latest_run_is_gone_on_with(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [feint.train("cfr", "kuhn", steps=number).path.name for number in (1, 2, 3)]
    assert names == ["kuhn-cfr", "kuhn-cfr-2", "kuhn-cfr-3"]
    shutil.rmtree(tmp_path / "runs" / "kuhn-cfr-2")
    (tmp_path / "runs" / "kuhn-cfr-old").mkdir()
    assert feint.train("cfr", "kuhn", steps=9, resume=True).path.name == "kuhn-cfr-3"
    assert feint.train("cfr", "kuhn", steps=1).path.name == "kuhn-cfr-4"


def test_resuming_keeps_the_settings(tmp_path):
    feint.train("cfr", "kuhn", steps=5, settings={"alternating": False}, out=tmp_path / "run")
    run = feint.train("cfr", "kuhn", steps=9, out=tmp_path / "run", resume=True)
    assert run.config.settings["alternating"] is False
    assert run.metrics[-1]["step"] == 9


def test_a_full_disk_stops_the_run_and_keeps_the_last_checkpoint(tmp_path, monkeypatch):
    real, saved = write_whole, []

    def fills_up(path: Path, data: bytes) -> None:
        if path.parent.name == "checkpoints":
            if saved:
                raise OSError(28, "No space left on device")
            saved.append(path)
        real(path, data)

    monkeypatch.setattr("feint.runs.folder.write_whole", fills_up)
    with pytest.raises(
        feint.games.errors.RunStopped, match=r"No space left on device.*last checkpoint is step"
    ) as stop:
        feint.train("cfr", "kuhn", steps=10**9, save_every=0.01, out=tmp_path / "run")
    assert "--resume" in str(stop.value)
    assert checkpoints(tmp_path / "run" / "checkpoints")[0][1] == saved[0]
    assert not list((tmp_path / "run" / "checkpoints").glob("*.part"))
