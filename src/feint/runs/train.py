"""Training: step, judge now and then, keep checkpoints, stop when told, and leave a run folder behind."""

from __future__ import annotations

import math
import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Protocol, Self, final

from feint.arena.betting import playground
from feint.games.errors import BadInput, RunStopped
from feint.games.game import Game
from feint.games.library import load_game
from feint.runs.agents import own_folder
from feint.runs.checkpoint import checkpoints, load_checkpoint
from feint.runs.config import RunConfig, algorithms, resolve
from feint.runs.folder import Row, Run, RunFolder, config_of, free_folder, last_folder
from feint.runs.trainer import Trainer
from feint.solvers.algorithm import Config
from feint.tree.tree import Tree

PIECE = 0.2
"""Seconds between looks at the clock."""
SAVE_EVERY = 30.0
"""Seconds between checkpoints."""
SAVE_SHARE = 0.04
"""Checkpoints come less often where they would take more than this share of the time."""


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


def train(
    algorithm: str,
    game: str | Game[Any],
    *,
    steps: int | None = None,
    hands: int | None = None,
    seconds: float | None = None,
    until: float | None = None,
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    out: Path | str | None = None,
    resume: bool = False,
    save_every: float = SAVE_EVERY,
    watcher: Watcher | None = None,
) -> Run:
    """Run an algorithm on a game until `steps`, `hands`, `seconds` or exploitability `until`, whichever comes first.

    Left without any of the four, it stops after a minute, or at exploitability 1e-4 where that is known. The run is
    written to `out`, by default a new folder under `runs/`. `seeds` runs, by default 1, are made at once with the seeds
    from `seed` on, by default 0, and reported by their median. With `resume` a run goes on from its last checkpoint (in
    `out`, or the latest of this algorithm on this game), with its own seed and settings unless others are asked for,
    which is an error. An interrupt (Ctrl-C) stops a run early and keeps what it has.
    """
    told = not (steps is None and hands is None and seconds is None and until is None)
    if not told:
        seconds, until = 60.0, 1e-4
    rules = load_game(game) if isinstance(game, str) else game
    find = last_folder if resume else free_folder
    path = own_folder(out) if out else find(rules.name, algorithm)
    before = config_of(path) if resume else None
    if before and not settings and preset is None:
        settings = before.settings
    seed = seed if seed is not None else before.seed if before else 0
    seeds = seeds if seeds is not None else before.seeds if before else 1
    method = resolve(algorithm, settings or {}, preset)
    config = RunConfig(rules.name, algorithm, asdict(method), seed, seeds, steps, hands, seconds, until)
    with watcher or Unwatched() as watching:
        return _train(method, rules, config, path, resume, save_every, watching, told)


def _train(
    method: Config,
    rules: Game[Any],
    config: RunConfig,
    path: Path,
    resume: bool,
    save_every: float,
    watcher: Watcher,
    told: bool,
) -> Run:
    watcher.stage(f"unrolling {rules.name}")
    game = playground(rules, lambda nodes: watcher.stage(f"unrolling {rules.name}: {nodes:,} nodes"))
    config = replace(config, rules=game.fingerprint)
    if not isinstance(game, Tree):
        config = config if told else replace(config, until=None)
        _check_large(config)
    watcher.stage(f"preparing {config.algorithm}")
    solver = method.on(game)  # type: ignore[arg-type]  # _check_large has seen to it
    if resume:
        folder = RunFolder.resume(path, config)
    watcher.stage("compiling")
    trainer = Trainer(solver, game, config)
    if resume:
        trainer.step, trainer.state = load_checkpoint(folder.checkpoints, trainer.state, watcher.warn)
        _check_ahead(trainer, config, path)
        points = evaluation_points(config.steps, trainer.growth)
        folder.rewind(trainer.step, set(takewhile(lambda point: point <= trainer.step, points)))
    else:
        folder = RunFolder.create(path, config)
    with folder:
        _loop(trainer, folder, watcher, save_every)
        return folder.finish(trainer.strategy(), game)


def _check_large(config: RunConfig) -> None:
    """Refuse what takes the whole tree."""
    known = algorithms()
    if not known[config.algorithm].large:
        able = ", ".join(name for name, method in known.items() if method.large)
        raise BadInput(
            f"{config.algorithm} needs the whole tree, and {config.game} is too large to unroll; "
            f"use one of {able}, or choose a smaller game."
        )
    if config.until is not None:
        raise BadInput(
            f"{config.game} is too large to judge exactly, so a run cannot stop at exploitability {config.until:g}; "
            f"give --steps, --hands or --seconds."
        )


def _check_ahead(trainer: Trainer, config: RunConfig, path: Path) -> None:
    """Refuse to go on to where a run has been already: what it was there is gone. The same may be asked for again."""
    if config.steps is not None and trainer.step > config.steps:
        raise BadInput(
            f"{path} is at step {trainer.step:,}, past the {config.steps:,} asked for; ask for more to go on with it."
        )
    if trainer.enough and config.hands != config_of(path).hands:
        raise BadInput(
            f"{path} has played {trainer.hands:,.0f} hands, no fewer than the {config.hands:,} asked for; "
            f"ask for more to go on with it."
        )


def _loop(trainer: Trainer, folder: RunFolder, watcher: Watcher, save_every: float) -> None:
    """Step, judge and save until the config says stop or someone interrupts."""
    config, begun = folder.config, time.monotonic()
    running = folder.timings[-1]["seconds"] if folder.timings else 0.0
    pace, saved, wait = 0.0, time.monotonic(), save_every
    with interruptible() as interrupted:

        def out_of_time() -> bool:
            late = config.seconds is not None and time.monotonic() - begun >= config.seconds
            return late or interrupted()

        def good_enough() -> bool:
            last = folder.metrics[-1] if folder.metrics else {}
            return config.until is not None and last.get("exploitability", math.inf) <= config.until

        if good_enough() and folder.metrics[-1]["step"] == trainer.step:
            return  # it was finished before
        logged = {row["step"] for row in folder.metrics}
        for goal in evaluation_points(config.steps, trainer.growth):
            # A run killed between its last checkpoint and the evaluation due there still owes that evaluation.
            if goal < trainer.step or goal in logged:
                continue
            while trainer.step < goal and not trainer.enough and not (pace and out_of_time()):
                piece = min(goal - trainer.step, max(1, int(PIECE / pace))) if pace else 1
                start = time.monotonic()
                steps = trainer.advance(piece)
                taken = time.monotonic() - start
                running, pace = running + taken, taken / steps
                if time.monotonic() - saved >= wait:
                    _check_sound(trainer, folder)
                    start = time.monotonic()
                    folder.save(trainer.step, trainer.state, running)
                    saved = time.monotonic()
                    wait = max(save_every, (saved - start) / SAVE_SHARE)
            if trainer.step in logged:
                break  # there were enough hands before
            _check_sound(trainer, folder)
            row = trainer.evaluate()
            folder.log(row, running)
            watcher.row(row, running)
            if _died(row) and not any(map(_died, folder.metrics[:-1])):
                watcher.warn(
                    f"A value network of {config.algorithm} died by step {trainer.step:,}: every situation is worth "
                    f"the same to it; learn more slowly{_than(config)}."
                )
            if trainer.enough or out_of_time() or good_enough():
                break
    folder.save(trainer.step, trainer.state, running)


def _check_sound(trainer: Trainer, folder: RunFolder) -> None:
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


def _died(row: Row) -> bool:
    """Whether value networks that have learned say the same everywhere, as those do whose units all went silent."""
    return row.get("value_spread") == 0 and row["updates"] > 0


def _than(config: RunConfig) -> str:
    rates = ", ".join(f"{name}={value:g}" for name, value in config.settings.items() if name.endswith("rate"))
    return f" than with {rates}" if rates else ""


def evaluation_points(last: int | None, growth: float) -> Iterator[int]:
    """1, 2, 3, … and then ever further apart, the same whenever a run is repeated; up to and including `last`."""
    point = 1
    while last is None or point < last:
        yield point
        point = max(point + 1, int(point * growth))
    yield last


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """While this lasts, a first Ctrl-C only sets a flag, so that no step is cut in half; a second one stops at once."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.getsignal(signal.SIGINT)
    caught = threading.Event()

    def note(number: int, frame: Any) -> None:
        caught.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield caught.is_set
    finally:
        signal.signal(signal.SIGINT, before)
