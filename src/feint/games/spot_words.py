"""Spots as they are written down: streets and seats, menus, sizes and locks, read from words and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, final

from feint.games.errors import BadInput, nearest
from feint.games.hand import Menu
from feint.games.words import either

STREETS = {3: "flop", 4: "turn", 5: "river"}
IN_POSITION, OUT_OF_POSITION = 0, 1
"""The dealer acts last on every street."""
SEATS = {"oop": OUT_OF_POSITION, "ip": IN_POSITION}
MENU = Menu((0.5, 1.0), (0.5,))
"""What may be bet unless someone says otherwise."""


@final
@dataclass(frozen=True)
class Lock:
    """What a player is bound to after some betting; the other solves against it."""

    betting: str
    """What was bet before, with the cards that were dealt: check check / 5c."""
    moves: Mapping[str, float]
    """How often each move is made; those left out never are."""
    hands: str = "any"
    """The hands that it is for, written as ranges are. What comes later counts."""


def read_sizes(text: str, name: str) -> list[float]:
    """Bets or raises as they are written in one line: `0.5,1` or `50%,100%`; nothing for none."""
    try:
        return [_fraction(size) for size in text.replace(" %", "%").replace(",", " ").split()]
    except ValueError as error:
        raise BadInput(f"{name} are fractions of the pot such as 0.5,1 or 50%,100%, but {text!r} was given.") from error


def _fraction(size: str) -> float:
    """A fraction of the pot, which may be written as percent."""
    percent = size.removesuffix("%")
    return float(size) if percent == size else float(f"{percent}e-2")


def text_of(given: Any, name: str, such: str) -> str:
    if not isinstance(given, str):
        raise BadInput(f"A spot has text such as {such!r} for its {name}, but {given!r} was given; write it in quotes.")
    return given


def number_of(given: Any, name: str) -> float:
    try:
        if not isinstance(given, bool) and isinstance(given, Real):
            return float(given)
    except OverflowError as error:
        raise BadInput(
            f"A spot has a number for its {name}, but one of over 300 digits was given; write such as 0.5."
        ) from error
    raise BadInput(f"A spot has a number for its {name}, but {given!r} was given; write such as 0.5, without quotes.")


def locks_of(words: Any) -> tuple[Lock, ...]:
    if not isinstance(words, list):
        raise BadInput(f"A spot has a list of locks, but {words!r} was given; write it in brackets.")
    return tuple(map(_lock, words))


def _lock(words: Any) -> Lock:
    check_names(words, ("betting", "hands", "moves"), "A lock")
    if not isinstance(moves := words.get("moves"), Mapping):
        raise BadInput(f"A lock needs moves such as {{'check': 0.7, 'pot': 0.3}}, but {moves!r} was given.")
    betting, hands = words.get("betting", ""), words.get("hands", "any")
    return Lock(text_of(betting, "lock's betting", "check 0.5 pot"), moves, text_of(hands, "lock's hands", "AA,KQs"))


def check_names(words: Any, known: Iterable[str], what: str) -> None:
    """Refuse what has other names in it than these."""
    if not isinstance(words, Mapping):
        raise BadInput(f"{what} is an object with {either(known, 'and')}, but {words!r} was given.")
    for name in words:
        if name not in known:
            raise BadInput(f"{what} has nothing called {name!r}; {nearest(name, known)}")


def menus_of(words: Any) -> dict[str, dict[str, Menu]]:
    """Menus by street and player."""
    check_names(words, STREETS.values(), "The menus of a spot")
    for street, by in words.items():
        check_names(by, SEATS, f"The menu of the {street}")
        for seat, menu in by.items():
            check_names(menu, ("bets", "raises", "all_in"), f"The menu of {seat} on the {street}")
    return {street: {seat: menu_of(menu) for seat, menu in by.items()} for street, by in words.items()}


def menu_of(words: Mapping[str, Any]) -> Menu:
    if not isinstance(all_in := words.get("all_in", MENU.all_in), bool):
        raise BadInput(f"all_in is true or false, but {all_in!r} was given; write it without quotes.")
    bets, raises = (_sizes(words.get(name, getattr(MENU, name)), name) for name in ("bets", "raises"))
    return Menu(bets, raises, all_in)


def _sizes(given: Any, name: str) -> tuple[float, ...]:
    if not isinstance(given, list | tuple):
        raise BadInput(f"{name} are a list of fractions of the pot such as [0.5, 1], but {given!r} was given.")
    return tuple(sorted({_size(size, name) for size in given}))


def _size(given: Any, name: str) -> float:
    """A bet or a raise: a number, or percent in quotes."""
    if not (isinstance(given, str) and given.endswith("%")):
        return number_of(given, name)
    sizes = read_sizes(given, name)
    if len(sizes) != 1:
        raise BadInput(f"{name} are a list with each size by itself such as ['50%', '100%'], but {given!r} was given.")
    return sizes[0]
