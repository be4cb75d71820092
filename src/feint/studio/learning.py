"""How runs learned, whether they are finished or not: their curves side by side, with the papers' beneath them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import final

from feint.games.errors import BadInput
from feint.papers.library import published
from feint.report.compare import curves_of
from feint.report.curve import ACROSS, EXACT_METRICS, ROUNDING, Curve, words_up
from feint.runs.config import RunConfig
from feint.runs.files import TIMINGS, Row, reading, rows_of
from feint.studio.index import Listed


@final
@dataclass(frozen=True)
class Course:
    """How one run has gone so far."""

    name: str
    config: RunConfig
    metrics: list[Row]
    timings: list[Row]

    @property
    def seconds(self) -> list[float]:
        """How long it took to reach each evaluation, compilation left out."""
        at = {time["step"]: time["seconds"] for time in reversed(self.timings)}
        return [float(at[row["step"]]) for row in self.metrics]


def course_of(listed: Listed) -> Course:
    """How a run has gone, by its logs; an evaluation whose time is not written yet does not count."""
    file = listed.path / TIMINGS
    with reading(listed.path):
        timings = rows_of(file)[0] if file.is_file() else []
    timed = {row["step"] for row in timings}
    return Course(listed.key, listed.config, [row for row in listed.metrics if row["step"] in timed], timings)


@final
@dataclass(frozen=True)
class Picture:
    """Curves as they are drawn."""

    lines: dict[str, list[tuple[float, float, float, float]]]
    """By name: where, and the median, the lowest and the highest of the seeds there."""
    dashed: list[str]
    """Those that are from papers."""
    across: str
    up: str
    logarithmic: bool

    @property
    def medians(self) -> dict[str, list[tuple[float, float]]]:
        return {name: [(where, middle) for where, middle, _, _ in points] for name, points in self.lines.items()}

    @property
    def bands(self) -> dict[str, list[tuple[float, float, float]]]:
        """Where seeds differ: from the lowest to the highest of them."""
        spread = {name: [(where, low, high) for where, _, low, high in each] for name, each in self.lines.items()}
        return {name: band for name, band in spread.items() if any(low < high for _, low, high in band)}


def counted(courses: Sequence[Course]) -> list[str]:
    """What all of some runs can be drawn against."""
    needs = {"hands": "hands", "moves": "decisions"}
    rows = [course.metrics[-1] for course in courses]
    return [name for name in ACROSS if name not in needs or all(needs[name] in row for row in rows)]


def shared_metrics(courses: Sequence[Course]) -> list[str]:
    """The numbers that all of some runs have in their evaluations."""
    names = [{name for name, value in course.metrics[-1].items() if isinstance(value, float)} for course in courses]
    return sorted(set.intersection(*names)) if names else []


def usual_across(courses: Sequence[Course]) -> str:
    """Moves where a paper's curve is to be beneath, which is drawn against them; steps elsewhere."""
    paper = any(published(course.config.algorithm, course.config.game) for course in courses)
    return "moves" if paper and "moves" in counted(courses) else "steps"


def picture(courses: Sequence[Course], across: str, metric: str | None) -> Picture:
    """Runs in one picture: those that differ by their seeds alone are one line."""
    if across not in counted(courses):
        raise BadInput(f"These runs are drawn against {', '.join(counted(courses))}, but {across[:40]!r} was given.")
    if metric is not None and metric not in shared_metrics(courses):
        raise BadInput(f"Not all of these runs have {metric[:40]!r}; choose a number that they share.")
    curves = curves_of(courses, metric)
    exact = {curve.metric for curve in curves} <= EXACT_METRICS
    lines = {}
    for curve in curves:
        points = []
        for where, values in curve.points(across):
            least = ROUNDING if exact else -math.inf
            middle, low, high = (max(float(end(values)), least) for end in (median, min, max))
            points.append((where, middle, low, high))
        lines[curve.label] = points
    papers = _papers(curves) if across == "moves" else {}
    shown = {name: [(x, y, y, y) for x, y in points] for name, points in papers.items()}
    return Picture(lines | shown, list(shown), ACROSS[across], words_up(curves), exact)


def _papers(curves: Sequence[Curve]) -> dict[str, list[tuple[float, float]]]:
    """What papers published of the same, by the moves played."""
    asked = dict.fromkeys(
        (run.config.algorithm, run.config.game)
        for curve in curves
        if curve.metric == "exploitability"
        for run in curve.runs[:1]
    )
    return {
        told.label: [(step * told.moves, value) for step, value in told.points if math.isfinite(value)]
        for algorithm, game in asked
        for told in published(algorithm, game)
    }
