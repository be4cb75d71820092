"""The deals of a local best response: what it holds, what others might, and who would win, foreseen in every round."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, UInt8, UInt64

from feint.arena.arena import random_words
from feint.arena.betting import BettingTree
from feint.arena.cards import CardArena, build_card_arena
from feint.games.errors import BadInput

MOST_CARDS = 64
"""A set of cards is a word with a bit for each."""
POWERS = 2
"""The luck of a deal is told by so many powers of how good a hand is."""


class Dealt(NamedTuple):
    """Hands to be played, all with the local best response in one seat. `h` counts the holdings that may matter."""

    board: UInt8[Array, "d b"]
    holdings: UInt8[Array, "d h c"]
    possible: Bool[Array, "d r h"]
    """Those that share no card with those it sees in each round."""
    edge: Float[Array, "d r h"]
    """What it wins off each of these at a showdown for 1 chip, as foreseen in each round; in the last one, for sure."""


@final
class Deals(eqx.Module):
    """Cards as a local best response sees them. `h` counts holdings, `s` showdowns foreseen."""

    arena: CardArena
    """With every card told apart."""
    copies: int = eqx.field(static=True)
    """How many of these are one card in the rules."""
    holdings: UInt8[Array, "h c"]
    bits: UInt64[Array, " h"]
    """The holdings as sets of cards."""
    runouts: tuple[Int[Array, "_ _"], ...]
    """For each round, showdowns to foresee: which of the cards that it does not see complete the board."""

    def deal(self, seat: Int[Array, ""], deals: int, key: PRNGKeyArray) -> tuple[Dealt, Float[Array, "d k"]]:
        """Hands for the response in a seat, with the cards dealt there and how lucky they are."""
        cards = self.arena.deal(random_words(key, self.arena.deal_words, deals)).cards
        holes, board = jnp.split(cards, [2 * self.arena.hole], 1)
        own = holes.reshape(deals, 2, self.arena.hole)[:, seat]
        possible, edge = zip(*(self.foresee(own, board, places) for places in self.runouts), strict=True)
        holdings = jnp.broadcast_to(self.holdings, (deals, *self.holdings.shape))
        dealt = Dealt(board, holdings, jnp.stack(possible, 1), jnp.stack(edge, 1))
        return dealt, self.luck(own, board, dealt.possible[:, -1])

    def foresee(
        self, own: UInt8[Array, "t c"], board: UInt8[Array, "t b"], places: Int[Array, "s k"]
    ) -> tuple[Bool[Array, "t h"], Float[Array, "t h"]]:
        """The holdings possible while k cards are to come, and the mean showdown against each."""
        up = board[:, : board.shape[1] - places.shape[1]]
        seen = _set_of(own) | _set_of(up)
        possible = (self.bits & seen[:, None]) == 0
        gone = (seen[:, None] >> jnp.arange(self.arena.deck[0], dtype=jnp.uint64)) & 1
        turned = jnp.argsort(gone, 1, stable=True)[:, places].astype(jnp.uint8)
        boards = jnp.concatenate([jnp.broadcast_to(up[:, None], (*turned.shape[:2], up.shape[1])), turned], 2)
        ours = self.arena.strength(
            *self.kinds(jnp.broadcast_to(own[:, None], (*turned.shape[:2], own.shape[1])), boards)
        )
        shows = possible[:, None] & ((self.bits & _set_of(turned)[..., None]) == 0)
        results = jnp.where(shows, jnp.sign(ours[..., None] - self._strengths(boards)), 0)
        return possible, results.sum(1) / jnp.maximum(shows.sum(1), 1)

    def luck(
        self, own: UInt8[Array, "d c"], board: UInt8[Array, "d b"], possible: Bool[Array, "d h"]
    ) -> Float[Array, "d k"]:
        """How much better the response's cards are than those that the strategy might have, in powers of how good.

        How good a holding is is the share of holdings that it beats on the whole board, from −1 to 1. Any function of
        it has mean 0 less its mean over what the other might hold, since both might as well hold each other's.
        """
        free = (self.bits & _set_of(board)[:, None]) == 0
        strengths = jnp.where(free, self._strengths(board[:, None])[:, 0], -1)
        ours = self.arena.strength(*self.kinds(own, board))
        order, held = jnp.sort(strengths, 1), jnp.concatenate([ours[:, None], strengths], 1)
        below, up_to = (jax.vmap(partial(jnp.searchsorted, side=side))(order, held) for side in ("left", "right"))
        good = (below + up_to).astype(jnp.float64) / len(self.bits) - 1
        powers = jnp.stack([good**power for power in range(1, POWERS + 1)], -1)
        theirs = (powers[:, 1:] * possible[..., None]).sum(1) / possible.sum(1, keepdims=True)
        return powers[:, 0] - theirs

    def _strengths(self, boards: UInt8[Array, "t s b"]) -> Int[Array, "t s h"]:
        """The strength of every holding on each board."""
        holdings, boards = self.kinds(self.holdings, boards)
        ranks = self.arena.strength.ranks
        if ranks is not None:  # the quick way: keys add up
            return ranks.rank_of(ranks.key(holdings) + ranks.key(boards)[..., None])
        shape = (*boards.shape[:2], len(holdings))
        boards = jnp.broadcast_to(boards[:, :, None], (*shape, boards.shape[2]))
        return self.arena.strength(jnp.broadcast_to(holdings, (*shape, holdings.shape[1])), boards)

    def kinds(self, *cards: UInt8[Array, "..."]) -> list[UInt8[Array, "..."]]:
        """Cards as the rules tell them apart."""
        return [each // jnp.uint8(self.copies) for each in cards]


def build_deals(betting: BettingTree, runouts: int) -> Deals:
    """The deals of a game, from its betting; showdowns are foreseen over all boards to come, or so many of them."""
    game, arena = betting.game, build_card_arena(betting)
    cards, copies = arena.deck
    if cards > MOST_CARDS:
        raise BadInput(
            f"A local best response takes decks of up to {MOST_CARDS} cards, but {betting.name} has {cards}."
        )
    holdings = jnp.asarray(list(combinations(range(cards), game.hole)), jnp.uint8)
    board = [declared.board for declared in game.rounds]
    return Deals(
        arena=replace(arena, deck=(cards, 1)),
        copies=copies,
        holdings=holdings,
        bits=_set_of(holdings),
        runouts=tuple(
            _runouts(cards - game.hole - sum(board[: number + 1]), sum(board[number + 1 :]), runouts)
            for number in range(len(board))
        ),
    )


def _runouts(left: int, missing: int, most: int) -> Int[Array, "s k"]:
    """Ways to take the missing cards from those left: all, or where there are too many, `most` of them.

    These are always the same ones, shuffled decks cut into pieces so that all cards come up about equally often.
    """
    if math.comb(left, missing) <= most:
        return jnp.asarray(list(combinations(range(left), missing)), jnp.int32)
    rng, pieces = np.random.default_rng(0), left // missing
    decks = [rng.permutation(left)[: pieces * missing].reshape(pieces, missing) for _ in range(-(-most // pieces))]
    return jnp.asarray(np.concatenate(decks)[:most], jnp.int32)


def _set_of(cards: UInt8[Array, "*b c"]) -> UInt64[Array, "*b"]:
    """Different cards as a set."""
    bits: UInt64[Array, "*b"] = (jnp.uint64(1) << cards.astype(jnp.uint64)).sum(-1, dtype=jnp.uint64)
    return bits
