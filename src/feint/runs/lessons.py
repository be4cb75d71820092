"""Solved situations in a folder: `lessons.json`, what they are, and shards of them, each named by its own hash.

The making can be stopped at any moment and goes on where it was; a shard is drawn from its own seed, so the same folder
comes of it in whatever order and by however many it is made.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from feint.arena.betting import unroll_betting
from feint.games.errors import BadInput
from feint.games.library import load_game
from feint.games.poker import Poker
from feint.runs.files import DAMAGE, sealed, unsealed, write_whole
from feint.search.lookahead import Method
from feint.search.oracle import NEARLY
from feint.search.situations import Situations, drawing_of, drawn

NAME = "lessons.json"
SHARD = re.compile(r"(\d{5})\.([0-9a-f]{64})\.safetensors")


@final
@dataclass(frozen=True)
class Lessons:
    """What situations are in a folder."""

    game: str
    fingerprint: str
    """Of the game's betting."""
    lines: int
    """Pots in each shard; as many situations as that on every board."""
    iterations: int
    """Of discounted CFR, for each."""
    met: float
    """The share of situations that are such as come up in the game; the others are as in DeepStack."""
    seed: int


def make_lessons(
    folder: Path,
    game: str,
    shards: int,
    lines: int = 2048,
    iterations: int = 200,
    met: float = 0.0,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Lessons:
    """Draw and solve situations until a folder holds so many shards; those that it holds already are kept."""
    for name, value, least in (("shards", shards, 1), ("lines", lines, 1), ("iterations", iterations, 1)):
        if value < least:
            raise BadInput(f"Lessons need {name} of {least} or more, but {value} was given.")
    if not 0 <= met <= 1:
        raise BadInput(f"Lessons need a share of pots that are met from 0 to 1, but met={met:g} was given.")
    rules = _poker(game)
    lessons = Lessons(game, unroll_betting(rules).fingerprint, lines, iterations, met, seed)
    method = Method(NEARLY.rule, NEARLY.alternating, iterations)
    if folder.exists() and (before := lessons_in(folder)) != lessons:
        raise BadInput(f"{folder} holds other lessons ({before}); make these in another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / NAME, sealed(asdict(lessons)))
    there, drawing = {number for number, _ in _shards(folder)}, drawing_of(rules, method, lines, met)
    for number in range(shards):
        # Asked again each time: several may be making them at once, and each shard is much work.
        if number not in there and number not in (there := {each for each, _ in _shards(folder)}):
            found = drawn(drawing, jax.random.fold_in(jax.random.key(seed), number))
            data = save({name: np.asarray(part) for name, part in found._asdict().items()})
            write_whole(folder / f"{number:05}.{hashlib.sha256(data).hexdigest()}.safetensors", data)
        if progress:
            progress(number + 1)
    return lessons


def lessons_in(folder: Path) -> Lessons:
    """What a folder holds."""
    try:
        return Lessons(**unsealed(folder / NAME))
    except FileNotFoundError as error:
        raise BadInput(f"{folder} holds no lessons (it has no {NAME}); make them in a new folder.") from error
    except DAMAGE as error:
        raise BadInput(f"{folder} holds damaged lessons ({error}); make them again in another folder.") from error


def load_lessons(folder: Path, game: Poker) -> Situations:
    """All situations in a folder, if they are of this game and all of them are sound."""
    lessons = lessons_in(folder)
    if lessons.fingerprint != unroll_betting(game).fingerprint:
        raise BadInput(f"{folder} holds lessons for {lessons.game}, and not for {game.name}; make some for that.")
    parts = [_read(path, digest) for path, digest in (found for _, found in _shards(folder))]
    if not parts:
        raise BadInput(f"{folder} holds no shard of lessons yet; make some first.")
    return Situations(*map(jnp.concatenate, zip(*parts, strict=True)))


def _read(path: Path, digest: str) -> Situations:
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != digest:
        raise BadInput(f"{path} is damaged (its bytes do not match its name); remove it and make it again.")
    try:
        arrays = load(data)
        return Situations(*(jnp.asarray(arrays[name]) for name in Situations._fields))
    except (SafetensorError, KeyError) as error:
        raise BadInput(f"{path} holds no situations ({error}); remove it and make it again.") from error


def _shards(folder: Path) -> list[tuple[int, tuple[Path, str]]]:
    """The shards in a folder by number: where they are, and their hashes."""
    found = [(int(match[1]), (path, match[2])) for path in folder.iterdir() if (match := SHARD.fullmatch(path.name))]
    return sorted(found)


def _poker(game: str) -> Poker:
    rules = load_game(game)
    if not isinstance(rules, Poker):
        raise BadInput(f"Lessons are for poker games of two rounds, and {game} is none; leduc_no_limit is one.")
    return rules
