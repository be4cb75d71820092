"""Moves as people say them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

ALSO = {"check": "call", "bet": "raise", "raise": "bet", "pot": "1 pot"}
"""What else a move goes by, where that is no other move on offer."""


def meant(said: str, offered: Iterable[str]) -> list[str]:
    """The moves on offer that are called so; where none is, those that begin so, or else have it in them.

    Nothing but what is on offer counts. More than one answer means that it may be any of them.
    """
    said, words = _plain(said), list(offered)
    called = {word: set(map(_plain, names)) for word, names in names_of(words).items()}
    for fits in (str.__eq__, _begins, _within):
        if found := [word for word in words if said and any(fits(name, said) for name in called[word])]:
            return found
    return []


def names_of(words: Iterable[str]) -> dict[str, set[str]]:
    """What each move on offer goes by."""
    taken = set(words)
    return {word: {word} | ({ALSO.get(word, word)} - taken) for word in taken}


def _plain(words: str) -> str:
    """Words without what makes no difference: case, spaces, and .5 for 0.5."""
    return re.sub(r"(?<![\d.])\.(?=\d)", "0.", " ".join(words.lower().split()))


def _begins(name: str, said: str) -> bool:
    return re.match(_whole(said), name) is not None


def _within(name: str, said: str) -> bool:
    return re.search(_whole(said), name) is not None


def _whole(said: str) -> str:
    """A pattern for what is said, whose numbers are no parts of others: 5 pot is not within 1.5 pot."""
    before = r"(?<![\d.])" if re.match(r"\d", said) else ""
    after = r"(?!\.?\d)" if re.search(r"[\d.]$", said) else ""
    return before + re.escape(said) + after


def either(words: Iterable[str], last: str = "or") -> str:
    """Words in a sentence: `fold, call or raise`."""
    *some, end = words
    return f"{', '.join(some)} {last} {end}" if some else end


def priced(word: str, price: float | None) -> str:
    """A move with the chips that it puts into the pot, if any: `call (2 chips)`."""
    return f"{word} ({chips(price)})" if price else word


def chips(number: float) -> str:
    """A number of chips."""
    return f"{number:g} chip{'' if number == 1 else 's'}"


def called_alike(sizes: Iterable[float]) -> str:
    """What several of these ascending fractions of the pot are called; nothing where each has a name of its own."""
    return next((f"{one:g} pot" for one, other in pairwise(sizes) if f"{one:g}" == f"{other:g}"), "")
