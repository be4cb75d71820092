"""Records in results/ as pictures, and as tables for people: python benchmarks/pictures.py NAME."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import mean, median
from typing import Any

from matplotlib.colors import LogNorm

from feint.report.canvas import COLOURS, INK, blank, keep

RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]
RESPONSES = {"local": "a local best response", "learned": "a learned best response"}
KINDS = {"Kuhn": "o", "Leduc": "s", "flop": "^", "turn": "D", "river": "v", "spots": "*"}


def read(name: str) -> list[Row]:
    return [json.loads(line) for line in (RESULTS / f"{name}.jsonl").read_text().splitlines()]


def bounds() -> None:
    """What share of exploitability bounds find, from far to near."""
    rows = sorted(read("bounds"), key=lambda row: (row["game"], -row["exact"]))
    games = sorted({row["game"] for row in rows})
    figure = blank(7.2, 4.5)
    axes = figure.subplots()
    for colour, (who, words) in zip(COLOURS, RESPONSES.items(), strict=False):
        for game, line, face in zip(games, ("-", "--"), (colour, "white"), strict=True):
            some = [row for row in rows if row["game"] == game]
            low, shares, high = (
                [max(row[who + end] / row["exact"], 0.0) for row in some] for end in ("_low", "", "_high")
            )
            off = [[share - end for share, end in zip(shares, low, strict=True)]]
            off += [[end - share for share, end in zip(shares, high, strict=True)]]
            style: Row = {"color": colour, "linestyle": line, "marker": "o", "markerfacecolor": face, "markersize": 5}
            axes.errorbar([row["exact"] for row in some], shares, off, capsize=2, label=f"{words}, {game}", **style)
    for row in rows:
        if row["game"] == games[0]:
            place = row["exact"], max(row["local"] / row["exact"], 0.0)
            axes.annotate(row["strategy"], place, xytext=(4, 6), textcoords="offset points", fontsize=8, color=INK)
    axes.set(
        xscale="log", ylim=(-0.03, 1.1), xlabel="exploitability (mbb/h, exact)", ylabel="share of it that is found"
    )
    axes.invert_xaxis()
    axes.set_title("How much bounds find", color=INK, loc="left", fontweight="bold")
    _plain(axes)
    keep(figure, RESULTS / "bounds.png")
    print("| game | strategy | exploitability | a local best response won | share | a learned one won | share |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        cells = [row["game"], row["strategy"], f"{row['exact']:,.1f}"]
        for who in RESPONSES:
            value, off = row[who], row[f"{who}_high"] - row[who]
            cells += [f"{value:,.0f} ± {off:,.0f}", f"{max(value / row['exact'], 0.0):.0%}"]
        print(f"| {' | '.join(cells)} |")


def public_costs() -> None:
    """What public trees cost, by the numbers in a table, and by public decisions and hands."""
    every = read("public_costs")
    nothing = next(row["peak_bytes"] for row in every if row["name"] == "nothing")
    rows = sorted(_least(row for row in every if "cells" in row), key=lambda row: row["cells"])
    figure = blank(13.5, 4.2)
    times, memory, both = figure.subplots(1, 3)
    for colour, (kind, marker) in zip(COLOURS, KINDS.items(), strict=True):
        some = [row for row in rows if _kind(row) == kind]
        cells = [row["cells"] for row in some]
        style: Row = {"color": colour, "marker": marker, "linestyle": "", "markersize": 6}
        times.plot(cells, [row["iteration_s"] for row in some], label=kind, **style)
        times.plot(cells, [row["judged_s"] for row in some], **style | {"markerfacecolor": "none"})
        memory.plot(cells, [row["peak_bytes"] - nothing for row in some], **style)
        memory.plot(cells, [row["table_bytes"] for row in some], **style | {"markerfacecolor": "none"})
    numbers = "numbers in a table"
    times.set(xscale="log", yscale="log", xlabel=numbers, ylabel="seconds")
    times.set_title("An iteration (open: a judgement)", color=INK, loc="left", fontweight="bold", fontsize="medium")
    memory.set(xscale="log", yscale="log", xlabel=numbers, ylabel="bytes")
    memory.set_title("Most memory (open: tables)", color=INK, loc="left", fontweight="bold", fontsize="medium")
    hands = LogNorm(min(row["hands"] for row in rows), max(row["hands"] for row in rows))
    for kind, marker in KINDS.items():
        some = [row for row in rows if _kind(row) == kind]
        places = [row["public"] for row in some], [row["iteration_s"] for row in some]
        shown = both.scatter(*places, c=[row["hands"] for row in some], marker=marker, norm=hands, cmap="viridis_r")
    figure.colorbar(shown, ax=both, label="hands")
    both.set(xscale="log", yscale="log", xlabel="public decisions", ylabel="seconds")
    both.set_title("An iteration, by hands", color=INK, loc="left", fontweight="bold", fontsize="medium")
    for axes in (times, memory, both):
        _plain(axes)
    keep(figure, RESULTS / "public_costs.png")
    print(
        "| game | public decisions | hands | numbers in a table | iteration, ms | judge, ms | tables, MB | peak, MB |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        times_ms = [_figure(1000 * row[name]) for name in ("iteration_s", "judged_s")]
        sizes = [f"{row[name]:,}" for name in ("public", "hands", "cells")]
        held = [_figure(row[name] / 1e6) for name in ("table_bytes", "peak_bytes")]
        print(f"| {' | '.join([row['name'], *sizes, *times_ms, *held])} |")


def evolution() -> None:
    """How exploitable evolved networks are, the best one and all together, with a hall of fame and without."""
    rows = read("evolution")
    games, variants = (list(dict.fromkeys(row[name] for row in rows)) for name in ("game", "variant"))
    figure = blank(10.0, 4.4)
    for axes, game in zip(figure.subplots(1, len(games)), games, strict=True):
        for colour, variant in zip(COLOURS, variants, strict=False):
            some = [row for row in rows if (row["game"], row["variant"]) == (game, variant)]
            steps = [row["step"] for row in some]
            best, together = ([median(row[name]) for row in some] for name in ("exploitability", "together"))
            axes.plot(steps, best, color=colour, linewidth=1.5, label=variant)
            axes.plot(steps, together, "--", color=colour, linewidth=1.2)
        axes.set(xscale="log", yscale="log", xlabel="generations", ylabel="exploitability (chips per hand, exact)")
        axes.set_title(f"{game} (dashed: all together)", color=INK, loc="left", fontweight="bold", fontsize="medium")
        _plain(axes)
    keep(figure, RESULTS / "evolution.png")
    print("| game | variant | exploitable by | all together | off random | off a caller | off equilibrium |")
    print("|---|---|---|---|---|---|---|")
    for game in games:
        for variant in variants:
            some = [row for row in rows if (row["game"], row["variant"]) == (game, variant)]
            late = [row for row in some if row["step"] > some[-1]["step"] / 2]
            cells = [_of_seeds(late, name) for name in ("exploitability", "together", "random", "call", "equilibrium")]
            print(f"| {' | '.join([game, variant, *cells])} |")


def _of_seeds(rows: list[Row], name: str) -> str:
    """The median of seeds, each the mean of some looks, and from where to where they go."""
    means = [sum(values) / len(values) for values in zip(*(row[name] for row in rows), strict=True)]
    return f"{_figure(median(means))} ({_figure(min(means))} to {_figure(max(means))})"


def modeller() -> None:
    """What the opponent modeller wins, how exploitable it is and how long it takes, by the hands it has seen."""
    every = read("modeller")
    rows, times = ([row for row in every if row["what"] == what] for what in ("won", "time"))
    figure = blank(12.0, 7.0)
    panels = figure.subplots(2, 3).ravel()
    for axes, game in zip(panels, ("leduc_no_limit", "leduc"), strict=False):
        _by_hands(axes, [row for row in rows if row["game"] == game and not row["kind"]], "won")
        axes.set(ylabel="won, chips per hand (exact)", title=f"{game} (dotted: the most there is)")
    first = [row for row in rows if row["game"] == "leduc_no_limit"]
    _by_hands(panels[2], [row for row in first if not row["kind"]], "exploitability")
    panels[2].set(ylabel="chips per hand (exact)", title="leduc_no_limit: exploitability, frozen")
    for axes, kind, others in (
        (panels[3], "folded=ignored", ("cfr 10", "cfr 100")),
        (panels[4], "curious=0", ("random",)),
    ):
        for dashed, one in ((False, ""), (True, kind)):
            _by_hands(axes, [row for row in first if row["kind"] == one and row["opponent"] in others], "won", dashed)
        axes.set(ylabel="won, chips per hand (exact)", title=f"leduc_no_limit: dashed with {kind}")
    for colour, (name, words) in zip(COLOURS, COSTS.items(), strict=False):
        panels[5].plot([row["hands"] for row in times], [row[name] for row in times], "o-", color=colour, label=words)
    panels[5].set(xscale="log", yscale="log", ylabel="milliseconds", title="leduc_no_limit: time")
    for axes in panels:
        axes.set(xlabel="hands seen")
        axes.title.set(color=INK, fontsize="medium")
        _plain(axes)
    for axes in panels[:3]:  # of many lines the legend would hide some
        low, high = axes.get_ylim()
        axes.set_ylim(bottom=low - 0.4 * (high - low))
        axes.legend(frameon=False, loc="lower center", fontsize="small", ncols=2)
    keep(figure, RESULTS / "modeller.png")
    _modeller_tables(rows, times)


COSTS = {
    "network_rows_ms": "network, every hand by itself",
    "lesson_ms": "a lesson, ends counted",
    "search_ms": "expectimax",
    "move_ms": "a move looked up",
}


def _by_hands(axes: Any, rows: list[Row], number: str, dashed: bool = False) -> None:
    """A line for each opponent, the mean of its seeds, and a band from the least to the most."""
    for colour, name in zip(COLOURS, dict.fromkeys(row["opponent"] for row in rows), strict=False):
        some = [row for row in rows if row["opponent"] == name]
        hands = sorted({row["hands"] for row in some})
        values = [[row[number] for row in some if row["hands"] == each] for each in hands]
        label = None if dashed else name
        axes.plot(hands, [mean(each) for each in values], color=colour, linestyle="--" if dashed else "-", label=label)
        axes.fill_between(hands, list(map(min, values)), list(map(max, values)), color=colour, alpha=0.12, linewidth=0)
        if number == "won" and not dashed:
            axes.axhline(some[0]["most"], color=colour, linestyle=":", linewidth=1)
    axes.set(xscale="log")


def _modeller_tables(rows: list[Row], times: list[Row]) -> None:
    hands = [each for each in sorted({row["hands"] for row in rows}) if each >= 100 and str(each).strip("0") == "1"]
    keys = dict.fromkeys((row["game"], row["opponent"], row["kind"]) for row in rows)
    told = " | ".join(f"{each:,}" for each in hands)
    print(f"| game | opponent | settings | won: {told} | the most | exploitability: {told} |")
    print("|---" * (2 * len(hands) + 4) + "|")
    for key in keys:
        some = [row for row in rows if (row["game"], row["opponent"], row["kind"]) == key]
        won, lost = (
            [f"{mean(row[number] for row in some if row['hands'] == each):.3g}" for each in hands]
            for number in ("won", "exploitability")
        )
        most = f"{some[0]['most']:.4g}"
        print(f"| {' | '.join([*key, *won, most, *lost])} |")
    print()
    print(
        "| hands seen | next lesson after | ways they ended | network, every hand by itself | lesson | search | move |"
    )
    print("|---" * 7 + "|")
    for row in times:
        cells = [f"{row[name]:.2g}" if row[name] < 100 else f"{row[name]:,.0f}" for name in COSTS]
        print(f"| {row['hands']:,} | {row['between']:,} | {row['ends']} | {' | '.join(cells)} |")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2g}"


def _least(rows: Iterable[Row]) -> list[Row]:
    """One row for each game: where it was measured several times, the least of every number."""
    least = dict[str, Row]()
    for row in rows:
        before = least.setdefault(row["name"], row)
        least[row["name"]] = {key: min(value, before[key]) for key, value in row.items()}
    return list(least.values())


def _kind(row: Row) -> str:
    name = row["name"].lower()
    return "spots" if "spot" in name else next(kind for kind in KINDS if name.startswith(kind.lower()))


def _plain(axes: Any) -> None:
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, loc="best", fontsize="small")


if __name__ == "__main__":
    pictures = {
        "bounds": bounds,
        "evolution": evolution,
        "modeller": modeller,
        "public_costs": public_costs,
    }
    pictures[sys.argv[1]]()
