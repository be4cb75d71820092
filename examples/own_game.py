"""Have the rules of a game of your own (bluff.py) checked, and solve it: python examples/own_game.py"""

import feint
from bluff import Bluff
from feint.testing import check_game


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
