"""A run on disk. This is the only code that writes or reads one.

config.json          what was asked for, in full
metrics.jsonl        one line for each evaluation; the truth, and the same whenever the run is repeated
timings.jsonl        how long it took to reach each of those, and each checkpoint
strategy.safetensors the strategy at the end
README.md            a model card
made.json            the machine and the programs that made it; there only while the run is finished
bound.json           what is known of the exploitability of a strategy too large to judge exactly, if anything
curve.png            the picture
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save
from tensorboardX import SummaryWriter

from feint.arena.betting import Playground, playground
from feint.arena.policy import PlayedStrategy
from feint.evaluate.bound import Bound
from feint.games.errors import BadInput, RunStopped
from feint.games.library import load_game
from feint.learners.seat import Learned
from feint.learners.self_play import SelfPlay
from feint.runs.agents import AGENTS, PREFIX, comes_with_feint, find_run
from feint.runs.card import HERE, headline, length, model_card, of_strategy
from feint.runs.checkpoint import checkpoints, leaves_of, restored, save_checkpoint
from feint.runs.config import RunConfig, resolve
from feint.runs.made import made_with
from feint.tree.strategy import Strategy, TabularStrategy

CONFIG, METRICS, TIMINGS = "config.json", "metrics.jsonl", "timings.jsonl"
STRATEGY, CARD, MADE, BOUND = "strategy.safetensors", "README.md", "made.json", "bound.json"
CHECKPOINTS, EVENTS = "checkpoints", "tensorboard"

Row = dict[str, Any]


@final
@dataclass(frozen=True, repr=False)
class Run:
    """A finished run."""

    path: Path
    config: RunConfig
    metrics: list[Row]
    """One row for each evaluation: `step`, `exploitability` and `nash_conv` in chips per hand, and more. Games too
    large to judge exactly have `winnings` against random play instead, in thousandths of a big blind per hand."""
    timings: list[Row]
    """For each of them, `step` and `seconds` of running time, compilation left out."""
    strategy: Strategy
    made: tuple[str, ...] = ()
    """The machine and the programs that made it; nothing where an older run does not say."""
    bound: Bound | None = None
    """The best known lower bound on its exploitability, where it is too large to judge exactly."""

    def __repr__(self) -> str:
        last = of_strategy(self.metrics[-1])
        words = f"{self.config.algorithm} on {self.config.game}, {length(last)}: {' '.join(headline(last, self.bound))}"
        return f"Run({str(self.path)!r}: {words})"


def load_run(path: Path | str) -> Run:
    """Read a run back, from its folder or by the name of an agent that comes with Feint, such as `feint:leduc`.

    Raises `BadInput` when there is none.
    """
    path = find_run(path)
    config = config_of(path)
    try:
        metrics, timings = metrics_of(path), _rows(path / TIMINGS)
        if not metrics or not timings:
            raise ValueError("it was never judged")
        with safe_open(path / STRATEGY, framework="numpy") as file:
            words = json.loads(file.metadata()["feint"])
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        strategy = _strategy(config, arrays, words["fingerprint"])
        return Run(path, config, metrics, timings, strategy, _made_of(path), bound_of(path))
    except FileNotFoundError as error:
        missing = Path(error.filename or STRATEGY).name
        raise BadInput(f"{path} is not a finished run (it has no {missing}); train it to the end first.") from error
    except (OSError, ValueError, TypeError, KeyError, SafetensorError) as error:
        raise (
            error if isinstance(error, BadInput) else BadInput(f"{path} holds a damaged run ({error}); train it again.")
        ) from error


def _strategy(config: RunConfig, arrays: dict[str, np.ndarray], fingerprint: str) -> Strategy:
    """A strategy from its arrays: a table, or networks for a game too large for one."""
    if "probabilities" in arrays:
        return TabularStrategy(jnp.asarray(arrays["probabilities"]), fingerprint)
    game = playground(load_game(config.game))
    if game.fingerprint != fingerprint:
        raise BadInput(f"The strategy is for other rules than {config.game} has now; train it again.")
    solver = resolve(config.algorithm, config.settings).on(game)  # type: ignore[arg-type]  # or it had no networks
    assert isinstance(solver, SelfPlay)
    like = eqx.filter_eval_shape(lambda key: solver.networks(solver.init(key)), jax.random.key(0))
    return PlayedStrategy(solver.playing(restored(arrays, like)))


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
        if before.rules and before.rules != config.rules:
            raise BadInput(
                f"{path} was begun with other rules than {config.game} has now; train without --resume in a new folder."
            )
        for name in ("game", "algorithm", "seed", "seeds", "settings"):
            then, now = getattr(before, name), getattr(config, name)
            if name == "settings":  # only those that differ
                then, now = (
                    ", ".join(f"{key}={one[key]}" for key in one if one[key] != other.get(key))
                    for one, other in ((then, now), (now, then))
                )
            if then != now:
                raise BadInput(f"{path} was begun with {name} {then}, not {now}; ask for the same to go on with it.")
        folder = cls(path, config)
        try:
            folder.metrics, folder.timings = (
                _rows(path / name) if (path / name).exists() else [] for name in (METRICS, TIMINGS)
            )
        except ValueError as error:
            raise BadInput(f"{path} holds a damaged run ({error}); train it again in another folder.") from error
        return folder

    def rewind(self, step: int, evaluated: set[int]) -> None:
        """Go back to a checkpoint: keep the evaluations that the run would have made on its way there, and its time."""
        for name in (MADE, STRATEGY):  # until the run is finished again
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

    def finish(self, strategy: Strategy, game: Playground) -> Run:
        """Write the strategy, the card and, last, with what they were made."""
        if isinstance(strategy, TabularStrategy):
            arrays = {"probabilities": np.asarray(strategy.probabilities)}
        else:
            assert isinstance(strategy, PlayedStrategy)
            assert isinstance(strategy.policy, Learned)
            arrays = {name: np.asarray(leaf) for name, leaf in leaves_of(strategy.policy.networks).items()}
        # One entry only: safetensors writes several in no fixed order, and a run's bytes should repeat.
        words = {"game": game.name, "fingerprint": game.fingerprint, "moves": game.actions}
        write_whole(self.path / STRATEGY, save(arrays, {"feint": json.dumps(words)}))
        run = Run(self.path, self.config, self.metrics, self.timings, strategy, made_with(), bound_of(self.path))
        _write_card(self.path, run, game)
        write_whole(self.path / MADE, (json.dumps(run.made) + "\n").encode())
        return run


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is either there in full or not at all, whatever happens meanwhile."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        with suppress(OSError):  # where nothing can be written, there is nothing to remove
            part.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def free_folder(game: str, algorithm: str, root: Path = Path("runs")) -> Path:
    """A folder for a new run, named after what it does and numbered after the last of that name."""
    path = root / _name(game, algorithm)
    last = max(_taken(path), default=0)
    return path.with_name(f"{path.name}-{last + 1}") if last else path


def last_folder(game: str, algorithm: str, root: Path = Path("runs")) -> Path:
    """The latest folder that `free_folder` gave for this."""
    taken = _taken(root / _name(game, algorithm))
    if not taken:
        raise BadInput(f"There is no run of {algorithm} on {game} in {root} to go on with; name one with --out.")
    return taken[max(taken)]


def _name(game: str, algorithm: str) -> str:
    return re.sub(r"[^\w+.=-]+", "-", f"{game}-{algorithm}").strip("-")


def _taken(path: Path) -> dict[int, Path]:
    """The folders there are of this name by their numbers: the name itself is 1, then come -2 and so on."""
    found = path.parent.iterdir() if path.parent.is_dir() else ()
    numbered = re.compile(rf"{re.escape(path.name)}(?:-([2-9]|[1-9]\d+))?")
    return {int(match[1] or 1): other for other in found if (match := numbered.fullmatch(other.name))}


def config_of(path: Path) -> RunConfig:
    """What a run was asked to do."""
    if not (path / CONFIG).is_file():
        raise BadInput(f"{path} is not a run (it has no {CONFIG}); give a folder that feint train has written.")
    try:
        return RunConfig.from_json((path / CONFIG).read_text())
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadInput(f"{path} holds a damaged run ({error}); train it again.") from error


def metrics_of(path: Path) -> list[Row]:
    """A run's evaluations, without its strategy."""
    return _rows(path / METRICS)


def _made_of(path: Path) -> tuple[str, ...]:
    return tuple(json.loads((path / MADE).read_text())) if (path / MADE).is_file() else ()


def bound_of(path: Path) -> Bound | None:
    """The bound that is kept for a run's strategy; one for another strategy, or a damaged one, is not believed."""
    try:
        kept = json.loads((path / BOUND).read_text())
        words = {name: value for name, value in kept.items() if name != STRATEGY}
        return Bound(**words) if kept[STRATEGY] == _digest(path) else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def keep_bound(run: Run, bound: Bound, game: Playground) -> Path | None:
    """Keep a bound beside a run and on its card; not where more hands were judged before, and never with an agent."""
    if comes_with_feint(run.path) or (run.bound and run.bound.hands > bound.hands):
        return None
    words = asdict(bound) | {STRATEGY: _digest(run.path)}
    write_whole(run.path / BOUND, (json.dumps(words, indent=2) + "\n").encode())
    _write_card(run.path, replace(run, bound=bound), game)
    return run.path / BOUND


def _digest(path: Path) -> str:
    return hashlib.sha256((path / STRATEGY).read_bytes()).hexdigest()


def ship(path: Path | str, name: str) -> Path:
    """Put a finished run among the agents that come with Feint, as `feint:NAME`; for those who make the package.

    What only training needs stays behind, and the card calls the agent by its name.
    """
    run, folder = load_run(path), AGENTS / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in (CONFIG, METRICS, TIMINGS, STRATEGY, MADE, BOUND):
        if (run.path / file).is_file():
            write_whole(folder / file, (run.path / file).read_bytes())
        else:
            (folder / file).unlink(missing_ok=True)  # an earlier agent's
    _write_card(folder, run, playground(load_game(run.config.game)), PREFIX + name)
    return folder


def _write_card(folder: Path, run: Run, game: Playground, name: str = HERE) -> None:
    write_whole(folder / CARD, model_card(run.config, run.metrics, game, run.made, run.bound, name).encode())


def _rows(path: Path) -> list[Row]:
    """A file's whole lines; one that was cut off while being written does not count."""
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]
