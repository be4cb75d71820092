"""Learners learn: what they remember is what happened, and they go where theory says."""

from __future__ import annotations

import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from conftest import advance, algorithm_on
from feint.arena.arena import narrow
from feint.arena.situations import listed
from feint.forms.library import form_of
from feint.forms.unrolled import TreeForm
from feint.games.game import TERMINAL
from feint.games.matrix import MatrixGame, matrix
from feint.learners.experience import HistoryRows, ReplayHands, ReplayRows, Transitions
from feint.learners.networks import Design
from feint.learners.nfsp import NFSP
from feint.learners.q_learning import QLearning
from feint.learners.self_play import SelfPlay
from feint.learners.settings import Average, Replay, ValueTraining
from feint.runs.config import algorithms, resolve

SMALL = {"tables": 64, "batch": 32, "warmup": 50}
SMALL |= {"network.hidden": (16,), "replay.capacity": 2000, "average.capacity": 2000}


def small(**changes):
    """The paper's settings for short runs."""
    return resolve("nfsp", SMALL | changes, "paper")


def trained(learner: SelfPlay, steps: int, seed: int = 0):
    state = eqx.filter_jit(lambda learner, key: learner.init(key))(learner, jax.random.key(seed))
    return advance(learner, state, steps)


def exploitability(tree, learner, state):
    return feint.exploitability(tree, learner.strategy(state))


@pytest.mark.slow
def test_nfsp_approaches_equilibrium_where_q_learning_does_not(tree_of):
    tree = tree_of("kuhn")
    nfsp, dqn = algorithm_on(tree, "nfsp", tables=256), algorithm_on(tree, "dqn")
    assert exploitability(tree, nfsp, trained(nfsp, 4000)) < 0.03
    state = trained(dqn, 4000)
    assert exploitability(tree, dqn, state) > 0.1
    assert feint.exploitability(tree, dqn.averages(state)) > 0.03


@pytest.mark.slow
def test_nfsp_learns_leduc(tree_of):
    tree = tree_of("leduc")
    nfsp = algorithm_on(tree, "nfsp")
    before, after = trained(nfsp, 200), trained(nfsp, 4000)
    assert exploitability(tree, nfsp, after) < 0.25 < exploitability(tree, nfsp, before)


@pytest.mark.slow
def test_fictitious_self_play_approaches_equilibrium(tree_of):
    tree = tree_of("kuhn")
    fsp = algorithm_on(tree, "fsp", tables=256)
    assert exploitability(tree, fsp, trained(fsp, 4000)) < 0.03


@pytest.mark.slow
def test_three_players_fall_steadily(tree_of):
    tree = tree_of("kuhn(players=3)")
    nfsp = algorithm_on(tree, "nfsp", tables=256)
    gaps = [feint.nash_conv(tree, nfsp.strategy(trained(nfsp, steps))) for steps in (1, 300, 4000)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.2


def test_q_learning_finds_the_best_response_to_a_fixed_opponent(tree_of):
    tree = tree_of("kuhn")
    learner = algorithm_on(
        tree, "dqn", opponent="uniform", tables=256, values={"optimiser": "adam", "rate": 0.003, "target_every": 20}
    )
    greedy = np.asarray(learner.responses(trained(learner, 3000)))
    for player in range(2):
        mixed = np.where((tree.player == player)[:, None], greedy, tree.uniform())
        best = feint.best_response(tree, tree.uniform(), player).value
        assert feint.expected_values(tree, mixed)[player] > best - 0.02


@pytest.mark.parametrize(
    "preset", [*(pytest.param(name, marks=pytest.mark.slow) for name in ("paper", "author")), "fast"]
)
def test_presets_run_and_stay_sound(tree_of, preset):
    tree = tree_of("leduc")
    few = {"tables": 64, "replay.capacity": 5000, "average.capacity": 5000, "warmup": 10}
    learner = resolve("nfsp", few, preset).on(TreeForm(tree))
    state = trained(learner, 60)
    table = learner.strategy(state).table(tree)
    np.testing.assert_allclose(table.sum(1), 1, atol=1e-12)
    assert (table[~tree.legal] == 0).all()
    measured = eqx.filter_jit(learner.measure)(state, tree.form)
    assert all(np.isfinite(float(value)) for value in measured.values())
    assert float(measured["response_gap"]) >= -1e-9
    assert float(measured["decisions"]) == 60 * 64


@pytest.mark.slow
def test_the_spread_of_values_is_that_of_the_seat_whose_values_differ_least(tree_of):
    tree = tree_of("leduc")
    learner = small().on(TreeForm(tree))
    state = learner.init(jax.random.key(0))
    values = [
        seat.values.network(jnp.asarray(tree.features[tree.player == player]))
        for player, seat in enumerate(learner.seats(state))
    ]
    least = min(float(np.ptp(value, 0).mean()) for value in values)
    assert float(learner.measure(state, None)["value_spread"]) == pytest.approx(least / learner.scale, rel=1e-5)
    cards = small(tables=2).on(form_of("holdem(ranks=4)"))
    spread = eqx.filter_jit(lambda cards, state: cards.measure(state, None)["value_spread"])
    assert float(spread(cards, cards.init(jax.random.key(0)))) > 0.01, "more hands are asked about than two"
    single = small().on(TreeForm(tree_of("rock_paper_scissors")))
    assert "value_spread" not in single.measure(single.init(jax.random.key(0)), None), "nothing could differ"


def test_what_is_remembered_is_what_the_rules_allow(tree_of):
    """Every remembered transition leads from a choice to an information set whose own last choice it was."""
    tree = tree_of("leduc")
    learner = small().on(TreeForm(tree))
    state = trained(learner, 100)
    moves = tree.legal.shape[1]
    for here, seat in zip([part.here for part in learner.learners], state.seats, strict=True):
        count, legal = int(seat.replay.size), np.asarray(here.allowed)
        infostate, code, following, reward = (np.asarray(part)[:count] for part in seat.replay.rows)
        move, ended = code // 2, code % 2 == 1
        assert count > 500
        assert legal[infostate, move].all()
        choice = infostate * moves + move
        np.testing.assert_array_equal(np.asarray(here.parent)[following[~ended]], choice[~ended])
        assert (reward[~ended] == 0).all()
        assert set(np.round(reward[ended] * 26, 3)) <= set(tree.payoff.ravel().tolist())
        infostate, move = (np.asarray(part)[: int(seat.history.size)] for part in seat.history.rows)
        assert legal[infostate, move].all()


@pytest.mark.slow
def test_a_tally_says_what_the_rows_say(tree_of):
    """From the same hands, the counts' targets are the means of the rows' targets."""
    tree = tree_of("kuhn")
    rows = small(replay={"capacity": 100_000}, average={"capacity": 100_000}, warmup=10**9).on(TreeForm(tree))
    counting = {"kind": "tally", "flatten": 1.0}
    tally = small(replay=counting | {"share": 1e9}, average=counting, warmup=10**9).on(TreeForm(tree))
    states = [trained(learner, 150) for learner in (rows, tally)]

    def worth(infosets, made=None):
        return 0.1 * (np.arange(6) if infosets is None else infosets) + 1.0

    for part, by_row, by_count in zip(tally.learners, states[0].seats, states[1].seats, strict=True):
        here = part.here
        count = int(by_row.replay.size)
        infostate, code, following, reward = (np.asarray(part)[:count] for part in by_row.replay.rows)
        move, ended = code // 2, code % 2 == 1
        choice, choices = infostate * here.moves + move, here.allowed.size
        target = np.where(ended, reward, worth(following))
        visits = np.bincount(choice, minlength=choices)
        means = np.bincount(choice, target, choices) / np.maximum(visits, 1)
        lesson = part.replay.lesson(by_count.replay, here, worth, jax.random.key(0))
        np.testing.assert_allclose(np.asarray(lesson.weights).ravel(), visits / visits.sum(), atol=1e-5)
        np.testing.assert_allclose(np.asarray(lesson.targets).ravel()[visits > 0], means[visits > 0], atol=1e-4)
        infostate, move = (np.asarray(part)[: int(by_row.history.size)] for part in by_row.history.rows)
        made = np.bincount(infostate * here.moves + move, minlength=choices)
        np.testing.assert_array_equal(np.asarray(by_count.history).ravel(), made)


@pytest.mark.slow
def test_a_window_forgets_what_a_reservoir_keeps(tree_of):
    tree = tree_of("kuhn")
    learner = small(average={"kind": "window", "capacity": 64}).on(TreeForm(tree))
    state = trained(learner, 300)
    assert all(int(seat.history.size) == 64 for seat in state.seats)
    assert all(int(seat.history.seen) > 500 for seat in state.seats)


def test_networks_start_as_asked():
    features = jnp.eye(5, dtype=jnp.float32)
    flat = Design((7, 3))(5, 4, jax.random.key(0), flat=True)
    assert [layer.weight.shape for layer in flat.layers] == [(7, 5), (3, 7), (4, 3)]
    np.testing.assert_array_equal(flat(features), 0)
    linear = Design((), bias=False)(5, 4, jax.random.key(0))
    np.testing.assert_array_equal(linear(features), linear.layers[0].weight.T)
    assert (np.asarray(Design((8,))(5, 4, jax.random.key(0), "relu")(features)) >= 0).all()


@pytest.mark.parametrize(
    ("algorithm", "change"),
    [
        ("nfsp", {"tables": 0}),
        ("nfsp", {"anticipation": 0.0}),
        ("nfsp", {"policy.smoothing": 1.0}),
        ("nfsp", {"network.hidden": (0,)}),
        ("nfsp", {"values.rate": -0.1}),
        ("nfsp", {"policy.decay": 0.0}),
        ("nfsp", {"values.power": 1.5}),
        ("nfsp", {"average.capacity": 5}),
        ("nfsp", {"values.reward_scale": 0.0}),
        ("nfsp", {"replay.least": 0.0}),
        ("nfsp", {"replay.flatten": -1.0}),
        ("nfsp", {"average.growth": -1.0}),
        ("dqn", {"values.reward_scale": -1.0}),
        ("fsp", {"replay.share": -1.0}),
        ("fsp", {"average.kind": "reservoir"}),
        ("rnfsp", {"replay.kind": "tally"}),
        ("rnfsp", {"average.kind": "tally"}),
        ("dqn", {"tables": 0}),
        ("dqn", {"batch": 0}),
        ("dqn", {"exploration.epsilon": 1.5}),
        ("dqn", {"values.error_clip": 0.0}),
        ("drqn", {"network.cell_units": 0}),
        ("fsp", {"values.updates": 0}),
        ("elite-play", {"policy.rate": float("nan")}),
        ("elite-play", {"network.cell": "gru"}),
    ],
)
def test_settings_out_of_range_are_refused(algorithm, change):
    ((name, value),) = change.items()
    with pytest.raises(feint.BadInput, match=rf"^{name} must be .*, but {re.escape(str(value))} was given\.$"):
        resolve(algorithm, change)


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_rates_fall_with_a_power_of_the_updates(power):
    """A weight whose gradient is always 1, by gradient descent: every update takes the rate from it."""
    training = ValueTraining("sgd", rate=0.5, decay=3.0, power=power)
    network = Design((), bias=False)(1, 1, jax.random.key(0), flat=True)
    trained = training.start(network)
    falls = []
    for _ in range(7):
        before = trained.network(jnp.ones((1, 1)))
        trained, _ = training.update(trained, lambda network: network(jnp.ones((1, 1))).sum(), jnp.asarray(True))
        falls.append(float((before - trained.network(jnp.ones((1, 1))))[0, 0]))
    np.testing.assert_allclose(falls, 0.5 / (1 + np.arange(7) / 3) ** power, rtol=1e-5)


def test_a_group_of_settings_is_checked_by_itself():
    with pytest.raises(feint.BadInput, match=r"^rate must be above 0, but -1 was given\.$"):
        ValueTraining(rate=-1)


@pytest.mark.parametrize("name", ["nfsp", "fsp", "dqn"])
def test_a_seat_that_never_decides_cannot_learn(name):
    """The second player of this game has one move, which no rules ask for."""
    tree = feint.unroll(Alone(((1,), (-1,)), ((-1,), (1,)), ("left", "right"), "alone"))
    with pytest.raises(feint.BadInput, match=r"^Player 2 of alone never decides anything, .*; use a solver"):
        algorithms()[name].config.on(TreeForm(tree))


class Alone(MatrixGame):
    def actor(self, state):
        return 0 if not state else TERMINAL

    def payoffs(self, state):
        return super().payoffs((*state, 0))


def test_clipped_errors_pull_no_harder(tree_of):
    """The gradient of a clipped loss is the error itself, cut off; without a clip it is the error."""
    learner = algorithm_on(tree_of("kuhn"), "dqn", values={"error_clip": 0.5}).learners[0]
    errors = jnp.asarray([-3.0, -0.5, -0.2, 0.0, 0.3, 0.5, 9.0])
    pull = jax.vmap(jax.grad(learner._penalty))
    np.testing.assert_allclose(pull(errors), jnp.clip(errors, -0.5, 0.5), atol=1e-7)
    squared = algorithm_on(tree_of("kuhn"), "dqn").learners[0]
    np.testing.assert_allclose(jax.vmap(jax.grad(squared._penalty))(errors), errors, atol=1e-7)
    np.testing.assert_allclose(learner._penalty(errors[1:6]), squared._penalty(errors[1:6]), atol=1e-7)


def test_what_comes_later_is_discounted(tree_of):
    """Whatever it is learned from."""
    for kind in ("rows", "tally"):
        settings = {"values.discount": 0.9, "replay.kind": kind, "network.hidden": (4,)}
        learner = algorithm_on(tree_of("kuhn"), "dqn", **settings).learners[0]
        whole = algorithm_on(tree_of("kuhn"), "dqn", **settings | {"values.discount": 1.0}).learners[0]
        seat = learner.new(jax.random.key(0))
        np.testing.assert_allclose(learner._worth(seat, None, None), 0.9 * whole._worth(seat, None, None), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("moves", [pytest.param(70, marks=pytest.mark.slow), 200])
def test_memories_hold_every_move_of_a_game_with_many(moves):
    tree = feint.unroll(matrix(payoffs=tuple((float(row),) for row in range(moves))))
    here, last, yes = listed(tree, 0), jnp.full(3, moves - 1), jnp.ones(3, bool)
    happened = Transitions(yes, yes, jnp.zeros(3, jnp.int32), last, jnp.zeros(3, jnp.int32), yes, jnp.ones(3))
    key, one = jax.random.key(0), jnp.asarray(1.0)

    def nothing(infostates, made):
        return jnp.zeros(infostates.shape)

    for kind in (ReplayRows, ReplayHands):
        replay = kind(QLearning(tables=1, replay=Replay("rows", 4), batch=2))
        lesson = replay.lesson(replay.add(replay.empty(here), happened, one, key), here, nothing, key)
        assert np.flatnonzero(np.asarray(lesson.weights).reshape(-1, moves).sum(0)).tolist() == [moves - 1]
        assert float(lesson.weights.sum()) == pytest.approx(1)
        np.testing.assert_array_equal(np.asarray(lesson.targets)[..., -1], 1)
    for network in (Design(), Design(cell="gru")):
        average = Average("reservoir", 4)
        history = HistoryRows(NFSP(tables=1, replay=Replay("rows"), batch=2, network=network, average=average))
        lesson = history.lesson(history.add(history.empty(here), happened, one, key), here, nothing, key)
        assert np.flatnonzero(np.asarray(lesson.weights).reshape(-1, moves).sum(0)).tolist() == [moves - 1]


def test_numbers_are_kept_in_as_little_as_holds_them():
    assert [narrow(most) for most in (127, 128, 32_767, 32_768)] == [jnp.int8, jnp.int16, jnp.int16, jnp.int32]


@pytest.mark.slow
@pytest.mark.parametrize("remembered", [True, False])
def test_random_moves_enter_the_average_only_where_they_are_remembered(remembered):
    """With values that never change a best response is the same throughout: what it would not do was random."""
    config = resolve(
        "nfsp",
        {"tables": 64, "exploration.epsilon": 0.4, "exploration.decay": 0.0, "exploration.remembered": remembered}
        | {"values.rate": 1e-30, "anticipation": 1.0, "average.since": 0},
    )
    learner = config.on(form_of("leduc"))
    state = trained(learner, 40)
    for seat, part in zip(learner.learners, learner.seats(state), strict=True):
        own = np.asarray(seat.best(part.values.network, None)) > 0
        random = np.asarray(part.history)[~own].sum()
        assert np.asarray(part.history)[own].sum() > 100
        assert (random > 50) if remembered else (random == 0)
