"""Ranges of starting hands as card players write them: `AA,KQs,T9o:0.5,22+,A5s-A2s,AhKh`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations

from feint.games.cards import Cards, Deck
from feint.games.errors import BadInput

Range = Mapping[Cards, float]
"""How often a player comes with each two cards, ascending, from 0 to 1; hands that are left out never come."""

ALL = ("any", "random", "all")


def read_range(text: str, deck: Deck) -> dict[Cards, float]:
    """A range as it is written.

    Hands, with a weight after a colon if it is not 1: AA, AKs (suited), AKo (offsuit), AK (both), AhKh; 99+ and A9s+
    for these and better ones; JJ-88 and A5s-A2s for all between; any for every hand. What comes later counts.
    """
    hands: dict[Cards, float] = {}
    for item in filter(None, re.split(r"[\s,;]+", text.strip())):
        name, _, weight = item.partition(":")
        chance = _weight(weight, item)
        hands |= dict.fromkeys(_hands(name, item, deck), chance)
    if not any(hands.values()):
        raise BadInput(f"A range needs at least one hand, but {text!r} was given; write hands such as AA,KQs,T9o:0.5.")
    return hands


def kind_of(cards: Cards, deck: Deck) -> str:
    """What two cards, ascending, are called when suits are left out: AA, AKs (suited) or AKo."""
    low, high = (deck.ranks[deck.rank(card)] for card in cards)
    end = "" if low == high else "s" if deck.suit(cards[0]) == deck.suit(cards[1]) else "o"
    return f"{high}{low}{end}"


def kinds(deck: Deck) -> Iterator[tuple[int, int, str]]:
    """Every kind of hand as charts have it, with its row and column.

    Pairs are on the diagonal, suited hands above it and offsuit ones below; the highest rank comes first.
    """
    names = deck.ranks[::-1]
    for row, first in enumerate(names):
        for column, second in enumerate(names):
            pair = first + second if row <= column else second + first
            yield row, column, pair + ("" if row == column else "s" if row < column else "o")


def hands_of(kind: str, deck: Deck) -> tuple[Cards, ...]:
    """The hands that a name without suits stands for, such as AKs, AKo, AK or 99; none where it is no such name."""
    ranks = _parsed(kind.strip(), deck)
    return tuple(_of_ranks(*ranks, deck)) if ranks else ()


def by_kind(hands: Range, deck: Deck) -> dict[str, str]:
    """A range kind by kind, each as it is written: `AKs`, `AKs:0.5`, or hand by hand where suits make a difference."""
    groups: dict[str, list[Cards]] = {}
    for cards in combinations(range(deck.kinds), 2):
        groups.setdefault(kind_of(cards, deck), []).append(cards)
    written = {}
    for kind, group in groups.items():
        weights = {cards: hands.get(cards, 0.0) for cards in group}
        if len(set(weights.values())) == 1:
            written[kind] = _weighted(kind, weights[group[0]])
        else:
            named = (("".join(map(deck.name, cards[::-1])), weight) for cards, weight in weights.items())
            written[kind] = ",".join(filter(None, (_weighted(*each) for each in named)))
    return {kind: text for kind, text in written.items() if text}


def _weighted(name: str, weight: float) -> str:
    """A hand with its weight, as it is written; nothing where it never comes."""
    return "" if weight == 0 else name if weight == 1 else f"{name}:{weight:g}"


def _weight(text: str, item: str) -> float:
    try:
        weight = float(text) if text else 1.0
    except ValueError:
        weight = -1.0
    if not 0 <= weight <= 1:
        raise BadInput(f"{item!r} needs a weight from 0 to 1 after its colon, such as T9o:0.5.")
    return weight


def _hands(name: str, item: str, deck: Deck) -> Iterator[Cards]:
    if name.lower() in ALL:
        yield from combinations(range(deck.kinds), 2)
        return
    if cards := _two_cards(name, deck):
        yield cards
        return
    top, bottom, end = _ends(name, item, deck)
    for low in range(bottom[1], top[1] + 1):
        yield from _of_ranks(low if bottom[0] == bottom[1] else bottom[0], low, end, deck)


def _two_cards(name: str, deck: Deck) -> Cards | None:
    """Two cards by name, such as AhKh."""
    known = {deck.name(card).lower(): card for card in range(deck.kinds)}
    cards = [known.get(name.lower()[place : place + 2]) for place in (0, 2)]
    if len(name) != 4 or None in cards or cards[0] == cards[1]:
        return None
    return tuple(sorted(card for card in cards if card is not None))


def _ends(name: str, item: str, deck: Deck) -> tuple[tuple[int, int], tuple[int, int], str]:
    """The ranks of the best and of the worst hand that a name stands for, and whether they are suited."""
    parts = [_parsed(part, deck) for part in name.removesuffix("+").split("-")]
    if None in parts or not 1 <= len(parts) <= 2 or (len(parts) == 2 and name.endswith("+")):
        raise BadInput(f"{item!r} is no hand of a range; write such as AA, AKs, T9o:0.5, AhKh, 22+, A5s-A2s or any.")
    (high, low, suited), *others = [part for part in parts if part is not None]
    if name.endswith("+"):
        best = len(deck.ranks) - 1
        return ((best, best) if high == low else (high, high - 1)), (high, low), suited  # A9s+ is A9s to AKs
    if not others:
        return (high, low), (high, low), suited
    other = others[0]
    pairs = high == low and other[0] == other[1]
    if other[2] != suited or not (pairs or high == other[0]):
        raise BadInput(f"{item!r} has ends that do not go together; write such as JJ-88 or A5s-A2s.")
    top, bottom = sorted([(high, low), (other[0], other[1])], reverse=True)
    return top, bottom, suited


def _parsed(part: str, deck: Deck) -> tuple[int, int, str] | None:
    """Two ranks, the higher first, and s, o or nothing."""
    ranks, suited = part[:2].upper(), part[2:].lower()
    known = len(ranks) == 2 and all(rank in deck.ranks for rank in ranks) and suited in ("", "s", "o")
    if not known or (ranks[0] == ranks[1] and suited):
        return None
    low, high = sorted(deck.ranks.index(rank) for rank in ranks)
    return high, low, suited


def _of_ranks(high: int, low: int, suited: str, deck: Deck) -> Iterator[Cards]:
    copies = deck.copies
    for one in range(copies):
        for other in range(copies):
            cards = low * copies + one, high * copies + other
            fits = {"s": one == other, "o": one != other, "": True}[suited]
            if cards[0] < cards[1] and fits:
                yield cards
