"""How exploitable players are who consider few bet sizes: python benchmarks/bet_sets.py docs/results/deepstack_leduc.

That part of `feint reproduce deepstack-leduc` by itself, which needs no network: the numbers that the folder's
numbers.jsonl does not have yet are found and noted, each as soon as it is known, the picture is drawn, and the section
of the page is printed. Nearly all of the time is compiling: XLA_FLAGS=--xla_backend_optimization_level=0 shortens it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from feint.papers.deepstack_bets import bet_sets, bets_section, draw_bets
from feint.papers.deepstack_leduc import NUMBERS
from feint.papers.records import Records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    records = Records(out / NUMBERS)

    def note(words: str, find: Callable[[], Any]) -> Any:
        found = records.note(words, find)
        print(f"{words}: {found:.4g}", file=sys.stderr, flush=True)
        return found

    scores = bet_sets(note)
    draw_bets(scores, out / "bets.png")
    print(bets_section(scores))


if __name__ == "__main__":
    main()
