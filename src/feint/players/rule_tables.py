"""The rule bot's tables: two that are printed, and ours in the same form.

Printed are Table 1 (two aces or two kings before the flop) and Table 2 (a flush) of Dorohyi, Tsurkan and Lisovyi,
"Neural network optimization of algorithm DeepStack for playing in Leduc Hold'em", which tell them of Rembrandt (Vohl,
Bošković and Brest 2012). They are followed to the letter: also where Table 2 has the lower flush play the bolder, and
where Table 1 counts a re-raise in small blinds. The eight other groups of starting hands, the other made hands and all
of Leduc's are ours. docs/rule_bot.md tells how they are read.
"""

from __future__ import annotations

from functools import cache

from feint.games.cards import (
    FLUSH,
    FOUR_OF_A_KIND,
    HIGH_CARD,
    PAIR,
    STRAIGHT,
    THREE_OF_A_KIND,
    TWO_PAIR,
    Cards,
    Deck,
    best_five,
)
from feint.games.postflop import DECK
from feint.games.ranges import kind_of, read_range
from feint.players.action_tables import ActionTable

TABLE_1 = ActionTable(first="raise 3-5 big blinds", raised="raise 3-4 small blinds", reraised="all-in", all_in="call")
TABLE_2_WITH_ACE = ActionTable(
    first="check/raise", check="check/raise", raised="call/re-raise", reraised="all-in/call", all_in="call"
)
TABLE_2_OTHER = ActionTable(
    first="check/raise", check="check/raise", raised="re-raise", reraised="all-in", all_in="call/fold"
)

STARTING_HANDS = {
    "AA,KK": TABLE_1,
    "QQ,JJ,AKs": ActionTable("raise 3-5 big blinds", "call/re-raise", "call/all-in", "call"),
    "TT,99,AKo,AQs,AJs,KQs": ActionTable("raise 3-5 big blinds", "call/re-raise", "call", "call"),
    "88,77,AQo,AJo,ATs,KJs,QJs": ActionTable("raise 3-4 big blinds", "call", "call", "call/fold"),
    "66-22": ActionTable("call/raise 3-4 big blinds", "call", "call/fold", "fold"),
    "A9s-A2s,KTs,QTs,JTs,T9s,98s": ActionTable("call/raise 3-4 big blinds", "call", "call/fold", "fold"),
    "ATo,A9o,KQo,KJo,QJo,JTo": ActionTable("call/raise 3-4 big blinds", "call/fold", "fold", "fold"),
    "A8o-A2o,KTo-K2o,K9s-K2s,QTo,Q9s-Q2s,J9s,J8s,T8s,97s,87s,76s,65s,54s": ActionTable(
        "call", "call/fold", "fold", "fold"
    ),
    "": ActionTable("call/fold", "fold", "fold", "fold"),
}
"""Nine groups of starting hands by combination and suit, the best first; the last has whatever no other has."""

MADE_HANDS = {
    "a full house or better": ActionTable("check/raise", "re-raise", "all-in", "call", check="raise"),
    "a flush with the ace": TABLE_2_WITH_ACE,
    "another flush": TABLE_2_OTHER,
    "a straight": ActionTable("check/raise", "call/re-raise", "call/all-in", "call", check="raise"),
    "three of a kind": ActionTable("check/raise", "call/re-raise", "call/all-in", "call", check="raise"),
    "two pairs": ActionTable("raise", "call/re-raise", "call", "call", check="raise"),
    "the top pair": ActionTable("check/raise", "call", "call", "call/fold", check="raise"),
    "a lower pair": ActionTable("check", "call", "call/fold", "fold", check="check/raise"),
    "nothing": ActionTable("check", "fold", "fold", "fold", check="check/raise"),
}
"""What two cards and the board make, the best first."""

LEDUC_CARDS = {
    "the highest rank": TABLE_1,
    "a rank between": ActionTable("check/raise", "call", "call/fold", "call/fold"),
    "the lowest rank": ActionTable("check", "call/fold", "fold", "fold", check="check/raise"),
}
"""Leduc's starting hands: Table 1 is for the best of them."""

LEDUC_HANDS = {
    "a pair of the highest rank": TABLE_2_WITH_ACE,
    "another pair": TABLE_2_OTHER,
    "a card above the board": ActionTable("check/raise", "call", "call/fold", "call/fold"),
    "a card below the board": ActionTable("check", "call/fold", "fold", "fold", check="check/raise"),
}
"""What a card and Leduc's board make: Table 2 is for the best of it."""


def starting_hand(deck: Deck, hole: Cards) -> ActionTable:
    """The table for two cards before the flop."""
    return _groups().get(kind_of(tuple(sorted(hole)), deck), STARTING_HANDS[""])


@cache
def _groups() -> dict[str, ActionTable]:
    """The table of every starting hand by its name, but for those of the last group."""
    named = ((hands, table) for hands, table in STARTING_HANDS.items() if hands)
    return {kind_of(cards, DECK): table for hands, table in named for cards in read_range(hands, DECK)}


def made_hand(deck: Deck, hole: Cards, board: Cards) -> str:
    """What two cards make of the board, by its name in `MADE_HANDS`; nothing, where the board makes it alone."""
    strength = best_five(deck, hole, board)
    category, top = strength[:2]
    if len(board) == 5 and strength == best_five(deck, (), board):
        return "nothing"
    mine = {deck.rank(card) for card in hole} & {top, strength[2] if category == TWO_PAIR else top}
    if category in (PAIR, TWO_PAIR) and mine:
        best = max(mine) >= max(map(deck.rank, board))
        return "two pairs" if len(mine) == 2 else "the top pair" if best else "a lower pair"
    if category in (HIGH_CARD, PAIR, TWO_PAIR) or (category in (THREE_OF_A_KIND, FOUR_OF_A_KIND) and not mine):
        return "nothing"
    if category == FLUSH:
        return "a flush with the ace" if deck.ranks[top] == "A" else "another flush"
    return {THREE_OF_A_KIND: "three of a kind", STRAIGHT: "a straight"}.get(category, "a full house or better")


def leduc_card(deck: Deck, card: int) -> str:
    """A starting hand of Leduc, by its name in `LEDUC_CARDS`."""
    rank = deck.rank(card)
    return "the highest rank" if rank == len(deck.ranks) - 1 else "a rank between" if rank else "the lowest rank"


def leduc_hand(deck: Deck, card: int, board: int) -> str:
    """What a card makes of Leduc's board, by its name in `LEDUC_HANDS`."""
    rank, other = deck.rank(card), deck.rank(board)
    if rank == other:
        return "a pair of the highest rank" if rank == len(deck.ranks) - 1 else "another pair"
    return "a card above the board" if rank > other else "a card below the board"
