"""The files of a run: what they are called, and how they are written and read.

config.json          what was asked for, in full
metrics.jsonl        one line for each evaluation; the truth, and the same whenever the run is repeated
timings.jsonl        how long it took to reach each of those, and each checkpoint
strategy.safetensors the strategy at the end
README.md            a model card
provenance.json      the machine and the programs that made it; there only while the run is finished
bound.json           what is known of the exploitability of a strategy too large to judge exactly, if anything
curve.png            the picture
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from feint.games.errors import BadInput

CONFIG, METRICS, TIMINGS = "config.json", "metrics.jsonl", "timings.jsonl"
STRATEGY, CARD, PROVENANCE, BOUND = "strategy.safetensors", "README.md", "provenance.json", "bound.json"
CHECKPOINTS, EVENTS = "checkpoints", "tensorboard"

Row = dict[str, Any]


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


def rows_of(path: Path) -> list[Row]:
    """A file's whole lines; one that was cut off while being written does not count."""
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


def digest_of(path: Path) -> str:
    """SHA-256 of the strategy in a run's folder."""
    return hashlib.sha256((path / STRATEGY).read_bytes()).hexdigest()


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
