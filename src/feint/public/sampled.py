"""What some boards of the first deal tell of a strategy where there is no room for all of them.

Everything after the first deal is worked out on each board by itself. So of all that a best response does only the
moves before that deal depend on other boards. Made for the boards that were drawn, these are too good there: such a
response wins more in the mean than a best response to the whole game. With moves before the deal that were made for
other boards it is a response to the whole game like any other, and wins no more than the best in the mean.
"""

from __future__ import annotations

from functools import reduce
from math import comb
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from feint.arena.betting import ILLEGAL, BettingTree
from feint.arena.policy import Policy
from feint.public.boards import apart
from feint.public.judge import Kept, values_of, worth_of
from feint.public.play import Moves, Written
from feint.public.policy import written_down
from feint.public.start import for_such
from feint.public.sweep import Book, Page, Reach, run
from feint.public.tree import PublicTree
from feint.tree.compiled import compiled

MOST = 1 << 28
"""Numbers in a table of one board for which that is so: a gigabyte of them."""


@final
class Answer(Kept):
    """A best response; before the first deal it makes the moves noted on its pages, or notes the best ones there."""

    told: bool = eqx.field(static=True)
    """Whether moves are noted already."""

    def mine(self, number: int, decision: int, first: Array, boards: int, page: Page) -> None:
        return None

    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        if page is None:
            return reduce(jnp.maximum, values), page
        every = jnp.stack(values)
        move = page if self.told else every.argmax(0).astype(jnp.int8)
        return jnp.take_along_axis(every, move[None], 0)[0], move


class Sample(NamedTuple):
    """What one sample of boards says of a strategy, in chips per hand."""

    values: Float[Array, "2"]
    """What each player wins when both keep to the strategy."""
    best: Float[Array, "2"]
    """What a response wins that was made for these boards."""
    told: Float[Array, "2"]
    """What one wins that was made for others, before the first deal."""
    plans: tuple[Book, Book]
    """What each player's best response does before the first deal."""

    @property
    def planned(self) -> bool:
        """Whether anything is done there at all; without that, responses made for any boards are the same."""
        return bool(jax.tree.leaves(self.plans))


class SampleSize(NamedTuple):
    """How large samples of a game's boards are."""

    boards: int
    """How many boards the first deal can make, suits told apart."""
    cells: int
    """Numbers in a table of what is done on one of them, and after it."""


def sample_size(betting: BettingTree) -> SampleSize:
    """The same without making any."""
    left, first, boards, cells = apart(betting.game.deck).kinds, 1, 1, 0
    for number, declared in enumerate(betting.game.rounds):
        if declared.board:
            ways, left = comb(left, declared.board), left - declared.board
            first, boards = (ways, boards) if first == 1 else (first, boards * ways)
        moves = int((betting.child[betting.round == number] != ILLEGAL).sum())
        cells += boards * comb(left, betting.game.hole) * moves
    return SampleSize(first, cells)


def sampled_soon(betting: BettingTree) -> bool:
    """Whether a game has boards that can be looked at one by one in little time and memory."""
    return for_such(betting.game) and sample_size(betting).cells <= MOST


def no_plans(tree: PublicTree) -> tuple[Book, Book]:
    """Pages for what is done before the first deal."""
    dealt = next((number for number, stage in enumerate(tree.rounds) if stage.cards.shape[1]), len(tree.rounds))

    def book(player: int) -> Book:
        return tuple(
            tuple(
                jnp.zeros((stage.boards, len(decision.nodes), stage.hands), jnp.int8)
                if number < dealt and decision.actor == player
                else None
                for decision in stage.betting.decisions
            )
            for number, stage in enumerate(tree.rounds)
        )

    return book(0), book(1)


@compiled
def judge_sample(tree: PublicTree, policy: Policy, plans: tuple[Book, Book]) -> Sample:
    """Judge a policy on the boards of a tree, and against plans that were made for others."""
    tables = written_down(tree, policy)

    def answer(player: int, told: bool) -> tuple[Float[Array, ""], Book]:
        by_hand, book = run(tree, Answer(player, Written(tables), told), plans[player])
        return worth_of(tree, player, by_hand), book

    best = [answer(player, told=False) for player in (0, 1)]
    told = [answer(player, told=True) for player in (0, 1)] if jax.tree.leaves(plans) else best
    return Sample(
        values_of(tree, tables),
        jnp.stack([value for value, _ in best]),
        jnp.stack([value for value, _ in told]),
        (best[0][1], best[1][1]),
    )
