"""What reproductions share: runs that are kept and gone on with, and what they were made with."""

from __future__ import annotations

import json
import math
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar, final

import equinox as eqx
import jax
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

import feint
from feint.games.errors import BadInput, RunStopped
from feint.learners.networks import Network
from feint.learners.self_play import SelfPlay
from feint.runs.checkpoint import checkpoints, leaves_of, restored
from feint.runs.config import resolve
from feint.runs.folder import CHECKPOINTS, CONFIG, Run, config_of, load_run, write_whole
from feint.runs.train import Watcher, train

MADE, VALUES = "made.json", "values.safetensors"
"""In the folder of a finished run: with what it was made, and its value networks."""
SPARE = 1.01
"""Steps are foreseen from the hands so far, with this much to spare."""

Number = TypeVar("Number")


@final
@dataclass(frozen=True)
class Trial:
    """A run of a reproduction: what is trained, and the folder that keeps it."""

    path: Path
    label: str
    algorithm: str
    game: str
    preset: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0


def trained(trial: Trial, steps: int, watcher: Watcher) -> Run:
    """Train, or read back what an earlier call has trained; what was cut off goes on."""
    path = trial.path
    if (path / MADE).is_file() and (run := _kept(trial)).metrics[-1]["step"] >= steps:
        return run
    begun = bool(checkpoints(path / CHECKPOINTS))
    if not begun and (path / CONFIG).is_file():
        shutil.rmtree(path)  # cut off before there was anything to go on from
    for old in (MADE, VALUES):
        (path / old).unlink(missing_ok=True)  # they are for the run as it was
    run = train(
        trial.algorithm,
        trial.game,
        preset=trial.preset,
        settings=trial.settings,
        steps=steps,
        seed=trial.seed,
        out=path,
        resume=begun,
        watcher=watcher,
    )
    if (reached := run.metrics[-1]["step"]) < steps:
        where = f"step {reached:,} of {steps:,} of {trial.label}, seed {trial.seed}"
        raise RunStopped(f"The reproduction was stopped at {where}; the same command goes on from there.")
    (path / MADE).write_text(json.dumps(made_with()) + "\n")
    return run


def trained_for_hands(trial: Trial, hands: int, moves: float, watch: Callable[[], Watcher]) -> Run:
    """The same until so many hands are played: a run stops by its steps, so it goes on until these were enough.

    `moves` is a guess of how many moves a hand takes; too high a guess plays too many hands.
    """
    tables = asdict(resolve(trial.algorithm, trial.settings, trial.preset))["tables"]
    steps = max(math.ceil(hands * moves / tables), _planned(trial.path))
    while (last := (run := trained(trial, steps, watch())).metrics[-1])["hands"] < hands:
        steps = math.ceil(SPARE * last["step"] * hands / max(last["hands"], 1.0))
    return run


def _planned(path: Path) -> int:
    """The steps that an earlier call has set out to make; going on to fewer would forget evaluations."""
    if not checkpoints(path / CHECKPOINTS) and not (path / MADE).is_file():
        return 0
    return config_of(path).steps or 0


def _kept(trial: Trial) -> Run:
    run = load_run(trial.path)
    asked = trial.algorithm, asdict(resolve(trial.algorithm, trial.settings, trial.preset)), trial.seed
    if (run.config.algorithm, run.config.settings, run.config.seed) != asked:
        raise BadInput(f"{trial.path} keeps another run than {trial.label} is now; choose another folder with --out.")
    return run


def made_with() -> list[str]:
    """The machine and the program that make a run; from a checkout, its commit too."""
    file, root, device = Path("/proc/cpuinfo"), Path(__file__).parents[3], jax.devices()[0]
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    machine = names[0] if names else platform.machine()
    commit = ""
    if (root / ".git").exists() and shutil.which("git"):
        describe = ["git", "-C", str(root), "describe", "--always", "--exclude=*", "--dirty= with changes"]
        commit = subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip()
    return [
        machine if device.platform == "cpu" else f"{device.device_kind} beside {machine}",
        f"jax {jax.__version__}",
        f"feint {feint.__version__}" + (f" (commit {commit})" if commit else ""),
    ]


def provenance(runs: Iterable[tuple[str, Run]]) -> str:
    """Where runs were made and with what, the labels of those made elsewhere than most beside it."""
    made: dict[str, dict[str, None]] = {}
    for label, run in runs:
        made.setdefault(", ".join(json.loads((run.path / MADE).read_text())), {})[label] = None
    (most, _), *others = sorted(made.items(), key=lambda place: -len(place[1]))
    return ".\n".join([most, *(f"{place} (for {'; '.join(labels)})" for place, labels in others)]) + "."


def value_networks(run: Run, solver: SelfPlay) -> tuple[Network, ...]:
    """Every seat's value network, one seat after the other, at the end of a finished run.

    A strategy of NFSP holds only its averages, so these come from the newest checkpoint. They are kept beside it in a
    file of their own: memories make checkpoints large, and they may be deleted.
    """
    like = eqx.filter_eval_shape(
        lambda key: tuple(seat.values.network for seat in solver.init(key).seats), jax.random.key(0)
    )
    file = run.path / VALUES
    if not file.is_file():
        found = checkpoints(run.path / CHECKPOINTS)
        if not found or found[0][0] != run.metrics[-1]["step"]:
            raise BadInput(f"{run.path} has no checkpoint of its last step to take values from; train it again.")
        write_whole(file, save(_values_in(found[0][1], leaves_of(like))))
    with safe_open(file, framework="numpy") as kept:
        return restored({name: kept.get_tensor(name) for name in kept.keys()}, like)  # noqa: SIM118


def _values_in(checkpoint: Path, names: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The arrays of the value networks alone: `[0].layers…` is `.seats[0].values.network.layers…` in a checkpoint."""
    with safe_open(checkpoint, framework="numpy") as state:
        places = {name: name.partition("]") for name in names}
        return {
            name: state.get_tensor(f".seats{seat}].values.network{rest}") for name, (seat, _, rest) in places.items()
        }


@final
class Notebook:
    """Numbers that take long to find, kept in a file as they are found, so that they are found once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._notes: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}

    def note(self, what: str, find: Callable[[], Number]) -> Number:
        """What is noted under this name, or what is found now; anything that JSON can hold."""
        if what not in self._notes:
            self._notes[what] = find()
            write_whole(self._path, (json.dumps(self._notes, indent=1) + "\n").encode())
        number: Number = self._notes[what]
        return number
