"""What every game and every algorithm must do. A new one is tested by being there."""

from __future__ import annotations

import dataclasses
import inspect

import equinox as eqx
import jax
import numpy as np
import pytest

import feint
from conftest import UNROLLABLE, algorithm_on, few
from feint.games.library import library
from feint.runs.config import algorithms, explained, flat
from feint.search.deepstack import Searching
from feint.testing import check_algorithm, check_game

GAMES = [
    *UNROLLABLE,
    "kuhn(players=3)",
    "leduc(suits=True)",
    "leduc_no_limit(free_folds=True)",
    "matrix(payoffs=[[1,2,3],[6,5,4]],columns=[[0,1,0],[2,0,1]])",
    "open_spiel:kuhn_poker",
    "open_spiel:turn_based_simultaneous_game(game=goofspiel(num_cards=3,imp_info=True))",
]
# Exact methods; what methods that learn from play come to is tested by itself.
SOLVERS = {
    name: method for name, method in algorithms().items() if type(method.config).__module__.startswith("feint.solvers.")
}
# Their parts are those of nfsp, or have tests of their own.
SLOW = ("rnfsp", "dqn", "drqn", "fsp", "linear-q", "elite-play", "evolved", "deepstack")
SLOW_TO_COMPILE = dict.fromkeys(SLOW, pytest.mark.slow)
TWO_PLAYERS_ONLY = {"linear-program", "fictitious-play"}


# Five cards at once have 1.7 million ways to fall.
TOO_LARGE = sorted((set(library()) - set(UNROLLABLE) - {"river_holdem"}) | {"river_holdem(ranks=4)"})


@pytest.mark.parametrize("name", few(*GAMES, *TOO_LARGE, fast=(*GAMES, "holdem", "holdem_no_limit")))
def test_rules(name):
    game = feint.load_game(name)
    found = check_game(game)
    assert (found.name, found.players) == (game.name, game.players)
    # Refusals are sentences here.
    with pytest.raises(feint.IllegalMove, match=rf"^Move {len(game.actions)} is not legal .*\.$"):
        game.play(first_decision(game), len(game.actions))


def first_decision(game):
    state = game.start()
    while game.actor(state) == feint.CHANCE:
        state = game.chance(state)[0][1]
    return state


@pytest.mark.parametrize("name", GAMES)
def test_tree(name):
    game = feint.load_game(name)
    tree = feint.unroll(game, cache=False)
    assert tree.fingerprint == feint.unroll(game, cache=False).fingerprint
    assert tree.fingerprint == feint.unroll(feint.load_game(game.name), cache=False).fingerprint
    assert tree.name == game.name
    assert set(tree.player) == set(range(game.players))
    for player in range(game.players):  # all of them: `check_game` sees some
        mine = np.flatnonzero(tree.player == player)
        for told in (tree.labels, tree.views):
            assert len({told[row] for row in mine}) == len(mine)
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
    return {"fictitious-play": "rock_paper_scissors", "deepstack": "leduc"}.get(algorithm, "kuhn")


def check_table(tree, table):
    assert table.shape == tree.legal.shape
    assert table.sum(1) == pytest.approx(1.0, abs=1e-9)
    assert table.min() >= 0
    assert not table[~tree.legal].any()


@eqx.filter_jit
def scanned(algorithm, state, steps=5):
    return jax.lax.scan(lambda now, _: algorithm.step(now), state, length=steps)


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW_TO_COMPILE.get(name, ())) for name in algorithms()])
def test_algorithm(tree_of, name):
    config = algorithms()[name].config
    few = {"tables": 256, "lines": 8, "search": Searching("dcfr", 5)}
    fewer = {key: value for key, value in few.items() if hasattr(config, key)}
    check_algorithm(dataclasses.replace(config, **fewer), game_for(name))


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
    said = explained(method.config)
    assert list(said) == list(flat(dataclasses.asdict(method.config)))
    assert all(sentence.endswith(".") for sentence in said.values())
