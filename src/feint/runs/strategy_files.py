"""Strategies of unrolled games in files of their own, with what their numbers mean: to keep, send, and read elsewhere.

.csv          a row for each information set: its number, whose it is, what that player sees, and a column for each move
.json         the same as a list, with the game and its fingerprint
.npz          NumPy's arrays: probabilities[information set, move], legal, player, labels, moves, game, fingerprint
.safetensors  probabilities alone, with the game and its fingerprint

Players count from 1 where people read and from 0 in arrays. All of them can be read back; games too large to unroll are
kept as whole runs instead.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import ArrayLike, Float
from safetensors import safe_open
from safetensors.numpy import save

from feint.forms.library import form_of
from feint.forms.strategy import Strategy, TabularStrategy, tabulate
from feint.games.errors import BadInput, nearest
from feint.games.game import Game
from feint.runs.files import DAMAGE, write_whole
from feint.tree.tree import Tree

Table = Float[np.ndarray, "i a"]
NUMBER, PLAYER, SEES = "information_set", "player", "sees"
"""The columns before those of the moves."""


def save_strategy(strategy: Strategy | ArrayLike, game: Game[Any] | str, path: Path | str) -> Path:
    """Write a strategy, or a table of one, to a file; how, its name's ending says: .csv, .json, .npz, .safetensors."""
    path = Path(path)
    write = _of_kind(path, WRITERS)
    tree = form_of(game).whole(f"A strategy in a {path.suffix} file")
    data = write(tree, tabulate(tree, strategy))
    try:
        write_whole(path, data)
    except OSError as error:
        raise BadInput(f"{path} cannot be written ({error.strerror}); choose another file.") from error
    return path


def load_strategy(path: Path | str, game: Game[Any] | str | None = None) -> TabularStrategy:
    """A strategy as it was written to a file, for the game that the file names or for the one given.

    Rules of one's own are a program and never start because a file names them: give the `game` then.
    """
    path = Path(path)
    read = _of_kind(path, READERS)
    if not path.is_file():
        raise BadInput(f"There is no file {path} to read a strategy from; check the path.")
    try:
        words, table = read(path)
        name = words.get("game")
        if game is None and (name is None or ".py:" in name):
            raise BadInput(f"{path} does not say by which rules it is, or they are your own; give the game, too.")
        tree = form_of(name if game is None else game).whole("A strategy in a file")
        if words.get("fingerprint", tree.fingerprint) != tree.fingerprint:
            raise BadInput(f"{path} is for {name} with other rules than {tree.name} has; give the game that it is for.")
        if "labels" in words and tuple(words["labels"]) != tree.labels:
            raise BadInput(f"{path} has other situations than {tree.name}; give the game that it is for.")
        if "moves" in words and tuple(words["moves"]) != tree.actions:
            raise BadInput(f"{path} has the moves {', '.join(words['moves'])}, not those of {tree.name}.")
        return TabularStrategy(tree.fingerprint, tabulate(tree, table))
    except BadInput:
        raise
    except DAMAGE as error:
        why = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise BadInput(f"{path} holds no strategy, or a damaged one ({why[:200]}); write it again.") from error


def _of_kind(path: Path, known: dict[str, Any]) -> Any:
    if path.suffix not in known:
        raise BadInput(f"{path.name!r} does not end in how a strategy is written; {nearest(path.suffix, known)}")
    return known[path.suffix]


def _words(tree: Tree) -> dict[str, Any]:
    return {"game": tree.name, "fingerprint": tree.fingerprint, "moves": list(tree.actions)}


def _as_csv(tree: Tree, table: Table) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([NUMBER, PLAYER, SEES, *tree.actions])
    for row, seen in enumerate(tree.infosets):
        told = zip(tree.legal[row], table[row].tolist(), strict=True)
        rows.writerow([row, seen.player + 1, seen.label, *(chance if legal else "" for legal, chance in told)])
    return text.getvalue().encode()


def _from_csv(path: Path) -> tuple[dict[str, Any], Table]:
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    if head[:3] != [NUMBER, PLAYER, SEES] or [int(row[0]) for row in rows] != list(range(len(rows))):
        raise ValueError(f"its columns are not {NUMBER}, {PLAYER}, {SEES} and the moves, row by row")
    table = np.array([[float(cell or 0) for cell in row[3:]] for row in rows])
    return {"labels": [row[2] for row in rows], "moves": head[3:]}, table


def _as_json(tree: Tree, table: Table) -> bytes:
    told = [
        {
            PLAYER: seen.player + 1,
            SEES: seen.label,
            "moves": {word: float(table[row, column]) for word, column in tree.offered(row).items()},
            "row": table[row].tolist(),
        }
        for row, seen in enumerate(tree.infosets)
    ]
    return (json.dumps(_words(tree) | {"strategy": told}, indent=1) + "\n").encode()


def _from_json(path: Path) -> tuple[dict[str, Any], Table]:
    words = json.loads(path.read_text())
    told = words.pop("strategy")
    return words | {"labels": [each[SEES] for each in told]}, np.array([each["row"] for each in told], float)


def _as_npz(tree: Tree, table: Table) -> bytes:
    data = io.BytesIO()
    np.savez_compressed(
        data,
        probabilities=table,
        legal=tree.legal,
        player=tree.player,
        labels=np.array(tree.labels),
        moves=np.array(tree.actions),
        game=np.array(tree.name),
        fingerprint=np.array(tree.fingerprint),
    )
    return data.getvalue()


def _from_npz(path: Path) -> tuple[dict[str, Any], Table]:
    with np.load(path, allow_pickle=False) as file:
        words = {"game": str(file["game"]), "fingerprint": str(file["fingerprint"])}
        lists = {name: [str(each) for each in file[name]] for name in ("moves", "labels")}
        return words | lists, np.asarray(file["probabilities"], float)


def _as_safetensors(tree: Tree, table: Table) -> bytes:
    return bytes(save({"probabilities": table}, {"feint": json.dumps(_words(tree))}))


def _from_safetensors(path: Path) -> tuple[dict[str, Any], Table]:
    with safe_open(path, framework="numpy") as file:
        return json.loads(file.metadata()["feint"]), np.asarray(file.get_tensor("probabilities"), float)


WRITERS: dict[str, Callable[[Tree, Table], bytes]] = {
    ".csv": _as_csv,
    ".json": _as_json,
    ".npz": _as_npz,
    ".safetensors": _as_safetensors,
}
READERS: dict[str, Callable[[Path], tuple[dict[str, Any], Table]]] = {
    ".csv": _from_csv,
    ".json": _from_json,
    ".npz": _from_npz,
    ".safetensors": _from_safetensors,
}
