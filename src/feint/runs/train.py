"""Training: step, judge now and then, stop when told, and leave a run folder behind."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from feint.evaluate.exploitability import nash_conv
from feint.games.game import Game
from feint.games.library import load_game
from feint.runs.config import RunConfig, resolve
from feint.runs.folder import Row, Run, RunFolder, free_folder
from feint.solvers.algorithm import Algorithm
from feint.tree.cache import cache_folder, unroll
from feint.tree.strategy import Strategy
from feint.tree.tree import Tree

GROWTH = 1.1
"""Evaluations come when the steps have grown by this factor: evenly spaced on a logarithmic axis."""
PIECE = 0.2
"""Seconds between looks at the clock."""


class Watcher(Protocol):
    """Whoever follows a run while it goes on."""

    def stage(self, text: str) -> None:
        """What is being done now, before the first step."""

    def row(self, row: Row, seconds: float) -> None:
        """An evaluation, and the running time so far."""


def train(
    algorithm: str,
    game: str | Game[Any],
    *,
    steps: int | None = None,
    seconds: float | None = None,
    until: float | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    out: Path | str | None = None,
    watcher: Watcher | None = None,
) -> Run:
    """Run an algorithm on a game until `steps`, `seconds` or exploitability `until`, whichever comes first.

    Left without any of the three, it stops at exploitability 1e-4 or after a minute. The run is written to `out`,
    by default a new folder under `runs/`. An interrupt (Ctrl-C) stops it early and keeps what it has.
    """
    if steps is None and seconds is None and until is None:
        seconds, until = 60.0, 1e-4
    rules = load_game(game) if isinstance(game, str) else game
    method = resolve(algorithm, settings or {})
    config = RunConfig(rules.name, algorithm, asdict(method), seed, steps, seconds, until)
    say = watcher.stage if watcher else lambda _: None
    say(f"unrolling {rules.name}")
    tree = unroll(rules, report=lambda nodes: say(f"unrolling {rules.name}: {nodes:,} nodes"))
    say(f"preparing {algorithm}")
    solver = method.on(tree)
    say("compiling")
    state = eqx.filter_jit(lambda solver, key: solver.init(key))(solver, jax.random.key(seed))
    advance = compiled(solver, state)
    folder = RunFolder(Path(out) if out else free_folder(rules.name, algorithm), config)
    state = _loop(solver, state, advance, tree, folder, watcher)
    return folder.finish(strategy(solver, state), tree)


@eqx.filter_jit
def strategy(solver: Algorithm[Any], state: Any) -> Strategy:
    """The strategy so far, compiled."""
    return solver.strategy(state)


def compiled(solver: Algorithm[Any], state: Any) -> Callable[[Any, int], Any]:
    """`advance(state, steps)`, compiled: the number of steps is an argument, so one compilation serves them all.

    Compiled code is kept on disk, so that the next run of the same kind starts at once.
    """
    if jax.config.values["jax_compilation_cache_dir"] is None:
        jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "compiled"))

    def advance(solver: Algorithm[Any], state: Any, steps: Int[Array, ""]) -> Any:
        return jax.lax.fori_loop(0, steps, lambda _, state: solver.step(state)[0], state)

    ready: Any = eqx.filter_jit(advance).lower(solver, state, jnp.asarray(1)).compile()  # type: ignore[attr-defined]
    return lambda state, steps: jax.block_until_ready(ready(solver, state, jnp.asarray(steps)))


def _loop(
    solver: Algorithm[Any],
    state: Any,
    advance: Callable[[Any, int], Any],
    tree: Tree,
    folder: RunFolder,
    watcher: Watcher | None,
) -> Any:
    """Step and judge until the config says stop or someone interrupts; returns the last state."""
    config, start = folder.config, time.monotonic()
    step, running, pace = 0, 0.0, 0.0
    with interruptible() as interrupted:

        def out_of_time() -> bool:
            late = config.seconds is not None and time.monotonic() - start >= config.seconds
            return late or interrupted()

        for goal in evaluation_points(config.steps):
            while step < goal and not (step and out_of_time()):
                piece = min(goal - step, max(1, int(PIECE / pace))) if pace else 1
                began = time.monotonic()
                state = advance(state, piece)
                taken = time.monotonic() - began
                step, running, pace = step + piece, running + taken, taken / piece
            gap = nash_conv(tree, strategy(solver, state))
            row = {"step": step, "exploitability": gap / tree.players, "nash_conv": gap}
            folder.log(row, running)
            if watcher:
                watcher.row(row, running)
            if out_of_time() or (config.until is not None and row["exploitability"] <= config.until):
                break
    return state


def evaluation_points(last: int | None) -> Iterator[int]:
    """1, 2, 3, … and then ever further apart, up to and including `last`."""
    point = 1
    while last is None or point < last:
        yield point
        point = max(point + 1, int(point * GROWTH))
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
