"""Trials on the machines of a Ray cluster: each trained in a folder of its node, and what is made there sent back.

Nodes need Feint and nothing of this machine's disk. Where a worker or a node dies, Ray has the trial trained
elsewhere, from its beginning: what comes of it is the same. Feint starts no cluster but one on this machine, which
listens on loopback.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from feint.games.errors import BadInput
from feint.runs.checkpoint import checkpoints
from feint.runs.files import CHECKPOINTS, RUNNING
from feint.runs.sweep import Trial
from feint.runs.sweeping import trained

LOCAL = "local"
ONLY_HERE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Set to 0, Ray keeps to loopback, as it does on those systems; on Linux it would listen at every address."""


def train_all(trials: Sequence[Trial], folder: Path, address: str) -> Iterator[tuple[Trial, str | None]]:
    """Train trials on a cluster, and bring their folders here as they are over, those that failed too."""
    ray = _connected(address)
    try:
        task = ray.remote(num_cpus=1, max_retries=-1)(_elsewhere)
        asked = {task.remote(trial, folder / trial.name): trial for trial in trials}
        while asked:
            (over, *_), _ = ray.wait(list(asked))
            trial = asked.pop(over)
            try:
                files, why = ray.get(over)
            except ray.exceptions.RayError as error:
                yield trial, f"Its worker failed ({type(error).__name__}: {str(error).splitlines()[0][:200]})."
                continue
            place = folder / trial.name
            if why is not None and checkpoints(place / CHECKPOINTS):  # of a sweep without a cluster, perhaps further on
                why = (
                    f"It failed on a node, so that {place}, where the sweep goes on without --ray, is as it was: {why}"
                )
            elif files:
                _put(files, place)
            yield trial, why
    finally:
        ray.shutdown()


def _connected(address: str) -> Any:
    if address == LOCAL:
        os.environ.setdefault(ONLY_HERE, "0")  # read when Ray is imported
    try:
        import ray
    except ImportError as error:
        raise BadInput("Sweeps on a cluster need Ray; install it with pip install 'feint[ray]'.") from error
    try:
        if address == LOCAL:
            ray.init(include_dashboard=False, log_to_driver=False)
        else:
            ray.init(address=address, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
        raise BadInput(
            f"There is no Ray cluster at {address} ({str(error).splitlines()[0][:200]}); start one."
        ) from error
    return ray


def _elsewhere(trial: Trial, place: Path) -> tuple[dict[str, bytes], str | None]:
    """Train a trial on a node: the files of its folder, and why it failed, told of the place where these will be."""
    with tempfile.TemporaryDirectory(prefix="feint-") as temporary:
        folder = Path(temporary) / trial.name
        why = trained(trial, folder)
        made = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
        files = {str(path.relative_to(folder)): path.read_bytes() for path in made if path.name != RUNNING}
    if why is not None:
        why = why.replace(f"--out {folder}", f"--out {shlex.quote(str(place))}").replace(str(folder), str(place))
    return files, why


def _put(files: Mapping[str, bytes], folder: Path) -> None:
    """Write a trial's folder, whole or not at all: beside its place, and then moved there."""
    with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as temporary:
        made = Path(temporary) / folder.name
        for name, data in files.items():
            place = made / name
            if not place.resolve().is_relative_to(made.resolve()):
                raise BadInput(f"A node sent a file called {name!r}, which is outside of its trial's folder.")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        if folder.exists():  # left on the way by a sweep without a cluster
            shutil.rmtree(folder)
        made.rename(folder)
