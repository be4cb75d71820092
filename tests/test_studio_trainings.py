"""Trainings that the studio starts: begun, stopped, gone on with, bounded, and never through a shell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import IO, Any

import pytest
from starlette.testclient import TestClient

import feint
from feint.runs.config import RunConfig
from feint.runs.files import RUNNING, writer_of
from feint.studio.app import make_app
from feint.studio.trainings import Trainings
from feint.studio.visit import Late
from test_studio_runs import HOST, until


@pytest.mark.slow
def test_a_run_is_started_stopped_and_resumed(tmp_path: Path) -> None:
    def state() -> str | None:
        answer = client.get("/api/runs/mine")
        return answer.json()["state"] if answer.status_code == 200 else None

    with TestClient(make_app(tmp_path, tmp_path / "h.sqlite", (HOST,)), base_url=f"http://{HOST}") as client:
        asked = {"game": "kuhn", "algorithm": "cfr+", "seed": 3, "settings": {"gamma": "2", "alpha": "inf"}}
        begun = client.post("/api/runs", json=asked | {"name": "mine", "seconds": 600})
        assert begun.json() == {"key": "mine", "state": "starting", "goto": "/runs/mine"}
        assert client.post("/api/runs", json=asked | {"name": "mine"}).status_code == 409
        assert "being prepared" in client.get("/runs/mine").text or state()
        until(lambda: state() == "running" and client.get("/api/runs/mine/metrics").json()["rows"])
        page = client.get("/runs/mine").text
        assert "data-refresh" in page
        assert 'id="stop"' in page
        assert "data-refresh" in client.get("/runs").text
        assert client.post("/api/runs/mine/resume", json={}).status_code == 409
        assert client.post("/api/runs/mine/stop", json={}).json()["state"] == "stopping"
        assert client.post("/api/runs/mine/stop", json={}).status_code == 409
        until(lambda: state() == "finished")
        run = feint.load_run(tmp_path / "mine")
        assert run.config.seed == 3
        assert run.config.settings["gamma"] == 2.0
        assert client.post("/api/runs/mine/resume", json={"seconds": 1}).status_code == 200
        until(lambda: state() == "finished" and len(feint.load_run(tmp_path / "mine").metrics) > len(run.metrics))
        assert feint.load_run(tmp_path / "mine").metrics[-1]["step"] > run.metrics[-1]["step"]


def test_what_has_not_begun_is_stopped_at_once(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path, tmp_path / "h.sqlite", (HOST,)), base_url=f"http://{HOST}") as client:
        client.post("/api/runs", json={"game": "kuhn", "algorithm": "cfr", "name": "mine", "seconds": 600})
        assert client.post("/api/runs/mine/stop", json={}).status_code == 200
        until(lambda: "Nothing of it is kept" in client.get("/runs/mine").text, 20)
    assert not (tmp_path / "mine").exists()


@pytest.mark.slow
def test_closing_leaves_a_checkpoint_and_failures_say_why(tmp_path: Path) -> None:
    with TestClient(make_app(tmp_path, tmp_path / "h.sqlite", (HOST,)), base_url=f"http://{HOST}") as client:
        for name, algorithm in (("one", "cfr"), ("two", "linear-program")):
            asked = {"name": name, "algorithm": algorithm, "game": "kuhn(players=3)" if name == "two" else "kuhn"}
            wrong = name == "two"
            assert client.post("/api/runs", json=asked | {"seconds": 600}).status_code == (404 if wrong else 200)
        assert client.post("/api/runs", json={"name": "two", "algorithm": "cfr", "game": "holdem"}).status_code == 200
        third = client.post("/api/runs", json={"name": "three", "algorithm": "cfr", "game": "kuhn"})
        assert third.status_code == 409
        assert "as many as at once can be" in third.json()["error"]
        until(lambda: "too large to unroll" in client.get("/runs/two").text)
        until(lambda: "has left no run" in client.get("/runs").text)
        until(lambda: (tmp_path / "one" / "metrics.jsonl").exists())
    assert not (tmp_path / "one" / "provenance.json").exists()
    assert list((tmp_path / "one" / "checkpoints").iterdir())
    assert writer_of(tmp_path / "one") is None


def test_whoever_writes_is_found_by_the_lock(tmp_path: Path) -> None:
    assert writer_of(tmp_path) is None
    (tmp_path / RUNNING).write_text(f"process {os.getpid()} on {os.uname().nodename}\n")
    assert writer_of(tmp_path) is None  # the process lives, but holds no lock


def test_trainings_start_no_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    class Never:
        pid = 2**22

        def __init__(self, command: list[str], **options: Any) -> None:
            seen.append(command)
            assert not options.get("shell")

        def poll(self) -> int:
            return 0

    monkeypatch.setattr(subprocess, "Popen", Never)
    config = RunConfig("kuhn", "cfr+", {}, seconds=2.0)
    trainings = Trainings(tmp_path)
    trainings.start("mine", config, None, {"gamma": 2.0})
    trainings.close()
    assert seen[0][1:] == [
        *("-P", "-m", "feint", "train", f"--out={tmp_path / 'mine'}", "--seed", "0", "--set", "gamma=2.0"),
        *("--seconds", "2.0", "--", "cfr+", "kuhn"),
    ]


def test_trainings_are_bounded_and_say_why_they_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Going:
        pid, code = 2**22, None

        def __init__(self, command: list[str], stderr: IO[bytes], **_: Any) -> None:
            stderr.write(b"reading\nfeint: It is too large.\n")
            stderr.flush()

        def poll(self) -> int | None:
            return self.code

    monkeypatch.setattr(subprocess, "Popen", Going)
    config, trainings = RunConfig("kuhn", "cfr+", {}, seconds=2.0), Trainings(tmp_path)
    for name in ("one", "two"):
        trainings.start(name, config, None, {})
    with pytest.raises(Late, match="one and two are being trained, as many as at once can be"):
        trainings.start("three", config, None, {})
    Going.code = 2
    failed = trainings.find("two")
    assert failed is not None
    assert (failed.failed, failed.said) == (True, "It is too large.")
    trainings.start("three", config, None, {})
    trainings.close()
