"""Runs side by side: one line for all that differ only by their seeds."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from feint.games.errors import BadInput
from feint.report.curve import ACROSS, Curve, Logged, curve_of, draw_curve
from feint.runs.config import changes, written
from feint.runs.run import load_run


def compare(
    runs: Sequence[Logged | Path | str], path: Path | str, across: str = "steps", metric: str | None = None
) -> Path:
    """Draw runs, or those in some folders, into one picture: medians of seeds, in a band from lowest to highest.

    Runs of one algorithm with the same settings on the same game are seeds of one another, up to the last evaluation
    that all of them have; where two have a seed in common, each is a line of its own. `across` is what they are drawn
    against: steps, hands, moves or seconds; `metric` what is drawn, by default the number that matters.
    """
    path = Path(path)
    if across not in ACROSS:
        raise BadInput(f"Runs are drawn against {', '.join(ACROSS)}, but {across!r} was given.")
    if path.suffix not in {".png", ".svg", ".pdf"}:
        raise BadInput(f"A picture is a .png, .svg or .pdf, but {str(path)!r} was given.")
    return draw_curve(curves_of(runs, metric), path, across=across)


def curves_of(runs: Sequence[Logged | Path | str], metric: str | None = None) -> list[Curve]:
    """Runs by what they have in common, labelled by what they do not."""
    if not runs:
        raise BadInput("There are no runs to compare; name at least one, such as feint:leduc.")
    groups: dict[str, dict[tuple[str, int], Logged]] = {}
    for run in (load_run(run) if isinstance(run, Path | str) else run for run in runs):
        config = run.config
        alike = json.dumps([config.game, config.algorithm, config.words["settings"]])
        # By how far it has come, too: a run that was gone on with may be here as it was before and as it is now.
        groups.setdefault(alike, {})[run.name, run.metrics[-1]["step"]] = run
    firsts = [next(iter(group.values())) for group in groups.values()]
    if len({curve_of(first).metric for first in firsts}) > 1 and metric is None:
        raise BadInput("These runs are judged by different measures; name one that all have with --metric.")
    curves = []
    for group, first in zip(groups.values(), firsts, strict=True):
        label, shown = _label(first, firsts), metric or curve_of(first).metric
        if _seeds_apart(group.values()):
            curves.append(Curve(list(group.values()), label, shown))
        else:
            names = [name for name, _ in group]
            curves += [
                Curve([run], f"{label} ({name if names.count(name) == 1 else f'{name}, {step:,} steps'})", shown)
                for (name, step), run in group.items()
            ]
    return curves


def _seeds_apart(runs: Collection[Logged]) -> bool:
    """Whether no two runs have a seed in common, so that together they tell more than each by itself."""
    seeds = [seed for run in runs for seed in range(run.config.seed, run.config.seed + run.config.seeds)]
    return len(set(seeds)) == len(seeds)


def _label(run: Logged, others: Sequence[Logged]) -> str:
    """What tells a run from the others: its algorithm, its game where they have several, settings that differ."""
    config = run.config
    alike = [other.config for other in others if other.config.algorithm == config.algorithm]
    differ: dict[str, Any] = {}
    for other in alike:
        differ |= changes(config.settings, other.settings)
    where = f" on {config.game}" if len({other.config.game for other in others}) > 1 else ""
    return " ".join([f"{config.algorithm}{where}", *map("=".join, written(differ).items())])
