"""Strategies with broken numbers: nobody plays an illegal move for them, and judges refuse them in a sentence."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays
from jaxtyping import Array

import feint
from conftest import algorithm_on, betting_of
from feint.arena.arena import draw
from feint.arena.policy import Policy, Uniform
from feint.evaluate.local_best_response import local_best_response
from feint.evaluate.match import match, play_players
from feint.forms.library import form_of
from feint.forms.strategy import PolicyStrategy
from feint.players.player import StrategyPlayer
from feint.players.table import Table
from feint.runs.config import resolve

REFUSED = "gives no chances for"
HOLDEM = {"tables": 4, "replay.kind": "rows", "replay.capacity": 8, "average.kind": "reservoir", "average.capacity": 8}


class Broken(Policy):
    """The same numbers everywhere."""

    row: Array

    def __call__(self, infostate, turn):
        rows = jax.tree.leaves(infostate)[0].shape[0]
        return jnp.broadcast_to(self.row, (rows, len(self.row)))


ODD = st.one_of(st.floats(width=32), st.sampled_from([0.0, 1.0, np.nan, np.inf, -np.inf, -1.0]))


@given(st.data())
def test_no_numbers_make_a_move_illegal(data):
    rows = data.draw(arrays.arrays(np.float32, (6, 4), elements=ODD))
    legal = data.draw(arrays.arrays(bool, (6, 4)))
    legal[~legal.any(1), 2] = True
    uniform = data.draw(st.sampled_from([0.0, 0.5, 1 - 2.0**-24]))
    moves = np.asarray(draw(jnp.asarray(rows), jnp.full(6, uniform, jnp.float32), jnp.asarray(legal)))
    assert legal[np.arange(6), moves].all()
    chances = np.where(legal & np.isfinite(rows) & (rows > 0), rows, 0.0)
    assert ((chances[np.arange(6), moves] > 0) | (chances.sum(1) == 0)).all(), "nothing without a chance is drawn"


def test_what_has_no_chance_is_not_drawn_for_rounding():
    """A number just below 1 times the sum of a row may be that sum."""
    rows = jnp.asarray(np.random.default_rng(0).dirichlet(np.ones(3), 1000), jnp.float32)
    rows = jnp.concatenate([rows, jnp.zeros((1000, 1))], 1).astype(jnp.float32)
    moves = draw(rows, jnp.full(1000, 1 - 2.0**-24, jnp.float32), jnp.ones((1000, 4), bool))
    assert moves.max() <= 2


@pytest.mark.parametrize("row", [(np.nan,) * 3, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 1.0, 1.0)])
@pytest.mark.parametrize("name", ["kuhn", pytest.param("holdem", marks=pytest.mark.slow)])
def test_judges_refuse_what_is_no_strategy(name, row):
    """Missing, nothing at all, all on folding where nothing is to be folded to, negative."""
    form = form_of(name)
    broken, fair = Broken(jnp.asarray(row, jnp.float32)), Uniform(form.arena)
    with pytest.raises(feint.BadInput, match=REFUSED):
        match(form.arena, broken, fair, 200)
    if (name, row[0]) != ("holdem", 1.0):  # where a best response always raises, so that folding is legal
        with pytest.raises(feint.BadInput, match=REFUSED):
            local_best_response(betting_of(name), broken, 60)
    sitting = [StrategyPlayer(PolicyStrategy(form.fingerprint, each), form, 0) for each in (fair, broken)]
    with pytest.raises(feint.BadInput, match=REFUSED):
        [Table(form.game).hand(sitting, seed) for seed in range(20)]


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param("nfsp", marks=pytest.mark.slow), "dqn"])
def test_networks_that_are_no_numbers_win_nothing(name):
    form = form_of("holdem")
    kept = {key: value for key, value in HOLDEM.items() if name == "nfsp" or not key.startswith("average")}
    learner = resolve(name, kept).on(form)
    strategy = learner.strategy(learner.init(jax.random.key(0)))
    assert np.isfinite(match(form.arena, strategy.policy, Uniform(form.arena), 100).mean)
    broken = jax.tree.map(lambda leaf: jnp.full_like(leaf, jnp.nan) if leaf.dtype == jnp.float32 else leaf, strategy)
    player = StrategyPlayer(
        replace(strategy, learned=replace(strategy.learned, networks=broken.learned.networks)), form
    )
    fair = StrategyPlayer(PolicyStrategy(form.fingerprint, Uniform(form.arena)), form)
    with pytest.raises(feint.BadInput, match=REFUSED):
        play_players(form, (player, fair), 200)


@pytest.mark.slow
def test_who_tries_illegal_moves_is_judged_as_it_plays(tree_of):
    """Illegal moves are calls: at tables, in matches, to bounds and as a table alike."""
    form = form_of("holdem")
    learner = resolve("nfsp", HOLDEM | {"masked": False}).on(form)
    strategy = learner.strategy(learner.init(jax.random.key(0)))
    where = form.arena.deal(jnp.zeros((form.arena.deal_words, 3), jnp.uint32))
    seen = form.arena.infostate(where)
    told = np.asarray(strategy.policy(seen, jnp.asarray(0)))
    legal = np.asarray(form.arena.legal(seen))
    assert (told[~legal] == 0).all()
    np.testing.assert_allclose(told.sum(1), 1, atol=1e-6)
    assert np.isfinite(match(form.arena, strategy.policy, Uniform(form.arena), 100).mean)
    small = algorithm_on(tree_of("kuhn"), "nfsp", masked=False)
    state = small.init(jax.random.key(0))
    played = small.policy(state)(jnp.arange(12), jnp.asarray(tree_of("kuhn").player))
    np.testing.assert_allclose(played, small.averages(state, smooth=True), atol=1e-6)
    np.testing.assert_allclose(played[0], [0, 2 / 3, 1 / 3], atol=1e-6)
