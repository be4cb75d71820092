"""Monte Carlo CFR: in the mean, hands say what sweeps over the whole game come to; and it converges."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.mccfr import AVG_POLICY_INDEX, REGRET_INDEX
from open_spiel.python.algorithms.outcome_sampling_mccfr import OutcomeSamplingSolver

import feint
from conftest import advance, algorithm_on, random_table, reached
from feint.forms.unrolled import TreeForm
from feint.runs.config import resolve
from feint.solvers.monte_carlo_cfr import longest_hand
from feint.tree.compiled import compiled
from feint.tree.sequence_form import without

BATCHES = 100
"""Means over so many steps' hands are compared, and how far these lie apart says how far off the mean may be."""
FAR = 5.0
"""In standard errors: once in a million numbers, of which these tests look at a few thousand."""


@compiled
def often(algorithm, state, learner, keys):
    """What the hands of many steps from the same state say: the mean, and its standard error."""
    tables = jax.lax.map(lambda key: algorithm.sampled(state, learner, key).table, keys)
    return tables.mean(0), tables.std(0, ddof=1) / len(keys) ** 0.5


def swept(tree, table, learner):
    """The same by one sweep over the sequence form."""
    regrets, played = _swept(tree.form, jnp.asarray(table))
    return np.where((tree.player == learner)[:, None], regrets, played * dealt(tree)[:, None])


@compiled
def _swept(form, table):
    """Everybody's regrets and plans."""
    strategies = form.vectors(table)
    plans = form.plans(strategies)
    sides = list(zip(form.sides, strategies, strict=True))
    regrets = [side.backup(without(player, plans), own).advantage for player, (side, own) in enumerate(sides)]
    return form.table(regrets), form.table([plan[:-1] for plan in plans])


def dealt(tree):
    """How likely chance is to bring about each information set if the players want to get there."""
    chance = tree.chance.copy()
    for node in range(1, tree.nodes):
        chance[node] *= chance[tree.parent[node]]
    decided = tree.infoset >= 0
    return np.bincount(tree.infoset[decided], chance[decided])


def set_up(tree, **settings):
    """An algorithm, a state of it with baselines that it has learned, and a strategy that makes every move there."""
    algorithm = algorithm_on(tree, "mccfr", **settings)
    table = 0.5 * tree.uniform() + 0.5 * random_table(tree, 3)
    state = reached(algorithm, 20)._replace(regrets=jnp.asarray(table))
    return algorithm, state, table


@pytest.mark.parametrize(
    ("game", "tables", "baselines"),
    [
        ("kuhn", 256, None),
        ("kuhn", 256, "infosets"),
        ("kuhn", 256, "states"),
        ("kuhn(players=3)", 256, "states"),
        pytest.param("kuhn(players=3)", 256, None, marks=pytest.mark.slow),
        ("leduc", 1024, None),
        pytest.param("leduc", 16_384, "infosets", marks=pytest.mark.slow),
        ("leduc", 1024, "states"),
    ],
)
def test_hands_say_on_average_what_sweeps_do(tree_of, game, tables, baselines):
    """Regrets of the player who learns, and everybody else's part in the average."""
    tree = tree_of(game)
    algorithm, state, table = set_up(tree, tables=tables, baselines=baselines)
    assert algorithm.latest(state).table(tree) == pytest.approx(table)
    for learner in range(tree.players):
        keys = jax.random.split(jax.random.key(learner), BATCHES)
        mean, error = (np.asarray(each) for each in often(algorithm, state, jnp.asarray(learner), keys))
        exact = swept(tree, table, learner)
        noisy = error > 1e-12 * np.abs(exact).max()
        assert mean[~noisy] == pytest.approx(exact[~noisy], abs=1e-12)
        off = (mean - exact)[noisy] / error[noisy]
        assert np.abs(off).max() < FAR
        assert (off**2).mean() < 3


def test_baselines_take_noise_out(tree_of):
    """Those of states the most: what is left is the luck of the cards."""
    tree, found = tree_of("kuhn"), {}
    for baselines in (None, "infosets", "states"):
        algorithm, state, _ = set_up(tree, tables=256, baselines=baselines)
        keys = jax.random.split(jax.random.key(0), BATCHES)
        _, error = often(algorithm, state, jnp.asarray(0), keys)
        found[baselines] = float((np.asarray(error)[tree.player == 0] ** 2).sum())
    assert 1.5 * found["states"] < found["infosets"] < found[None] / 1.5


@pytest.mark.parametrize(
    ("game", "preset", "steps", "chips"),
    [
        ("kuhn", None, 500, 0.01),
        ("kuhn", "plus", 500, 0.01),
        ("kuhn", "paper", 20_000, 0.1),
        ("kuhn(players=3)", None, 500, 0.03),
        ("leduc", None, 500, 0.15),
        pytest.param("leduc", "plus", 10_000, 0.02, marks=pytest.mark.slow),
        pytest.param("leduc", None, 10_000, 0.02, marks=pytest.mark.slow),
    ],
)
def test_it_converges(tree_of, game, preset, steps, chips):
    tree = tree_of(game)
    algorithm = resolve("mccfr", {}, preset).on(TreeForm(tree))
    assert feint.exploitability(tree, algorithm.strategy(reached(algorithm, steps))) < chips


def test_seeds_differ_and_going_on_does_not(tree_of):
    """Half of the steps, then the other half, are all of them; and another key deals other hands."""
    algorithm = algorithm_on(tree_of("kuhn"), "mccfr", tables=16)
    whole, half = reached(algorithm, 20), reached(algorithm, 10)
    assert np.array_equal(whole.regrets, advance(algorithm, half, 10).regrets)
    other = advance(algorithm, algorithm.init(jax.random.key(1)), 20)
    assert not np.allclose(whole.regrets, other.regrets)


EPISODES = 2000


def test_open_spiels_hands_say_the_same(tree_of):
    """Their solver's first hands, each played by a new one; its averages are those of whoever learns."""
    tree, game = tree_of("open_spiel:kuhn_poker"), pyspiel.load_game("kuhn_poker")
    np.random.seed(0)  # noqa: NPY002  (where OpenSpiel draws its hands from)
    exact = swept(tree, tree.uniform(), 0)
    rows = {view: row for row, view in enumerate(tree.views) if tree.player[row] == 0}
    said = np.zeros((EPISODES, 2, *tree.legal.shape))
    for episode in said:
        solver = OutcomeSamplingSolver(game)
        solver._episode(game.new_initial_state(), 0, my_reach=1.0, opp_reach=1.0, sample_reach=1.0)
        for view, told in solver._infostates.items():
            if view in rows:
                episode[:, rows[view]] = told[REGRET_INDEX], told[AVG_POLICY_INDEX]
    mean, error = said.mean(0), said.std(0, ddof=1) / EPISODES**0.5
    mine = tree.player == 0
    assert np.abs(mean[0] - exact)[mine] == pytest.approx(0, abs=FAR * error[0].max())
    assert (((mean[0] - exact)[mine] / error[0][mine]) ** 2).mean() < 3
    algorithm = algorithm_on(tree, "mccfr", tables=256, baselines=None)
    state = algorithm.init(jax.random.key(0))
    ours, unsure = often(algorithm, state, jnp.asarray(0), jax.random.split(jax.random.key(0), BATCHES))
    apart = (np.asarray(ours) - mean[0])[mine] / np.hypot(np.asarray(unsure), error[0])[mine]
    assert np.abs(apart).max() < FAR


@pytest.mark.parametrize(("game", "moves"), [("kuhn", 3), ("kuhn(players=3)", 5), ("leduc", 8), ("matrix", 2)])
def test_hands_are_played_to_their_end(tree_of, game, moves):
    assert longest_hand(tree_of(game)) == moves


def test_hands_are_counted(tmp_path):
    run = feint.train("mccfr", "kuhn", hands=1000, settings={"tables": 64}, out=tmp_path / "run")
    assert run.metrics[-1]["hands"] == 1024
    assert run.metrics[-1]["step"] == 16


@pytest.mark.parametrize(
    ("setting", "words"),
    [("tables=0", "at least 1"), ("exploration=0", "above 0, or some moves are never tried"), ("recency=-1", "0 or")],
)
def test_settings_that_make_no_sense_are_refused(setting, words):
    name, _, value = setting.partition("=")
    with pytest.raises(feint.BadInput, match=words):
        feint.train("mccfr", "kuhn", steps=1, settings={name: value})


def test_large_games_are_refused():
    with pytest.raises(feint.BadInput, match=r"^mccfr needs the whole tree, and holdem is too large to unroll; .*\.$"):
        feint.train("mccfr", "holdem", steps=1)
