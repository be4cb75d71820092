"""Neural fictitious self-play in Leduc hold'em: Heinrich & Silver (2016) and Joos's thesis (2018).

Their curves beside ours, for networks of 16, 64 and 128 units; what Q-learning alone does; what happens without
the reservoir, with too much anticipation, and with a reservoir that forgets; and the thesis's own two findings.
Every claim is answered from the runs: what was measured, and whether it holds.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np

from feint.papers.trials import Trial, provenance, quick_look, table, trained
from feint.report.curve import Curve, Published, draw_curve
from feint.runs.files import write_whole
from feint.runs.loop import Watcher
from feint.runs.run import Run

TITLE = "Neural fictitious self-play in Leduc hold'em"
ALGORITHM, GAME = "nfsp", "leduc"


@final
@dataclass(frozen=True)
class Experiment:
    """One setting of the reproduction, run with several seeds."""

    name: str
    label: str
    algorithm: str = "nfsp"
    preset: str | None = "paper"
    settings: dict[str, Any] = field(default_factory=dict)
    steps: int = 1_000_000


SEEDS = 3
QUICK = 3_000, 1
"""Steps and seeds of a quick look."""
SMALL = {"average.capacity": 20_000, "replay.capacity": 20_000}
"""A hundredth and a tenth of the paper's: they fill, and so show what filling does, that much sooner."""

EXPERIMENTS = (
    Experiment("16-units", "16 units", settings={"network.hidden": (16,)}),
    Experiment("64-units", "64 units"),
    Experiment("128-units", "128 units", settings={"network.hidden": (128,)}),
    Experiment("author", "64 units, as the author's program", preset="author"),
    Experiment("fast", "ours (fast)", preset="fast", steps=200_000),
    Experiment("dqn", "Q-learning, greedy", "dqn", None),
    Experiment("anticipation", "η = 0.5", settings={"anticipation": 0.5}, steps=2_000_000),
    Experiment("window", "sliding window", settings={"average.kind": "window"}),
    Experiment("small-reservoir", "reservoir, small", settings=SMALL, steps=300_000),
    Experiment("small-fading", "exponential reservoir, small", settings=SMALL | {"average.least": 0.25}, steps=300_000),
    Experiment("relu-output", "ReLU output", settings={"network.output": "relu"}, steps=300_000),
    Experiment("imitate-values", "imitating values", settings={"policy.imitate": "values"}, steps=300_000),
)
AVERAGE = Experiment("dqn-average", "Q-learning, average")
"""Not run by itself: the runs of Q-learning, judged by their average."""
KNOWN = {experiment.name: experiment for experiment in (*EXPERIMENTS, AVERAGE)}
FIGURES = {
    "curves": ("16-units", "64-units", "128-units", "author", "fast"),
    "q-learning": ("64-units", "dqn", "dqn-average"),
    "ablations": ("64-units", "anticipation", "window"),
    "memories": ("small-reservoir", "small-fading"),
    "thesis": ("64-units", "relu-output", "imitate-values"),
}
Trials = Mapping[str, Sequence[Run]]
"""For each experiment, a run for each seed."""


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Run every experiment that `out` does not hold yet, draw the figures and write the report."""
    most, seeds = QUICK if quick else (max(experiment.steps for experiment in EXPERIMENTS), SEEDS)
    trials: dict[str, list[Run]] = {}
    for number, experiment in enumerate(EXPERIMENTS, 1):
        title = f"{number}/{len(EXPERIMENTS)} {experiment.label}"
        trials[experiment.name] = [
            run_seed(experiment, out, min(experiment.steps, most), seed, watch(f"{title}, seed {seed}"))
            for seed in range(seeds)
        ]
    return write_report(out, trials)


def run_seed(experiment: Experiment, out: Path, steps: int, seed: int, watcher: Watcher) -> Run:
    """One seed of an experiment, trained or read back."""
    path = out / experiment.name / f"seed-{seed}"
    trial = Trial(
        path, experiment.label, experiment.algorithm, GAME, experiment.preset, experiment.settings, seed, steps
    )
    return trained(trial, watcher)


def write_report(out: Path, trials: Trials) -> Path:
    """Figures, every seed's curve as numbers, and a page that answers the claims one by one."""
    averages = [
        replace(run, metrics=[row | {"exploitability": row["average"]} for row in run.metrics]) for run in trials["dqn"]
    ]
    trials = {**trials, AVERAGE.name: averages}
    for name, shown in FIGURES.items():
        curves = [Curve(trials[key], KNOWN[key].label, "exploitability") for key in shown]
        draw_curve(curves, out / f"{name}.png", published_curves() if name == "curves" else ())
    numbers = {
        name: {"step": [row["step"] for row in runs[0].metrics]}
        | {f"seed {run.config.seed}": [round(row["exploitability"], 5) for row in run.metrics] for run in runs}
        for name, runs in trials.items()
    }
    write_whole(out / "curves.json", (json.dumps(numbers).replace("}, ", "},\n") + "\n").encode())
    page = out / "README.md"
    write_whole(page, _page(trials).encode())
    return page


def published_curves() -> list[Published]:
    """Figure 1a of the paper, as digitised by others (see data/README.md)."""
    return [Published(f"Heinrich & Silver 2016, {units} units", _points(units), moves=128) for units in (16, 64, 128)]


def _points(units: int) -> list[tuple[float, float]]:
    text = files("feint.papers").joinpath(f"data/nfsp_leduc_{units}_units.csv").read_text()
    rows = [row for row in csv.reader(text.splitlines()) if row][1:]
    return sorted((float(step), float(value)) for step, value in rows)


def paper_value(units: int, step: int) -> float:
    """The paper's exploitability after so many steps, between its digitised points."""
    steps, values = np.log(_points(units)).T
    return float(np.exp(np.interp(np.log(step), steps, values)))


class Measure(NamedTuple):
    """A number that tells what a run did."""

    words: str
    form: str
    of: Callable[[Run], float]


def _tail(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of steps and exploitability from a quarter of the run on."""
    rows = [row for row in run.metrics if 4 * row["step"] >= run.metrics[-1]["step"]]
    return np.log([row["step"] for row in rows]), np.log([row["exploitability"] for row in rows])


def _end(run: Run) -> float:
    return float(run.metrics[-1]["exploitability"])


END = Measure("exploitability", ".3f", _end)
LEAST = Measure("least exploitability", ".3f", lambda run: float(np.exp(_tail(run)[1].min())))
CHANGE = Measure("change per doubling", "+.0%", lambda run: float(2.0 ** np.polyfit(*_tail(run), 1)[0] - 1.0))
SWING = Measure("swing", ".0%", lambda run: float(np.std(np.diff(_tail(run)[1])) / np.sqrt(2.0)))
CLIMB = Measure("end over lowest", ".2f", lambda run: _end(run) / min(row["exploitability"] for row in run.metrics))
READING = 1.1
"""How far two readings of one printed curve were seen to differ."""


class Claim(NamedTuple):
    """That a number is higher in every run of an experiment than in any of another, or than `bar`."""

    text: str
    name: str
    reference: str
    measure: Measure = END
    bar: float | None = None


CLAIMS = (
    Claim("64 units do better than 16", "16-units", "64-units"),
    Claim("128 units do better than 64", "64-units", "128-units"),
    Claim("Q-learning's greedy strategy is highly exploitable", "dqn", "64-units", LEAST, 1.0),
    Claim("Q-learning's average ends above NFSP's", "dqn-average", "64-units"),
    Claim("Q-learning's average levels off", "dqn-average", "64-units", CHANGE, -0.1),
    Claim("η = 0.5 ends above η = 0.1", "anticipation", "64-units"),
    Claim("η = 0.5 levels off", "anticipation", "64-units", CHANGE, -0.1),
    Claim("A sliding window does worse than a reservoir", "window", "64-units"),
    Claim("A sliding window diverges", "window", "64-units", CLIMB, 1.5),
    Claim("An exponential reservoir is noisier", "small-fading", "small-reservoir", SWING),
    Claim("A ReLU output does worse than a linear one (thesis)", "relu-output", "64-units"),
    Claim("Values / 26 as targets do worse than 1 of k (thesis)", "imitate-values", "64-units"),
)


def findings(trials: Trials) -> list[tuple[str, str, str]]:
    """Every claim with what was measured and the verdict."""
    sizes = (("16-units", 16), ("64-units", 64), ("128-units", 128), ("author", 64))
    followed = [_follows(trials[name], name, units, mark) for name, units in sizes for mark in (100_000, 1_000_000)]
    return followed + [_answer(trials, claim) for claim in CLAIMS]


def _follows(runs: Sequence[Run], name: str, units: int, mark: int) -> tuple[str, str, str]:
    """Whether every seed is at the paper's curve or below it, or every one further above it than it can be read."""
    paper, ours = paper_value(units, mark), _values(END, runs, mark)
    verdict = "holds" if max(ours) <= paper else "does not hold" if min(ours) > paper * READING else "not decided"
    claim = f"{KNOWN[name].label}: the paper's curve is followed or beaten at {mark:,} steps"
    measured = f"{END.words}: {_said(END, runs, mark)}; the paper {paper:.3f}"
    return claim, measured, verdict if _last(runs) >= mark else "not decided at this length"


def _answer(trials: Trials, claim: Claim) -> tuple[str, str, str]:
    """Whether a claim holds; the other experiment is taken after as many steps, if it has made them."""
    _, name, reference, measure, bar = claim
    last = _last(trials[name])
    ours, theirs = (_values(measure, trials[key], last) for key in (name, reference))
    low, high = (min(theirs), max(theirs)) if bar is None else (bar, bar)
    verdict = "holds" if min(ours) > high else "does not hold" if max(ours) < low else "not decided"
    both = "; ".join(f"{KNOWN[key].label} {_said(measure, trials[key], last)}" for key in (name, reference))
    short = last < KNOWN[name].steps
    return claim.text, f"{measure.words}: {both}", "not decided at this length" if short else verdict


def _last(runs: Sequence[Run]) -> int:
    return int(runs[0].metrics[-1]["step"])


def _values(measure: Measure, runs: Sequence[Run], step: int) -> list[float]:
    """Every seed's number, with runs as far as their last evaluation up to a step."""
    cut = [replace(run, metrics=[row for row in run.metrics if row["step"] <= step]) for run in runs]
    return [measure.of(run) for run in cut]


def _said(measure: Measure, runs: Sequence[Run], step: int, after: bool = True) -> str:
    """The median, from where to where the seeds go, and after how many steps."""
    values = _values(measure, runs, step)
    median, low, high = (format(float(of(values)), measure.form) for of in (np.median, min, max))
    band = median if len(values) == 1 else f"{median} ({low} to {high})"
    return f"{band} after {min(step, _last(runs)):,}" if after else band


BESIDE = """
That 16 units do not follow the paper's curve to 1,000,000 steps rests on three seeds. With three more, by
[leduc_thesis](../leduc_thesis/README.md), the paper's may be an ordinary seed's; what 16 units lack is tried out
there. That page also has how often networks with a ReLU output fold, and softmaxes of values in chips: those
done here are of values / 26, nearer to uniform. In chips the answer is another with the settings here, and the same
with the thesis's own program.
"""
"""What the other page adds to this one's claims."""


def _page(trials: Trials) -> str:
    longest, seeds = max(_last(runs) for runs in trials.values()), len(trials["64-units"])
    quick = longest <= QUICK[0]
    marks = [mark for mark in (1_000, 10_000, 100_000, 1_000_000) if mark < longest]
    rows = [
        [f"the paper, {units} units (digitised)", *(f"{paper_value(units, mark):.3f}" for mark in marks), ""]
        for units in (16, 64, 128)
    ]
    for name, runs in trials.items():
        cells = [_said(END, runs, mark, after=False) if mark <= _last(runs) else "" for mark in marks]
        rows.append([KNOWN[name].label, *cells, _said(END, runs, longest)])
    return f"""# {TITLE}

{_provenance({name: runs for name, runs in trials.items() if name != AVERAGE.name})}

Exploitability is NashConv / 2 in chips per hand, exact. A step is 128 moves and the updates after them (1,024 moves
for *ours*). {"One seed." if seeds == 1 else f"Given are the median of {seeds} seeds and from where to where they go."}
{quick_look("leduc_nfsp") if quick else ""}
## The claims

A claim holds where all seeds say so, and is not decided where they differ. *Change per doubling* of the steps is that
of a line fitted to the logarithms from a quarter of the run on; a curve levels off if it loses less than 10%. *Least
exploitability* is over the same stretch (high is more than an ante), and so is *swing*: how far evaluations scatter,
from how much each differs from the one before. A run diverges if it ends above 1.5 times its lowest point. The paper's
curve was read off its figure, to about a tenth: it is not followed where every seed is more than that above it.

{table(["claim", "measured", "verdict"], findings(trials))}
{"" if quick else BESIDE}
## The curves

{table(["exploitability after steps", *(f"{mark:,}" for mark in marks), "at the end"], rows)}

{chr(10).join(f"![{name}]({name}.png)" for name in FIGURES)}

*Small* memories hold 20,000 transitions and 20,000 moves, a tenth and a hundredth of the paper's, so that they are
full a hundred times sooner. That a reservoir keeps each of N moves with the same probability, as the article says (1/N
where one is kept), is tested (tests/test_memory.py, `test_a_reservoir_keeps_what_algorithm_r_keeps`). Every seed's
curve is in `curves.json`.

Made by `feint reproduce leduc-nfsp{" --quick" if quick else ""}`.
"""


def _provenance(trials: Trials) -> str:
    """Where the runs were made, with what, and how long they took."""
    kept = [(KNOWN[name].label, run) for name, runs in trials.items() for run in runs]
    seconds = sum(run.timings[-1]["seconds"] for runs in trials.values() for run in runs)
    seeds = ", ".join(str(run.config.seed) for run in trials["64-units"])
    spent = f"{seconds / 3600:.2g} hours of running time, compilation left out"
    return f"{provenance(kept)}\nSeeds {seeds}; {spent}."
