"""Runs: all that were trained or are being trained, how good they are, and how they learned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import quote, urlencode

import htpy as h
from fastapi import APIRouter, Query, Request
from htpy import Node
from pydantic import BaseModel
from starlette.responses import HTMLResponse, Response

from feint.games.errors import BadInput
from feint.report.curve import ACROSS, LESS
from feint.runs.files import Row
from feint.runs.summary import measured, of_strategy
from feint.studio.drawing import curve
from feint.studio.index import Listed
from feint.studio.learning import Course, Picture, counted, course_of, picture, shared_metrics, usual_across
from feint.studio.page import Tab, chooser, page, table
from feint.studio.refusals import REFUSALS
from feint.studio.sheets import sheet
from feint.studio.trainings import GOING, Training

router = APIRouter()
TAB = Tab(5, "Runs", "/runs")
AGAIN = "1500"
"""Milliseconds after which a page looks again at runs that go on."""
FEW = 8
"""Settings that are shown without being asked for."""
MOST_DRAWN = 24
"""Runs in one picture."""

Keys = Annotated[list[str], Query(max_length=MOST_DRAWN)]
Axis = Annotated[str | None, Query(max_length=40)]


class RunTold(BaseModel):
    """A run, and how good it is."""

    key: str
    game: str
    algorithm: str
    seed: int
    state: str
    steps: int | None = None
    measure: str | None = None
    value: float | None = None
    unit: str | None = None
    kind: str | None = None
    how_good: str
    trained_here: bool = False
    """Whether this studio trains it, and so can stop it."""


class Evaluations(BaseModel):
    """How a run learned."""

    key: str
    game: str
    algorithm: str
    state: str
    rows: list[dict[str, float | int | list[float] | None]]
    """One for each evaluation: `step`, `seconds` of training, and all its numbers."""


@router.get("/api/runs", responses=REFUSALS)
def every(request: Request) -> list[RunTold]:
    """All runs, and the agents that come with Feint."""
    return [told(request, each) for each in request.app.state.studio.index.listed()]


@router.get("/api/runs.csv", include_in_schema=False)
def every_csv(request: Request) -> Response:
    heads = list(RunTold.model_fields)
    return sheet("runs", heads, ([getattr(run, name) for name in heads] for run in every(request)))


@router.get("/api/runs/{key}", responses=REFUSALS)
def one(request: Request, key: str) -> RunTold:
    """One run."""
    return told(request, request.app.state.studio.index.one(key))


@router.get("/api/runs/{key}/metrics", responses=REFUSALS)
def metrics(request: Request, key: str) -> Evaluations:
    """How a run learned, up to now if it goes on."""
    listed = request.app.state.studio.index.one(key)
    state = request.app.state.studio.trainings.state(listed)
    rows = _timed(course_of(listed))
    return Evaluations(key=key, game=listed.config.game, algorithm=listed.config.algorithm, state=state, rows=rows)


@router.get("/api/runs/{key}/metrics.csv", include_in_schema=False)
def metrics_csv(request: Request, key: str) -> Response:
    rows = _timed(course_of(request.app.state.studio.index.one(key)))
    heads = list(dict.fromkeys(name for row in rows for name in row if name != "seeds"))
    return sheet("metrics", heads, ([row.get(name) for name in heads] for row in rows))


@router.get("/api/curves.csv", include_in_schema=False)
def curves_csv(request: Request, run: Keys, across: Axis = None, metric: Axis = None) -> Response:
    drawn = _drawn(_judged(request, run), across, metric)
    heads = ("line", drawn.across, f"median {drawn.up}", "lowest", "highest")
    return sheet("curves", heads, ((name, *point) for name, points in drawn.lines.items() for point in points))


def told(request: Request, listed: Listed) -> RunTold:
    """A run for programs."""
    trainings, config = request.app.state.studio.trainings, listed.config
    last = of_strategy(listed.metrics[-1]) if listed.metrics else None
    number = measured(last) if last else None
    training = trainings.find(listed.key)
    return RunTold(
        key=listed.key,
        game=config.game,
        algorithm=config.algorithm,
        seed=config.seed,
        state=trainings.state(listed),
        steps=last["step"] if last else None,
        measure=number.name if number else None,
        value=number.value if number and math.isfinite(number.value) else None,
        unit=number.unit if number else None,
        kind=number.kind if number else None,
        how_good=listed.how_good,
        trained_here=training is not None and training.alive,
    )


def _timed(course: Course) -> list[Row]:
    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(each) for each in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value

    rows = zip(course.metrics, course.seconds, strict=True)
    return [{"step": row["step"], "seconds": seconds} | {k: plain(v) for k, v in row.items()} for row, seconds in rows]


@router.get("/runs", include_in_schema=False)
def runs_page(request: Request, run: Keys = [], across: Axis = None, metric: Axis = None) -> HTMLResponse:  # noqa: B006
    studio = request.app.state.studio
    listed = studio.index.listed()
    states = {each.key: studio.trainings.state(each) for each in listed}
    unlisted = studio.trainings.unlisted(listed)
    going = sum(state in GOING for state in states.values()) + sum(each.alive for each in unlisted.values())
    damaged = sorted(set(studio.index.folders()) - {each.key for each in listed})
    return page(
        request,
        "Runs",
        h.p(".lead")[
            "All that was trained here, and what comes with Feint (feint: …). Choose some to see how they learned, "
            "in one picture."
        ],
        h.p[h.a(".button.primary", href="/train")["Train a new run"]],
        _going_on(going),
        [_beginning(key, training) for key, training in unlisted.items()],
        h.form(data_go="/runs", aria_label="Runs to draw")[
            table(
                ("draw", "run", "state", "how good it is", "game", "algorithm"),
                (_row(each, states[each.key], each.key in run) for each in listed),
                stacked=True,
            ),
            _together(request, [key for key in run if key in states], across, metric),
        ],
        h.p(".note")[f"These folders hold runs that cannot be read: {', '.join(damaged)}."] if damaged else None,
        h.p[h.a(href="/api/runs.csv")["The list as CSV"]],
    )


def _row(listed: Listed, state: str, chosen: bool) -> list[Node]:
    box = h.input(
        type="checkbox",
        name="run",
        value=listed.key,
        checked=chosen,
        id=f"draw-{listed.key}",
        aria_label=f"Draw {listed.key}",
        data_many="",
        data_submit="",
    )
    config = listed.config
    good = h.span(".wide")[listed.how_good]
    return [box, h.a(href=address(listed.key))[listed.key], state, good, config.game, config.algorithm]


def address(key: str) -> str:
    """A run's page."""
    return f"/runs/{quote(key, safe='')}"


def _going_on(number: int) -> Node:
    words = "One run is going on" if number == 1 else f"{number} runs are going on"
    return h.p(role="status", data_refresh=AGAIN)[f"{words}; this page follows."] if number else None


def _beginning(key: str, training: Training) -> Node:
    """A training of which no folder tells."""
    words = training.said or "it is being prepared"
    if training.alive:
        return h.p[h.a(href=address(key))[key], f" is starting: {words}"]
    return h.p(".failed")[h.a(href=address(key))[key], f" has left no run: {words}"]


def _together(request: Request, keys: Sequence[str], across: str | None, metric: str | None) -> Node:
    """The picture of those that were chosen, and what it can be drawn by."""
    if not keys:
        return None
    courses = _judged(request, keys)
    if not courses:
        return h.p(".note")["None of these was judged yet; there is nothing to draw."]
    axes = [(name, ACROSS[name]) for name in counted(courses)]
    across = across if across in dict(axes) else usual_across(courses)
    known = shared_metrics(courses)
    numbers = [("", "the number that matters"), *((name, name.replace("_", " ")) for name in known)]
    metric = metric if metric in known else None
    query = urlencode([("run", key) for key in keys] + [("across", across)] + ([("metric", metric)] if metric else []))
    try:
        drawn: Node = [
            figure(_drawn(courses, across, metric)),
            h.p(".note")["Runs that differ by their seeds alone are one line, their median."],
            h.p[h.a(href=f"/api/curves.csv?{query}")["The picture as CSV"]],
        ]
    except BadInput as error:
        drawn = h.p(".note")[str(error).replace(" with --metric", "")]
    return [
        h.h2["How they learned"],
        h.div(".choices")[
            chooser("Against", "across", axes, across, data_submit="", id="across"),
            chooser("What", "metric", numbers, metric or "", data_submit="", id="metric"),
        ],
        drawn,
    ]


def _judged(request: Request, keys: Sequence[str]) -> list[Course]:
    index = request.app.state.studio.index
    courses = [course_of(index.one(key)) for key in dict.fromkeys(keys)]
    return [course for course in courses if course.metrics]


def _drawn(courses: Sequence[Course], across: str | None, metric: str | None) -> Picture:
    if not courses:
        raise BadInput("None of these runs was judged yet; wait for the first evaluation.")
    return picture(courses, across or usual_across(courses), metric)


def figure(drawn: Picture) -> Node:
    """Curves, with what must be said beneath them."""
    return [
        curve(drawn.medians, drawn.across, drawn.up, drawn.dashed, drawn.logarithmic, drawn.bands),
        h.p(".note")["Shaded: from the lowest of the seeds to the highest."] if drawn.bands else None,
        h.p(".note")["Dashed: read off a paper's figure, against the moves played there."] if drawn.dashed else None,
        h.p(".note")[f"{LESS}; feint evaluate says what a best response wins."] if "random play" in drawn.up else None,
    ]
