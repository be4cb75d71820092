"""A run being written."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self, final

from safetensors.numpy import save

from feint.evaluate.measure import Measure
from feint.forms.form import Form
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput, RunStopped
from feint.runs.agents import AGENTS, PREFIX, comes_with_feint
from feint.runs.checkpoint import checkpoints, save_checkpoint
from feint.runs.config import RunConfig, changes, written
from feint.runs.events import Events
from feint.runs.files import (
    BOUND,
    CARD,
    CHECKPOINTS,
    CONFIG,
    CUT_SHORT,
    DAMAGE,
    EVENTS,
    METRICS,
    PROVENANCE,
    RULES,
    RUNNING,
    STRATEGY,
    TIMINGS,
    Row,
    append,
    chained,
    digest_of,
    is_of_others,
    is_there,
    new_folder,
    reading,
    rows_of,
    sealed,
    settle,
    sweep_parts,
    write_whole,
)
from feint.runs.model_card import HERE, model_card
from feint.runs.provenance import provenance
from feint.runs.rules import write_rules
from feint.runs.run import Run, bound_of, config_of, load_run


@final
class RunFolder:
    """A run being written, by one process at a time."""

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path = path
        self.config = config
        self.metrics: list[Row] = []
        self.timings: list[Row] = []
        self._checks = dict.fromkeys((METRICS, TIMINGS), "")
        self._events: Events | None = None
        self._new = False
        self._lock: int | None = _locked(path)

    @classmethod
    def create(cls, path: Path | None, config: RunConfig, rules: Mapping[str, bytes]) -> Self:
        """A new run with the text of its own `rules`; the folder must be new or empty, and is named here if it is not.

        Where it cannot be begun, nothing is left.
        """
        try:
            mine = new_folder(config.game, config.algorithm) if path is None else path
            mine.mkdir(parents=True, exist_ok=True)
            folder = cls(mine, config)
            folder._new = True
            if any(file.name != RUNNING for file in mine.iterdir()):
                folder.release()
                raise BadInput(f"{mine} is not empty; choose another folder with --out, or go on with --resume.")
            try:
                write_rules(mine, rules)
                write_whole(mine / CONFIG, sealed(config.words))
            except OSError:
                folder.discard()
                raise
        except OSError as error:
            raise BadInput(
                f"{path or 'runs/'} cannot be written ({error.strerror}); choose another folder with --out."
            ) from error
        return folder

    @classmethod
    def resume(cls, path: Path, config: RunConfig) -> Self:
        """A run to go on with: the same but for when to stop."""
        before = config_of(path)
        if before.fingerprint != config.fingerprint:
            raise BadInput(
                f"{path} was begun with other rules than {config.game} has now; train without --resume in a new folder."
            )
        if before.rules and config.rules and before.rules.digest != config.rules.digest:
            # A fingerprint cannot tell all of it, where a game is too large to walk through.
            raise BadInput(
                f"{path} was begun when {config.game} had another text, which is in {path / RULES}; put that back, or "
                f"train without --resume in a new folder."
            )
        for name in ("game", "algorithm", "seed", "seeds", "settings"):
            then, now = getattr(before, name), getattr(config, name)
            if name == "settings":  # only those that differ
                both = (written(changes(*pair)).items() for pair in ((then, now), (now, then)))
                then, now = (", ".join(map("=".join, one)) for one in both)
            if then != now:
                raise BadInput(f"{path} was begun with {name} {then}, not {now}; ask for the same to go on with it.")
        for file in path.iterdir():
            if file.is_symlink():
                raise BadInput(
                    f"{file} is a link to another place, where Feint does not write; put the file itself there."
                )
        try:
            folder = cls(path, replace(config, rules=before.rules))
        except OSError as error:
            raise BadInput(f"{path} cannot be written ({error.strerror}); mend that first.") from error
        try:
            with reading(path):
                sweep_parts(path)
                for name, rows in folder._logs:
                    rows[:], _ = rows_of(path / name) if (path / name).exists() else ([], "")
        except BadInput:
            folder.release()
            raise
        return folder

    @property
    def _logs(self) -> tuple[tuple[str, list[Row]], ...]:
        return (METRICS, self.metrics), (TIMINGS, self.timings)

    def rewind(self, step: int, evaluated: set[int]) -> None:
        """Go back to a checkpoint: keep the evaluations that the run would have made on its way there, and its time."""
        for name, rows in self._logs:
            if gap := min(evaluated - {row["step"] for row in rows} - {step}, default=0):
                raise BadInput(
                    f"{self.path} holds a damaged run (its evaluation at step {gap:,} is gone from {name}); "
                    f"train it again in another folder."
                )
        for name in (PROVENANCE, STRATEGY):  # until the run is finished again
            (self.path / name).unlink(missing_ok=True)
        timed = {row["step"] for row in self.timings}  # without that, an evaluation was cut off
        self.metrics[:] = [row for row in self.metrics if row["step"] in evaluated & timed]
        self.timings[:] = [row for row in self.timings if row["step"] <= step]
        for name, rows in self._logs:
            text, self._checks[name] = chained(rows)
            write_whole(self.path / name, text.encode())
        write_whole(self.path / CONFIG, sealed(self.config.words))

    @property
    def checkpoints(self) -> Path:
        return self.path / CHECKPOINTS

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        try:
            self._close_events()
        except OSError as full:
            error = error or full
        kept = checkpoints(self.checkpoints)
        if error and self._new and not kept:  # nothing can go on from here
            self.discard()
        self.release()
        if isinstance(error, OSError):
            last = (
                f"its last checkpoint is step {kept[0][0]:,}: mend that and go on with --resume"
                if kept
                else "it had no checkpoint yet, and nothing of it is kept: mend that and train it again"
            )
            why = error.strerror or error
            raise RunStopped(f"The run stopped because {self.path} cannot be written ({why}); {last}.") from error

    def _close_events(self) -> None:
        events, self._events = self._events, None
        if events is not None:
            events.close()

    def release(self) -> None:
        """Let others write to the folder."""
        if self._lock is None:
            return
        with suppress(OSError):
            (self.path / RUNNING).unlink(missing_ok=True)
        os.close(self._lock)
        self._lock = None

    def log(self, row: Row, seconds: float) -> None:
        """Append one evaluation."""
        self.metrics.append(row)
        self._append(METRICS, row)
        self._clock(row["step"], seconds)
        if self._events is None:
            self._events = Events(self.path / EVENTS, row["step"])
        self._events.add(row)

    def save(self, step: int, state: Any, seconds: float) -> None:
        """Write a checkpoint, and before it all that led there."""
        if not self.timings or self.timings[-1]["step"] != step:
            self._clock(step, seconds)
        for name, _ in self._logs:
            if (self.path / name).exists():
                settle(self.path / name)
        save_checkpoint(self.checkpoints, step, state, write_whole)

    def _clock(self, step: int, seconds: float) -> None:
        self.timings.append({"step": step, "seconds": seconds})
        self._append(TIMINGS, self.timings[-1])

    def _append(self, name: str, row: Row) -> None:
        line, self._checks[name] = chained([row], self._checks[name])
        append(self.path / name, line)

    def discard(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError):
            self._close_events()
        shutil.rmtree(self.path, ignore_errors=True)  # the folder itself may have to stay, as `--out .` must
        self.release()

    def finish(self, strategy: Strategy, form: Form, cut_short: bool) -> Run:
        """Write the strategy, the card and, last, with what they were made and what they are."""
        # One entry only: safetensors writes several in no fixed order, and a run's bytes should repeat.
        words = {"game": form.name, "fingerprint": form.fingerprint, "moves": form.actions}
        write_whole(self.path / STRATEGY, save(strategy.arrays(), {"feint": json.dumps(words)}))
        bound = None
        with suppress(*DAMAGE):  # one that was changed does not count
            bound = bound_of(self.path)
        made = provenance(self.config.devices)
        logs = self.metrics, self.timings
        digest = digest_of(self.path / STRATEGY)
        run = Run(self.path, self.config, *logs, strategy, made, bound, digest=digest, find_form=lambda: form)
        write_card(self.path, run, form)
        files = [CONFIG, METRICS, TIMINGS, STRATEGY]
        digests = {name: digest_of(self.path / name) for name in files}
        noted = {CUT_SHORT: True} if cut_short else {}
        write_whole(self.path / PROVENANCE, sealed({"made_with": list(made), "files": digests} | noted))
        return run


def _locked(path: Path) -> int:
    """Make a folder this process's own to write to, until it is closed or the process ends, however that may be."""
    lock = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        with suppress(OSError):
            who = (path / RUNNING).read_text()[:200].strip()
            raise BadInput(f"{path} is being written by {who}; wait until it is done, or stop it first.") from error
        raise BadInput(f"{path} is being written by another process; wait until it is done.") from error
    if is_of_others(path / RUNNING):
        os.close(lock)
        raise BadInput(
            f"{path / RUNNING} is where Feint notes who writes a run, and somebody else's file; move it, or choose "
            f"another folder with --out."
        )
    try:
        write_whole(path / RUNNING, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
    except OSError:
        os.close(lock)
        raise
    return lock


def clear(path: Path) -> None:
    """Remove what is left of a run that died before its first checkpoint; refuse where someone is writing it."""
    lock = _locked(path)
    try:
        for each in path.iterdir():
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each)
            else:
                each.unlink()
    finally:
        os.close(lock)


def keep_bound(run: Run, bound: Measure, form: Form) -> Path | None:
    """Keep a bound beside a run and on its card; not where a better one is there, and never with an agent.

    Judging takes its time: the run may have been gone on with meanwhile, and the bound is not for what is there now.
    """
    if comes_with_feint(run.path) or (run.bound and not _better(bound, run.bound)):
        return None
    if not is_there(run.path / STRATEGY) or digest_of(run.path / STRATEGY) != run.digest:
        raise BadInput(f"{run.path} was trained on since this bound was begun, so it is not kept; judge the run again.")
    write_whole(run.path / BOUND, sealed(asdict(bound) | {STRATEGY: run.digest}))
    write_card(run.path, replace(run, bound=bound), form)
    return run.path / BOUND


def _better(bound: Measure, before: Measure) -> bool:
    """Whether a bound is to take another's place.

    Of the same response the one of more hands is, though it be lower: to keep the highest would be to choose by luck.
    """
    if bound.response == before.response:
        return (bound.hands or 0) >= (before.hands or 0)
    return (bound.low or 0.0) > (before.low or 0.0)


def ship(path: Path | str, name: str) -> Path:
    """Put a finished run among the agents that come with Feint, as `feint:NAME`; for those who make the package.

    What only training needs stays behind, and the card calls the agent by its name.
    """
    run, folder = load_run(path), AGENTS / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in (CONFIG, METRICS, TIMINGS, STRATEGY, PROVENANCE, BOUND):
        if (run.path / file).is_file():
            write_whole(folder / file, (run.path / file).read_bytes())
        else:
            (folder / file).unlink(missing_ok=True)  # an earlier agent's
    write_card(folder, run, run.form, PREFIX + name)
    return folder


def write_card(folder: Path, run: Run, form: Form, name: str = HERE) -> None:
    """Write a run's model card into a folder, by the name that commands call it there."""
    write_whole(folder / CARD, model_card(run, form, name).encode())
