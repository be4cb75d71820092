"""The making of public trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import comb
from typing import final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.arena.arena import for_device
from feint.arena.betting import BettingTree, unroll_betting
from feint.arena.ranks import HandRanks, build_ranks
from feint.games.cards import Cards, Deck, best_five
from feint.games.poker import Poker
from feint.public.boards import (
    Boards,
    Drawn,
    Renamings,
    apart,
    count_boards,
    deal,
    first_board,
    renamings_of,
    same_hands,
)
from feint.public.combinations import chosen
from feint.public.hands import open_hands, same_held
from feint.public.lines import SHOWDOWN, Betting, round_from
from feint.public.room import check_fits, smaller
from feint.public.showdown import Showdown, Way, removal_of, showdown_of
from feint.public.start import Ranges, size_of, start_of
from feint.public.tree import PublicTree, Round
from feint.tree.arrays import on_device
from feint.tree.compiled import ByValue, compiled

PIECE = {"cpu": 1 << 21, "gpu": 1 << 31}
"""Numbers that a piece of a round may take on its way: what fits into a processor's caches, or a card's memory."""
HOLDERS = 8
"""Where hands are filled up there is room for a multiple of so many with each card."""
PRODUCTS = {"cpu": 448, "gpu": 1 << 30}
"""Up to so many hands showdowns are products, beyond it sums: measured with benchmarks/public_trees.py --way."""
WRITTEN = {"cpu": 8, "gpu": 0}
"""Matrices of products are written down where a round has a decision for so many hands: then its tables are larger.

Cards work them out faster than they read them.
"""


def build_public_tree(
    game: Poker,
    *,
    root: int = 0,
    board: Sequence[Cards] = (),
    ranges: Ranges = None,
    symmetric: bool = True,
    exact: bool | None = None,
    drawn: Drawn | None = None,
    way: Way | None = None,
    piece: int | None = None,
    some: int = 1,
) -> PublicTree:
    """The public tree of a game from a betting decision and a board on; refused where it does not fit into memory.

    ranges: how often each player comes with each hand of the cards left there; all hands equally often if left out.
    Hands with which neither does are left out.
    symmetric: take boards as one that differ in the names of suits alone, unless only some are drawn, or the showdown
    minds suits.
    exact: whether in float64; drawn: some boards of the first deal, all if left out.
    way: how showdowns are computed; piece: how many boards at a time. As is best if left out
    some: fill hands up to a multiple of so many: what is compiled for some ranges then serves others, too
    """
    start = start_of(
        game, root=root, board=board, ranges=ranges, symmetric=symmetric, exact=exact, drawn=drawn, some=some
    )
    size = start.size
    check_fits(_named(game, drawn), size, _instead(game, board, drawn))
    holders = 1 if some == 1 else HOLDERS
    making = _Making(game, start.renamings, start.held if start.narrow else None, way, piece, holders)
    boards, rounds = start.boards, []
    for number, (bets, count) in enumerate(zip(start.bettings, start.draws, strict=True)):
        boards = deal(boards, start.renamings, game.hole, count, drawn) if count else _undealt(boards)
        drawn = None if count else drawn
        rounds.append(making.round(bets, boards, start.draws[number:], size.exact[number]))
    return PublicTree(
        rounds=tuple(rounds),
        ranges=(on_device(start.ranges[0]), on_device(start.ranges[1])),
        renamings=on_device(start.renamings),
        composed=on_device(_composed(start.renamings)),
        held=on_device(start.held),
        removal=removal_of(start.held, apart(game.deck).kinds),
        betting=start.betting,
    )


def _named(game: Poker, drawn: Drawn | None) -> str:
    if drawn is None:
        return game.name
    return f"{drawn.count:,} board{'' if drawn.count == 1 else 's'} of {game.name}"


def _instead(game: Poker, board: Sequence[Cards], drawn: Drawn | None) -> str:
    """What to do where there is no room for a tree."""
    if drawn is not None:
        bound = "ask winnings" if game.rake else "ask local-best-response for a lower bound"
        return "ask for fewer boards" if drawn.count > 1 else bound
    if board:
        return "offer fewer bets, or start on a later street"
    return smaller(game)


@final
@dataclass(frozen=True, eq=False)
class Arrivals(ByValue):
    """The lines that come to the round after a lookahead."""

    nodes: Int[np.ndarray, " l"]
    """The betting decision of each, −1 where nothing is left to bet."""
    paid: Float[np.ndarray, " l"]
    """What each player has put into the pot."""


def build_lookahead(
    game: Poker, nodes: Sequence[int], betting: BettingTree | None = None
) -> tuple[PublicTree, Arrivals | None]:
    """The public tree of one round from some of its betting decisions on, each a line, on all boards of that round.

    Of the round after it there is only what comes there: what that is worth is for the tree's `beyond` to say. Refused
    where these do not fit into memory.
    betting: the game's, or as much of it as is to be considered; all of it if left out.
    """
    betting = betting or unroll_betting(game)
    number = int(betting.round[nodes[0]])
    renamings = renamings_of(apart(game.deck), (), symmetric=False)
    draws = [declared.board for declared in game.rounds]
    bets, closes = round_from(betting, number, [(node, 0) for node in nodes])
    many = count_boards(renamings, (), draws)
    hands = [comb(apart(game.deck).kinds - dealt, game.hole) for dealt in accumulate(draws)]
    size = size_of(many[number : number + 1], hands[number : number + 1], [bets], exact=True)
    if number + 1 < len(draws):  # what comes to the next round is there as well
        size = replace(size, cells=(size.cells[0] + len(closes) * many[number + 1] * hands[number + 1],))
    check_fits(f"a round of {game.name}", size, "consider fewer bets, or choose a smaller game")
    boards = first_board(renamings, (), game.hole)
    for count in draws[: number + 1]:
        boards = deal(boards, renamings, game.hole, count) if count else boards
    making = _Making(game, renamings, None, None, None, 1)
    rounds = [making.round(bets, _undealt(boards), (0, *draws[number + 1 :]), exact=True)]
    arrivals = None
    if number + 1 < len(game.rounds):
        if draws[number + 1]:
            boards = deal(boards, renamings, game.hole, draws[number + 1])
        waiting = Betting(tuple(range(len(closes))), (), (), np.zeros((0, 2)), np.zeros((0, 2, 2)))
        rounds.append(making.round(waiting, boards, draws[number + 1 :], exact=True))
        paid = [betting.paid[end, 0] if node == SHOWDOWN else betting.stakes[node, 0] for node, end in closes]
        arrivals = Arrivals(np.array([node for node, _ in closes]), np.array(paid))
    removal = rounds[0].removal
    every = jnp.ones(len(removal.cards))
    tree = PublicTree(
        rounds=tuple(rounds),
        ranges=(every, every),
        renamings=on_device(renamings),
        composed=on_device(_composed(renamings)),
        held=removal.cards,
        removal=removal,
        betting=betting,
    )
    return tree, arrivals


@final
@dataclass(frozen=True)
class _Making:
    """What the rounds of a tree in the making share."""

    game: Poker
    renamings: Renamings
    held: Int[np.ndarray, "h k"] | None
    """The hands that come; None where all do, and hands are numbered among the cards that a board leaves."""
    way: Way | None
    piece: int | None
    holders: int
    """There is room for a multiple of so many hands with each card."""

    def round(self, betting: Betting, boards: Boards, draws: Sequence[int], exact: bool) -> Round:
        """A round on its boards, given how many cards it and those after it deal."""
        deck, narrow = apart(self.game.deck), self.held is not None
        dealt, more, last = bool(draws[0]), any(draws[1:]), len(draws) == 1
        left = boards.rest.shape[1]
        hands, cards = (chosen(left, self.game.hole), left) if self.held is None else (self.held, deck.kinds)
        pieces, filled = _pieces(len(boards), self.piece or _piece(betting, len(hands)))
        same = self._same(boards) if more else None
        return Round(
            betting=betting,
            moves=tuple(len(decision.moves) for decision in betting.decisions),
            piece=len(filled) // pieces,
            parents=int((np.ptp(boards.before[filled].reshape(pieces, -1), 1) + 1).max()),
            exact=exact,
            cards=on_device(boards.cards[filled]),
            before=on_device(boards.before[filled]),
            weight=on_device(np.where(np.arange(len(filled)) < len(boards), boards.weight[filled], 0.0)),
            rest=on_device(boards.rest[filled]),
            hand_before=on_device(boards.hand_before[filled]) if dealt and not narrow else None,
            hand_after=on_device(boards.hand_after[filled]) if dealt and not narrow else None,
            open=on_device(open_hands(hands, boards.cards[filled])) if dealt and narrow else None,
            same=None if same is None else on_device(same[filled]),
            place=on_device(boards.place),
            renaming=on_device(boards.renaming),
            removal=removal_of(hands, cards),
            showdown=self._showdown(betting, boards, hands, cards, filled) if last else None,
            bound=(None,) * len(betting.decisions),
            folds=on_device(betting.folds),
            shown=on_device(betting.shown),
        )

    def _same(self, boards: Boards) -> Int[np.ndarray, "b s h"] | None:
        """What becomes of hands under renamings that leave a board as it is."""
        if self.held is None:
            return same_hands(boards, self.renamings, self.game.hole)
        return same_held(boards, self.renamings, self.held)

    def _showdown(
        self, betting: Betting, boards: Boards, hands: Int[np.ndarray, "h k"], cards: int, filled: Int[np.ndarray, " b"]
    ) -> Showdown:
        shown = boards.rest[:, hands] if self.held is None else np.broadcast_to(hands, (len(boards), *hands.shape))
        way: Way = self.way or ("sums" if len(hands) > for_device(PRODUCTS) else "products")
        strengths = _strengths(self.game, apart(self.game.deck), boards, shown)[filled]
        written = len(hands) <= for_device(WRITTEN) * betting.count
        return showdown_of(strengths, hands, cards, way, self.holders, written)


def _pieces(boards: int, most: int) -> tuple[int, Int[np.ndarray, " b"]]:
    """How many pieces boards come in, and the boards of all of them, the last one again and again to fill up."""
    pieces = -(-boards // most)
    each = -(-boards // pieces)
    return pieces, np.minimum(np.arange(pieces * each), boards - 1)


def _composed(renamings: Renamings) -> Int[np.ndarray, "g g"]:
    number = {renaming.tobytes(): place for place, renaming in enumerate(renamings)}
    return np.array([[number[later[first].tobytes()] for first in renamings] for later in renamings], np.int32)


def _piece(betting: Betting, hands: int) -> int:
    """How many boards to look at together."""
    return max(1, for_device(PIECE) // (8 * hands * max(1, betting.count)))


def _undealt(boards: Boards) -> Boards:
    """The same boards once more, for a round that deals none."""
    hands = np.broadcast_to(np.arange(boards.hand_before.shape[1], dtype=np.int32), boards.hand_before.shape)
    number = np.arange(len(boards), dtype=np.int32)
    return replace(
        boards,
        before=number,
        weight=np.ones(len(boards)),
        hand_before=hands,
        hand_after=hands,
        place=number[:, None],
        renaming=np.zeros((len(boards), 1), np.int32),
    )


@compiled
def _ranked(ranks: HandRanks, boards: Int[Array, "b c"], hands: Int[Array, "b h k"]) -> Int[Array, "b h"]:
    return ranks.rank_of(ranks.key(hands) + ranks.key(boards)[:, None])


def _strengths(game: Poker, deck: Deck, boards: Boards, hands: Int[np.ndarray, "b h k"]) -> Int[np.ndarray, "b h"]:
    """How strong each hand is on each board. Of hands with a card of the board it means nothing, and does no harm."""
    if game.showdown is best_five:
        return np.asarray(_ranked(build_ranks(deck), jnp.asarray(boards.cards), jnp.asarray(hands)))
    found = [
        [game.showdown(deck, tuple(hand), tuple(board)) for hand in those.tolist()]
        for those, board in zip(hands, boards.cards.tolist(), strict=True)
    ]
    order = {strength: number for number, strength in enumerate(sorted({each for row in found for each in row}))}
    return np.array([[order[each] for each in row] for row in found], np.int32)
