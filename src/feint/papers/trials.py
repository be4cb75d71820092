"""What reproductions share: runs that are kept and gone on with, and where they were made."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, final

import equinox as eqx
import jax
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

from feint.forms.leaves import leaves_of, restored
from feint.games.errors import BadInput, RunStopped
from feint.games.library import game_of
from feint.learners.networks import Network
from feint.learners.self_play import SelfPlay
from feint.runs.checkpoint import checkpoints
from feint.runs.config import resolve
from feint.runs.files import CHECKPOINTS, CONFIG, PROVENANCE, Row, write_whole
from feint.runs.loop import Watcher
from feint.runs.run import Run, load_run
from feint.runs.train import train

VALUES = "values.safetensors"
"""In the folder of a finished run: its value networks."""
MANY = 12
"""Labels that are more are counted."""


@final
@dataclass(frozen=True)
class Trial:
    """A run of a reproduction: what is trained, for how long, and the folder that keeps it."""

    path: Path
    label: str
    algorithm: str
    game: str
    preset: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    steps: int | None = None
    hands: int | None = None
    """It ends after so many steps, or once so many hands were played."""

    def missing(self, last: Row) -> str:
        """In words, how far a run had come by its last evaluation, where that is too short."""
        if self.steps is not None and last["step"] < self.steps:
            return f"{last['step']:,} of {self.steps:,} steps"
        if self.hands is not None and last["hands"] < self.hands:
            return f"{last['hands']:,.0f} of {self.hands:,} hands"
        return ""

    def kept_by(self, run: Run) -> bool:
        """Whether this is that run, and has not come further."""
        config, rows = run.config, run.metrics
        settings = asdict(resolve(self.algorithm, self.settings, self.preset))
        asked = self.algorithm, game_of(self.game).name, settings, self.seed
        enough = any(not self.missing(row) for row in rows[:-1])
        further = enough or (self.steps is not None and rows[-1]["step"] > self.steps)
        return (config.algorithm, config.game, config.settings, config.seed) == asked and not further


def trained(trial: Trial, watcher: Watcher) -> Run:
    """Train, or read back what an earlier call has trained; what was cut off goes on."""
    path = trial.path
    if (path / PROVENANCE).is_file() and not trial.missing((run := _kept(trial)).metrics[-1]):
        return run
    begun = bool(checkpoints(path / CHECKPOINTS))
    if not begun and (path / CONFIG).is_file():
        shutil.rmtree(path)  # cut off before there was anything to go on from
    (path / VALUES).unlink(missing_ok=True)  # they are for the run as it was
    run = train(
        trial.algorithm,
        trial.game,
        preset=trial.preset,
        settings=trial.settings,
        steps=trial.steps,
        hands=trial.hands,
        seed=trial.seed,
        out=path,
        resume=begun,
        watcher=watcher,
    )
    if missing := trial.missing(run.metrics[-1]):
        where = f"{missing} of {trial.label}, seed {trial.seed}"
        raise RunStopped(f"The reproduction was stopped at {where}; the same command goes on from there.")
    return run


def _kept(trial: Trial) -> Run:
    run = load_run(trial.path)
    if not trial.kept_by(run):
        raise BadInput(f"{trial.path} keeps another run than {trial.label} is now; choose another folder with --out.")
    return run


def provenance(runs: Iterable[tuple[str, Run]]) -> str:
    """Where runs were made and with what, the labels of those made elsewhere than most beside it."""
    return made_with((label, run.provenance) for label, run in runs)


def made_with(places: Iterable[tuple[str, Sequence[str]]]) -> str:
    """The same of anything that has a label and says what it was made with."""
    made: dict[str, list[str]] = {}
    for label, words in places:
        made.setdefault(", ".join(words), []).append(label)
    (most, _), *others = sorted(made.items(), key=lambda place: -len(place[1]))
    return ".\n".join([most, *(f"{place} (for {_listed(labels)})" for place, labels in others)]) + "."


def _listed(labels: Sequence[str]) -> str:
    """Each label once; of many, how many things they name."""
    once = dict.fromkeys(labels)
    return "; ".join(once) if len(once) <= MANY else f"{len(labels)} others"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))


def quick_look(folder: str) -> str:
    """What the page of a quick look says of itself, and where a whole one is."""
    return f"""
**This is a quick look, to see that everything runs: it is too short to decide anything.** A whole one is in
docs/results/{folder} of Feint's repository.
"""


def value_networks(run: Run, solver: SelfPlay) -> tuple[Network, ...]:
    """Every seat's value network, one seat after the other, at the end of a finished run.

    A strategy of NFSP holds only its averages, so these come from the newest checkpoint. They are kept beside it in a
    file of their own: memories make checkpoints large, and they may be deleted.
    """
    like = eqx.filter_eval_shape(
        lambda key: tuple(seat.values.network for seat in solver.seats(solver.init(key))), jax.random.key(0)
    )
    file = run.path / VALUES
    if not file.is_file():
        found = checkpoints(run.path / CHECKPOINTS)
        if not found or found[0][0] != run.metrics[-1]["step"]:
            raise BadInput(f"{run.path} has no checkpoint of its last step to take values from; train it again.")
        write_whole(file, save(_values_in(found[0][1], leaves_of(like), solver.seating.alike)))
    with safe_open(file, framework="numpy") as kept:
        return restored({name: kept.get_tensor(name) for name in kept.keys()}, like)  # noqa: SIM118


def _values_in(checkpoint: Path, names: Iterable[str], alike: bool) -> dict[str, np.ndarray]:
    """The arrays of the value networks alone: `[0].layers…` is `.seats[0].values.network.layers…` in a checkpoint.

    Of seats that are `alike`, it is the first row of `.seats.values.network.layers…`.
    """
    with safe_open(checkpoint, framework="numpy") as state:
        places = {name: name.removeprefix("[").partition("]") for name in names}
        return {
            name: state.get_slice(f".seats.values.network{rest}")[int(seat)]
            if alike
            else state.get_tensor(f".seats[{seat}].values.network{rest}")
            for name, (seat, _, rest) in places.items()
        }
