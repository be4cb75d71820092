"""The exploitation by frequencies of which the paper on Kuhn poker speaks, as a player: after how many hands it wins
what can be won, from records of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from feint.evaluate.interval import reach
from feint.papers.records import rows_in
from feint.papers.trials import table

RECORDS = Path("../../../benchmarks/results/modeller.jsonl")
"""From the folder of the reproduction in the repository: what benchmarks/modeller.py prints."""
TITLE = "## Counting what an opponent does"
KINDS = {"model=counts": "counts", "": "a network"}
"""The opponent modeller's settings by what it keeps of its opponent."""
SHOWN = (100, 1000, 10_000, 100_000)
"""Hands seen."""
ALL = 0.99
"""The share of what can be won that counts as all of it."""


def counter_section(folder: Path) -> str:
    """The section of the page; where there are no records beside the folder, what makes them."""
    mine = [
        line
        for line in rows_in(folder / RECORDS)
        if (line["what"], line["game"]) == ("won", "kuhn") and line["kind"] in KINDS
    ]
    if not mine:
        return f"{TITLE}\n\nNot here: it is told in Feint's repository, from what `benchmarks/modeller.py` records.\n\n"
    seeds = len({line["seed"] for line in mine})
    return f"""{TITLE}

§2.2 speaks of exploiting opponents by *the frequency of their actions*. The player `counter` counts how often each
move was made with each card, cards that were not shown as likely as the counts have them, and plays a best response to
that; while it learns one move in twenty is random. Frozen after so many hands it is judged exactly; beside it the same
with a network in place of counts (`modeller`). Means of {seeds} seeds with 95% intervals (Student's), chips per hand;
`cfr 10` is CFR's average after 10 iterations. *All of it* is {ALL:.0%} of the most that can be won, by every seed and
from then on.
[The page on opponent modellers](../../../benchmarks/results/modeller.md) has the rest, and the commands.

{counted(mine)}

"""


def counted(lines: Sequence[Mapping[str, Any]]) -> str:
    """A row for each opponent and way of keeping what it does."""
    rows = []
    for opponent in dict.fromkeys(line["opponent"] for line in lines):
        for kind, words in KINDS.items():
            won = _by_hands([line for line in lines if (line["opponent"], line["kind"]) == (opponent, kind)])
            most = next(line["most"] for line in lines if line["opponent"] == opponent)
            after = _after(won, most)
            cells = [f"{np.mean(won[hands]):.3g} ± {spread(won[hands]):.2g}" for hands in SHOWN]
            rows.append([opponent, words, *cells, f"{most:.4g}", f"{after:,}" if after else "not by then"])
    return table(
        ["opponent", "kept are", *(f"won after {hands:,}" for hands in SHOWN), "the most", "all of it from"], rows
    )


def spread(seeds: Sequence[float]) -> float:
    """How far the interval of a mean of seeds reaches to either side."""
    return reach(float(np.std(seeds, ddof=1)) / len(seeds) ** 0.5, len(seeds))


def _by_hands(lines: Sequence[Mapping[str, Any]]) -> dict[int, list[float]]:
    """What each seed wins, by the hands seen."""
    found: dict[int, list[float]] = {}
    for line in lines:
        found.setdefault(line["hands"], []).append(line["won"])
    return dict(sorted(found.items()))


def _after(won: Mapping[int, Sequence[float]], most: float) -> int:
    """The hands from which on every seed wins all that can be won; 0 where they never do."""
    after = 0
    for hands, seeds in won.items():
        after = (after or hands) if min(seeds) >= ALL * most else 0
    return after
