"""Learning curves: exploitability against steps, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from feint.report.canvas import COLOURS, INK, blank, keep
from feint.runs.run import Run
from feint.runs.summary import headline

ROUNDING = 1e-16
"""Exact zeros are drawn here: a logarithmic axis has no place for them."""


class Published(NamedTuple):
    """A curve from a paper."""

    label: str
    points: Sequence[tuple[float, float]]
    """Steps and exploitability."""
    moves: int
    """Moves played in one of its steps."""


Curve = tuple[Run, str, str]
"""A run, its label and the metric to show."""


LESS = "Less won off random play may be better play"
"""What must be said beside such winnings."""


def draw_curve(curves: Sequence[Run | Curve], path: Path, published: Sequence[Published] = ()) -> Path:
    """Draw runs' curves into one picture, with a band where there were many seeds; the ending chooses the format.

    Published curves are dashed. Beside them runs are drawn against the moves played, which compare across methods
    where steps do not.
    """
    figure = blank(7.2, 4.5)
    axes = figure.subplots()
    shown = [
        curve if isinstance(curve, tuple) else (curve, curve.config.algorithm, headline(curve.metrics[-1])[0])
        for curve in curves
    ]
    exact = any(metric != "winnings" for _, _, metric in shown)
    for number, (run, label, metric) in enumerate(shown):
        colour = COLOURS[number % len(COLOURS)]
        steps = [row["decisions" if published else "step"] for row in run.metrics]
        values = [max(row[metric], ROUNDING) if exact else row[metric] for row in run.metrics]
        axes.plot(steps, values, color=colour, linewidth=1.8, label=label)
        if metric == headline(run.metrics[-1])[0] and "seeds" in run.metrics[-1]:
            low, high = ([bound(row["seeds"]) for row in run.metrics] for bound in (min, max))
            axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(steps[-1:], values[-1:], "o", color=colour, markersize=4)
        last = f"{run.metrics[-1][metric]:.2g}" if exact else f"{values[-1]:,.0f}"
        axes.annotate(last, (steps[-1], values[-1]), xytext=(5, 4), textcoords="offset points", color=colour)
    for curve, shade in zip(published, ("0.75", "0.55", "0.35"), strict=False):
        points = [(step * curve.moves, value) for step, value in curve.points]
        axes.plot(*zip(*points, strict=True), "--", color=shade, linewidth=1.3, label=curve.label)
    across = "moves played" if published else "steps"
    measure = "exploitability (chips per hand, exact)" if exact else "winnings against random play (mbb/h)"
    axes.set(xscale="log", yscale="log" if exact else "linear", xlabel=across, ylabel=measure)
    games = sorted({run.config.game for run, _, _ in shown})
    axes.set_title(" and ".join(games), color=INK, loc="left", fontweight="bold")
    if not exact:
        figure.supxlabel(f"{LESS}: see what a best response wins, by feint evaluate.", fontsize=8, color="0.4")
    axes.margins(x=0.08)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="best", fontsize="small")
    return keep(figure, path)
