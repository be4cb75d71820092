"""Seats that learn at once learn what they would one after the other; what networks recall is what they were told."""

from __future__ import annotations

from dataclasses import replace

import equinox as eqx
import jax
import numpy as np
import pytest

from feint.forms.library import form_of
from feint.learners.networks import Design
from feint.learners.nfsp import NFSP
from feint.learners.settings import Average, Replay

SETTINGS = NFSP(
    tables=64,
    replay=Replay("rows", 500),
    batch=16,
    warmup=50,
    network=Design((16,), cell="gru", cell_units=16),
    encoding="rlcard",
    average=Average("reservoir", 200, growth=2.0),
)


@eqx.filter_jit
def after(learner, steps):
    return jax.lax.fori_loop(0, steps, lambda _, state: learner.step(state)[0], learner.init(jax.random.key(3)))


@pytest.fixture(scope="module")
def holdem():
    return form_of("holdem(rounds=2)")


@pytest.mark.slow
def test_seats_learn_the_same_at_once_as_one_after_the_other(holdem):
    apart, at_once = (
        replace(learner, seating=replace(learner.seating, alike=alike))
        for learner, alike in ((SETTINGS.on(holdem), False), (SETTINGS.on(holdem), True))
    )
    states = [after(learner, 60) for learner in (apart, at_once)]
    assert int(states[0].hands) == int(states[1].hands) > 0
    for one, other in zip(apart.seats(states[0]), at_once.seats(states[1]), strict=True):
        assert int(one.values.updates) > 0
        for ours, theirs in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-5)
    infostate, turn = apart.arena.infostate(states[0].where), apart.arena.turn(states[0].where)
    ours, theirs = (
        eqx.filter_jit(learner.policy(state))(infostate, turn)
        for learner, state in zip((apart, at_once), states, strict=True)
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


@pytest.mark.slow
def test_what_networks_recall_at_a_table_is_what_the_hand_so_far_tells_them(holdem):
    learner = replace(SETTINGS, warmup=1_000_000).on(holdem)  # networks stand still
    state = after(learner, 37)
    infostate, turn = learner.arena.infostate(state.where), learner.arena.turn(state.where)

    @eqx.filter_jit
    def answers(part, seat, before):
        """By what is recalled, then by the hand so far."""
        values, policy = part.recall(seat, infostate, before)
        recalled = part.best(seat.values.network, infostate, values), part.mixed(seat.policy.network, infostate, policy)
        return (
            recalled,
            (part.best(seat.values.network, infostate), part.mixed(seat.policy.network, infostate)),
            values[0],
        )

    for number, (part, seat) in enumerate(zip(learner.learners, learner.seats(state), strict=True)):
        before, to_act = state.recalled[number], turn == number
        recalled, told, says = answers(part, seat, before)
        for ours, theirs in zip(recalled, told, strict=True):
            np.testing.assert_allclose(ours[to_act], theirs[to_act], atol=1e-5)
        assert not np.allclose(says[to_act], before[0][0][to_act])
        assert np.abs(before[0][0][to_act]).max() > 0  # some had decided before in this hand
