"""The betting of a poker game, unrolled from its rules: what is left of the tree when the cards are taken out.

Who acts, what is legal and what is in the pot depend on the moves alone, so one deal shows them all: heads-up limit
hold'em, with 10¹⁴ information sets, has 6,378 betting decisions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import numpy as np
from jaxtyping import Bool, Float, Int

from feint.games.cards import best_five, high_card, pair_then_rank, spelt
from feint.games.errors import BadInput
from feint.games.game import TERMINAL
from feint.games.hand import Moves
from feint.games.poker import RAISE, Hand, Poker
from feint.games.poker_sizes import check_size
from feint.games.poker_views import betting_in_words

ILLEGAL = -1
"""The child at a move that is not legal; an end e is −2 − e."""

USUAL = (
    (best_five, ((0, 3), (0, 3, 1), (0, 3, 1, 1), (3, 1, 1), (4, 1), (5,))),
    (pair_then_rank, ((0, 1),)),
    (high_card, ((0,),)),
)
"""Showdowns and the cards turned up in each round, as Feint's own games have them."""


@final
@dataclass(frozen=True, eq=False)
class BettingTree:
    """A poker game without its cards. `n` counts betting decisions, `e` ends, breadth-first; 0 is the first."""

    game: Poker
    labels: tuple[str, ...]
    """The betting before each decision in words, for people …"""
    moves: tuple[Moves, ...]
    """… and move by move, as it is part of what players see."""
    spoken: tuple[tuple[str, ...], ...]
    """What each move is called at each decision; empty where it is not legal."""
    actor: Int[np.ndarray, " n"]
    round: Int[np.ndarray, " n"]
    child: Int[np.ndarray, "n a"]
    """The decision that each move leads to; `ILLEGAL`, or −2 − the number of an end."""
    past: Int[np.ndarray, "n l"]
    """The actor's own earlier decisions in order, as decision · moves + move; −1 in front of the first."""
    history: Float[np.ndarray, "n h"]
    """The betting as the rules' features have it."""
    raises: Float[np.ndarray, "n c"]
    """One indicator for each round and its number of raises so far, as RLCard has it."""
    stakes: Float[np.ndarray, "n p"]
    """What each player has put into the pot at each decision, in chips …"""
    paid: Float[np.ndarray, "e p"]
    """… and at each end."""
    folded: Bool[np.ndarray, "e p"]

    @property
    def name(self) -> str:
        return self.game.name

    @property
    def players(self) -> int:
        return self.game.players

    @property
    def actions(self) -> tuple[str, ...]:
        return self.game.actions

    @property
    def big_blind(self) -> float:
        return self.game.big_blind

    @property
    def legal(self) -> Bool[np.ndarray, "n a"]:
        return np.asarray(self.child != ILLEGAL)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all that decides what a strategy means here; the name plays no part."""
        raked = (self.game.rake, self.game.rake_cap) if self.game.rake else ()
        rules = (self.players, self.actions, self.game.deck, self.game.hole, self.labels, *raked, *_shown(self.game))
        digest = hashlib.sha256(repr(rules).encode())
        for array in (self.actor, self.round, self.child, self.paid, self.folded):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        return f"BettingTree({self.name!r}, {len(self.actor):,} betting decisions)"


def _shown(game: Poker) -> tuple[object, ...]:
    """How hands are shown down, where it is not as in a game of Feint's: their fingerprints had none of it first."""
    boards = tuple(declared.board for declared in game.rounds)
    if any(game.showdown is known and boards in usual for known, usual in USUAL):
        return ()
    try:
        return boards, spelt(game.showdown)
    except TypeError:  # it has no hash
        return boards, spelt.__wrapped__(game.showdown)


def unroll_betting(game: Poker) -> BettingTree:
    """The betting of a game; the same again is not walked again."""
    try:
        hash(game)
    except TypeError:  # declared with lists where tuples are meant
        return _walk(game)
    return _walked(game)


def _walk(game: Poker) -> BettingTree:
    """Walk the betting of a game once, along one deal."""
    if game.rotating_dealer:
        raise BadInput(f"{game.name} draws its dealer, and betting needs a fixed one; leave out its rotating_dealer.")
    check_size(game)
    hands: list[Hand] = [game.deal_until_a_turn(game.start())]
    past: list[tuple[tuple[int, ...], ...]] = [((),) * game.players]
    child: list[list[int]] = []
    ends: list[Hand] = []
    moves = len(game.actions)
    for number, hand in enumerate(hands):  # which grow on the way
        row = [ILLEGAL] * moves
        for move in game.legal(hand):
            after = game.deal_until_a_turn(game.play(hand, move))
            if after.actor == TERMINAL:
                row[move] = -2 - len(ends)
                ends.append(after)
                continue
            row[move] = len(hands)
            hands.append(after)
            own = list(past[number])
            own[hand.actor] = (*own[hand.actor], number * moves + move)
            past.append(tuple(own))
        child.append(row)
    own_past = [each[hand.actor] for each, hand in zip(past, hands, strict=True)]
    longest = max(map(len, own_past))
    cards = len(game.rounds) * game.deck.kinds
    return BettingTree(
        game=game,
        labels=tuple(betting_in_words(game, hand.dealer, hand.moves) for hand in hands),
        moves=tuple(hand.moves for hand in hands),
        spoken=tuple(
            tuple(game.spoken(hand, move) if after != ILLEGAL else "" for move, after in enumerate(row))
            for hand, row in zip(hands, child, strict=True)
        ),
        actor=np.array([hand.actor for hand in hands]),
        round=np.array([len(hand.moves) - 1 for hand in hands]),
        child=np.array(child),
        past=np.array([(-1,) * (longest - len(each)) + each for each in own_past], int).reshape(len(hands), longest),
        history=np.array([np.array(game.features(hand, hand.actor)[cards:], np.float32) for hand in hands]),
        raises=_raises(game, hands),
        stakes=np.array([hand.paid for hand in hands], float),
        paid=np.array([hand.paid for hand in ends], float),
        folded=np.array([hand.folded for hand in ends]),
    )


_walked = lru_cache(maxsize=8)(_walk)


def _raises(game: Poker, hands: Sequence[Hand]) -> Float[np.ndarray, "n c"]:
    """Indicators of how many raises each round has seen; none in those to come."""
    counts = np.zeros((len(hands), len(game.rounds)), int)
    for number, hand in enumerate(hands):
        counts[number, : len(hand.moves)] = [sum(move >= RAISE for move in made) for made in hand.moves]
    return np.eye(counts.max() + 1, dtype=np.float32)[counts].reshape(len(hands), -1)
