"""The public tree of a card game for two: betting × boards, every private hand an axis.

Between a game unrolled whole and one of which only the betting is unrolled: what everybody sees is a tree, small enough
to be walked, and what only players see is a vector at each of its nodes. Tables of a round have an array for each move
at each decision of its betting: [boards, lines, hands].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import comb, lcm
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from feint.arena.arena import for_device
from feint.arena.betting import BettingTree, unroll_betting
from feint.arena.ranks import HandRanks, build_ranks
from feint.games.cards import Cards, Deck, best_five
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.public.boards import Boards, Renamings, apart, count_boards, deal, first_board, renamings_of, same_hands
from feint.public.combinations import chosen, number_of
from feint.public.lines import Betting, rounds_of
from feint.public.play import Bound
from feint.public.showdown import Removal, Showdown, Way, removal_of, showdown_of

PIECE = {"cpu": 1 << 22, "gpu": 1 << 31}
"""Numbers that a piece of a round may take on its way: what fits into a processor's caches, or a card's memory."""
PRODUCTS = {"cpu": 1000, "gpu": 1 << 30}
"""Up to so many hands showdowns are products, beyond it sums: measured with benchmarks/public_trees.py."""
SMALL = 1 << 20
"""Rounds with tables of fewer numbers are kept in float64."""


@final
@dataclass(frozen=True)
class PublicSize:
    """How large a public tree is. One entry for each round."""

    boards: tuple[int, ...]
    decisions: tuple[int, ...]
    """Betting decisions on each board."""
    hands: tuple[int, ...]
    cells: tuple[int, ...]
    """Numbers in a table: moves at every decision, on every board, with every hand."""

    @property
    def public(self) -> int:
        """Decisions that everybody can tell apart, up to suits."""
        return sum(boards * decisions for boards, decisions in zip(self.boards, self.decisions, strict=True))

    @property
    def infosets(self) -> int:
        rows = zip(self.boards, self.decisions, self.hands, strict=True)
        return sum(boards * decisions * hands for boards, decisions, hands in rows)


@final
class Round(eqx.Module):
    """One round of betting on all its boards. Lines are those that come to it, hands those that a board leaves."""

    betting: Betting = eqx.field(static=True)
    moves: tuple[int, ...] = eqx.field(static=True)
    """How many moves each decision has."""
    piece: int = eqx.field(static=True)
    """How many boards are looked at together. The last one is there several times, without weight, to fill up."""
    parents: int = eqx.field(static=True)
    """From how many boards before those of a piece come, at most."""
    exact: bool = eqx.field(static=True)
    """Whether its tables are float64."""
    cards: Int[Array, "b c"]
    before: Int[Array, " b"]
    weight: Float[Array, " b"]
    rest: Int[Array, "b m"]
    hand_before: Int[Array, "b h"] | None
    """None where no card is dealt, or hands keep their numbers …"""
    hand_after: Int[Array, "b u"] | None
    open: Bool[Array, "b h"] | None
    """… and only some of them are left by a board."""
    same: Int[Array, "b s h"] | None
    """What becomes of hands under renamings of suits that leave a board as it is, where more cards are to come."""
    place: Int[Array, "a d"]
    """By the board before and the number of a draw: the board that stands for what it makes …"""
    renaming: Int[Array, "a d"]
    """… and the renaming of suits that makes it so."""
    removal: Removal
    showdown: Showdown | None
    """In the last round."""
    bound: tuple[Bound | None, ...]
    """What players are bound to at each decision, if anything."""

    @property
    def boards(self) -> int:
        return len(self.cards)

    @property
    def hands(self) -> int:
        return len(self.removal.cards)

    @property
    def dtype(self) -> Any:
        return jnp.float64 if self.exact else jnp.float32

    @property
    def pieces(self) -> int:
        return self.boards // self.piece

    def zeros(self, decision: int) -> tuple[Float[Array, "b l h"], ...]:
        """An array for each move at a decision."""
        shape = self.boards, len(self.betting.decisions[decision].nodes), self.hands
        return tuple(jnp.zeros(shape, self.dtype) for _ in range(self.moves[decision]))


@final
class PublicTree(eqx.Module):
    """A game, or what is left of it after a public state."""

    rounds: tuple[Round, ...]
    ranges: tuple[Float[Array, " h"], Float[Array, " h"]]
    """How often each player comes with each hand, at the start."""
    renamings: Int[Array, "g n"]
    """Ways to rename suits, as what becomes of each card."""
    composed: Int[Array, "g g"]
    """The renaming that two make one after the other, the later one first."""
    held: Int[Array, "h k"]
    """The cards of each hand, at the start."""
    removal: Removal
    """What hands leave of the others', at the start."""
    betting: BettingTree = eqx.field(static=True)

    @property
    def zero_sum(self) -> bool:
        """Whether what one wins the other loses."""
        worse, better = np.moveaxis(self.rounds[-1].betting.shown, 2, 0)
        folds = [stage.betting.folds.sum(1) for stage in self.rounds]
        return all(np.allclose(each, 0.0) for each in (*folds, worse + better[:, ::-1]))

    @property
    def deals(self) -> Float[Array, ""]:
        """All pairs of hands that can meet, weighted with how often they come."""
        return (self.ranges[0] * self.met(0)).sum()

    def met(self, player: int) -> Float[Array, " h"]:
        """How often each hand of a player meets others, at the start."""
        return self.removal(self.ranges[1 - player][None, None])[0, 0]


def public_size(
    game: Poker, root: int = 0, board: Sequence[Cards] = (), symmetric: bool = True, hands: int | None = None
) -> PublicSize:
    """How large the public tree of a game is from a betting decision and a board on, without making it.

    hands: with how many hands players come; all, if left out.
    """
    return _size(rounds_of(unroll_betting(game), root), *_start(game, root, board, symmetric), game, hands)


def _size(
    bettings: Sequence[Betting],
    renamings: Renamings,
    draws: Sequence[int],
    taken: Cards,
    game: Poker,
    narrow: int | None = None,
) -> PublicSize:
    boards = count_boards(renamings, taken, draws)
    cards = renamings.shape[1] - len(taken)
    hands = tuple(narrow or comb(cards - dealt, game.hole) for dealt in accumulate(draws))
    decisions = tuple(betting.count for betting in bettings)
    cells = tuple(
        many * each * sum(len(decision.moves) * len(decision.nodes) for decision in betting.decisions)
        for many, each, betting in zip(boards, hands, bettings, strict=True)
    )
    return PublicSize(tuple(boards), decisions, hands, cells)


def _start(game: Poker, root: int, board: Sequence[Cards], symmetric: bool) -> tuple[Renamings, tuple[int, ...], Cards]:
    """The renamings of suits that change nothing at the start, what each round deals, and the cards on the board."""
    first = int(unroll_betting(game).round[root])
    asked = [declared.board for declared in game.rounds[: first + 1] if declared.board]
    if board and [len(group) for group in board] != asked:
        raise BadInput(
            f"{game.name} has turned up {' and '.join(map(str, asked)) or 'no'} cards at that decision, but "
            f"{' and '.join(str(len(group)) for group in board)} were given."
        )
    later = [declared.board for declared in game.rounds[first + 1 :]]
    now = 0 if board else sum(asked)
    taken = tuple(card for group in board for card in group)
    return renamings_of(apart(game.deck), board, symmetric), (now, *later), taken


def build_public_tree(
    game: Poker,
    *,
    root: int = 0,
    board: Sequence[Cards] = (),
    ranges: Sequence[Float[np.ndarray, " h"]] | None = None,
    symmetric: bool = True,
    way: Way | None = None,
    piece: int | None = None,
    exact: bool | None = None,
) -> PublicTree:
    """The public tree of a game from a betting decision and a board on.

    ranges: how often each player comes with each hand of the cards left there; all hands equally often if left out.
    Hands with which neither does are left out.
    symmetric: take boards as one that differ in the names of suits alone.
    way: how showdowns are computed; piece: how many boards at a time; exact: whether in float64. As is best if left out
    """
    if game.hole > 2:
        raise BadInput(f"{game.name} deals {game.hole} cards to each player, and public trees are for one or two.")
    betting = unroll_betting(game)
    bettings = rounds_of(betting, root)
    renamings, draws, taken = _start(game, root, board, symmetric)
    deck = apart(game.deck)
    boards = first_board(renamings, taken, game.hole)
    held = boards.rest[0][chosen(boards.rest.shape[1], game.hole)]
    start = [np.ones(len(held))] * 2 if ranges is None else [np.asarray(each, float) for each in ranges]
    if ranges is not None:
        renamings = _unchanged(renamings, held, start)
        boards = first_board(renamings, taken, game.hole)
        comes = (start[0] > 0) | (start[1] > 0)
        held, start = held[comes], [each[comes] for each in start]
    size = _size(bettings, renamings, draws, taken, game, None if ranges is None else len(held))
    rounds = []
    for number, (bets, count) in enumerate(zip(bettings, draws, strict=True)):
        last, dealt = number == len(bettings) - 1, bool(count)
        boards = deal(boards, renamings, game.hole, count) if dealt else _undealt(boards)
        left, same, more = boards.rest.shape[1], None, any(draws[number + 1 :])
        if ranges is None:
            hands, cards, shown = chosen(left, game.hole), left, boards.rest[:, chosen(left, game.hole)]
            same = same_hands(boards, renamings, game.hole) if more else None
        else:
            hands, cards, shown = held, deck.kinds, np.broadcast_to(held, (len(boards), *held.shape))
            same = _same_held(boards, renamings, held) if more else None
        most = piece or _piece(bets, len(hands))
        chosen_way: Way = way or ("sums" if len(hands) > for_device(PRODUCTS) else "products")
        pieces = -(-len(boards) // most)
        each = -(-len(boards) // pieces)
        filled = np.minimum(np.arange(pieces * each), len(boards) - 1)
        rounds.append(
            Round(
                betting=bets,
                moves=tuple(len(decision.moves) for decision in bets.decisions),
                piece=each,
                parents=int((np.ptp(boards.before[filled].reshape(pieces, each), 1) + 1).max()),
                exact=size.cells[number] < SMALL if exact is None else exact,
                cards=jnp.asarray(boards.cards[filled]),
                before=jnp.asarray(boards.before[filled]),
                weight=jnp.asarray(np.where(np.arange(len(filled)) < len(boards), boards.weight[filled], 0.0)),
                rest=jnp.asarray(boards.rest[filled]),
                hand_before=jnp.asarray(boards.hand_before[filled]) if dealt and ranges is None else None,
                hand_after=jnp.asarray(boards.hand_after[filled]) if dealt and ranges is None else None,
                open=jnp.asarray(_open(held, boards.cards[filled])) if dealt and ranges is not None else None,
                same=None if same is None else jnp.asarray(same[filled]),
                place=jnp.asarray(boards.place),
                renaming=jnp.asarray(boards.renaming),
                removal=removal_of(hands, cards),
                showdown=showdown_of(_strengths(game, deck, boards, shown)[filled], hands, cards, chosen_way)
                if last
                else None,
                bound=(None,) * len(bets.decisions),
            )
        )
    return PublicTree(
        rounds=tuple(rounds),
        ranges=(jnp.asarray(start[0]), jnp.asarray(start[1])),
        renamings=jnp.asarray(renamings),
        composed=jnp.asarray(_composed(renamings)),
        held=jnp.asarray(held),
        removal=removal_of(held, deck.kinds),
        betting=betting,
    )


def _open(held: Int[np.ndarray, "h k"], boards: Int[np.ndarray, "b c"]) -> Bool[np.ndarray, "b h"]:
    """Which hands have no card of each board."""
    return np.asarray(~(held[None, :, :, None] == boards[:, None, None, :]).any((2, 3)))


def _same_held(boards: Boards, renamings: Renamings, held: Int[np.ndarray, "h k"]) -> Int[np.ndarray, "b s h"] | None:
    """What becomes of the hands that come under renamings that leave a board as it is; None where there is but one."""
    most = lcm(*boards.alike.sum(1).tolist())
    if most == 1:
        return None
    ways = np.array([np.resize(np.flatnonzero(alike), most) for alike in boards.alike])
    same: Int[np.ndarray, "b s h"] = renamed_hands(renamings, held)[ways]
    return same


def renamed_hands(renamings: Renamings, held: Int[np.ndarray, "h k"]) -> Int[np.ndarray, "g h"]:
    """The number of each hand, among these, that renaming suits makes of each; −1 where it is none of them."""
    cards = renamings.shape[1]
    number = np.full(comb(cards, held.shape[1]), -1, np.int32)
    number[number_of(held, cards)] = np.arange(len(held))
    return np.array([number[number_of(renaming[held], cards)] for renaming in renamings])


def _composed(renamings: Renamings) -> Int[np.ndarray, "g g"]:
    number = {renaming.tobytes(): place for place, renaming in enumerate(renamings)}
    return np.array([[number[later[first].tobytes()] for first in renamings] for later in renamings], np.int32)


def _piece(betting: Betting, hands: int) -> int:
    """How many boards to look at together."""
    return max(1, for_device(PIECE) // (8 * hands * betting.count))


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


def _unchanged(renamings: Renamings, held: Int[np.ndarray, "h k"], ranges: Sequence[np.ndarray]) -> Renamings:
    """The renamings of suits that leave ranges as they are."""
    after = renamed_hands(renamings, held)
    return renamings[[all(np.array_equal(weights[hands], weights) for weights in ranges) for hands in after]]


@eqx.filter_jit
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
