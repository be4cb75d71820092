"""The value networks of the reproduction of DeepStack for Leduc: which there are, how they learn, how good they are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from feint.forms.leaves import leaves_of, restored
from feint.games.errors import BadInput
from feint.games.leduc import leduc_no_limit
from feint.games.poker import Poker
from feint.public.judge import judge
from feint.public.play import Tables
from feint.public.tree import PublicTree
from feint.runs.checkpoint import checkpoints, load_checkpoint, save_checkpoint
from feint.runs.files import write_whole
from feint.runs.lessons import load_lessons, make_lessons
from feint.runs.provenance import provenance
from feint.search.bets import Bets
from feint.search.deepstack import Searching
from feint.search.lookahead import Method
from feint.search.resolving import Guesses, Searches, searches_of, written_out
from feint.search.situations import Situations
from feint.search.training import Schedule, Trainer
from feint.search.values import ACTIVATIONS, Activation, Layers, LearnedValues, Values, new_values

GAME = "leduc_no_limit"
APART = "leduc_no_limit(suits=True)"
"""The same game for programs that tell cards of a rank apart, as these networks do."""
BOARDS = 6
UNITS = 50
"""In a hidden layer, as the public program has it; the paper does not say."""
THEIRS = {
    "2 tanh": 18.342666625977,
    "2 relu": 16.371120452881,
    "2 softplus": 16.97642230987,
    "2 prelu": 16.55432336609,
    "4 tanh": 18.174759864807,
    "4 relu": 19.985319137573,
    "4 softplus": 15.709207057953,
    "4 prelu": 17.560428046881,
}
"""Table 3 of the paper, in mbb/h."""
NETWORKS, LEARNING, UNFINISHED = "networks.safetensors", "learning.json", "training"
Tell = Callable[[str], None]


@final
@dataclass(frozen=True)
class Kind:
    """A kind of network."""

    depth: int
    """Hidden layers, by their activations."""
    activation: Activation

    @property
    def name(self) -> str:
        return f"{self.depth} {self.activation}"

    @property
    def parameters(self) -> int:
        sizes = [73, *[UNITS] * self.depth, 72]
        slopes = self.depth if self.activation == "prelu" else 0
        return sum((before + 1) * after for before, after in pairwise(sizes)) + slopes


EIGHT = tuple(Kind(depth, activation) for depth in (2, 4) for activation in ACTIVATIONS)
"""Those of the paper."""
OTHERS = (
    *(Kind(depth, activation) for depth in (1, 3) for activation in ACTIVATIONS),
    Kind(5, "prelu"),
    Kind(7, "prelu"),
)
"""The paper's, if it counts layers as the public program's manual does; that program's own; and DeepStack's."""
KINDS = (*EIGHT, *OTHERS)
DEEPEST = max(kind.depth for kind in KINDS)


@final
@dataclass(frozen=True)
class Size:
    """How large a reproduction is."""

    train: int = 600_000
    test: int = 400_000
    seeds: int = 5
    epochs: int = 60
    iterations: tuple[int, int] = (1000, 4500)
    """Of the search, at each decision: the public program's, and enough for networks to tell."""
    shard: int = 2000
    """Pots in a shard of situations."""
    label_iterations: int = 500
    """Of discounted CFR, for each situation."""


class Learning(NamedTuple):
    """What is kept of how networks learned."""

    test_loss: Float[np.ndarray, "e n"]
    """After each epoch."""
    where: str


def of_seed(values: Values, seed: int) -> Values:
    """A seed's networks among all, in the order of `KINDS`, stacked."""
    part: Values = jax.tree.map(lambda leaf: leaf[seed * len(KINDS) : (seed + 1) * len(KINDS)], values)
    return part


def learned(out: Path, size: Size, tell: Tell) -> Values:
    """The networks, trained or read back, stacked: those of a seed next to each other."""
    start = [new for seed in range(size.seeds) for new in _new(seed)]
    stacked: Values = jax.tree.map(lambda *each: jnp.stack(each), *start)
    weights = eqx.filter(stacked, eqx.is_inexact_array)
    if not (out / NETWORKS).is_file():
        stacked, losses = trained(out, size, start, tell)
        weights = eqx.filter(stacked, eqx.is_inexact_array)
        rounded = [[round(float(loss), 7) for loss in epoch] for epoch in losses]
        told = {"where": ", ".join(provenance()), "test_loss": rounded}
        write_whole(out / LEARNING, (json.dumps(told) + "\n").encode())
        write_whole(out / NETWORKS, save({name: np.asarray(leaf) for name, leaf in leaves_of(weights).items()}))
        shutil.rmtree(out / UNFINISHED, ignore_errors=True)
    try:
        kept = restored(load_file(out / NETWORKS), weights)
        learning_in(out)
    except (SafetensorError, KeyError, ValueError, FileNotFoundError) as error:
        raise BadInput(
            f"{out} keeps no sound networks of this reproduction ({error}); remove its {NETWORKS} to train them again, "
            f"or choose another folder with --out."
        ) from error
    networks: Values = eqx.combine(kept, stacked)
    return networks


def learning_in(out: Path) -> Learning:
    """What a folder keeps of how its networks learned."""
    told = json.loads((out / LEARNING).read_text())
    return Learning(np.array(told["test_loss"]), told["where"])


def trained(out: Path, size: Size, start: list[Values], tell: Tell) -> tuple[Values, Float[np.ndarray, "e n"]]:
    """Networks as they were when they were best, stacked, and their losses in tests after each epoch.

    All is kept after each epoch: what was cut off goes on with the next one, and comes to the same.
    """
    lessons, tests = situations(out, size, "train", tell), situations(out, size, "test", tell)
    seeds, schedule = (
        [seed for seed in range(size.seeds) for _ in KINDS],
        Schedule(size.epochs, min(100, len(lessons.paid))),
    )
    trainer = Trainer(start, seeds, lessons, tests, schedule)
    begun, losses = 0, np.zeros((size.epochs, len(start)))
    if checkpoints(out / UNFINISHED):
        begun, (told, trainer.state) = load_checkpoint(out / UNFINISHED, (losses, trainer.state), tell)
        losses = np.array(told)
    for number in range(begun + 1, size.epochs + 1):
        losses[number - 1] = trainer.epoch(number).test
        middle = np.median(losses[number - 1])
        save_checkpoint(out / UNFINISHED, number, (losses, trainer.state), write_whole)
        tell(f"{len(start)} networks, epoch {number} of {size.epochs}: Huber loss {middle:.2g}")
    return jax.tree.map(lambda *each: jnp.stack(each), *trainer.best), losses


def situations(out: Path, size: Size, part: Literal["train", "test"], tell: Tell) -> Situations:
    """What networks learn from or are tested on, made or read back: drawn as in DeepStack."""
    count, seed = (size.train, 0) if part == "train" else (size.test, 1)
    folder, shards = out / "lessons" / part, -(-count // (BOARDS * size.shard))
    told = partial(_made, tell, part, shards)
    make_lessons(folder, GAME, shards, size.shard, size.label_iterations, seed=seed, progress=told)
    found: Situations = jax.tree.map(lambda each: each[:count], load_lessons(folder, leduc_no_limit()))
    return found


def _made(tell: Tell, name: str, shards: int, made: int) -> None:
    tell(f"situations to {name} on: {made} of {shards} shards")


def _new(seed: int) -> list[Values]:
    keys = jax.random.split(jax.random.key(seed), len(KINDS))
    shapes = (Layers((UNITS,) * kind.depth, kind.activation) for kind in KINDS)
    game = leduc_no_limit()
    return [new_values(game, shape, "buckets", key, DEEPEST) for shape, key in zip(shapes, keys, strict=True)]


def exploitability(guesses: Guesses, searching: Searching, game: Poker | None = None, bets: Bets = None) -> float:
    """Of a player who searches so, and considers these bets, in chips per hand: exact."""
    searches = searches_of(game or leduc_no_limit(suits=True), bets)
    return float(_judged(searches.tree, written(searches, searching.method, guesses)))


def exploitabilities(networks: Values, searching: Searching) -> list[float]:
    """The same for players with each of some networks, all at once."""
    searches = searches_of(leduc_no_limit(suits=True))
    return list(map(float, _judged_all(searches, searching.method, networks)))


@eqx.filter_jit
def written(searches: Searches, method: Method, guesses: Guesses) -> Tables:
    """What such a player does in the whole game. This takes long to compile: whoever needs it calls this."""
    return written_out(searches, method, guesses)


@eqx.filter_jit
def _judged(tree: PublicTree, tables: Tables) -> Float[Array, ""]:
    return judge(tree, tables).nash_conv / 2


@eqx.filter_jit
def _judged_all(searches: Searches, method: Method, networks: Values) -> Float[Array, " n"]:
    def one(values: Values) -> Float[Array, ""]:
        return _judged(searches.tree, written_out(searches, method, partial(LearnedValues.on, values)))

    found: Float[Array, " n"] = eqx.filter_vmap(one)(networks)
    return found


def state_errors(networks: Values, out: Path, size: Size) -> list[float]:
    """How far what networks say a public state is worth to the first player is from the truth: the mean, in chips.

    The paper's other reading of exploitability.
    """
    tests = situations(out, size, "test", lambda words: None)

    @eqx.filter_jit
    def one(values: Values) -> Float[Array, ""]:
        said = values(tests.board, tests.paid, tests.ranges)
        wrong = ((said - tests.values)[:, 0] * tests.ranges[:, 0]).sum(1) * tests.paid
        return jnp.abs(wrong).mean()

    # One by one: all of them at once would take gigabytes.
    count = len(networks.network.activations)
    return [float(one(jax.tree.map(lambda leaf, at=at: leaf[at], networks))) for at in range(count)]


def by_kind(numbers: Sequence[float], seeds: int) -> Float[np.ndarray, "s k"]:
    """Numbers of all networks by seed and kind."""
    return np.asarray(numbers).reshape(seeds, len(KINDS))
