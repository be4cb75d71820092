"""A run being written."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self, final

from safetensors.numpy import save
from tensorboardX import SummaryWriter

from feint.evaluate.measure import Measure
from feint.forms.form import Form
from feint.forms.library import form_of
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput, RunStopped
from feint.runs.agents import AGENTS, PREFIX, comes_with_feint
from feint.runs.checkpoint import checkpoints, save_checkpoint
from feint.runs.config import RunConfig, changes, written
from feint.runs.files import (
    BOUND,
    CARD,
    CHECKPOINTS,
    CONFIG,
    EVENTS,
    METRICS,
    PROVENANCE,
    STRATEGY,
    TIMINGS,
    Row,
    digest_of,
    rows_of,
    write_whole,
)
from feint.runs.model_card import HERE, model_card
from feint.runs.provenance import provenance
from feint.runs.run import Run, bound_of, config_of, load_run


@final
class RunFolder:
    """A run being written."""

    def __init__(self, path: Path, config: RunConfig) -> None:
        self.path = path
        self.config = config
        self.metrics: list[Row] = []
        self.timings: list[Row] = []
        self._events: Any = None

    @classmethod
    def create(cls, path: Path, config: RunConfig) -> Self:
        """A new run; the folder must be new or empty."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise BadInput(f"{path} is not empty; choose another folder with --out, or go on with --resume.")
            write_whole(path / CONFIG, config.to_json().encode())
        except OSError as error:
            raise BadInput(f"{path} cannot be written ({error.strerror}); choose another folder with --out.") from error
        return cls(path, config)

    @classmethod
    def resume(cls, path: Path, config: RunConfig) -> Self:
        """A run to go on with: the same but for when to stop."""
        before = config_of(path)
        if before.fingerprint and before.fingerprint != config.fingerprint:
            raise BadInput(
                f"{path} was begun with other rules than {config.game} has now; train without --resume in a new folder."
            )
        for name in ("game", "algorithm", "seed", "seeds", "settings"):
            then, now = getattr(before, name), getattr(config, name)
            if name == "settings":  # only those that differ
                both = (written(changes(*pair)).items() for pair in ((then, now), (now, then)))
                then, now = (", ".join(map("=".join, one)) for one in both)
            if then != now:
                raise BadInput(f"{path} was begun with {name} {then}, not {now}; ask for the same to go on with it.")
        folder = cls(path, config)
        try:
            folder.metrics, folder.timings = (
                rows_of(path / name) if (path / name).exists() else [] for name in (METRICS, TIMINGS)
            )
        except ValueError as error:
            raise BadInput(f"{path} holds a damaged run ({error}); train it again in another folder.") from error
        return folder

    def rewind(self, step: int, evaluated: set[int]) -> None:
        """Go back to a checkpoint: keep the evaluations that the run would have made on its way there, and its time."""
        for name in (PROVENANCE, STRATEGY):  # until the run is finished again
            (self.path / name).unlink(missing_ok=True)
        self.metrics[:] = [row for row in self.metrics if row["step"] in evaluated]
        self.timings[:] = [row for row in self.timings if row["step"] <= step]
        for name, rows in ((METRICS, self.metrics), (TIMINGS, self.timings)):
            write_whole(self.path / name, "".join(json.dumps(row) + "\n" for row in rows).encode())
        write_whole(self.path / CONFIG, self.config.to_json().encode())

    @property
    def checkpoints(self) -> Path:
        return self.path / CHECKPOINTS

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if self._events is not None:
            self._events.close()
        if isinstance(error, OSError):
            kept = checkpoints(self.checkpoints)
            last = f"its last checkpoint is step {kept[0][0]:,}" if kept else "it has no checkpoint yet"
            raise RunStopped(
                f"The run stopped because {self.path} cannot be written ({error.strerror or error}); {last}: "
                f"mend that and go on with --resume."
            ) from error

    def log(self, row: Row, seconds: float) -> None:
        """Append one evaluation."""
        self.metrics.append(row)
        self._append(METRICS, row)
        self._clock(row["step"], seconds)
        if self._events is None:
            self._events = SummaryWriter(str(self.path / EVENTS), purge_step=row["step"], write_to_disk=True)
        for name, value in row.items():
            if isinstance(value, float):
                self._events.add_scalar(name, value, row["step"])

    def save(self, step: int, state: Any, seconds: float) -> None:
        """Write a checkpoint."""
        save_checkpoint(self.checkpoints, step, state, write_whole)
        if not self.timings or self.timings[-1]["step"] != step:
            self._clock(step, seconds)

    def _clock(self, step: int, seconds: float) -> None:
        self.timings.append({"step": step, "seconds": seconds})
        self._append(TIMINGS, self.timings[-1])

    def _append(self, name: str, row: Row) -> None:
        with (self.path / name).open("a") as file:
            file.write(json.dumps(row) + "\n")

    def discard(self) -> None:
        """Leave nothing behind."""
        if self._events is not None:
            self._events.close()
            self._events = None
        shutil.rmtree(self.path, ignore_errors=True)  # the folder itself may have to stay, as `--out .` must

    def finish(self, strategy: Strategy, form: Form) -> Run:
        """Write the strategy, the card and, last, with what they were made."""
        # One entry only: safetensors writes several in no fixed order, and a run's bytes should repeat.
        words = {"game": form.name, "fingerprint": form.fingerprint, "moves": form.actions}
        write_whole(self.path / STRATEGY, save(strategy.arrays(), {"feint": json.dumps(words)}))
        run = Run(self.path, self.config, self.metrics, self.timings, strategy, provenance(), bound_of(self.path))
        write_card(self.path, run, form)
        write_whole(self.path / PROVENANCE, (json.dumps(run.provenance) + "\n").encode())
        return run


def keep_bound(run: Run, bound: Measure, form: Form) -> Path | None:
    """Keep a bound beside a run and on its card; not where more hands were judged before, and never with an agent."""
    if comes_with_feint(run.path) or (run.bound and (run.bound.hands or 0) > (bound.hands or 0)):
        return None
    words = asdict(bound) | {STRATEGY: digest_of(run.path)}
    write_whole(run.path / BOUND, (json.dumps(words, indent=2) + "\n").encode())
    write_card(run.path, replace(run, bound=bound), form)
    return run.path / BOUND


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
    write_card(folder, run, form_of(run.config.game), PREFIX + name)
    return folder


def write_card(folder: Path, run: Run, form: Form, name: str = HERE) -> None:
    """Write a run's model card into a folder, by the name that commands call it there."""
    write_whole(folder / CARD, model_card(run, form, name).encode())
