"""No-limit hold'em: another program as the oracle, its sizes, and that small and large ones are what they say."""

from __future__ import annotations

import functools
from dataclasses import replace
from random import Random

import hypothesis.strategies as st
import numpy as np
import pokerkit
import pytest
from hypothesis import given, settings

import feint
from feint.arena.betting import unroll_betting
from feint.forms.dealt import CardForm
from feint.forms.library import form_of
from feint.forms.public import PublicForm
from feint.forms.unrolled import TreeForm
from feint.games import poker_sizes
from feint.games.holdem import holdem_no_limit
from feint.games.poker import CALL, FOLD, RAISE
from feint.players.simple import Random as RandomPlayer
from test_holdem import cards_of, named

SHORT = "holdem_no_limit(ranks=2,rounds=2,stack=6,bets=[1])"


# pokerkit as the oracle. Of two players its first posts the big blind: our player 1. It counts raises by street.


@functools.cache
def their_no_limit():
    """Its no-limit hold'em without burnt cards; shares of the pot are not rounded to chips."""
    dealing = pokerkit.Automation.HOLE_DEALING, pokerkit.Automation.BOARD_DEALING
    automatic = tuple(step for step in pokerkit.Automation if step not in dealing)
    split = {"divmod": lambda pot, winners: (pot / winners, 0)}
    game = pokerkit.NoLimitTexasHoldem(automatic, True, 0, (1, 2), 2, **split)
    game.streets = tuple(replace(street, card_burning_status=False) for street in game.streets)
    return game


def sizes_of(game, hand):
    """Every raise that could be meant, legal or not, as (move, what the player will have paid)."""
    pot, due = sum(hand.paid), game.to_call(hand)
    sizes = [(RAISE + number, max(hand.paid) + size * (pot + due)) for number, size in enumerate(game.pot_bets)]
    return [each for each in sizes if each[1] < game.stack] + [(RAISE + len(game.pot_bets), game.stack)]


def seldom_all_in(game, hand, rng):
    moves = [move for move in game.legal(hand) if move != FOLD and move != len(game.actions) - 1]
    return rng.choice(game.legal(hand)) if rng.random() < 0.2 else rng.choice(moves)


def compare_with_pokerkit(game, rng):
    cards, ours, theirs = cards_of(game, rng), game.start(), their_no_limit()((game.stack, game.stack), 2)
    board, street = iter(cards[2:]), (0.0, 0.0)
    for ours_first, theirs_first in zip(cards[:2], cards[1::-1], strict=True):
        ours = game.deal(ours, ours_first)
        theirs.deal_hole(named(game, theirs_first))
    while game.actor(ours) != feint.TERMINAL:
        if game.actor(ours) == feint.CHANCE:
            dealt, street = next(board), ours.paid
            ours = game.deal(ours, dealt)
            theirs.deal_board(named(game, dealt))
            continue
        actor, legal = game.actor(ours), game.legal(ours)
        assert theirs.actor_index == 1 - actor
        assert (FOLD in legal, CALL in legal) == (theirs.can_fold(), theirs.can_check_or_call())
        raises = dict(sizes_of(game, ours))
        for raised, paid in raises.items():
            assert theirs.can_complete_bet_or_raise_to(paid - street[actor]) == (raised in legal), (ours, paid)
        move = seldom_all_in(game, ours, rng)
        ours = game.play(ours, move)
        if move >= RAISE:
            assert ours.paid[actor] == raises[move]
            theirs.complete_bet_or_raise_to(raises[move] - street[actor])
        else:
            {FOLD: theirs.fold, CALL: theirs.check_or_call}[move]()
    assert not theirs.status
    assert game.payoffs(ours) == pytest.approx(theirs.payoffs[::-1])


@pytest.mark.parametrize(
    ("parameters", "hands"), [({}, 300), ({"stack": 25, "bets": (0.25, 0.75, 2.0)}, 200), ({"stack": 3}, 50)]
)
def test_hands_as_in_pokerkit(parameters, hands):
    game, rng = holdem_no_limit(**parameters), Random(1)
    for _ in range(hands):
        compare_with_pokerkit(game, rng)


def test_the_comparison_notices_other_rules():
    game = replace(holdem_no_limit(bets=(0.25, 1.0)), least=1.0)
    with pytest.raises(AssertionError):
        compare_with_pokerkit(game, Random(1))


# Sizes.


@pytest.mark.parametrize(
    ("name", "decisions"),
    [
        pytest.param("holdem_no_limit", 19_136, marks=pytest.mark.slow),
        ("holdem_no_limit(stack=20,bets=[1])", 256),
        pytest.param("holdem", 8 + 70 + 630 + 5670, marks=pytest.mark.slow),
        ("leduc_no_limit", 12 + 36),  # as the DeepStack-Leduc program has them: 12, and 216 on six boards
    ],
)
def test_betting_decisions_are_those_that_are_told(name, decisions):
    game = feint.load_game(name)
    assert game.size.decisions == len(unroll_betting(game).actor) == decisions


def test_too_much_betting_is_refused_before_it_is_unrolled(monkeypatch):
    monkeypatch.setattr("feint.arena.betting.BettingTree", None)
    for stack in (400, 1e6):
        with pytest.raises(
            feint.BadInput, match=r"^holdem_no_limit.* has over 100,000 betting decisions; choose .*\.$"
        ):
            form_of(f"holdem_no_limit(stack={stack})")


def test_counting_ends_where_the_limit_is_reached(monkeypatch):
    """Thousands of small raises in a row are neither followed to their end nor too deep to follow."""
    monkeypatch.setattr(poker_sizes, "DECISION_LIMIT", 3_000)
    with pytest.raises(feint.BadInput, match=r" has over 3,000 betting decisions; "):
        assert holdem_no_limit(stack=1e6, bets=(0.02, 1.0)).size


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"stack": 2}, r"^holdem_no_limit needs a stack above the big blind of 2 chips, but stack=2 was given\.$"),
        ({"stack": float("inf")}, r"^holdem_no_limit needs a stack .*, but stack=inf was given\.$"),
        ({"stack": float("nan")}, r"^holdem_no_limit needs a stack .*, but stack=nan was given\.$"),
        ({"bets": (1, 0.5)}, r"^holdem_no_limit needs bets as ascending fractions of the pot .*, got \(1, 0\.5\)\.$"),
        ({"bets": ()}, r"^holdem_no_limit needs bets as ascending fractions of the pot .*, got \(\)\.$"),
        ({"bets": (0.5, float("inf"))}, r"^holdem_no_limit needs bets as ascending fractions .*, got \(0\.5, inf\)\.$"),
        ({"ranks": 2}, r"^holdem_no_limit takes ranks from 3 to 13, but ranks=2 was given\.$"),
        ({"rounds": 1}, r"^holdem_no_limit takes rounds from 2 to 4, but rounds=1 was given\.$"),
        ({"blinds": 1}, r"^holdem_no_limit has no parameter called 'blinds'; did you mean rounds\?$"),
    ],
)
def test_refused(parameters, sentence):
    with pytest.raises(feint.BadInput, match=sentence):
        holdem_no_limit(**parameters)


# One game in every form.


@pytest.mark.slow
def test_a_small_one_is_the_same_game_unrolled_whole_and_as_a_public_tree():
    """All-in before the flop, too: cards come, and nobody bets."""
    game = feint.load_game(SHORT)
    whole, public = TreeForm.of(game, None), PublicForm.of(game, None)
    assert (whole.tree.nodes, len(whole.tree.infosets)) == game.unrolled_size() == (22_709, 2_352)
    one, other = (form.judged(RandomPlayer().at(form, 0).strategy, 0) for form in (whole, public))
    np.testing.assert_allclose(one.values, other.values, atol=1e-9)
    np.testing.assert_allclose(one.best, other.best, atol=1e-9)
    np.testing.assert_allclose(one.values, [-5 / 24, 5 / 24], atol=1e-9)


@pytest.mark.slow
def test_it_can_be_learned(tmp_path):
    """The default menu, at full size."""
    assert isinstance(form_of("holdem_no_limit"), CardForm)
    small = {"tables": 16, "network.hidden": [8], "replay": {"kind": "rows", "capacity": 200}}
    small |= {"average": {"kind": "reservoir", "capacity": 200}}
    run = feint.train("nfsp", "holdem_no_limit", settings=small, steps=20, out=tmp_path / "run")
    told = feint.ask(run, "AsKs", board="2s7sQd", betting="pot call / check").moves
    assert list(told) == ["check", "0.5 pot", "pot", "all-in"]
    assert sum(told.values()) == pytest.approx(1, abs=1e-6)


# Cards one at a time, without listing what else there is.

PLACES = st.floats(0, 1, exclude_max=True)


@pytest.mark.parametrize("name", [SHORT, "holdem(ranks=3)", "leduc", "leduc_thesis", "kuhn(players=3)"])
@given(rng=st.integers(0, 2**32 - 1).map(Random), place=PLACES)
@settings(max_examples=20)
def test_an_outcome_is_where_the_list_has_it(name, rng, place):
    game = feint.load_game(name)
    state = game.start()
    while (actor := game.actor(state)) != feint.TERMINAL:
        if actor != feint.CHANCE:
            state = game.play(state, rng.choice(game.legal(state)))
            continue
        outcomes = game.chance(state)
        ends = np.cumsum([chance for chance, _ in outcomes])
        number = int(np.searchsorted(ends, place, side="right"))
        near = outcomes[max(number - 1, 0) : number + 2] if abs(ends - place).min() < 1e-9 else [outcomes[number]]
        state = game.outcome(state, place)
        assert state in [after for _, after in near]
