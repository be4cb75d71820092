"""Recurrent learners are told the hand as it went, and learn from whole hands."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from conftest import advance, algorithm_on, few
from feint.arena.betting import unroll_betting
from feint.arena.cards import Deal, build_card_arena
from feint.arena.situations import Shown, listed
from feint.forms.unrolled import TreeForm
from feint.games.library import load_game
from feint.learners.experience import HistoryRows, ReplayHands, Transitions
from feint.learners.modes import Asking
from feint.learners.networks import Design
from feint.runs.config import resolve

SMALL = {"replay.capacity": 500, "average.capacity": 500}
SMALL_RNFSP = SMALL | {"warmup": 20, "network": {"hidden": (8,), "cell_units": 8}}


def started(learner, seed=0):
    return eqx.filter_jit(lambda learner, key: learner.init(key))(learner, jax.random.key(seed))


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc_no_limit"])
def test_paths_lead_from_a_hand_s_start(tree_of, name):
    """Every situation's path is made of its own earlier decisions, in order."""
    tree = tree_of(name)
    for player in range(tree.players):
        here = listed(tree, player)
        moves = jnp.full(here.shape[0], 1)
        path = here.path(None, moves)
        infostates, made_moves, made = (np.asarray(part) for part in path)
        parent = np.asarray(here.parent)
        np.testing.assert_array_equal(infostates[:, -1], np.arange(here.shape[0]))
        assert made[:, -1].all()
        assert (made_moves[:, -1] == 1).all()
        for row in range(here.shape[0]):
            steps = np.flatnonzero(made[row])
            assert (np.diff(steps) == 1).all()
            assert parent[infostates[row, steps[0]]] == -1
            for before, after in pairwise(steps):
                assert parent[infostates[row, after]] == infostates[row, before] * here.moves + made_moves[row, before]


def test_paths_at_card_tables_show_what_was_open_then():
    betting = unroll_betting(load_game("holdem"))
    arena = build_card_arena(betting)
    node = betting.labels.index("call raise call / check bet raise call / bet")
    infostate = arena.infostate(Deal(jnp.array([node]), jnp.arange(9, dtype=jnp.uint8)[None]))
    path = eqx.filter_jit(Shown(arena).path)(infostate, jnp.array([1]))
    steps = np.flatnonzero(path.made[0])
    words = [betting.labels[int(path.infostates.node[0, step])] for step in steps]
    flop = "call raise call / check"
    assert words == ["", "call raise", flop, f"{flop} bet raise", f"{flop} bet raise call / bet"]
    seen = np.asarray(eqx.filter_jit(arena.features)(path.infostates))[0, steps, : 4 * 52].reshape(len(steps), 4, 52)
    assert seen.sum(2).tolist() == [[2, 0, 0, 0], [2, 0, 0, 0], [2, 3, 0, 0], [2, 3, 0, 0], [2, 3, 1, 0]]
    assert (betting.actor[np.asarray(path.infostates.node)[0, steps]] == betting.actor[node]).all()
    assert [betting.actions[int(path.moves[0, step])] for step in steps[:-1]] == [
        "call",
        "call",
        "raise",
        "call",
    ]


@pytest.mark.parametrize("view", few("nfsp", "symmetric", "strength", "rlcard", fast=("symmetric",)))
def test_what_is_seen_along_a_path_is_what_was_seen_then(view):
    """One look at the last decision's cards serves all before: it gives away nothing and renames suits as they did."""
    betting = unroll_betting(load_game("holdem"))
    arena, rng = build_card_arena(betting, view), np.random.default_rng(3)
    node = rng.choice(np.flatnonzero(betting.round == betting.round.max()), 100)
    # Few ranks, so that suits often hold the same and are told apart only by what comes later.
    decks = [np.arange(52)[:12] if row % 2 else np.arange(52) for row in range(len(node))]
    cards = jnp.asarray([rng.permutation(deck)[:9] for deck in decks], jnp.uint8)
    infostate = arena.infostate(Deal(jnp.asarray(node), cards))
    path = eqx.filter_jit(Shown(arena).path)(infostate, 1)
    along = np.asarray(eqx.filter_jit(arena.features)(path.infostates))
    then = eqx.filter_jit(lambda node: arena.features(arena.up_to(node, infostate.cards)))
    for step in range(along.shape[1]):
        np.testing.assert_array_equal(along[:, step], then(path.infostates.node[:, step]))


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_padding_in_front_changes_nothing(cell):
    network = eqx.filter_jit(Design((6,), cell=cell, cell_units=5)(3, 2, jax.random.key(0)))
    rows = jax.random.normal(jax.random.key(1), (4, 3, 3), jnp.float32)
    told = network(rows, jnp.ones((4, 3), bool))
    padded = jnp.concatenate([jnp.full((4, 2, 3), 7.0, jnp.float32), rows], 1)
    made = jnp.concatenate([jnp.zeros((4, 2), bool), jnp.ones((4, 3), bool)], 1)
    np.testing.assert_allclose(network(padded, made)[:, 2:], told, atol=1e-6)
    # The order matters, as does what came first.
    assert not np.allclose(network(rows[:, ::-1], jnp.ones((4, 3), bool))[:, -1], told[:, -1], atol=1e-3)


PROVENANCE = np.array([[False, False, True], [True, True, True], [False, True, True]])
"""The decisions of a few hands; the places in front of the first are padding."""


def decision_by_decision(network, rows):
    """What a network says at every decision by equinox's own cells, with a blank memory in front of the first."""
    blank = jnp.zeros((len(rows), network.cell.hidden_size), jnp.float32)
    memory = (blank, blank) if isinstance(network.cell, eqx.nn.LSTMCell) else (blank,)
    said, (first, last) = [], network.head.layers
    for seen, made in zip(rows.swapaxes(0, 1), PROVENANCE.T, strict=True):
        after = jax.vmap(network.cell)(seen, memory if len(memory) > 1 else memory[0])
        memory = tuple(jnp.where(made[:, None], part, 0.0) for part in (after if len(memory) > 1 else (after,)))
        said.append(jax.vmap(lambda known: last(jax.nn.relu(first(known))))(memory[0]))
    return jnp.stack(said, 1)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_a_recurrent_network_says_and_learns_what_equinox_s_cells_would(cell):
    network = eqx.filter_jit(Design((6,), cell=cell, cell_units=5))(3, 2, jax.random.key(0))
    rng = np.random.default_rng(1)
    rows = jnp.asarray(rng.normal(size=(*PROVENANCE.shape, 3)), jnp.float32)
    weights = rng.normal(size=(*PROVENANCE.shape, 2)).astype(np.float32) * PROVENANCE[..., None]

    @eqx.filter_jit
    def told(network, rows, answer):
        def loss(inside):
            answers = answer(*inside)
            return (weights * answers**2).sum(), answers

        (_, answers), gradients = eqx.filter_value_and_grad(loss, has_aux=True)((network, rows))
        return answers, gradients, network.at_last(rows, jnp.asarray(PROVENANCE))

    answers, learned, latest = told(network, rows, lambda network, rows: network(rows, jnp.asarray(PROVENANCE)))
    wanted, expected, _ = told(network, rows, decision_by_decision)
    np.testing.assert_allclose(answers, wanted, atol=1e-5)
    np.testing.assert_allclose(latest, np.asarray(wanted)[:, -1], atol=1e-5)
    for ours, theirs in zip(jax.tree.leaves(learned), jax.tree.leaves(expected), strict=True):
        assert abs(np.asarray(theirs)).max() > 1e-3
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def keeping(capacity, batch):
    """Settings that keep so many hands, and learn from so many."""
    return resolve("rnfsp", {"tables": 1, "batch": batch} | dict.fromkeys(SMALL, capacity))


def hand(tree, here):
    """A transition that ends a hand, at the situation with the longest path."""
    row = int(np.argmax((np.asarray(here.past) >= 0).sum(1)))
    move = int(np.flatnonzero(np.asarray(here.allowed[row]))[-1])
    one = lambda value, dtype: jnp.full(1, value, dtype)  # noqa: E731
    return Transitions(
        one(True, bool),
        one(True, bool),
        one(row, jnp.int32),
        one(move, jnp.int32),
        one(0, jnp.int32),
        one(True, bool),
        one(0.5, jnp.float32),
    )


def test_a_hand_teaches_every_decision_in_it(tree_of):
    """Each decision is worth what the next one is, and the last the reward."""
    tree = tree_of("leduc")
    here = listed(tree, 0)
    happened = hand(tree, here)
    replay, key = ReplayHands(keeping(8, 4)), jax.random.key(0)
    add = eqx.filter_jit(replay.add)
    memory = add(replay.empty(here), happened, jnp.asarray(1.0), key)
    lesson = eqx.filter_jit(replay.lesson)(memory, here, lambda infostates, made: 0.01 * infostates, key)
    path = here.path(happened.infostate, happened.move)
    made, infostates, moves = (np.asarray(part)[0] for part in (path.made, path.infostates, path.moves))
    assert made.sum() >= 3
    for place in np.flatnonzero(made):
        wanted = 0.5 if place == len(made) - 1 else 0.01 * infostates[place + 1]
        assert float(lesson.targets[0, place, moves[place]]) == pytest.approx(wanted)
    assert float(lesson.weights.sum()) == pytest.approx(1)
    assert (np.asarray(lesson.weights)[:, ~made] == 0).all()
    # A hand that goes on teaches nothing yet.
    later = happened._replace(ended=jnp.zeros(1, bool))
    assert int(add(replay.empty(here), later, jnp.asarray(1.0), key).seen) == 0


def test_every_decision_of_a_batch_weighs_the_same_however_long_its_hand(tree_of):
    tree = tree_of("leduc")
    here = listed(tree, 0)
    long = hand(tree, here)
    short = long._replace(infostate=jnp.zeros(1, jnp.int32), move=jnp.ones(1, jnp.int32))
    both = jax.tree.map(lambda *parts: jnp.concatenate(parts), long, short)
    for kept in (ReplayHands(keeping(2, 16)), HistoryRows(keeping(2, 16))):
        memory = eqx.filter_jit(kept.add)(kept.empty(here), both, jnp.asarray(1.0), jax.random.key(0))
        lesson = eqx.filter_jit(kept.lesson)(memory, here, lambda infostates, made: 0.0 * infostates, jax.random.key(0))
        made = np.asarray(lesson.made)
        assert len(set(made.sum(1))) == 2, "both hands"
        np.testing.assert_allclose(np.asarray(lesson.weights).sum(-1)[made], 1 / made.sum(), rtol=1e-6)


def test_a_history_of_hands_holds_all_their_moves(tree_of):
    tree = tree_of("leduc")
    here = listed(tree, 1)
    happened = hand(tree, here)
    history = HistoryRows(keeping(8, 4))
    memory = history.add(history.empty(here), happened, jnp.asarray(1.0), jax.random.key(0))
    lesson = history.lesson(memory, here, lambda infostates, made: 0.0 * infostates, jax.random.key(1))
    path = here.path(happened.infostate, happened.move)
    taught = np.asarray(lesson.weights)[0].argmax(-1)[np.asarray(path.made)[0]]
    np.testing.assert_array_equal(taught, np.asarray(path.moves)[0][np.asarray(path.made)[0]])
    not_responded = happened._replace(responded=jnp.zeros(1, bool))
    assert int(history.add(history.empty(here), not_responded, jnp.asarray(1.0), jax.random.key(0)).seen) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [pytest.param(resolve("rnfsp", SMALL_RNFSP), marks=pytest.mark.slow), resolve("nfsp", SMALL, "paper")],
)
def test_asking_for_the_tables_is_asking_everywhere(tree_of, settings):
    """Networks asked about the situations at the tables say what they say when asked about all."""
    everywhere = replace(settings, tables=128).on(TreeForm(tree_of("leduc")))
    at_tables = replace(everywhere, asking=Asking(everywhere=False))
    assert everywhere.asking.everywhere
    state = advance(everywhere, started(everywhere), 30)
    asked = [
        learner._probabilities(state, learner.arena.infostate(state.where), learner.arena.turn(state.where))
        for learner in (everywhere, at_tables)
    ]
    np.testing.assert_allclose(*asked, atol=1e-5)


@pytest.mark.parametrize("name", ["drqn", "rnfsp"])
@pytest.mark.slow
def test_recurrent_learners_learn_kuhn(tree_of, name):
    tree = tree_of("kuhn")
    network = {"hidden": (16,), "cell_units": 16}
    learner = algorithm_on(tree, name, tables=64, network=network, replay={"capacity": 5000}, warmup=100)
    before = started(learner)
    after = advance(learner, before, 600)
    gaps = [feint.exploitability(tree, learner.averages(state)) for state in (before, after)]
    assert gaps[1] < 0.6 * gaps[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nfsp", "dqn", "linear-q", "drqn", "rnfsp"])
def test_the_five_agents_play_hold_em(name, tmp_path):
    settings = {"tables": 16, "replay.capacity": 200, "warmup": 20, "batch": 8}
    if name.endswith("nfsp"):
        settings["average.capacity"] = 200
    if name != "linear-q":
        settings["network"] = {"hidden": [8], "cell_units": 8}
    run = feint.train(name, "holdem", preset="poker-rnn", settings=settings, steps=30, out=tmp_path / name)
    assert np.isfinite(run.metrics[-1]["winnings"])
    assert run.metrics[-1]["decisions"] == 30 * 16
    again = feint.load_run(run.path)
    one, two = (jax.tree.leaves(each.strategy.policy.networks) for each in (run, again))
    assert all((np.asarray(a) == np.asarray(b)).all() for a, b in zip(one, two, strict=True))
    with pytest.raises(feint.BadInput, match="is for another game than kuhn"):
        run.strategy.table(feint.unroll("kuhn"))
