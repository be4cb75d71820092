"""Kuhn poker for 2 to 10 players: how far each method goes and what stops it, from records of a benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from feint.papers.trials import table

RECORDS = "players.jsonl"
"""In the folder of the reproduction: what benchmarks/kuhn_players.py prints."""
METHODS = {
    "linear-program": "the linear programme",
    "dominance": "elimination of dominated moves",
    "xfp": "fictitious play",
    "cfr+": "CFR+",
    "elite-play": "play by winnings (this paper)",
    "nfsp": "NFSP",
}


def players_section(folder: Path) -> str:
    """The section of the page; empty where the folder has no records."""
    file = folder / RECORDS
    if not file.is_file():
        return ""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return f"""## From 2 to 10 players: where each method stops

Each method in a process of its own, with one thread and a limit of time, by `benchmarks/kuhn_players.py`. In cells:
seconds for a step once everything is compiled (in all, for methods that are done at once), and NashConv after 100 steps
(9 of play by winnings) where it is known exactly.

{sizes(lines)}

{stops(lines)}
"""


def sizes(lines: Sequence[Mapping[str, Any]]) -> str:
    """A row for each number of players, a column for each method."""
    rows = []
    for players in sorted({line["players"] for line in lines}):
        here = {line["method"]: line for line in lines if line["players"] == players}
        size = next(iter(here.values()))
        cells = [cell(here[method]) if method in here else "" for method in METHODS]
        rows.append([str(players), f"{size['nodes']:,}", f"{size['infosets']:,}", *cells])
    return table(["players", "nodes", "information sets", *METHODS.values()], rows)


def cell(line: Mapping[str, Any]) -> str:
    """What came of a method on one game."""
    if "stopped" in line:
        return "–"
    took = line.get("step_seconds", line["seconds"])
    said = f"{took:.2g} s"
    if "dominated" in line:
        return f"{said}, {line['dominated']:,} moves"
    return f"{said}, {line['nash_conv']:.2g}" if "nash_conv" in line else said


def stops(lines: Sequence[Mapping[str, Any]]) -> str:
    """For each method, the largest table it went to and what stopped it at the next."""
    rows = []
    for method, words in METHODS.items():
        mine = sorted((line for line in lines if line["method"] == method), key=lambda line: int(line["players"]))
        done = [line["players"] for line in mine if "stopped" not in line]
        why = next((line["stopped"] for line in mine if "stopped" in line), "nothing that was tried")
        rows.append([words, str(max(done, default="none")), why])
    return table(["method", "goes to players", "what stops it then"], rows)
