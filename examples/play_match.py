"""Play matches: what a quickly solved strategy wins off others: python examples/play_match.py

Every deal is played twice, with the seats changed in between, so that luck with the cards comes to both.
"""

import feint
from feint.evaluate.match import play_players
from feint.runs.lineup import line_up


def main(steps: int = 200, hands: int = 100_000) -> None:
    ours = feint.train("cfr+", "leduc", steps=steps)
    for opponent in ("feint:leduc", "random"):  # a run's folder, an agent, or random, call, raise, fold
        lineup = line_up((str(ours.path), opponent))
        played = play_players(lineup.form, lineup.players, hands)
        low, high = played.interval
        print(f"Against {opponent} over {played.hands:,} hands: {played.mean:+.3f} chips a hand", end=" ")
        print(f"(95% sure of {low:+.3f} to {high:+.3f}).")
    # Winning is not everything: what could a perfect opponent win?
    tree = feint.unroll("leduc")
    for name, run in {"ours": ours, "feint:leduc": feint.load_run("feint:leduc")}.items():
        print(f"{name}: exploitable for {feint.exploitability(tree, run.strategy):.4f} chips a hand.")


if __name__ == "__main__":
    main()
