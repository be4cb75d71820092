"""Fictitious play by winnings: what is kept, how it is averaged, and what becomes of dominated moves."""

from __future__ import annotations

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.forms.unrolled import TreeForm
from feint.games.errors import BadInput
from feint.learners.elite_play import Decisions, ElitePlay, elite_counts, longest_hand
from feint.learners.networks import Training
from feint.papers import kuhn_claims as claims
from feint.papers import kuhn_fictitious_play as paper
from feint.papers import kuhn_training_sets
from feint.papers.kuhn_figures import kuhn_equilibrium
from feint.runs.loop import Unwatched


def stepped(tree, settings, steps=1, seed=0):
    learner = settings.on(TreeForm(tree))
    state = eqx.filter_jit(lambda learner, key: learner.init(key))(learner, jax.random.key(seed))
    step = eqx.filter_jit(lambda learner, state: learner.step(state)[0])
    states = [state]
    for _ in range(steps):
        states.append(step(learner, states[-1]))
    return states


def counted(rows, selection, infosets=3, moves=2, key=0):
    """`elite_counts` of rows (infoset, move, winnings, made)."""
    infoset, move, winnings, made = (np.array(column) for column in zip(*rows, strict=True))
    decisions = Decisions(jnp.asarray(infoset), jnp.asarray(move), jnp.asarray(winnings, float), jnp.asarray(made))
    return np.asarray(elite_counts(decisions, jnp.ones((infosets, moves), bool), selection, jax.random.key(key)))


def test_the_best_of_each_situation_are_kept():
    rows = [(0, 0, -1.0, True)] * 8 + [(0, 1, 2.0, True)] * 2 + [(2, 0, -2.0, True)] * 4 + [(2, 1, -1.0, True)] * 2
    kept = counted(rows, selection=2)
    # Of 10 those of rank 1 to 4 (j < 5), of 6 those of rank 1 and 2 (j < 3).
    np.testing.assert_array_equal(kept, [[2, 2], [0, 0], [0, 2]])
    # As Code 1 is written, five decisions and one in five to keep teach nothing: j = 1 is not below 5 / 5.
    assert counted([(0, 0, 1.0, True)] * 5, selection=5).sum() == 0
    assert counted([(0, 0, 1.0, True)] * 6, selection=5).sum() == 1
    # What fills up hands that ended early is not a decision.
    assert counted([(0, 0, 1.0, True)] * 6 + [(0, 1, 9.0, False)] * 9, selection=5)[0].tolist() == [1, 0]


@pytest.mark.slow
def test_ties_are_broken_at_random():
    rows = [(0, 0, 1.0, True)] * 20 + [(0, 1, 1.0, True)] * 20
    kept = np.array([counted(rows, 5, key=key)[0] for key in range(200)])
    assert (kept.sum(1) == 7).all()
    assert abs(kept[:, 0].mean() - 3.5) < 0.4


@pytest.mark.parametrize(
    ("name", "longest"), [("kuhn", 3), ("kuhn(players=3)", 5), ("leduc", 8), ("rock_paper_scissors", 2)]
)
def test_longest_hands(tree_of, name, longest):
    assert longest_hand(tree_of(name)) == longest


def test_it_starts_exactly_uniform(tree_of):
    tree = tree_of("kuhn")
    np.testing.assert_array_equal(stepped(tree, ElitePlay(), 0)[0].policy, tree.uniform())


def test_it_starts_at_random_where_asked(tree_of):
    tree = tree_of("kuhn")
    first, other = (np.asarray(stepped(tree, ElitePlay(uniform=False), 0, seed)[0].policy) for seed in (0, 1))
    np.testing.assert_allclose(first.sum(1), 1, atol=1e-12)
    assert abs(first - tree.uniform()).max() > 0.01
    assert abs(first - other).max() > 0.01


@pytest.mark.slow
def test_strategies_are_averaged_as_asked(tree_of):
    """One answer, three ways to take it: the same hands and the same training up to there."""
    tree = tree_of("kuhn")
    start, plain = stepped(tree, ElitePlay(average=None))
    for average, share in (("policy", 0.5), ("fictitious", 0.5)):
        after = stepped(tree, ElitePlay(average=average))[1]
        np.testing.assert_allclose(after.policy, start.policy + share * (plain.policy - start.policy), atol=1e-12)
    second, third = stepped(tree, ElitePlay(average="fictitious"), 2)[1:]
    learner = ElitePlay().on(TreeForm(tree))
    expected = second.policy + (learner.outputs(third.network) - second.policy) / 3
    np.testing.assert_allclose(third.policy, expected, atol=1e-12)
    weights = stepped(tree, ElitePlay(average="weights"))[1]
    for mean, old, new in zip(*(jax.tree.leaves(s.network) for s in (weights, start, plain)), strict=True):
        np.testing.assert_allclose(mean, (old + new) / 2, atol=1e-7)


@pytest.mark.parametrize(
    "name", ["leduc", pytest.param("kuhn(players=4)", marks=pytest.mark.slow), "rock_paper_scissors"]
)
def test_any_game_can_be_played(tree_of, name):
    tree = tree_of(name)
    state = stepped(tree, ElitePlay(hands=200, policy=Training(updates=20)), 2)[-1]
    table = np.asarray(state.policy)
    np.testing.assert_allclose(table.sum(1), 1, atol=1e-12)
    assert (table[~tree.legal] < 1e-12).all()


def test_settings_are_checked():
    with pytest.raises(BadInput, match=r"selection must be at least 1, but 0\.5 was"):
        ElitePlay(selection=0.5)
    with pytest.raises(BadInput, match="hands must be at least 1, but 0 was"):
        replace(ElitePlay(), hands=0)


@pytest.fixture(scope="module")
def played(tree_of):
    tree = tree_of("kuhn")
    return {name: paper.play(tree, ElitePlay(average=name), 9, 60) for name in (None, "policy")}


@pytest.mark.slow
def test_the_plain_algorithm_gets_stuck_and_the_modified_does_not(tree_of, played):
    tree = tree_of("kuhn")
    plain, modified = (claims.stuck(tree, played[name].last).mean() for name in (None, "policy"))
    assert plain > 0.2 > modified


@pytest.mark.slow
def test_an_iteratively_dominated_move_grows(tree_of, played):
    """The paper says that all such moves vanish. Betting the middle card second does the opposite."""
    tree = tree_of("kuhn")
    row, bets = tree.labels.index("Q: check"), tree.actions.index("raise")
    assert tree.player[row] == 1
    assert played["policy"].last[:, row, bets].mean() > 0.7
    calls = tree.labels.index("J: bet"), tree.actions.index("call")
    assert played["policy"].last[:, calls[0], calls[1]].max() < 0.05


@pytest.mark.slow
def test_seeds_side_by_side_are_the_same_as_alone(tree_of, played):
    tree = tree_of("kuhn")
    alone = stepped(tree, ElitePlay(), 9, seed=7)
    np.testing.assert_allclose(played["policy"].tables[1, 7], alone[1].policy, atol=1e-4)


def test_kuhn_has_a_family_of_equilibria(tree_of):
    tree = tree_of("kuhn")
    for alpha in (0.0, 0.1, 1 / 6, 1 / 3):
        table = kuhn_equilibrium(tree, alpha)
        assert feint.nash_conv(tree, table) < 1e-12
        assert feint.expected_values(tree, table)[0] == pytest.approx(-1 / 18)
    assert feint.nash_conv(tree, kuhn_equilibrium(tree, 0.2) * 0.9 + tree.uniform() * 0.1) > 0.01


@pytest.mark.slow
def test_the_kuhn_report_is_written_from_its_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "QUICK", 6)
    monkeypatch.setattr(kuhn_training_sets, "QUICK", (kuhn_training_sets.Ways((2, 20), (100,), claims.STEPS, 6),))
    text = paper.reproduce(tmp_path, True, lambda _: Unwatched()).read_text()
    assert all(f"| {variant.label} |" in text for variant in (*paper.VARIANTS, *paper.RANDOM_STARTS))
    assert "| player 2 bets Q after check | 2 |" in text
    assert text.count("(true in") == 7
    assert "Convergence depends heavily on how the training set is made" in text
    assert {path.name for path in tmp_path.glob("*.png")} == {
        *(f"figure-{number}.png" for number in (1, 2, 3, 4)),
        "equilibria.png",
        "dominated.png",
        "exploitability.png",
    }


@pytest.mark.parametrize(
    ("true", "verdict"),
    [
        (99, "**holds** (true in 99% (95% to 100%) of runs)"),
        (95, "**not decided** (true in 95% (89% to 98%) of runs)"),
        (40, "**holds in part** (true in 40% (31% to 50%) of runs)"),
        (2, "**not decided** (true in 2% (1% to 7%) of runs)"),
        (0, "**does not hold** (true in 0% (0% to 4%) of runs)"),
    ],
)
def test_claims_are_judged_by_the_whole_interval_of_the_share_of_runs(true, verdict):
    assert f"*It is so*: {verdict}." in claims.Claim("It is so", np.arange(100) < true, "").answer()
