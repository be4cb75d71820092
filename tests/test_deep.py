"""Deep games: what is looped over comes to what is written out, and takes no longer to compile the deeper it is."""

from __future__ import annotations

import time
from random import Random

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from conftest import algorithm_on, random_game, random_table, reached
from feint.tree import arrange
from feint.tree.sequence_form import without


class Chain(feint.Game):
    """Two players in turn stop, and are paid the more the later, or go on; whoever goes on last gets nothing."""

    players, actions = 2, ("stop", "go")

    def __init__(self, length):
        self.length, self.name = length, f"chain({length})"

    def start(self):
        return 0

    def actor(self, state):
        return feint.TERMINAL if not 0 <= state < self.length else state % 2

    def legal(self, state):
        return [0, 1]

    def chance(self, state):
        return []

    def play(self, state, action):
        return state + 1 if action else -state - 1

    def view(self, state, player):
        return state

    def payoffs(self, state):
        paid = float(-state) if state < 0 else 0.0
        return [paid, -paid] if state % 2 else [-paid, paid]


@eqx.filter_jit
def swept(form, table):
    """Best responses to a table, and what moves are worth beyond their information sets."""
    plans = form.plans(form.vectors(table))
    worths = [side.backup(without(player, plans)) for player, side in enumerate(form.sides)]
    pure = [side.pure(worth) for side, worth in zip(form.sides, worths, strict=True)]
    return form.table(pure), form.table([worth.advantage for worth in worths])


@pytest.mark.parametrize("game", ["kuhn", *(pytest.param(game, marks=pytest.mark.slow) for game in ("leduc", 3))])
def test_loops_come_to_the_same(monkeypatch, game):
    rules = feint.load_game(game) if isinstance(game, str) else random_game(Random(game), 5, game)
    trees = [feint.unroll(rules)]
    assert all(stretch.depths == 1 for side in trees[0].form.sides for stretch in side.stretches)
    monkeypatch.setattr(arrange, "DEEP", 0)
    monkeypatch.setattr(arrange, "STRETCHES", 1)
    trees.append(feint.unroll(rules))
    assert max(stretch.depths for side in trees[1].form.sides for stretch in side.stretches) > 1
    table, found = jnp.asarray(random_table(trees[0], 0)), []
    for tree in trees:
        solver = algorithm_on(tree, "cfr+")
        solved = solver.strategy(reached(solver, 50)).table(tree)
        found.append([solved, *swept(tree.form, table)])
    for one, other in zip(*found, strict=True):
        assert np.asarray(one) == pytest.approx(np.asarray(other), abs=1e-12)


@pytest.mark.slow
def test_ten_thousand_moves():
    """The first player stops at once, since whoever goes on is stopped by the other. Seconds, not hours."""
    began = time.process_time()
    tree = feint.unroll(Chain(10_000))
    solver = algorithm_on(tree, "cfr+")
    strategy = solver.strategy(reached(solver, 300))
    assert feint.exploitability(tree, strategy) < 0.01
    assert feint.best_response(tree, strategy, 0).value == pytest.approx(1.0)
    assert feint.move_values(tree, tree.uniform())[0].tolist() == [1.0, 0.5]
    assert time.process_time() - began < 60
