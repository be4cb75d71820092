"""Sweeps: every trial an ordinary run, gone on with where it was left, and the same bytes wherever it is trained."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from feint.games.errors import BadInput, RunStopped
from feint.runs import on_ray, sweeping
from feint.runs.checkpoint import checkpoints
from feint.runs.config import RunConfig
from feint.runs.files import CHECKPOINTS, PROVENANCE, TIMINGS, rows_of
from feint.runs.folder import RunFolder
from feint.runs.loop import StoppingRule, check_sound
from feint.runs.run import config_of, load_run, metrics_of
from feint.runs.sweep import LEAST_SECONDS, RESULTS, SWEEP, Trial, begin, read_sweep, result
from feint.runs.sweeping import run_sweep
from feint.runs.train import train

SMALL = {"algorithms": ["cfr+", "cfr"], "games": ["kuhn"], "seeds": 2, "apart": True, "steps": 4}
FILES = ("config.json", "metrics.jsonl", "strategy.safetensors")
"""What of a run does not depend on clocks and machines."""


def bytes_of(sweep, folder):
    """All that came of a sweep, to be compared."""
    made = {(trial.name, name): (folder / trial.name / name).read_bytes() for trial in sweep.trials for name in FILES}
    return made | {RESULTS: (folder / RESULTS).read_bytes()}


def test_every_combination_is_a_trial_with_a_name_of_its_own():
    sweep = read_sweep(
        {
            "algorithms": ["nfsp", "dqn"],
            "games": ["kuhn(players=3)", "leduc"],
            "settings": {"network": {"hidden": ["64,64", "32"]}, "tables": [8, 16]},
            "seeds": 3,
            "apart": True,
            "steps": 10,
        }
    )
    assert len(sweep.trials) == len({trial.name for trial in sweep.trials}) == 2 * 2 * 2 * 2 * 3
    assert sweep.trials[0].name == "nfsp_kuhn-players=3-_network.hidden=64,64_tables=8_seed=0"
    together = read_sweep({"algorithms": "nfsp", "games": "leduc", "seeds": 3, "seed": 5, "hands": 10})
    (trial,) = together.trials
    assert (trial.seed, trial.seeds, trial.name) == (5, 3, "nfsp_leduc_seeds=5-7")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"algorithms": []}, "one or more algorithms"),
        ({"games": ["kuhn", "kuhn"]}, "each named once"),
        ({"games": ["kuhn", "kuhn(players=2)"]}, "each named once"),
        ({"games": ["kuhn(players=3)", "kuhn( players = 3 )"]}, "each named once"),
        ({"games": ["kuhm"]}, "no game called 'kuhm'"),
        ({"algorithm": ["cfr"]}, "nothing called 'algorithm'"),
        ({"algorithms": ["cfx"]}, "no algorithm called 'cfx'"),
        ({"settings": {"rate": [1.0]}}, "no setting called 'rate'"),
        ({"settings": [1]}, "table of names"),
        ({"seeds": 0}, "1 seed or more"),
        ({"steps": None}, "when its trials stop"),
        ({"steps": "many"}, "cannot take steps"),
        ({"settings": {"delay": []}}, "no values"),
        ({"games": 3}, "cannot take games"),
        ({"games": [["kuhn"]]}, "cannot take games"),
        ({"settings": "abc"}, "table of names"),
        (
            {"algorithms": "nfsp", "settings": {"tables": [8, 16, "16"]}},
            "2 of this one are called nfsp_kuhn_tables",
        ),
        ({"seeds": 10**9}, "10,000 trials at most, but this one has 2,000,000,000"),
        ({"settings": {name: list(range(100)) for name in "abcdef"}}, "this one has 4,000,000,000,000"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(change, why):
    with pytest.raises(BadInput, match=why):
        read_sweep(SMALL | change)


def test_trials_are_runs_and_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    sweep, told = read_sweep(SMALL), []
    assert run_sweep(sweep, tmp_path / "s", told=lambda outcome, left: told.append((outcome[0].name, left))) == {}
    assert [left for _, left in told] == [3, 2, 1, 0]
    runs = [load_run(tmp_path / "s" / trial.name) for trial in sweep.trials]
    assert [(run.config.algorithm, run.config.seed) for run in runs] == [
        ("cfr+", 0),
        ("cfr+", 1),
        ("cfr", 0),
        ("cfr", 1),
    ]
    rows = [json.loads(line) for line in (tmp_path / "s" / RESULTS).read_text().splitlines()]
    assert [row["exploitability"] for row in rows] == [run.metrics[-1]["exploitability"] for run in runs]
    before = bytes_of(sweep, tmp_path / "s")
    monkeypatch.setattr(Trial, "train", lambda self, folder: pytest.fail("it was done"))
    assert run_sweep(sweep, tmp_path / "s") == {}
    assert bytes_of(sweep, tmp_path / "s") == before
    with pytest.raises(BadInput, match="holds another sweep"):
        run_sweep(read_sweep(SMALL | {"steps": 5}), tmp_path / "s")
    with pytest.raises(BadInput, match="is not empty"):
        run_sweep(sweep, tmp_path)


def test_a_sweep_that_was_stopped_goes_on_to_the_same_bytes(tmp_path):
    sweep = read_sweep(SMALL | {"algorithms": ["cfr+"]})
    run_sweep(sweep, tmp_path / "whole")
    first, second = sweep.trials
    folder = tmp_path / "cut"
    run_sweep(read_sweep(SMALL | {"algorithms": ["cfr+"]}), folder)
    # As Ctrl-C leaves one: ended early, with a checkpoint. As kill -9 may leave another: begun, and no more.
    for trial in (first, second):
        for path in sorted((folder / trial.name).rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
    (folder / first.name).rmdir()
    train("cfr+", "kuhn", steps=2, seed=0, out=folder / first.name)
    (folder / second.name / "config.json").write_text("{")
    assert not first.done(folder / first.name)
    assert run_sweep(sweep, folder) == {}
    whole, cut = bytes_of(sweep, tmp_path / "whole"), bytes_of(sweep, folder)
    assert cut == whole


OWN_GAME = """
from feint.games.matrix import matrix

def mine():
    return matrix(payoffs=((2, -1), (-1, 1)))
"""


def test_a_game_is_known_by_its_own_name_however_it_is_spelled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my_game.py").write_text(OWN_GAME)
    asked = SMALL | {"algorithms": ["cfr"], "seeds": 1, "steps": 1}
    sweep = read_sweep(asked | {"games": [" kuhn( players = 3 ) ", "leduc(suits=False)"]})
    assert sweep.games == ("kuhn(players=3)", "leduc")
    sweep = read_sweep(asked | {"games": ["kuhn(players=2)", "./my_game.py:mine"]})
    assert run_sweep(sweep, tmp_path / "s") == {}
    runs = [config_of(tmp_path / "s" / trial.name).game for trial in sweep.trials]
    assert runs == list(sweep.games) == ["kuhn", "my_game.py:mine"]
    # However it is spelled next time, it is the same sweep and nothing of it is left to do.
    monkeypatch.setattr(Trial, "train", lambda self, folder: pytest.fail("it was done"))
    assert run_sweep(read_sweep(asked | {"games": runs}), tmp_path / "s") == {}


def test_a_trial_killed_in_its_first_checkpoint_is_begun_again(tmp_path):
    sweep = read_sweep(SMALL | {"algorithms": ["cfr"], "seeds": 1})
    (trial,) = sweep.trials
    run_sweep(sweep, tmp_path / "whole")
    kept = tmp_path / "cut" / trial.name / CHECKPOINTS
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / SWEEP).write_bytes((tmp_path / "whole" / SWEEP).read_bytes())
    kept.mkdir(parents=True)
    for name in ("config.json", "metrics.jsonl", "timings.jsonl"):
        (kept.parent / name).write_bytes((tmp_path / "whole" / trial.name / name).read_bytes())
    part = kept / f"4.{'0' * 64}.safetensors.part"
    part.write_bytes(b"cut off")
    assert run_sweep(sweep, tmp_path / "cut") == {}
    assert not part.exists()
    assert bytes_of(sweep, tmp_path / "cut") == bytes_of(sweep, tmp_path / "whole")


def test_a_trial_that_is_gone_on_with_has_what_is_left_of_its_time(tmp_path, monkeypatch):
    sweep = read_sweep(SMALL | {"algorithms": ["cfr"], "seeds": 1, "steps": None, "seconds": 1.0})
    (trial,) = sweep.trials
    folder = tmp_path / trial.name
    begin(sweep, tmp_path)
    train("cfr", "kuhn", steps=3, out=folder)
    given = []

    def asks(algorithm, game, **words):
        given.append((words["seconds"], words["resume"]))
        return train(algorithm, game, **words)

    monkeypatch.setattr("feint.runs.train.train", asks)
    spent = rows_of(folder / TIMINGS)[0][-1]["seconds"]
    assert spent > 0
    assert not trial.done(folder)
    assert run_sweep(sweep, tmp_path) == {}
    assert given == [(1.0 - spent, True)]
    assert trial.done(folder)
    # Where none of it is left, it ends at once.
    monkeypatch.setattr("feint.runs.sweep.rows_of", lambda path: ([{"step": 1, "seconds": 2000.0}], ""))
    steps = metrics_of(folder)[-1]["step"]
    trial.train(folder)
    assert given[1][0] == LEAST_SECONDS
    assert metrics_of(folder)[-1]["step"] - steps <= 1
    assert trial.done(folder)
    assert not replace(trial, seconds=LEAST_SECONDS / 2).done(folder)


def test_a_trial_that_fails_leaves_the_others(tmp_path, call):
    file = tmp_path / "sweep.toml"
    file.write_text('algorithms = ["cfr+", "linear-program"]\ngames = ["kuhn", "kuhn(players=3)"]\nsteps = 1\n')
    code, out, err = call("sweep", str(file), "--out", "s", "--json")
    said = json.loads(out)
    assert code == 1
    assert "1 of 4 trials failed" in err
    assert len(said["trials"]) == 3
    assert list(said["failed"]) == ["linear-program_kuhn-players=3-_seed=0"]
    code, out, _ = call("sweep", "--algorithm", "cfr+", "--game", "kuhn", "--steps", "2", "--out", "t")
    assert (code, "exploitability" in out) == (0, True)
    code, _, err = call("sweep", "--algorithm", "cfr+", "--game", "kuhn", "--set", "delay", "--steps", "2")
    assert (code, "key=value|value" in err) == (2, True)
    file.write_text('algorithms = "cfr+"\ngames = "kuhn"\nsteps = 1\nsettings = "abc"\n')
    code, _, err = call("sweep", str(file), "--set", "delay=1")
    assert (code, "are a table of names and lists of values, but 'abc' was given" in err) == (2, True)


def test_a_trial_that_diverges_leaves_the_others_and_one_asked_to_end_does_not(tmp_path, monkeypatch):
    sweep, train = read_sweep(SMALL | {"algorithms": ["cfr"]}), Trial.train
    bad, good = sweep.trials
    stopped = RunStopped("cfr diverged by step 1.")

    def trained(trial, folder):
        if trial == bad:
            raise stopped
        train(trial, folder)

    monkeypatch.setattr(Trial, "train", trained)
    assert run_sweep(sweep, tmp_path) == {bad.name: str(stopped)}
    assert good.done(tmp_path / good.name)
    stopped = RunStopped("The run was asked to end (SIGTERM).", 143)
    with pytest.raises(RunStopped, match="was asked to end"):
        run_sweep(sweep, tmp_path)


def test_an_interrupt_ends_a_sweep_and_what_it_cut_short_is_gone_on_with(tmp_path, monkeypatch):
    sweep, log = read_sweep(SMALL | {"algorithms": ["cfr"], "steps": None, "seconds": 0.3}), RunFolder.log
    first, second = sweep.trials

    def interrupted(self, row, seconds):
        log(self, row, seconds)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(RunFolder, "log", interrupted)
    with pytest.raises(RunStopped, match=f"Stopped in {first.name}") as stopped:
        run_sweep(sweep, tmp_path)
    monkeypatch.setattr(RunFolder, "log", log)
    assert stopped.value.code == 130
    assert load_run(tmp_path / first.name).metrics[-1]["step"] == 1, "what there is of it is a run"
    assert not first.done(tmp_path / first.name)
    assert not (tmp_path / second.name).exists()
    assert run_sweep(sweep, tmp_path) == {}
    assert all(trial.done(tmp_path / trial.name) for trial in sweep.trials)
    assert all("cut_short" not in file.read_text() for file in tmp_path.rglob("provenance.json"))


def test_an_interrupt_before_a_run_s_time_is_over_cuts_it_short_however_long_judging_takes(monkeypatch):
    now, trainer = [0.0], SimpleNamespace(step=5, enough=False)
    monkeypatch.setattr("feint.runs.loop.time.monotonic", lambda: now[0])
    stop = StoppingRule(RunConfig("kuhn", "cfr", {}, seconds=60), SimpleNamespace(caught=signal.SIGINT))
    now[0] = 55.0
    late = stop.late
    now[0] = 65.0  # it was judged meanwhile
    assert stop.cut_short(trainer, {}, late)
    assert not stop.cut_short(trainer, {}, stop.late)


@pytest.mark.parametrize(("asked", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_that_comes_while_a_trial_is_written_down_ends_the_sweep_after_it(asked, code, tmp_path, monkeypatch):
    sweep, finish = read_sweep(SMALL | {"algorithms": ["cfr"]}), RunFolder.finish
    first, second = sweep.trials

    def interrupted(self, *words):
        signal.raise_signal(asked)
        return finish(self, *words)

    monkeypatch.setattr(RunFolder, "finish", interrupted)
    with pytest.raises(RunStopped, match=f"^Stopped after {first.name}; the same command goes on") as stopped:
        run_sweep(sweep, tmp_path)
    monkeypatch.setattr(RunFolder, "finish", finish)
    assert stopped.value.code == code
    assert first.done(tmp_path / first.name)
    assert not (tmp_path / second.name).exists()
    assert run_sweep(sweep, tmp_path) == {}
    assert second.done(tmp_path / second.name)


@pytest.mark.slow
def test_processes_make_the_same_bytes_and_a_killed_one_is_made_up_for(tmp_path):
    sweep = read_sweep(SMALL | {"steps": 20})
    run_sweep(sweep, tmp_path / "one")
    run_sweep(sweep, tmp_path / "two", workers=2)
    assert bytes_of(sweep, tmp_path / "one") == bytes_of(sweep, tmp_path / "two")


def free():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """Two nodes of Ray on loopback, started as anyone would, each with one processor."""

    def __init__(self):
        self.address, self.nodes = f"127.0.0.1:{free()}", []
        self.folder = tempfile.TemporaryDirectory(prefix="r", dir="/tmp")  # sockets have short names

    def __enter__(self):
        port = self.address.split(":")[1]
        self._start("--head", "--port", port, "--include-dashboard=false", "--temp-dir", self.folder.name)
        until(lambda: listens(int(port)))
        self._start("--address", self.address)
        return self

    def _start(self, *words):
        ray = Path(sys.executable).parent / "ray"
        local = ("--node-ip-address", "127.0.0.1", "--num-cpus", "1", "--block", "--disable-usage-stats")
        self.nodes.append(
            subprocess.Popen([ray, "start", *words, *local], start_new_session=True, stdout=subprocess.DEVNULL)
        )

    def kill_second(self):
        """End the second node's processes, all at once and without a word."""
        for pid in [*descendants(self.nodes[1].pid), self.nodes[1].pid]:
            os.kill(pid, signal.SIGKILL)

    def __exit__(self, *error):
        for node in self.nodes:
            for pid in [*descendants(node.pid), node.pid]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            node.wait(20)
        self.folder.cleanup()


def until(true, seconds=300.0):
    """Wait for something, but not for ever."""
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.2)


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def descendants(pid):
    """The processes that a process has started, and those that these have."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        if parent == pid:
            child = int(stat.parent.name)
            found += [*descendants(child), child]
    return found


@pytest.mark.slow
def test_a_cluster_that_loses_a_node_makes_the_same_bytes(tmp_path, monkeypatch):
    """Two real nodes on this machine that ask for a token, 16 trials, one node killed on the way."""
    monkeypatch.setenv("RAY_worker_niceness", "0")  # or whatever else runs on this machine comes first
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    ray = pytest.importorskip("ray", reason="Ray is not installed: .venv/bin/pip install -r requirements-ray.lock")
    asked = {"algorithms": ["cfr+", "cfr"], "games": ["kuhn"], "seeds": 8, "apart": True, "steps": 300}
    sweep = read_sweep(asked)
    assert len(sweep.trials) == 16
    over = []
    with Cluster() as cluster:

        def alive():
            return sum(node["Alive"] for node in ray.nodes())

        def told(outcome, left):
            over.append(outcome[0].name)
            if len(over) == 3:
                until(lambda: alive() == 2)
                cluster.kill_second()
                until(lambda: alive() == 1)

        assert run_sweep(sweep, tmp_path / "cluster", ray=cluster.address, told=told) == {}
    assert len(over) == 16
    run_sweep(sweep, tmp_path / "here")
    assert bytes_of(sweep, tmp_path / "cluster") == bytes_of(sweep, tmp_path / "here")


def test_what_a_node_sends_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    folder = tmp_path / "trial"
    (folder / "checkpoints").mkdir(parents=True)
    files = {"config.json": b"{}", "rules/mine.py": b"", "provenance.json": b"{}"}

    def full(path, data):
        raise OSError(28, "No space left on device", str(path))

    write = Path.write_bytes
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        on_ray._put(files, folder)
    monkeypatch.setattr(Path, "write_bytes", write)
    with pytest.raises(BadInput, match=r"sent a file called '\.\./other', which is outside of its trial's folder"):
        on_ray._put(files | {"../other": b""}, folder)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["trial", "trial/checkpoints"]
    on_ray._put(files, folder)
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert found == files
    assert list(tmp_path.iterdir()) == [folder]


class Here:
    """As much of Ray as a sweep uses, with no cluster."""

    exceptions = SimpleNamespace(RayError=KeyError)

    def remote(self, **options):
        return lambda task: SimpleNamespace(remote=lambda *words: partial(task, *words))

    def wait(self, asked):
        return asked[:1], asked[1:]

    def get(self, asked):
        return asked()

    def shutdown(self):
        pass


def test_what_is_kept_of_a_trial_that_failed_on_a_node_is_brought_and_told_of_by_its_place_here(tmp_path, monkeypatch):
    sweep, train = read_sweep(SMALL | {"algorithms": ["cfr"]}), Trial.train
    bad, good = sweep.trials

    def diverged(trial, folder):
        train(trial, folder)
        if trial == bad:
            (folder / PROVENANCE).unlink()
            run = SimpleNamespace(path=folder, config=config_of(folder), checkpoints=folder / CHECKPOINTS)
            check_sound(SimpleNamespace(diverged=[0], step=7), run)

    monkeypatch.setattr(on_ray, "_connected", lambda address: Here())
    monkeypatch.setattr(Trial, "train", diverged)
    folder = tmp_path / "a sweep"
    why = run_sweep(sweep, folder, ray="local")[bad.name]
    place = folder / bad.name
    assert f"The run in {place} stopped because cfr (seed 0) diverged by step 7" in why
    assert f"`feint train cfr kuhn --resume --out '{place}' --steps 4` ends it at its last checkpoint" in why
    assert next(step for step, _ in checkpoints(place / CHECKPOINTS)) == 4
    assert [trial.done(folder / trial.name) for trial in (bad, good)] == [False, True]
    # What a sweep without a cluster kept is not given for what a node came to.
    kept = checkpoints(place / CHECKPOINTS)[0][1]
    further = kept.rename(kept.with_name(f"90{kept.name}"))
    why = run_sweep(sweep, folder, ray="local")[bad.name]
    assert why.startswith(f"It failed on a node, so that {place}, where the sweep goes on without --ray, is as it was")
    assert further in [path for _, path in checkpoints(place / CHECKPOINTS)]


def test_what_came_of_a_trial_is_read_once(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(sweeping, "result", lambda trial, folder: read.append(trial.name) or result(trial, folder))
    asked = {"algorithms": ["cfr"], "games": ["kuhn"], "seeds": 3, "apart": True, "steps": 2}
    sweep = read_sweep(asked)
    assert run_sweep(sweep, tmp_path / "sweep") == {}
    assert sorted(read) == sorted(2 * [trial.name for trial in sweep.trials])  # before it, and when it is over
    rows = (tmp_path / "sweep" / RESULTS).read_text().splitlines()
    assert [json.loads(row)["trial"] for row in rows] == [trial.name for trial in sweep.trials]
