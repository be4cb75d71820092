"""Write the rules of a game, have them checked, and solve it: python examples/own_game.py"""

import feint
from feint.testing import check_game


class Bluff(feint.Game):
    """Both players put one chip in. A coin is tossed, and only the first player sees it.

    They may pass: heads win the pot, tails lose it. Or they bet a chip that it is heads, and the second player folds,
    or calls and sees the coin. With tails a bet is a bluff; how often should one bluff, and how often call?
    """

    # A state is what has happened so far, such as ("tails", "bet", "call"): a tuple, so that nobody can change it.
    name, players, actions = "bluff", 2, ("pass", "bet", "fold", "call")

    def start(self):
        return ()

    def actor(self, state):  # chance, the first player, and the second unless the first has passed
        over = len(state) == 3 or state[1:] == ("pass",)
        return feint.TERMINAL if over else (feint.CHANCE, 0, 1)[len(state)]

    def chance(self, state):
        return [(0.5, ("heads",)), (0.5, ("tails",))]

    def legal(self, state):  # moves are places in `actions`
        return [0, 1] if len(state) == 1 else [2, 3]

    def play(self, state, action):
        if action not in self.legal(state):
            raise feint.IllegalMove(f"Move {action} is not legal after {state}.")
        return (*state, self.actions[action])

    def view(self, state, player):  # the first player knows all of it, the second all but the coin
        return state if player == 0 else state[1:]

    def payoffs(self, state):
        chips = 2 if state[-1] == "call" else 1
        won = chips if state[0] == "heads" or state[-1] == "fold" else -chips
        return [won, -won]


def main(steps: int = 10_000) -> None:
    game = Bluff()
    print(check_game(game))  # what is wrong with the rules, in a sentence, if anything is
    tree = feint.unroll(game)
    run = feint.train("cfr+", game, steps=steps)
    print(f"A perfect opponent wins {feint.exploitability(tree, run.strategy):.6f} chips a hand off it.")
    for spot, legal, chances in zip(tree.infosets, tree.legal, run.strategy.table(tree), strict=True):
        moves = dict(zip(spot.moves, chances[legal].round(3).tolist(), strict=True))
        print(f"player {spot.player + 1} at {spot.label}: {moves}")
    # Theory says: bluff with a third of the tails, call two bets out of three.


if __name__ == "__main__":
    main()
