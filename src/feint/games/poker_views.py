"""What players see of a hand of poker, told to people in words and to networks in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feint.games.hand import CALL, FOLD, Hand, Moves, replay

if TYPE_CHECKING:
    from feint.games.cards import Cards
    from feint.games.poker import Poker


def label(game: Poker, hand: Hand, player: int) -> str:
    """Cards, then the betting: `Q` to open, `Q: bet`, `QK: check bet call / check` with a king on the board.

    The board stands apart where players hold several cards: `AhKs 9s7d2c: call check / bet`.
    """
    shown = hand.holes[player][::-1], board_as_told(game, hand)
    groups = ("".join(game.deck.name(card) for card in group) for group in shown)
    cards = (" " if game.hole > 1 else "").join(group for group in groups if group)
    dealer = " (dealer)" if game.rotating_dealer and hand.dealer == player else ""
    betting = betting_in_words(game, hand.dealer, hand.moves)
    return f"{cards}{dealer}: {betting}" if betting else f"{cards}{dealer}"


def board_as_told(game: Poker, hand: Hand) -> Cards:
    """The board as people tell it: street by street, the highest card of each first."""
    told: Cards = ()
    for declared in game.rounds:
        told += hand.board[len(told) : len(told) + declared.board][::-1]
    return told


def betting_in_words(game: Poker, dealer: int, moves: Moves) -> str:
    """The betting so far: `check bet call / check`."""
    rounds: list[list[str]] = [[] for _ in moves]
    for number, player, raises, move in replay(game.players, game.first_seats, dealer, moves):
        rounds[number].append(word(game, dealer, number, player, raises, move))
    return " / ".join(" ".join(words) for words in rounds).rstrip(" /")


def word(game: Poker, dealer: int, number: int, player: int, raises: int, move: int) -> str:
    """What a move is called: a check where there is nothing to call, and a bet where there is nothing to raise."""
    posted = game.blinds[seat] if (seat := (player - dealer) % game.players) < len(game.blinds) else 0.0
    blind = max(game.blinds, default=0.0) if number == 0 else 0.0
    name = game.actions[move]
    if move == CALL and raises == 0 and (number > 0 or posted == blind):
        return "check"
    return "bet" if name == "raise" and raises == 0 and not blind else name


def features(game: Poker, hand: Hand, player: int) -> Sequence[float]:
    """Cards by the round they were dealt in, then who called or raised at each count of raises in each round.

    For Leduc this is the vector of 30 numbers used for neural fictitious self-play: 2 rounds x 3 cards, then
    2 players x 2 rounds x 3 raise counts x 2 moves. Folds need no place: they end the hand or show as the
    absence of a move.
    """
    rounds, kinds, counts = len(game.rounds), len(game.actions) - 1, game.size.raises + 1
    cards = [0.0] * (rounds * game.deck.kinds)
    dealt = iter(hand.board)
    for number, declared in enumerate(game.rounds):
        group = hand.holes[player] if number == 0 else ()
        for card in (*group, *(next(dealt, None) for _ in range(declared.board))):
            if card is not None:
                cards[number * game.deck.kinds + card] += 1.0
    history = [0.0] * (game.players * rounds * counts * kinds)
    for number, actor, raises, move in replay(game.players, game.first_seats, hand.dealer, hand.moves):
        if move != FOLD:
            history[((actor * rounds + number) * counts + raises) * kinds + move - CALL] = 1.0
    return cards + history
