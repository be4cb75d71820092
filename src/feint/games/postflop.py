"""Spots of no-limit hold'em for two from the flop on: a board, ranges, a pot, stacks and what may be bet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from feint.games.cards import Cards, Deck, best_five
from feint.games.errors import BadInput, nearest
from feint.games.hand import Menu, Round
from feint.games.holdem import RANKS
from feint.games.poker import Poker
from feint.games.poker_spots import read_cards
from feint.games.ranges import Range, read_range

DECK = Deck(RANKS, copies=4, suits=True)
STREETS = {3: "flop", 4: "turn", 5: "river"}
IN_POSITION, OUT_OF_POSITION = 0, 1
"""The dealer acts last on every street."""
SEATS = {"oop": OUT_OF_POSITION, "ip": IN_POSITION}
MENU = Menu((0.5, 1.0), (0.5,))
"""What may be bet unless someone says otherwise."""


@final
@dataclass(frozen=True)
class Spot:
    """A spot: who holds what, what lies in the pot, and what may be bet from here on."""

    board: str
    """Three to five cards, such as QsJh2h."""
    oop: str
    """The range of the player out of position, who acts first: AA,KQs,T9o:0.5."""
    ip: str
    """The range of the player in position."""
    pot: float
    """Chips in the pot."""
    stack: float
    """Chips that each player has behind."""
    menus: Mapping[str, Mapping[str, Menu]] | Menu = MENU
    """What may be bet: the same everywhere, or by street (flop, turn, river) and player (oop, ip)."""

    def __post_init__(self) -> None:
        for name, value, least in (("pot", self.pot, 0.0), ("stack", self.stack, 0.0)):
            if not (least < value < math.inf):
                raise BadInput(f"A spot needs a {name} above 0, but {name}={value:g} was given.")
        if len(self.cards) not in STREETS:
            raise BadInput(
                f"A board has 3, 4 or 5 cards, but {self.board!r} has {len(self.cards)}; name such as QsJh2h."
            )
        if len(set(self.cards)) < len(self.cards):
            raise BadInput(f"The board {self.board!r} names a card twice; change one.")
        for street in self.streets:
            for seat in SEATS:
                menu = self.menu(street, seat)
                if not all(0 < size < math.inf for size in (*menu.bets, *menu.raises)):
                    raise BadInput(
                        f"Bets are fractions of the pot above 0, but {menu} was given for {seat} on the {street}."
                    )
                if not (menu.bets or menu.raises or menu.all_in):
                    raise BadInput(f"The menu of {seat} on the {street} offers nothing; give bets, or all_in.")
        for seat in SEATS:
            if not any(weight > 0 and not set(hand) & set(self.cards) for hand, weight in self.range(seat).items()):
                raise BadInput(f"Every hand in the range of {seat} has a card of the board {self.board}; give others.")

    @cached_property
    def cards(self) -> Cards:
        return read_cards("hold'em", DECK, self.board, "board")

    @cached_property
    def streets(self) -> tuple[str, ...]:
        """The street that the spot is on, and those to come."""
        return tuple(STREETS[count] for count in range(len(self.cards), 6))

    def menu(self, street: str, seat: str) -> Menu:
        """What a player may bet on a street."""
        return self.menus if isinstance(self.menus, Menu) else self.menus.get(street, {}).get(seat, MENU)

    def range(self, seat: str) -> Range:
        """How often a player comes with each hand, those with a card of the board among them."""
        return read_range(self.oop if seat == "oop" else self.ip, DECK)

    @cached_property
    def game(self) -> Poker:
        """The rules of the spot. Half of the pot is each player's, as if it were an ante."""
        menus = [(self.menu(street, "ip"), self.menu(street, "oop")) for street in self.streets]
        sizes = {size for pair in menus for menu in pair for size in (*menu.bets, *menu.raises)}
        boards = (len(self.cards), *(1,) * (len(self.streets) - 1))
        return Poker(
            deck=DECK,
            hole=2,
            ante=self.pot / 2,
            stack=self.pot / 2 + self.stack,
            pot_bets=tuple(sorted(sizes)) or (1.0,),
            least=0.0,
            rounds=tuple(Round(board=board, first=1, menus=pair) for board, pair in zip(boards, menus, strict=True)),
            showdown=best_five,
            name=f"hold'em on {self.board}",
        )

    @classmethod
    def read(cls, words: Mapping[str, Any]) -> Spot:
        """A spot as JSON has it: menus by street and player, or one under `bets`, `raises` and `all_in` for all."""
        known = ("board", "oop", "ip", "pot", "stack", "menus", "bets", "raises", "all_in")
        for name in words:
            if name not in known:
                raise BadInput(f"A spot has nothing called {name!r}; {nearest(name, known)}")
        if missing := [name for name in known[:5] if name not in words]:
            raise BadInput(f"A spot needs {', '.join(known[:5])}, but {', '.join(missing)} is missing.")
        menus: Any = _menu(words)
        if "menus" in words:
            menus = {street: {seat: _menu(menu) for seat, menu in by.items()} for street, by in words["menus"].items()}
        try:
            return cls(
                str(words["board"]),
                str(words["oop"]),
                str(words["ip"]),
                float(words["pot"]),
                float(words["stack"]),
                menus,
            )
        except (TypeError, ValueError) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(
                f"A spot has a pot and a stack in chips, but {words['pot']!r} and {words['stack']!r} were given."
            ) from error


def _told(words: Mapping[str, Any]) -> str:
    return " and ".join(f"{name} {words[name]}" for name in ("bets", "raises") if name in words)


def _menu(words: Mapping[str, Any]) -> Menu:
    try:
        bets, raises = (
            tuple(sorted({float(size) for size in words.get(name, default)}))
            for name, default in (("bets", MENU.bets), ("raises", MENU.raises))
        )
    except (TypeError, ValueError) as error:
        raise BadInput(
            f"Bets are lists of fractions of the pot such as [0.5, 1], but {_told(words)} was given."
        ) from error
    return Menu(bets, raises, bool(words.get("all_in", True)))
