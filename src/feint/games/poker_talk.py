"""Poker as it is told at a table: who sits where, what lies open, and who shows what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from feint.games.cards import CATEGORIES, Deck, best_five
from feint.games.game import Scene
from feint.games.poker_views import board_as_told
from feint.games.words import chips

if TYPE_CHECKING:
    from feint.games.poker import Hand, Poker

SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


def seated(game: Poker, hand: Hand, player: int) -> str:
    dealer = "the dealer, " if game.blinds and hand.dealer == player else ""
    posted = {"ante": game.ante, "blind": hand.paid[player] - game.ante}
    yours = " and ".join(f"your {name} of {chips(amount)}" for name, amount in posted.items() if amount)
    return f"{dealer}with {yours or 'nothing'} in the pot"


def told(game: Poker, hand: Hand, player: int) -> str:
    board = f", {upturned(game, hand)}" if hand.board else ""
    due = max(hand.paid) - hand.paid[player]
    call = f", {due:g} to call" if hand.actor == player and due else ""
    behind = f", you have {left(game, hand)[player]:g} left" if game.stack is not None else ""
    pot = f"{sum(hand.paid):g} in the pot{call}{behind}"
    return f"you hold {cards(game.deck, hand.holes[player][::-1])}{board}; {pot}"


def left(game: Poker, hand: Hand) -> tuple[float, ...]:
    """What each player has behind; nothing where stacks do not count."""
    return () if game.stack is None else tuple(game.stack - paid for paid in hand.paid)


def upturned(game: Poker, hand: Hand) -> str:
    return f"on the board {cards(game.deck, board_as_told(game, hand))}" if hand.board else ""


def scene(game: Poker, hand: Hand, player: int) -> Scene:
    held = hand.holes[player][::-1] if player < len(hand.holes) else ()
    mine, board = (tuple(map(game.deck.name, group)) for group in (held, board_as_told(game, hand)))
    return Scene(mine, board, hand.paid, left(game, hand))


def shown(game: Poker, hand: Hand, player: int) -> str:
    """What everyone shows who is still in, if more than one is."""
    revealed, words = game.revealed(hand), []
    if not revealed:
        return ""
    for other in sorted(revealed, key=lambda other: other != player):
        who = "you show" if other == player else f"player {other + 1} shows"
        rank = best_five(game.deck, revealed[other], hand.board)[0] if game.showdown is best_five else None
        category = "" if rank is None else f" ({CATEGORIES[rank]})"
        words.append(f"{who} {cards(game.deck, revealed[other][::-1])}{category}")
    board = f"{upturned(game, hand)}; " if hand.board else ""
    return board + ", ".join(words)


def cards(deck: Deck, group: Iterable[int]) -> str:
    """Cards as people know them."""
    names = map(deck.name, group)
    return " ".join(name[:-1] + SUITS[name[-1]] if deck.suits else name for name in names)
