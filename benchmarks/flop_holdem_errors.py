"""How wrong the values of NFSP's best responses are, and what becomes of fictitious play with values as wrong as these.

    python benchmarks/flop_holdem_errors.py --game "flop_holdem(ranks=4)" --seconds 1000

NFSP is trained, and from half the time on its values are compared with exact ones at every decision of the public tree:
what moves are worth against what the other plays now, its average and its best response mixed as in hands. An error is
what a value is wrong by, less the mean of all moves (which decides nothing), in big blinds; `normal` is how far apart
independent errors of each move would have to lie to be as large, the measure of flop_holdem_fictitious.py's --noise.
All means are over decisions as often as they come in play.

Then exact fictitious play begins anew, with responses that choose by values with errors: those that were seen (one look
drawn for each response: `seen`), what all looks have in common (`lasting`), what is left without that (`drifting`), or
independent ones for each hand and move, as large as those seen there (`apart`) or everywhere the same (`even`). One
line of JSON for a look. For an accelerator, or a few cores with a short deck.
"""

from __future__ import annotations

import argparse
import ast
import json
import time
from collections.abc import Callable
from functools import reduce
from itertools import chain
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from feint.forms.library import form_of
from feint.learners.nfsp import ALGORITHMS
from feint.learners.seat import Learned
from feint.learners.self_play import SelfPlay
from feint.public.judge import Kept, judge
from feint.public.play import Moves, Tables, Written, mean
from feint.public.policy import written_down
from feint.public.sweep import Book, Page, Reach, run
from feint.public.tree import PublicTree
from feint.runs.provenance import provenance
from feint.solvers.public_cfr import merged, pages_of
from flop_holdem_fictitious import Adding, liked, nothing
from flop_holdem_nfsp import changed

FEW_CORES = "{'tables': 2048, 'batch': 1024, 'average.capacity': 4_000_000}"

Often = tuple[tuple[Float[Array, "b l h"], ...], ...]
"""How often each decision comes, by round and decision."""


class Told(eqx.Module):
    """What is said of a decision's moves, in chips, on a page that knows its round."""

    number: int = eqx.field(static=True)
    moves: Moves


class Found(eqx.Module):
    """Errors of what was said, and how often hands come to where it was said."""

    errors: Moves
    often: Float[Array, "b l h"]


@final
class Judging(Kept):
    """What is said of moves is held against what they are worth to a best response."""

    tree: PublicTree

    def settle(self, page: Told, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        met = self.tree.rounds[page.number].removal(reach.theirs)
        comes = met > 1e-9 * met.max()
        wrong = [said - value / jnp.where(comes, met, 1.0) for said, value in zip(page.moves, values, strict=True)]
        common = sum(wrong[1:], wrong[0]) / len(wrong)
        errors = tuple(jnp.where(comes, each - common, 0.0) for each in wrong)
        return reduce(jnp.maximum, values), Found(errors, jnp.where(comes, reach.mine * met, 0.0))


@final
class Misled(Kept):
    """A best response, written down, by values that are wrong by what the pages say."""

    tree: PublicTree

    def mine(self, number: int, decision: int, first: Int[Array, ""], boards: int, page: Told) -> None:
        return None

    def settle(self, page: Told, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        met = self.tree.rounds[page.number].removal(reach.theirs)
        seen = (value + (wrong * met).astype(value.dtype) for value, wrong in zip(values, page.moves, strict=True))
        chosen = liked(tuple(seen))
        return mean(chosen, values), chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="flop_holdem")
    parser.add_argument("--preset", default="flop")
    parser.add_argument("--changes", default=FEW_CORES, help="settings by dotted names, as a Python dictionary")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=300, help="steps between looks")
    parser.add_argument("--steps", default="100,200,400", help="responses of fictitious play")
    asked = parser.parse_args()
    form, config = form_of(asked.game), ALGORITHMS["nfsp"].presets[asked.preset]
    for place, value in ast.literal_eval(asked.changes).items():
        config = changed(config, place.split("."), value)
    row = {"game": asked.game, "seed": asked.seed, "made_with": list(provenance())}
    looks, often = _trained(row, form, config.on(form), asked)
    for name, errors in _kinds(form.public(), looks, often).items():
        _fictitious(row | {"errors": name}, form, errors, [int(step) for step in asked.steps.split(",")])


def _trained(
    row: dict[str, Any], form: Any, learner: SelfPlay, asked: argparse.Namespace
) -> tuple[list[Tables], Often]:
    """NFSP, told of as it learns: the errors of its values at each look, and how often decisions come at last."""
    tree, state, running = form.public(), eqx.filter_jit(learner.init)(jax.random.key(asked.seed)), 0.0
    compiled: Any = eqx.filter_jit(_forward, donate="all-except-first")
    forward = compiled.lower(learner, state, jnp.asarray(1)).compile()
    looks, often = list[Tables](), ()
    while running < asked.seconds:
        started = time.perf_counter()
        state = jax.block_until_ready(forward(learner, state, jnp.asarray(asked.every)))
        running += time.perf_counter() - started
        if running < asked.seconds / 2:
            continue
        errors, often, lost = _look(learner, tree, state, form.largest)
        told = {"seconds": round(running, 1), "steps": int(state.step), "hands": int(state.hands)}
        told |= {"exploitability": round(float(lost) / 2 * 1000 / form.big_blind, 2)}
        told |= {"normal": [round(size(*part) / form.big_blind, 3) for part in zip(errors, often, strict=True)]}
        if looks:
            told |= {
                "as_last": round(alike(errors, looks[-1], often), 3),
                "as_first": round(alike(errors, looks[0], often), 3),
            }
        looks.append(errors)
        print(json.dumps(row | told), flush=True)
    return looks, often


def _forward(learner: SelfPlay, state: Any, steps: Array) -> Any:
    return jax.lax.fori_loop(0, steps, lambda _, state: learner.step(state)[0], state)


@eqx.filter_jit
def _look(learner: SelfPlay, tree: PublicTree, state: Any, largest: float) -> tuple[Tables, Often, Array]:
    """Errors of values at every decision, in chips; how often it comes; NashConv of the average."""
    average = written_down(tree, learner.policy(state))
    networks = tuple(seat.values.network for seat in learner.seats(state))
    greedy = written_down(tree, Learned(learner.learners, networks, True, learner.call))
    # Values written down as chances are known up to a constant, which decides nothing.
    chances = written_down(tree, Learned(learner.learners, networks, False, learner.call))
    scale = learner.settings.values.reward_scale or 1 / largest
    said = _told(jax.tree.map(lambda chance: jnp.log(chance) / scale, chances))
    meant, share, found = nothing(tree), learner.settings.anticipation, said
    for player in (0, 1):
        for play, weight in ((average, 1 - share), (greedy, share)):
            adding = Adding(player, Written(play), jnp.asarray(weight))
            meant = merged(meant, run(tree, adding, pages_of(tree, player, meant))[1])
    for player in (0, 1):
        sweep = Judging(player, Written(meant), tree)
        found = merged(found, run(tree, sweep, pages_of(tree, player, said))[1])
    errors = tuple(tuple(page.errors for page in pages) for pages in found)
    often, weight = [], 1 / tree.deals[None]
    for stage, pages in zip(tree.rounds, found, strict=True):
        weight = weight[stage.before] * stage.weight
        often.append(tuple(page.often * weight[:, None, None] for page in pages))
    return errors, tuple(often), judge(tree, average).nash_conv


def _told(tables: Tables) -> Book:
    return tuple(tuple(Told(number, moves) for moves in stage) for number, stage in enumerate(tables))


def products(one: Tables, other: Tables, often: Often) -> float:
    """The mean product of errors, each move's as if the others' were independent."""
    total = came = 0.0
    for mine, theirs, comes in zip(chain(*one), chain(*other), chain(*often), strict=True):
        total += sum(float((comes * a * b).sum()) for a, b in zip(mine, theirs, strict=True)) / (len(mine) - 1)
        came += float(comes.sum())
    return total / came


def size(errors: tuple[Moves, ...], often: tuple[Float[Array, "b l h"], ...]) -> float:
    """The standard deviation of independent errors as large as those of a round."""
    return products((errors,), (errors,), (often,)) ** 0.5


def alike(one: Tables, other: Tables, often: Often) -> float:
    """How errors of two looks go together: 1 if they are the same, 0 if they have nothing in common."""
    own, others = products(one, one, often), products(other, other, often)
    return products(one, other, often) / (own * others) ** 0.5


def _kinds(tree: PublicTree, looks: list[Tables], often: Often) -> dict[str, Callable[[PRNGKeyArray], Tables]]:
    """Ways for a response's values to be wrong."""
    seen = jax.tree.map(lambda *each: jnp.stack(each), *looks)
    common = jax.tree.map(lambda each: each.mean(0), seen)
    spread = jax.tree.map(lambda each: jnp.sqrt((each**2).mean(0)), seen)
    normal = (sum(products(look, look, often) for look in looks) / len(looks)) ** 0.5

    def one(key: PRNGKeyArray) -> Tables:
        number = jax.random.randint(key, (), 0, len(looks))
        return jax.tree.map(lambda each: each[number], seen)

    def deviates(key: PRNGKeyArray, sizes: Tables) -> Tables:
        leaves, shape = jax.tree.flatten(sizes)
        keys = jax.random.split(key, len(leaves))
        return jax.tree.unflatten(
            shape,
            [leaf * jax.random.normal(key, leaf.shape, leaf.dtype) for key, leaf in zip(keys, leaves, strict=True)],
        )

    return {
        "none": lambda key: jax.tree.map(jnp.zeros_like, common),
        "seen": one,
        "lasting": lambda key: common,
        "drifting": lambda key: jax.tree.map(jnp.subtract, one(key), common),
        "apart": lambda key: deviates(key, spread),
        f"even, {normal:.3g} chips": lambda key: deviates(
            key, jax.tree.map(lambda each: jnp.full_like(each, normal), common)
        ),
    }


def _fictitious(row: dict[str, Any], form: Any, errors: Callable[[PRNGKeyArray], Tables], steps: list[int]) -> None:
    """Fictitious play whose responses choose by values with errors; step t counts t times in the average."""
    tree = form.public()

    @eqx.filter_jit
    def forward(tree: PublicTree, book: Tables, done: Array, until: Array) -> Tables:
        def step(number: Array, book: Tables) -> Tables:
            wrong, after = _told(errors(jax.random.fold_in(jax.random.key(0), number))), book
            for player in (0, 1):
                mine = pages_of(tree, player, book)
                misled = Misled(player, Written(book), tree)
                response = merged(book, run(tree, misled, pages_of(tree, player, wrong))[1])
                after = merged(after, run(tree, Adding(player, Written(response), number + 1.0), mine)[1])
            return after

        return jax.lax.fori_loop(done, until, step, book)

    book, done, look = nothing(tree), 0, eqx.filter_jit(judge)
    for until in steps:
        book, done = forward(tree, book, jnp.asarray(done), jnp.asarray(until)), until
        lost = float(look(tree, book).nash_conv) / 2 * 1000 / form.big_blind
        print(json.dumps(row | {"responses": until, "exploitability": round(lost, 2)}), flush=True)


if __name__ == "__main__":
    main()
