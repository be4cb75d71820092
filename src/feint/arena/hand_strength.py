"""How good a hand is on the board so far: the share of holdings that it beats, told to networks round by round.

What a hand is worth is hard to see from its cards, and seven of them have a hundred million ways to lie. Networks that
are told it learn faster. It is a function of the cards seen and so says nothing that a player could not know.
"""

from __future__ import annotations

from itertools import combinations
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, UInt8

from feint.arena.ranks import FEWEST, MOST, HandKey, HandRanks, build_ranks
from feint.games.cards import best_five
from feint.games.errors import BadInput
from feint.games.poker import Poker

HOLE = 2
"""Hole cards of the games whose hands can be compared."""
SMALL = 20
"""In decks of so few cards every holding stands for itself: a hand and a board could block all that stand for some."""
LEVELS = 11
"""A share is told by how near it is to each of so many levels from 0 to 1."""


@final
class HandStrength(eqx.Module):
    """The starting hands to compare with: one holding of each kind, suited or not, which stands for all of them.

    For hold'em these are the 169 that players know. The share of all 1,326 holdings is met with a root mean square
    error below 0.02; single hands may be off by 0.1.
    """

    ranks: HandRanks
    holdings: HandKey
    weights: Float[Array, " h"]
    """How many holdings each stands for."""
    boards: tuple[int, ...] = eqx.field(static=True)
    """The numbers of board cards on which a hand is compared, round by round."""

    @property
    def inputs(self) -> int:
        """Features of a situation."""
        return LEVELS * len(self.boards)

    def __call__(self, cards: UInt8[Array, "... v"], upturned: Int[Array, "..."]) -> Float[Array, "... f"]:
        """A player's own cards and the board's as features; 0 for rounds whose cards are not turned up yet."""
        own, board = jnp.split(cards, [HOLE], -1)
        told = []
        for up in self.boards:
            level = self.share(own, board[..., :up])[..., None] * (LEVELS - 1)
            near = jnp.maximum(0.0, 1.0 - jnp.abs(level - jnp.arange(LEVELS, dtype=jnp.float32)))
            told.append(jnp.where(upturned[..., None] >= up, near, 0.0))
        return jnp.concatenate(told, -1)

    def share(self, own: UInt8[Array, "*b h"], board: UInt8[Array, "*b v"]) -> Float[Array, "*b"]:
        """The share of holdings that a hand beats on a board, those that tie by half."""
        held, up = self.ranks.key(own.astype(jnp.int32)), self.ranks.key(board.astype(jnp.int32))
        ours = self.ranks.rank_of(held + up)
        theirs = self.ranks.rank_of(self.holdings + up[..., None])
        weights = jnp.where(self.holdings.shares_card_with((held + up)[..., None]), 0.0, self.weights)
        ahead = (weights * jnp.sign(ours[..., None] - theirs)).sum(-1)
        return (0.5 + 0.5 * ahead / weights.sum(-1)).astype(jnp.float32)


def build_hand_strength(game: Poker) -> HandStrength:
    """What a game's hands are compared with."""
    deck, ups = game.deck, np.cumsum([declared.board for declared in game.rounds]).tolist()
    boards = tuple(sorted({up for up in ups if FEWEST <= HOLE + up <= MOST}))
    if game.showdown is not best_five or game.hole != HOLE or not boards:
        raise BadInput(f"{game.name} has no hands of {FEWEST} to {MOST} cards to compare; use encoding=symmetric.")
    kinds: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for one, other in combinations(range(deck.kinds), HOLE):
        suited = deck.suit(one) == deck.suit(other)
        kind = (deck.rank(one), deck.rank(other), suited) if deck.kinds > SMALL else (one, other)
        kinds.setdefault(kind, []).append((one, other))
    rng = np.random.default_rng(0)  # so that no suit comes up more than the others
    holdings = [alike[rng.integers(len(alike))] for alike in kinds.values()]
    table = build_ranks(deck)
    weights = jnp.asarray([len(alike) for alike in kinds.values()], jnp.float32)
    return HandStrength(table, table.key(jnp.asarray(holdings, jnp.int32)), weights, boards)
