"""OpenSpiel as the oracle: the same rules move by move, and the same numbers for random strategies."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import pyspiel
import pytest

import feint
from conftest import random_table


@dataclass(frozen=True)
class Match:
    """How our information sets and moves correspond to OpenSpiel's."""

    tree: feint.Tree
    source: pyspiel.Game
    name: dict[int, str]
    """OpenSpiel's information state string for each information set of ours."""
    moves: dict[int, list[int]]
    """OpenSpiel's moves there, in the order of our legal columns."""

    def policy(self, table: np.ndarray) -> pyspiel.TabularPolicy:
        """Our table as OpenSpiel's policy."""
        rows = {}
        for row, name in self.name.items():
            rows[name] = list(zip(self.moves[row], table[row, self.tree.legal[row]].tolist(), strict=True))
        return pyspiel.TabularPolicy(rows)


def lockstep(tree: feint.Tree, source: pyspiel.Game) -> Match:
    """Walk both games at once, outcome by outcome and move by move, and compare all there is to compare.

    Chance outcomes and moves correspond in order: both deal card by card and list what is left in the deck from the
    lowest card up, and both list fold before call before raise (OpenSpiel's Kuhn: pass before bet).
    """
    game = feint.load_game(tree.name)
    name, moves = {}, {}
    stack = [(0, game.start(), source.new_initial_state())]
    while stack:
        node, ours, theirs = stack.pop()
        assert game.actor(ours) == tree.actor[node]
        kind = feint.TERMINAL if theirs.is_terminal() else max(theirs.current_player(), feint.CHANCE)
        assert tree.actor[node] == kind, theirs
        if kind == feint.TERMINAL:
            assert game.payoffs(ours) == pytest.approx(theirs.returns(), abs=1e-12), theirs
            assert tree.payoff[node] == pytest.approx(theirs.returns(), abs=1e-12), theirs
            continue
        children = range(tree.first_child[node], tree.first_child[node] + tree.children[node])
        if kind == feint.CHANCE:
            outcomes = theirs.chance_outcomes()
            drawn = game.chance(ours)
            assert [chance for chance, _ in drawn] == pytest.approx([chance for _, chance in outcomes])
            assert tree.chance[children] == pytest.approx([chance for _, chance in outcomes])
            after = [state for _, state in drawn]
            theirs_after = [theirs.child(outcome) for outcome, _ in outcomes]
        else:
            row, seen = int(tree.infoset[node]), theirs.information_state_string(kind)
            assert name.setdefault(row, seen) == seen
            assert moves.setdefault(row, theirs.legal_actions()) == theirs.legal_actions()
            after = [game.play(ours, move) for move in game.legal(ours)]
            theirs_after = [theirs.child(move) for move in theirs.legal_actions()]
        stack += zip(children, after, theirs_after, strict=True)
    # Each of our information sets has one string; that no two share one makes the partitions the same.
    assert len(set(name.values())) == len(name) == len(tree.infosets)
    return Match(tree, source, name, moves)


PAIRS = {
    "kuhn": "kuhn_poker",
    "kuhn(players=3)": "kuhn_poker(players=3)",
    "kuhn(players=4)": "kuhn_poker(players=4)",
    "leduc(suits=True)": "leduc_poker",
    "leduc": "leduc_poker(suit_isomorphism=True)",
    "leduc(players=3)": "leduc_poker(players=3,suit_isomorphism=True)",
}


@pytest.fixture(scope="module")
def match_of(tree_of):
    return functools.cache(lambda name: lockstep(tree_of(name), pyspiel.load_game(PAIRS[name])))


@pytest.mark.parametrize(
    ("game", "strategies"),
    [
        ("kuhn", 60),
        ("kuhn(players=3)", 60),
        ("kuhn(players=4)", 8),
        ("leduc(suits=True)", 5),
        ("leduc", 10),
        pytest.param("leduc(players=3)", 1, marks=pytest.mark.slow),
    ],
)
def test_nash_conv_and_values_agree(match_of, game, strategies):
    match = match_of(game)
    for seed in range(strategies):
        table = random_table(match.tree, seed)
        policy = match.policy(table)
        assert feint.nash_conv(match.tree, table) == pytest.approx(pyspiel.nash_conv(match.source, policy), abs=1e-9)
        expected = pyspiel.expected_returns(match.source.new_initial_state(), policy, -1, True)
        assert feint.expected_values(match.tree, table) == pytest.approx(expected, abs=1e-9)


def test_lockstep_notices_other_rules(tree_of):
    """The walk above is only worth something if it fails where the games differ."""
    with pytest.raises((AssertionError, ValueError)):
        lockstep(tree_of("kuhn"), pyspiel.load_game("leduc_poker"))
    with pytest.raises((AssertionError, ValueError)):
        lockstep(tree_of("leduc"), pyspiel.load_game("leduc_poker"))


def test_best_responses_agree(match_of):
    """A best response is worth the same to OpenSpiel, played by our table or by theirs."""
    match = match_of("leduc(suits=True)")
    table = random_table(match.tree, 1)
    policy = match.policy(table)  # held: OpenSpiel's best response only borrows it
    for player in range(2):
        ours = feint.best_response(match.tree, table, player)
        theirs = pyspiel.TabularBestResponse(match.source, player, policy)
        assert ours.value == pytest.approx(theirs.value_from_state(match.source.new_initial_state()), abs=1e-9)
        played = match.policy(ours.strategy.table(match.tree))
        state = match.source.new_initial_state()
        assert pyspiel.expected_returns(state, played, -1, True)[player] == pytest.approx(ours.value, abs=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "dark_hex(num_rows=2,num_cols=2)",
        "turn_based_simultaneous_game(game=goofspiel(num_cards=3,imp_info=True))",
        pytest.param("liars_dice", marks=pytest.mark.slow),
    ],
)
def test_games_through_the_wrapper(tree_of, text):
    tree, source = tree_of(f"open_spiel:{text}"), pyspiel.load_game(text)
    rows = {seen.label: row for row, seen in enumerate(tree.infosets)}
    column = {name: column for column, name in enumerate(tree.actions)}
    strings = pyspiel.UniformRandomPolicy(source).policy_table()
    assert len(rows) == len(strings) == len(tree.infosets)
    for seed in range(3):
        table = random_table(tree, seed)
        policy = {}
        for string, moves in strings.items():
            row = rows[" ".join(string.split())]
            assert [column[str(move)] for move, _ in moves] == np.flatnonzero(tree.legal[row]).tolist()
            policy[string] = [(move, table[row, column[str(move)]]) for move, _ in moves]
        expected = pyspiel.nash_conv(source, pyspiel.TabularPolicy(policy))
        assert feint.nash_conv(tree, table) == pytest.approx(expected, abs=1e-9)
