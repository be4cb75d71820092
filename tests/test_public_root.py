"""Public trees from some public state on: with the ranges that the betting before implies, the whole tree below it."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from feint.arena.arena import Arena
from feint.arena.betting import unroll_betting
from feint.arena.cards import HIDDEN, Seen
from feint.arena.policy import Policy
from feint.forms.dealt import CardForm
from feint.games.cards import Deck
from feint.games.library import load_game
from feint.games.poker import CALL, Poker, Round
from feint.public.build import build_public_tree
from feint.public.judge import Kept
from feint.public.play import Tables, Written, mean
from feint.public.policy import written_down
from feint.public.start import start_of
from feint.public.sweep import run
from feint.public.tree import PublicTree
from feint.tree.compiled import compiled

GAME: Poker = replace(
    load_game("flop_holdem"),
    deck=Deck("QKA", 4, suits=True),
    rounds=(Round(2, 1), Round(2, 1, board=3), Round(4, 1, board=1)),
)
"""Hold'em with twelve cards, a flop and a turn."""
BETTING = unroll_betting(GAME)


@final
class ByRank(Policy):
    """Some play or other that looks at the betting and at ranks, also of the board, never at suits."""

    arena: Arena

    def __call__(self, infostate, turn):
        cards = jnp.where(infostate.cards == HIDDEN, 0, infostate.cards.astype(jnp.int32) // 4 + 1)
        hand, board = jnp.sort(cards[:, :2], 1), cards[:, 2:]
        mixed = infostate.node.astype(jnp.int32) * 31 + hand @ jnp.array([3, 4]) + 5 * (board**2).sum(1)
        weights = jnp.sin(mixed[:, None] * (1.7 + jnp.arange(self.arena.moves))) ** 2 - 0.2
        weights = jnp.maximum(weights, 0.0) + 0.2 * (jnp.arange(self.arena.moves) == CALL)  # much is never done
        return jnp.where(self.arena.legal(infostate), weights, 0.0).astype(jnp.float32)

    @property
    def symmetric(self) -> bool:
        return True


PLAY = ByRank(CardForm.of(GAME, None).arena)


@final
class Told(Kept):
    """What decisions are worth to a player, by the strategy or by the best moves, and who comes there with what."""

    best: bool = eqx.field(static=True)

    def start(self, tree):
        return tree.ranges[self.player]

    def settle(self, page, reach, play, values):
        value = reduce(jnp.maximum, values) if self.best else mean(play, values)
        return value, (value, reach.mine, reach.theirs)

    def passed(self, page, values):
        return sum(values[1:], values[0]), *page[1:]


@compiled
def told(tree: PublicTree, tables: Tables, player: int, best: bool):
    """What each hand is worth at the start, and the pages of all decisions."""
    blank = tuple(
        tuple((stage.zeros(decision)[0],) * 3 for decision in range(len(stage.moves))) for stage in tree.rounds
    )
    return run(tree, Told(player, Written(tables), best), blank)


@compiled
def asked(tree: PublicTree, policy: Policy) -> Tables:
    """What a policy does on a tree of hands that keep their numbers on all boards."""
    return tuple(
        tuple(_at(policy, stage.cards, tree.held, decision) for decision in stage.betting.decisions)
        for stage in tree.rounds
    )


def _at(policy: Policy, boards, held, decision):
    shape = len(boards), len(decision.nodes), len(held)
    cards = jnp.full((*shape, 6), HIDDEN, jnp.uint8).at[..., :2].set(held.astype(jnp.uint8))
    cards = cards.at[..., 2 : 2 + boards.shape[1]].set(boards[:, None, None].astype(jnp.uint8))
    node = jnp.broadcast_to(jnp.asarray(decision.nodes, jnp.int32)[:, None], shape)
    rows = policy(Seen(node.reshape(-1), cards.reshape(-1, 6)), jnp.asarray(decision.actor)).reshape(*shape, -1)
    legal = np.argsort(~BETTING.legal[decision.nodes], 1, kind="stable")[:, : len(decision.moves)]
    return tuple(
        jnp.take_along_axis(rows, jnp.asarray(move)[None, :, None, None], 3)[..., 0].astype(jnp.float64)
        for move in legal.T
    )


@pytest.fixture(scope="module")
def whole() -> tuple[PublicTree, dict[tuple[int, bool], Any]]:
    tree = build_public_tree(GAME, exact=True)
    tables = compiled(written_down)(tree, PLAY)
    return tree, {(player, best): told(tree, tables, player, best)[1] for player in (0, 1) for best in (False, True)}


@pytest.mark.parametrize(
    ("betting", "left"),
    [
        ("raise call / bet", 36),
        *(
            pytest.param(betting, left, marks=pytest.mark.slow)
            for betting, left in (("raise", 66), ("call raise call / check bet", 36), ("call check / check check", 28))
        ),
    ],
)
@pytest.mark.parametrize("place", [0, -1])
def test_below_a_public_state_it_is_the_whole_tree(whole, betting, left, place):
    """On the first board and on the last, some of whose suits may change names and others not."""
    tree, pages = whole
    root = BETTING.labels.index(betting)
    number = int(BETTING.round[root])
    stage = tree.rounds[number]
    decision = next(each for each in stage.betting.decisions if root in each.nodes)
    board = range(stage.boards)[place]
    here = board, int(np.flatnonzero(decision.nodes == root)[0])
    cards, player = stage.cards[board].tolist(), decision.actor
    _, mine, theirs = (np.asarray(each[here]) for each in pages[player, False][number][decision.number])
    ranges = [mine, theirs] if player == 0 else [theirs, mine]
    asked_for = {"root": root, "board": [group for group in (cards[:3], cards[3:]) if group], "ranges": ranges}
    below = build_public_tree(GAME, exact=True, **asked_for)
    comes = (mine > 0) | (theirs > 0)
    assert len(mine) == left
    assert len(below.held) == comes.sum()
    assert start_of(GAME, exact=True, **asked_for).size.hands == (comes.sum(),) * (3 - number)
    tables = asked(below, PLAY)
    for (seat, best), known in pages.items():
        wanted = np.asarray(known[number][decision.number][0][here])[comes]
        assert np.abs(wanted).max() > 0.1
        np.testing.assert_allclose(told(below, tables, seat, best)[0], wanted, atol=1e-9)
