"""Learning curves: exploitability against steps, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from feint.runs.folder import Run

ROUNDING = 1e-16
"""Exact zeros are drawn here: a logarithmic axis has no place for them."""
INK, LINE = "#333333", "#00796b"


def draw_curve(runs: Sequence[Run], path: Path) -> Path:
    """Draw the runs' curves into one picture; the file's ending chooses the format."""
    # Imported late: it takes half a second, and most commands draw nothing.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    colours = [LINE, "#c88719", "#5e548e", "#7a7a7a", "#a23b3b", "#3b6ea2"]
    for number, run in enumerate(runs):
        steps = [row["step"] for row in run.metrics]
        values = [max(row["exploitability"], ROUNDING) for row in run.metrics]
        colour = colours[number % len(colours)]
        axes.plot(steps, values, color=colour, linewidth=1.8, label=run.config.algorithm)
        axes.plot(steps[-1:], values[-1:], "o", color=colour, markersize=4)
        axes.annotate(
            f"{values[-1]:.2g}", (steps[-1], values[-1]), xytext=(5, 4), textcoords="offset points", color=colour
        )
    axes.set(xscale="log", yscale="log", xlabel="steps", ylabel="exploitability (chips per hand, exact)")
    names = sorted({run.config.game for run in runs})
    axes.set_title(" and ".join(names), color=INK, loc="left", fontweight="bold")
    axes.margins(x=0.08)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper right")
    figure.savefig(path, dpi=150)
    return path
