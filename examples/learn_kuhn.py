"""Let two seats learn Kuhn poker from nothing but play, and ask what they do: python examples/learn_kuhn.py

Neural fictitious self-play knows no rules: it plays, remembers, and fits networks to what it remembers. Theory lets the
first player bet the jack, which cannot win a showdown, with any chance up to 1/3, and the king three times as often.
"""

import feint


def main(steps: int = 3000) -> None:
    # Every step plays one move at each of many tables and updates the networks. Compiling takes some seconds first.
    run = feint.train("nfsp", "kuhn", steps=steps)
    print(run)

    tree = feint.unroll("kuhn")
    table = run.strategy.table(tree)  # a row for each information set, a column for each move
    wins = feint.move_values(tree, run.strategy)  # the same for what a move wins against it, in chips
    raises = tree.actions.index("raise")  # a bet is a raise of nothing
    for card in "JQK":
        spot = [seen.label for seen in tree.infosets if seen.player == 0].index(card)
        print(f"The first player, holding {card}, bets {table[spot, raises]:.0%} of the time,", end=" ")
        print(f"which wins {wins[spot, raises]:+.2f} chips against such players.")

    leaks = feint.deviations(tree, run.strategy).share
    worst = int(leaks.argmax())
    print(f"It gives most away at {tree.infosets[worst].label!r}: {leaks[worst]:.0%} of its exploitability.")


if __name__ == "__main__":
    main()
