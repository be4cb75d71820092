"""The rules of a game with a hidden coin: feint check examples/bluff.py:Bluff"""

import feint


class Bluff(feint.Game):
    """Both players put one chip in. A coin is tossed, and only the first player sees it.

    They may pass: heads win the pot, tails lose it. Or they bet a chip that it is heads, and the second player folds,
    or calls and sees the coin. With tails a bet is a bluff; how often should one bluff, and how often call?
    """

    name, players, actions = "bluff", 2, ("pass", "bet", "fold", "call")

    def start(self):  # a state is what has happened so far, such as ("tails", "bet", "call"): nobody can change a tuple
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
