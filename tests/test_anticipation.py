"""Fictitious play that responds to where others are going: exact, and settled where plain fictitious play never is."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.forms.library import form_of
from feint.papers.anticipation_lag import EXACT, LaggedPlayer, lagged
from feint.papers.kuhn_baselines import gaps_after
from feint.solvers.fictitious_play import ExtensiveFictitiousPlay, FictitiousPlayer


def after(tmp_path, game, steps, **settings):
    """Exploitability of fictitious play, in chips per hand."""
    out = tmp_path / str(sorted(settings.items()))
    run = feint.train("xfp", game, steps=steps, settings=settings, out=out)
    return feint.exploitability(feint.unroll(game), run.strategy)


def test_shapley_s_game_goes_round_without_anticipation_and_settles_with_it(tmp_path):
    plain = after(tmp_path, "shapley", 10_000)
    settled = after(tmp_path, "shapley", 10_000, anticipation=0.1)
    assert plain > 0.1
    assert settled < 1e-3


def test_the_equilibrium_of_shapley_s_game_is_uniform():
    tree = feint.unroll("shapley")
    assert feint.exploitability(tree, tree.uniform()) == pytest.approx(0.0)
    assert not tree.zero_sum


@pytest.mark.parametrize(("share", "known"), [(0.0, 0.133), (0.1, 0.090), (0.3, 0.254), (0.5, 0.464)])
def test_leduc_is_as_another_program_has_it(tmp_path, share, known):
    """After 300 iterations, all players at once: numbers of an independent program over strategies, not plans."""
    found = after(tmp_path, "leduc", 300, anticipation=share, alternating=False)
    assert found == pytest.approx(known, rel=0.12)


@pytest.mark.parametrize("alternating", [False, True])
def test_the_latest_strategy_is_what_the_next_iteration_answers(alternating):
    """Told apart wherever the answer leads: elsewhere a plan says nothing."""
    form = form_of("kuhn")
    solver = ExtensiveFictitiousPlay(alternating, 0.5).on(form)
    state, step = solver.init(jax.random.key(0)), eqx.filter_jit(lambda solver, state: solver.step(state)[0])
    for _ in range(12):
        before, state = state, step(solver, state)
        answers = solver.strategy(state._replace(average=state.response)).table(form.tree)
        led = answers.max(1) == 1
        assert led.sum() > 5
        np.testing.assert_array_equal(solver.latest(before).table(form.tree)[led], answers[led])


def test_shares_beyond_one_are_refused():
    with pytest.raises(feint.BadInput, match="anticipation must be from 0 to 1, but 2"):
        feint.train("xfp", "kuhn", steps=1, settings={"anticipation": 2.0})


def test_a_memory_of_one_iteration_is_none():
    tree = form_of("kuhn(players=3)").tree
    share, one, none = (jnp.asarray(number, float) for number in (0.1, 1.0, 0.0))
    player = FictitiousPlayer(tree.form, False, share, tree.fingerprint)
    found = gaps_after(LaggedPlayer(player, none, one, none), tree, (10, 100))
    assert found == pytest.approx(gaps_after(player, tree, (10, 100)))


def test_what_goes_round_with_a_memory_that_grows_settles_with_one_that_does_not():
    """Shapley's game with the η of NFSP, in which play settles where there is no memory."""
    what = {"game": "shapley", "anticipation": 0.1, "iterations": [2000, 20_000]}
    grows, stays = (lagged(what | {"change": change})["exploitability"] for change in (EXACT[0], EXACT[-1]))
    assert grows[-1] > grows[0] / 2
    assert stays[-1] < stays[0] / 20
