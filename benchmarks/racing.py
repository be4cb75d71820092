"""A race: processes that time blocks of work when told to, so that blocks of one can alternate with another's.

Both sides, ours and the peers, are timed by this code, each in a process and a Python of its own. They speak one
JSON object a line: a request names a method, a game and how long a block takes at least, or 0 to prepare only. The
answer says what is known of the method on the game, and the rate of the block in operations per second.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, final

Run = Callable[[int], None]
"""Does the operation so many times, and returns when all are done."""

PEERS_PYTHON = Path(__file__).parent.parent / ".peers" / "bin" / "python"
BLOCKS = 3
CHECKED = 10
"""After how many iterations the NashConv of all racers must agree."""

Facts = dict[str, Any]
"""What is known of a racer before the race: sizes, seconds to compile, values to be compared."""


def serve(prepare: Callable[[str, str], tuple[Run, Facts]], packages: Sequence[str]) -> None:
    """Answer requests from standard input until it ends. `prepare` takes a method and a game."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some libraries chat on standard output, in C++ too
    racers: dict[tuple[str, str], tuple[Run, Facts]] = {}
    counts: dict[tuple[str, str], int] = {}

    def answer(facts: Facts) -> None:
        answers.write(json.dumps(facts) + "\n")
        answers.flush()

    answer({name: version(name) for name in packages})
    for line in sys.stdin:
        method, game, seconds = json.loads(line)
        key = method, game
        if key not in racers:
            racers[key] = prepare(method, game)
        run, facts = racers[key]
        if seconds:
            counts[key], took = _block(run, counts.get(key, 1), seconds)
            facts = facts | {"rate": counts[key] / took}
        answer(facts)


def repeat(operation: Callable[[], object]) -> Run:
    """An operation called from Python, as a `Run`."""

    def run(count: int) -> None:
        for _ in range(count):
            operation()

    return run


def moving_at_random(env: Any) -> Run:
    """PettingZoo's environments, ours or another's: whoever is to move makes a legal move."""
    source = Random(0)
    env.reset(seed=0)

    def run(count: int) -> None:
        for _ in range(count):
            seen, _, over, _, _ = env.last()
            if over:
                env.reset()
                seen, _, _, _, _ = env.last()
            env.step(int(source.choice(seen["action_mask"].nonzero()[0])))

    return run


def elapsed(operation: Callable[[], Any]) -> tuple[float, Any]:
    """How many seconds an operation takes, and its result."""
    start = time.perf_counter()
    result = operation()
    return time.perf_counter() - start, result


def _block(run: Run, count: int, seconds: float) -> tuple[int, float]:
    """Run `count` times, or as often as it takes to last `seconds`: how often that was, and how long it took.

    The first block of a racer begins with a count of 1, so the attempts that are too short are its warm-up.
    """
    while True:
        start = time.perf_counter()
        run(count)
        took = time.perf_counter() - start
        if took >= seconds:
            return count, took
        count = max(count + 1, math.ceil(count * min(10.0, 1.2 * seconds / took)))


@final
class Racer:
    """A process that serves, seen from the one that asks."""

    def __init__(self, python: Path, script: str, home: str) -> None:
        self._process = subprocess.Popen(
            [python, Path(__file__).parent / script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"HOME": home},  # what a library keeps at home for next time is thrown away
        )
        self.versions = self._read()

    def ask(self, method: str, game: str, seconds: float = 0) -> Facts:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([method, game, seconds]) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> Facts:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args} stopped; what it said is above.")
        facts: Facts = json.loads(line)
        return facts

    def __enter__(self) -> Racer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def one_core() -> None:
    """Keep this process and its children to one core."""
    if not PEERS_PYTHON.exists():
        raise SystemExit(f"The peers' environment, {PEERS_PYTHON}, is missing; run: make bench")
    os.environ |= {"OMP_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu", "JAX_ENABLE_COMPILATION_CACHE": "false"}
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # children inherit it


def processor() -> str:
    """The processor's name where the system tells it."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
