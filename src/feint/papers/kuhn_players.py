"""Kuhn poker for 2 to 10 players: how far each method goes and what stops it, from records of a benchmark."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
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


THEN = "on the Intel Xeon of [the thesis's experiments](../leduc_thesis/README.md)"
"""Where records were made that do not say so."""


def players_section(folder: Path) -> str:
    """The section of the page; empty where the folder has no records."""
    file = folder / RECORDS
    if not file.is_file():
        return ""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return f"""## From 2 to 10 players: where each method stops

Each method in a process of its own, with one thread and a limit of time, by `benchmarks/kuhn_players.py`; its lines
are in `{RECORDS}`. Made:
{fill(made(lines), 120)}.

In cells: the time of a step once everything is compiled (in all, for methods that are done at once), and NashConv after
100 steps (9 of play by winnings) where it is known exactly. To NFSP 100 steps are hardly a beginning: there it is the
time that tells.

{sizes(lines)}

{stops(lines)}

{unrolling(lines)}
"""


def made(lines: Sequence[Mapping[str, Any]]) -> str:
    """Where most lines were made, and the others with what they are of."""
    places: dict[str, dict[int, list[str]]] = {}
    programs: dict[str, dict[str, None]] = {}
    for line in lines:
        *machine, program = line.get("made_with", (THEN, ""))
        places.setdefault(", ".join(machine), {}).setdefault(line["players"], []).append(METHODS[line["method"]])
        programs.setdefault(", ".join(machine), {})[program] = None
    most, *others = sorted(places, key=lambda place: -sum(map(len, places[place].values())))
    told = [", ".join(filter(None, (most, *programs[most])))]
    for place in others:
        of = "; ".join(f"{_all(names)} with {players}" for players, names in places[place].items())
        told.append(f"on {place}, {' and '.join(programs[place])} ({of})")
    return "; ".join(told)


def _all(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


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
    said = f"{took:.2g} s" if took >= 1 else f"{float(f'{1000 * took:.2g}'):g} ms"
    if "dominated" in line:
        return f"{said}, {line['dominated']:,} moves"
    return f"{said}, {line['nash_conv']:.2g}" if "nash_conv" in line else said


def stops(lines: Sequence[Mapping[str, Any]]) -> str:
    """For each method, the tables it went to and what stopped it at the others."""
    rows = []
    for method, words in METHODS.items():
        mine = sorted((line for line in lines if line["method"] == method), key=lambda line: int(line["players"]))
        done = [line["players"] for line in mine if "stopped" not in line]
        why: dict[str, list[int]] = {}
        for line in mine:
            if "stopped" in line:
                why.setdefault(reason(line["stopped"]), []).append(line["players"])
        told = "; ".join(f"{spans(players)}: {each}" for each, players in why.items())
        rows.append([words, spans(done) or "none", told or "nothing that was tried"])
    return table(["method", "goes with players", "what stops it at others"], rows)


def reason(words: str) -> str:
    """Why something stopped, the same for every number of players and without advice."""
    words = re.sub(r"kuhn\(players=\d+\)", "the game", words.partition("; ")[0].removesuffix("."))
    return re.sub(r"has \d+ players", "has more players", words)


def spans(numbers: Sequence[int]) -> str:
    """Numbers that rise, told as `2 to 5, 7`."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(f"{group[0]} to {group[-1]}" if len(group) > 1 else str(group[0]) for group in groups)


def unrolling(lines: Sequence[Mapping[str, Any]]) -> str:
    """How much of the limit the tree takes: the linear programme refuses more than two players once it has it."""
    refused = [
        line
        for line in lines
        if line["method"] == "linear-program" and line.get("form") == "TreeForm" and "stopped" in line
    ]
    if not refused:
        return ""
    end = max(refused, key=lambda line: int(line["players"]))
    later = [line for line in lines if line["players"] == end["players"] and "stopped" not in line]
    words = (
        f"With {end['players']} players unrolling alone takes {end['seconds']:.0f} s. Of a limit of 60 s that leaves "
        f"nothing to any method: there the tree sets the limit. "
    )
    if later:
        names, took = [METHODS[line["method"]] for line in later], [line["seconds"] for line in later]
        words += (
            f"Given more time {_all(names)} go on to it, in {min(took):.0f} to "
            f"{max(took):.0f} s with unrolling and compilation. "
        )
    words += (
        "So the linear programme and the elimination of dominated moves stop by themselves, the others where the tree "
        "does; NFSP goes on without one, by the betting alone."
    )
    return fill(words, 120)
