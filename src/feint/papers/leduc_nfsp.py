"""Neural fictitious self-play in Leduc hold'em: Heinrich & Silver (2016) and Joos's thesis (2018).

Their curves beside ours, for networks of 16, 64 and 128 units; what Q-learning alone does; what happens without
the reservoir, with too much anticipation, and with a reservoir that forgets; and the thesis's own two findings.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, final

import numpy as np

from feint.report.curve import Published, draw_curve
from feint.runs.folder import Run, load_run
from feint.runs.train import Watcher, train

TITLE = "Neural fictitious self-play in Leduc hold'em"
ALGORITHM, GAME = "nfsp", "leduc"


@final
@dataclass(frozen=True)
class Experiment:
    """One run of the reproduction."""

    name: str
    label: str
    algorithm: str = "nfsp"
    preset: str | None = "paper"
    settings: dict[str, Any] = field(default_factory=dict)


QUICK, FULL = (5_000, 1), (1_000_000, 3)
"""Steps and seeds of a quick look and of the whole."""
SMALL = {"history_capacity": 20_000, "replay_capacity": 20_000}
"""Memories a hundredth of the paper's: they fill, and so show what filling does, a hundred times sooner."""

EXPERIMENTS = (
    Experiment("16-units", "16 units", settings={"hidden": [16]}),
    Experiment("64-units", "64 units"),
    Experiment("128-units", "128 units", settings={"hidden": [128]}),
    Experiment("author", "64 units, as the author's program", preset="author"),
    Experiment("fast", "ours (fast)", preset="fast"),
    Experiment("dqn", "Q-learning, greedy", "dqn", None),
    Experiment("reservoir", "reservoir", settings=SMALL),
    Experiment("window", "sliding window", settings=SMALL | {"history": "window"}),
    Experiment("exponential", "exponential reservoir", settings=SMALL | {"history_least": 0.25}),
    Experiment("anticipation", "η = 0.5", settings={"anticipation": 0.5}),
    Experiment("relu-output", "ReLU output", settings={"output": "relu"}),
    Experiment("imitate-values", "imitating values", settings={"imitate": "values"}),
)


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Run every experiment that `out` does not hold yet, draw the figures and write the report."""
    steps, seeds = QUICK if quick else FULL
    runs: dict[str, Run] = {}
    for number, experiment in enumerate(EXPERIMENTS, 1):
        path = out / experiment.name
        watcher = watch(f"{number}/{len(EXPERIMENTS)} {experiment.label}")
        runs[experiment.name] = _run(experiment, path, steps, seeds, watcher)
    return write_report(out, runs)


def _run(experiment: Experiment, path: Path, steps: int, seeds: int, watcher: Watcher) -> Run:
    """Train, or read back what an earlier call has trained; what was cut off goes on."""
    if (path / "strategy.safetensors").is_file():
        return load_run(path)
    return train(
        experiment.algorithm,
        GAME,
        preset=experiment.preset,
        settings=experiment.settings,
        steps=steps,
        seeds=seeds,
        out=path,
        resume=(path / "checkpoints").is_dir(),
        watcher=watcher,
    )


def write_report(out: Path, runs: dict[str, Run]) -> Path:
    """Figures and a page that answers the claims one by one."""
    labels = {experiment.name: experiment.label for experiment in EXPERIMENTS}

    def figure(name: str, names: Sequence[str], published: Sequence[Published] = (), extra: Sequence[Any] = ()) -> None:
        chosen = [(runs[key], labels[key], "exploitability") for key in names]
        draw_curve([*chosen, *extra], out / f"{name}.png", published)

    figure("curves", ["16-units", "64-units", "128-units", "fast"], published_curves())
    figure("q-learning", ["64-units", "dqn"], extra=[(runs["dqn"], "Q-learning, average", "average")])
    figure("ablations", ["reservoir", "window", "exponential", "64-units", "anticipation"])
    figure("thesis", ["64-units", "relu-output", "imitate-values"])
    page = out / "README.md"
    page.write_text(_page(runs, labels))
    return page


def published_curves() -> list[Published]:
    """Figure 1a of the paper, as digitised by others (see data/README.md)."""
    return [Published(f"paper, {units} units", _points(units), moves=128) for units in (16, 64, 128)]


def _points(units: int) -> list[tuple[float, float]]:
    text = files("feint.papers").joinpath(f"data/nfsp_leduc_{units}_units.csv").read_text()
    rows = [row for row in csv.reader(text.splitlines()) if row][1:]
    return sorted((float(step), float(value)) for step, value in rows)


def _at(run: Run, step: int, metric: str) -> float:
    """A metric at the last evaluation up to a step."""
    return float([row for row in run.metrics if row["step"] <= step][-1][metric])


def _page(runs: dict[str, Run], labels: dict[str, str]) -> str:
    last = runs["64-units"].metrics[-1]["step"]
    marks = [*(mark for mark in (1_000, 10_000, 100_000) if mark < last), last]
    lines = [(labels[name], run, "exploitability") for name, run in runs.items()]
    lines.append(("Q-learning, average", runs["dqn"], "average"))
    rows = [
        f"| {label} | {' | '.join(f'{_at(run, mark, metric):.3f}' for mark in marks)} |" for label, run, metric in lines
    ]
    steps, values = np.log(_points(64)).T
    paper = " | ".join(f"{np.exp(np.interp(np.log(mark), steps, values)):.3f}" for mark in marks)
    seeds = runs["64-units"].config.seeds
    scale = "One seed." if seeds == 1 else f"Medians of {seeds} seeds."
    if last < FULL[0]:
        scale += f" A look at the first {last:,} steps; the claims need the full run of {FULL[0]:,}."
    return f"""# {TITLE}

{scale}

Exploitability in chips per hand (exact, NashConv / 2) after so many steps of 128 moves (of 1,024 for *ours*).

| | {" | ".join(f"{mark:,}" for mark in marks)} |
|---|{"---|" * len(marks)}
| the paper, 64 units (digitised, interpolated) | {paper} |
{chr(10).join(rows)}

![curves](curves.png)
![Q-learning](q-learning.png)
![ablations](ablations.png)
![the thesis's findings](thesis.png)

Figures for the ablations of the reservoir use memories a hundredth of the paper's size, which fill a hundred times
sooner. Made by `feint reproduce leduc-nfsp`.
"""
