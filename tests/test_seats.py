"""Seats that learn at once learn what they would one after the other; what networks recall is what they were told."""

from __future__ import annotations

from dataclasses import replace

import equinox as eqx
import jax
import numpy as np
import pytest

import feint
from feint.arena.betting import playground
from feint.learners.nfsp import NFSP

SETTINGS = {"tables": 64, "batch": 16, "hidden": (16,), "view": "rlcard", "replay_capacity": 500, "warmup": 50}
METHOD = NFSP(**SETTINGS, memory="rows", history_from=0, history_capacity=200, cell="gru", remembers=16)


@eqx.filter_jit
def after(learner, steps):
    return jax.lax.fori_loop(0, steps, lambda _, state: learner.step(state)[0], learner.init(jax.random.key(3)))


@pytest.fixture(scope="module")
def holdem():
    return playground(feint.load_game("holdem(rounds=2)"))


def test_seats_learn_the_same_at_once_as_one_after_the_other(holdem):
    apart = replace(METHOD.on(holdem), alike=False)
    at_once = replace(apart, alike=True)
    states = [after(learner, 60) for learner in (apart, at_once)]
    assert int(states[0].hands) == int(states[1].hands) > 0
    for one, other in zip(apart.seats(states[0]), at_once.seats(states[1]), strict=True):
        assert int(one.values.updates) > 0
        for ours, theirs in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-5)
    sight, turn = apart.arena.sight(states[0].where), apart.arena.turn(states[0].where)
    ours, theirs = (
        eqx.filter_jit(learner.policy(state))(sight, turn)
        for learner, state in zip((apart, at_once), states, strict=True)
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_what_networks_recall_at_a_table_is_what_the_hand_so_far_tells_them(holdem):
    learner = replace(METHOD, warmup=1_000_000).on(holdem)  # networks stand still
    state = after(learner, 37)
    sight, turn = learner.arena.sight(state.where), learner.arena.turn(state.where)

    @eqx.filter_jit
    def answers(part, seat, before):
        """By what is recalled, then by the hand so far."""
        values, policy = part.recall(seat, sight, before)
        recalled = part.best(seat.values.network, sight, values), part.mixed(seat.policy.network, sight, policy)
        return recalled, (part.best(seat.values.network, sight), part.mixed(seat.policy.network, sight)), values[0]

    for number, (part, seat) in enumerate(zip(learner.learners, learner.seats(state), strict=True)):
        before, to_act = state.recalled[number], turn == number
        recalled, told, says = answers(part, seat, before)
        for ours, theirs in zip(recalled, told, strict=True):
            np.testing.assert_allclose(ours[to_act], theirs[to_act], atol=1e-5)
        assert not np.allclose(says[to_act], before[0][0][to_act])
        assert np.abs(before[0][0][to_act]).max() > 0  # some had decided before in this hand
