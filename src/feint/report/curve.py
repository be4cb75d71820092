"""Learning curves: exploitability against steps, hands, moves or seconds, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple, Protocol

from feint.games.errors import BadInput
from feint.report.canvas import COLOURS, INK, blank, keep
from feint.runs.config import RunConfig
from feint.runs.files import Row
from feint.runs.run import Run
from feint.runs.summary import headline

ROUNDING = 1e-16
"""Exact zeros are drawn here: a logarithmic axis has no place for them."""
EXACT_METRICS = {"exploitability", "nash_conv"}
"""What is never negative and falls, so that its axis is logarithmic."""


class Published(NamedTuple):
    """A curve from a paper."""

    label: str
    points: Sequence[tuple[float, float]]
    """Steps and exploitability."""
    moves: int
    """Moves played in one of its steps."""


class Logged(Protocol):
    """As much of a run as its curve takes: one that still goes on has that too."""

    @property
    def name(self) -> str:
        """What it goes by beside others."""

    @property
    def config(self) -> RunConfig: ...

    @property
    def metrics(self) -> list[Row]: ...

    @property
    def timings(self) -> list[Row]: ...


class Curve(NamedTuple):
    """Runs that differ by nothing but their seeds, as one line."""

    runs: Sequence[Logged]
    label: str
    metric: str
    """What of their evaluations to show: every seed's number where it is kept, and else what a run says of them all."""

    def points(self, across: str) -> list[tuple[float, list[float]]]:
        """At every evaluation that all of them have made, how far they had come and every seed's number."""
        rows = [{row["step"]: row for row in run.metrics} for run in self.runs]
        steps = sorted(set.intersection(*(set(each) for each in rows)))
        return [
            (
                median(_place(run, each[step], across) for run, each in zip(self.runs, rows, strict=True)),
                [value for each in rows for value in self._values(each[step])],
            )
            for step in steps
        ]

    @property
    def cut(self) -> bool:
        """Whether one of them ended before others, so that it is not told how these went on."""
        return len({run.metrics[-1]["step"] for run in self.runs}) > 1

    def _values(self, row: Row) -> list[float]:
        if not isinstance(row.get(self.metric), int | float):  # as the list of every seed's number is not
            known = ", ".join(name for name, value in row.items() if isinstance(value, float))
            raise BadInput(f"{self.label} has no metric called {self.metric!r}; choose from {known}.")
        if "seeds" not in row:
            return [row[self.metric]]
        seeds, number = row["seeds"], headline(row)[0]
        if self.metric == "nash_conv" and (row[number] or not any(seeds)):
            return [each * row["nash_conv"] / (row[number] or 1.0) for each in seeds]
        return list(seeds) if self.metric == number else [row[self.metric]]


ACROSS = {"steps": "steps", "hands": "hands played", "moves": "moves played", "seconds": "seconds of training"}
"""What runs can be drawn against, and what is written there."""


def _place(run: Logged, row: Row, across: str) -> float:
    if across == "seconds":
        return float(min(time["seconds"] for time in run.timings if time["step"] == row["step"]))
    name = {"steps": "step", "moves": "decisions"}.get(across, across)
    if name not in row:
        raise BadInput(f"{run.config.algorithm} counts no {across}, so it cannot be drawn against them; use steps.")
    return float(row[name])


def curve_of(run: Logged) -> Curve:
    """A run alone, by the number that matters."""
    return Curve([run], run.config.algorithm, headline(run.metrics[-1])[0])


def words_up(curves: Sequence[Curve]) -> str:
    """What curves show, with its unit and kind."""
    won, exact = ({curve.metric for curve in curves} <= names for names in ({"winnings"}, EXACT_METRICS))
    names = " and ".join(sorted({curve.metric.replace("_", " ") for curve in curves}))
    return names + (" (chips per hand, exact)" if exact else " against random play (mbb/h)" if won else "")


LESS = "Less won off random play may be better play"
"""What must be said beside such winnings."""


def draw_curve(
    curves: Sequence[Run | Curve], path: Path, published: Sequence[Published] = (), across: str = "steps"
) -> Path:
    """Draw runs' curves into one picture, with a band where there were many seeds; the ending chooses the format.

    Published curves are dashed. Beside them runs are drawn against the moves played, which compare across methods
    where steps do not.
    """
    figure = blank(7.2, 4.5)
    axes = figure.subplots()
    shown = [curve if isinstance(curve, Curve) else curve_of(curve) for curve in curves]
    across = "moves" if published else across
    won, exact = ({curve.metric for curve in shown} <= names for names in ({"winnings"}, EXACT_METRICS))
    for number, curve in enumerate(shown):
        colour = COLOURS[number % len(COLOURS)]
        points = curve.points(across)
        places, seeds = [place for place, _ in points], [values for _, values in points]
        values = [max(median(each), ROUNDING) if exact else median(each) for each in seeds]
        axes.plot(places, values, color=colour, linewidth=1.8, label=curve.label)
        if len(seeds[-1]) > 1:
            low, high = ([end(each) for each in seeds] for end in (min, max))
            axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.plot(places[-1:], values[-1:], "o", color=colour, markersize=4)
        last = f"{values[-1]:,.0f}" if won else f"{median(seeds[-1]):.2g}"
        axes.annotate(last, (places[-1], values[-1]), xytext=(5, 4), textcoords="offset points", color=colour)
    for other, shade in zip(published, ("0.75", "0.55", "0.35"), strict=False):
        ends = [(step * other.moves, value) for step, value in other.points]
        axes.plot(*zip(*ends, strict=True), "--", color=shade, linewidth=1.3, label=other.label)
    axes.set(xscale="log", yscale="log" if exact else "linear", xlabel=ACROSS[across], ylabel=words_up(shown))
    games = sorted({run.config.game for curve in shown for run in curve.runs})
    axes.set_title(" and ".join(games), color=INK, loc="left", fontweight="bold")
    if won:
        figure.supxlabel(f"{LESS}: see what a best response wins, by feint evaluate.", fontsize=8, color="0.4")
    axes.margins(x=0.08)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="best", fontsize="small")
    return keep(figure, path)
