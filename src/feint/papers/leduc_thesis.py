"""Joos's thesis (2018) on neural fictitious self-play in Leduc: its program, its rules and its findings, tried.

`feint reproduce leduc-nfsp` has the curves of the paper that it follows. Here are its own rules trained, its Listings
2 to 8 as they are printed and with one thing changed at a time, its sampled exploitability beside the exact one, what a
ReLU output does, its codings of values, and experiments on what 16 units lack. Records are kept in the folder as
they are made: benchmarks/thesis_device.py makes them on many cores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from textwrap import fill

from feint.papers.thesis_claims import (
    CLAIMS,
    SAME,
    WIDTH,
    Records,
    answered,
    folding,
    preferred,
    ratio_of,
    said,
    short,
)
from feint.papers.thesis_measures import HANDS, STATES
from feint.papers.thesis_samples import draw_samples, same_curve, samples, wrongness
from feint.papers.thesis_sixteen import CAUSES, PLAIN, changes, draw_sixteen, lack, sixteen
from feint.papers.thesis_trials import EXPERIMENTS, KNOWN, RECORDS, has_all, keep_record, records, run
from feint.papers.trials import made_with, table
from feint.runs.files import write_whole
from feint.runs.loop import Watcher
from feint.runs.provenance import provenance

TITLE = "A thesis on neural fictitious self-play in Leduc hold'em"
QUICK, FEW = 300, ("thesis", "thesis-relu", "16-units", "16-tanh")
"""Steps and experiments of a quick look."""
PARTS = [name for name in KNOWN if name.startswith("thesis-") and name != "thesis-leduc"]
"""Changes of the thesis's program."""
BY_ITS_RULES = ("thesis", "rules-paper", "rules-author", "rules-fast")
"""Every preset by the thesis's rules."""


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Run every experiment that `out` does not hold yet, draw the figure and write the report."""
    asked = [KNOWN[name] for name in FEW] if quick else EXPERIMENTS
    for number, experiment in enumerate(asked, 1):
        steps = min(experiment.steps, QUICK) if quick else experiment.steps
        if not has_all(records(out).get(experiment.name), experiment, steps):
            with watch(f"{number}/{len(asked)} {experiment.name}") as watcher:
                made = run(experiment, steps, tell=watcher.stage)
            keep_record(out, made | {"made_with": list(provenance())})
    return write_report(out, records(out))


def write_report(out: Path, kept: Records) -> Path:
    """The figures and the page, from records alone."""
    draw_samples(kept, out / "figure-7.png")
    draw_sixteen(kept, out / "sixteen.png")
    page = out / "README.md"
    write_whole(page, page_of(kept).encode())
    return page


def page_of(kept: Records) -> str:
    """The page, from records."""
    quick = all(record["asked"] <= QUICK for record in kept.values())
    return f"""# {TITLE}

{_head(kept, quick)}

Exploitability is NashConv / 2 in chips per hand, exact. A chip is a big blind by its own rules, an ante by the paper's.
A step of `thesis` is an update of every network, of the other presets as in [leduc_nfsp](../leduc_nfsp/README.md).
Where several numbers are given they are those of seeds, the lowest first. *The response's gap* is by how much learned
best responses fall short of exact ones.

## The claims

A claim about one experiment holds where all its seeds say so, and does not where none does. A claim about two holds, or
does not, where the 95% interval of their ratio leaves out 1: Student's, for the logarithms, with so few seeds of each
that only plain differences are decided. They are compared after as many steps as both have come to; between two
evaluations a line is drawn over the logarithm of steps. Two are the same where that interval lies within {1 / SAME:g}
and {SAME:g}, and are not where it lies outside.

*Mute* is the share of decisions, weighted by how often they come, at which the value network says 0 of every move;
*wishes fold* that at which it would fold, legal or not; *folds* how often the best response folds to a bet, by how
often it faces one; *average folds* the same of the average, every situation counting as one.

{table(["claim", "measured", "verdict"], [answered(kept, claim) for claim in CLAIMS])}

{folding(kept)}

## Its rules, trained

{_ends(kept, (*BY_ITS_RULES, "thesis-leduc"), "preset")}

`thesis` is its program as printed, but for a softmax in place of Listing 3's linear output of the average, and moves
drawn by that where Listing 7 hands its three numbers to the game ([how we read it](../../learners.md)). `leduc` has the
paper's rules. Presets beside each other by the thesis's rules, each at its end, whatever it has played by then:

{_beside(kept)}

Its program, with one thing changed at a time:

{changes(kept, {name: KNOWN[name].label for name in PARTS}, "thesis", "change")}

## Figure 7: exploitability from small samples

The thesis samples what is known exactly here. Two readings: {HANDS} hands of the learned best response against the
average; or {STATES} states drawn at random, and what the value network says its best move there is worth. *Means*
and *deviations* of such samples are exact, of the first seed.

{samples(kept)}

![Figure 7](figure-7.png)

{wrongness(kept)}

The thesis sees in it the same curve as in its Figure 8, which is the paper's. It is if it is so after every number of
steps, and is not where it is not after one. By the paper's rules, with 95% intervals over seeds (that the paper's can
be read off to a tenth is not in them); the same is what lies within {1 / SAME:g} and {SAME:g}:

{same_curve(kept)}

## Codings of values, and two more settings

{_ends(kept, ("moves", "softmax", "shares", "greedy", "fitted", "clipped"), "settings of `paper`")}

The softmax is one of values in chips. On [the page of the paper](../leduc_nfsp/README.md) it is one of the values as
they are learned, divided by 26, which is nearer to uniform. Codings in the thesis's own program, whose values are in
chips by themselves, are among its changes above, and in the claims.

## What 16 units lack

{lack(kept)}

{changes(kept, CAUSES, PLAIN, "given to 16 units")}

At the end of each; *silent* is the share of hidden units that are 0 in all situations:

{sixteen(kept)}

![16 units](sixteen.png)

Every number at every evaluation is in `{RECORDS}`.

Made by `feint reproduce leduc-thesis{" --quick`" if quick else "` from records of `benchmarks/thesis_device.py`"}.
"""


def _head(kept: Records, quick: bool) -> str:
    """What the records were made with, and what is not as long as it should be."""
    hours = sum(record["seconds"] for record in kept.values()) / 3600
    made = made_with((KNOWN[name].label, record["made_with"]) for name, record in kept.items())
    counts = sorted(Counter(len(record["seeds"]) for record in kept.values()).items())
    seeds = ", ".join(f"{many} experiments with {each} seeds" for each, many in counts)
    lines = [f"{made}\n{hours:.2g} hours in all, each of a core that may have done other things beside: {seeds}."]
    if quick:
        return lines[0] + "\n**This is a quick look, to see that everything runs: it is too short to decide anything.**"
    cut = [
        f"{KNOWN[name].label} after {record['steps']:,} of {record['asked']:,} steps"
        for name, record in kept.items()
        if record["steps"] < record["asked"]
    ]
    left = [f"{each.label} ({each.preset} on {each.game})" for each in EXPERIMENTS if each.name not in kept]
    fewer = [
        f"{KNOWN[name].label} ({len(record['seeds'])} of {KNOWN[name].seeds})"
        for name, record in kept.items()
        if len(record["seeds"]) < KNOWN[name].seeds
    ]
    said_of = {"Ended by the clock": cut, "Not run": left, "With fewer seeds than they should have": fewer}
    lines += [fill(f"{what}: {'; '.join(names)}.", WIDTH) for what, names in said_of.items() if names]
    return "\n".join(lines)


def _beside(kept: Records) -> str:
    """Every two presets by the thesis's rules at their ends, and which is the better one."""
    rows = []
    for one, other in combinations((name for name in BY_ITS_RULES if name in kept), 2):
        ends = [kept[name]["rows"][-1] for name in (one, other)]
        ratio = ratio_of(*(row["exploitability"] for row in ends))
        played = [
            f"{row['step'] * KNOWN[name].config().tables:,}" for name, row in zip((one, other), ends, strict=True)
        ]
        verdict = "too short to decide" if short(kept, one, other) else preferred(ratio)
        rows.append([*(f"`{KNOWN[name].preset}`" for name in (one, other)), " and ".join(played), str(ratio), verdict])
    return table(["preset", "beside", "after moves", "the first over the second", "the first is"], rows)


def _ends(kept: Records, names: Sequence[str], what: str) -> str:
    """Exploitability at the start and at the end, and by how much responses fall short."""
    rows = []
    for name in (name for name in names if name in kept):
        first, last = kept[name]["rows"][0], kept[name]["rows"][-1]
        cells = [said(row["exploitability"]) for row in (first, last)]
        label = f"`{KNOWN[name].preset}`" if what == "preset" else KNOWN[name].label
        rows.append([label, KNOWN[name].game, f"{last['step']:,}", *cells, said(last["gap"])])
    return table([what, "rules", "steps", "exploitability at the start", "at the end", "the response's gap"], rows)
