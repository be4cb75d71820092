"""Exact judges on a public tree: what strategies are worth there, and what best responses to them are."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from feint.public.play import Moves, Play, Tables, Written, mean
from feint.public.sweep import Page, Reach, Sweep, run
from feint.public.tree import PublicTree


class Kept(Sweep):
    """A strategy is kept to on the way down."""

    player: int = eqx.field(static=True)
    play: Play

    def theirs(self, number: int, decision: int, first: Int[Array, ""], boards: int) -> Moves:
        return self.play(number, decision, first, boards)

    def mine(self, number: int, decision: int, first: Int[Array, ""], boards: int, page: Page) -> Moves | None:
        return self.play(number, decision, first, boards)


@final
class BestResponse(Kept):
    """The player does as well as can be against what the other does."""

    def mine(self, number: int, decision: int, first: Int[Array, ""], boards: int, page: Page) -> None:
        return None

    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        return reduce(jnp.maximum, values), page


@final
class Expectation(Kept):
    """Both do as the strategy says."""

    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        assert play is not None
        return mean(play, values), page


class Judgement(NamedTuple):
    """What is known of a strategy, in chips per hand."""

    values: Float[Array, "2"]
    """What each player wins when both keep to it."""
    best: Float[Array, "2"]
    """What each can win at most against the other's part of it."""

    @property
    def nash_conv(self) -> Float[Array, ""]:
        return (self.best - self.values).sum()


def judge(tree: PublicTree, tables: Tables) -> Judgement:
    """Judge a strategy, given by what it makes moves in proportion to."""
    play = Written(tables)
    best = jnp.stack([worth(tree, BestResponse(player, play)) for player in (0, 1)])
    return Judgement(values_of(tree, tables), best)


def values_of(tree: PublicTree, tables: Tables) -> Float[Array, "2"]:
    """What each player wins when both keep to a strategy; one tells the other's where nobody else wins anything."""
    first = worth(tree, Expectation(0, Written(tables)))
    return jnp.stack([first, -first if tree.zero_sum else worth(tree, Expectation(1, Written(tables)))])


def worth(tree: PublicTree, sweep: Sweep) -> Float[Array, ""]:
    """What the game is worth to a sweep's player, in chips per hand."""
    nothing = tuple((None,) * len(stage.moves) for stage in tree.rounds)
    by_hand, _ = run(tree, sweep, nothing)
    return worth_of(tree, sweep.player, by_hand)


def worth_of(tree: PublicTree, player: int, by_hand: Float[Array, " h"]) -> Float[Array, ""]:
    """The same, given what it is worth to each hand, weighted with how often the other comes with which."""
    return (by_hand * tree.ranges[player]).sum() / tree.deals
