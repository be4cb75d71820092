"""How large a game of poker is, from its betting and its deck alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from feint.games.errors import BadInput
from feint.games.game import CHANCE
from feint.games.hand import Hand

if TYPE_CHECKING:
    from feint.games.poker import Poker

DECISION_LIMIT = 100_000
"""Betting with more decisions takes gigabytes of memory, and is not counted to its end …"""
RAISE_LIMIT = 100
"""… nor is betting with more bets and raises in a row, which small ones have by the thousand."""


class Size(NamedTuple):
    """How large a game is."""

    nodes: int
    infosets: int
    raises: int
    """The most bets and raises that one round can see."""
    decisions: int
    """Decisions of the betting, whatever the cards."""


def size_of(game: Poker) -> Size:
    """The size of a game: one deal shows all the betting, and each of its hands stands for every other deal."""
    start = _alike(game.seat(0))
    known, deciding = dict[Hand, Size](), 0
    waiting = [(start, _after(game, start))]
    while waiting:  # depth first, without recursion: small raises may follow each other by the hundred
        hand, after = waiting[-1]
        if hand.raises > RAISE_LIMIT:
            raise BadInput(
                f"{game.name} has over {RAISE_LIMIT} bets and raises in a row; choose "
                f"{'a smaller cap' if game.stack is None else 'larger ones, or a smaller stack'}."
            )
        if unknown := [each for each in after if each not in known]:
            waiting += [(each, _after(game, each)) for each in unknown]
            continue
        waiting.pop()
        known[hand] = _size(game, hand, [known[each] for each in after])
        deciding += hand.actor >= 0
        if deciding > DECISION_LIMIT:
            raise _too_large(game)
    size, dealers = known[start], game.players
    if not game.rotating_dealer:
        return size
    return size._replace(nodes=1 + dealers * size.nodes, infosets=dealers * size.infosets)


def check_size(game: Poker) -> None:
    """Refuse betting that is too large to be unrolled, before anything is allocated."""
    if game.size.decisions > DECISION_LIMIT:
        raise _too_large(game)


def _too_large(game: Poker) -> BadInput:
    return BadInput(
        f"{game.name} has over {DECISION_LIMIT:,} betting decisions; choose fewer rounds or bets, or a smaller stack."
    )


def _after(game: Poker, hand: Hand) -> list[Hand]:
    """What may follow; whatever chance deals is the same to betting."""
    if hand.actor == CHANCE:
        return [_alike(game.deal_some(hand))]
    return [_alike(game.play(hand, move)) for move in game.legal(hand)] if hand.actor >= 0 else []


def _alike(hand: Hand) -> Hand:
    """All that decides what can follow: how the pot came about does not."""
    return hand._replace(moves=((),) * len(hand.moves))


def _size(game: Poker, hand: Hand, after: list[Size]) -> Size:
    up = tuple(declared.board for declared in game.rounds[: len(hand.moves)])
    decides = hand.actor >= 0
    return Size(
        game.deck.deals((game.hole,) * len(hand.holes) + up) + sum(each.nodes for each in after),
        decides * game.deck.deals((game.hole, *up)) + sum(each.infosets for each in after),
        max([hand.raises, *(each.raises for each in after)]),
        decides + sum(each.decisions for each in after),
    )
