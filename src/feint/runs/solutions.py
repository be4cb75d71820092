"""Solved spots in a file: the spot, how good its solution is, and how often every move is made.

One safetensors file, with the spot as JSON and a digest of the whole. Of each decision all moves but the last are kept,
which is what is left of 1, with the hands that come.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Int
from safetensors import safe_open
from safetensors.numpy import save

from feint.games.errors import BadInput
from feint.games.postflop import Spot
from feint.public.judge import Judgement
from feint.public.play import Moves, normalised
from feint.public.tree import PublicTree, Round
from feint.runs.files import DAMAGE, write_whole
from feint.solvers.spot_trees import spot_tree
from feint.solvers.spots import Solution

SUFFIX = ".safetensors"

Arrays = dict[str, np.ndarray]


def save_solution(solution: Solution, path: Path) -> None:
    """Keep a solution, all of it or nothing."""
    arrays, hands = Arrays(), _hands(solution.tree)
    for number, (stage, pages) in enumerate(zip(solution.tree.rounds, solution.tables, strict=True)):
        for decision, weights in enumerate(pages):
            for move, chance in enumerate(normalised(weights)[:-1]):
                arrays[f"{number}.{decision}.{move}"] = np.asarray(chance[: _boards(stage), :, hands], np.float32)
    words = {
        "spot": solution.spot.words(),
        "layout": _layout(solution.tree),
        "values": np.asarray(solution.judgement.values).tolist(),
        "best": np.asarray(solution.judgement.best).tolist(),
        "steps": solution.steps,
        "seconds": solution.seconds,
    }
    text = json.dumps(words)
    try:
        write_whole(path, save(arrays, {"feint": text, "sha256": _digest(text, arrays)}))
    except OSError as error:
        raise BadInput(f"{path} cannot be written ({error.strerror}); choose another file with --save.") from error


def load_solution(path: Path) -> Solution:
    """A solution as it was kept, without solving again."""
    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            text, digest = file.metadata()["feint"], file.metadata()["sha256"]
        if digest != _digest(text, arrays):
            raise ValueError("its digest does not fit")
        words = json.loads(text)
        spot = Spot.read(words["spot"])
        tree = spot_tree(spot)
        if words["layout"] != _layout(tree):
            raise BadInput(f"{path} was kept by another version of Feint; solve the spot again with --save.")
        judgement = Judgement(jnp.asarray(words["values"]), jnp.asarray(words["best"]))
        tables = tuple(
            tuple(_moves(arrays, tree, number, decision, moves) for decision, moves in enumerate(stage.moves))
            for number, stage in enumerate(tree.rounds)
        )
        return Solution(spot, tree, tables, judgement, words["steps"], words["seconds"])
    except BadInput:
        raise
    except DAMAGE as error:
        why = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise BadInput(f"{path} holds no solved spot, or a damaged one ({why[:200]}); solve it with --save.") from error


def _boards(stage: Round) -> int:
    """How many boards there are, less those that only fill up pieces."""
    return int((np.asarray(stage.weight) > 0).sum())


def _hands(tree: PublicTree) -> Int[np.ndarray, " h"]:
    """The hands that come, less those that only fill up."""
    return np.flatnonzero((np.asarray(tree.ranges) > 0).any(0))


def _moves(arrays: Arrays, tree: PublicTree, number: int, decision: int, moves: int) -> Moves:
    """How often each move is made at a decision."""
    stage = tree.rounds[number]
    rows = np.minimum(np.arange(stage.boards), _boards(stage) - 1)
    told = []
    for move in range(moves - 1):
        chance = np.asarray(stage.zeros(decision)[move]).copy()
        chance[..., _hands(tree)] = arrays[f"{number}.{decision}.{move}"][rows]
        told.append(chance)
    last = np.maximum(1 - sum(told), 0) if told else np.asarray(stage.zeros(decision)[0]) + 1
    return tuple(jnp.asarray(move) for move in (*told, last))


def _layout(tree: PublicTree) -> str:
    """A digest of what rows of tables stand for."""
    digest = hashlib.sha256(tree.betting.fingerprint.encode())
    nodes = [decision.nodes for stage in tree.rounds for decision in stage.betting.decisions]
    boards = [np.asarray(stage.cards[: _boards(stage)]) for stage in tree.rounds]
    for array in (np.asarray(tree.held)[_hands(tree)], *nodes, *boards):
        digest.update(np.ascontiguousarray(array, np.int64).tobytes())
    return digest.hexdigest()


def _digest(text: str, arrays: dict[str, Any]) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        digest.update(name.encode() + repr(arrays[name].shape).encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()
