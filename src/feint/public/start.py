"""Where public trees begin, and how large they will be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb
from typing import Any, final

import numpy as np
from jaxtyping import Bool, Float, Int

from feint.arena.betting import BettingTree, unroll_betting
from feint.games.cards import Cards, best_five, high_card, pair_then_rank
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.public.boards import Boards, Drawn, Renamings, apart, count_boards, first_board, renamings_of
from feint.public.combinations import chosen
from feint.public.hands import renamed_hands, unchanged
from feint.public.lines import Betting, rounds_of
from feint.public.tree import PublicSize

SMALL = 1 << 20
"""Rounds with tables of fewer numbers are kept in float64."""

Ranges = Sequence[Float[np.ndarray, " h"]] | None
"""How often each player comes with each hand."""


LOOKED_AT = 300
"""Hands that tell whether a showdown of one's own minds suits."""
COPIES = 6
"""Of each rank, at most: suits, or what is as good, are renamed in every way, and in two after each other."""


def for_such(game: Poker) -> bool:
    """Whether public trees are for games like this at all."""
    return game.players == 2 and game.hole <= 2 and game.deck.copies <= COPIES and not game.rotating_dealer


def blind_to_suits(game: Poker) -> bool:
    """Whether hands are as strong whatever suits are called; of a showdown of one's own as far as some hands tell."""
    if not game.deck.suits or game.showdown in (best_five, high_card, pair_then_rank):
        return True
    deck, luck = apart(game.deck), np.random.default_rng(0)
    boards = sum(declared.board for declared in game.rounds)

    def strength(cards: Int[np.ndarray, " n"]) -> Any:
        hole, board = np.split(cards, [game.hole])
        return game.showdown(deck, tuple(np.sort(hole).tolist()), tuple(np.sort(board).tolist()))

    for _ in range(LOOKED_AT):
        cards = luck.choice(deck.kinds, game.hole + boards, replace=False)
        rank, suit = np.divmod(cards, deck.copies)
        if strength(cards) != strength(rank * deck.copies + luck.permutation(deck.copies)[suit]):
            return False
    return True


@final
@dataclass(frozen=True, eq=False)
class Start:
    """Where a tree begins."""

    game: Poker
    betting: BettingTree
    bettings: tuple[Betting, ...]
    renamings: Renamings
    """Those of suits that change nothing."""
    draws: tuple[int, ...]
    """How many cards each round deals."""
    boards: Boards
    """The one that lies there."""
    held: Int[np.ndarray, "h k"]
    """The hands that come, and some to fill up …"""
    narrow: bool
    """… and whether these are not all that there are."""
    ranges: tuple[Float[np.ndarray, " h"], Float[np.ndarray, " h"]]
    exact: bool | None
    """Whether in float64; None for what is small …"""
    drawn: Drawn | None
    """… and some boards of the first deal, None for all."""

    @property
    def size(self) -> PublicSize:
        """How large the tree will be. Boards that only fill up a last piece come on top of that."""
        (taken,) = map(tuple, self.boards.cards.tolist())
        boards = count_boards(self.renamings, taken, self.draws)
        first = next((many for many in boards if many > 1), 0)
        if self.drawn is not None and first > self.drawn.count:
            boards = [many if many == 1 else many * self.drawn.count // first for many in boards]
        left = [self.boards.rest.shape[1] - dealt for dealt in accumulate(self.draws)]
        hands = [len(self.held) if self.narrow else comb(cards, self.game.hole) for cards in left]
        return size_of(boards, hands, self.bettings, self.exact)


def size_of(boards: Sequence[int], hands: Sequence[int], bettings: Sequence[Betting], exact: bool | None) -> PublicSize:
    """How large rounds are with so many boards, hands on each and this betting."""
    cells = tuple(
        many * each * sum(len(decision.moves) * len(decision.nodes) for decision in betting.decisions)
        for many, each, betting in zip(boards, hands, bettings, strict=True)
    )
    decisions = tuple(betting.count for betting in bettings)
    precise = tuple(each < SMALL if exact is None else exact for each in cells)
    return PublicSize(tuple(boards), decisions, tuple(hands), cells, precise)


def start_of(
    game: Poker,
    *,
    root: int = 0,
    board: Sequence[Cards] = (),
    ranges: Ranges = None,
    symmetric: bool = True,
    exact: bool | None = None,
    drawn: Drawn | None = None,
    some: int = 1,
) -> Start:
    """Where `build_public_tree`, which says what these are, begins."""
    if game.hole > 2:
        raise BadInput(f"{game.name} deals {game.hole} cards to each player, and public trees are for one or two.")
    if game.deck.copies > COPIES and symmetric and drawn is None:
        raise BadInput(
            f"{game.name} has {game.deck.copies} cards of each rank, which can be renamed in too many ways; "
            f"ask for at most {COPIES}, or for symmetric=False."
        )
    symmetric = symmetric and drawn is None and blind_to_suits(game)
    betting = unroll_betting(game)
    first = int(betting.round[root])
    asked = [declared.board for declared in game.rounds[: first + 1] if declared.board]
    if board and [len(group) for group in board] != asked:
        raise BadInput(
            f"{game.name} has turned up {' and '.join(map(str, asked)) or 'no'} cards at that decision, but "
            f"{' and '.join(str(len(group)) for group in board)} were given."
        )
    renamings = renamings_of(apart(game.deck), board, symmetric)
    taken = tuple(card for group in board for card in group)
    boards = first_board(renamings, taken, game.hole)
    held = boards.rest[0][chosen(boards.rest.shape[1], game.hole)]
    weights = [np.ones(len(held))] * 2 if ranges is None else [np.asarray(each, float) for each in ranges]
    if ranges is not None:
        renamings = unchanged(renamings, held, weights)
        boards = first_board(renamings, taken, game.hole)
        comes = (weights[0] > 0) | (weights[1] > 0)
        comes = _filled(comes, some, renamed_hands(renamings, held))
        held, weights = held[comes], [each[comes] for each in weights]
    return Start(
        game=game,
        betting=betting,
        bettings=rounds_of(betting, root),
        renamings=renamings,
        draws=(0 if board else sum(asked), *(declared.board for declared in game.rounds[first + 1 :])),
        boards=boards,
        held=held,
        narrow=ranges is not None,
        ranges=(weights[0], weights[1]),
        exact=exact,
        drawn=drawn,
    )


def _filled(comes: Bool[np.ndarray, " h"], some: int, renamed: Int[np.ndarray, "g h"]) -> Bool[np.ndarray, " h"]:
    """Hands that come, filled up to a multiple of some with others, which never do.

    Those that renamings of suits make of each other come together; where that does not go, it is a few hands less.
    """
    alike, lacking, filled = renamed.min(0), -comes.sum() % some, comes.copy()
    count = np.bincount(alike, minlength=len(comes))
    spare = np.flatnonzero((count > 0) & ~comes)
    for hand in spare[np.argsort(-count[spare], kind="stable")]:
        if count[hand] <= lacking:
            filled |= alike == hand
            lacking -= count[hand]
    return np.asarray(filled)
