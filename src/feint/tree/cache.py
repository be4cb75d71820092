"""Unrolled trees and compiled code on disk: what took long to make is read back at once the next time."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import jax
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
WORTH_COMPILING = 0.1
"""Nor is code that compiles in fewer than this."""


def unroll(
    game: Game[Any] | str, limit: int = NODE_LIMIT, cache: bool = True, report: Callable[[int], None] | None = None
) -> Tree:
    """Every node and information set of a game as arrays.

    `game` may be a name that `load_game` takes. Games of more than `limit` nodes are refused. Trees that take over a
    second are kept on disk under the hash of their rules, unless those have code that is not Feint's, in the folder
    named by FEINT_CACHE (`~/.cache/feint` if it is unset); `cache=False` neither reads nor writes there. `report` is
    told the number of nodes every so often.
    """
    game = load_game(game) if isinstance(game, str) else game
    key = _key(game) if cache else None
    path = cache_folder() / "trees" / f"{key}.safetensors"
    if key and (kept := _read(path, game.name)) is not None and kept.nodes <= limit:
        return kept
    start = time.monotonic()
    tree = walk(game, limit, report)
    if key and time.monotonic() - start > WORTH_KEEPING:
        _write(path, tree)
    return tree


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


def _key(game: Game[Any]) -> str | None:
    """A hash of the rules and of all the code that makes them, so that an edited game is never mistaken for its past.

    None for a game with code that is not Feint's: nobody can tell all that such code depends on, so it is not kept.
    """
    ours = {name for name in sys.modules if name.startswith("feint.games.")}
    parts = [value for value in vars(game).values() if callable(value)]
    made_by = {getattr(part, "__module__", None) for part in (*type(game).__mro__, *parts)}
    if not made_by <= {*ours, "builtins", "abc", "typing"}:
        return None
    try:
        modules = sorted({*ours, tree_module.__name__, unroll_module.__name__})
        sources = [inspect.getsource(sys.modules[name]) for name in modules]
    except OSError:  # there is no source to tell one from another by
        return None
    return _digest([game.rules().encode(), *(source.encode() for source in sources)])


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _checksum(arrays: dict[str, np.ndarray]) -> str:
    return _digest(np.ascontiguousarray(arrays[name]).tobytes() for name in sorted(arrays))


def _write(path: Path, tree: Tree) -> None:
    """Keep the tree if the disk lets us; a cache that cannot be written is no error."""
    fields = {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}
    arrays = {name: np.ascontiguousarray(value) for name, value in fields.items() if isinstance(value, np.ndarray)}
    words = {name: value for name, value in fields.items() if not isinstance(value, np.ndarray)}
    about = {"words": json.dumps({"checksum": _checksum(arrays), "fields": words})}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(save(arrays, about))
        Path(file.name).replace(path)
    except OSError:
        return


def _read(path: Path, name: str) -> Tree | None:
    """The kept tree, or None where there is none that can be trusted."""
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            words = json.loads(file.metadata()["words"])
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        fields = words["fields"] | {"name": name}
        fields |= {key: tuple(fields[key]) for key in ("actions", "labels")}
        return Tree(**arrays, **fields) if words["checksum"] == _checksum(arrays) else None
    except (SafetensorError, OSError, KeyError, TypeError, ValueError):
        return None
