"""Unrolled trees on disk: a game that took long to unroll is read back at once the next time."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from feint.games.game import Game
from feint.games.library import load_game
from feint.tree import tree as tree_module
from feint.tree import unroll as unroll_module
from feint.tree.tree import Tree
from feint.tree.unroll import NODE_LIMIT, walk

WORTH_KEEPING = 1.0
"""Trees that unroll in fewer seconds than this are not kept."""


def unroll(
    game: Game[Any] | str, limit: int = NODE_LIMIT, cache: bool = True, report: Callable[[int], None] | None = None
) -> Tree:
    """Every node and information set of a game as arrays.

    `game` may be a name that `load_game` takes. Games of more than `limit` nodes are refused. Trees that take over
    a second are kept on disk under the hash of their rules, in the folder named by FEINT_CACHE (`~/.cache/feint`
    if it is unset); `cache=False` neither reads nor writes there. `report` is told the
    number of nodes every so often.
    """
    game = load_game(game) if isinstance(game, str) else game
    path = cache_folder() / "trees" / f"{_key(game)}.safetensors"
    if cache and (kept := _read(path, game.name)) is not None and kept.nodes <= limit:
        return kept
    start = time.monotonic()
    tree = walk(game, limit, report)
    if cache and time.monotonic() - start > WORTH_KEEPING:
        _write(path, tree)
    return tree


def cache_folder() -> Path:
    """Where Feint keeps what it can make again."""
    return Path(os.environ.get("FEINT_CACHE") or Path.home() / ".cache" / "feint")


def _key(game: Game[Any]) -> str:
    """A hash of the rules and of the code that reads them, so that an edited game is never mistaken for its past."""
    modules = {kind.__module__ for kind in type(game).__mro__} | {tree_module.__name__, unroll_module.__name__}
    sources = []
    for name in sorted(modules - {"builtins", "abc", "typing"}):
        try:
            sources.append(inspect.getsource(sys.modules[name]))
        except (OSError, TypeError):
            sources.append(f"no source for {name}: {time.time_ns()}")
    return hashlib.sha256("\0".join([game.rules(), *sources]).encode()).hexdigest()


def _write(path: Path, tree: Tree) -> None:
    """Keep the tree if the disk lets us; a cache that cannot be written is no error."""
    fields = {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}
    arrays = {name: np.ascontiguousarray(value) for name, value in fields.items() if isinstance(value, np.ndarray)}
    words = {name: value for name, value in fields.items() if not isinstance(value, np.ndarray)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(save(arrays, {"words": json.dumps(words)}))
        Path(file.name).replace(path)
    except OSError:
        return


def _read(path: Path, name: str) -> Tree | None:
    """The kept tree, or None where there is none that can be read."""
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            words = json.loads(file.metadata()["words"])
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, KeyError, ValueError):
        return None
    words |= {"name": name, "actions": tuple(words["actions"]), "labels": tuple(words["labels"])}
    return Tree(**arrays, **words)
