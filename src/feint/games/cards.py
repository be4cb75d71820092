"""Cards: the deck, what can be drawn from it, and who wins a showdown."""

from __future__ import annotations

import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
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

    def suit(self, card: int) -> int:
        """Which of its rank's copies a card is; only decks with suits apart can tell."""
        return card % self.copies

    def name(self, card: int) -> str:
        return self.ranks[self.rank(card)] + ("shdc"[self.suit(card)] if self.suits else "")

    def draws(self, seen: Cards, count: int) -> Iterator[tuple[float, Cards]]:
        """Every unordered draw of `count` cards when `seen` are gone, with its probability."""
        gone = Counter(seen)
        left = [self.copies_of_kind - gone[card] for card in range(self.kinds)]
        draws = comb(sum(left), count)
        if self.copies_of_kind == 1:
            yield from ((1 / draws, cards) for cards in combinations((c for c, here in enumerate(left) if here), count))
            return
        for cards in combinations_with_replacement(range(self.kinds), count):
            ways = prod(comb(left[card], number) for card, number in Counter(cards).items())
            if ways:
                yield ways / draws, cards

    def draw(self, seen: Cards, count: int, place: float) -> Cards:
        """One of these draws: the one at `place`, from 0 to below 1, where no two cards are the same."""
        left = [card for card in range(self.kinds) if card not in seen]
        number, drawn = int(place * comb(len(left), count)), list[int]()
        for after, card in zip(range(len(left) - 1, -1, -1), left, strict=True):
            with_it = comb(after, count - len(drawn) - 1) if len(drawn) < count else 0
            if number < with_it:
                drawn.append(card)
            else:
                number -= with_it
        return tuple(drawn)

    def deals(self, sizes: tuple[int, ...]) -> int:
        """In how many ways groups of cards of these sizes can be dealt; the order within a group does not matter."""
        return _deals(self.kinds, self.copies_of_kind, sizes)


@cache
def _deals(kinds: int, copies: int, sizes: tuple[int, ...]) -> int:
    """Card by card that can be told apart: how often it goes to each group, and what the groups then still lack."""
    ways = Counter({sizes: 1})
    for _ in range(kinds):
        after = Counter[tuple[int, ...]]()
        for lacking, number in ways.items():
            for left in _shared(lacking, copies):
                after[tuple(sorted(left))] += number  # which group lacks what makes no difference
        ways = after
    return ways[(0,) * len(sizes)]


def _shared(lacking: tuple[int, ...], copies: int) -> Iterator[tuple[int, ...]]:
    """What groups may lack once each has been given some of the copies of a card."""
    if not lacking:
        yield ()
    for given in range(min(lacking[0], copies) + 1 if lacking else 0):
        yield from ((lacking[0] - given, *rest) for rest in _shared(lacking[1:], copies - given))


Showdown = Callable[[Deck, Cards, Cards], Any]
"""From the deck, a player's hole cards and the board to a strength that can be compared; the greatest wins."""


@lru_cache(maxsize=256)
def spelt(showdown: Showdown) -> str:
    """A showdown in words that are the same in every process; one of somebody's own by its text, wherever that lies."""
    kind: Any = showdown if hasattr(showdown, "__qualname__") else type(showdown)
    if kind.__module__.startswith("feint."):
        return f"{kind.__module__}.{kind.__qualname__}"
    try:
        text = inspect.getsource(kind)
    except (OSError, TypeError):  # typed in, and kept nowhere
        text = ""
    return f"{kind.__qualname__} {hashlib.sha256(text.encode()).hexdigest()}"


def high_card(deck: Deck, hole: Cards, board: Cards) -> Any:
    """The highest rank wins."""
    return max(deck.rank(card) for card in hole)


def pair_then_rank(deck: Deck, hole: Cards, board: Cards) -> Any:
    """A pair with the board beats everything, the higher the better; otherwise the highest hole card wins."""
    ranks = {deck.rank(card) for card in hole}
    paired = ranks & {deck.rank(card) for card in board}
    return bool(paired), max(paired or ranks)


def best_five(deck: Deck, hole: Cards, board: Cards) -> Any:
    """The best five of five to seven cards, from straight flush to high card, in a deck with suits apart.

    The strength is the number of the category, then the ranks that decide within it, the telling ones first. Ranks
    that are neighbours in the deck follow each other in straights; an ace is also low where the deck has 2345.
    """
    cards = (*hole, *board)
    ranks, suits = [deck.rank(card) for card in cards], [deck.suit(card) for card in cards]
    suit = max(suits, key=suits.count)
    flush = [rank for rank, of in zip(ranks, suits, strict=True) if of == suit] if suits.count(suit) >= 5 else []
    if (top := _straight(deck, flush)) is not None:
        return STRAIGHT_FLUSH, top
    by_copies = sorted(set(ranks), key=lambda rank: (ranks.count(rank), rank), reverse=True)
    most, second = ranks.count(by_copies[0]), ranks.count(by_copies[1])
    if most == 4:
        return FOUR_OF_A_KIND, *_with_kickers(by_copies, 1, 1)
    if most == 3 and second >= 2:
        return FULL_HOUSE, *by_copies[:2]
    if flush:
        return FLUSH, *sorted(flush, reverse=True)[:5]
    if (top := _straight(deck, ranks)) is not None:
        return STRAIGHT, top
    if most == 3:
        return THREE_OF_A_KIND, *_with_kickers(by_copies, 1, 2)
    if second == 2:
        return TWO_PAIR, *_with_kickers(by_copies, 2, 1)
    return (PAIR, *_with_kickers(by_copies, 1, 3)) if most == 2 else (HIGH_CARD, *by_copies[:5])


HIGH_CARD, PAIR, TWO_PAIR, THREE_OF_A_KIND, STRAIGHT, FLUSH, FULL_HOUSE, FOUR_OF_A_KIND, STRAIGHT_FLUSH = range(9)
"""Categories of five-card hands, weakest first …"""
CATEGORIES = (
    "a high card", "a pair", "two pairs", "three of a kind", "a straight", "a flush", "a full house", "four of a kind",
    "a straight flush",
)  # fmt: skip
"""… and what they are called."""


def _straight(deck: Deck, ranks: Sequence[int]) -> int | None:
    """The top of the highest straight among the ranks."""
    held = sum({1 << rank for rank in ranks})
    for top in range(len(deck.ranks) - 1, 3, -1):
        if held >> (top - 4) & 0b11111 == 0b11111:
            return top
    low = deck.ranks.startswith("2345") and deck.ranks.endswith("A") and held & 0b1111 == 0b1111
    return 3 if low and held >> (len(deck.ranks) - 1) else None


def _with_kickers(by_copies: list[int], heads: int, kickers: int) -> list[int]:
    """The ranks held several times, then the highest of the rest, however often those are held."""
    return by_copies[:heads] + sorted(by_copies[heads:], reverse=True)[:kickers]
