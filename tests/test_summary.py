"""What a hand comes to in 35 numbers: the same for unrolled games and for larger ones, and nothing that is hidden."""

from __future__ import annotations

from dataclasses import replace

import equinox as eqx
import hypothesis.strategies as st
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

import feint
from conftest import betting_of
from feint.arena.cards import HIDDEN, Seen, build_card_arena
from feint.arena.situations import summaries
from feint.arena.summary import LARGEST_TABLE, build_winning, summarised
from feint.forms.library import form_of
from feint.games.cards import Deck, pair_then_rank
from feint.games.leduc import leduc
from feint.games.poker import Poker, Round

SHARE, POT, CALL, OPPONENTS, DEALER = range(5)
CHIPS, WHOLE, LATE = 5, 15, 25
"""Where the numbers of the seats begin, the actor's own first."""
see = eqx.filter_jit(lambda arena, seen: arena.features(seen))
tell = eqx.filter_jit(lambda arena, cards: arena.shares(cards))


def dealt(arena, deals):
    """The cards of some hands."""
    words = np.random.default_rng(0).integers(0, 2**32, (arena.deal_words, deals))
    return np.asarray(arena.deal(jnp.asarray(words, jnp.uint32)).cards)


def row(tree, label):
    return summaries(tree)[tree.labels.index(label)]


def test_a_hand_of_kuhn(tree_of):
    tree = tree_of("kuhn")
    facing = row(tree, "Q: check bet")
    assert facing[[SHARE, POT, CALL]].tolist() == [0.5, 0.75, 0.5]  # 3 of 4 chips, and 1 of 2 to call
    assert facing[[OPPONENTS, DEALER]].tolist() == pytest.approx([1 / 9, 0])
    assert facing[[CHIPS, CHIPS + 1]].tolist() == [0.5, 0]
    assert facing[[WHOLE, WHOLE + 1, LATE, LATE + 1]].tolist() == [0.5, 1, 0.5, 1]  # they checked, the other bet
    others = [start + seat for start in (CHIPS, WHOLE, LATE) for seat in range(2, 10)]
    assert not facing[others].any()
    assert row(tree, "K: bet")[[SHARE, DEALER]].tolist() == pytest.approx([1, 1 / 9])
    assert summaries(tree).shape == (12, 35)


def test_rounds_of_leduc_are_told_apart(tree_of):
    late = row(tree_of("leduc"), "JK: bet raise call / check")
    assert late[[WHOLE, WHOLE + 1]].tolist() == pytest.approx([1, (1 + 0.5 + 0.5) / 3])
    assert late[[LATE, LATE + 1]].tolist() == [0.5, 0.5]
    assert late[SHARE] == pytest.approx((0 + 0.5 + 0 + 0) / 4)  # of J, Q, Q and K another jack ties
    first = row(tree_of("leduc"), "J")
    # One of 5 cards is the other jack, a tie; against the rest a jack has to come, and that is one of 4 cards left.
    assert first[SHARE] == pytest.approx(0.2 * 0.5 + 0.8 * 0.25)


def test_hands_that_look_alike_are_few(tree_of):
    """As many information sets of both seats as these networks can tell apart, of all that there are."""
    for name, alike, infosets in (("kuhn", 12, 12), ("leduc", 108, 288), ("leduc_no_limit", 144, 360)):
        rows = summaries(tree_of(name))
        assert (len(np.unique(rows, axis=0)), len(rows)) == (alike, infosets)


@pytest.mark.parametrize("name", ["leduc", "kuhn(players=3)"])
def test_larger_games_tell_the_same(name, tree_of):
    """What is worked out once for a deal is what is seen at each of its decisions."""
    game, betting = feint.load_game(name), betting_of(name)
    arena = build_card_arena(betting, "summary")
    cards, number = dealt(arena, 8), {view: at for at, view in enumerate(tree_of(name).views)}
    shares = np.asarray(tell(arena, jnp.asarray(cards)))
    for node in range(len(betting.actor)):
        player, up = int(betting.actor[node]), int(arena.upturned[node])
        for deal, all_cards in enumerate(cards.tolist()):
            hole, board = tuple(all_cards[player : player + 1]), tuple(all_cards[game.players : game.players + up])
            told = summaries(tree_of(name))[number[0, hole, board, betting.moves[node]]]
            assert shares[deal, player, up] == told[SHARE]
            np.testing.assert_array_equal(arena.betting[node], told[1:])


def test_the_dealer_may_change(tree_of):
    tree = tree_of("leduc_thesis")
    for label, own, call in (("Q (dealer)", 0.5, 0.5), ("Q: call", 1, 0), ("Q (dealer): call raise", 1, 1)):
        for player in (0, 1):  # either may deal
            at = [row for row in range(len(tree.labels)) if (tree.labels[row], tree.player[row]) == (label, player)]
            (told,) = summaries(tree)[at]
            most = 5  # chips: a big blind, and two raises of one in each round
            assert told[[CALL, CHIPS]].tolist() == pytest.approx([call / most, 1 - own / most])
            assert told[DEALER] == pytest.approx(0 if "dealer" in label else 1 / 9)


@pytest.fixture(scope="module")
def holdem():
    return build_card_arena(betting_of("holdem"), "summary")


def number_of(name):
    return "23456789TJQKA".index(name[0]) * 4 + "shdc".index(name[1])


@pytest.mark.parametrize(("hand", "won"), [("As Ah", 0.852), ("Ks Qs", 0.634), ("7d 2c", 0.346), ("2h 2s", 0.503)])
def test_starting_hands_of_holdem(holdem, hand, won):
    """What is known of them against a random hand, to within what some boards and holdings can say for all."""
    one, other = map(number_of, hand.split())
    table = np.asarray(holdem.winning.table)
    assert table[one, other] == table[other, one] == pytest.approx(won, abs=0.025)


def test_cards_to_come_are_not_told(holdem):
    cards = dealt(holdem, 50)
    shares = np.asarray(tell(holdem, jnp.asarray(cards)))
    shown = np.concatenate([cards[:, :2], cards[:, 4:7]], 1)  # not the other's, and nothing beyond the flop
    flop = next(node for node in range(len(holdem.actor)) if holdem.upturned[node] == 3 and holdem.actor[node] == 0)
    hidden = np.full((50, 2), HIDDEN, np.uint8)
    seen = Seen(jnp.full(50, flop, holdem.node_type), jnp.asarray(np.concatenate([shown, hidden], 1)))
    np.testing.assert_allclose(np.asarray(see(holdem, seen))[:, SHARE], shares[:, 0, 3], atol=1e-6)
    # Of a hand's path all decisions are asked about with the cards of the last.
    whole = Seen(seen.node, jnp.asarray(np.concatenate([shown, cards[:, 7:]], 1)))
    np.testing.assert_array_equal(see(holdem, whole), see(holdem, seen))


def test_suits_may_be_renamed(holdem):
    """Hands that differ in nothing but the names of suits come to the same."""
    cards = dealt(holdem, 50)
    renamed = cards // 4 * 4 + (cards % 4 + 1) % 4
    np.testing.assert_allclose(tell(holdem, jnp.asarray(cards)), tell(holdem, jnp.asarray(renamed)), atol=1e-6)


@given(st.integers(2, 4), st.integers(1, 3), st.integers(0, 2))
def test_shares_of_all_hands_make_a_half(ranks, copies, boards):
    """Whoever beats is beaten: over all deals a hand wins as often as it loses."""
    if ranks * copies < 2 + boards:
        return
    rounds = (Round(1, 1), *[Round(1, 1, board=1)] * boards)
    game = Poker(Deck("23456789"[:ranks], copies), rounds, pair_then_rank, ante=1)
    table = np.asarray(build_winning(game).table)
    for up in range(boards + 1):
        hidden = (ranks,) * (boards - up)
        chances = [
            (chance * another, table[(*hole, *board, *hidden)])
            for chance, hole in game.deck.draws((), 1)
            for another, board in orders(game, hole, up)
        ]
        assert sum(chance * share for chance, share in chances) == pytest.approx(0.5, abs=1e-6)


def orders(game, hole, up):
    """Board cards in the order in which they come."""
    if not up:
        return [(1.0, ())]
    return [
        (chance * another, (*before, *card))
        for chance, before in orders(game, hole, up - 1)
        for another, card in game.deck.draws((*hole, *before), 1)
    ]


def test_what_cannot_be_summed_up_is_refused():
    with pytest.raises(feint.BadInput, match=r"^Only a hand of poker is summed up, and rock_paper_scissors is none; "):
        form_of("rock_paper_scissors").situations(0, "summary")
    many = replace(leduc(), players=11, deck=Deck("23456789TJQ", 4))
    with pytest.raises(feint.BadInput, match=r"^leduc has 11 players, but hands of at most 10 are summed up\.$"):
        summarised(replace(betting_of("leduc"), game=many))
    large = Poker(Deck("23456789TJQKA", 4, suits=True), (Round(1, 1, board=2),), pair_then_rank, ante=1)
    assert LARGEST_TABLE < 53**3
    with pytest.raises(feint.BadInput, match=r"^poker has too many cards for a table of what they win; "):
        build_winning(large)
