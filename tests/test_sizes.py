"""How large games of poker are, told without unrolling them."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import feint
from conftest import UNROLLABLE
from feint.arena.betting import BettingTree
from feint.arena.cards import build_card_arena
from feint.forms.library import form_of
from feint.games import poker_sizes
from feint.games.cards import Deck, high_card
from feint.games.poker import RAISE, Poker, Round

MERGED = Poker(
    deck=Deck("23456789TJQKA", copies=4),
    hole=2,
    ante=1.0,
    rounds=(Round(raise_by=2, cap=2), Round(raise_by=4, cap=2, board=1)),
    showdown=high_card,
    name="merged",
)
"""All 52 cards, those of a rank the same: 8 million nodes, 36 betting decisions."""


@pytest.mark.parametrize(
    "name",
    [name for name in UNROLLABLE if isinstance(feint.load_game(name), Poker)]
    + ["kuhn(players=3)", "kuhn(players=4)", "leduc(suits=True)", "leduc_no_limit(bets=[0.5,1,2])"]
    + [pytest.param(name, marks=pytest.mark.slow) for name in ("kuhn(players=5)", "leduc(players=3)")],
)
def test_sizes_are_those_of_the_tree(tree_of, name):
    tree = tree_of(name)
    assert feint.load_game(name).unrolled_size() == (tree.nodes, len(tree.infosets))


def test_the_size_of_limit_holdem_is_known():
    """Johanson, Measuring the size of large no-limit poker games (2013)."""
    _, infosets = feint.load_game("holdem").unrolled_size()
    assert infosets == 319_365_922_522_608


@pytest.mark.slow
@given(
    st.builds(Deck, st.sampled_from(["K", "QK", "JQK", "TJQK"]), st.integers(1, 3), st.booleans()),
    st.integers(1, 2),
    st.lists(st.integers(0, 2), min_size=1, max_size=2),
    st.integers(2, 3),
    st.sampled_from([{"ante": 1.0}, {"blinds": (1.0, 2.0)}, {"ante": 1.0, "stack": 4.0, "pot_bets": (1.0,)}]),
    st.booleans(),
)
@settings(max_examples=30)
def test_sizes_of_odd_decks(deck, hole, boards, players, stakes, odd):
    assume(players * hole + sum(boards) <= deck.kinds * deck.copies_of_kind)
    limit = {} if "stack" in stakes else {"raise_by": 1, "cap": 1}
    rounds = tuple(Round(board=board, first=number % players, **limit) for number, board in enumerate(boards))
    game = Poker(deck, rounds, high_card, hole, players, free_folds=odd, rotating_dealer=odd, **stakes)
    nodes, infosets = game.unrolled_size()
    assume(nodes < 20_000)
    tree = feint.unroll(game, cache=False)
    assert (tree.nodes, len(tree.infosets)) == (nodes, infosets)


def test_features_have_room_for_every_raise():
    """Whoever folds leaves a small pot, and in a small pot more raises fit under the stack."""
    bets = {"stack": 3.0, "pot_bets": (0.75, 1.0), "blinds": (0.5, 1.0)}
    game = Poker(Deck("JQKA"), (Round(),), high_card, players=3, **bets)
    tree = feint.unroll(game, cache=False)
    told = np.concatenate([tree.player[:, None], tree.features], 1)
    assert len(np.unique(told, axis=0)) == len(tree.infosets)
    assert game.size.raises == max(sum(move >= RAISE for move in made) for *_, (made,) in tree.views)


@given(st.integers(1, 4), st.integers(1, 3), st.lists(st.integers(0, 3), max_size=3).map(tuple))
def test_deals_are_those_that_can_be_drawn(ranks, copies, sizes):
    deck = Deck("JQKA"[:ranks], copies)
    groups = (itertools.combinations_with_replacement(range(ranks), size) for size in sizes)
    dealt = [sum(cards, ()) for cards in itertools.product(*groups)]
    assert deck.deals(sizes) == sum(all(cards.count(card) <= copies for card in cards) for cards in dealt)


def test_a_large_deck_of_merged_copies_is_refused_at_once_and_played_by_its_betting():
    start = time.monotonic()
    with pytest.raises(feint.BadInput, match=r"^merged has more than 3,000,000 nodes, the limit for unrolling; .*\.$"):
        feint.unroll(MERGED)
    betting = form_of(MERGED).betting
    assert time.monotonic() - start < 1
    assert isinstance(betting, BettingTree)
    assert len(betting.actor) == 36
    assert build_card_arena(betting).kinds == 13


def test_large_games_without_their_betting_say_why(monkeypatch):
    with pytest.raises(feint.BadInput, match=r"^merged draws its dealer, .*; leave out its rotating_dealer\.$"):
        form_of(replace(MERGED, rotating_dealer=True))
    monkeypatch.setattr(poker_sizes, "DECISION_LIMIT", 1_000)
    bets = {"stack": 100.0, "pot_bets": (0.5, 1.0), "rounds": (Round(), Round(board=1))}
    with pytest.raises(feint.BadInput, match=r"^merged has over 1,000 betting decisions; choose fewer .*\.$"):
        form_of(replace(MERGED, **bets))


def test_raises_without_end_are_refused_with_what_helps_there():
    fixed = Poker(Deck("QKA", 1), (Round(1.0, cap=150),), high_card, ante=1)
    with pytest.raises(feint.BadInput, match=r"has over 100 bets and raises in a row; choose a smaller cap\.$"):
        form_of(fixed)


def test_showdowns_too_many_for_a_table_are_refused():
    rounds = (Round(raise_by=2, cap=2), Round(raise_by=4, cap=2, board=4))
    with pytest.raises(feint.BadInput, match=r"^merged has too many showdowns of 6 cards for a table; .*\.$"):
        build_card_arena(form_of(replace(MERGED, rounds=rounds)).betting)
