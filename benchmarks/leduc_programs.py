"""Programs of no-limit Leduc against each other: python benchmarks/leduc_programs.py docs/results/deepstack_leduc.

Those of `feint reproduce deepstack-leduc` that need none of the paper's networks, judged and matched exactly. Numbers
that the folder's numbers.jsonl does not have yet are found and noted, and its figures and its page are made again. Runs
are kept in --runs, or thrown away.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from feint.papers.deepstack_leduc import NUMBERS, OURS, write_report
from feint.papers.deepstack_networks import Size
from feint.papers.deepstack_programs import (
    GENERATIONS,
    deepstack,
    evolved,
    note_programs,
    our_guesses,
    players,
    solved,
)
from feint.papers.records import Records
from feint.report.live import LiveLine
from feint.search.deepstack import Searching

ITERATIONS = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=Path)
    parser.add_argument("--generations", type=int, default=GENERATIONS, help="of evolved networks")
    asked = parser.parse_args()
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
    note_programs(strategies, Records(asked.out / NUMBERS).note)
    print(write_report(asked.out, Size(), quick=False))


if __name__ == "__main__":
    main()
