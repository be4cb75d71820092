"""Monte Carlo tree search against exact exploitability: Heinrich & Silver (2015), and the future work of Poker-RNN.

How near the average of its trees comes to equilibrium in Kuhn and Leduc by simulations, with smooth UCT and without;
what the values of a Q-learner do in place of playing on at random; and what the players that simulate are worth as they
sit at a table, searching at each of their moves. Poker-RNN's §5.1 names search, and search with Q values, as next.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from feint.papers.monte_carlo_page import draw, page_of
from feint.papers.monte_carlo_trials import FULL, GAMES, QUICK, Laboratory, asked, learned
from feint.papers.records import Records, Row
from feint.runs.files import write_whole
from feint.runs.loop import Watcher

RECORDS = "searches.jsonl"
"""In the folder of the reproduction: all that was measured."""


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Measure all that `out` does not hold yet, draw the picture and write the report."""
    size, records, found = QUICK if quick else FULL, Records(out / RECORDS), list[Row]()
    for game in GAMES:
        runs = [learned(out, game, seed, size, watch(f"Q-learning on {game}, {seed}")) for seed in range(size.seeds)]
        with watch(f"searches on {game}") as watcher:
            watcher.stage("reading values")
            laboratory = Laboratory(game, runs)
            for what in asked(game, size):
                watcher.stage(said(what))
                found.append(records.row(what, lambda what=what, of=laboratory: of.find(what)))  # type: ignore[misc]
    return write_report(out, found)


def said(what: Row) -> str:
    """What is being measured."""
    values = ", with values" if what.get("values") else ""
    if what["what"] == "player":
        return f"{what['kind']} at a table, {what['simulations']:,} simulations{values}"
    return f"{what.get('kind', 'the learner itself')}{values}, seed {what['seed']}"


def write_report(out: Path, rows: list[Row]) -> Path:
    """The picture and the page, from records alone."""
    draw(rows, out / "exploitability.png")
    page = out / "README.md"
    write_whole(page, page_of(rows).encode())
    return page
