"""Race two solvers on Leduc hold'em, and draw how fast each becomes hard to beat: python examples/compare_solvers.py

Exploitability is what a perfect opponent wins per hand, in chips: 0 at an equilibrium.
"""

import feint

ALGORITHMS = ["cfr", "cfr+"]  # `feint algorithms` lists them all


def main(steps: int = 2000) -> None:
    # Each run is also a folder under runs/, with its settings, its metrics and its strategy.
    runs = [feint.train(algorithm, "leduc", steps=steps) for algorithm in ALGORITHMS]

    print("step".rjust(8), *(algorithm.rjust(10) for algorithm in ALGORITHMS))
    for rows in zip(*(run.metrics[::10] for run in runs), strict=True):  # runs are judged at the same steps
        print(f"{rows[0]['step']:8}", *(f"{row['exploitability']:10.2g}" for row in rows))

    print("The picture is", feint.compare(runs, "solvers.png"))


if __name__ == "__main__":
    main()
