"""What may be held, and how betting ends: what AIVAT goes through for every hand of hold'em."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, UInt8

from feint.arena.betting import BettingTree
from feint.arena.cards import CardArena
from feint.arena.ranks import HandKey, HandRanks

BOARDS = 256
"""Boards that are gone through; where more may come, so many are drawn."""


@final
class Holdings(eqx.Module):
    """All that a player may hold, and who wins with what."""

    arena: CardArena
    ranks: HandRanks
    cards: UInt8[Array, "h c"]
    key: HandKey
    turned: tuple[int, ...] = eqx.field(static=True)
    """How many board cards lie open in each round."""

    def chances(
        self, own: HandKey, theirs: UInt8[Array, " c"], board: UInt8[Array, " v"], number: int, key: PRNGKeyArray
    ) -> Float[Array, "*h"]:
        """How often each holding beats another (half where they tie) on the boards still to come in a round.

        0 for holdings that have a card in common with what lies open; an unbiased estimate where boards are drawn.
        """
        turned, size = self.turned[number], self.turned[-1]
        left, missing, hole = self.arena.kinds - self.arena.hole - turned, size - turned, self.arena.hole
        there = jnp.concatenate([theirs, board[:turned]])
        remaining = jnp.nonzero(jnp.ones(self.arena.kinds, bool).at[there].set(False), size=left)[0]
        if comb(left, missing) <= BOARDS:
            every = np.array(list(combinations(range(left), missing)), np.int32)
            picked = jnp.asarray(every.reshape(comb(left, missing), missing))
        else:
            picked = jax.lax.top_k(jax.random.uniform(key, (BOARDS, left)), missing)[1]
        rest = self.ranks.key(remaining[picked])
        boards = self.ranks.key(board[None, :turned].astype(jnp.int32)) + rest
        axes = tuple(range(1, 1 + own.ranks.ndim))
        wide = HandKey(jnp.expand_dims(boards.ranks, axes), jnp.expand_dims(boards.suits, axes))
        mine, other = (
            self.ranks.rank_of(own + wide),
            self.ranks.rank_of(self.ranks.key(theirs.astype(jnp.int32)) + boards),
        )
        other = other.reshape(-1, *[1] * own.ranks.ndim)
        share = (mine > other) + 0.5 * (mine == other)
        # A board comes as often for every holding that it does not share a card with: as often as it misses two cards.
        misses = comb(left - hole, missing) / comb(left, missing)
        return jnp.where(own.shares_card_with(wide), 0.0, share).mean(0) / misses

    def possible(self, theirs: UInt8[Array, " c"], board: UInt8[Array, " v"], number: int) -> Bool[Array, " h"]:
        """Which holdings have no card in common with what the other holds and what lies open in a round."""
        there = self.ranks.key(jnp.concatenate([theirs, board[: self.turned[number]]]).astype(jnp.int32))
        return ~self.key.shares_card_with(there)


@final
class Paths(eqx.Module):
    """How each end of the betting is come to: the decisions in order, filled up, and the move at each."""

    node: Int[Array, "e l"]
    move: Int[Array, "e l"]
    length: Int[Array, " e"]
    round: Int[Array, " n"]


def holdings_of(arena: CardArena, betting: BettingTree) -> Holdings:
    assert arena.strength.ranks is not None
    cards = jnp.asarray(list(combinations(range(arena.kinds), arena.hole)), jnp.uint8)
    turned = np.cumsum([declared.board for declared in betting.game.rounds])
    ranks = arena.strength.ranks
    return Holdings(arena, ranks, cards, ranks.key(cards.astype(jnp.int32)), tuple(map(int, turned)))


def paths_of(betting: BettingTree) -> Paths:
    """The way to each end of the betting."""
    found: dict[int, list[tuple[int, int]]] = {}
    ways: list[list[tuple[int, int]]] = [[] for _ in betting.actor]
    for node, row in enumerate(betting.child.tolist()):
        for move, child in enumerate(row):
            if child >= 0:
                ways[child] = [*ways[node], (node, move)]
            elif child != -1:
                found[-2 - child] = [*ways[node], (node, move)]
    longest = max(map(len, found.values()))
    filled = np.array([found[end] + [(0, 0)] * (longest - len(found[end])) for end in range(len(found))], np.int32)
    length = np.array([len(found[end]) for end in range(len(found))], np.int32)
    return Paths(*map(jnp.asarray, (filled[..., 0], filled[..., 1], length, np.asarray(betting.round, np.int32))))
