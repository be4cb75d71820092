"""The unrolled game: its arrays, its cache on disk, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import feint
from conftest import random_table
from feint.forms.strategy import tabulate


@pytest.mark.parametrize("name", ["kuhn", "kuhn(players=3)", "leduc", "leduc_thesis", "open_spiel:kuhn_poker"])
class TestStructure:
    def test_nodes_are_breadth_first_with_siblings_together(self, tree_of, name):
        tree = tree_of(name)
        assert (tree.parent[0], tree.move[0], tree.chance[0]) == (-1, -1, 1.0)
        assert (np.diff(tree.parent) >= 0).all()
        assert (tree.parent[1:] < np.arange(1, tree.nodes)).all()
        inner = np.flatnonzero(tree.children)
        for node in inner:
            below = np.arange(tree.first_child[node], tree.first_child[node] + tree.children[node])
            assert (tree.parent[below] == node).all()
            assert (np.diff(tree.move[below]) > 0).all()
        assert tree.children.sum() == tree.nodes - 1

    def test_terminals_are_the_leaves(self, tree_of, name):
        tree = tree_of(name)
        assert np.array_equal(tree.terminal, np.flatnonzero(tree.children == 0))
        assert (tree.actor[tree.terminal] == feint.TERMINAL).all()
        assert (tree.first_child[tree.terminal] == -1).all()
        assert not tree.payoff[tree.children > 0].any()

    def test_information_sets_know_their_player_and_moves(self, tree_of, name):
        tree = tree_of(name)
        deciding = tree.actor >= 0
        assert np.array_equal(deciding, tree.infoset >= 0)
        assert np.array_equal(tree.player[tree.infoset[deciding]], tree.actor[deciding])
        assert set(tree.infoset[deciding]) == set(range(len(tree.infosets)))
        for node in np.flatnonzero(deciding):
            below = slice(tree.first_child[node], tree.first_child[node] + tree.children[node])
            assert tree.move[below].tolist() == np.flatnonzero(tree.legal[tree.infoset[node]]).tolist()
        assert tree.legal.any(0).all(), "a column that no information set uses"
        assert (np.diff(tree.player) >= 0).all()

    def test_payoffs_are_weighted_by_chance_and_sequences_are_the_last_moves(self, tree_of, name):
        tree = tree_of(name)
        for number, terminal in enumerate(tree.terminal):
            reach, last, node = 1.0, [-1] * tree.players, terminal
            while node > 0:
                above = tree.parent[node]
                reach *= tree.chance[node]
                who, row = tree.actor[above], tree.infoset[above]
                if who >= 0:
                    sequence = row * len(tree.actions) + tree.move[node]
                    last[who] = sequence if last[who] == -1 else last[who]
                node = above
            assert tree.last_sequence[number].tolist() == last
            assert tree.weighted_payoff[number] == pytest.approx(reach * tree.payoff[terminal], abs=1e-15)

    def test_parent_sequences_are_the_players_own_last_moves(self, tree_of, name):
        tree = tree_of(name)
        for node in np.flatnonzero(tree.actor >= 0):
            player, above, sequence = tree.actor[node], node, -1
            while above > 0 and sequence == -1:
                below, above = above, tree.parent[above]
                if tree.actor[above] == player:
                    sequence = tree.infoset[above] * len(tree.actions) + tree.move[below]
            assert tree.parent_sequence[tree.infoset[node]] == sequence


def test_information_sets_read_as_a_sequence(tree_of):
    tree = tree_of("kuhn")
    first = tree.infosets[0]
    assert (first.player, first.label, first.moves) == (0, "J", ("call", "raise"))
    assert [seen.label for seen in tree.infosets[:3]] == [tree.infosets[row].label for row in range(3)]
    assert list(tree.infosets)[-1] == tree.infosets[-1] == tree.infosets[11]
    with pytest.raises(IndexError):
        tree.infosets[12]
    assert repr(tree) == "Tree('kuhn', 58 nodes, 12 information sets)"


@pytest.mark.parametrize("name", ["kuhn", "leduc_thesis", "leduc_no_limit(free_folds=True)", "open_spiel:kuhn_poker"])
def test_information_sets_keep_what_the_rules_say_of_them(tree_of, name):
    """Views, labels and the words for moves, in whichever state of an information set they are asked for."""
    game, tree = feint.load_game(name), tree_of(name)
    rows = {key: row for row, key in enumerate(zip(tree.player.tolist(), tree.views, strict=True))}
    states = [game.start()]
    for state in states:
        actor = game.actor(state)
        if actor == feint.CHANCE:
            states += [after for _, after in game.chance(state)]
        elif actor != feint.TERMINAL:
            row = rows[actor, game.view(state, actor)]
            words = {game.actions[move]: game.spoken(state, move) for move in game.legal(state)}
            assert tree.spoken[row] == tuple(words.get(action, "") for action in tree.actions)
            assert tree.labels[row] == game.label(state, actor)
            states += [game.play(state, move) for move in game.legal(state)]
    assert len(states) == tree.nodes


class Tiny(feint.Game):
    """Two coin calls by one player against a bystander; subclasses break one rule each."""

    name, players, actions = "tiny", 2, ("heads", "tails", "never")

    def start(self):
        return ()

    def actor(self, state):
        return 0 if len(state) < 2 else feint.TERMINAL

    def legal(self, state):
        return [0, 1]

    def chance(self, state):
        return []

    def play(self, state, action):
        return (*state, action)

    def view(self, state, player):
        return state

    def payoffs(self, state):
        return [float(sum(state)), -float(sum(state))]


class Forgetful(Tiny):
    def view(self, state, player):
        return len(state)


class Fickle(Tiny):
    """Chance picks the menu, and the player cannot see which."""

    def actor(self, state):
        return feint.CHANCE if not state else super().actor(state)

    def chance(self, state):
        return [(0.5, (0,)), (0.5, (1,))]

    def legal(self, state):
        return [0, 1] if state[0] else [0]

    def view(self, state, player):
        return state[1:]


class Lossy(Fickle):
    def chance(self, state):
        return [(0.5, (0,)), (0.4, (1,))]


class Minus(Fickle):
    def chance(self, state):
        return [(1.5, (0,)), (-0.5, (1,))]


class NoNumber(Fickle):
    def chance(self, state):
        return [(float("nan"), (0,)), (0.5, (1,))]


class Endless(Tiny):
    def payoffs(self, state):
        return [float("inf"), 0.0]


class OneNumber(Tiny):
    def payoffs(self, state):
        return 1.0


class Slip(Tiny):
    def payoffs(self, state):
        return [1 / 0]


class Twice(Tiny):
    def legal(self, state):
        return [0, 0, 1]


class Beyond(Tiny):
    def legal(self, state):
        return [0, 3]


class Third(Tiny):
    def actor(self, state):
        return 2


class Alike(Tiny):
    actions = ("heads", "heads", "never")


class Nobody(Tiny):
    players = "two"


def test_a_bystander_and_a_move_that_is_never_legal_are_no_trouble():
    tree = feint.unroll(Tiny())
    assert tree.actions == ("heads", "tails")
    assert len(tree.infosets) == 3
    assert feint.expected_values(tree, tree.uniform()).tolist() == [1.0, -1.0]
    assert feint.best_response(tree, tree.uniform(), 0).value == 2.0
    assert feint.nash_conv(tree, tree.uniform()) == 1.0


@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        (
            Forgetful(),
            r"^tiny lets player 1 forget: the view '1' follows .*; Feint needs perfect recall",
        ),
        (Fickle(), r"^tiny offers player 1 different moves in states with one view, '\(\)'; give the states different"),
        (Minus(), r"^tiny has a chance move with a probability below 0; give none below\.$"),
        (NoNumber(), r"^tiny has a chance move whose probabilities sum to nan, not 1\.$"),
        (Endless(), r"^tiny pays \(inf, 0\.0\); give numbers\.$"),
        (OneNumber(), r"^tiny cannot be unrolled \(TypeError: 'float' object is not iterable\); mend its rules\.$"),
        (Slip(), r"^tiny cannot be unrolled \(ZeroDivisionError: .*, line \d+\); mend its rules\.$"),
        (
            Twice(),
            r"^tiny offers player 1 the moves \[0, 0, 1\]; give numbers of its 3 actions, each once and in order",
        ),
        (Beyond(), r"^tiny offers player 1 the moves \[0, 3\]; give"),
        (Third(), r"^tiny gives 2 as the player to move; give one of 0 to 1, CHANCE or TERMINAL\.$"),
        (Alike(), r"^tiny has \('heads', 'heads', 'never'\) for its actions; give their names, no two alike\.$"),
        (Nobody(), r"^tiny has 'two' for its players; give how many there are\.$"),
        (Lossy(), r"^tiny has a chance move whose probabilities sum to 0\.9, not 1\.$"),
        ("open_spiel:dark_hex_ir(num_rows=2,num_cols=2)", r"lets player 2 forget: .* Feint needs perfect recall"),
    ],
)
def test_refused_rules(game, sentence):
    with pytest.raises(feint.BadInput, match=sentence):
        feint.unroll(game, cache=False)


def test_node_limit_is_named_with_what_to_do():
    assert feint.unroll("kuhn", limit=58, cache=False).nodes == 58
    with pytest.raises(feint.BadInput, match=r"^kuhn has more than 57 nodes, .*choose a smaller game, or .*limit="):
        feint.unroll("kuhn", limit=57, cache=False)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda table: table[:-1], r"shape \(12, 3\).*but one of shape \(11, 3\) was given\.$"),
        (lambda table: table.ravel(), r"but one of shape \(36,\) was given\.$"),
        (lambda table: with_cell(table, -0.1), "negative or missing"),
        (lambda table: with_cell(table, np.nan), "negative or missing"),
        (lambda table: with_cell(table, np.inf), "negative or missing"),
        (
            lambda table: with_cell(table, 0.6),
            r"row 3 \('Q: check bet'\) must sum to 1 over its legal moves \['fold', 'call'\], but it is \[0\.6, ",
        ),
        (lambda table: np.eye(3)[[2] * 12], r"must sum to 1 over its legal moves"),
    ],
)
def test_tabulate_refuses_broken_tables(tree_of, change, sentence):
    tree = tree_of("kuhn")
    with pytest.raises(feint.BadInput, match=sentence):
        tabulate(tree, change(tree.uniform()))


def with_cell(table, value):
    """The table with another value at a legal move: folding a queen to a bet."""
    changed = table.copy()
    changed[3, 0] = value
    return changed


def test_tabulate_takes_lists_and_forgives_rounding(tree_of):
    tree = tree_of("kuhn")
    table = random_table(tree, 0)
    assert tabulate(tree, table.tolist()) == pytest.approx(table)
    assert tabulate(tree, table * (1 + 1e-8)).sum(1) == pytest.approx(1.0, abs=1e-15)
    assert tabulate(tree, table.astype(np.float32)).dtype == np.float64


def test_a_strategy_is_refused_for_another_game(tree_of, solved):
    strategy = solved("kuhn", "cfr", 10)
    assert feint.nash_conv(tree_of("kuhn"), strategy) > 0
    with pytest.raises(feint.BadInput, match=r"^This strategy is for another game than leduc .*; unroll the game"):
        feint.nash_conv(tree_of("leduc"), strategy)
    with pytest.raises(feint.BadInput, match=r"^kuhn has players 0 to 1, but player 2 was asked for\.$"):
        feint.best_response(tree_of("kuhn"), strategy, 2)


def test_a_game_for_one_is_solved_too():
    """A single player against chance: the best response is the optimum."""

    class Solitaire(feint.Game):
        name, players, actions = "solitaire", 1, ("stand", "draw")

        def start(self):
            return ()

        def actor(self, state):
            return {0: 0, 1: feint.CHANCE}.get(len(state), feint.TERMINAL) if state != (0,) else feint.TERMINAL

        def legal(self, state):
            return [0, 1]

        def chance(self, state):
            return [(0.25, (*state, 0)), (0.75, (*state, 1))]

        def play(self, state, action):
            return (*state, action)

        def view(self, state, player):
            return state

        def payoffs(self, state):
            return [0.5] if state == (0,) else [float(state[1])]

    tree = feint.unroll(Solitaire())
    assert feint.expected_values(tree, tree.uniform()) == pytest.approx([0.625])
    assert feint.best_response(tree, tree.uniform(), 0).value == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"payoffs": lambda self, state: [0.0]}, "has 2 players but pays 1"),
        ({"legal": lambda self, state: []}, "no legal move"),
        ({"actor": lambda self, state: feint.TERMINAL}, "has no decisions"),
    ],
)
def test_broken_rules_are_refused_in_a_sentence(change, sentence):
    class Pennies(feint.Game):
        name, players, actions = "pennies", 2, ("heads", "tails")
        start = lambda self: ()  # noqa: E731
        actor = lambda self, state: len(state) if len(state) < 2 else feint.TERMINAL  # noqa: E731
        legal = lambda self, state: [0, 1]  # noqa: E731
        chance = lambda self, state: []  # noqa: E731
        play = lambda self, state, action: (*state, action)  # noqa: E731
        view = lambda self, state, player: state[player : player + 1]  # noqa: E731
        payoffs = lambda self, state: [0.0, 0.0]  # noqa: E731

    assert feint.unroll(Pennies()).nodes == 7
    with pytest.raises(feint.BadInput, match=sentence):
        feint.unroll(type("Broken", (Pennies,), change)())


def test_judges_refuse_what_is_no_table():
    tree = feint.unroll("kuhn")
    for nonsense in ("x", [[1.0], [1.0, 2.0]], None):
        with pytest.raises(feint.BadInput, match=r"\.$"):
            feint.nash_conv(tree, nonsense)
