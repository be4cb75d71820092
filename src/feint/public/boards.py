"""Boards of a card game round by round, those that differ in nothing but the names of suits as one.

Copies of a rank are always kept apart here, whatever the game does: a game in which they are the same card is the same
game. The hands that a board leaves are numbered the same way on every board: the cards left are numbered from 0, and
hands are choices among these, so that whether two hands share a card is one and the same question everywhere.

A board stands for all that renaming suits makes of it. A renaming that leaves the board as it is may still change
hands, and what the boards dealt after it are worth to a hand is then the mean over these renamings, since strategies
are the same for all that differ in suits alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import comb, lcm
from typing import final

import numpy as np
from jaxtyping import Bool, Float, Int

from feint.games.cards import Cards, Deck
from feint.public.combinations import choices_of, chosen, number_of

Renamings = Int[np.ndarray, "g n"]
"""Ways to rename suits, as what becomes of each card; the first changes nothing."""


@final
@dataclass(frozen=True, eq=False)
class Boards:
    """The boards of one round. `b` counts them, `h` the hands that each leaves, `u` those of the board before."""

    cards: Int[np.ndarray, "b c"]
    """The cards of each board, those of earlier rounds first."""
    before: Int[np.ndarray, " b"]
    """The board of the round before."""
    weight: Float[np.ndarray, " b"]
    """How many boards it stands for, as a share of all that two hands leave possible after the one before."""
    rest: Int[np.ndarray, "b m"]
    """The cards left, ascending."""
    hand_before: Int[np.ndarray, "b h"]
    """The number that each hand had on the board before."""
    hand_after: Int[np.ndarray, "b u"]
    """And back: the number of each hand from before; `h` where the board has one of its cards."""
    alike: Bool[np.ndarray, "b g"]
    """Which renamings leave a board as it is."""
    place: Int[np.ndarray, "a d"]
    """By the board before and the number of a draw: the board that stands for what it makes; −1 where none can …"""
    renaming: Int[np.ndarray, "a d"]
    """… and the renaming that makes it so."""

    def __len__(self) -> int:
        return len(self.cards)


@final
@dataclass(frozen=True)
class Drawn:
    """Some of the boards of a first deal in place of all, drawn at random, none twice."""

    count: int
    seed: int


def apart(deck: Deck) -> Deck:
    """The deck with the copies of each rank kept apart."""
    return replace(deck, suits=True)


def renamings_of(deck: Deck, board: Sequence[Cards], symmetric: bool) -> Renamings:
    """The renamings of suits that leave all groups of cards of a board as they are; only none, where so asked."""
    cards = np.arange(deck.kinds)
    ways = permutations(range(deck.copies)) if symmetric else [tuple(range(deck.copies))]
    renamed = [cards // deck.copies * deck.copies + np.array(way)[cards % deck.copies] for way in ways]
    same = [way for way in renamed if all(set(way[list(group)]) == set(group) for group in board)]
    return np.array(same, np.int32)


def count_boards(renamings: Renamings, taken: Cards, draws: Sequence[int]) -> list[int]:
    """How many boards there are after each draw, without listing them: Burnside's lemma."""
    counts = []
    for last in range(len(draws)):
        fixed = sum(_fixed(renaming, taken, tuple(draws[: last + 1])) for renaming in renamings)
        counts.append(fixed // len(renamings))
    return counts


def _fixed(renaming: Int[np.ndarray, " n"], taken: Cards, draws: tuple[int, ...]) -> int:
    """How many sequences of draws a renaming leaves as they are: each is made of whole cycles."""
    ways, seen = Counter({draws: 1}), set(taken)
    for card in range(len(renaming)):
        length = 0
        while card not in seen:
            seen.add(card)
            card, length = int(renaming[card]), length + 1
        for lacking, number in list(ways.items()) if length else ():
            for draw, lacks in enumerate(lacking):
                if lacks >= length:
                    ways[(*lacking[:draw], lacks - length, *lacking[draw + 1 :])] += number
    return ways[(0,) * len(draws)]


def first_board(renamings: Renamings, taken: Cards, hole: int) -> Boards:
    """The board as it lies at the start."""
    rest = np.array([[card for card in range(renamings.shape[1]) if card not in taken]], np.int32)
    hands = np.arange(comb(rest.shape[1], hole), dtype=np.int32)[None]
    return Boards(
        cards=np.array([taken], np.int32).reshape(1, len(taken)),
        before=np.zeros(1, np.int32),
        weight=np.ones(1),
        rest=rest,
        hand_before=hands,
        hand_after=hands,
        alike=np.ones((1, len(renamings)), bool),
        place=np.zeros((1, 1), np.int32),
        renaming=np.zeros((1, 1), np.int32),
    )


def deal(above: Boards, renamings: Renamings, hole: int, count: int, drawn: Drawn | None = None) -> Boards:
    """The boards that `count` more cards make. Those drawn stand for all others as well, where none is like another."""
    ways = comb(above.rest.shape[1], count)
    if drawn is not None and drawn.count < len(above) * ways:
        return _some(above, hole, count, drawn)
    draws = above.rest[:, chosen(above.rest.shape[1], count)]  # [a, d, count]
    codes = number_of(renamings[:, draws], renamings.shape[1]).transpose(1, 2, 0)  # [a, d, g], what becomes of draws
    codes = np.where(above.alike[:, None], codes, np.iinfo(np.int32).max)
    stands = codes[..., 0] == codes.min(-1)
    before, draw = np.nonzero(stands)
    place, renaming = _placed(renamings, draws, codes, stands)
    alike = codes[before, draw] == codes[before, draw, :1]
    size = above.alike[before].sum(1) / alike.sum(1)
    return _made(above, hole, before, draws[before, draw], size, alike, place, renaming)


def _some(above: Boards, hole: int, count: int, drawn: Drawn) -> Boards:
    """Boards that were drawn, where suits are told apart; which of them a draw makes is not looked up."""
    ways = comb(above.rest.shape[1], count)
    every = len(above) * ways
    some = np.sort(np.random.default_rng(drawn.seed).choice(every, drawn.count, replace=False))
    before, draw = np.divmod(some, ways)
    draws = np.take_along_axis(above.rest[before], choices_of(draw, above.rest.shape[1], count), 1)
    nowhere = np.zeros((len(above), 0), np.int32)
    size, alike = np.full(len(some), every / len(some)), np.ones((len(some), 1), bool)
    return _made(above, hole, before, draws, size, alike, nowhere, nowhere)


def _made(
    above: Boards,
    hole: int,
    before: Int[np.ndarray, " b"],
    draws: Int[np.ndarray, "b k"],
    size: Float[np.ndarray, " b"],
    alike: Bool[np.ndarray, "b g"],
    place: Int[np.ndarray, "a d"],
    renaming: Int[np.ndarray, "a d"],
) -> Boards:
    """The boards that these draws make of those before, each of which stands for so many."""
    left, count = above.rest.shape[1], draws.shape[1]
    made = np.concatenate([above.cards[before], draws], 1)
    rest = _rest(above.rest[before], draws)
    position = np.zeros((len(above), left + above.cards.shape[1]), np.int32)
    np.put_along_axis(position, above.rest, np.arange(left, dtype=np.int32)[None], 1)
    hands = chosen(left - count, hole)
    hand_before = number_of(np.take_along_axis(position[before], rest, 1)[:, hands], left)
    hand_after = np.full((len(before), comb(left, hole)), len(hands), np.int32)
    np.put_along_axis(hand_after, hand_before, np.arange(len(hands), dtype=np.int32)[None], 1)
    return Boards(
        cards=made,
        before=before.astype(np.int32),
        weight=size / comb(left - 2 * hole, count),
        rest=rest,
        hand_before=hand_before,
        hand_after=hand_after,
        alike=alike,
        place=place,
        renaming=renaming,
    )


def _placed(
    renamings: Renamings,
    draws: Int[np.ndarray, "a d k"],
    codes: Int[np.ndarray, "a d g"],
    stands: Bool[np.ndarray, "a d"],
) -> tuple[Int[np.ndarray, "a c"], Int[np.ndarray, "a c"]]:
    """For every draw, by its number: which board stands for it, and the renaming that makes it so."""
    above, cards = len(draws), renamings.shape[1]
    places = np.full((above, comb(cards, draws.shape[-1])), -1, np.int32)
    best = np.zeros_like(places)
    rows = np.broadcast_to(np.arange(above)[:, None], stands.shape)
    number, way = number_of(draws, cards), codes.argmin(-1)
    places[rows[stands], number[stands]] = np.arange(stands.sum())
    best[rows, number] = way
    renamed = renamings[way[..., None], draws]
    places[rows, number] = places[rows, number_of(renamed, cards)]
    return places, best


def _rest(left: Int[np.ndarray, "b m"], drawn: Int[np.ndarray, "b k"]) -> Int[np.ndarray, "b r"]:
    kept = ~(left[..., None] == drawn[:, None]).any(-1)
    rest: Int[np.ndarray, "b r"] = left[kept].reshape(len(left), left.shape[1] - drawn.shape[1])
    return rest


def same_hands(boards: Boards, renamings: Renamings, hole: int) -> Int[np.ndarray, "b s h"] | None:
    """What becomes of the hands of each board under renamings that leave it as it is; None where there is but one.

    Boards that fewer renamings leave as they are have theirs several times, all equally often.
    """
    orders = boards.alike.sum(1)
    if (most := lcm(*orders.tolist())) == 1:
        return None
    cards, left = renamings.shape[1], boards.rest.shape[1]
    position = np.zeros((len(boards), cards), np.int32)
    np.put_along_axis(position, boards.rest, np.arange(left, dtype=np.int32)[None], 1)
    ways = np.array([np.resize(np.flatnonzero(alike), most) for alike in boards.alike])  # [b, s]
    hands = boards.rest[:, chosen(left, hole)]  # [b, h, hole]
    renamed = renamings[ways[:, :, None, None], hands[:, None]]
    return number_of(np.take_along_axis(position[:, None, None], renamed, -1), left)
