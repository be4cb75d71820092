"""A game with dice, a parameter and labels, and what to do at a few spots: python examples/dice_game.py

To sit down at it: feint play random --game "examples/dice_game.py:Doubling(sides=6)"
"""

from dataclasses import dataclass

import feint


@dataclass(frozen=True)
class Doubling(feint.Game):
    """Two players roll a die each and see only their own; the higher one wins a chip, and equal dice win nothing.

    The first player may double the stake. Then the second folds, and loses a chip, or takes it.
    """

    sides: int = 3
    name, players, actions = "doubling", 2, ("hold", "double", "fold", "take")

    def start(self):
        return ()  # then both dice, then the moves by name: (3, 1, "double", "take")

    def actor(self, state):
        over = len(state) == 4 or state[2:] == ("hold",)
        return feint.TERMINAL if over else (feint.CHANCE, feint.CHANCE, 0, 1)[len(state)]

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
        higher = (state[0] > state[1]) - (state[0] < state[1])
        return {"hold": (higher, -higher), "fold": (1, -1), "take": (2 * higher, -2 * higher)}[state[-1]]


def main(steps: int = 10_000) -> None:
    game = Doubling(sides=6)
    run = feint.train("cfr+", game, steps=steps)
    print(f"A perfect opponent wins {feint.exploitability(game, run.strategy):.6f} chips a hand off it.")
    for label in ("rolled 1", "rolled 6", "rolled 3, doubled"):
        print(f"{label}: {feint.ask(run.strategy, label, game=game).moves}")


if __name__ == "__main__":
    main()
