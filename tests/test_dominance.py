"""Dominance: examples by hand, brute force in fractions, Kuhn's seven moves, and two methods against each other."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.optimize
from hypothesis import assume, given, settings

import feint
from conftest import random_games, random_table
from feint.evaluate.dominance import eliminate, eliminate_actions, mass
from feint.report.picture import draw_strategy
from feint.solvers.linear_program import solve
from test_golden import kuhn_table

BOTH = pytest.mark.parametrize("method", [eliminate, eliminate_actions])
KINDS = pytest.mark.parametrize("kind", ["weak", "strict"])


def matrix(rows, columns=None):
    """The tree of a matrix game."""
    given = f"payoffs={[list(map(float, row)) for row in rows]}"
    if columns is not None:
        given += f",columns={[list(map(float, row)) for row in columns]}"
    return feint.unroll(f"matrix({given})")


def order(eliminated):
    """The moves that went in each round, as (player, move)."""
    return [[(action.player, action.move) for action in gone.actions] for gone in eliminated.rounds]


@BOTH
@KINDS
def test_a_mixture_dominates_where_no_move_does(method, kind):
    """Half of each of the first two rows earns 3/2 everywhere, the third row 1; the columns are all alike."""
    rows = [[3, 0], [0, 3], [1, 1]]
    assert order(method(matrix(rows, np.zeros((3, 2))), kind)) == [[(0, 2)]]
    rows[2] = [2, 1]  # two thirds of the first row and a third of the second: equal
    assert order(method(matrix(rows, np.zeros((3, 2))), kind)) == []


@BOTH
@KINDS
def test_order_of_rounds(method, kind):
    """A textbook's example (Gibbons 1992, figure 1.1.1): right, then down, then left."""
    eliminated = method(matrix([[1, 1, 0], [0, 0, 2]], [[0, 2, 1], [3, 1, 0]]), kind)
    assert order(eliminated) == [[(1, 2)], [(0, 1)], [(1, 0)]]
    assert eliminated.round_of.tolist() == [[-1, 1, -1], [2, -1, 0]]
    assert [action.words for gone in eliminated.rounds for action in gone.actions] == [
        "choose → 2",
        "choose → 1",
        "choose → 0",
    ]
    assert all(action.reached for gone in eliminated.rounds for action in gone.actions)


def test_strategies_are_listed_in_words(tree_of):
    first = eliminate(tree_of("kuhn")).rounds[0]
    assert len(first.strategies) == 27 + 64 - 12 - 8
    assert (0, "J → raise, Q → raise, K → call, K: check bet → fold") in first.strategies
    assert eliminate_actions(tree_of("kuhn")).rounds[0].strategies == ()


@BOTH
def test_weak_elimination_is_simultaneous(method):
    """The middle row weakly dominates both others. Were the first removed alone, the left column would follow; were the
    last, the right one. Both at once leave the columns equal."""
    tree = matrix([[1, 0], [1, 2], [0, 2]], [[1, 0], [1, 1], [0, 1]])
    assert order(method(tree, "weak")) == [[(0, 0), (0, 2)]]
    assert order(method(tree, "strict")) == []


@BOTH
@KINDS
def test_equals_do_not_dominate_each_other(method, kind):
    assert order(method(matrix([[1, 2], [1, 2]], [[0, 0], [0, 0]]), kind)) == []
    # The middle row is half of each of the others: equal to a mixture, hence not dominated.
    assert order(method(matrix([[2, 0], [1, 1], [0, 2]], np.zeros((3, 2))), kind)) == []


@pytest.mark.parametrize("kind", ["weak", "strict"])
def test_what_matters_at_the_end_of_a_long_way_only_is_found(kind):
    """A thousandth, after eleven moves of the other's: too rare to count, if all of these were equally likely."""
    tree = feint.unroll(Long())
    found = [order(method(tree, kind)) for method in (eliminate, eliminate_actions)]
    assert found[0] == found[1]
    assert ((0, 1) in found[1][0] if found[1] else False) == (kind == "weak")


class Long(feint.Game):
    """One player chooses in secret, then the other may go on eleven times: what was chosen matters after that alone."""

    name, players, actions = "long", 2, ("first", "second")

    def start(self):
        return ()

    def actor(self, state):
        if len(state) > 11 or state[1:].count(1):
            return -2
        return 1 if state else 0

    def legal(self, state):
        return [0, 1]

    def chance(self, state):
        return []

    def play(self, state, action):
        return (*state, action)

    def view(self, state, player):
        return state[1:] if player else ()

    def payoffs(self, state):
        return (1000.0 - (len(state) > 11 and state[-1] == 0 and state[0]), 0.0)


def test_earlier_moves_take_later_ones_with_them():
    """Alone at the table: stop for 1, or go on and choose between 0 and −1. Going on goes, and both choices with it."""
    tree = feint.unroll(Alone())
    for method in (eliminate, eliminate_actions):
        eliminated = method(tree, "strict")
        assert [(action.words, action.reached) for action in eliminated.rounds[0].actions] == [
            ("() → on", True),
            ("(1,) → stop", False),
            ("(1,) → on", False),
        ]
        judged = mass(tree, [[0.75, 0.25], [0.5, 0.5]], eliminated)
        assert judged.table.tolist() == [[0, 0.25], [0.5, 0.5]]
        assert judged.total == judged.hands == 0.25  # the later choices, both gone, say nothing more


class Alone(feint.Game):
    """One player, at most two moves."""

    name, players, actions = "alone", 1, ("stop", "on")

    def start(self):
        return ()

    def actor(self, state):
        return feint.TERMINAL if 0 in state or len(state) == 2 else 0

    def legal(self, state):
        return (0, 1)

    def chance(self, state):
        return ()

    def play(self, state, action):
        return (*state, action)

    def view(self, state, player):
        return state

    def payoffs(self, state):
        return ({(0,): 1.0, (1, 0): 0.0, (1, 1): -1.0}[state],)


def brute(rows, kind):
    """Which rows of at most three are dominated by a mixture of the others; exact, for there is one weight to find."""
    gone = []
    for number, row in enumerate(rows):
        rest = [other for index, other in enumerate(rows) if index != number]
        pairs = combinations(rest, 2) if len(rest) > 1 else [(other, other) for other in rest]
        gone.append(any(beaten(row, first, second, kind) for first, second in pairs))
    return gone


def beaten(row, first, second, kind):
    """Whether some mixture of two rows dominates a third.

    What it gains is a line in the weight for each column. The best weights for every criterion used here are among
    the ends, where lines cross zero and where they cross each other.
    """
    lines = [(a - c, b - c) for a, b, c in zip(first, second, row, strict=True)]  # at weights 1 and 0
    weights = {Fraction(0), Fraction(1)}
    slopes = [(a - b, b) for a, b in lines]
    for (slope, start), (other, at) in [*permutations(slopes, 2), *((line, (0, 0)) for line in slopes)]:
        if slope != other:
            weights.add(Fraction(at - start, slope - other))
    gains = [[slope * weight + start for slope, start in slopes] for weight in weights if 0 <= weight <= 1]
    return any(min(gain) > 0 or (kind == "weak" and min(gain) >= 0 and sum(gain) > 0) for gain in gains)


@settings(max_examples=25)
@given(st.data(), st.sampled_from(["weak", "strict"]), st.sampled_from([eliminate, eliminate_actions]))
def test_brute_force_agrees_on_matrices(data, kind, method):
    height, width = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    cells = st.lists(st.lists(st.integers(-2, 2), min_size=width, max_size=width), min_size=height, max_size=height)
    rows, columns = np.array(data.draw(cells)), np.array(data.draw(cells))
    left, found = [np.arange(height), np.arange(width)], []
    while True:
        own, other = rows[np.ix_(*left)], columns[np.ix_(*left)].T
        gone = [np.array(brute(side.tolist(), kind)) for side in (own, other)]
        if not any(side.any() for side in gone):
            break
        found.append([(player, int(move)) for player in range(2) for move in left[player][gone[player]]])
        left = [moves[~side] for moves, side in zip(left, gone, strict=True)]
    assert order(method(matrix(rows, columns), kind)) == found


@pytest.mark.slow
@settings(max_examples=25)
@given(random_games(deepest=4, players=(1, 2, 3)), st.sampled_from(["weak", "strict"]))
def test_listing_plans_and_integer_programmes_agree(game, kind):
    """What the file's head claims: the same moves in the first round, and never more by strict dominance later."""
    tree = feint.unroll(game)
    try:
        listed = eliminate(tree, kind)
    except feint.BadInput:
        assume(False)
    programmed = eliminate_actions(tree, kind)
    assert ((listed.round_of == 0) == (programmed.round_of == 0)).all()
    if kind == "strict":
        assert not (programmed.mask & ~listed.mask).any()
    assert ((tree.legal & ~listed.mask).any(1) | (tree.parent_sequence >= 0)).all()  # something is left at the start


@pytest.mark.slow
@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_strict_elimination_spares_equilibria(seed):
    """No strictly dominated move is in an equilibrium; what is left is a game of the same value."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-5, 6, rng.integers(2, 6, 2))
    tree = matrix(rows)
    eliminated = eliminate(tree, "strict")
    assert mass(tree, solve(tree), eliminated).total < 1e-7
    left = [np.flatnonzero(tree.legal[player] & ~eliminated.mask[player]) for player in range(2)]
    assert value(rows[np.ix_(*left)]) == pytest.approx(value(rows), abs=1e-9)
    # What is strictly dominated is weakly dominated too.
    assert not (eliminated.round_of == 0)[eliminate(tree, "weak").round_of != 0].any()


def value(rows):
    """What the first player wins at equilibrium."""
    first, second = solve(matrix(rows))
    return first[: len(rows)] @ rows @ second[: len(rows[0])]


FIVE = {
    (1, "K: bet → fold"),  # the second player folds the best card to a bet,
    (1, "J: bet → call"),  # calls with the lowest
    (1, "K: check → call"),  # or checks behind with the best;
    (0, "K: check bet → fold"),  # the first player folds the best card
    (0, "J: check bet → call"),  # or calls with the lowest
}
TWO = {(0, "Q → raise"), (1, "Q: check → raise")}  # then nobody bets the middle card


@BOTH
def test_kuhns_seven_moves_in_order(tree_of, method):
    """Five weakly dominated moves, then two more; "raise" is a bet and "call" without a bet is a check."""
    tree = tree_of("kuhn")
    eliminated = method(tree)
    rounds = [{(action.player, action.words) for action in gone.actions} for gone in eliminated.rounds]
    assert rounds == [FIVE, TWO]
    assert eliminated.mask.sum() == 7
    assert [(eliminated.round_of == number).sum() for number in (0, 1)] == [5, 2]
    # Strictly, no move goes: whoever never bets makes the choice after a bet worth nothing.
    assert not method(tree, "strict").mask.any()


def test_kuhns_plans_go_without_their_moves(tree_of):
    """The paper has it that nothing dominated is left but for the seven moves. One plan more goes in round two, against
    the second player's bet with the queen: betting J and K while calling with Q. Each of its moves stays, in others."""
    first, second = eliminate(tree_of("kuhn")).rounds
    without = [words for _, words in second.strategies if "Q → raise" not in words and "Q: check → raise" not in words]
    assert without == ["J → raise, Q → call, Q: check bet → call, K → raise"]
    assert len(second.strategies) == 4 + 4 + 1
    assert len(first.strategies) == 71


@pytest.mark.parametrize("bluff", [0.0, 0.1, 1 / 3])
def test_kuhns_own_equilibria_play_none_of_them(tree_of, bluff):
    tree = tree_of("kuhn")
    aggression = {
        0: {"J": bluff, "Q": 0, "K": 3 * bluff, "J: check bet": 0, "Q: check bet": bluff + 1 / 3, "K: check bet": 1},
        1: {"J: bet": 0, "Q: bet": 1 / 3, "K: bet": 1, "J: check": 1 / 3, "Q: check": 0, "K: check": 1},
    }
    judged = mass(tree, kuhn_table(tree, aggression), eliminate(tree))
    assert (judged.total, judged.hands) == (0.0, pytest.approx(0.0, abs=1e-12))


def test_no_equilibrium_of_kuhn_plays_them(tree_of):
    """The most that an optimal mixture of pure strategies plays each of the seven moves, by linear programme, is 0."""
    tree = tree_of("kuhn")
    sequences = [pure_sequences(tree, player) for player in range(2)]
    reach = [played[:, tree.last_sequence[:, player]] for player, played in enumerate(sequences)]
    for action in (action for gone in eliminate(tree).rounds for action in gone.actions):
        player = action.player
        worth = (reach[player] * tree.weighted_payoff[:, player]) @ reach[1 - player].T
        plays = sequences[player][:, action.infoset * tree.legal.shape[1] + action.move]
        least = np.full(worth.shape[1], (-1 / 18, 1 / 18)[player] - 1e-12)
        best = scipy.optimize.linprog(-plays, -worth.T, -least, np.ones((1, len(plays))), 1)
        assert best.success
        assert -best.fun == pytest.approx(0.0, abs=1e-9)


def pure_sequences(tree, player):
    """Which sequences each of a player's pure strategies plays; the last column is the empty one."""
    mine = np.flatnonzero(tree.player == player)  # parents first
    rows = []
    for moves in product(*(np.flatnonzero(tree.legal[infoset]) for infoset in mine)):
        row = np.append(np.zeros(tree.legal.size), 1.0)
        for infoset, move in zip(mine, moves, strict=True):
            row[infoset * tree.legal.shape[1] + move] = row[tree.parent_sequence[infoset]]
        rows.append(row)
    return np.array(rows)


def test_cfr_leaves_little_on_them(tree_of, solved):
    tree = tree_of("kuhn")
    judged = mass(tree, solved("kuhn", "cfr+", 2000), eliminate(tree))
    assert judged.total < 0.02
    assert judged.hands < 0.01


def test_mass_by_hand(tree_of):
    """The uniform strategy makes each of the seven moves half the time it can."""
    tree = tree_of("kuhn")
    eliminated = eliminate(tree)
    judged = mass(tree, tree.uniform(), eliminated)
    assert judged.total == pytest.approx(3.5)
    assert np.array_equal(judged.table, np.where(eliminated.mask, 0.5, 0.0))
    # Hands with none of the seven. JQ: check (check, the bet is gone) 1/4, bet 1/2. JK: check, bet, fold 1/8; bet, call
    # 1/4. QJ: check 1/2 (check 1/2, or bet 1/2), the bet is gone. QK: check, bet 1/4. KJ: check, check 1/4; check, bet,
    # call 1/8; bet, fold 1/4. KQ: check, check 1/4; bet 1/2.
    clean = [1 / 4 + 1 / 2, 1 / 8 + 1 / 4, 1 / 2, 1 / 4, 1 / 4 + 1 / 8 + 1 / 4, 1 / 4 + 1 / 2]
    assert judged.hands == pytest.approx(1 - sum(clean) / 6)


def test_nothing_eliminated_weighs_nothing(tree_of):
    tree = tree_of("kuhn")
    judged = mass(tree, random_table(tree, 3), eliminate(tree, "strict"))
    assert (judged.total, judged.hands) == (0.0, pytest.approx(0.0, abs=1e-12))


@pytest.mark.parametrize(("players", "moves"), [(3, 22), pytest.param(4, 77, marks=pytest.mark.slow)])
def test_kuhn_with_more_players(tree_of, players, moves):
    """Calls that cannot win go, as more opponents are in than there are lower cards; folds of the best card; and the
    last player's check with it. Nothing follows from that: one round."""
    tree = tree_of(f"kuhn(players={players})")
    ranks = "TJQKA"[-players - 1 :]
    expected = {(players - 1, f"A:{' check' * (players - 1)} → call")}
    for seen in tree.infosets:
        if "bet" in seen.label and ranks.index(seen.label[0]) < 1 + seen.label.count("call"):
            expected.add((seen.player, f"{seen.label} → call"))
        if "bet" in seen.label and seen.label[0] == "A":
            expected.add((seen.player, f"{seen.label} → fold"))
    (only,) = eliminate_actions(tree).rounds
    assert {(action.player, action.words) for action in only.actions} == expected
    assert len(expected) == moves


def test_large_games_are_refused_with_their_size(tree_of):
    with pytest.raises(feint.BadInput, match="6,561 × 10,000 × 65,536 reduced strategies, 4,299,816,960,000 profiles"):
        eliminate(tree_of("kuhn(players=3)"))
    with pytest.raises(feint.BadInput, match="leduc has 141,375 reduced strategies in the subtrees of player 1"):
        eliminate_actions(tree_of("leduc"))


@pytest.mark.parametrize("programme", ["linprog", "milp"])
def test_programmes_that_are_not_solved_end_in_a_sentence(call, tmp_path, monkeypatch, programme):
    failed = scipy.optimize.OptimizeResult(success=False, message="it went round in circles")
    monkeypatch.setattr(scipy.optimize, programme, lambda *_, **__: failed)
    code, out, err = call("evaluate", "random", "--game", "kuhn", "--judge", "dominance")
    assert (code, out) == (1, "")
    assert err == (
        "feint: Dominated moves were not found, because a linear programme was not solved (it went round in circles); "
        "ask another judge.\n"
    )
    run = feint.train("cfr", "kuhn", steps=2, out=tmp_path / "run")
    assert draw_strategy(run, run.form, tmp_path).is_file(), "without what is not known"


@BOTH
def test_unknown_kinds_are_refused(tree_of, method):
    with pytest.raises(feint.BadInput, match="weak"):
        method(tree_of("kuhn"), "week")
