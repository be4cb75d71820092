"""Betting over several streets, with the cards that are dealt between them: `check check / 5c check`."""

from __future__ import annotations

import re
from typing import NamedTuple

from feint.games.cards import Cards
from feint.games.errors import BadInput
from feint.games.hand import Hand
from feint.games.poker import Poker
from feint.games.poker_spots import bet, read_cards

CARD = re.compile(r"(10|[2-9TJQKA])[shdc♠♥♦♣]", re.IGNORECASE)
"""No move is called like a card."""


class Street(NamedTuple):
    """Where a hand stands after some betting."""

    hand: Hand
    """With somebody to move; the cards in it are any."""
    dealt: tuple[Cards, ...]
    """The cards of each street after the first."""


def read_streets(game: Poker, board: Cards, text: str) -> Street:
    """Betting with each card that is dealt in front of what is bet on it; slashes may be left out."""
    streets, cards = [""], list[str]()
    for word in text.replace("/", " ").replace(",", " ").split():
        if CARD.fullmatch(word):
            streets.append("")
            cards.append(word)
        else:
            streets[-1] += f" {word}"
    apart = " / ".join(streets) if cards else text
    hand = bet(game, apart)
    if len(cards) < len(hand.moves) - 1:
        raise BadInput(
            f"{text!r} goes on to another street, but does not say with which card; write such as check check / 5c "
            f"check."
        )
    dealt = read_cards(game.name, game.deck, "".join(cards), "betting")
    if len({*board, *dealt}) < len(board) + len(dealt):
        raise BadInput(f"{text!r} deals a card that lies on the board already; name another.")
    return Street(hand, tuple((card,) for card in dealt))
