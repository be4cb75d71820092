"""Checkpoints: the whole state of a run, written atomically, named by its own hash, the last few kept.

A checkpoint is one safetensors file called `STEP.SHA256.safetensors`. Nothing in it is ever executed, and a file
whose bytes do not match its name is not loaded.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, final

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from feint.forms.leaves import leaves_of, restored
from feint.games.errors import BadInput

State = TypeVar("State")

KEEP = 3
"""How many checkpoints a run keeps."""
NAME = re.compile(r"(\d+)\.([0-9a-f]{64})\.safetensors")


@final
class Damaged(ValueError):
    """A checkpoint whose bytes do not match its name. The message is a sentence."""


def save_checkpoint(folder: Path, step: int, state: Any, write: Callable[[Path, bytes], None]) -> Path:
    """Write the state and forget all but the last few before it."""
    arrays = {name: np.asarray(leaf) for name, leaf in leaves_of(state).items()}
    data = save(arrays, {"feint": json.dumps({"step": step})})
    path = folder / f"{step}.{hashlib.sha256(data).hexdigest()}.safetensors"
    folder.mkdir(exist_ok=True)
    write(path, data)
    for old in (*(old for _, old in checkpoints(folder)[KEEP:]), *folder.glob("*.part")):  # those were cut off
        old.unlink()
    return path


def load_checkpoint(folder: Path, like: State, warn: Callable[[str], None]) -> tuple[int, State]:
    """The newest sound checkpoint: its step and its state, in the shape of `like`.

    Damaged ones are named through `warn` and passed over. Raises `BadInput` when none is sound.
    """
    found = checkpoints(folder)
    for step, path in found:
        try:
            return step, read_checkpoint(path, like)
        except Damaged:
            warn(f"{path} is damaged (its bytes do not match its name); using the one before it.")
    what = "has no sound checkpoint" if found else "has no checkpoint"
    raise BadInput(f"{folder.parent} {what} to go on from; train without --resume into a new folder.")


def read_checkpoint(path: Path, like: State) -> State:
    """The state in one checkpoint, in the shape of `like`. Raises `Damaged` where its bytes do not match its name."""
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != NAME.fullmatch(path.name)[2]:  # type: ignore[index]
        raise Damaged(f"{path} is damaged (its bytes do not match its name); choose another checkpoint.")
    try:
        return restored(load(data), like)
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise BadInput(
            f"{path} is not a checkpoint of this algorithm on this game, or not of this kind of device ({error}; "
            f"accelerators hold the seats of card games as one); go on where the run was begun, or train anew."
        ) from error


def checkpoints(folder: Path) -> list[tuple[int, Path]]:
    """The checkpoints in a folder, newest first."""
    if not folder.is_dir():
        return []
    found = [(int(match[1]), path) for path in folder.iterdir() if (match := NAME.fullmatch(path.name))]
    return sorted(found, reverse=True)
