"""One run: how it learns or learned, with what settings, and what can be done with it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

import htpy as h
from fastapi import APIRouter, Request
from htpy import Node, Renderable
from starlette.responses import HTMLResponse

from feint.report.curve import ACROSS
from feint.runs.agents import comes_with_feint
from feint.runs.config import explained, flat, resolve, written
from feint.runs.files import CARD, writer_of
from feint.studio.card_words import card_words
from feint.studio.index import Listed, NotHere
from feint.studio.learning import Course, counted, course_of, picture, usual_across
from feint.studio.page import chooser, field, page, table
from feint.studio.pages.runs import AGAIN, FEW, Axis, address, figure
from feint.studio.trainings import GOING, Training

router = APIRouter()


@router.get("/runs/{key}", include_in_schema=False)
def run_page(request: Request, key: str, across: Axis = None) -> HTMLResponse:
    studio = request.app.state.studio
    training = studio.trainings.find(key)
    try:
        listed = studio.index.one(key)
    except NotHere:
        if training is None:
            raise
        return page(request, key, *_unborn(key, training))
    state = studio.trainings.state(listed)
    return page(request, key, *_run(listed, state, training, across))


def _unborn(key: str, training: Training) -> list[Node]:
    if training.alive:
        words = (
            "It is being stopped." if training.stopping else "It is being prepared: rules are unrolled and compiled."
        )
        refreshed = h.p(role="status", data_refresh=AGAIN)[words]
        return [refreshed, h.p(".note")[training.said], None if training.stopping else _stop(key)]
    return [
        h.p(".failed", role="alert")[training.said or "It ended without a word."],
        h.p["Nothing of it is kept. ", h.a(href="/train")["Train another one"], "."],
    ]


def _stop(key: str) -> Renderable:
    return h.form(data_post=f"/api{address(key)}/stop")[
        h.button("#stop", type="submit")["Stop"], h.span(".note")[" It ends well, and everything is kept."]
    ]


def _run(listed: Listed, state: str, training: Training | None, across: str | None) -> list[Node]:
    """A run's page."""
    key, config, course = listed.key, listed.config, course_of(listed)
    own = not comes_with_feint(listed.path)
    here = training is not None and training.alive
    going = state in GOING
    who = writer_of(listed.path) if going and not here else None
    seeds = f"seeds {config.seed} to {config.seed + config.seeds - 1}" if config.seeds > 1 else f"seed {config.seed}"
    return [
        h.p(".lead")[f"{config.algorithm} on {config.game}, {seeds}: ", h.strong[listed.how_good], "."],
        h.p(role="status", data_refresh=AGAIN if going else None)[
            h.strong["State: "], state, f", trained by {who}; stop it where it was started" if who else None, "."
        ],
        h.p(".failed", role="alert")[training.said] if training and training.failed and not listed.finished else None,
        h.p(".links")[
            h.a(".button", href=f"/?{urlencode({'opponent': key})}")["Play against it"],
            h.a(".button", href=f"/strategy/{quote(key, safe='')}")["See its strategy"],
        ]
        if listed.finished and not going
        else None,
        _stop(key) if here and training and not training.stopping else None,
        _resume(key) if own and not going else None,
        h.h2["How it learned"],
        _learned(key, course, across) if course.metrics else h.p["The first evaluation is still to come."],
        h.p[h.a(href=f"/api{address(key)}/metrics.csv")["Every evaluation as CSV"]],
        h.h2["Its settings"],
        _settings(config.algorithm, config.settings),
        _card(listed),
    ]


def _learned(key: str, course: Course, across: str | None) -> Node:
    axes = [(name, ACROSS[name]) for name in counted([course])]
    chosen = across if across in dict(axes) else usual_across([course])
    return [
        h.form(".choices", data_go=address(key))[
            chooser("Against", "across", axes, chosen, data_submit="", id="across")
        ],
        figure(picture([course], chosen, None)),
    ]


def _resume(key: str) -> Renderable:
    return h.form(".choices", data_post=f"/api{address(key)}/resume")[
        field("More seconds", "seconds", "60", "number", min="1", max="1000000", step="any", data_type="number"),
        h.button("#resume", type="submit")["Resume"],
    ]


def _settings(algorithm: str, settings: Any) -> Renderable:
    about = explained(resolve(algorithm, settings))
    rows = [(name, value, h.span(".wide")[about[name]]) for name, value in written(flat(settings)).items()]
    if not rows:
        return h.p["There is nothing to set."]
    return h.details("#settings", open=len(rows) <= FEW)[
        h.summary[f"{len(rows)} settings"], table(("setting", "value", "what it is"), rows)
    ]


def _card(listed: Listed) -> Node:
    file = listed.path / CARD
    if not listed.finished or not file.is_file():
        return None
    return [
        h.h2["Its card"],
        h.details("#card")[h.summary["What it is, and how to use it"], card_words(file.read_text(errors="replace"))],
    ]
