"""Sweeps: algorithms × games × settings × seeds, each combination a *trial*, and each trial an ordinary run folder.

Seeds of one combination are one run, trained side by side, unless they are asked for apart. What a sweep is asked is
kept in its folder, so that the same command goes on where it was left: finished trials stay, others are resumed.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any, final

import pydantic

from feint.games.errors import BadInput, check_seed, nearest
from feint.games.library import load_game
from feint.runs.checkpoint import checkpoints
from feint.runs.config import plain, resolve, written
from feint.runs.files import CHECKPOINTS, PROVENANCE, TIMINGS, is_there, reading, rows_of, sealed, unsealed, write_whole
from feint.runs.folder import clear
from feint.runs.run import config_of, metrics_of, provenance_of, was_cut_short

SWEEP, RESULTS = "sweep.json", "results.jsonl"
STOPS = ("steps", "hands", "seconds", "until")
MOST_TRIALS = 10_000
LEAST_SECONDS = 1e-6
"""What a trial is given when it is gone on with and its time is over: it ends at once, in order."""


@final
@dataclass(frozen=True)
class Sweep:
    """All that is tried."""

    algorithms: tuple[str, ...]
    games: tuple[str, ...]
    settings: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """By dotted names, all that each setting is to be."""
    preset: str | None = None
    seed: int = 0
    seeds: int = 1
    """How many seeds, from `seed` on."""
    apart: bool = False
    """Whether every seed is a trial of its own; otherwise those of a combination are trained side by side."""
    steps: int | None = None
    hands: int | None = None
    seconds: float | None = None
    until: float | None = None

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for name in ("algorithms", "games"):
            given = getattr(self, name)
            if not given or len(set(given)) < len(given):
                raise BadInput(f"A sweep has one or more {name}, each named once, but {list(given)} was given.")
        if self.seeds < 1:
            raise BadInput(f"A sweep has 1 seed or more, but seeds={self.seeds} was given.")
        if all(getattr(self, name) is None for name in STOPS):
            raise BadInput(f"A sweep says when its trials stop, so that they can be compared: {', '.join(STOPS)}.")
        empty = [name for name, values in self.settings.items() if not values]
        if empty:
            raise BadInput(f"The setting {empty[0]} of a sweep has no values; give one or more.")
        # Counted before any of them is made: there may be more than memory holds.
        choices = [len(self.algorithms), len(self.games), *map(len, self.settings.values())]
        count = math.prod(choices) * (self.seeds if self.apart else 1)
        if count > MOST_TRIALS:
            raise BadInput(f"A sweep has {MOST_TRIALS:,} trials at most, but this one has {count:,}.")
        often = Counter(trial.name for trial in self.trials)
        if twice := [name for name, times in often.items() if times > 1]:
            raise BadInput(
                f"Every trial of a sweep has a folder of its own, but {often[twice[0]]} of this one are called "
                f"{twice[0]}; name each value of a setting once."
            )

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every combination, in the order in which they were named."""
        return tuple(self._trials())

    def _trials(self) -> Iterator[Trial]:
        seeds = [(self.seed + each, 1) for each in range(self.seeds)] if self.apart else [(self.seed, self.seeds)]
        stops = {name: getattr(self, name) for name in STOPS}
        for algorithm, game, values in product(self.algorithms, self.games, product(*self.settings.values())):
            settings = dict(zip(self.settings, values, strict=True))
            for seed, count in seeds:
                yield Trial(algorithm, game, settings, self.preset, seed, count, **stops)


@final
@dataclass(frozen=True)
class Trial:
    """One run of a sweep."""

    algorithm: str
    game: str
    settings: Mapping[str, Any]
    preset: str | None
    seed: int
    seeds: int
    steps: int | None
    hands: int | None
    seconds: float | None
    until: float | None

    @property
    def name(self) -> str:
        """What its folder is called."""
        seeds = f"seed={self.seed}" if self.seeds == 1 else f"seeds={self.seed}-{self.seed + self.seeds - 1}"
        parts = [self.algorithm, self.game, *map("=".join, written(self.settings).items()), seeds]
        return re.sub(r"[^\w.+=,-]+", "-", "_".join(parts)).strip("-.")

    def check(self) -> None:
        """Refuse settings that the algorithm does not have, before anything is trained."""
        resolve(self.algorithm, self.settings, self.preset)

    def train(self, folder: Path) -> None:
        """Begin it in this folder, or go on with what is there."""
        from feint.runs.train import train  # which compiles: nobody who only lists trials waits for it

        # A first checkpoint that was cut off while being written is none: that trial is begun again.
        begun = is_there(folder) and bool(checkpoints(folder / CHECKPOINTS))
        if is_there(folder) and not begun:
            clear(folder)
        train(
            self.algorithm,
            self.game,
            settings=dict(self.settings),
            preset=self.preset,
            seed=self.seed,
            seeds=self.seeds,
            steps=self.steps,
            hands=self.hands,
            seconds=self._seconds_left(folder) if begun else self.seconds,
            until=self.until,
            out=folder,
            resume=begun,
        )

    def _seconds_left(self, folder: Path) -> float | None:
        """What is left of its time when it goes on from its last checkpoint: what came after that is lost."""
        if self.seconds is None:
            return None
        with reading(folder):
            last, _ = checkpoints(folder / CHECKPOINTS)[0]
            rows, _ = rows_of(folder / TIMINGS)
            spent = max((row["seconds"] for row in rows if row["step"] <= last), default=0.0)
            return max(self.seconds - spent, LEAST_SECONDS)

    def done(self, folder: Path) -> bool:
        """Whether it was trained to its end there."""
        if not is_there(folder / PROVENANCE):
            return False
        config, rows = config_of(folder), metrics_of(folder)
        if (config.game, config.algorithm, config.seed, config.seeds) != (
            self.game, self.algorithm, self.seed, self.seeds,
        ):  # fmt: skip
            raise BadInput(
                f"{folder} holds another run than this trial of the sweep; choose another folder with --out."
            )
        provenance_of(folder)
        if was_cut_short(folder):
            return False
        last = rows[-1]
        ends = (
            self.steps is not None and last["step"] >= self.steps,
            self.hands is not None and last.get("hands", 0) >= self.hands,
            self.until is not None and last.get("exploitability", self.until + 1) <= self.until,
            # One that was gone on with was given what was left of its time.
            self.seconds is not None and config.seconds is not None and config.seconds <= self.seconds,
        )
        return any(ends)


def read_sweep(words: Mapping[str, Any]) -> Sweep:
    """A sweep from what a TOML file, or the command line, says."""
    known = {each.name for each in fields(Sweep)}
    for name in words:
        if name not in known:
            raise BadInput(f"A sweep has nothing called {name!r}; {nearest(name, known)}")
    listed = dict(words)
    for name in ("algorithms", "games"):
        given = listed.get(name, ())
        listed[name] = (given,) if isinstance(given, str) else given
    settings = listed.get("settings", {})
    if not isinstance(settings, Mapping):
        raise BadInput(f"The settings of a sweep are a table of names and lists of values, but {settings!r} was given.")
    listed["settings"] = {
        name: tuple(value) if isinstance(value, list | tuple) else (value,) for name, value in _flat(settings).items()
    }
    try:
        sweep = pydantic.TypeAdapter(Sweep).validate_python(listed)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        cause = first.get("ctx", {}).get("error")
        if isinstance(cause, BadInput):
            raise cause from error
        raise BadInput(f"A sweep cannot take {'.'.join(map(str, first['loc']))}: {first['msg']}.") from error
    # However they were spelled, runs call games by Feint's names for them, and no game is to be there twice.
    sweep = replace(sweep, games=tuple(load_game(game).name for game in sweep.games))
    for trial in sweep.trials:
        trial.check()
    return sweep


def _flat(settings: Mapping[str, Any], group: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in settings.items():
        found |= _flat(value, f"{group}{name}.") if isinstance(value, Mapping) else {group + name: value}
    return found


def sweep_file(path: Path) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read ({error}); give a TOML file.") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path} is no TOML ({error}); mend it.") from error


def begin(sweep: Sweep, folder: Path) -> None:
    """Keep what a sweep is asked in its folder; refuse a folder that holds another one."""
    words = plain(asdict(sweep))
    if is_there(folder / SWEEP):
        if unsealed(folder / SWEEP) != words:
            raise BadInput(f"{folder} holds another sweep; ask for the same to go on with it, or choose another --out.")
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(f"{folder} is not empty; choose another folder with --out.")
        write_whole(folder / SWEEP, sealed(words))
    except OSError as error:
        raise BadInput(f"{folder} cannot be written ({error.strerror}); choose another folder with --out.") from error


def result(trial: Trial, folder: Path) -> dict[str, Any] | None:
    """What came of a trial, whatever the clocks and machines: its last evaluation. None where it is not finished."""
    path = folder / trial.name
    if not trial.done(path):
        return None
    asked = {"trial": trial.name, "algorithm": trial.algorithm, "game": trial.game, "seed": trial.seed}
    return asked | {"settings": plain(dict(trial.settings))} | metrics_of(path)[-1]


def results(trials: Sequence[Trial], folder: Path) -> list[dict[str, Any]]:
    """What came of each finished trial."""
    rows = (result(trial, folder) for trial in trials)
    return [row for row in rows if row is not None]


def write_results(rows: Iterable[Mapping[str, Any] | None], folder: Path) -> None:
    """Write down those that there are, a line each."""
    write_whole(folder / RESULTS, "".join(json.dumps(row) + "\n" for row in rows if row is not None).encode())
