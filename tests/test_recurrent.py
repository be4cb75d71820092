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
from conftest import advance, algorithm_on
from feint.arena.betting import unroll_betting
from feint.arena.cards import Deal, build_card_arena
from feint.games.library import load_game
from feint.learners.experience import HistoryRows, ReplayHands, Transitions
from feint.learners.networks import Design
from feint.learners.nfsp import PAPER
from feint.learners.recurrent import RNFSP
from feint.learners.situations import Shown, listed

SMALL = replace(RNFSP, tables=32, remembers=8, hidden=(8,), replay_capacity=500, history_capacity=500, warmup=20)


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
        sights, made_moves, made = (np.asarray(part) for part in path)
        parent = np.asarray(here.parent)
        np.testing.assert_array_equal(sights[:, -1], np.arange(here.shape[0]))
        assert made[:, -1].all()
        assert (made_moves[:, -1] == 1).all()
        for row in range(here.shape[0]):
            steps = np.flatnonzero(made[row])
            assert (np.diff(steps) == 1).all()
            assert parent[sights[row, steps[0]]] == -1
            for before, after in pairwise(steps):
                assert parent[sights[row, after]] == sights[row, before] * here.moves + made_moves[row, before]


def test_paths_at_card_tables_show_what_was_open_then():
    betting = unroll_betting(load_game("holdem"))
    arena = build_card_arena(betting)
    node = betting.labels.index("call raise call / check bet raise call / bet")
    sight = arena.sight(Deal(jnp.array([node]), jnp.arange(9, dtype=jnp.uint8)[None]))
    path = Shown(arena).path(sight, jnp.array([1]))
    steps = np.flatnonzero(path.made[0])
    words = [betting.labels[int(path.sights.node[0, step])] for step in steps]
    flop = "call raise call / check"
    assert words == ["", "call raise", flop, f"{flop} bet raise", f"{flop} bet raise call / bet"]
    seen = np.asarray(arena.features(path.sights))[0, steps, : 4 * 52].reshape(len(steps), 4, 52)
    assert seen.sum(2).tolist() == [[2, 0, 0, 0], [2, 0, 0, 0], [2, 3, 0, 0], [2, 3, 0, 0], [2, 3, 1, 0]]
    assert (betting.actor[np.asarray(path.sights.node)[0, steps]] == betting.actor[node]).all()
    assert [betting.actions[int(path.moves[0, step])] for step in steps[:-1]] == [
        "call",
        "call",
        "raise",
        "call",
    ]


@pytest.mark.parametrize("view", ["nfsp", "symmetric", "strength", "rlcard"])
def test_what_is_seen_along_a_path_is_what_was_seen_then(view):
    """One look at the last decision's cards serves all before: it gives away nothing and renames suits as they did."""
    betting = unroll_betting(load_game("holdem"))
    arena, rng = build_card_arena(betting, view), np.random.default_rng(3)
    node = rng.choice(np.flatnonzero(betting.round == betting.round.max()), 100)
    # Few ranks, so that suits often hold the same and are told apart only by what comes later.
    decks = [np.arange(52)[:12] if row % 2 else np.arange(52) for row in range(len(node))]
    cards = jnp.asarray([rng.permutation(deck)[:9] for deck in decks], jnp.uint8)
    sight = arena.sight(Deal(jnp.asarray(node), cards))
    path = Shown(arena).path(sight, 1)
    along = np.asarray(arena.features(path.sights))
    for step in range(along.shape[1]):
        then = arena.up_to(path.sights.node[:, step], sight.cards)
        np.testing.assert_array_equal(along[:, step], arena.features(then))


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_padding_in_front_changes_nothing(cell):
    network = Design((6,), cell=cell, memory=5)(3, 2, jax.random.key(0))
    rows = jax.random.normal(jax.random.key(1), (4, 3, 3), jnp.float32)
    told = network(rows, jnp.ones((4, 3), bool))
    padded = jnp.concatenate([jnp.full((4, 2, 3), 7.0, jnp.float32), rows], 1)
    made = jnp.concatenate([jnp.zeros((4, 2), bool), jnp.ones((4, 3), bool)], 1)
    np.testing.assert_allclose(network(padded, made)[:, 2:], told, atol=1e-6)
    # The order matters, as does what came first.
    assert not np.allclose(network(rows[:, ::-1], jnp.ones((4, 3), bool))[:, -1], told[:, -1], atol=1e-3)


MADE = np.array([[False, False, True], [True, True, True], [False, True, True]])
"""The decisions of a few hands; the places in front of the first are padding."""


def decision_by_decision(network, rows):
    """What a network says at every decision by equinox's own cells, with a blank memory in front of the first."""
    blank = jnp.zeros((len(rows), network.cell.hidden_size), jnp.float32)
    memory = (blank, blank) if isinstance(network.cell, eqx.nn.LSTMCell) else (blank,)
    said, (first, last) = [], network.head.layers
    for seen, made in zip(rows.swapaxes(0, 1), MADE.T, strict=True):
        after = jax.vmap(network.cell)(seen, memory if len(memory) > 1 else memory[0])
        memory = tuple(jnp.where(made[:, None], part, 0.0) for part in (after if len(memory) > 1 else (after,)))
        said.append(jax.vmap(lambda known: last(jax.nn.relu(first(known))))(memory[0]))
    return jnp.stack(said, 1)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_a_recurrent_network_says_and_learns_what_equinox_s_cells_would(cell):
    network = eqx.filter_jit(Design((6,), cell=cell, memory=5))(3, 2, jax.random.key(0))
    rng = np.random.default_rng(1)
    rows = jnp.asarray(rng.normal(size=(*MADE.shape, 3)), jnp.float32)
    weights = rng.normal(size=(*MADE.shape, 2)).astype(np.float32) * MADE[..., None]

    @eqx.filter_jit
    def told(network, rows, answer):
        def loss(inside):
            answers = answer(*inside)
            return (weights * answers**2).sum(), answers

        (_, answers), gradients = eqx.filter_value_and_grad(loss, has_aux=True)((network, rows))
        return answers, gradients, network.at_last(rows, jnp.asarray(MADE))

    answers, learned, latest = told(network, rows, lambda network, rows: network(rows, jnp.asarray(MADE)))
    wanted, expected, _ = told(network, rows, decision_by_decision)
    np.testing.assert_allclose(answers, wanted, atol=1e-5)
    np.testing.assert_allclose(latest, np.asarray(wanted)[:, -1], atol=1e-5)
    for ours, theirs in zip(jax.tree.leaves(learned), jax.tree.leaves(expected), strict=True):
        assert abs(np.asarray(theirs)).max() > 1e-3
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


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
    """Each decision is worth what the next one is, times the discount, and the last the reward."""
    tree = tree_of("leduc")
    here = listed(tree, 0)
    happened = hand(tree, here)
    replay = ReplayHands(8, 4, discount=0.9)
    memory = replay.add(replay.empty(here), happened, jnp.asarray(1.0))
    lesson = replay.lesson(memory, here, lambda sights, made: 0.01 * sights, jax.random.key(0))
    path = here.path(happened.sight, happened.move)
    made, sights, moves = (np.asarray(part)[0] for part in (path.made, path.sights, path.moves))
    assert made.sum() >= 3
    for place in np.flatnonzero(made):
        wanted = 0.5 if place == len(made) - 1 else 0.9 * 0.01 * sights[place + 1]
        assert float(lesson.targets[0, place, moves[place]]) == pytest.approx(wanted)
    assert float(lesson.weights.sum()) == pytest.approx(1)
    assert (np.asarray(lesson.weights)[:, ~made] == 0).all()
    # A hand that goes on teaches nothing yet.
    later = happened._replace(ended=jnp.zeros(1, bool))
    assert int(replay.add(replay.empty(here), later, jnp.asarray(1.0)).seen) == 0


def test_every_decision_of_a_batch_weighs_the_same_however_long_its_hand(tree_of):
    tree = tree_of("leduc")
    here = listed(tree, 0)
    long = hand(tree, here)
    short = long._replace(sight=jnp.zeros(1, jnp.int32), move=jnp.ones(1, jnp.int32))
    both = jax.tree.map(lambda *parts: jnp.concatenate(parts), long, short)
    replay, history = ReplayHands(2, 16), HistoryRows(2, 16, "reservoir", 0.0, hands=True)
    memory = replay.add(replay.empty(here), both, jnp.asarray(1.0))
    lessons = [replay.lesson(memory, here, lambda sights, made: 0.0 * sights, jax.random.key(0))]
    moves = history.add(history.empty(here), both, jnp.asarray(1.0), jax.random.key(0))
    lessons.append(history.lesson(moves, here, jax.random.key(0)))
    for lesson in lessons:
        made = np.asarray(lesson.made)
        assert len(set(made.sum(1))) == 2, "both hands"
        np.testing.assert_allclose(np.asarray(lesson.weights).sum(-1)[made], 1 / made.sum(), rtol=1e-6)


def test_a_history_of_hands_holds_all_their_moves(tree_of):
    tree = tree_of("leduc")
    here = listed(tree, 1)
    happened = hand(tree, here)
    history = HistoryRows(8, 4, "reservoir", 0.0, hands=True)
    memory = history.add(history.empty(here), happened, jnp.asarray(1.0), jax.random.key(0))
    lesson = history.lesson(memory, here, jax.random.key(1))
    path = here.path(happened.sight, happened.move)
    taught = np.asarray(lesson.weights)[0].argmax(-1)[np.asarray(path.made)[0]]
    np.testing.assert_array_equal(taught, np.asarray(path.moves)[0][np.asarray(path.made)[0]])
    not_responded = happened._replace(responded=jnp.zeros(1, bool))
    assert int(history.add(history.empty(here), not_responded, jnp.asarray(1.0), jax.random.key(0)).seen) == 0


@pytest.mark.parametrize("method", [SMALL, replace(PAPER, replay_capacity=500, history_capacity=500)])
def test_asking_for_the_tables_is_asking_everywhere(tree_of, method):
    """Networks asked about the situations at the tables say what they say when asked about all."""
    everywhere = replace(method, tables=128).on(tree_of("leduc"))
    at_tables = replace_static(everywhere, everywhere=False)
    assert everywhere.everywhere
    state = advance(everywhere, started(everywhere), 30)
    asked = [
        learner._probabilities(state, learner.arena.sight(state.where), learner.arena.turn(state.where))
        for learner in (everywhere, at_tables)
    ]
    np.testing.assert_allclose(*asked, atol=1e-5)


def replace_static(module, **changes):
    copied = object.__new__(type(module))
    for name in module.__dataclass_fields__:
        object.__setattr__(copied, name, changes.get(name, getattr(module, name)))
    return copied


@pytest.mark.parametrize("name", [pytest.param("drqn", marks=pytest.mark.slow), "rnfsp"])
def test_recurrent_learners_learn_kuhn(tree_of, name):
    tree = tree_of("kuhn")
    learner = algorithm_on(tree, name, tables=64, remembers=16, hidden=(16,), replay_capacity=5000, warmup=100)
    before = started(learner)
    after = advance(learner, before, 600)
    gaps = [feint.exploitability(tree, learner.averages(state)) for state in (before, after)]
    assert gaps[1] < 0.6 * gaps[0]


@pytest.mark.parametrize(
    "name", ["nfsp", *(pytest.param(name, marks=pytest.mark.slow) for name in ("dqn", "linear-q", "drqn", "rnfsp"))]
)
def test_the_five_agents_play_hold_em(name, tmp_path):
    settings = {"tables": 16, "replay_capacity": 200, "warmup": 20, "batch": 8}
    if name.endswith("nfsp"):
        settings["history_capacity"] = 200
    if name != "linear-q":
        settings["hidden"] = [8]
    if name.startswith("r") or name == "drqn":
        settings["remembers"] = 8
    run = feint.train(name, "holdem", preset="poker-rnn", settings=settings, steps=30, out=tmp_path / name)
    assert np.isfinite(run.metrics[-1]["winnings"])
    assert run.metrics[-1]["decisions"] == 30 * 16
    again = feint.load_run(run.path)
    one, two = (jax.tree.leaves(each.strategy.policy.networks) for each in (run, again))
    assert all((np.asarray(a) == np.asarray(b)).all() for a, b in zip(one, two, strict=True))
    with pytest.raises(feint.BadInput, match="too large to unroll"):
        run.strategy.table(feint.unroll("kuhn"))
