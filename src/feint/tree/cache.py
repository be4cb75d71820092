"""Unrolled trees and compiled code on disk: what took long to make is read back at once the next time."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import jax
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from feint.games.game import Game
from feint.games.library import frozen
from feint.tree.tree import Tree

WORTH_COMPILING = 0.1
"""Code that compiles in fewer seconds than this is not kept."""
HERE = Path(__file__).parent
RULES = HERE.parent / "games"
UNROLLED_BY = HERE / "tree.py", HERE / "unroll.py"
"""The code that makes a tree of the rules."""


def cache_folder() -> Path:
    """Where Feint keeps what it can make again."""
    return Path(os.environ.get("FEINT_CACHE") or Path.home() / ".cache" / "feint")


def keep_compiled() -> None:
    """Keep compiled code on disk, unless there is a place for it already: what was run before then starts sooner."""
    folder = cache_folder() / "compiled"
    with suppress(OSError):  # nothing is kept where nothing can be
        folder.mkdir(parents=True, exist_ok=True)
    if jax.config.values["jax_compilation_cache_dir"] is None and os.access(folder, os.W_OK):
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", WORTH_COMPILING)


def tree_file(game: Game[Any]) -> Path | None:
    """Where a game's tree is kept: under a hash of its rules and of all the code that makes them and the tree.

    So an edited game is never mistaken for its past. None for a game with code that is not Feint's: nobody can tell all
    that such code depends on, so it is not kept.
    """
    parts = [value for value in vars(game).values() if callable(value)]
    made_by = {getattr(part, "__module__", None) for part in (*type(game).__mro__, *parts)}
    if not all(str(name).startswith("feint.games.") for name in made_by - {"builtins", "abc", "typing"}):
        return None
    try:
        # All of them: which are imported depends on what was done before, and is no matter of the game.
        sources = [path.read_bytes() for path in (*sorted(RULES.rglob("*.py")), *UNROLLED_BY)]
    except OSError:  # there is no source to tell one from another by
        return None
    key = _digest([game.declaration().encode(), *sources])
    return cache_folder() / "trees" / f"{key}.safetensors"


def write_tree(path: Path, tree: Tree) -> None:
    """Keep the tree if the disk lets us; a cache that cannot be written is no error."""
    fields = {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree) if field.name != "game"}
    arrays = {name: np.ascontiguousarray(value) for name, value in fields.items() if isinstance(value, np.ndarray)}
    words = json.dumps({name: value for name, value in fields.items() if name not in arrays})
    arrays["words"] = np.frombuffer(words.encode(), np.uint8)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:  # which goes with what is cut off in it
            part = Path(folder) / path.name
            part.write_bytes(save(arrays, {"checksum": _checksum(arrays)}))
            part.replace(path)


def read_tree(path: Path, game: Game[Any]) -> Tree | None:
    """The kept tree of a game, or None where there is none that can be trusted."""
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
            sound = file.metadata()["checksum"] == _checksum(arrays)
        words = json.loads(arrays.pop("words").tobytes())
        fields = {key: frozen(value) for key, value in words.items()} | {"game": game}
        return Tree(**arrays, **fields) if sound else None
    except (SafetensorError, OSError, KeyError, TypeError, ValueError):
        return None


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _checksum(arrays: dict[str, np.ndarray]) -> str:
    return _digest(np.ascontiguousarray(arrays[name]).tobytes() for name in sorted(arrays))
