"""What 16 units lack in NFSP on Leduc: one thing changed at a time, and the sentence that says which of them it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from feint.papers.leduc_nfsp import paper_value
from feint.papers.thesis_claims import SURE, WIDTH, Ratio, Records, last_common, ratio_of, said, seeds_at, short
from feint.papers.thesis_trials import KNOWN
from feint.papers.trials import table
from feint.report.canvas import COLOURS, blank, keep

PLAIN, AUTHOR, DEATHLESS = "16-units", "16-author", "16-tanh"
CAUSES = {
    "16-values-64": "units for the values",
    "16-policy-64": "units for the average",
    DEATHLESS: "units that cannot die",
    "16-quick": "a higher rate",
    "16-slow": "a lower rate",
    "16-keras": "other initial weights",
    "16-unmasked": "a network without masks, as in the author's program",
    "16-direct": "values without a target network, as in the author's program",
    AUTHOR: "the author's whole program",
}
"""What 16 units might lack, by the experiment that gives it to them."""
BEFORE = (0.42416, 0.43083, 0.30957)
"""Where the seeds with 16 units of the paper's own page ended, after as many steps (leduc_nfsp/curves.json)."""
DRAWN = (PLAIN, "16-values-64", "16-policy-64", "16-tanh", "16-quick", "16-unmasked")
"""What the picture has: those that were meant to run longest."""

TICKS = (0.1, 0.2, 0.4, 0.8, 1.6)


class Given(NamedTuple):
    """What came of a change, in exploitability: every seed with it and without, and how many times one the other is."""

    step: int
    ours: list[float]
    theirs: list[float]
    ratio: Ratio

    @property
    def verdict(self) -> str:
        return "helps" if self.ratio.high < 1 else "harms" if self.ratio.low > 1 else "not decided"


def given(kept: Records, name: str, plain: str = PLAIN) -> Given:
    """An experiment beside the one it changes, after as many steps."""
    step = last_common(kept, name, plain)
    ours, theirs = (seeds_at(kept[each], "exploitability", step) for each in (name, plain))
    return Given(step, ours, theirs, ratio_of(ours, theirs))


def changes(kept: Records, words: Mapping[str, str], plain: str, what: str) -> str:
    """A row for each change of an experiment."""
    rows = []
    for name, change in words.items():
        if name not in kept or plain not in kept:
            rows.append([change, "", "", "", "", "not run"])
            continue
        found = given(kept, name, plain)
        verdict = "too short to decide" if short(kept, name, plain) else found.verdict
        rows.append([change, f"{found.step:,}", said(found.ours), said(found.theirs), str(found.ratio), verdict])
    return table([what, "after steps", "with it", "without", "with over without", "verdict"], rows)


def lack(kept: Records) -> str:
    """In words, what helps, what the others could do at best, and how far that explains the paper's curve."""
    if any(name not in kept for name in (PLAIN, *CAUSES)) or short(kept, PLAIN, *CAUSES):
        return "Not all of this was run at length, so what 16 units lack is not decided here."
    found = {name: given(kept, name) for name in CAUSES}
    helps = [name for name in CAUSES if found[name].verdict == "helps"]
    others = {name: found[name].ratio.low for name in CAUSES if name not in helps}
    told, row = list[str](), kept[PLAIN]["rows"][-1]
    if helps:
        told.append(f"What 16 units lack is {'; and '.join(_helped(kept, name, found[name]) for name in helps)}.")
    if others:
        best, what = (
            min(others, key=others.__getitem__),
            "Nothing else" if helps else "Nothing that was given to 16 units",
        )
        open_ = f"the most that an interval leaves open is {others[best]:.2f} times, for {CAUSES[best]}"
        told.append(f"{what} is seen to help; {open_}.")
    silent = max(row["silent_values"] + row["silent_policy"])
    told.append(
        f"At most {silent:.0%} of a seed's units are silent at the end, and with {CAUSES[DEATHLESS]} 16 come to "
        f"{found[DEATHLESS].ratio} what they have without."
    )
    return f"{fill(' '.join(told), WIDTH)}\n\n{fill(_paper(kept), WIDTH)}"


def _paper(kept: Records) -> str:
    """How far the paper's curve lies from ours at their ends."""
    row, author = (kept[name]["rows"][-1] for name in (PLAIN, AUTHOR))
    ends, theirs = sorted(row["exploitability"]), paper_value(16, row["step"])
    side = "above" if ends[0] > theirs else "below"
    seeds = [*ends, *BEFORE]
    middle, low, high = next_seed(seeds)
    inside = "lies inside, so that it may be an ordinary seed's" if low < theirs < high else "lies outside"
    return (
        f"The paper's 16 units have {theirs:.3f} after {row['step']:,} steps and ours {said(ends)}: the lowest seed is "
        f"{abs(ends[0] / theirs - 1):.0%} {side} it, and seeds lie {ends[-1] / ends[0]:.1f} times apart. With "
        f"{said(BEFORE)} of [leduc_nfsp](../leduc_nfsp/README.md) the geometric mean of {len(seeds)} is "
        f"{middle:.3f}, and one more would be between {low:.3f} and {high:.3f} with {SURE:.0%} (Student's, for the "
        f"logarithms). The paper's {inside}. (The author's whole program with 16 units has "
        f"{said(author['exploitability'])} after {author['step']:,}.)"
    )


def next_seed(seeds: Sequence[float]) -> Ratio:
    """The geometric mean of seeds, and between what one more would be: Student's, for their logarithms."""
    logs = np.log(seeds)
    reach = t.ppf(0.5 + SURE / 2, len(logs) - 1) * logs.std(ddof=1) * np.sqrt(1 + 1 / len(logs))
    return Ratio(*(float(np.exp(value)) for value in (logs.mean(), logs.mean() - reach, logs.mean() + reach)))


def _helped(kept: Records, name: str, found: Given) -> str:
    with_it, without = (said(seeds_at(kept[each], "gap", found.step)) for each in (name, PLAIN))
    return (
        f"**{CAUSES[name]}**: with that they come to {said(found.ours)} after {found.step:,} steps, {found.ratio} what "
        f"they have without, and learned best responses fall short of exact ones by {with_it} in place of {without}"
    )


def sixteen(kept: Records) -> str:
    """Every experiment at its end: how good, how good its responses, and how many units are silent."""
    rows = []
    for name in (name for name in (PLAIN, *CAUSES) if name in kept):
        row = kept[name]["rows"][-1]
        rows.append([
            KNOWN[name].label, f"{row['step']:,}", said(row["exploitability"]), f"{paper_value(16, row['step']):.3f}",
            said(row["gap"]), said(row["silent_values"], ".0%"), said(row["silent_policy"], ".0%"),
        ])  # fmt: skip
    ends = [
        "steps",
        "exploitability",
        "the paper's 16 units",
        "the response's gap",
        "silent, values",
        "silent, average",
    ]
    return table(["change", *ends], rows)


def draw_sixteen(kept: Records, path: Path) -> None:
    """Exploitability against steps, both seeds of each, and the paper's 16 units."""
    figure = blank(7.2, 4.2)
    axes = figure.subplots()
    for name, colour in zip((name for name in DRAWN if name in kept), COLOURS, strict=False):
        rows = kept[name]["rows"]
        steps, seeds = [row["step"] for row in rows], zip(*(row["exploitability"] for row in rows), strict=True)
        for number, seed in enumerate(seeds):
            label = KNOWN[name].label if number == 0 else None
            axes.plot(steps, seed, color=colour, linewidth=1.4, alpha=0.9, label=label)
    steps = [row["step"] for row in kept[PLAIN]["rows"]] if PLAIN in kept else []
    values = [paper_value(16, step) for step in steps]
    axes.plot(steps, values, color="black", linestyle="--", linewidth=1.2, label="the paper's 16 units")
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="exploitability, chips per hand")
    axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.minorticks_off()
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize="small")
    keep(figure, path)
