"""Cards: the deck, what can be drawn from it, and who wins a showdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any, final

Cards = tuple[int, ...]


@final
@dataclass(frozen=True)
class Deck:
    """Cards of `ranks`, weakest first, each in `copies` suits."""

    ranks: str
    copies: int = 1
    suits: bool = False
    """Keep the copies of a rank apart; otherwise they are the same card."""

    @property
    def kinds(self) -> int:
        """How many cards can be told apart; a card is a number below this."""
        return len(self.ranks) * (self.copies if self.suits else 1)

    @property
    def copies_of_kind(self) -> int:
        return 1 if self.suits else self.copies

    def rank(self, card: int) -> int:
        return card // self.copies if self.suits else card

    def name(self, card: int) -> str:
        return self.ranks[self.rank(card)] + ("shdc"[card % self.copies] if self.suits else "")

    def draws(self, seen: Cards, count: int) -> Iterator[tuple[float, Cards]]:
        """Every unordered draw of `count` cards when `seen` are gone, with its probability."""
        gone = Counter(seen)
        left = [self.copies_of_kind - gone[card] for card in range(self.kinds)]
        draws = comb(sum(left), count)
        for cards in combinations_with_replacement(range(self.kinds), count):
            ways = prod(comb(left[card], number) for card, number in Counter(cards).items())
            if ways:
                yield ways / draws, cards


Showdown = Callable[[Deck, Cards, Cards], Any]
"""From the deck, a player's hole cards and the board to a strength that can be compared; the greatest wins."""


def high_card(deck: Deck, hole: Cards, board: Cards) -> Any:
    """The highest rank wins."""
    return max(deck.rank(card) for card in hole)


def pair_then_rank(deck: Deck, hole: Cards, board: Cards) -> Any:
    """A pair with the board beats everything; otherwise the higher hole card wins."""
    rank = max(deck.rank(card) for card in hole)
    return rank in {deck.rank(card) for card in board}, rank
