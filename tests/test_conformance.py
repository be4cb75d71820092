"""What every game and every algorithm must do. A new one is tested by being there."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools

import equinox as eqx
import jax
import numpy as np
import pytest

import feint
from conftest import UNROLLABLE, algorithm_on
from feint.games.library import library
from feint.runs.config import algorithms

GAMES = [
    *UNROLLABLE,
    "kuhn(players=3)",
    "leduc(suits=True)",
    "leduc_no_limit(free_folds=True)",
    "matrix(payoffs=[[1,2,3],[6,5,4]],columns=[[0,1,0],[2,0,1]])",
    "open_spiel:kuhn_poker",
    "open_spiel:turn_based_simultaneous_game(game=goofspiel(num_cards=3,imp_info=True))",
]
# Exact methods; methods that learn from play promise less and are tested by themselves.
SOLVERS = {
    name: method for name, method in algorithms().items() if type(method.config).__module__.startswith("feint.solvers.")
}
TWO_PLAYERS_ONLY = {"linear-program", "fictitious-play"}


def states_of(game, limit=3000):
    """The game's states breadth-first, up to a limit; dealing comes first, so late rounds are among them."""
    states = [game.start()]
    for state in states:
        yield state
        actor = game.actor(state)
        if len(states) < limit and actor == feint.CHANCE:
            states += [after for _, after in game.chance(state)]
        elif len(states) < limit and actor >= 0:
            states += [game.play(state, move) for move in game.legal(state)]


@pytest.mark.parametrize("name", GAMES)
def test_rules(name):
    game = feint.load_game(name)
    met = set()
    for state in states_of(game):
        before, actor = repr(state), game.actor(state)
        met.add(actor)
        if actor == feint.TERMINAL:
            assert len(list(game.payoffs(state))) == game.players
            assert np.isfinite(game.payoffs(state)).all()
        elif actor == feint.CHANCE:
            chances = [chance for chance, _ in game.chance(state)]
            assert min(chances) > 0
            assert sum(chances) == pytest.approx(1.0, abs=1e-12)
        else:
            assert 0 <= actor < game.players
            moves = list(game.legal(state))
            assert moves
            assert moves == sorted(set(moves))
            assert set(moves) <= set(range(len(game.actions)))
            assert all(isinstance(hash(game.view(state, player)), int) for player in range(game.players))
            assert game.label(state, actor)
            for move in moves:
                game.play(state, move)
            for move in {-1, *range(len(game.actions) + 1)} - set(moves):
                with pytest.raises(feint.IllegalMove, match=rf"^Move {move} is not legal .*\.$"):
                    game.play(state, move)
        assert repr(state) == before, "a question or a move changed the state it was put to"
    assert met >= {feint.TERMINAL, *range(game.players)}


@pytest.mark.parametrize("name", GAMES)
def test_tree(name):
    game = feint.load_game(name)
    tree = feint.unroll(game, cache=False)
    assert tree.fingerprint == feint.unroll(game, cache=False).fingerprint
    assert tree.fingerprint == feint.unroll(feint.load_game(game.name), cache=False).fingerprint
    assert tree.name == game.name
    for player in range(game.players):
        labels = [seen.label for seen in tree.infosets if seen.player == player]
        assert len(set(labels)) == len(labels)
    assert set(tree.actions) <= set(game.actions)
    assert len(tree.features) == len(tree.infosets)
    assert np.isfinite(tree.features).all()


@pytest.mark.parametrize("name", sorted(set(library()) - set(UNROLLABLE)))
def test_games_too_large_for_a_tree_say_so_at_once(name):
    with pytest.raises(feint.BadInput, match=rf"^{name} has more than 3,000,000 nodes, the limit for unrolling; .*\.$"):
        feint.unroll(name)


def test_trees_of_different_games_have_different_fingerprints(tree_of):
    prints = [tree_of(name).fingerprint for name in GAMES if name != "matrix"]
    assert len(set(prints)) == len(prints)


def test_a_game_says_what_it_is():
    for name, make in library().items():
        assert inspect.getdoc(make), f"{name} has no documentation"
        for parameter in inspect.signature(make).parameters.values():
            assert parameter.default is not parameter.empty, f"{name} cannot be made without {parameter.name}"
            assert f"\n{parameter.name}: " in inspect.getdoc(make), f"{name} does not explain {parameter.name}"


def game_for(algorithm: str) -> str:
    return "rock_paper_scissors" if algorithm == "fictitious-play" else "kuhn"


def check_table(tree, table):
    assert table.shape == tree.legal.shape
    assert table.sum(1) == pytest.approx(1.0, abs=1e-9)
    assert table.min() >= 0
    assert not table[~tree.legal].any()


def assert_same(left, right):
    """Two states hold the same arrays, bit for bit."""
    assert jax.tree.structure(left) == jax.tree.structure(right)
    for one, other in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        assert np.array_equal(one, other)


@eqx.filter_jit
def scanned(algorithm, state, steps=5):
    return jax.lax.scan(lambda now, _: algorithm.step(now), state, length=steps)


@pytest.mark.parametrize("name", SOLVERS)
def test_algorithm(tree_of, name):
    """Init, step and strategy, compiled, scanned, saved, restored and for many seeds at once."""
    tree = tree_of(game_for(name))
    algorithm = algorithm_on(tree, name)
    start = algorithm.init(jax.random.key(0))
    check_table(tree, algorithm.strategy(start).table(tree))

    step = eqx.filter_jit(algorithm.step)
    states = [start]
    for _ in range(5):
        after, metrics = step(states[-1])
        assert jax.tree.structure(after) == jax.tree.structure(start)
        assert all(np.ndim(number) == 0 for number in metrics.values())
        states.append(after)
    table = algorithm.strategy(states[-1]).table(tree)
    check_table(tree, table)

    final, _ = scanned(algorithm, start)
    assert algorithm.strategy(final).table(tree) == pytest.approx(table, abs=1e-9)

    saved = [(leaf.dtype, leaf.shape, np.asarray(leaf).tobytes()) for leaf in jax.tree.leaves(states[3])]
    leaves = [np.frombuffer(data, dtype).reshape(shape) for dtype, shape, data in saved]
    restored = jax.tree.unflatten(jax.tree.structure(start), leaves)
    assert_same(step(step(restored)[0])[0], states[5])

    keys = jax.random.split(jax.random.key(0), 3)
    seeds = jax.vmap(lambda key: scanned(algorithm, algorithm.init(key))[0])(keys)
    for number, key in enumerate(keys):
        one = jax.tree.map(lambda leaf, at=number: leaf[at], seeds)
        alone, _ = scanned(algorithm, algorithm.init(key))
        check_table(tree, algorithm.strategy(one).table(tree))
        assert algorithm.strategy(one).table(tree) == pytest.approx(algorithm.strategy(alone).table(tree), abs=1e-9)


@pytest.mark.parametrize("name", [name for name, method in SOLVERS.items() if hasattr(method.config, "alternating")])
def test_simultaneous_updates(tree_of, name):
    """They give a sound strategy, and another one than updates in turn."""
    tree = tree_of(game_for(name))
    tables = []
    for alternating in (True, False):
        algorithm = algorithm_on(tree, name, alternating=alternating)
        state, _ = scanned(algorithm, algorithm.init(jax.random.key(0)))
        tables.append(algorithm.strategy(state).table(tree))
        check_table(tree, tables[-1])
    assert not np.allclose(*tables)


@pytest.mark.parametrize("name", sorted(set(SOLVERS) - TWO_PLAYERS_ONLY))
def test_three_players(tree_of, name):
    tree = tree_of("kuhn(players=3)")
    algorithm = algorithm_on(tree, name)
    state, _ = scanned(algorithm, algorithm.init(jax.random.key(0)), 50)
    table = algorithm.strategy(state).table(tree)
    check_table(tree, table)
    # No promise for three players, but on Kuhn poker all of these do far better than chance.
    assert feint.nash_conv(tree, table) < 0.5 * feint.nash_conv(tree, tree.uniform())


@pytest.mark.parametrize("name", sorted(TWO_PLAYERS_ONLY))
def test_refusals(tree_of, name):
    with pytest.raises(feint.BadInput, match=rf"^{name} .*kuhn\(players=3\) has .*; use .*\.$"):
        algorithm_on(tree_of("kuhn(players=3)"), name)


def test_linear_programme_refuses_games_that_are_not_zero_sum(tree_of):
    tree = tree_of("matrix(payoffs=[[1,2,3],[6,5,4]],columns=[[0,1,0],[2,0,1]])")
    with pytest.raises(feint.BadInput, match="is not zero-sum; use "):
        algorithm_on(tree, "linear-program")


@pytest.mark.parametrize("name", algorithms())
def test_config(name):
    """Frozen, with a default and a line of documentation for every field."""
    method = algorithms()[name]
    kind = type(method.config)
    assert method.about.endswith(".")
    assert kind() == kind()
    assert kind.__dataclass_params__.frozen
    (body,) = [node.body for node in ast.walk(ast.parse(inspect.getsource(kind))) if isinstance(node, ast.ClassDef)]
    documented = {
        field.target.id
        for field, text in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }
    assert documented == {field.name for field in dataclasses.fields(kind)}
