"""A game with dice, a parameter and labels: feint play random --game "examples/doubling.py:Doubling(sides=6)" """

from dataclasses import dataclass

import feint


@dataclass(frozen=True)
class Doubling(feint.Game):
    """The higher of two dice wins a chip; each player sees one. The first may double; the second folds or takes."""

    sides: int = 3
    name, players, actions = "doubling", 2, ("hold", "double", "fold", "take")

    def start(self):  # nothing, then both dice, then the moves by name: (3, 1, "double", "take")
        return ()

    def actor(self, state):
        return feint.TERMINAL if "hold" in state else (feint.CHANCE, feint.CHANCE, 0, 1, feint.TERMINAL)[len(state)]

    def chance(self, state):  # every outcome with its probability
        return [(1 / self.sides, (*state, roll)) for roll in range(1, self.sides + 1)]

    def legal(self, state):
        return [0, 1] if len(state) == 2 else [2, 3]

    def play(self, state, action):
        if action not in self.legal(state):
            raise feint.IllegalMove(f"Move {action} is not legal after {state}.")
        return (*state, self.actions[action])

    def view(self, state, player):  # one's own die, once it is rolled, and all moves
        return state[player : player + 1], state[2:]

    def label(self, state, player):  # the same in words: for tables, at the table, and to ask by
        return f"rolled {state[player]}" + (", doubled" if "double" in state else "")

    def payoffs(self, state):
        won = {"hold": 1, "take": 2}.get(state[-1], 0) * ((state[0] > state[1]) - (state[0] < state[1]))
        return (1, -1) if "fold" in state else (won, -won)
