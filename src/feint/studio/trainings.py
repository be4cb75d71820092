"""Training runs that the studio starts: each a process of its own, which outlives neither the studio nor its welcome.

A run is what `feint train` makes of it, so that nothing here can go wrong with one: the studio starts the command,
passes on what signals mean (Ctrl-C ends a run well, SIGTERM leaves a checkpoint), and repeats what the command says.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, final

from feint.games.errors import BadInput
from feint.runs.config import RunConfig, written
from feint.runs.files import writer_of
from feint.studio.index import Listed
from feint.studio.visit import Late

MOST_AT_ONCE = 2
"""Runs that the studio trains at the same time."""
MOST_REMEMBERED = 16
"""Of those that have ended, whose last words are kept."""
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
LAST = 4000
"""Bytes of what a training says that are looked at."""
PATIENCE = 20.0
"""Seconds that trainings have to leave a checkpoint when the studio closes."""
POLITE = 5
"""How much trainings give way to people who play meanwhile, as `nice` has it."""
STARTING, RUNNING, STOPPING, STOPPED, FINISHED = "starting", "running", "stopping", "stopped", "finished"
GOING = (STARTING, RUNNING, STOPPING)


@final
@dataclass
class Training:
    """One that the studio has started."""

    process: subprocess.Popen[bytes]
    talk: IO[bytes]
    """What it says, in a file without a name: it may go on saying it when nobody listens any more."""
    stopping: bool = False

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def failed(self) -> bool:
        """Whether it ended otherwise than it was asked to."""
        return self.process.poll() not in (None, 0)

    @property
    def said(self) -> str:
        """What it said last: why it failed, where it did."""
        if self.talk.closed:
            return ""
        size = os.fstat(self.talk.fileno()).st_size
        text = os.pread(self.talk.fileno(), LAST, max(0, size - LAST)).decode(errors="replace")
        lines = ["".join(filter(str.isprintable, line)).strip() for line in text.splitlines()]
        told = [line for line in lines if line]
        reasons = [line.removeprefix("feint: ") for line in told if line.startswith("feint: ")]
        return (reasons or told or [""])[-1]


@final
class Trainings:
    """All of them, a bounded number at once."""

    def __init__(self, runs: Path) -> None:
        self._runs, self._lock, self._closed = runs, threading.Lock(), False
        self._known: dict[str, Training] = {}

    def start(self, name: str, config: RunConfig, preset: str | None, changed: Mapping[str, object]) -> None:
        """Begin a new run, with those of its preset's settings changed that are named."""
        if not NAME.fullmatch(name):
            raise BadInput(
                f"A run is called by up to 64 small letters, digits, dots and dashes, but {name[:80]!r} was given; "
                f"choose such a name."
            )
        words = ["--seed", str(config.seed)] + (["--preset", preset] if preset else [])
        for setting in written(changed).items():
            words += ["--set", "=".join(setting)]
        with self._lock:
            if self._is_taken(name):
                raise Late(f"There is something called {name} among the runs already; choose another name.")
            self._spawn(name, self._runs / name, config.algorithm, config.game, [*words, *_ends(config)])

    def resume(self, listed: Listed, config: RunConfig) -> None:
        """Go on with a run up to when `config` says."""
        with self._lock:
            if self.state(listed) in GOING:
                raise Late(f"{listed.key} is being trained already; stop it first.")
            words = ["--resume", *_ends(config)]
            self._spawn(listed.key, listed.path, config.algorithm, config.game, words)

    def stop(self, key: str) -> None:
        """Ask for an end that keeps everything; once only, for a second time would mean not to wait for that.

        Before a run is written there is nothing to keep, and Ctrl-C can be lost while libraries load; SIGTERM is not.
        """
        with self._lock:
            training = self._known.get(key)
            if training is None or not training.alive:
                raise Late(f"{key[:80]} is not being trained by this studio; there is nothing to stop here.")
            if training.stopping:
                raise Late(f"{key} is being stopped already; give it a moment.")
            training.stopping = True
            writing = (writer_of(self._runs / key) or "").startswith(f"process {training.process.pid} on ")
            training.process.send_signal(signal.SIGINT if writing else signal.SIGTERM)

    def find(self, key: str) -> Training | None:
        """The training of this name that was started here last."""
        return self._known.get(key)

    def unlisted(self, listed: Sequence[Listed]) -> dict[str, Training]:
        """Those of which no folder tells (yet)."""
        known = {each.key for each in listed}
        return {key: training for key, training in dict(self._known).items() if key not in known}

    def state(self, listed: Listed) -> str:
        """How a run stands, whoever trains it."""
        training = self._known.get(listed.key)
        if training is not None and training.alive:
            return STOPPING if training.stopping else RUNNING
        if writer_of(listed.path) is not None:
            return RUNNING
        return FINISHED if listed.finished else STOPPED

    def close(self) -> None:
        """Have all of them leave a checkpoint and end."""
        with self._lock:
            self._closed = True
            going = [training for training in self._known.values() if training.alive]
            for training in going:
                if not training.stopping:  # it is about to end, and better
                    training.process.send_signal(signal.SIGTERM)
        until = time.monotonic() + PATIENCE
        for training in going:
            with suppress(subprocess.TimeoutExpired):
                training.process.wait(max(0.1, until - time.monotonic()))
        for training in self._known.values():
            training.talk.close()

    def _is_taken(self, name: str) -> bool:
        training = self._known.get(name)
        return os.path.lexists(self._runs / name) or (training is not None and training.alive)

    def _spawn(self, key: str, path: Path, algorithm: str, game: str, words: Sequence[str]) -> None:
        if self._closed:
            raise Late("The studio is closing; nothing new is trained.")
        going = [name for name, training in self._known.items() if training.alive]
        if len(going) >= MOST_AT_ONCE:
            raise Late(f"{' and '.join(going)} are being trained, as many as at once can be; stop one of them first.")
        talk = tempfile.TemporaryFile()  # noqa: SIM115  # it stays open as long as the training is remembered
        command = [sys.executable, "-P", "-m", "feint", "train", f"--out={path}", *words, "--", algorithm, game]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=talk, start_new_session=True
        )
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, POLITE)
        if before := self._known.pop(key, None):
            before.talk.close()
        self._known[key] = Training(process, talk)
        for old in [name for name, training in self._known.items() if not training.alive][:-MOST_REMEMBERED]:
            self._known.pop(old).talk.close()


def _ends(config: RunConfig) -> list[str]:
    """When a run is to stop, as `feint train` is told."""
    asked = {name: getattr(config, name) for name in ("steps", "hands", "seconds", "until")}
    return [word for name, value in asked.items() if value is not None for word in (f"--{name}", str(value))]
