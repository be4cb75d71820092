"""Fictitious play with exact best responses on a public tree: what NFSP would do if its responses missed nothing.

python benchmarks/flop_holdem_fictitious.py [GAME] [--growth 0,1] [--noise 0] [--steps 10,30,100,300,1000]: one line of
JSON for each number of steps: exploitability of the average in thousandths of a big blind. Step t counts t^growth times
in it. Both players respond at once, each to the other's average, as in NFSP. With noise, responses choose by values
that are wrong by so many big blinds (a normal deviate for every move of every hand, drawn anew for each response): what
values that are learned from luck would do.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import reduce
from itertools import product
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from feint.games.library import load_game
from feint.public.build import build_public_tree
from feint.public.judge import Kept, judge
from feint.public.play import Moves, Tables, Written, mean
from feint.public.sweep import Page, Reach, run
from feint.public.tree import PublicTree
from feint.solvers.public_cfr import merged, pages_of


@final
class Responding(Kept):
    """A best response, written down, by values that may be wrong."""

    noise: float | Float[Array, ""] = 0.0
    """The standard deviation of errors, in chips."""
    key: PRNGKeyArray | None = None
    """What they are drawn by; none for no errors."""

    def mine(self, number: int, decision: int, first: Int[Array, ""], boards: int, page: Page) -> None:
        return None

    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        seen = values if self.key is None else self._mistaken(reach, values)
        chosen = liked(seen)
        return mean(chosen, values), chosen

    def _mistaken(self, reach: Reach, values: Moves) -> Moves:
        """Values as they are seen: they are weighted with how often the other comes, and so are errors."""
        scale = self.noise * reach.theirs.sum(-1, keepdims=True)
        total = jnp.stack([value.sum() for value in values]).astype(jnp.float32)  # no two decisions have the same
        words = jax.lax.bitcast_convert_type(total, jnp.uint32)
        key = jax.random.fold_in(self.key, words.sum(dtype=jnp.uint32))
        return tuple(
            value
            + scale.astype(value.dtype) * jax.random.normal(jax.random.fold_in(key, move), value.shape, value.dtype)
            for move, value in enumerate(values)
        )


@final
class Adding(Kept):
    """A response's plan is added to the sum of all before."""

    weight: Float[Array, ""]

    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        assert play is not None
        plan = self.weight.astype(reach.mine.dtype) * reach.mine
        added = tuple(total + plan * chance for total, chance in zip(page, play, strict=True))
        return mean(play, values), added


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="flop_holdem")
    parser.add_argument("--growth", default="0,1")
    parser.add_argument("--noise", default="0", help="big blinds")
    parser.add_argument("--steps", default="10,30,100,300,1000")
    asked = parser.parse_args()
    game, clock = load_game(asked.game), time.perf_counter
    tree = jax.block_until_ready(build_public_tree(game))
    forward = eqx.filter_jit(_forward)
    look = eqx.filter_jit(judge)
    for growth, noise in product(*(map(float, each.split(",")) for each in (asked.growth, asked.noise))):
        book, done, spent = nothing(tree), 0, 0.0
        for step in map(int, asked.steps.split(",")):
            started = clock()
            book = jax.block_until_ready(
                forward(tree, book, jnp.asarray(done), jnp.asarray(step), growth, noise * game.big_blind)
            )
            spent, done = spent + clock() - started, step
            lost = float(look(tree, book).nash_conv) / 2 * 1000 / game.big_blind
            row = {"game": asked.game, "device": jax.devices()[0].device_kind, "growth": growth, "noise": noise}
            row |= {"step": step}
            print(json.dumps(row | {"seconds": round(spent, 1), "exploitability": round(lost, 2)}), flush=True)


def liked(values: Moves) -> Moves:
    """Certainty of the move of the highest value, the first of those that are alike."""
    best = reduce(jnp.maximum, values)
    chosen, free = [], jnp.ones_like(best, bool)
    for value in values:
        chosen.append(jnp.where(free & (value == best), 1, 0).astype(best.dtype))
        free = free & (value != best)
    return tuple(chosen)


def nothing(tree: PublicTree) -> Tables:
    """The sum of no responses."""
    return tuple(tuple(stage.zeros(decision) for decision in range(len(stage.moves))) for stage in tree.rounds)


def _forward(tree: PublicTree, book: Any, done: Array, steps: Array, growth: float, noise: float) -> Any:
    def step(number: Array, book: Any) -> Any:
        after = book
        key = jax.random.fold_in(jax.random.key(0), number) if noise else None
        for player in (0, 1):
            mine = pages_of(tree, player, book)
            response = merged(book, run(tree, Responding(player, Written(book), noise, key), mine)[1])
            weight = (number + 1.0) ** growth / (1.0 * steps) ** growth
            after = merged(after, run(tree, Adding(player, Written(response), weight), mine)[1])
        return after

    # Sums are kept in proportion to the last step's weight, so that they stay small.
    scale = jnp.where(done > 0, (done / steps) ** growth, 1.0)
    begun = jax.tree.map(lambda page: (page * scale).astype(page.dtype), book)
    return jax.lax.fori_loop(done, steps, step, begun)


if __name__ == "__main__":
    main()
