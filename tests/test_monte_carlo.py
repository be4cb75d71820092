"""Simulations: what may be the case is drawn from what is seen, searches come near equilibria, and players use them."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import numpy as np
import pytest

import feint
from conftest import few
from feint.arena.betting import unroll_betting
from feint.evaluate.match import play_players
from feint.forms.library import form_of
from feint.games.cards import Deck, high_card
from feint.games.game import TERMINAL
from feint.games.poker import Poker, Round
from feint.players.player import Player
from feint.players.table import Table, observation
from feint.runs.lineup import line_up
from feint.runs.on_the_way import last_state
from feint.search.monte_carlo import Choice, Search, Spot
from feint.search.worlds import Dealt, world_of

GAMES = ["kuhn(players=3)", "leduc", "leduc_thesis", "rock_paper_scissors", "open_spiel:kuhn_poker", "holdem"]


class Watcher(Player):
    """Moves at random, and keeps what it saw when it was to move."""

    def __init__(self, seed):
        self.random, self.seen = Random(seed), []

    def move(self, seen):
        self.seen.append(seen)
        return self.random.choice(list(seen.moves.values()))


@pytest.mark.parametrize("name", GAMES)
def test_worlds_look_like_what_was_seen(name):
    """Whatever is drawn has the player's own view, in every game and at every decision."""
    form = form_of(name)
    world, random, watchers = world_of(form), Random(0), [Watcher(seed) for seed in range(form.players)]
    table = Table(form.game, seed=1)
    for _ in range(10):
        table.hand(watchers)
    for seen in (seen for watcher in watchers for seen in watcher.seen):
        for state in (world.like(seen.player, seen.view, random) for _ in range(5)):
            assert (world.actor(state), world.moves(state)) == (seen.player, len(seen.moves))
            assert world.seen(state) == world.asked(seen.player, seen.view)
            assert world.view(state) == seen.view


def test_hidden_cards_are_as_likely_as_they_are_dealt():
    """With a king in hand and copies that are the same card, another king is half as likely as a queen or a jack."""
    form = form_of("leduc")
    state = form.game.deal(form.game.deal(form.game.start(), (2,)), (0,))
    seen = observation(form.game, state, state.actor)
    random, draws = Random(0), 20_000
    unrolled, dealt = world_of(form), Dealt(unroll_betting(form.game))
    nodes = Counter(unrolled.like(0, seen.view, random) for _ in range(draws))
    cards = Counter(dealt.like(0, seen.view, random)[1].holes[1] for _ in range(draws))
    off = 4 * math.sqrt(0.24 / draws)
    assert np.allclose(sorted(times / draws for times in nodes.values()), [0.2, 0.4, 0.4], atol=off)
    assert np.allclose([cards[card,] / draws for card in range(3)], [0.4, 0.4, 0.2], atol=off)


@pytest.mark.parametrize("name", ["holdem", "leduc_no_limit", "leduc(players=3)"])
def test_dealt_hands_go_as_the_rules_have_it(name):
    """The same deal and the same moves: the same turns, views and payoffs, all-in hands included."""
    game = feint.load_game(name)
    world, random, ended = Dealt(unroll_betting(game)), Random(2), 0
    for _ in range(60):
        state = world.fresh(random)
        deal, hand = state[1], game.start()
        while world.actor(state) >= 0 or hand.actor != TERMINAL:
            while hand.actor == feint.CHANCE:
                due = len(hand.holes)
                if due < game.players:
                    hand = game.deal(hand, deal.holes[due])
                else:
                    hand = game.deal(hand, deal.boards[len(hand.moves)][len(hand.board) :])
            if hand.actor == TERMINAL:
                break
            assert hand.actor == world.actor(state)
            assert game.view(hand, hand.actor) == world.view(state)
            legal = game.legal(hand)
            assert len(legal) == world.moves(state)
            place = random.randrange(len(legal))
            hand, state = game.play(hand, legal[place]), world.after(state, place, random)
        assert world.actor(state) < 0
        assert list(world.payoffs(state)) == pytest.approx(list(game.payoffs(hand)))
        ended += 1
    assert ended == 60


def test_moves_are_chosen_by_the_papers_formulas():
    spot, random = Spot(2), Random(0)
    spot.visits, spot.made, spot.won = 10, [8, 2], [8.0, 1.0]  # means of 1 and 0.5
    edge = 0.5 / (math.sqrt(math.log(10) / 2) - math.sqrt(math.log(10) / 8))  # where both bounds are equal
    assert Choice(0.99 * edge)(spot, random) == 0
    assert Choice(1.01 * edge)(spot, random) == 1
    smooth = Choice(0.0, smooth=True, eta=0.5, gamma=0.1, d=1.0)  # UCB would always make the first move
    share, draws = 0.5 / (1 + math.sqrt(10)), 20_000
    second = sum(smooth(spot, random) for _ in range(draws)) / draws
    assert second == pytest.approx((1 - share) * 0.2, abs=0.012)
    never = Choice(0.0, smooth=True, eta=0.5, gamma=1.0)
    assert not any(never(spot, random) for _ in range(100)), "γ is the least"


def test_untried_moves_come_first():
    spot, random = Spot(3), Random(0)
    spot.visits, spot.made, spot.won = 5, [5, 0, 0], [50.0, 0.0, 0.0]
    assert {Choice(0.0)(spot, random) for _ in range(50)} == {1, 2}


@pytest.mark.parametrize("smooth", [True, False])
def test_searches_from_the_deal_come_nearer_an_equilibrium(smooth):
    form = form_of("kuhn")
    world, random = world_of(form), Random(0)
    search = Search(world, Choice(0.7 * world.largest, smooth))
    gaps = []
    for more in (100, 900, 9_000):
        search.run(lambda: world.fresh(random), random, more)
        gaps.append(feint.exploitability(form.tree, search.table(form.tree)))
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < (0.05 if smooth else 0.09)


@pytest.mark.parametrize("name", few("ismcts", "smooth-uct", fast=("ismcts",)))
def test_players_that_simulate_beat_random_moves(name):
    lineup = line_up((f"{name}(simulations=40)", "random"), "kuhn", seed=1)
    played = play_players(lineup.form, lineup.players, 240, seed=2)
    assert played.mean > 2 * played.error


def test_a_player_moves_alike_whatever_the_others_hold():
    """All states with one view: with the same seed the same move, in a game too large to unroll as well."""
    for name in ("leduc", "holdem"):
        form = form_of(name)
        moves = set()
        for other in ((0,), (1,)) if name == "leduc" else ((0, 1), (20, 30)):
            hand = form.game.start()
            for hole in ((2,) if name == "leduc" else (50, 51), other):
                hand = form.game.deal(hand, hole)
            player = line_up(("ismcts(simulations=50)",), form.game, seed=3).players[0]
            moves.add(player.move(observation(form.game, hand, hand.actor)))
        assert len(moves) == 1


def test_a_player_stops_by_the_clock():
    lineup = line_up(("ismcts(simulations=None, seconds=0.01)", "smooth-uct(simulations=None, seconds=0.01)"), "holdem")
    assert len(Table(lineup.form.game, seed=0).hand(lineup.players)) == 2


def own_game() -> Poker:
    """Two cards each of five, one round: rules of a user's own."""
    return Poker(deck=Deck("12345"), hole=2, ante=1, rounds=(Round(raise_by=1, cap=2),), showdown=high_card)


def test_players_sit_at_games_of_one_s_own():
    lineup = line_up(("ismcts(simulations=30)", "smooth-uct(simulations=30)"), own_game(), seed=0)
    assert play_players(lineup.form, lineup.players, 10).hands == 10


@pytest.mark.slow
def test_learned_values_end_simulations(tmp_path):
    run = feint.train("dqn", "kuhn", steps=200, out=tmp_path / "run")
    learner, state = last_state(run, run.form)
    lineup = line_up((f"ismcts(values={tmp_path / 'run'}, simulations=1)", "random"), "kuhn", seed=0)
    player, world = lineup.players[0], world_of(lineup.form)
    random = Random(0)
    for _ in range(20):
        state_here = world.after(world.fresh(random), 0, random)
        seat, row = world.actor(state_here), world.seen(state_here)
        values = np.asarray(learner.seats(state)[seat].values.network.at(learner.learners[seat].here, None, None))
        own = int(np.flatnonzero(np.flatnonzero(lineup.form.tree.player == seat) == row)[0])
        legal = lineup.form.tree.legal[row]
        best = values[own][legal].max() / learner.scale
        assert player._values(state_here)[seat] == pytest.approx(best, rel=1e-5)
        assert sum(player._values(state_here)) == 0
    assert play_players(lineup.form, lineup.players, 10).hands == 10


def test_what_cannot_be_simulated_is_refused_in_a_sentence(tmp_path):
    feint.train("cfr+", "kuhn", steps=2, out=tmp_path / "run")
    for name, game, words in (
        ("ismcts(simulations=None)", "kuhn", "needs an end to it; give simulations or seconds"),
        ("ismcts(simulations=0)", "kuhn", "simulations must be at least 1, but 0 was given"),
        ("smooth-uct(gamma=2.0)", "kuhn", "gamma must be from 0 to 1"),
        (f"ismcts(values={tmp_path / 'run'})", "kuhn", "learns no values of moves; give a run of dqn or nfsp"),
        ("ismcts(values=feint:kuhn)", "kuhn", "keeps no checkpoint, so no more is known of it than its strategy"),
        ("ismcts(values=feint:kuhn)", "kuhn(players=3)", "in zero-sum games for two alone, and kuhn"),
    ):
        with pytest.raises(feint.BadInput, match=words):
            line_up((name,), game)
