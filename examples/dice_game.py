"""What to do at a few spots of a game with dice (doubling.py): python examples/dice_game.py"""

import feint
from doubling import Doubling


def main(steps: int = 10_000) -> None:
    game = Doubling(sides=6)
    run = feint.train("cfr+", game, steps=steps)
    print(f"A perfect opponent wins {feint.exploitability(game, run.strategy):.6f} chips a hand off it.")
    for label in ("rolled 1", "rolled 6", "rolled 3, doubled"):
        print(f"{label}: {feint.ask(run.strategy, label, game=game).moves}")


if __name__ == "__main__":
    main()
