"""The results of solvers.py and learners.py for people: in the terminal, and as Markdown for the README."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from racing import CHECKED

PEERS = ("OpenSpiel C++", "OpenSpiel Python", "LiteEFG")
HEADER = ("", "Game", "Feint", "compile", *PEERS)

Cells = list[tuple[str, ...]]
Sections = Sequence[tuple[str, tuple[str, ...], Callable[[dict[str, Any]], Cells]]]
Notes = Callable[[dict[str, Any]], str]


def raced(results: dict[str, Any]) -> Cells:
    """A row for each method and game that peers were timed on: operations per second, and how many times theirs."""
    return [
        (row["method"], row["game"], figure(row["rate"]["Feint"]), f"{row['facts']['compile_s']:.1f} s", *_peers(row))
        for row in sorted(results["rows"], key=_order(results))
        if row["ratio"]
    ]


def alone(results: dict[str, Any]) -> Cells:
    return [
        (row["method"], row["game"], f"{figure(1e3 / row['rate']['Feint'])} ms")
        for row in sorted(results["rows"], key=_order(results))
        if not row["ratio"]
    ]


def games(results: dict[str, Any]) -> Cells:
    return [
        (game["label"], game["ours"], game["theirs"], f"{game['nodes']:,}", f"{game['infosets']:,}")
        for game in results["games"]
    ]


def targets(results: dict[str, Any]) -> Cells:
    return [
        (t["method"], t["game"], t["peer"], f"≥ {t['least']:g}×", f"{t['ratio']:.3g}×", "met" if t["met"] else "MISSED")
        for t in results["targets"]
    ]


def notes(results: dict[str, Any]) -> str:
    apart = max(value for row in results["rows"] for value in row["nash_conv_apart"].values())
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return (
        f"Operations per second on one core ({results['processor']}), and in brackets how many times the peer's: "
        f"medians of {results['blocks']} blocks of at least {results['least_seconds_a_block']:g} s, ours and peers' "
        f"in turn. {versions}. Our iterations run in one loop, compiled beforehand in the seconds shown; peers' are "
        f"called one by one from Python, as they offer. Trees are of equal size in every library, and NashConv after "
        f"{CHECKED} iterations differs by at most {apart:.0e} between them. CFR updates the players in turn, as "
        f"OpenSpiel does; LiteEFG's updates both at once, so it has rows of its own. 'One call' is what a user calls "
        f"from Python: feint.nash_conv, pyspiel.nash_conv (which builds its tree in every call), OpenSpiel's "
        f"exploitability.nash_conv and LiteEFG's Environment.exploitability. 'Tree kept' is ours inside a compiled "
        f"loop against C++ best responders that are built once, and LiteEFG's same call."
    )


SECTIONS = (
    ("Side by side", HEADER, raced),
    ("Targets", ("", "Game", "Peer", "Target", "Measured", ""), targets),
    ("Feint alone", ("", "Game", "Time"), alone),
    ("Games", ("Game", "Feint", "OpenSpiel and LiteEFG", "Nodes", "Information sets"), games),
)


def show(results: dict[str, Any], sections: Sections = SECTIONS, notes: Notes = notes) -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    for title, header, cells in sections:
        table = Table(*header, title=title, title_justify="left")
        for row in cells(results):
            table.add_row(*row)
        console.print(table)
    console.print(notes(results))


def markdown(results: dict[str, Any], sections: Sections = SECTIONS, notes: Notes = notes) -> str:
    lines = []
    for title, header, cells in sections:
        lines += [f"### {title}", "", *(_line(row) for row in (header, ("---",) * len(header), *cells(results))), ""]
    return "\n".join([*lines, notes(results), ""])


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _order(results: dict[str, Any]) -> Any:
    """By method, then by game, both in the order in which they were run."""
    methods = list(dict.fromkeys(row["method"] for row in results["rows"]))
    return lambda row: methods.index(row["method"])


def figure(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.2g}" if rate < 1 else f"{rate:.3g}"


def _peers(row: dict[str, Any]) -> list[str]:
    rates, ratios = row["rate"], row["ratio"]
    return [f"{figure(rates[peer])} ({figure(ratios[peer])}×)" if peer in ratios else "–" for peer in PEERS]
