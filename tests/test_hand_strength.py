"""Networks are told how good a hand is: the share of holdings that it beats, and nothing that players cannot see."""

from __future__ import annotations

from itertools import combinations

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.arena.betting import unroll_betting
from feint.arena.cards import HIDDEN, Deal, Seen, build_card_arena
from feint.arena.hand_strength import LEVELS, HandStrength, build_hand_strength
from feint.games.cards import best_five
from feint.games.holdem import holdem
from feint.games.library import load_game

FULL = holdem().deck
BOARDS = (3, 4, 5)
"""Cards on the board at the flop, the turn and the river."""
ROWS = 500

share = eqx.filter_jit(lambda strength, own, board: strength.share(own, board))
tell = eqx.filter_jit(lambda strength, cards: strength(cards, (cards[..., 2:] != HIDDEN).sum(-1)))
see = eqx.filter_jit(lambda arena, infostate: arena.features(infostate))
ask = eqx.filter_jit(lambda policy, infostate, turn: policy(infostate, turn))


@pytest.fixture(scope="module")
def betting():
    return unroll_betting(load_game("holdem"))


@pytest.fixture(scope="module")
def arena(betting):
    return build_card_arena(betting, "strength")


@pytest.fixture(scope="module")
def strength(arena):
    return arena.hand_strength


@pytest.fixture(scope="module")
def everyone(strength):
    """All holdings, each of which stands for itself alone."""
    holdings = jnp.asarray(list(combinations(range(FULL.kinds), 2)), jnp.int32)
    return HandStrength(strength.ranks, strength.ranks.key(holdings), jnp.ones(len(holdings)), strength.boards)


def deals(count, size, deck=FULL, seed=0):
    """Random cards, all different in each row."""
    decks = np.tile(np.arange(deck.kinds, dtype=np.uint8), (count, 1))
    return np.random.default_rng(seed).permuted(decks, axis=1)[:, :size]


def by_name(names):
    number = {FULL.name(card): card for card in range(FULL.kinds)}
    return [number[name] for name in names.split()]


def shares(strength, cards, up):
    """The share that each row's hand beats with so many cards on the board."""
    rows = jnp.asarray(np.resize(cards, (max(len(cards), ROWS), cards.shape[1])))  # one compilation serves most
    return np.asarray(share(strength, rows[:, :2], rows[:, 2 : 2 + up]))[: len(cards)]


def one_by_one(cards):
    """The share of all other holdings that a hand beats, those that tie by half, as the rules rank them."""
    own, board = tuple(cards[:2]), tuple(cards[2:])
    ours = best_five(FULL, own, board)
    left = sorted(set(range(FULL.kinds)) - set(cards))
    theirs = [best_five(FULL, pair, board) for pair in combinations(left, 2)]
    return np.mean([0.5 * (ours >= other) + 0.5 * (ours > other) for other in theirs])


def root_mean_square(errors):
    return np.sqrt(np.mean(np.square(errors)))


@pytest.mark.parametrize("up", BOARDS)
def test_the_share_is_what_ranking_every_holding_gives(strength, everyone, up):
    """Nearly so with the starting hands that stand for all, and exactly so with all of them."""
    cards = deals(40, 2 + up, seed=up)
    truth = [one_by_one(row.tolist()) for row in cards]
    assert root_mean_square(shares(strength, cards, up) - truth) < 0.025
    np.testing.assert_allclose(shares(everyone, cards, up), truth, atol=1e-6)


@pytest.mark.parametrize("up", BOARDS)
def test_shares_err_to_both_sides_and_the_names_of_suits_move_them_no_further(strength, everyone, up):
    """A holding stands for all of its kind. Other names of suits have others stand for them: two errors, not one."""
    cards = deals(ROWS, 2 + up)
    suits = np.random.default_rng(1).permuted(np.tile(np.arange(4), (ROWS, 1)), axis=1)
    renamed = (cards // 4 * 4 + np.take_along_axis(suits, cards % 4, 1)).astype(np.uint8)
    ours, truth = (shares(each, cards, up) for each in (strength, everyone))
    error = root_mean_square(ours - truth)
    assert error < 0.025
    assert abs(np.mean(ours - truth)) < 0.005
    moved = shares(strength, renamed, up) - ours
    assert 0 < root_mean_square(moved) < 1.6 * error
    assert abs(moved).max() < 0.25
    np.testing.assert_allclose(shares(everyone, renamed, up), truth, atol=1e-6)


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [
        ("Js Ts As Ks Qs", 1.0),
        ("Js Ts As Ks Qs 2h", 1.0),
        ("Js Ts As Ks Qs 2h 2d", 1.0),
        ("9d 9c 9s 9h 2c 3h 4d", 1.0),
        ("2h 2d As Ks Qs Js Ts", 0.5),  # the royal flush is everyone's
        ("5h 4c As Ah Ad Ac Ks", 0.5),  # as are four aces with a king
    ],
)
def test_shares_that_every_holding_agrees_on_are_exact(strength, cards, wanted):
    row = np.array([by_name(cards)], np.uint8)
    assert shares(strength, row, row.shape[1] - 2)[0] == wanted


def shown(cards, up):
    """A player's cards and so many of the board's; the rest is hidden."""
    return np.where(np.arange(cards.shape[-1]) < 2 + up, cards, HIDDEN).astype(np.uint8)


def first_of_rounds(betting):
    """A betting decision of each round."""
    return np.unique(betting.round, return_index=True)[1].tolist()


@pytest.mark.parametrize(
    ("name", "boards"),
    [("holdem", (3, 4, 5)), ("holdem(ranks=6,rounds=2)", (3,))],
)
def test_each_shown_round_is_told_and_no_other(name, boards):
    """Levels from 0 to 1 that sum to 1 and tell the share; 0 where cards are hidden."""
    game = load_game(name)
    strength = build_hand_strength(game)
    assert (strength.boards, strength.inputs) == (boards, LEVELS * len(boards))
    cards = deals(100, 2 + boards[-1], game.deck)
    for up in (0, *boards):
        told = np.asarray(tell(strength, jnp.asarray(shown(cards, up)))).reshape(len(cards), len(boards), LEVELS)
        for levels, board in zip(told.swapaxes(0, 1), boards, strict=True):
            if board > up:
                assert (levels == 0).all()
                continue
            assert levels.min() >= 0
            np.testing.assert_allclose(levels.sum(-1), 1, atol=1e-6)
            assert ((levels > 0).sum(-1) <= 2).all()
            np.testing.assert_allclose(levels @ np.linspace(0, 1, LEVELS), shares(strength, cards, board), atol=1e-6)


def test_nothing_depends_on_cards_that_are_not_seen(betting, arena):
    """Other cards for the other player and on the board to come: what the network sees stays the same."""
    cards = deals(100, 9)
    for node, up in zip(first_of_rounds(betting), (0, *BOARDS), strict=True):
        player = int(betting.actor[node])
        hidden = [2 * (1 - player), 2 * (1 - player) + 1, *range(4 + up, 9)]
        others = cards.copy()
        others[:, hidden] = [np.setdiff1d(range(52), row)[: len(hidden)] for row in cards]
        assert (others != cards).any(0).sum() == len(hidden)
        one, two = (
            np.asarray(see(arena, arena.infostate(Deal(jnp.full(100, node), jnp.asarray(each)))))
            for each in (cards, others)
        )
        np.testing.assert_array_equal(one, two)


def test_networks_see_the_symmetric_view_and_how_good_the_hand_is(betting, arena):
    assert arena.inputs == 321
    symmetric = build_card_arena(betting, "symmetric")
    cards = deals(100, 7)
    for node, up in zip(first_of_rounds(betting), (0, *BOARDS), strict=True):
        infostate = Seen(jnp.full(100, node, jnp.int16), jnp.asarray(shown(cards, up)))
        seen = np.asarray(see(arena, infostate))
        assert seen.shape == (100, 321)
        np.testing.assert_array_equal(seen[:, :288], see(symmetric, infostate))
        np.testing.assert_array_equal(seen[:, 288:], tell(arena.hand_strength, symmetric.renamed(infostate.cards)))


@pytest.mark.parametrize("name", ["holdem(ranks=3)", "holdem(ranks=4)"])
def test_hands_of_the_smallest_decks_can_be_compared_too(name):
    game = load_game(name)
    strength = build_hand_strength(game)
    cards = deals(20_000, 2 + strength.boards[-1], game.deck)
    assert np.isfinite(shares(strength, cards, strength.boards[-1])).all()


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc(suits=True)"])
def test_games_without_poker_hands_are_refused_in_a_sentence_that_helps(name):
    betting = unroll_betting(load_game(name))
    with pytest.raises(
        feint.BadInput, match=r"no hands of 5 to 7 cards to compare; use encoding=symmetric\.$"
    ) as refused:
        build_card_arena(betting, "strength")
    assert str(refused.value).startswith(f"{betting.name} has ")
    arena = build_card_arena(betting, "symmetric")
    deal = eqx.filter_eval_shape(arena.deal, jnp.zeros((arena.deal_words, 1), jnp.uint32))
    assert eqx.filter_eval_shape(lambda where: arena.features(arena.infostate(where)), deal).shape == (1, arena.inputs)


# The agent that comes with Feint was trained with these features. What changes them ruins it, and nothing else would
# say so: the arrays would still fit.

GOLDEN = {
    ("", "As Ah"): (0.00000, 0.15072, 0.84928),
    ("", "7s 2h"): (0.96033, 0.02810, 0.01158),
    ("raise call / bet", "Ac 5d 9s 8s 3d"): (0.00760, 0.94980, 0.04260),
    ("raise call / check check / check bet", "Ac 5d 9s 8s 3d Tc"): (0.61934, 0.35170, 0.02896),
    ("raise call / check check / bet call / check bet", "Qh Td Ah Kd 2c 9h 4s"): (0.33766, 0.61771, 0.04462),
}
"""Before each decision the betting and the cards seen; then how often the agent folds, calls and raises."""


def test_the_agent_plays_as_when_it_was_shipped(betting):
    run = feint.load_run("feint:holdem")
    assert run.config.settings["encoding"] == "strength"
    nodes = np.array([betting.labels.index(words) for words, _ in GOLDEN])
    seen = [by_name(cards) for _, cards in GOLDEN]
    assert [len(row) - 2 for row in seen] == [(0, *BOARDS)[played] for played in betting.round[nodes]]
    cards = jnp.asarray([[*row, *[HIDDEN] * (7 - len(row))] for row in seen], jnp.uint8)
    moves = ask(run.strategy.policy, Seen(jnp.asarray(nodes, jnp.int16), cards), jnp.asarray(betting.actor[nodes]))
    np.testing.assert_allclose(moves, list(GOLDEN.values()), atol=1e-4)
