"""Hands of poker for two as the annual computer poker competition (ACPC) writes them: MATCHSTATE lines.

`MATCHSTATE:0:30:cc/r250:9s8h|/8c8d5c` says who reads it (position 0), the number of the hand, the betting round by
round (f, c, and r with all that the raiser has then put in, where bets are not fixed), the cards of both positions,
of which a reader knows its own, and the board round by round. With blinds position 0 posts the big one and position
1, the dealer, the small one; here player 1 is the dealer. Chips are whole numbers, the big blind being 100 where bets
are not fixed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, final

from feint.games.cards import Cards
from feint.games.errors import BadInput, IllegalMove
from feint.games.game import CHANCE, TERMINAL
from feint.games.hand import CALL, FOLD, RAISE, Hand, Moves
from feint.games.poker import Poker

RANKS, SUITS = "23456789TJQKA", "cdhs"
LINE = re.compile(r"MATCHSTATE:([01]):(\d{1,9}):([fcr/\d]{0,200}):([2-9TJQKAcdhs]{0,8}\|[2-9TJQKAcdhs/]{0,40})")
ACTION = re.compile(r"f|c|r(\d{0,9})")
BIG_BLIND = 100
"""Chips that the big blind counts for where bets are not fixed."""


@final
@dataclass(frozen=True)
class Told:
    """What a line says."""

    position: int
    hand: int
    betting: tuple[tuple[tuple[str, int | None], ...], ...]
    """Round by round the moves: f, c or r, with all that the raiser has put in where that is said."""
    holes: tuple[tuple[str, ...], tuple[str, ...]]
    """What each position holds, as far as it is known, as cards are written."""
    board: tuple[tuple[str, ...], ...]


@final
@dataclass(frozen=True)
class Notation:
    """How the hands of one game are written."""

    game: Poker

    def __post_init__(self) -> None:
        game = self.game
        if game.players != 2 or game.rotating_dealer or len(game.deck.ranks) > 13 or game.deck.copies > 4:
            raise BadInput(f"ACPC lines are written for poker for two with cards of 4 suits, which {game.name} is not.")
        if game.rounds[0].board:
            raise BadInput(
                f"ACPC lines have no board before the first betting, and {game.name} has; choose another game."
            )

    @property
    def scale(self) -> float:
        """What a chip here counts for there."""
        return BIG_BLIND / self.game.big_blind if self.game.pot_bets else 1.0

    def position(self, player: int) -> int:
        """Where a player sits there; the same the other way round."""
        return 1 - player if self.game.blinds else player

    def line(self, player: int, number: int, view: Any, revealed: Mapping[int, Cards] | None = None) -> str:
        """What a player sees of a hand, and what was shown at its end."""
        _, hole, board, moves = view
        held: list[Cards] = [(), ()]
        for who, cards in {**(revealed or {}), player: hole}.items():
            held[self.position(who)] = cards
        written = self._written([*held[self.position(player) :], *held[: self.position(player)], board])
        own, other, open_ = written[0], written[1], written[2]
        both = (own, other) if self.position(player) == 0 else (other, own)
        turned = iter(open_)
        streets = ["".join(islice(turned, declared.board)) for declared in self.game.rounds[1 : len(moves)]]
        shown = "|".join("".join(cards) for cards in both) + "".join(f"/{street}" for street in streets)
        return f"MATCHSTATE:{self.position(player)}:{number}:{self.betting(moves)}:{shown}"

    def betting(self, moves: Moves) -> str:
        """The betting of a hand."""
        hand, words = self.game.deal_until_a_turn(self.game.start()), list[str]()
        for made in moves:
            words.append("")
            for move in made:
                after = self.game.play(hand, move)
                words[-1] += {FOLD: "f", CALL: "c"}.get(move, f"r{self.chips(after.paid[hand.actor])}")
                hand = self.game.deal_until_a_turn(after)
        return "/".join(words)

    def chips(self, paid: float) -> str:
        """A raise as it is written: nothing where bets are fixed."""
        return str(round(paid * self.scale)) if self.game.pot_bets else ""

    def move(self, hand: Hand, action: str) -> int | None:
        """The move that an action means: of raises the one on offer that is nearest; None where it is not legal."""
        found = ACTION.fullmatch(action)
        if found is None:
            return None
        legal = self.game.legal(hand)
        if action[0] in "fc":
            move = FOLD if action == "f" else CALL
            return move if move in legal else None
        raises = [move for move in legal if move >= RAISE]
        if not raises or (self.game.pot_bets and not found[1]):
            return None
        if not self.game.pot_bets:
            return raises[0]
        asked = int(found[1]) / self.scale
        return min(raises, key=lambda move: abs(self.game.play(hand, move).paid[hand.actor] - asked))

    def seen(self, view: Any) -> Hand:
        """A hand as a player sees it, the other's cards made up: right for who is to move, and what is legal."""
        hand = self.game.deal_until_a_turn(self.game.start())
        for made in view[3]:
            for move in made:
                hand = self.game.deal_until_a_turn(self.game.play(hand, move))
        return hand

    def read(self, line: str) -> Told:
        """What a line says, or a sentence about what is wrong with it."""
        found = LINE.fullmatch(line)
        if found is None:
            raise BadInput(f"{line[:80]!r} is no MATCHSTATE line such as MATCHSTATE:0:30:cc/r250:9s8h|/8c8d5c.")
        position, number, betting, cards = found.groups()
        holes, *board = cards.split("/")
        first, second = (_split(each) for each in holes.split("|"))
        rounds = tuple(
            tuple((word[0], int(word[1:]) if word[1:] else None) for word in re.findall(r"[fc]|r\d*", made))
            for made in betting.split("/")
        )
        told = Told(int(position), int(number), rounds, (first, second), tuple(map(_split, board)))
        declared = [each.board for each in self.game.rounds]
        if len(rounds) > len(declared) or [0, *map(len, told.board)][: len(rounds)] != declared[: len(rounds)]:
            raise BadInput("The betting of a MATCHSTATE line goes further than its board; check the dealer.")
        return told

    def card(self, written: str) -> int:
        """The number of a card."""
        deck, rank = self.game.deck, RANKS.index(written[0]) - len(RANKS) + len(self.game.deck.ranks)
        suit = "shdc".index(written[1])
        # Copies that are one card here may be told with any suits: which, only the dealer knows.
        if rank < 0 or (deck.suits and suit >= deck.copies):
            raise BadInput(f"A MATCHSTATE line has {written}, but {self.game.name} has no such card; check the dealer.")
        return rank * deck.copies + suit if deck.suits else rank

    def dealt(self, told: Told) -> Hand:
        """A hand before its first move, as far as it is told; who reads it is not told what the other holds.

        Whatever is not known is made up of cards that are left, so that only the reader's view of it means anything.
        """
        reader = self.position(told.position)
        known = {self.position(each): tuple(map(self.card, cards)) for each, cards in enumerate(told.holes)}
        board = [self.card(card) for street in told.board for card in street]
        hand = self.game.start()
        for player in range(2):
            left = self._left([*known[0], *known[1], *board])
            if not known[player] and player == reader:
                raise BadInput("A MATCHSTATE line tells the cards of whoever reads it; this one has none of them.")
            known[player] = known[player] or tuple(left[: self.game.hole])
            hand = self._deal(hand, known[player])
        return hand

    def after(self, hand: Hand, told: Told) -> Hand:
        """A hand once chance has dealt what the line tells of the board; it may wait there for more."""
        streets = iter(told.board[len(hand.moves) - 1 :])
        while hand.actor == CHANCE and (street := next(streets, ())):
            hand = self._deal(hand, tuple(map(self.card, street)))
        return hand

    def _deal(self, hand: Hand, cards: Cards) -> Hand:
        try:
            return self.game.deal(hand, cards)
        except IllegalMove as error:
            names = ", ".join(map(self.game.deck.name, cards))
            raise BadInput(f"A MATCHSTATE line deals {names}, which cannot be dealt then; check the dealer.") from error

    def _left(self, gone: list[int]) -> list[int]:
        deck, count = self.game.deck, Counter(gone)
        return [card for card in range(deck.kinds) for _ in range(deck.copies_of_kind - count[card])]

    def _written(self, groups: list[Cards]) -> list[list[str]]:
        """Cards as they are written; copies that are one card here get suits in the order in which they are told."""
        deck, told = self.game.deck, Counter[int]()
        words = []
        for group in groups:
            words.append(list[str]())
            for card in group:
                rank = RANKS[len(RANKS) - len(deck.ranks) + deck.rank(card)]
                suit = "shdc"[deck.suit(card)] if deck.suits else SUITS[-1 - told[card]]
                told[card] += 1
                words[-1].append(rank + suit)
        return words


def _split(cards: str) -> tuple[str, ...]:
    """Cards one by one."""
    if len(cards) % 2 or any(card[0] not in RANKS or card[1] not in SUITS for card in _pairs(cards)):
        raise BadInput(f"A MATCHSTATE line has {cards[:20]!r} for cards, which are written as 9s8h; check the dealer.")
    return tuple(_pairs(cards))


def _pairs(cards: str) -> list[str]:
    return [cards[place : place + 2] for place in range(0, len(cards), 2)]


def over(hand: Hand) -> bool:
    """Whether a hand is over."""
    return hand.actor == TERMINAL
