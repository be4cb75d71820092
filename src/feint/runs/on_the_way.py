"""What a run's strategy was on its way: from the checkpoints that it keeps, or by running it again from its seed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from jaxtyping import Float

from feint.forms.form import Form
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.runs.checkpoint import Damaged, checkpoints, read_checkpoint
from feint.runs.config import RunConfig, resolve
from feint.runs.files import CHECKPOINTS, Row
from feint.runs.loop import evaluation_points
from feint.runs.run import Run, config_of
from feint.runs.trainer import Trainer
from feint.solvers.algorithm import Algorithm
from feint.tree.compiled import compiled

SAME = 1e-9
"""How far a run made again may be from what it logged, in chips per hand: rounding."""


def steps_kept(path: Path) -> list[int]:
    """The steps of which a run keeps a checkpoint, the first of them first."""
    return [step for step, _ in reversed(checkpoints(path / CHECKPOINTS))]


def strategy_at(path: Path, step: int, form: Form) -> Strategy:
    """The strategy that a run had at one of its checkpoints; of many seeds, the best one's there."""
    kept = dict(checkpoints(path / CHECKPOINTS))
    if step not in kept:
        known = ", ".join(f"{each:,}" for each in sorted(kept)) or "none"
        raise BadInput(f"{path.name} keeps no checkpoint of step {step:,}; it keeps {known}.")
    return _at_checkpoint(kept[step], step, config_of(path), form)[1].strategy()


def last_state(run: Run, form: Form) -> tuple[Algorithm[Any], Any]:
    """The algorithm of a run and all that it has come to by its last checkpoint; of many seeds, the best one's."""
    kept = checkpoints(run.path / CHECKPOINTS)
    if not kept:
        raise BadInput(
            f"{run.path.name} keeps no checkpoint, so no more is known of it than its strategy; give the folder of a "
            f"run of your own, such as feint train dqn makes."
        )
    (step, path), *_ = kept
    solver, trainer = _at_checkpoint(path, step, run.config, form)
    return solver, trainer.best_state()


def _at_checkpoint(path: Path, step: int, config: RunConfig, form: Form) -> tuple[Algorithm[Any], Trainer]:
    """A run as it was when a checkpoint was written."""
    asked = resolve(config.algorithm, config.settings)
    solver = asked.on(form)
    trainer = Trainer(solver, form.gauge(asked.needs_tree, asked.alike(form)), config)
    try:
        trainer.state, trainer.step = read_checkpoint(path, trainer.state), step
    except Damaged as error:
        raise BadInput(str(error)) from error
    return solver, trainer


@final
@dataclass(frozen=True)
class Stage:
    """A run at one of its evaluations."""

    step: int
    table: Float[np.ndarray, "i a"]
    """The strategy that was judged then …"""
    latest: Float[np.ndarray, "i a"] | None
    """… and what the next iteration played, where that is another."""
    exploitability: float


@final
@dataclass(frozen=True)
class Replayed:
    """A run made again."""

    stages: tuple[Stage, ...]
    whole: bool
    """Whether it was made again to its end, in the time there was."""
    off: float
    """The largest difference of an evaluation from what was logged, in chips per hand."""

    @property
    def same(self) -> bool:
        return self.off <= SAME


def replayable(config: RunConfig, form: Form) -> bool:
    """Whether a run can be made again soon: of a game that is unrolled, by an algorithm that needs that."""
    return form.tree is not None and config.seeds == 1 and resolve(config.algorithm, config.settings).needs_tree


def replayed(config: RunConfig, form: Form, logged: list[Row], seconds: float) -> Replayed:
    """Make a run again from its seed for so many seconds, and compare its evaluations with those that were logged."""
    tree = form.whole("making a run again")
    solver = resolve(config.algorithm, config.settings).on(form)
    trainer = Trainer(solver, form.gauge(True), config)
    known = {row["step"]: row["exploitability"] for row in logged}
    last = max(known, default=0)
    stages, off, begun = list[Stage](), 0.0, time.monotonic()
    for step in evaluation_points(last, trainer.growth):
        if step > last or (stages and time.monotonic() - begun > seconds):
            break
        trainer.advance(step - trainer.step)
        found = float(trainer.evaluate()["exploitability"])
        off = max(off, abs(found - known[step])) if step in known else off
        strategy, latest = _strategies(solver, trainer.state)
        stages.append(Stage(step, strategy.table(tree), None if latest is None else latest.table(tree), found))
    return Replayed(tuple(stages), bool(stages) and stages[-1].step == last, off)


@compiled
def _strategies(solver: Algorithm[Any], state: Any) -> tuple[Strategy, Strategy | None]:
    """The strategy that is judged, and what the next iteration plays, where that is another."""
    return solver.strategy(state), solver.latest(state)
