"""What a thesis's Figure 7 samples, beside what is exact; and whether its curve is that of Figure 8, the paper's."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

import numpy as np

from feint.papers.leduc_nfsp import paper_value
from feint.papers.thesis_claims import WIDTH, Records, ratio_to, said, seeds_at, short, verdict_on_sameness
from feint.papers.thesis_measures import HANDS, STATES
from feint.papers.thesis_trials import KNOWN
from feint.papers.trials import table
from feint.report.canvas import COLOURS, blank, keep

SAMPLED = ("thesis", "thesis-leduc", "rules-paper")
"""Experiments whose exploitability is sampled too, as in the thesis's Figure 7."""
PRINTED, UNITS = "thesis-leduc", 64
"""Whose curve is held against the paper's, of so many units, which the thesis's Figure 8 shows …"""
MARKS = (1_000, 10_000, 100_000)
"""… and after how many steps, from the first that the paper's curve can be read off at."""
READINGS = {"exploitability": "exact", "promised": "as sampled states have it in the mean"}


def draw_samples(kept: Records, path: Path) -> None:
    """Exploitability against steps: exact, and as small samples have it, of one seed each; the paper's by its rules."""
    shown = [name for name in SAMPLED if name in kept]
    figure = blank(4.8 * len(shown), 3.8)
    for axes, name in zip(figure.subplots(1, len(shown), squeeze=False)[0], shown, strict=True):
        rows = kept[name]["rows"]
        steps = [row["step"] for row in rows]
        lines = ("exploitability", "hands", "states")
        labels = ("exact", f"{HANDS} hands, drawn", f"{STATES} states, drawn")
        for number, label, colour in zip(lines, labels, COLOURS, strict=False):
            axes.plot(steps, [row[number][0] for row in rows], color=colour, linewidth=1.6, label=label)
        if name == PRINTED:
            theirs = [step for step in steps if step >= MARKS[0]]
            paper = [paper_value(UNITS, step) for step in theirs]
            axes.plot(theirs, paper, color="black", linestyle="--", linewidth=1.2, label=f"the paper, {UNITS} units")
        axes.set(xscale="log", xlabel="step", title=f"{KNOWN[name].preset} on {KNOWN[name].game}: chips per hand")
        axes.title.set_fontsize(10)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize="small")
    keep(figure, path)


def wrongness(kept: Records) -> str:
    """How wrong the samples are and which way, over all evaluations from a tenth of the run on."""
    found = []
    for name in (name for name in SAMPLED if name in kept):
        rows = [row for row in kept[name]["rows"] if 10 * row["step"] >= kept[name]["rows"][-1]["step"]]
        exact, gap, promised, hands, states = (
            np.mean([row[number] for row in rows], 0)
            for number in ("exploitability", "gap", "promised", "hands_spread", "states_spread")
        )
        less = "little" if gap.mean() > 0 else "much"
        more, off = ("much" if promised.mean() > exact.mean() else "little"), abs(promised.mean() - exact.mean())
        words = (
            f"{_called(name)}: over the last nine tenths of the run exploitability is {exact.mean():.3f} in the mean. "
            f"Hands say {(exact - gap).mean():.3f}, too {less} by {abs(gap.mean()):.3f} ({said(-gap, '+.3f')} for each "
            f"seed), since the learned response is no best one, with a deviation of {hands.mean():.3f}; states say "
            f"{promised.mean():.3f}, too {more} by {off:.3f} ({said(promised - exact, '+.3f')} for each seed), with "
            f"one of {states.mean():.3f}."
        )
        found.append(fill(words, WIDTH))
    return "\n\n".join(found)


def samples(kept: Records) -> str:
    """Four evaluations of the first seed of each: exact, and as samples have it; the paper's curve by its rules."""
    rows = []
    for name in (name for name in SAMPLED if name in kept):
        whole = kept[name]["rows"]
        for row in [
            whole[int(place)] for place in np.unique(np.linspace(len(whole) // 3, len(whole) - 1, 4).astype(int))
        ]:
            first = {number: values[0] for number, values in row.items() if number != "step"}
            rows.append([
                _called(name), f"{row['step']:,}", f"{first['exploitability']:.3f}",
                f"{first['exploitability'] - first['gap']:.3f} ± {first['hands_spread']:.3f}", f"{first['hands']:.3f}",
                f"{first['promised']:.3f} ± {first['states_spread']:.3f}", f"{first['states']:.3f}",
                f"{paper_value(UNITS, row['step']):.3f}" if name == PRINTED and row["step"] >= MARKS[0] else "",
            ])  # fmt: skip
    head = [
        "preset, rules",
        "step",
        "exact",
        "hands: mean ± deviation",
        "drawn",
        "states: mean ± deviation",
        "drawn",
        f"the paper, {UNITS} units",
    ]
    return table(head, rows)


def same_curve(kept: Records) -> str:
    """The program's curve beside the paper's after several numbers of steps, and whether they are the same."""
    if PRINTED not in kept:
        return "Its program was not run by the paper's rules, so whether its curve is the paper's is not decided here."
    record, rows, verdicts = kept[PRINTED], [], dict[str, str]()
    for number, reading in READINGS.items():
        found = []
        for mark in (mark for mark in MARKS if mark <= record["rows"][-1]["step"]):
            ours, theirs = seeds_at(record, number, mark), paper_value(UNITS, mark)
            ratio = ratio_to(ours, theirs)
            found.append(verdict_on_sameness(ratio))
            rows.append([reading, f"{mark:,}", f"{theirs:.3f}", said(ours), str(ratio), found[-1]])
        verdicts[reading] = "too short to decide" if short(kept, PRINTED) else _of_all(found)
    head = ["curve", "after steps", f"the paper, {UNITS} units", _called(PRINTED), "over the paper's", "the same"]
    words = "; ".join(f"{reading} **{verdict}**" for reading, verdict in verdicts.items())
    return f"{table(head, rows)}\n\n{fill(f'The same curve as in Figure 8: {words}.', WIDTH)}"


def _of_all(verdicts: list[str]) -> str:
    """Curves are the same where they are everywhere, and are not where they are not somewhere."""
    if "does not hold" in verdicts:
        return "does not hold"
    return "holds" if set(verdicts) == {"holds"} else "not decided"


def _called(name: str) -> str:
    return f"`{KNOWN[name].preset}`, {KNOWN[name].game}"
