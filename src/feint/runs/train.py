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

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from feint.arena.betting import Playground, playground
from feint.arena.policy import PlayedStrategy
from feint.games.errors import BadInput, RunStopped
from feint.games.game import Game
from feint.games.library import load_game
from feint.learners.self_play import SelfPlay
from feint.runs.agents import own_folder
from feint.runs.checkpoint import checkpoints, load_checkpoint
from feint.runs.config import RunConfig, algorithms, resolve
from feint.runs.folder import Row, Run, RunFolder, config_of, free_folder, last_folder
from feint.runs.judge import Judge, judge_of
from feint.solvers.algorithm import Algorithm, Config, Metrics
from feint.tree.cache import cache_folder
from feint.tree.strategy import Strategy
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


@final
class Trainer:
    """An algorithm on a game with its state, for one seed or for many side by side.

    How many steps to take is an argument of the compiled code, so one compilation serves them all. Compiled
    code is kept on disk, so that the next run of the same kind starts at once.
    """

    def __init__(self, solver: Algorithm[Any], game: Playground, config: RunConfig) -> None:
        if jax.config.values["jax_compilation_cache_dir"] is None:
            jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "compiled"))
        self._solver, self._game, self._seeds = solver, game, config.seeds
        self._judge = judge_of(game)
        self._each: Callable[[Callable[..., Any]], Callable[..., Any]] = jax.vmap if config.seeds > 1 else lambda f: f
        keys = jax.vmap(jax.random.key)(config.seed + jnp.arange(config.seeds))
        first = eqx.filter_jit(lambda solver, keys: self._each(solver.init)(keys))
        self.step = 0
        self._goal = math.inf if config.hands is None else float(config.hands)
        # Copied, because parts of a first state may share memory, and advancing reuses the memory of every part.
        self.state = jax.tree.map(jnp.copy, first(solver, keys if config.seeds > 1 else keys[0]))
        if config.hands is not None and not hasattr(self.state, "hands"):
            raise BadInput(
                f"{config.algorithm} counts no hands, so a run of it cannot stop after {config.hands:,}; "
                f"give --steps, --seconds or --until."
            )
        forward: Any = eqx.filter_jit(self._forward, donate="all-except-first")
        self._advance = forward.lower(solver, self.state, jnp.asarray(1), jnp.asarray(self._goal)).compile()
        self.evaluate()  # compiles that too, before the clock starts

    def _forward(
        self, solver: Algorithm[Any], state: Any, steps: Int[Array, ""], hands: Float[Array, ""]
    ) -> tuple[Int[Array, ""], Any]:
        """So many steps, or fewer where there are enough hands before; how many were taken, and the state."""
        step = self._each(lambda state: solver.step(state)[0])

        def short(now: tuple[Int[Array, ""], Any]) -> Bool[Array, ""]:
            taken, state = now
            return (taken < steps) & (jnp.median(getattr(state, "hands", 0)) < hands)

        return jax.lax.while_loop(short, lambda now: (now[0] + 1, step(now[1])), (jnp.asarray(0), state))

    @property
    def growth(self) -> float:
        return self._judge.growth

    @property
    def hands(self) -> float:
        """Hands played so far, the median of the seeds; 0 where none are counted."""
        return float(np.median(getattr(self.state, "hands", 0)))

    @property
    def enough(self) -> bool:
        """Whether as many hands were played as the run was asked for."""
        return self.hands >= self._goal

    def advance(self, steps: int) -> int:
        """Take so many steps, or fewer where there are enough hands before; returns how many were taken."""
        goal = jnp.asarray(self._goal)
        taken, self.state = jax.block_until_ready(self._advance(self._solver, self.state, jnp.asarray(steps), goal))
        self.step += int(taken)
        return int(taken)

    @property
    def diverged(self) -> list[int]:
        """Which seeds, counted from 0, hold what is no number any more, as a rate too high makes of it."""
        leaves = jax.tree.leaves(eqx.filter(self.state, eqx.is_inexact_array))
        sound = [np.isfinite(leaf).reshape(self._seeds, -1).all(1) for leaf in leaves]
        return np.flatnonzero(~np.all(sound, 0)).tolist() if sound else []

    def evaluate(self) -> Row:
        """How good the strategy is and whatever else is measured: medians, and every seed's number that matters."""
        measured = self._look(self._solver, self._judge, self.state)
        seeds = np.asarray(measured[self._judge.number])
        row: Row = {"step": self.step} | {name: float(np.median(value)) for name, value in measured.items()}
        return row | {"seeds": seeds.tolist()} if seeds.ndim else row

    @eqx.filter_jit
    def _look(self, solver: Algorithm[Any], judge: Judge, state: Any) -> Metrics:
        measured: Metrics = self._each(lambda state: judge(solver, state))(state)
        return measured

    def strategy(self) -> Strategy:
        """The best seed's strategy."""
        state, seeds = self.state, self.evaluate().get("seeds")
        if seeds:
            best = np.argmin(seeds) if self._judge.low_is_good else np.argmax(seeds)
            state = jax.tree.map(lambda leaf: leaf[best], state)
        if isinstance(self._solver, SelfPlay) and not isinstance(self._game, Tree):
            return PlayedStrategy(self._solver.policy(state))
        strategy: Strategy = eqx.filter_jit(lambda solver, state: solver.strategy(state))(self._solver, state)
        return strategy


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
            if trainer.enough or out_of_time() or good_enough():
                break
    folder.save(trainer.step, trainer.state, running)


def _check_sound(trainer: Trainer, folder: RunFolder) -> None:
    """Stop a run that has diverged, before anything of that is written over what was sound."""
    if not trainer.diverged:
        return
    config, kept = folder.config, checkpoints(folder.checkpoints)
    rates = ", ".join(f"{name}={value:g}" for name, value in config.settings.items() if name.endswith("rate"))
    seeds = ", ".join(str(config.seed + number) for number in trainer.diverged)
    again = ["feint", "train", config.algorithm, config.game, "--resume", "--out", str(folder.path)]
    last = f"`{shlex.join(again)} --steps {kept[0][0]}` ends it at its last checkpoint" if kept else "nothing is kept"
    if not kept:
        folder.discard()
    raise RunStopped(
        f"The run in {folder.path} stopped because {config.algorithm} (seed {seeds}) diverged by step "
        f"{trainer.step:,}: its weights are no longer numbers; learn more slowly"
        f"{f' than with {rates}' if rates else ''}; {last}."
    )


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
