"""Who wins a showdown, by look-up: the rank of the best five of five to seven cards, millions of hands a second.

Every card has two numbers, and a hand's *key* is the sum of its cards'. The first counts ranks, with digits to base 5:
one number for the lower ranks and one for the upper ranks, each small enough for a table of its own. The second
has a bit for every card and counts the cards of each suit. Keys add up, so the board's is made once for all who share
it. Two look-ups number the ranks held and a third says what they are worth; a fourth says what a flush is worth. With
five suited cards among seven nothing but flushes counts, as two more make no full house, so the greater one is right.

The tables come from the rules: `best_five` is asked once for everything they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Integer, UInt32, UInt64

from feint.games.cards import Deck, best_five
from feint.games.errors import BadInput
from feint.tree.arrays import on_device

FEWEST, MOST = 5, 7
"""How many cards a hand may have."""

RANKS, SUITS = 13, 4
LOWER_BITS = 17
"""Room for the lower ranks' number: 5 to the power of 7 at most."""


@final
class HandKey(eqx.Module):
    """What the rank of a hand depends on. The key of two groups of cards together is the sum of their keys."""

    ranks: UInt32[Array, "..."]
    """How often each rank is held: digits to base 5, the lower ranks' in the low bits, the upper ranks' above."""
    suits: UInt64[Array, "..."]
    """A bit for each card, 13 for a suit, then 3 bits for each suit's number of cards."""

    def __add__(self, other: HandKey) -> HandKey:
        return HandKey(self.ranks + other.ranks, self.suits + other.suits)

    def __getitem__(self, index: Any) -> HandKey:
        """The keys at an index of the batch."""
        return HandKey(self.ranks[index], self.suits[index])

    def shares_card_with(self, other: HandKey) -> Bool[Array, "..."]:
        """Whether two groups of cards have one in common."""
        return (self.suits & other.suits & ((1 << (RANKS * SUITS)) - 1)) != 0


@final
class HandRanks(eqx.Module):
    """Tables of a deck's hands. Ranks go from 1 for the worst hand; hands that tie have the same rank."""

    card: HandKey
    """The key of each card, and at the end that of none."""
    lower: Int[Array, " l"]
    """Where the hands with these lower ranks begin in `plain`, less the number of the first upper ranks there."""
    upper: Int[Array, " u"]
    """The number of the upper ranks, those with fewer cards first."""
    plain: Int[Array, " m"]
    """The rank of a hand without a flush."""
    flush: Int[Array, " f"]
    """The rank of a flush by its 13 bits; 0 where there is none."""
    category: Int[Array, " h"]
    """The category of each rank, from cards.HIGH_CARD to cards.STRAIGHT_FLUSH; −1 for rank 0, which no hand has."""

    def rank(self, cards: Integer[Array, "*batch cards"]) -> Int[Array, "*batch"]:
        """The rank of each hand of 5, 6 or 7 different cards: the higher one wins."""
        if not FEWEST <= cards.shape[-1] <= MOST:
            raise BadInput(f"Hands have {FEWEST} to {MOST} cards, but the last axis of {cards.shape} is not that long.")
        return self.rank_of(self.key(cards))

    def key(self, cards: Integer[Array, "*batch cards"]) -> HandKey:
        """The key of each group of any number of different cards, to be added to others before it is ranked.

        Cards beyond those of the deck, as ones still hidden are, count for nothing.
        """
        ranks, suits = _at(self.card.ranks, cards), _at(self.card.suits, cards)
        return HandKey(ranks.sum(-1, dtype=jnp.uint32), suits.sum(-1, dtype=jnp.uint64))

    def rank_of(self, key: HandKey) -> Int[Array, "*batch"]:
        """The rank of each hand from its key. Only of keys of 5, 6 or 7 different cards does it mean anything.

        Others do no harm, so that every holding can be ranked on a board and those that share a card be left out after.
        """
        lower = _at(self.lower, key.ranks & ((1 << LOWER_BITS) - 1))
        plain = _at(self.plain, lower + _at(self.upper, key.ranks >> LOWER_BITS))
        return jnp.maximum(plain, _at(self.flush, _suited(key.suits))).astype(jnp.int32)


def _suited(suits: UInt64[Array, "*batch"]) -> UInt64[Array, "*batch"]:
    """The 13 bits of the suit with five cards or more; 0 where there is none."""
    count = suits >> (RANKS * SUITS)
    five = (count >> 2) & ((count >> 1) | count)  # bit 0 of every 3 bits: the count is 5, 6 or 7
    shift = sum(((five >> (3 * suit)) & 1) * (RANKS * suit) for suit in range(1, SUITS))
    return jnp.where(five & 0o1111, (suits >> shift) & ((1 << RANKS) - 1), 0)


def _at(table: Array, index: Array) -> Array:
    """Entries of a table. Numbers outside it, as keys of cards that are not all different have, are taken into it."""
    return table.at[index].get(mode="clip")


@cache
def build_ranks(deck: Deck) -> HandRanks:
    """The tables for a deck with suits apart. Takes about a second for 52 cards."""
    if not deck.suits or deck.copies > SUITS or len(deck.ranks) > RANKS:
        raise BadInput(f"Hands are ranked in decks of at most 13 ranks in at most 4 suits kept apart, not in {deck}.")
    split = (len(deck.ranks) + 1) // 2
    lower, upper = _held(deck, split), _held(deck, len(deck.ranks) - split)
    begins = np.searchsorted([sum(held) for held in upper], range(MOST + 2))
    base: list[int] = []
    strengths: list[Any] = []
    for low in lower:
        most, fewest = MOST - sum(low), max(FEWEST - sum(low), 0)
        base.append(len(strengths) - begins[fewest])
        strengths += [_plain_strength(deck, (*low, *high)) for high in upper[begins[fewest] : begins[most + 1]]]
    flushes = [_flush_strength(deck, bits) for bits in range(1 << RANKS)]
    order = sorted({*strengths, *flushes, NOTHING})
    number = {strength: rank for rank, strength in enumerate(order)}
    return HandRanks(
        card=_card_keys(deck, split),
        lower=on_device(_scattered(lower, base), jnp.int32),
        upper=on_device(_scattered(upper, range(len(upper))), jnp.int32),
        plain=on_device([number[strength] for strength in strengths], jnp.int16),
        flush=on_device([number[strength] for strength in flushes], jnp.int16),
        category=on_device([strength[0] for strength in order], jnp.int8),
    )


Held = tuple[int, ...]
"""How many cards of each rank are held."""

NOTHING = (-1,)
"""The strength of no hand, below all others."""


def _held(deck: Deck, ranks: int) -> list[Held]:
    """All that can be held of so many ranks in at most seven cards, fewest cards first."""
    return sorted((held for held in product(range(deck.copies + 1), repeat=ranks) if sum(held) <= MOST), key=sum)


def _digits(held: Held) -> int:
    return sum(count * 5**place for place, count in enumerate(held))


def _scattered(helds: Sequence[Held], values: Sequence[int]) -> np.ndarray:
    """A table of values by what is held."""
    table = np.zeros(5 ** len(helds[0]), np.int64)
    table[[_digits(held) for held in helds]] = values
    return table


def _plain_strength(deck: Deck, held: Held) -> Any:
    """The strength of cards of these ranks, whose suits take turns so that there is no flush if there can be none."""
    ranks = [rank for rank, count in enumerate(held) for _ in range(count)]
    return best_five(deck, tuple(rank * deck.copies + turn % deck.copies for turn, rank in enumerate(ranks)), ())


def _flush_strength(deck: Deck, bits: int) -> Any:
    """The strength of these ranks in one suit, where there are as many cards as a hand has."""
    ranks = [rank for rank in range(len(deck.ranks)) if bits >> rank & 1]
    if bits >> len(deck.ranks) or not FEWEST <= len(ranks) <= MOST:
        return NOTHING
    return best_five(deck, tuple(rank * deck.copies for rank in ranks), ())


def _card_keys(deck: Deck, split: int) -> HandKey:
    cards = range(deck.kinds)
    rank, suit = [deck.rank(card) for card in cards], [deck.suit(card) for card in cards]
    digit = [5**place if place < split else 5 ** (place - split) << LOWER_BITS for place in rank]
    bits = [(1 << (RANKS * of + place)) + (1 << (RANKS * SUITS + 3 * of)) for place, of in zip(rank, suit, strict=True)]
    return HandKey(jnp.asarray([*digit, 0], jnp.uint32), jnp.asarray([*bits, 0], jnp.uint64))
