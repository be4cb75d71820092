"""Spots of hold'em for two from the flop on: a board, ranges, a pot, stacks and what may be bet."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, final

from feint.games.cards import Cards, Deck, best_five
from feint.games.errors import BadInput
from feint.games.hand import Menu, Round
from feint.games.holdem import RANKS
from feint.games.poker import Poker
from feint.games.poker_spots import read_cards
from feint.games.ranges import Range, read_range
from feint.games.spot_words import (
    MENU,
    SEATS,
    STREETS,
    Lock,
    check_names,
    locks_of,
    menu_of,
    menus_of,
    number_of,
    text_of,
)
from feint.games.streets import Street, read_streets
from feint.games.words import called_alike, either, meant

DECK = Deck(RANKS, copies=4, suits=True)
CAP = 4
"""Bets and raises in a row where they are fixed."""
UNFIXED = ("stack", "menus", "bets", "raises", "all_in")
"""What is not said where they are."""
LEAST_CHIPS, MOST_CHIPS = 1e-3, 1e9
"""In a pot, a stack or a fixed bet."""
MOST_SIZES = 20
"""Bets, and raises, that a player is offered on a street."""
LARGE = 10
"""Bets of more times the pot that nobody can make were meant as percent."""
MOST_DECISIONS = 10_000
"""Betting decisions: what is written out for them takes minutes to compile."""
SELDOM = 1e-9
"""Two hands come together more often, by their weights; what comes less often is rounded to never on the way."""


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
    """What may be bet: the same everywhere, or by street (flop, turn, river) and player (oop, ip).

    Streets that are over may be among them, so that a file serves for later boards, too.
    """
    rake: float = 0.0
    """The share of every pot that the house takes, what nobody called returned first …"""
    rake_cap: float | None = None
    """… up to so many chips; None for no limit."""
    locks: tuple[Lock, ...] = ()
    """What players are bound to, if anything."""
    limit: float | None = None
    """The bet on the flop where bets are fixed, later ones being twice that; nobody runs out of chips then."""

    def __post_init__(self) -> None:
        wanted = {"pot": self.pot} | ({"stack": self.stack} if self.limit is None else {"limit": self.limit})
        for name, value in wanted.items():
            if not LEAST_CHIPS <= value <= MOST_CHIPS:
                other = "; count in other chips" if 0 < value < math.inf else ""
                raise BadInput(
                    f"A spot needs a {name} from {LEAST_CHIPS:g} to {MOST_CHIPS:,.0f} chips, but {name}={value:g} was "
                    f"given{other}."
                )
        if not 0 <= self.rake < 1:
            raise BadInput(f"Rake is a share of the pot from 0 to below 1, but {self.rake:g} was given; 0.05 is usual.")
        if self.rake_cap is not None and not 0 <= self.rake_cap < math.inf:
            raise BadInput(f"A cap on rake is 0 chips or more, but {self.rake_cap:g} was given; leave it out for none.")
        if self.rake_cap is not None and not self.rake:
            raise BadInput(f"A cap on rake of {self.rake_cap:g} was given, but no rake; give one such as 0.05 as well.")
        if len(self.cards) not in STREETS:
            raise BadInput(
                f"A board has 3, 4 or 5 cards, but {self.board!r} has {len(self.cards)}; name such as QsJh2h."
            )
        if len(set(self.cards)) < len(self.cards):
            raise BadInput(f"The board {self.board!r} names a card twice; change one.")
        self._check_menus()
        self._check_ranges(self.cards)
        for lock in self.locks:
            self.bound(lock)

    def _check_ranges(self, board: Cards) -> None:
        """Refuse a board that leaves a player no hands, or no two that can meet."""
        pairs = product(*(self._held(seat, board).items() for seat in SEATS))
        if not any(one * other > SELDOM and not set(mine) & set(theirs) for (mine, one), (theirs, other) in pairs):
            on = "" if board == self.cards else f" on {''.join(map(DECK.name, board))}"
            raise BadInput(
                f"No two hands of these ranges can meet{on}, as they share cards or hardly come; give wider ones."
            )

    def _check_menus(self) -> None:
        """Refuse bets that nobody can make, and more than anybody offers."""
        for street, seat in product(self.streets, SEATS):
            menu, where = self.menu(street, seat), f"{seat} on the {street}"
            for name, sizes in (("bets", menu.bets), ("raises", menu.raises)):
                self._check_percent(sizes, name, where)
                if wrong := [size for size in sizes if not 0 < size < math.inf]:
                    raise BadInput(
                        f"The {name} of {where} are fractions of the pot above 0 such as 0.5, but {wrong[0]:g} was "
                        f"given."
                    )
                if len(sizes) > MOST_SIZES:
                    raise BadInput(
                        f"The menu of {where} has at most {MOST_SIZES} {name}, but {len(sizes)} were given; leave some "
                        f"out."
                    )
            if not (menu.bets or menu.raises or menu.all_in):
                raise BadInput(f"The menu of {where} offers nothing; give bets, or all_in.")
        menus = [self.menu(street, seat) for street, seat in product(self.streets, SEATS)]
        offered = sorted({size for menu in menus for size in (*menu.bets, *menu.raises)})
        if alike := called_alike(offered):
            raise BadInput(f"Several sizes are called {alike}, since they hardly differ; leave all but one out.")
        if not any(menu.bets or menu.all_in for menu in menus):
            raise BadInput(
                f"Nobody may bet on the {either(self.streets, 'or the')}, and without a bet nobody can raise; give "
                f"bets, or all_in."
            )

    def _check_percent(self, sizes: tuple[float, ...], name: str, where: str) -> None:
        """Refuse sizes that are meant as percent: taken as they stand, all of them are far above all-in from the start.

        Pots only grow and stacks only shrink, and raises are fractions of pots that are larger still.
        """
        if self.limit is None and sizes and min(sizes) > LARGE and self.stack <= min(sizes) * self.pot < math.inf:
            told = either([f"{size:g}" for size in sizes], "and")
            percent = ",".join(f"{size:g}%" for size in sizes)
            raise BadInput(
                f"The {name} of {where} are {told} times the pot, which is the stack of {self.stack:g} or more; "
                f"write {percent} for percent of the pot, or give smaller ones."
            )

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

    def _held(self, seat: str, board: Cards) -> Range:
        """How often a player comes with each hand that a board leaves; refused where there is none."""
        held = {hand: weight for hand, weight in self.range(seat).items() if weight > 0}
        if left := {hand: weight for hand, weight in held.items() if not set(hand) & set(board)}:
            return left
        told = self.board if board == self.cards else "".join(map(DECK.name, board))
        raise BadInput(f"Every hand in the range of {seat} has a card of the board {told}; give others.")

    @cached_property
    def game(self) -> Poker:
        """The rules of the spot, refused where its betting is too much to be compiled."""
        if (many := (game := self._declared()).size.decisions) > MOST_DECISIONS:
            raise BadInput(
                f"{game.name} has {many:,} betting decisions, and {MOST_DECISIONS:,} are the most that are compiled; "
                f"offer fewer or larger bets, or start on a later street."
            )
        return game

    def _declared(self) -> Poker:
        """The rules. Half of the pot is each player's, as if it were an ante."""
        boards = (len(self.cards), *(1,) * (len(self.streets) - 1))
        fixed = Poker(
            deck=DECK,
            rounds=tuple(
                Round(self._fixed(street), CAP, board, 1) for street, board in zip(self.streets, boards, strict=True)
            ),
            showdown=best_five,
            hole=2,
            ante=self.pot / 2,
            rake=self.rake,
            rake_cap=self.rake_cap,
            name=f"hold'em on {self.board}",
        )
        if self.limit is not None:
            return fixed
        menus = [(self.menu(street, "ip"), self.menu(street, "oop")) for street in self.streets]
        sizes = {size for pair in menus for menu in pair for size in (*menu.bets, *menu.raises)}
        return replace(
            fixed,
            rounds=tuple(Round(board=board, first=1, menus=pair) for board, pair in zip(boards, menus, strict=True)),
            stack=self.pot / 2 + self.stack,
            pot_bets=tuple(sorted(sizes)) or (1.0,),
            least=0.0,
        )

    def _fixed(self, street: str) -> float:
        """The bet on a street where bets are fixed."""
        return (self.limit or 1.0) * (1 if street == "flop" else 2)

    def after(self, betting: str) -> Street:
        """Where the hand stands after betting such as `check 0.5 pot call / 5c check`."""
        street = read_streets(self.game, self.cards, betting)
        if street.dealt:
            self._check_ranges((*self.cards, *(card for cards in street.dealt for card in cards)))
        return street

    def bound(self, lock: Lock) -> tuple[Street, tuple[float, ...], Set[Cards]]:
        """What a lock means: where it is for, how often each legal move is made, and the hands that it is for."""
        street = self.after(lock.betting)
        offered = [self.game.spoken(street.hand, move) for move in self.game.legal(street.hand)]
        chances = dict.fromkeys(offered, 0.0)
        for said, chance in lock.moves.items():
            if len(found := meant(said, offered)) != 1:
                where = f"after {lock.betting!r}" if lock.betting else "at the start"
                raise BadInput(f"A lock {where} has no move {said!r}; the moves there are {either(offered, 'and')}.")
            chances[found[0]] += number_of(chance, f"lock on {said!r}")
        if not (min(chances.values()) >= 0 and math.isclose(sum(chances.values()), 1, abs_tol=1e-6)):
            raise BadInput(f"The chances of a lock are 0 or more and sum to 1, but {dict(lock.moves)} was given.")
        hands = read_range(lock.hands, DECK)
        if set(hands.values()) != {1.0}:
            raise BadInput(f"The hands of a lock have no weights, but {lock.hands!r} was given; leave them out.")
        seat = next(seat for seat, player in SEATS.items() if player == street.hand.actor)
        gone = {*self.cards, *(card for cards in street.dealt for card in cards)}
        held = self.range(seat)  # read once, and not for each hand
        if not any(held.get(hand, 0) > 0 and not gone & set(hand) for hand in hands):
            raise BadInput(f"A lock is for {lock.hands!r}, which {seat} never holds there; name hands of its range.")
        return street, tuple(chances.values()), hands.keys()

    def words(self) -> dict[str, Any]:
        """The spot as JSON has it, which `read` reads."""
        locks = [{"betting": each.betting, "moves": _as_floats(each.moves), "hands": each.hands} for each in self.locks]
        told = asdict(replace(self, menus=MENU, locks=())) | {"locks": locks}
        if self.limit is not None:
            return {name: value for name, value in told.items() if name not in UNFIXED}
        menus = {street: {seat: asdict(self.menu(street, seat)) for seat in SEATS} for street in self.streets}
        return {name: value for name, value in told.items() if name != "limit"} | {"menus": menus}

    @classmethod
    def read(cls, words: Mapping[str, Any]) -> Spot:
        """A spot as JSON has it: menus by street and player, or one under `bets`, `raises` and `all_in` for all.

        With `limit` bets are fixed, and nothing of that and no stack is said.
        """
        always = "board", "oop", "ip", "pot"
        check_names(words, (*always, *UNFIXED, "limit", "rake", "rake_cap", "locks"), "A spot")
        needed = [*always, *(["stack"] if words.get("limit") is None else [])]
        if missing := [name for name in needed if name not in words]:
            raise BadInput(f"A spot needs {', '.join(needed)}, but {', '.join(missing)} is missing.")
        if "stack" not in needed and (loose := [name for name in UNFIXED if name in words]):
            raise BadInput(
                f"A spot with fixed bets has no {either(UNFIXED)}, but {either(loose, 'and')} was given; leave out one "
                f"or the other."
            )
        if "menus" in words and (same := [name for name in ("bets", "raises", "all_in") if name in words]):
            given = either(["menus", *same], "and")
            raise BadInput(
                f"A spot has menus by street and player or the same for all, but {given} were given; leave some out."
            )
        cap = words.get("rake_cap")
        return cls(
            text_of(words["board"], "board", "QsJh2h"),
            text_of(words["oop"], "oop", "AA,KQs,T9o:0.5"),
            text_of(words["ip"], "ip", "AA,KQs,T9o:0.5"),
            number_of(words["pot"], "pot"),
            number_of(words.get("stack", 0.0), "stack"),
            menus_of(words["menus"]) if "menus" in words else menu_of(words),
            number_of(words.get("rake", 0.0), "rake"),
            None if cap is None else number_of(cap, "rake_cap"),
            locks_of(words.get("locks", [])),
            None if words.get("limit") is None else number_of(words["limit"], "limit"),
        )


def _as_floats(moves: Mapping[str, float]) -> dict[str, float]:
    """The moves of a lock, whose numbers may be NumPy's, which JSON does not know."""
    return {said: float(chance) for said, chance in moves.items()}
