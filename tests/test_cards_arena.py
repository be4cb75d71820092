"""Play by betting tree and dealt cards is the game that the rules describe."""

from __future__ import annotations

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import feint
from conftest import few
from feint.arena.arena import as_uniform, draw, random_words
from feint.arena.betting import BettingTree, unroll_betting
from feint.arena.cards import HIDDEN, Deal, Seen, build_card_arena
from feint.arena.policy import Uniform
from feint.forms.library import form_of
from feint.games.cards import Deck, best_five
from feint.games.errors import BadInput
from feint.games.library import load_game
from feint.games.poker import Poker, Round

SMALL = ("kuhn", "kuhn(players=3)", "leduc", "leduc(suits=True)", "leduc_no_limit")


@pytest.fixture(scope="module")
def holdem():
    return unroll_betting(load_game("holdem"))


@pytest.fixture(scope="module")
def arena(holdem):
    return build_card_arena(holdem)


def words(key, arena, tables, play=False):
    return random_words(jax.random.key(key), arena.play_words if play else arena.deal_words, tables)


def test_hold_em_has_its_betting(holdem):
    assert np.bincount(holdem.round).tolist() == [8, 70, 630, 5670]
    assert holdem.labels[0] == ""
    assert holdem.actor[0] == 0
    assert holdem.past.shape[1] == 11
    assert holdem.paid.max() == 48
    assert holdem.big_blind == 2


def test_forms_are_trees_where_they_can_be(tree_of):
    assert form_of("leduc").fingerprint == tree_of("leduc").fingerprint
    assert isinstance(form_of("holdem").betting, BettingTree)
    with pytest.raises(BadInput, match="draws its dealer"):
        unroll_betting(load_game("leduc_thesis"))


def test_every_deal_is_of_different_cards_and_equally_likely(arena):
    cards = np.asarray(arena.deal(words(0, arena, 100_000)).cards).astype(int)
    assert cards.shape == (100_000, 9)
    assert cards.max() == 51
    ordered = np.sort(cards, 1)
    assert (ordered[:, 1:] != ordered[:, :-1]).all()
    for place in range(9):
        assert stats.chisquare(np.bincount(cards[:, place], minlength=52)).pvalue > 1e-4
    pairs = cards[:, 0] * 52 + cards[:, 1]
    counts = np.bincount(pairs, minlength=52 * 52).reshape(52, 52)
    assert stats.chisquare(counts[~np.eye(52, dtype=bool)]).pvalue > 1e-4
    assert abs(np.corrcoef(cards.T.astype(float))[np.triu_indices(9, 1)] + 1 / 51).max() < 0.02


@pytest.mark.parametrize("name", few(*SMALL, fast=("kuhn(players=3)", "leduc(suits=True)")))
def test_random_play_earns_what_uniform_strategies_earn(tree_of, name):
    tree, arena = tree_of(name), build_card_arena(unroll_betting(load_game(name)))
    tables, policy = 4096, Uniform(arena)

    def step(where, key):
        drawn = random_words(key, arena.play_words + 1, tables)
        seen = arena.infostate(where)
        move = draw(policy(seen, arena.turn(where)), as_uniform(drawn[-1]), arena.legal(seen))
        played = arena.play(where, move, drawn[:-1])
        return played.where, (played.done.sum(), played.payoff.sum(0), (played.payoff**2).sum(0))

    run = eqx.filter_jit(lambda where, keys: jax.lax.scan(step, where, keys)[1])
    done, won, squared = run(arena.deal(words(1, arena, tables)), jax.random.split(jax.random.key(2), 300))
    hands = int(done.sum())
    error = np.sqrt(np.asarray(squared.sum(0))) / hands
    assert (abs(np.asarray(won.sum(0)) / hands - feint.expected_values(tree, tree.uniform())) < 4 * error).all()


@pytest.mark.parametrize(
    "name",
    few("leduc(suits=True)", "holdem", "holdem(rounds=2, ranks=6)", "holdem(variant=rlcard)", fast=("holdem",)),
)
def test_hands_go_as_the_rules_say(name):
    """Hands played at tables, replayed with the rules: the same players, moves, infostates, features and winnings."""
    game = load_game(name)
    betting = unroll_betting(game)
    arena = build_card_arena(betting)
    tables = 60
    rng = np.random.default_rng(0)
    where = arena.deal(words(3, arena, tables))
    cards = np.asarray(where.cards)
    hands = [start(game, row) for row in cards]
    over = np.zeros(tables, bool)
    look, play = eqx.filter_jit(lambda where: (arena.infostate(where), arena.turn(where))), eqx.filter_jit(arena.play)
    features, legal_moves = eqx.filter_jit(arena.features), eqx.filter_jit(arena.legal)
    while not over.all():
        infostate, turn = look(where)
        seen, legal = np.asarray(features(infostate)), np.asarray(legal_moves(infostate))
        moves = np.array([rng.choice(np.flatnonzero(row)) for row in legal])
        played = play(where, jnp.asarray(moves), words(4, arena, tables, play=True))
        for table in np.flatnonzero(~over):
            hand, row = hands[table], cards[table]
            assert hand.actor == turn[table]
            assert game.legal(hand) == np.flatnonzero(legal[table]).tolist()
            np.testing.assert_array_equal(seen[table], game.features(hand, hand.actor))
            hands[table] = dealt(game, game.play(hand, int(moves[table])), row)
            assert (hands[table].actor == feint.TERMINAL) == bool(played.done[table])
            if played.done[table]:
                np.testing.assert_allclose(played.payoff[table], game.payoffs(hands[table]), atol=1e-5)
        over |= np.asarray(played.done)
        where = played.where


def start(game, row):
    return dealt(game, game.start(), row)


def dealt(game, hand, row):
    """A hand once chance has dealt the cards of a table's row."""
    while hand.actor == feint.CHANCE:
        if len(hand.holes) < game.players:
            first = len(hand.holes) * game.hole
            hand = game.deal(hand, tuple(int(card) for card in row[first : first + game.hole]))
        else:
            first = game.players * game.hole + len(hand.board)
            due = game.rounds[len(hand.moves)].board
            hand = game.deal(hand, tuple(int(card) for card in row[first : first + due]))
    return hand


def test_players_see_their_own_cards_and_the_open_board(holdem, arena):
    cards = jnp.arange(9, dtype=jnp.uint8)[None]
    for node in (0, 5, 40, 300, 5000):
        seen = arena.infostate(Deal(jnp.array([node]), cards))
        player, up = holdem.actor[node], (0, 3, 4, 5)[holdem.round[node]]
        own = [2 * player, 2 * player + 1]
        assert seen.cards[0].tolist() == [*own, *range(4, 4 + up), *[HIDDEN] * (5 - up)]
        assert int(seen.node[0]) == node


def test_rlcards_view_is_its_72_numbers(holdem):
    arena = build_card_arena(holdem, "rlcard")
    assert arena.inputs == 72
    node = holdem.labels.index("raise raise call / check bet")
    cards = jnp.array([[0, 51, 7, 8, 9, HIDDEN, HIDDEN]], jnp.uint8)
    row = np.asarray(arena.features(Seen(jnp.array([node]), cards)))[0]
    assert np.flatnonzero(row[:52]).tolist() == [0, 7, 8, 9, 51]
    # Two raises before the flop, one on it, none later: four blocks of five indicators.
    assert np.flatnonzero(row[52:]).tolist() == [2, 6, 10, 15]


def test_hands_that_differ_in_suits_alone_look_the_same(holdem, arena):
    """Renaming suits changes nothing; hands that are different stay different: 169 before the flop."""
    cards = np.asarray(arena.deal(words(5, arena, 500)).cards)[:, 2:]
    symmetric, renamed_by = (
        eqx.filter_jit(build_card_arena(holdem, "symmetric").features),
        eqx.filter_jit(arena.renamed),
    )
    rng = np.random.default_rng(0)
    for node, up in zip(np.unique(holdem.round, return_index=True)[1].tolist(), (2, 5, 6, 7), strict=True):
        shown = np.where(np.arange(7) < up, cards, HIDDEN).astype(np.uint8)
        renamed = [np.where(row == HIDDEN, HIDDEN, row // 4 * 4 + rng.permutation(4)[row % 4]) for row in shown]
        one, two = (
            symmetric(Seen(jnp.full(500, node, jnp.int16), jnp.asarray(each, jnp.uint8)))
            for each in (shown, np.stack(renamed))
        )
        np.testing.assert_array_equal(one, two)
        named = np.asarray(renamed_by(jnp.asarray(shown)))
        np.testing.assert_array_equal(named[:, :up] // 4, shown[:, :up] // 4)
        assert (named[:, up:] == HIDDEN).all()
        assert (np.diff(np.sort(named[:, :up], 1), axis=1) > 0).all()
    pairs = np.array([(a, b, *[HIDDEN] * 5) for a in range(52) for b in range(a)], np.uint8)
    rows = np.asarray(symmetric(Seen(jnp.zeros(len(pairs), jnp.int16), jnp.asarray(pairs))))
    assert len(np.unique(rows, axis=0)) == 169


SHORT = Poker(Deck("9TJQKA", 4, suits=True), (Round(2, 1), Round(2, 1, 3, 1)), best_five, hole=2, ante=1)


def lowest(deck, hole, board):
    return -sum(map(deck.rank, hole))


def highest(deck, hole, board):
    return sum(map(deck.rank, hole))


def test_fingerprints_tell_games_apart_that_differ_in_their_boards_or_showdowns_alone():
    rounds = Round(2, 1, 1), Round(2, 1, 3, 1)
    games = (SHORT, *(replace(SHORT, **change) for change in (
        {"rounds": rounds}, {"showdown": lowest}, {"showdown": highest}, {"showdown": highest, "rounds": rounds},
    )))  # fmt: skip
    assert len({unroll_betting(game).fingerprint for game in games}) == len(games)


def test_fingerprints_of_games_that_come_with_feint_stay_as_they_were():
    """Users have runs of them."""
    assert unroll_betting(load_game("holdem")).fingerprint.startswith("54a3afc61bdaaeaf")
    assert unroll_betting(load_game("turn_holdem")).fingerprint.startswith("7575073844555b7b")
    assert unroll_betting(load_game("river_holdem")).fingerprint.startswith("b794a13b7f66eae1")
    assert unroll_betting(load_game("leduc_no_limit")).fingerprint.startswith("78c9fa7323678335")
