"""Runs that are interrupted, asked to end, out of disk, or begun twice at once: what there is is kept, and no more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import feint
from feint.games.errors import RunStopped
from feint.runs.checkpoint import checkpoints
from feint.runs.files import new_folder, write_whole
from feint.runs.signals import Signals, listening


def test_two_runs_at_once_get_folders_of_their_own(tmp_path):
    made: list[Path] = []
    threads = [threading.Thread(target=lambda: made.append(new_folder("kuhn", "cfr", tmp_path))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 20


def test_a_file_of_ones_own_is_never_taken_for_the_word_of_who_writes_a_run(tmp_path):
    mine = tmp_path / "running"
    mine.write_text("5 km on Monday\n")
    with pytest.raises(feint.BadInput, match=r"/running is where Feint notes who writes a run, and some.*;"):
        feint.train("cfr", "kuhn", steps=1, out=tmp_path)
    assert mine.read_text() == "5 km on Monday\n"
    mine.write_text(f"process 999999999 on {os.uname().nodename}\n")  # one that was killed before it wrote more
    assert feint.train("cfr", "kuhn", steps=1, out=tmp_path).metrics
    assert not mine.exists()


def test_two_who_write_one_file_at_once_are_not_in_each_others_way(tmp_path, monkeypatch):
    file, settled = tmp_path / "file", os.fsync

    def meanwhile(number):
        monkeypatch.setattr(os, "fsync", settled)
        write_whole(file, b"the other's, and longer")
        settled(number)

    monkeypatch.setattr(os, "fsync", meanwhile)
    write_whole(file, b"mine")
    assert file.read_bytes() == b"mine"
    assert list(tmp_path.iterdir()) == [file]


def test_what_was_cut_off_while_being_written_is_gone_once_the_run_goes_on(tmp_path):
    feint.train("cfr", "kuhn", steps=1, out=tmp_path / "run")
    part = tmp_path / "run" / "config.json.4711-0123abcd.part"
    part.write_bytes(b"cut o")
    feint.train("cfr", "kuhn", steps=2, out=tmp_path / "run", resume=True)
    assert not part.exists()


def test_a_full_disk_before_the_first_checkpoint_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    for what in ("feint.runs.folder.append", "feint.runs.folder.Events", "feint.runs.folder.save_checkpoint"):
        with monkeypatch.context() as patch:
            patch.setattr(what, full)
            with pytest.raises(RunStopped, match=r"No space left.*nothing of it is kept: mend that and train it again"):
                feint.train("cfr", "kuhn", steps=5, out=tmp_path / "run")
        assert not (tmp_path / "run").exists()


def test_what_is_asked_for_before_there_is_anything_stops_at_once_and_is_never_lost():
    heard = Signals()
    with pytest.raises(KeyboardInterrupt):
        heard.note(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):  # compiled code may have swallowed the first
        heard.patient()
    later = Signals()
    later.patient()
    later.note(signal.SIGINT, None)
    assert later.caught == signal.SIGINT
    assert later.end is None
    with pytest.raises(KeyboardInterrupt):
        later.note(signal.SIGINT, None)
    asked = Signals()
    asked.patient()
    asked.note(signal.SIGTERM, None)
    assert asked.end == signal.SIGTERM


def test_an_interrupt_that_python_drops_is_not_talked_about(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)

    class Dropped:
        def __init__(self, error):
            self.error = error

        def __del__(self):
            raise self.error

    with listening():
        Dropped(KeyboardInterrupt())
        Dropped(ValueError("another matter"))
    assert [lost.exc_type for lost in told] == [ValueError]
    Dropped(KeyboardInterrupt())
    assert told[-1].exc_type is KeyboardInterrupt, "as it was before"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_what_was_to_be_ignored_stays_so(number, monkeypatch):
    """As nohup has it of a hang-up, and shells of Ctrl-C for what goes on in the background."""
    from feint import __main__, cli

    before = signal.signal(number, signal.SIG_IGN)

    def command():
        with listening() as signals:
            assert signal.getsignal(number) is signal.SIG_IGN
            signal.raise_signal(number)
            assert signals.caught is None

    monkeypatch.setattr(cli, "main", command)
    try:
        command()
        assert signal.getsignal(number) is signal.SIG_IGN
        __main__.main()
    finally:
        signal.signal(number, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_what_a_program_around_python_listens_to_is_left_to_it(monkeypatch):
    """Python says None of such a handler, and cannot set it again."""
    found = signal.getsignal
    monkeypatch.setattr(signal, "getsignal", lambda number: None if number == signal.SIGHUP else found(number))
    with listening():
        assert found(signal.SIGHUP) == signal.SIG_DFL
        assert found(signal.SIGTERM) != signal.SIG_DFL


def started(tmp_path: Path, *words: str, python: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    command = [sys.executable, *python, "-m", "feint", "train", "cfr", "leduc", *words, "--out", "run"]
    return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def test_a_process_that_is_asked_to_end_keeps_what_it_has(tmp_path):
    process = started(tmp_path, "--seconds", "120")
    for _ in range(600):
        if (tmp_path / "run" / "metrics.jsonl").exists():
            break
        time.sleep(0.05)
    assert not checkpoints(tmp_path / "run" / "checkpoints"), "the first is due after half a minute"
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "was asked to end (SIGTERM); its last checkpoint is step" in err
    step = checkpoints(tmp_path / "run" / "checkpoints")[0][0]
    run = feint.train("cfr", "leduc", steps=step + 1, out=tmp_path / "run", resume=True)
    assert run.metrics[-1]["step"] == step + 1


def test_an_interrupt_while_libraries_are_read_is_no_traceback(tmp_path):
    process = started(tmp_path, python=("-X", "importtime"))
    while "jax" not in process.stderr.readline():  # the first of it is read, and much is to come
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "feint: Stopped; nothing new is kept."
    assert "Traceback" not in err
    assert not (tmp_path / "run").exists()


def test_an_interrupt_while_libraries_are_put_away_is_no_traceback(monkeypatch):
    """Nothing is left to be stopped then: the run is finished, and all is said."""
    from feint import __main__, cli

    monkeypatch.setattr(cli, "main", lambda: sys.exit(0))
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit):
            __main__.main()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
