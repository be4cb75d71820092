"""Programs of no-limit Leduc against each other: python benchmarks/leduc_programs.py docs/results/deepstack_leduc.

Those of `feint reproduce deepstack-leduc` that need none of the paper's networks, judged and matched exactly. Numbers
that the folder's numbers.json does not have yet are found and noted, the cross table is drawn, and the table of
exploitability is printed. Runs are kept in --runs, or thrown away.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from feint.papers.deepstack_figures import draw_cross
from feint.papers.deepstack_leduc import OURS
from feint.papers.deepstack_programs import (
    GENERATIONS,
    all_exploitable,
    cross_table,
    deepstack,
    evolved,
    our_guesses,
    players,
    solved,
)
from feint.papers.trials import Notebook
from feint.report.live import LiveLine
from feint.search.deepstack import Searching

ITERATIONS = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=Path)
    parser.add_argument("--generations", type=int, default=GENERATIONS, help="of evolved networks")
    asked = parser.parse_args()
    notebook = Notebook(asked.out / "numbers.json")

    with TemporaryDirectory() as scratch:
        runs, err = asked.runs or Path(scratch), Console(stderr=True)

        def watch(title: str) -> LiveLine:
            return LiveLine(err, title)

        strategies = {
            OURS: deepstack(our_guesses(), Searching("tool", ITERATIONS)),
            **solved(runs, watch, budgets=(ITERATIONS,)),
            **evolved(runs, asked.generations, watch),
            **players(),
        }
    exploitable, cross = all_exploitable(strategies, notebook.note), cross_table(strategies, notebook.note)
    draw_cross(cross, asked.out / "cross-more.png")
    for name, value in sorted(exploitable.items(), key=lambda each: each[1]):
        print(f"| {name} | {value:.4g} | {10 * value:.4g} |")


if __name__ == "__main__":
    main()
