"""What moves are worth where opponents hardly ever come: by fractions, since nothing is too rare for those."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest

import feint
from conftest import RandomGame, algorithm_on, random_game, reached
from feint.forms.strategy import tabulate
from feint.tree.best_response import judge_of

RAREST = 15
"""Moves come with probabilities down to 10 to the power of minus this, several of them after each other."""


def rare_table(tree, rng):
    """A strategy whose moves come often, rarely and hardly ever, in any mixture."""
    weights = np.array([[10.0 ** -rng.choice((0, 0, 1, rng.uniform(0, RAREST))) for _ in row] for row in tree.legal])
    weights *= tree.legal
    return weights / weights.sum(1, keepdims=True)


class Exact:
    """What each move is worth to one player, by fractions and straight from the rules."""

    def __init__(self, game, tree, table, player):
        self.game, self.player = game, player
        self._rows = {key: row for row, key in enumerate(zip(tree.player.tolist(), tree.views, strict=True))}
        self._table = [[Fraction(chance) for chance in row] for row in table.tolist()]
        self._columns = {name: column for column, name in enumerate(tree.actions)}
        self.weight, self.worth = {}, {}
        """By row of a table, how often the others come there; and by row and column, what the move is then worth."""
        self._best(self._gathered([(game.start(), Fraction(1))])[1])

    def _gathered(self, states):
        """What states are worth before the player's next decision, and all that they may next decide in, by row."""
        game, total, ahead, states = self.game, Fraction(0), {}, list(states)
        while states:
            state, reach = states.pop()
            actor = game.actor(state)
            if actor == feint.TERMINAL:
                total += reach * Fraction(game.payoffs(state)[self.player])
            elif actor == self.player:
                ahead.setdefault(self._rows[actor, game.view(state, actor)], []).append((state, reach))
            elif actor == feint.CHANCE:
                chances = [Fraction(chance) for chance, _ in game.chance(state)]
                states += [
                    (after, reach * chance / sum(chances))
                    for chance, (_, after) in zip(chances, game.chance(state), strict=True)
                ]
            else:
                row = self._table[self._rows[actor, game.view(state, actor)]]
                states += [
                    (game.play(state, move), reach * row[self._columns[game.actions[move]]])
                    for move in game.legal(state)
                ]
        return total, ahead

    def _best(self, ahead):
        """What the player wins from here on, played as well as can be."""
        total = Fraction(0)
        for row, states in ahead.items():
            found = []
            for move in self.game.legal(states[0][0]):
                direct, further = self._gathered((self.game.play(state, move), reach) for state, reach in states)
                found.append(direct + self._best(further))
                self.worth[row, self._columns[self.game.actions[move]]] = found[-1]
            self.weight[row] = sum(reach for _, reach in states)
            total += max(found)
        return total


def check(game, rng):
    """Move values and best responses are the best there are wherever the others can come, however rarely."""
    tree = feint.unroll(game)
    table = tabulate(tree, rare_table(tree, rng))
    values, responses = feint.move_values(tree, table), np.asarray(judge_of(tree).judged(table).responses)
    for player in range(game.players):
        exact = Exact(game, tree, table, player)
        for (row, column), worth in exact.worth.items():
            if exact.weight[row] > 0:
                assert values[row, column] == pytest.approx(float(worth / exact.weight[row]), abs=1e-9)
        for row, weight in exact.weight.items():
            worths = {column: worth for (other, column), worth in exact.worth.items() if other == row}
            if weight > 0:
                lost = max(worths.values()) - worths[int(responses[row].argmax())]
                assert float(lost / weight) < 1e-9
    return len(tree.player)


@pytest.mark.parametrize("seed", [6, 17])
def test_moves_are_worth_what_they_win_however_rare(seed):
    rng = Random(seed)
    assert check(random_game(rng, 4, 2 + seed % 2), rng)


@pytest.mark.slow
def test_moves_of_many_games_are_worth_what_they_win():
    for seed in range(200):
        rng = Random(1000 + seed)
        assert check(random_game(rng, rng.randint(3, 5), rng.choice((2, 2, 3))), rng)


def test_a_call_is_worth_its_eight_chips_after_a_bet_that_never_comes():
    """The first player bets with probability 1e-13; the second folds for 0 or calls for 8."""

    class Bet(feint.Game):
        name, players, actions = "bet", 2, ("check", "bet", "fold", "call")

        def start(self):
            return ()

        def actor(self, state):
            return feint.TERMINAL if state == (0,) or len(state) == 2 else len(state)

        def legal(self, state):
            return [2, 3] if state else [0, 1]

        def chance(self, state):
            return []

        def play(self, state, action):
            return (*state, action)

        def view(self, state, player):
            return state

        def payoffs(self, state):
            won = 8.0 if state == (1, 3) else 0.0
            return [-won, won]

    tree = feint.unroll(Bet())
    for rare in (1e-11, 1e-13, 1e-100):
        table = np.array([[1 - rare, rare, 0, 0], [0, 0, 0.5, 0.5]])
        assert feint.move_values(tree, table)[1, 2:].tolist() == [0.0, 8.0]
        assert feint.best_response(tree, table, 1).strategy.table(tree)[1, 3] == 1.0
        assert feint.deviations(tree, table).best_move[1] == 3


class Scaled(RandomGame):
    """A random game for smaller stakes."""

    def payoffs(self, state):
        return tuple(math.ldexp(payoff, -50) for payoff in super().payoffs(state))


def test_a_game_for_smaller_stakes_is_the_same_game():
    """To the bit, for stakes of a power of 2."""
    rng = Random(3)
    game = random_game(rng, 4, 2)
    tables = []
    for rules in (game, Scaled(game.root, game.players)):
        tree = feint.unroll(rules)
        solver = algorithm_on(tree, "xfp")
        tables.append(solver.strategy(reached(solver, 200)).table(tree))
    assert np.array_equal(*tables)
    assert not np.array_equal(tables[0], feint.unroll(game).uniform())
