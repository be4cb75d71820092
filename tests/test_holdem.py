"""Limit hold'em: two other programs as oracles, its published sizes, and properties of random hands."""

from __future__ import annotations

import functools
from dataclasses import replace
from random import Random

import hypothesis.strategies as st
import numpy as np
import pokerkit
import pyspiel
import pytest
from hypothesis import given, settings

import feint
from feint.arena.betting import unroll_betting
from feint.games.holdem import holdem
from feint.games.poker import CALL, FOLD, RAISE

HANDS = st.integers(0, 2**32 - 1).map(Random)


def cards_of(game, rng):
    """The cards of one hand as they are to be dealt: two to each player, then the board round by round."""
    deck = iter(rng.sample(range(game.deck.kinds), game.deck.kinds))
    groups = [game.hole] * game.players + [declared.board for declared in game.rounds if declared.board]
    return [tuple(next(deck) for _ in range(size)) for size in groups]


def random_move(game, state, rng):
    """A legal move that seldom folds, so that most hands see all rounds."""
    moves = game.legal(state)
    return rng.choice(moves) if rng.random() < 0.15 else rng.choice([move for move in moves if move != FOLD])


def played_out(game, rng):
    """The states of one random hand."""
    cards, state = iter(cards_of(game, rng)), game.start()
    yield state
    while game.actor(state) != feint.TERMINAL:
        chance = game.actor(state) == feint.CHANCE
        state = game.deal(state, next(cards)) if chance else game.play(state, random_move(game, state, rng))
        yield state


# OpenSpiel as the oracle. Its cards have our numbers, and suits that are called otherwise; it deals one at a time.


def universal_poker(game):
    """OpenSpiel's name of the game: seat 1 is the dealer, who posts the small blind."""
    rounds, board = len(game.rounds), " ".join(str(declared.board) for declared in game.rounds)
    parameters = {
        "betting": "limit",
        "numPlayers": 2,
        "blind": "1 2",
        "numRounds": rounds,
        "firstPlayer": " ".join("1222"[:rounds]),
        "maxRaises": " ".join(str(declared.cap) for declared in game.rounds),
        "raiseSize": " ".join(str(declared.raise_by) for declared in game.rounds),
        "numSuits": 4,
        "numRanks": len(game.deck.ranks),
        "numHoleCards": 2,
        "numBoardCards": board,
    }
    return pyspiel.load_game(f"universal_poker({','.join(f'{key}={value}' for key, value in parameters.items())})")


def compare_with_open_spiel(game, source, rng):
    """One random hand in both programs: actors, legal moves, payoffs."""
    cards, ours, theirs = iter(cards_of(game, rng)), game.start(), source.new_initial_state()
    while game.actor(ours) != feint.TERMINAL:
        if game.actor(ours) == feint.CHANCE:
            dealt = next(cards)
            ours = game.deal(ours, dealt)
            for card in dealt:
                theirs.apply_action(card)
            continue
        assert theirs.current_player() == game.actor(ours), theirs
        assert theirs.legal_actions() == list(game.legal(ours)), theirs
        move = random_move(game, ours, rng)
        ours = game.play(ours, move)
        theirs.apply_action(move)
    assert theirs.is_terminal()
    assert list(game.payoffs(ours)) == theirs.returns(), theirs


@pytest.mark.parametrize(
    ("parameters", "hands"),
    [
        ({}, 1_000),
        pytest.param({}, 10_000, marks=pytest.mark.slow),
        ({"rounds": 2}, 500),
        ({"rounds": 3, "ranks": 9}, 500),
        ({"ranks": 3}, 500),
    ],
)
def test_hands_as_in_open_spiel(parameters, hands):
    game, rng = holdem(**parameters), Random(1)
    source = universal_poker(game)
    for _ in range(hands):
        compare_with_open_spiel(game, source, rng)


def test_the_comparisons_notice_other_rules():
    game, rng = holdem(variant="rlcard"), Random(1)
    for compare in (
        functools.partial(compare_with_open_spiel, source=universal_poker(holdem())),
        compare_with_pokerkit,
    ):
        with pytest.raises(AssertionError):
            compare(game, rng=rng)


# pokerkit as the oracle. Of two players its first posts the big blind: our player 1. It wants every legal raise named.


@functools.cache
def fixed_limit():
    """Its limit hold'em without burnt cards, and with three raises before the flop, where it allows four."""
    dealing = pokerkit.Automation.HOLE_DEALING, pokerkit.Automation.BOARD_DEALING
    automatic = tuple(step for step in pokerkit.Automation if step not in dealing)
    game = pokerkit.FixedLimitTexasHoldem(automatic, True, 0, (1, 2), 2, 4)
    streets = [replace(street, card_burning_status=False) for street in game.streets]
    game.streets = (replace(streets[0], max_completion_betting_or_raising_count=3), *streets[1:])
    return game


def compare_with_pokerkit(game, rng):
    cards, ours, theirs = cards_of(game, rng), game.start(), fixed_limit()((1000, 1000), 2)
    board = iter(cards[2:])
    for ours_first, theirs_first in zip(cards[:2], cards[1::-1], strict=True):
        ours = game.deal(ours, ours_first)
        theirs.deal_hole(named(game, theirs_first))
    while game.actor(ours) != feint.TERMINAL:
        if game.actor(ours) == feint.CHANCE:
            dealt = next(board)
            ours = game.deal(ours, dealt)
            theirs.deal_board(named(game, dealt))
            continue
        assert theirs.actor_index == 1 - game.actor(ours)
        can = (theirs.can_fold(), theirs.can_check_or_call(), theirs.can_complete_bet_or_raise_to())
        assert np.flatnonzero(can).tolist() == list(game.legal(ours))
        move = random_move(game, ours, rng)
        ours = game.play(ours, move)
        {FOLD: theirs.fold, CALL: theirs.check_or_call, RAISE: theirs.complete_bet_or_raise_to}[move]()
    assert not theirs.status
    assert list(game.payoffs(ours)) == theirs.payoffs[::-1]


def named(game, cards):
    return "".join(game.deck.name(card) for card in cards)


@pytest.mark.parametrize("hands", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_hands_as_in_pokerkit(hands):
    game, rng = holdem(), Random(2)
    for _ in range(hands):
        compare_with_pokerkit(game, rng)


# Sizes.


def betting_decisions(game):
    """How many decisions each round has when the cards are fixed."""
    found, stack = [0] * len(game.rounds), [(game.start(), tuple(cards_of(game, Random(0))))]
    while stack:
        state, cards = stack.pop()
        if game.actor(state) == feint.CHANCE:
            stack.append((game.deal(state, cards[0]), cards[1:]))
        elif game.actor(state) != feint.TERMINAL:
            found[len(state.moves) - 1] += 1
            stack += [(game.play(state, move), cards) for move in game.legal(state)]
    return found


def test_betting_decisions():
    assert betting_decisions(holdem()) == [8, 70, 630, 5670]
    assert betting_decisions(holdem(variant="rlcard")) == [10, 90, 810, 7290]
    assert betting_decisions(holdem(rounds=2, ranks=5)) == [8, 70]


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["acpc", "rlcard"])
def test_the_smallest_game_unrolls(variant):
    game = holdem(variant=variant, ranks=2, rounds=2)
    tree = feint.unroll(game, cache=False)
    assert (tree.nodes, len(tree.infosets)) == game.unrolled_size()
    assert len(np.unique(tree.features, axis=0)) == len(np.unique(tree.labels)) == len(tree.infosets)


# Hands played out, and what is seen of them.

DEAL = ("As Kd", "7h 7c", "2s 7s Ks", "Qs", "3d")


def scripted(game, script, deal=DEAL):
    """The state after the moves of a script, with cards from DEAL where chance deals."""
    number = {game.deck.name(card): card for card in range(game.deck.kinds)}
    cards, state = (tuple(number[name] for name in group.split()) for group in deal), game.start()
    for move in (None, None, *script.split()):
        state = game.play(state, game.actions.index(move)) if move else state
        while game.actor(state) == feint.CHANCE and (dealt := next(cards, None)):
            state = game.deal(state, dealt)
    return state


@pytest.mark.parametrize(
    ("variant", "script", "payoffs"),
    [
        ("acpc", "fold", (-1, 1)),
        ("acpc", "call raise fold", (-2, 2)),
        ("acpc", "raise fold", (2, -2)),
        ("acpc", "call call " + "call call " * 3, (2, -2)),  # a flush in spades beats three sevens
        ("acpc", "raise call " + "raise call " * 3, (14, -14)),
        ("acpc", "raise raise raise call " + "raise raise raise raise call " * 3, (48, -48)),
        ("acpc", "call call raise raise fold", (4, -4)),  # the big blind opens the flop, the dealer raises
        ("rlcard", "raise raise raise raise call " + "raise raise raise raise call " * 3, (50, -50)),
        ("rlcard", "call fold", (2, -2)),  # the big blind throws a free hand away
    ],
)
def test_hands_played_out(variant, script, payoffs):
    game = holdem(variant=variant)
    state = scripted(game, script)
    assert game.actor(state) == feint.TERMINAL
    assert tuple(game.payoffs(state)) == payoffs


@pytest.mark.parametrize(
    ("variant", "script", "actor", "label", "moves"),
    [
        ("acpc", "", 0, "AsKd", "fold call raise"),
        ("acpc", "call", 1, "7c7h: call", "call raise"),
        ("acpc", "raise raise raise", 1, "7c7h: raise raise raise", "fold call"),
        ("acpc", "call call", 1, "7c7h Ks7s2s: call check", "call raise"),
        ("acpc", "raise call raise call call", 0, "AsKd Ks7s2sQs: raise call / bet call / check", "call raise"),
        ("rlcard", "raise raise raise", 1, "7c7h: raise raise raise", "fold call raise"),
        ("rlcard", "call call", 1, "7c7h Ks7s2s: call check", "fold call raise"),
    ],
)
def test_situations(variant, script, actor, label, moves):
    game = holdem(variant=variant)
    state = scripted(game, script)
    assert game.actor(state) == actor
    assert game.label(state, actor) == label
    assert [game.actions[move] for move in game.legal(state)] == moves.split()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"variant": "acpcc"}, r"^holdem has no variant called 'acpcc'; did you mean acpc\?$"),
        ({"ranks": 14}, r"^holdem takes ranks from 3 to 13, but ranks=14 was given\.$"),
        ({"ranks": 2}, r"^holdem takes ranks from 3 to 13, but ranks=2 was given\.$"),
        ({"ranks": 1, "rounds": 2}, r"^holdem takes ranks from 2 to 13, but ranks=1 was given\.$"),
        ({"rounds": 1}, r"^holdem takes rounds from 2 to 4, but rounds=1 was given\.$"),
    ],
)
def test_refused(parameters, sentence):
    with pytest.raises(feint.BadInput, match=sentence):
        holdem(**parameters)


@pytest.mark.parametrize(
    ("script", "cards", "due"),
    [("call call", (0, 1), 3), ("call call", (0, 1, 1), 3), ("call call", (0, 1, 52), 3), ("", (0, 1), 0)],
)
def test_cards_that_cannot_be_dealt(script, cards, due):
    game = holdem()
    state = scripted(game, script, DEAL[:2])
    with pytest.raises(feint.IllegalMove, match=rf"^Cards .* cannot be dealt here; deal {due} of those left .*\.$"):
        game.deal(state, cards)


def test_dealing_is_one_outcome_of_chance():
    game = holdem(ranks=4, rounds=2)
    state = game.start()
    for _ in range(game.players):
        outcomes = game.chance(state)
        assert [game.deal(state, after.holes[-1][::-1]) for _, after in outcomes] == [after for _, after in outcomes]
        state = outcomes[len(outcomes) // 3][1]
    state = game.play(game.play(state, CALL), CALL)
    outcomes = game.chance(state)
    assert [game.deal(state, after.board) for _, after in outcomes] == [after for _, after in outcomes]
    assert len(outcomes) == 12 * 11 * 10 // 6


# Properties.


@pytest.mark.parametrize(("variant", "most"), [("acpc", 48), ("rlcard", 50)])
@given(rng=HANDS)
@settings(max_examples=60)
def test_random_hands(variant, most, rng):
    """Nobody wins more than the other loses, or than the betting allows; features are 288 zeros and ones."""
    game = holdem(variant=variant)
    for state in played_out(game, rng):
        actor = game.actor(state)
        if actor == feint.TERMINAL:
            payoffs = game.payoffs(state)
            assert sum(payoffs) == 0
            assert max(payoffs) <= most
        elif actor != feint.CHANCE:
            features = game.features(state, actor)
            assert len(features) == 288
            assert set(features) <= {0.0, 1.0}
            assert sum(features[:208]) == 2 + len(state.board)


@given(rng=HANDS)
@settings(max_examples=100)
def test_views_keep_the_other_hand_hidden(rng):
    """What the opponent holds changes nothing a player sees; which cards the player holds does."""
    game = holdem()
    for state in played_out(game, rng):
        if game.actor(state) < 0:
            continue
        other = state._replace(holes=(state.holes[0], tuple(card ^ 1 for card in state.holes[1])))
        assert game.view(state, 0) == game.view(other, 0)
        assert game.label(state, 0) == game.label(other, 0)
        assert game.features(state, 0) == game.features(other, 0)
        assert game.view(state, 1) != game.view(other, 1) or set(other.holes[1]) == set(state.holes[1])


def test_betting_is_walked_once_and_lists_do_for_tuples():
    game = feint.load_game("holdem(rounds=2)")
    assert unroll_betting(game) is unroll_betting(feint.load_game("holdem(rounds=2)"))
    listed = replace(game, rounds=list(game.rounds), blinds=list(game.blinds))
    assert unroll_betting(listed).fingerprint == unroll_betting(game).fingerprint
