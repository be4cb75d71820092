"""Numbers that are known: from theory, from papers, from OpenSpiel, or from our own runs once checked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import equinox as eqx
import jax
import numpy as np
import pytest

import feint
from conftest import algorithm_on
from feint.games.errors import RunStopped
from feint.solvers.linear_program import solve


@pytest.mark.parametrize(
    ("game", "nodes", "infosets", "conv"),
    [
        ("kuhn", 58, 12, 0.916667),
        ("kuhn(players=3)", 617, 48, 2.062500),
        pytest.param("kuhn(players=5)", 116_437, 480, 5.010807, marks=pytest.mark.slow),
        ("leduc", 1_939, 288, 4.747222),
        ("leduc(suits=True)", 9_457, 936, 4.747222),
        pytest.param("open_spiel:liars_dice", 294_883, 24_576, 1.561489, marks=pytest.mark.slow),
    ],
)
def test_size_and_uniform_nash_conv(tree_of, game, nodes, infosets, conv):
    tree = tree_of(game)
    assert (tree.nodes, len(tree.infosets)) == (nodes, infosets)
    assert feint.nash_conv(tree, tree.uniform()) == pytest.approx(conv, abs=1e-6)


@pytest.mark.parametrize(
    ("rules", "chips"), [("leduc_no_limit", 222.731), ("leduc_no_limit(free_folds=True)", 210.625)]
)
def test_no_limit_uniform_exploitability(tree_of, rules, chips):
    tree = tree_of(rules)
    assert feint.exploitability(tree, tree.uniform()) == pytest.approx(chips, abs=1e-3)
    assert feint.nash_conv(tree, tree.uniform()) == pytest.approx(2 * chips, abs=2e-3)


@pytest.mark.parametrize(
    ("game", "value"),
    [
        ("kuhn", -1 / 18),
        ("leduc", -0.085606424078),
        ("leduc(suits=True)", -0.085606424078),
        ("leduc_no_limit", -6.556422390518),
        ("leduc_thesis", 0.0),  # the dealer is drawn, so the players are in the same position
        ("rock_paper_scissors", 0.0),
        ("matching_pennies", 0.0),
        ("matrix(payoffs=[[3,-1],[-2,4]])", 1.0),  # (3·4 − 1·2) / (3 + 4 + 1 + 2)
    ],
)
def test_linear_programme_finds_the_value(tree_of, solved, game, value):
    tree, strategy = tree_of(game), solved(game, "linear-program")
    assert feint.exploitability(tree, strategy) < 1e-9
    assert feint.expected_values(tree, strategy) == pytest.approx([value, -value], abs=1e-9)


@pytest.mark.parametrize("bluff", [0.0, 0.1, 1 / 3])
def test_kuhns_own_equilibria(tree_of, bluff):
    """Kuhn (1950): the first player bluffs the jack as often as they like up to 1/3; the rest follows."""
    tree = tree_of("kuhn")
    aggression = {
        0: {"J": bluff, "Q": 0, "K": 3 * bluff, "J: check bet": 0, "Q: check bet": bluff + 1 / 3, "K: check bet": 1},
        1: {"J: bet": 0, "Q: bet": 1 / 3, "K: bet": 1, "J: check": 1 / 3, "Q: check": 0, "K: check": 1},
    }
    table = kuhn_table(tree, aggression)
    assert feint.expected_values(tree, table)[0] == pytest.approx(-1 / 18, abs=1e-12)
    assert feint.nash_conv(tree, table) < 1e-12
    aggression[1]["J: check"] = 1  # a bluff too many lets the first player call with the queen
    assert feint.nash_conv(tree, kuhn_table(tree, aggression)) > 0.05


def kuhn_table(tree, aggression):
    """A strategy by how often the later of the two legal moves is made: bet and not check, call and not fold."""
    chosen = np.array([[aggression[seen.player][seen.label]] for seen in tree.infosets])
    later = np.cumsum(tree.legal, 1) == 2
    return np.where(tree.legal, np.where(later, chosen, 1 - chosen), 0.0)


@pytest.mark.parametrize(
    ("name", "steps", "chips", "within"),
    [
        pytest.param("cfr", 1000, 1.182e-2, 0.05, marks=pytest.mark.slow),
        ("cfr+", 1000, 2.51e-4, 0.1),  # as much as last bits make of it
        ("dcfr", 100, 7.76e-3, 0.01),
        ("linear-cfr", 100, 3.45e-2, 0.01),
        ("pcfr+", 100, 1.98e-2, 0.01),
    ],
)
def test_cfr_family_on_leduc(tree_of, solved, name, steps, chips, within):
    assert feint.exploitability(tree_of("leduc"), solved("leduc", name, steps)) == pytest.approx(chips, rel=within)


def test_hardly_any_discount_is_close_to_none(tree_of, solved):
    """Powers of 400 are too large for floats after a few iterations, and their share of themselves and 1 is 1."""
    tree = tree_of("kuhn")
    high = feint.exploitability(tree, solved("kuhn", "cfr", 100, alpha=400.0, beta=400.0))
    assert high == pytest.approx(feint.exploitability(tree, solved("kuhn", "cfr", 100)), abs=0.02)
    assert high < feint.exploitability(tree, tree.uniform()) / 5


def test_dcfr_on_leduc_at_1000(tree_of, solved):
    """No tighter than this: a change in the last bit at the start moves the result between 1.0e-4 and 3.3e-4."""
    assert feint.exploitability(tree_of("leduc"), solved("leduc", "dcfr", 1000)) < 3.5e-4


def test_xfp_on_leduc(tree_of, solved):
    strategy = solved("leduc", "xfp", 1000, alternating=False)
    assert feint.exploitability(tree_of("leduc"), strategy) == pytest.approx(0.0635, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "chips"), [pytest.param("cfr+", 1e-6, marks=pytest.mark.slow), ("pcfr+", 1e-7)])
def test_long_runs_converge_on_leduc(tree_of, solved, name, chips):
    strategy = solved("leduc", name, 100_000)
    assert feint.exploitability(tree_of("leduc"), strategy) < chips
    assert feint.expected_values(tree_of("leduc"), strategy)[0] == pytest.approx(-0.085606424078, abs=chips)


def brown(rows: np.ndarray, steps: int, alternating: bool) -> list[np.ndarray]:
    """Fictitious play as Brown wrote it, in fractions; the uniform strategy is the first entry of both averages."""
    rows = np.vectorize(Fraction, otypes=[object])(rows)
    sums = [np.array([Fraction(1, size)] * size) for size in rows.shape]
    for _ in range(steps):
        against = sums if alternating else [total.copy() for total in sums]
        sums[0][np.argmax(rows @ against[1])] += 1  # argmax takes the first of equals
        sums[1][np.argmax(-against[0] @ rows)] += 1
    return [(total / (steps + 1)).astype(float) for total in sums]


TIELESS = "matrix(payoffs=[[0.31415,-1.17321,2.05113],[-0.70711,1.90019,0.10007]])"
MATRICES = {
    "matching_pennies": [[1, -1], [-1, 1]],
    "rock_paper_scissors": [[0, -1, 1], [1, 0, -1], [-1, 1, 0]],
    TIELESS: [[0.31415, -1.17321, 2.05113], [-0.70711, 1.90019, 0.10007]],
}


@pytest.mark.parametrize(
    ("game", "steps", "alternating"),
    [
        ("matching_pennies", 1000, True),
        ("matching_pennies", 50, False),
        ("matching_pennies", 1000, False),
        ("rock_paper_scissors", 2, True),
        ("rock_paper_scissors", 5, False),
        ("rock_paper_scissors", 50, True),
        ("rock_paper_scissors", 50, False),
        (TIELESS, 1000, True),
        (TIELESS, 1000, False),
    ],
)
def test_fictitious_play_is_browns(tree_of, solved, game, steps, alternating):
    rows = np.array(MATRICES[game])
    table = solved(game, "fictitious-play", steps, alternating=alternating).table(tree_of(game))
    for player, expected in enumerate(brown(rows, steps, alternating)):
        assert table[player, : len(expected)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("game", MATRICES)
def test_every_step_adds_a_best_response(tree_of, game, alternating):
    """What holds whichever of two equal moves is taken."""
    rows, tree = np.array(MATRICES[game]), tree_of(game)
    algorithm = algorithm_on(tree, "fictitious-play", alternating=alternating)
    step, state = eqx.filter_jit(algorithm.step), algorithm.init(jax.random.key(0))
    before = algorithm.strategy(state).table(tree)
    for number in range(2, 60):
        state, _ = step(state)
        after = algorithm.strategy(state).table(tree)
        replies = before + (after - before) * number
        assert np.sort(replies, 1)[:, -1] == pytest.approx(1.0)
        assert np.abs(replies).sum(1) == pytest.approx(1.0)
        first, second = (after if alternating else before)[0, : len(rows)], before[1, : len(rows[0])]
        assert (rows @ second)[replies[0].argmax()] == pytest.approx((rows @ second).max(), abs=1e-9)
        assert (first @ rows)[replies[1].argmax()] == pytest.approx((first @ rows).min(), abs=1e-9)
        before = after


@pytest.mark.parametrize("game", MATRICES)
def test_xfp_on_a_matrix_is_fictitious_play(tree_of, solved, game):
    tables = [solved(game, name, 50).table(tree_of(game)) for name in ("xfp", "fictitious-play")]
    assert np.array_equal(*tables)


def test_what_moves_are_worth_in_kuhn():
    """Against uniformly random play, by hand: a called king wins 2, a queen meets jacks and kings equally often."""
    tree = feint.unroll("kuhn")
    found = {
        (seen.player, seen.label): row
        for seen, row in zip(tree.infosets, feint.move_values(tree, tree.uniform()), strict=True)
    }
    assert found[1, "K: bet"] == pytest.approx([-1, 2, np.nan], nan_ok=True)
    assert found[1, "Q: bet"] == pytest.approx([-1, 0, np.nan], nan_ok=True)
    assert found[0, "K"] == pytest.approx([np.nan, 1.5, 1.5], nan_ok=True)
    assert found[0, "J"] == pytest.approx([np.nan, -1, -0.5], nan_ok=True)
    never = tree.uniform()
    never[(tree.player == 1) & (tree.legal[:, 0] == 0)] = [0, 1, 0]  # the second player never bets
    silent = dict(zip(tree.labels, feint.move_values(tree, never), strict=True))
    assert np.isnan(silent["Q: check bet"]).all()
    assert silent["Q"] == pytest.approx([np.nan, 0, 0.5], nan_ok=True)


@pytest.mark.parametrize("name", ["kuhn(players=3)", "leduc(suits=True)"])
def test_moves_of_a_best_response_are_worth_the_most(tree_of, name):
    """Chance may have more outcomes than players have moves; a best response makes no move that is worth less."""
    tree = tree_of(name)
    found = feint.move_values(tree, tree.uniform())
    assert np.isfinite(found[tree.legal]).all()
    for player in range(tree.players):
        response = feint.best_response(tree, tree.uniform(), player).strategy.table(tree)
        mine = tree.player == player
        made = np.nansum(np.where(response > 0, found * response, 0.0), 1)
        np.testing.assert_allclose(made[mine], np.nanmax(found, 1)[mine], atol=1e-12)


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_linear_programme_is_exact_in_any_unit(tree_of, unit):
    tree = tree_of("leduc")
    scaled = replace(tree, payoff=tree.payoff * unit, weighted_payoff=tree.weighted_payoff * unit)
    assert scaled.zero_sum
    table = solve(scaled)
    assert feint.exploitability(tree, table) < 1e-12
    assert not feint.deviations(tree, table).share.any(), "rounding is no leak"


@pytest.mark.parametrize(("most", "solved"), [(1e7, True), (1e9, False), (1e12, False)])
def test_payoffs_too_far_apart_for_the_linear_programme_are_refused(tree_of, most, solved):
    """The third column is dominated, so that it should not matter how much it pays."""
    tree = tree_of(f"matrix(payoffs=[[3,-1,{most}],[-1,1,{most}]])")
    if solved:
        np.testing.assert_allclose(solve(tree)[0, :2], [1 / 3, 2 / 3], atol=1e-6)
    else:
        with pytest.raises(RunStopped, match=r"payoffs, from .* to .*, lie too far apart; use"):
            solve(tree)


@pytest.mark.parametrize("player", [-1, 2, "0", 0.5, 1.0, True, None])
def test_best_responses_are_of_players_that_there_are(player):
    with pytest.raises(feint.BadInput, match=r"^kuhn has players 0 to 1, but player .* was asked for\.$"):
        feint.best_response("kuhn", feint.unroll("kuhn").uniform(), player)


@pytest.mark.parametrize("game", ["kuhn", feint.load_game("kuhn")], ids=["name", "rules"])
def test_judges_take_a_game_in_place_of_its_tree(tree_of, game):
    tree = tree_of("kuhn")
    strategy = tree.uniform()
    for judge in (feint.exploitability, feint.nash_conv, feint.expected_values, feint.move_values):
        np.testing.assert_array_equal(judge(game, strategy), judge(tree, strategy))
    np.testing.assert_array_equal(feint.deviations(game, strategy).gain, feint.deviations(tree, strategy).gain)
    assert feint.best_response(game, strategy, 1).value == feint.best_response(tree, strategy, 1).value
    assert feint.expected_values("kuhn", strategy)[0] == pytest.approx(0.125)


def test_places_that_give_nothing_away_are_not_told_of_as_the_worst(tree_of):
    tree = tree_of("matching_pennies")
    assert feint.deviations(tree, tree.uniform()).worst == ()
    assert [leak.player for leak in feint.deviations(tree, np.array([[0.5, 0.5], [1.0, 0.0]])).worst] == [0]
