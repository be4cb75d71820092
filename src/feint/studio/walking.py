"""A walk through the betting of a poker game: where one stands, how one came there, and where one can go."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, Self, final

from feint.games.cards import Cards
from feint.games.game import TERMINAL
from feint.games.hand import Hand, Moves, replay
from feint.games.poker import Poker
from feint.games.poker_spots import bet
from feint.games.poker_views import betting_in_words
from feint.studio.strategies import Pages


class Step(NamedTuple):
    """A move on the way, made or offered."""

    player: int
    word: str
    betting: str | None
    """The betting with it, in words; None where the hand is over then."""


@final
@dataclass(frozen=True)
class Walk:
    """Where one stands."""

    game: Poker
    hand: Hand
    made: tuple[Step, ...]
    offered: tuple[Step, ...]

    @classmethod
    def to(cls, game: Poker, betting: str, dealer: int = 0) -> Self:
        """To where some betting leads; refuses what cannot be bet."""
        here = bet(game, betting, dealer)
        hand, made = game.deal_until_a_turn(game.seat(dealer)), list[Step]()
        for _, player, _, move in replay(game.players, game.first_seats, dealer, here.moves):
            word, hand = game.spoken(hand, move), game.deal_until_a_turn(game.play(hand, move))
            made.append(Step(player, word, betting_in_words(game, dealer, hand.moves)))
        offered = []
        for move in game.legal(here):
            after = game.deal_until_a_turn(game.play(here, move))
            words = None if after.actor == TERMINAL else betting_in_words(game, dealer, after.moves)
            offered.append(Step(here.actor, game.spoken(here, move), words))
        return cls(game, here, tuple(made), tuple(offered))

    @property
    def betting(self) -> str:
        return betting_in_words(self.game, self.hand.dealer, self.hand.moves)


class Range(NamedTuple):
    """What the others hold, for a player with some card who saw what everybody saw."""

    comes: float
    """How often it comes to this as far as chance and the others decide: the card, the board and their moves."""
    held: dict[int, dict[int, float]]
    """For each other player, how likely each card is; nothing where it never comes to this."""


def range_against(pages: Pages, walk: Walk, own: int, board: Cards) -> Range:
    """What the others hold at a decision of a game with one card each: exact, by going through all deals."""
    game, hand = walk.game, walk.hand
    others = [player for player in range(game.players) if player != hand.actor]
    weights = {
        held: chance
        for held in product(range(game.deck.kinds), repeat=len(others))
        if (chance := dealt(game, (own, *board, *held)))
    }
    for held, chance in weights.items():
        weights[held] = chance * _played(pages, walk, dict(zip(others, held, strict=True)), board)
    total = sum(weights.values())
    likely: dict[int, dict[int, float]] = {player: {} for player in others} if total else {}
    for held, weight in weights.items() if total else ():
        for player, card in zip(others, held, strict=True):
            likely[player][card] = likely[player].get(card, 0.0) + weight / total
    return Range(total / (game.players if game.rotating_dealer else 1), likely)


def dealt(game: Poker, cards: Cards) -> float:
    """How likely these cards come one after the other."""
    left, chance = Counter(dict.fromkeys(range(game.deck.kinds), game.deck.copies_of_kind)), 1.0
    for card in cards:
        chance *= left[card] / left.total()
        left[card] -= 1
        if not chance:
            break
    return chance


def _played(pages: Pages, walk: Walk, held: dict[int, int], board: Cards) -> float:
    """How likely those who hold these cards made the moves that they made."""
    game, hand, likely = walk.game, walk.hand, 1.0
    before: Moves = ((),)
    for number, player, _, move in replay(game.players, game.first_seats, hand.dealer, hand.moves):
        before = (*hand.moves[:number], before[-1] if len(before) == number + 1 else ())
        if player in held:
            seen = board[: sum(declared.board for declared in game.rounds[: number + 1])]
            row = pages.number[player, (hand.dealer, (held[player],), seen, before)]
            likely *= float(pages.table[row, pages.tree.actions.index(game.actions[move])])
        before = (*before[:-1], (*before[-1], move))
    return likely
