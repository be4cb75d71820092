"""How large a game of poker is, from its betting and its deck alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from feint.games.game import CHANCE
from feint.games.hand import Hand

if TYPE_CHECKING:
    from feint.games.poker import Poker


class Size(NamedTuple):
    """How large a game is."""

    nodes: int
    infosets: int
    raises: int
    """The most bets and raises that one round can see."""


def size_of(game: Poker) -> Size:
    """The size of a game: one deal shows all the betting, and each of its hands stands for every other deal."""
    boards = tuple(declared.board for declared in game.rounds)

    @cache  # by all that decides what can follow: how the pot came about does not
    def below(hand: Hand) -> Size:
        up = boards[: len(hand.moves)]
        nodes, infosets, raises = game.deck.deals((game.hole,) * len(hand.holes) + up), 0, hand.raises
        after = [game.deal_some(hand)] if hand.actor == CHANCE else []
        if hand.actor >= 0:
            infosets = game.deck.deals((game.hole, *up))
            after = [game.play(hand, move) for move in game.legal(hand)]
        for each in after:
            further = below(each._replace(moves=((),) * len(each.moves)))
            nodes, infosets = nodes + further.nodes, infosets + further.infosets
            raises = max(raises, further.raises)
        return Size(nodes, infosets, raises)

    size, dealers = below(game.seat(0)), game.players
    return Size(1 + dealers * size.nodes, dealers * size.infosets, size.raises) if game.rotating_dealer else size
