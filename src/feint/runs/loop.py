"""The loop of a run: step, judge now and then, keep checkpoints, and stop when told."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, NamedTuple, Protocol, Self, final

import jax
import jax.numpy as jnp
import numpy as np

from feint.forms.strategy import Strategy
from feint.games.errors import BadInput, RunStopped
from feint.runs.checkpoint import checkpoints
from feint.runs.config import RunConfig, flat
from feint.runs.files import Row
from feint.runs.folder import RunFolder
from feint.runs.signals import Signals
from feint.runs.trainer import Trainer

PIECE = 0.2
"""Seconds between looks at the clock."""
SAVE_SHARE = 0.04
"""Checkpoints come less often where they would take more than this share of the time."""

RESERVED = (
    "step", "hands", "decisions", "seeds", "check", "exploitability", "nash_conv", "winnings", "winnings_error",
)  # fmt: skip
"""What means something wherever an evaluation is read, so that no callback may call its own numbers that."""


class Watcher(Protocol):
    """Whoever follows a run while it goes on; entered before it and left after it."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...

    def stage(self, text: str) -> None:
        """What is being done now, before the first step."""

    def warn(self, text: str) -> None:
        """Something the user should know."""

    def row(self, row: Row, seconds: float) -> None:
        """An evaluation, and the running time so far."""


@final
class Unwatched:
    """Nobody follows."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...

    def stage(self, text: str) -> None: ...

    def warn(self, text: str) -> None: ...

    def row(self, row: Row, seconds: float) -> None: ...


@final
@dataclass(frozen=True)
class Evaluation:
    """A run at one of its evaluations, for whoever wants to look closer."""

    step: int
    metrics: Row
    trainer: Trainer = field(repr=False)

    @property
    def strategy(self) -> Strategy:
        """As it is now; of many seeds, the best one's."""
        return self.trainer.strategy()


Callback = Callable[[Evaluation], Mapping[str, float] | None]
"""Called at every evaluation. What it returns is added to the metrics, under names of its own."""


class Following(NamedTuple):
    """All that goes on beside a run."""

    watcher: Watcher
    signals: Signals
    callback: Callback | None
    save_every: float
    """Seconds between checkpoints."""


@final
class StoppingRule:
    """When a run is over: when it was asked to be, or when someone interrupts."""

    def __init__(self, config: RunConfig, signals: Signals) -> None:
        self._config, self._signals, self._begun = config, signals, time.monotonic()

    @property
    def late(self) -> bool:
        seconds = self._config.seconds
        return seconds is not None and time.monotonic() - self._begun >= seconds

    @property
    def out_of_time(self) -> bool:
        return self.late or self._signals.caught is not None

    def good_enough(self, row: Row) -> bool:
        return self._config.until is not None and row["exploitability"] <= self._config.until

    def over(self, trainer: Trainer, row: Row) -> bool:
        """Whether an evaluation is the last."""
        return trainer.enough or self.out_of_time or self.good_enough(row)

    def cut_short(self, trainer: Trainer, row: Row, late: bool) -> bool:
        """Whether a run ends by an interrupt, before anything that it was asked for ends it.

        late: whether its time was over before it was judged, which takes time of its own.
        """
        asked = trainer.step == self._config.steps or trainer.enough or late or self.good_enough(row)
        return self._signals.caught is not None and not asked


@final
class Loop:
    """A run going on: its clock, and when the next checkpoint is due."""

    def __init__(self, trainer: Trainer, folder: RunFolder, following: Following) -> None:
        self._trainer, self._folder = trainer, folder
        self._watcher, self._signals, self._callback, self._save_every = following
        self._running = folder.timings[-1]["seconds"] if folder.timings else 0.0
        self._pace = 0.0
        """Seconds a step takes; 0 before the first."""
        self._wait = self._save_every
        self._saved = time.monotonic()

    def run(self) -> bool:
        """Step, judge and save until the config says stop or someone interrupts; whether that cut the run short."""
        trainer, folder = self._trainer, self._folder
        stop = StoppingRule(folder.config, self._signals)
        if folder.metrics and folder.metrics[-1]["step"] == trainer.step and stop.good_enough(folder.metrics[-1]):
            return False  # it was finished before
        logged, late = {row["step"] for row in folder.metrics}, stop.late
        for goal in evaluation_points(folder.config.steps, trainer.growth):
            # A run killed between its last checkpoint and the evaluation due there still owes that evaluation.
            if goal < trainer.step or goal in logged:
                continue
            self._advance_to(goal, stop)
            late = stop.late
            self._check_end()  # there may not be the time to judge
            over = trainer.step in logged or stop.over(trainer, self._judge())
            self._check_end()
            if over:
                break  # where it was logged, there were enough hands before
        cut_short = stop.cut_short(trainer, folder.metrics[-1], late)
        folder.save(trainer.step, trainer.state, self._running)
        return cut_short

    def _check_end(self) -> None:
        """Where the process was asked to end, leave a checkpoint and say so."""
        if end := self._signals.end:
            self._save()
            raise RunStopped(
                f"The run in {self._folder.path} was asked to end ({end.name}); its last checkpoint is step "
                f"{self._trainer.step:,}: go on with --resume.",
                128 + end,
            )

    def _advance_to(self, goal: int, stop: StoppingRule) -> None:
        """Take steps up to an evaluation, in pieces that let the clock be looked at, unless there are enough before."""
        trainer = self._trainer
        while trainer.step < goal and not trainer.enough and not (self._pace and stop.out_of_time):
            piece = min(goal - trainer.step, max(1, int(PIECE / self._pace))) if self._pace else 1
            start = time.monotonic()
            steps = trainer.advance(piece)
            taken = time.monotonic() - start
            self._running, self._pace = self._running + taken, taken / steps
            if time.monotonic() - self._saved >= self._wait:
                self._save()

    def _save(self) -> None:
        check_sound(self._trainer, self._folder)
        start = time.monotonic()
        self._folder.save(self._trainer.step, self._trainer.state, self._running)
        self._saved = time.monotonic()
        self._wait = max(self._save_every, (self._saved - start) / SAVE_SHARE)

    def _judge(self) -> Row:
        """Evaluate, log and tell; a concern of the algorithm's is told once."""
        check_sound(self._trainer, self._folder)
        trainer, folder, config = self._trainer, self._folder, self._folder.config
        row = trainer.evaluate()
        row |= self._added(row)
        told = any(map(trainer.concern, folder.metrics))
        folder.log(row, self._running)
        self._watcher.row(row, self._running)
        if (concern := trainer.concern(row)) and not told:
            slower = f"learn more slowly{_than(config)}"
            self._watcher.warn(f"By step {trainer.step:,} of {config.algorithm} {concern}; {slower}.")
        return row

    def _added(self, row: Row) -> Row:
        """What the callback adds to an evaluation."""
        if self._callback is None:
            return {}
        added: Any = self._callback(Evaluation(self._trainer.step, dict(row), self._trainer))
        if added is None:
            return {}
        if not isinstance(added, Mapping):
            raise BadInput(
                f"A callback adds numbers under names of their own, but a {type(added).__name__} was returned; "
                f"return a dict such as {{'name': 0.5}}, or None."
            )
        for name, value in added.items():
            if not isinstance(name, str) or name in row or name in RESERVED or not _is_number(value):
                raise BadInput(
                    f"A callback adds numbers under names of their own, but {name}={value!r} was returned; "
                    f"{', '.join(dict.fromkeys((*row, *RESERVED)))} are taken."
                )
        return {name: float(value) for name, value in added.items()}


def _is_number(value: Any) -> bool:
    """Whether a value is one real number: Python's, NumPy's or JAX's, or an array of no dimensions that holds one."""
    if isinstance(value, np.ndarray | jax.Array):
        return value.ndim == 0 and bool(jnp.isdtype(value.dtype, ("integral", "real floating")))
    return isinstance(value, Real)


def check_sound(trainer: Trainer, folder: RunFolder) -> None:
    """Stop a run that has diverged, before anything of that is written over what was sound."""
    if not trainer.diverged:
        return
    config, kept = folder.config, checkpoints(folder.checkpoints)
    seeds = ", ".join(str(config.seed + number) for number in trainer.diverged)
    again = ["feint", "train", config.algorithm, config.game, "--resume", "--out", str(folder.path)]
    last = f"`{shlex.join(again)} --steps {kept[0][0]}` ends it at its last checkpoint" if kept else "nothing is kept"
    if not kept:
        folder.discard()
    raise RunStopped(
        f"The run in {folder.path} stopped because {config.algorithm} (seed {seeds}) diverged by step "
        f"{trainer.step:,}: its weights are no longer numbers; learn more slowly{_than(config)}; {last}."
    )


def _than(config: RunConfig) -> str:
    rates = ", ".join(f"{name}={value:g}" for name, value in flat(config.settings).items() if name.endswith("rate"))
    return f" than with {rates}" if rates else ""


def evaluation_points(last: int | None, growth: float) -> Iterator[int]:
    """1, 2, 3, … and then ever further apart, the same whenever a run is repeated; up to and including `last`."""
    point = 1
    while last is None or point < last:
        yield point
        point = max(point + 1, int(point * growth))
    yield last
