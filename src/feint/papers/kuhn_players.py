"""Kuhn poker for 2 to 10 players: how far each method goes and what stops it, from records of a benchmark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import gt
from pathlib import Path
from textwrap import fill
from typing import Any

from feint.papers.records import band, rows_in, where
from feint.papers.trials import table
from feint.tree.unroll import NODE_LIMIT

RECORDS = "players.jsonl"
"""In the folder of the reproduction: what benchmarks/kuhn_players.py prints."""
TITLE = "## From 2 to 10 players: where each method stops"
METHODS = {
    "linear-program": "the linear programme",
    "dominance": "elimination of dominated moves",
    "xfp": "fictitious play",
    "cfr+": "CFR+",
    "elite-play": "play by winnings (this paper)",
    "nfsp": "NFSP",
}


RANDOM = ("elite-play", "nfsp")
"""What is judged by several seeds."""
WHY, TREE, NEEDS, FAR = "stopped", "TreeForm", "needs the whole tree", "far"
"""In records: why a method stopped, the form of a game that was unrolled, what is said where it cannot be, and NashConv
of several seeds by the steps that they went: none where it was cut off."""


def players_section(folder: Path) -> str:
    """The section of the page; where the folder has no records, what makes them."""
    rows = rows_in(folder / RECORDS)
    lines, further = [row for row in rows if FAR not in row], [row for row in rows if row.get(FAR)]
    if not lines:
        return (
            f"{TITLE}\n\nNot measured here: that is `python benchmarks/kuhn_players.py > {RECORDS}`, in this folder.\n"
        )
    return f"""{TITLE}

Each method in a process of its own, with one thread and a limit of time, by `benchmarks/kuhn_players.py`; its lines
are in `{RECORDS}`. {where(lines, lambda line: f"{METHODS[line['method']]} with {line['players']}")}

In cells: the time of a step once everything is compiled (in all, for methods that are done at once), and NashConv after
the last step, where it is known exactly and nothing is random. Steps: {lengths(lines)}.
NFSP has preset `fast` (η = 0.2) where there is a tree and `small` (η = 0.1) where there is none.

{sizes(lines)}

{_near(lines, further)}{speeds(lines)}

{stops(lines)}

{unrolling(lines)}
"""


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


def lengths(lines: Sequence[Mapping[str, Any]]) -> str:
    """How many steps each method went."""
    steps = {METHODS[line["method"]]: line["steps"] for line in lines if "steps" in line}
    return ", ".join(f"{words} {many}" for words, many in steps.items())


def cell(line: Mapping[str, Any]) -> str:
    """What came of a method on one game."""
    if "stopped" in line:
        return "–"
    took = line.get("step_seconds", line["seconds"])
    said = f"{took:.2g} s" if took >= 1 else f"{float(f'{1000 * took:.2g}'):g} ms"
    if "dominated" in line:
        return f"{said}, {line['dominated']:,} moves"
    return f"{said}, {line['nash_conv']:.2g}" if "nash_conv" in line and line["method"] not in RANDOM else said


def _near(lines: Sequence[Mapping[str, Any]], further: Sequence[Mapping[str, Any]]) -> str:
    """How near an equilibrium methods come in more steps, where that was tried."""
    if not further:
        return ""
    return f"""How near an equilibrium they come in more steps, by NashConv; of what is random the median of seeds
and from where to where they go. {where(further, lambda line: f"{METHODS[line['method']]} with {line['players']}")}

{nearness(lines, further)}

{gains(further)}{lacking(lines, further)}

"""


def nearness(lines: Sequence[Mapping[str, Any]], further: Sequence[Mapping[str, Any]]) -> str:
    """NashConv by players and method, after all the steps that were tried; of what is random, of several seeds."""
    cells = {
        (line["players"], line["method"], line["steps"]): f"{line['nash_conv']:.2g}"
        for line in lines
        if "steps" in line and "nash_conv" in line and line["method"] not in RANDOM
    } | {
        (line["players"], line["method"], int(steps)): band(gaps, ".2g")
        for line in further
        for steps, gaps in line[FAR].items()
    }
    order = list(METHODS)
    columns = sorted(
        {(method, steps) for _, method, steps in cells}, key=lambda column: (order.index(column[0]), column[1])
    )
    head = [f"{METHODS[method]}, {f'{steps:,} steps' if steps else 'untrained'}" for method, steps in columns]
    players = sorted({players for players, *_ in cells})
    rows = [[str(many), *(cells.get((many, *column), "") for column in columns)] for many in players]
    return table(["players", *head], rows)


def gains(further: Sequence[Mapping[str, Any]]) -> str:
    """With how many players the last steps brought each random method nearer, in a sentence."""
    told = []
    for method in RANDOM:
        mine = sorted((line for line in further if line["method"] == method), key=lambda line: int(line["players"]))
        pairs = {line["players"]: list(line[FAR].values())[-2:] for line in mine}
        nearer = [many for many, (before, after) in pairs.items() if all(map(gt, before, after))]
        before, after = list(mine[0][FAR])[-2:] if mine else ("", "")
        if mine:
            told.append(
                f"From {int(before):,} to {int(after):,} steps {METHODS[method]} comes nearer by every seed with "
                f"{spans(nearer) or 'no number of'} players"
            )
    return fill(". ".join(told) + ".", 120) if told else ""


def lacking(lines: Sequence[Mapping[str, Any]], further: Sequence[Mapping[str, Any]]) -> str:
    """What has a tree and was not taken further, in a sentence."""
    told = []
    for method in RANDOM:
        trees = {line["players"] for line in lines if line["method"] == method and line.get("form") == TREE}
        if missing := sorted(trees - {line["players"] for line in further if line["method"] == method}):
            told.append(f"{METHODS[method]} with {spans(missing)}")
    return f" Not measured so far: {_all(told)} players." if told else ""


def speeds(lines: Sequence[Mapping[str, Any]]) -> str:
    """How long exact best responses take beside the paper's, in a sentence."""
    took = {(line["method"], line["players"]): line["step_seconds"] for line in lines if "step_seconds" in line}
    ratios = {
        players: took["xfp", players] / seconds
        for (method, players), seconds in sorted(took.items())
        if method == "elite-play" and ("xfp", players) in took
    }
    if not ratios:
        return ""
    quicker = [players for players, ratio in ratios.items() if ratio < 1]
    slower = [f"{ratio:.0f} times as long with {players}" for players, ratio in ratios.items() if ratio >= 1]
    return fill(
        f"The paper puts networks in place of exact best responses since these take too long. A step of fictitious "
        f"play with exact ones is quicker than the paper's with {spans(quicker) or 'no number of'} players"
        f"{' and takes ' + ', '.join(slower) if slower else ''}.",
        120,
    )


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
    """What unrolling the largest tree takes, which methods stop before there is none, where there is none, or never."""
    refused = [
        line for line in lines if line["method"] == "linear-program" and line.get("form") == TREE and WHY in line
    ]
    own, without, beyond = (
        [words for method, words in METHODS.items() if any(line["method"] == method and so(line) for line in lines)]
        for so in (
            lambda line: line.get("form") == TREE and WHY in line,
            lambda line: NEEDS in line.get(WHY, ""),
            lambda line: line.get("form", TREE) != TREE and WHY not in line,
        )
    )
    told = []
    if refused:
        end = max(refused, key=lambda line: int(line["players"]))
        told.append(f"With {end['players']} players unrolling alone takes {end['seconds']:.0f} s.")
        if later := [line for line in lines if line["players"] == end["players"] and WHY not in line]:
            names, took = [METHODS[line["method"]] for line in later], [line["seconds"] for line in later]
            told.append(
                f"There {_all(names)} took {min(took):.0f} to {max(took):.0f} s with unrolling and compilation."
            )
    if own:
        told.append(f"By themselves, where there is a tree, stop: {_all(own)}.")
    if tree := [words for words in without if words not in own]:
        told.append(f"Where there is none stop: {_all(tree)}.")
    if (paper := METHODS["elite-play"]) in tree:
        first = min((line for line in lines if NEEDS in line.get(WHY, "")), key=lambda line: int(line["players"]))
        told.append(
            f"For {paper} that is a limit of our program, not of the method, which needs only hands that were played. "
            f"Ours averages strategies situation by situation, lists situations where a game is unrolled, and unrolls "
            f"games of up to {NODE_LIMIT:,} nodes: with {first['players']} players there are {first['nodes']:,}, "
            f"though no more than {first['infosets']:,} information sets. Lists by betting and card would go further; "
            f"they are not built."
        )
    if beyond:
        told.append(f"Without one go on, by the betting alone: {_all(beyond)}.")
    return fill(" ".join(told), 120)
