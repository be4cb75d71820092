"""Evolved networks: which moves they mean, what tournaments come to, and how one generation comes of the last."""

from __future__ import annotations

from dataclasses import replace

import equinox as eqx
import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

import feint
from conftest import advance, reached
from feint.arena.betting import unroll_betting
from feint.forms.dealt import CardForm
from feint.forms.library import form_of
from feint.forms.unrolled import TreeForm
from feint.games.cards import Deck, best_five
from feint.games.poker import Poker, Round
from feint.learners.bettor import Bettor
from feint.learners.breeding import Hall, as_network, crossed, mutated
from feint.learners.evolved import Breeding, Evolved, Fame
from feint.learners.networks import Design
from feint.testing import check_algorithm

LEVELS = (0.0, 0.5, 1.0)
FEW = Evolved(12, 24, 4, Breeding(3), Fame(10, 2))
"""So few that hardly anything is computed."""


def no_limit(**changes):
    """Hold'em with three sizes of raises, all-in among them, and a short deck."""
    declared = Poker(
        deck=Deck("JQKA", 4, suits=True),
        hole=2,
        blinds=(1, 2),
        stack=12,
        pot_bets=(0.5, 1.0),
        rounds=(Round(), Round(board=3, first=1)),
        showdown=best_five,
    )
    return replace(declared, **changes)


# What outputs mean.


def chances(outputs, legal, columns=(0, 1, 2, 2, 2), levels=LEVELS):
    told = jnp.asarray([outputs], jnp.float32), jnp.asarray([legal], bool)
    return np.asarray(Bettor(levels, columns)(*told))[0]


def test_moves_are_made_as_often_as_their_outputs_are_high():
    assert chances((0.2, 0.6, 0.2), (1, 1, 1), (0, 1, 2)) == pytest.approx([0.2, 0.6, 0.2])
    assert chances((0.2, 0.6, 0.2), (0, 1, 1), (0, 1, 2)) == pytest.approx([0, 0.75, 0.25])  # nothing to fold to
    assert chances((0.9, 0.0, 0.0), (0, 1, 1), (0, 1, 2)) == pytest.approx([0, 0.5, 0.5])  # all that is legal is silent


@pytest.mark.parametrize(
    ("strength", "three", "two"),
    [
        (0.0, (1, 0, 0), (1, 0)),
        (0.5, (0, 1, 0), (0.5, 0.5)),
        (1.0, (0, 0, 1), (0, 1)),
        (0.75, (0, 0.5, 0.5), (0.25, 0.75)),
    ],
)
def test_the_higher_the_output_the_larger_the_raise(strength, three, two):
    raised = chances((0, 0, strength), (0, 1, 1, 1, 1))[2:]
    assert raised / raised.sum() == pytest.approx(np.array(three), abs=1e-6)
    raised = chances((0, 0, strength), (0, 1, 0, 1, 1))[2:]  # of which the first is not on offer
    assert raised / raised.sum() == pytest.approx(np.array((0, *two)), abs=1e-6)


def test_many_raises_are_divided_among_three_sizes():
    raised = chances((0, 0, 0.5), (0, 1, 1, 1, 1, 1, 1), (0, 1, *(2,) * 5))[2:]
    assert raised / raised.sum() == pytest.approx(np.array((0, 0.2, 0.6, 0.2, 0)), abs=1e-6)


@given(st.lists(st.floats(0, 1, width=32), min_size=3, max_size=3), st.lists(st.booleans(), min_size=5, max_size=5))
def test_they_are_chances_of_legal_moves(outputs, legal):
    legal[1] = True  # as a call always is
    told = chances(outputs, legal)
    assert told.sum() == pytest.approx(1, abs=1e-5)
    assert (told >= 0).all()
    assert not told[~np.array(legal)].any()


# Tournaments.


SHAPE = eqx.filter_eval_shape(lambda key: Design((20,), "sigmoid")(35, 3, key, "sigmoid"), jax.random.key(0))
WEIGHTS = sum(leaf.size for leaf in jax.tree.leaves(SHAPE))


def constant(*outputs):
    """Networks that are told nothing and always answer the same: a row for each, whose last weights are the biases."""
    return jnp.zeros((len(outputs), WEIGHTS), jnp.float32).at[:, -3:].set(jnp.asarray(outputs, jnp.float32))


def strangers(number, seed):
    """Networks as a first generation has them."""
    return mutated(constant(*[CALLS] * number), 1.0, 2.0, jax.random.key(seed))


FOLDS, CALLS, RAISES = (40.0, -20.0, -40.0), (-40.0, 40.0, -40.0), (-40.0, -40.0, 40.0)
networks = jax.vmap(lambda genes: as_network(genes, SHAPE))


@eqx.filter_jit
def play(tournament, entrants, opponents, deals, key):
    return tournament(networks(entrants), networks(opponents), deals, key)


@eqx.filter_jit
def expect(tournament, entrants, opponents, form):
    return tournament.expected(networks(entrants), networks(opponents), form)


@pytest.fixture(scope="module")
def arenas(tree_of):
    """Tournaments of unrolled games, and their sequence forms."""

    def made(name):
        form = TreeForm(tree_of(name))
        return FEW.on(form).tournament, form.tree.form

    return {name: made(name) for name in ("kuhn", "leduc", "kuhn(players=3)")}


def test_what_is_won_is_what_the_rules_say(arenas):
    """Whoever always bets wins the ante of whoever folds to bets, from either seat."""
    tournament, form = arenas["kuhn"]
    entrants, opponents = constant(RAISES, FOLDS, CALLS), constant(FOLDS)
    exact = expect(tournament, entrants, opponents, form)
    assert exact == pytest.approx([1, 0, 0], abs=1e-6)  # nobody else bets
    assert play(tournament, entrants, opponents, 8, jax.random.key(0))[0] == 1


@pytest.mark.parametrize("name", ["leduc", "kuhn(players=3)"])
def test_tournaments_come_to_what_is_expected_of_them(name, arenas):
    tournament, form = arenas[name]
    entrants, opponents = strangers(3, 1), strangers(3, 2)
    exact = np.asarray(expect(tournament, entrants, opponents, form))
    played = np.array([play(tournament, entrants, opponents, 200, jax.random.key(seed)) for seed in range(30)])
    error = played.std(0) / len(played) ** 0.5
    assert (np.abs(played.mean(0) - exact) < 4 * error).all()
    assert (error > 0).all()
    assert np.ptp(exact) > 0.1


def test_all_are_as_lucky(arenas):
    """Who decides alike wins alike: the same deals, the same boards, the same coins."""
    tournament, _ = arenas["leduc"]
    entrants = strangers(3, 1)[jnp.asarray([0, 1, 0])]
    won = np.asarray(play(tournament, entrants, strangers(3, 2), 200, jax.random.key(0)))
    assert won[0] == won[2]
    assert won[0] != won[1]


@pytest.mark.slow
def test_games_that_are_not_unrolled_are_played_alike(tree_of):
    """The same networks in the same game, as a tree and by its cards."""
    form = form_of("leduc")
    entrants, opponents = strangers(3, 1), strangers(3, 2)
    exact = expect(FEW.on(form).tournament, entrants, opponents, form.tree.form)
    dealt = FEW.on(CardForm(unroll_betting(form.game))).tournament
    played = np.array([play(dealt, entrants, opponents, 200, jax.random.key(seed)) for seed in range(30)])
    assert (np.abs(played.mean(0) - exact) < 4 * played.std(0) / len(played) ** 0.5).all()


# Generations.


def test_children_lie_between_their_parents():
    one, other = (np.asarray(strangers(200, seed)) for seed in (1, 2))
    child = np.asarray(crossed(jnp.asarray(one), jnp.asarray(other), jax.random.key(0)))
    share = (child - other).sum(1) / (one - other).sum(1)
    np.testing.assert_allclose(child, other + share[:, None] * (one - other), atol=1e-2)
    assert (share.min() > 0, share.max() < 1) == (True, True)
    assert share.mean() == pytest.approx(0.5, abs=0.1)


def test_a_share_of_weights_is_drawn_anew():
    before = np.asarray(constant(*[(99.0, 99.0, 99.0)] * 200))
    after = np.asarray(mutated(jnp.asarray(before), 0.1, 3.0, jax.random.key(0)))
    changed = after != before
    assert changed.mean() == pytest.approx(0.1, abs=0.005)
    assert after[changed].std() == pytest.approx(3.0, rel=0.05)
    assert np.abs(after[changed]).max() < 30  # what was 99 is not built upon


def test_the_hall_of_fame_fills_up_and_then_changes():
    hall = Hall(jnp.zeros((5, WEIGHTS), jnp.float32), jnp.asarray(0))
    for number, key in enumerate(jax.random.split(jax.random.key(0), 3)):
        full = hall.after(constant((number, 0, 1), (number, 0, 2)), key)
        if number < 2:
            hall = full
    names = np.asarray(hall.genes)[:, [-3, -1]].tolist()
    assert (int(hall.entered), int(hall.taken)) == (4, 4)
    assert names == [[0, 1], [0, 2], [1, 1], [1, 2], [0, 0]]
    assert (int(full.entered), int(full.taken)) == (6, 5)
    assert [2.0, 2.0] in np.asarray(full.genes)[:, [-3, -1]].tolist()  # wherever the last one had to go
    drawn = np.asarray(Hall(hall.genes, jnp.asarray(2)).some(100, jax.random.key(1)))[:, [-3, -1]]
    assert {*map(tuple, drawn.tolist())} == {(0, 1), (0, 2)}  # of places that are taken


@pytest.fixture(scope="module")
def evolution(tree_of):
    """Worked out rather than played, so that it can be followed."""
    return Evolved(40, None, 10, Breeding(5), Fame(100, 5)).on(TreeForm(tree_of("kuhn")))


@pytest.mark.slow
def test_the_best_live_on_and_the_next_best_are_remembered(evolution):
    start = evolution.init(jax.random.key(0))
    first = advance(evolution, start, 1)
    opponents = evolution.opponents(start, jax.random.split(start.key, 5)[1])
    won = np.asarray(expect(evolution.tournament, start.population, opponents, evolution.exact))
    order = np.argsort(-won, kind="stable")
    np.testing.assert_allclose(first.won, won[order], atol=1e-6)
    np.testing.assert_array_equal(first.population[:5], start.population[order[:5]])
    np.testing.assert_array_equal(first.hall.genes[:5], start.population[order[5:10]])
    assert int(first.hall.taken) == 5
    # Nobody was famous yet, so all that they met were of the generation.
    assert {*map(tuple, np.asarray(opponents).tolist())} <= {*map(tuple, np.asarray(start.population).tolist())}
    best = evolution.tournament.table(as_network(start.population[order[0]], SHAPE))
    np.testing.assert_allclose(evolution.strategy(first).probabilities, best, atol=1e-12)
    later = np.asarray(evolution.opponents(first, jax.random.key(0)))
    famous = {*map(tuple, np.asarray(first.hall.genes[:5]).tolist())}
    assert [tuple(each) in famous for each in later.tolist()] == [True] * 5 + [False] * 5


def test_a_mixture_is_the_mean_of_plans(tree_of, evolution):
    tree, state = tree_of("kuhn"), evolution.init(jax.random.key(0))
    row = tree.labels.index
    hall = state.hall.after(constant(CALLS, RAISES), jax.random.key(0))
    mixed = np.asarray(evolution.mixture(state._replace(hall=hall), evolution.exact))
    assert mixed[row("Q")] == pytest.approx([0, 0.5, 0.5])  # either of the two
    assert mixed[row("Q: check bet")] == pytest.approx([0, 1, 0])  # and this who has checked
    np.testing.assert_allclose(evolution.mixture(state, evolution.exact), tree.uniform())


@pytest.mark.slow
def test_networks_learn_to_win(tree_of, evolution):
    tree = tree_of("kuhn")
    state = reached(evolution, 100)
    table, uniform = evolution.strategy(state).table(tree), tree.uniform()
    seats = [np.where((tree.player == seat)[:, None], table, uniform) for seat in (0, 1)]
    assert np.mean([feint.expected_values(tree, seats[seat])[seat] for seat in (0, 1)]) > 0.05
    assert feint.exploitability(tree, table) < feint.exploitability(tree, uniform)
    # All of them together are safer than the best of them.
    assert feint.exploitability(tree, evolution.mixture(state, tree.form)) < 0.15


# As an algorithm.


@pytest.mark.parametrize(
    ("settings", "game"),
    [
        (FEW, "kuhn"),
        (replace(FEW, fame=Fame(0)), no_limit()),
    ],
)
@pytest.mark.slow
def test_it_keeps_the_promises_of_algorithms(settings, game):
    check_algorithm(settings, game)


@pytest.mark.slow
def test_a_run_tells_of_its_tournaments(tmp_path):
    few = {"population": 12, "games": 24, "opponents": 4, "breeding.parents": 3, "fame.places": 10, "fame.entering": 2}
    run = feint.train("evolved", "kuhn", settings=few, steps=4, out=tmp_path / "run")
    assert {"won", "won_median", "average", "exploitability"} <= set(run.metrics[-1])
    assert [row["hands"] for row in run.metrics] == [12 * 24 * row["step"] for row in run.metrics]
    assert (run.strategy.table(feint.unroll("kuhn")) == feint.load_run(run.path).strategy.probabilities).all()


def test_what_makes_no_sense_is_refused(tree_of):
    with pytest.raises(feint.BadInput, match=r"^population must be at least as many as become parents or famous, 20, "):
        Evolved(population=10)
    with pytest.raises(feint.BadInput, match=r"^bets must be three ascending numbers from 0 to 1, but \(0\.5, 0\.2, 1"):
        Evolved(bets=(0.5, 0.2, 1.0))
    with pytest.raises(feint.BadInput, match=r"^entering must be from 1 to as many as places, 5, but 10 was given\.$"):
        Fame(5)
    with pytest.raises(feint.BadInput, match=r"rock_paper_scissors is none; use nfsp\.$"):
        FEW.on(form_of("rock_paper_scissors"))
    with pytest.raises(
        feint.BadInput, match=r"^evolved with games=none needs the whole tree, and .*; choose a smaller"
    ):
        replace(FEW, games=None).on(form_of(no_limit()))
