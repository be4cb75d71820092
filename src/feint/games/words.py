"""Moves as people say them."""

from __future__ import annotations

from collections.abc import Iterable

ALSO = {"check": "call", "bet": "raise", "raise": "bet"}
"""What else a move goes by, where that is no other move on offer."""


def meant(said: str, offered: Iterable[str]) -> list[str]:
    """The moves on offer that are called so; where none is, those that begin so, or else have it in them.

    Nothing but what is on offer counts. More than one answer means that it may be any of them.
    """
    said, words = " ".join(said.lower().split()), list(offered)
    called = {word: {word.lower()} | ({ALSO.get(word, word)} - set(words)) for word in words}
    for fits in (str.__eq__, str.startswith, str.__contains__):
        if found := [word for word in words if said and any(fits(name, said) for name in called[word])]:
            return found
    return []


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
