"""Solve: a spot of hold'em in, what to do with every hand out."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import htpy as h
from fastapi import APIRouter, Query, Request
from htpy import Node, Renderable
from pydantic import BaseModel
from starlette.responses import HTMLResponse, Response

from feint.games.errors import BadInput
from feint.games.postflop import DECK, Spot
from feint.games.ranges import by_kind, read_range
from feint.games.spot_words import Lock
from feint.report.spot_facts import as_csv, hands_as_csv, spot_facts
from feint.studio.drawing import curve
from feint.studio.page import Tab, page, table
from feint.studio.refusals import REFUSALS, Nothing
from feint.studio.spot_form import FIRST, MOST_LOCKS, Asked, Bound, asked_for, form
from feint.studio.spot_view import locks_of, solved_spot
from feint.studio.spots import Job
from feint.studio.visit import Late

router = APIRouter()
TAB = Tab(3, "Solve", "/solve")
AGAIN = "500"
"""Milliseconds after which a page looks again how a spot stands."""
PATIENCE = 20.0
"""Seconds that programs wait for what takes time to look up."""

Betting = Annotated[str, Query(max_length=300)]


class Begun(BaseModel):
    """A spot that is to be solved."""

    spot: str
    goto: str


class Stand(BaseModel):
    """How a spot stands, and what is done after some betting if it is solved."""

    spot: str
    state: str
    failed: str | None
    progress: list[tuple[int, float, float]]
    """Iterations, exploitability as a share of the pot (exact), seconds."""
    solution: dict[str, Any] | None


@router.get("/api/range", responses=REFUSALS)
def read_hands(hands: Annotated[str, Query(max_length=4000)]) -> dict[str, dict[str, str]]:
    """A range kind by kind, each as it is written."""
    return {"kinds": by_kind(read_range(hands, DECK), DECK)}


@router.post("/api/spots", responses=REFUSALS)
def ask(request: Request, asked: Asked) -> Begun:
    """Have a spot solved in the background."""
    return _begun(request.app.state.studio.spots.ask(asked.spot(), asked.share, asked.seconds))


def _begun(job: Job) -> Begun:
    return Begun(spot=job.name, goto=f"/solve/{job.name}")


@router.get("/api/spots", responses=REFUSALS)
def spots(request: Request) -> list[dict[str, str]]:
    """The spots that are kept, the newest first."""
    return [
        {"spot": job.name, "board": job.spot.board, "state": job.state} for job in request.app.state.studio.spots.all()
    ]


@router.get("/api/spots/{name}", responses=REFUSALS)
def stand(request: Request, name: str, betting: Betting = "") -> Stand:
    """How a spot stands, and what is done after betting such as `check check / 5c bet`."""
    job = request.app.state.studio.spots.find(name)
    facts = _facts(request, job, betting) if job.solution else None
    return Stand(spot=name, state=job.state, failed=job.failed, progress=list(job.curve), solution=facts)


@router.post("/api/spots/{name}/stop", responses=REFUSALS)
def stop(request: Request, name: str, _: Nothing) -> Begun:
    """Leave a spot as it is by now."""
    return _begun(request.app.state.studio.spots.stop(name))


@router.post("/api/spots/{name}/locks", responses=REFUSALS)
def bind(request: Request, name: str, bound: Bound) -> Begun:
    """Have a spot solved again with a player bound to something more; what it was bound to there before is undone."""
    spots = request.app.state.studio.spots
    job, lock = spots.find(name), bound.lock()
    others = [each for each in job.spot.locks if (each.betting, each.hands) != (lock.betting, lock.hands)]
    return _begun(spots.ask(_locked(job.spot, (*others, lock)), job.share, job.seconds))


@router.post("/api/spots/{name}/unlock", responses=REFUSALS)
def unbind(request: Request, name: str, _: Nothing) -> Begun:
    """Have a spot solved again with nobody bound to anything."""
    spots = request.app.state.studio.spots
    job = spots.find(name)
    return _begun(spots.ask(_locked(job.spot, ()), job.share, job.seconds))


def _locked(spot: Spot, locks: tuple[Lock, ...]) -> Spot:
    if len(locks) > MOST_LOCKS:
        raise BadInput(f"The studio takes {MOST_LOCKS} locks at most; undo some first.")
    return replace(spot, locks=locks)


@router.get("/api/spots/{name}/hands.csv", responses=REFUSALS, response_class=Response)
def hands(request: Request, name: str, betting: Betting = "") -> Response:
    """Every hand after some betting."""
    facts = _facts(request, request.app.state.studio.spots.find(name), betting)
    return Response(hands_as_csv(facts), media_type="text/csv")


@router.get("/api/spots/{name}/progress.csv", responses=REFUSALS, response_class=Response)
def progress(request: Request, name: str) -> Response:
    """Exploitability as it fell."""
    job = request.app.state.studio.spots.find(name)
    heads = "iterations", "exploitability, share of the pot (exact)", "seconds"
    return Response(as_csv([heads, *job.curve]), media_type="text/csv")


def _facts(request: Request, job: Job, betting: str) -> dict[str, Any]:
    node = request.app.state.studio.spots.node(job, betting, PATIENCE)
    if node is None or job.solution is None:
        raise Late("This is still being worked out; ask again in a moment.")
    return spot_facts(job.solution, node)


@router.get("/solve", include_in_schema=False)
def spots_page(request: Request) -> HTMLResponse:
    kept = request.app.state.studio.spots.all()
    return page(
        request,
        "Solve",
        h.p(".lead")[
            "Say what a spot of no-limit hold'em is like, and see what to do with every hand: solved until nobody can "
            "win more than the share of the pot that you name by playing differently."
        ],
        form(FIRST),
        kept and [h.h2["The last spots"], _listed(kept)],
    )


def _listed(kept: list[Job]) -> Renderable:
    rows = [
        (
            h.a(href=f"/solve/{job.name}")[job.spot.board],
            job.state,
            f"{job.spot.pot:g}",
            f"{job.spot.stack:g}",
            f"{job.curve[-1].share:.2%}" if job.curve else "",
        )
        for job in kept
    ]
    heads = "board", "state", "pot", "stack", "exploitability, of the pot (exact)"
    return table(heads, rows, "Spots that are kept until the studio closes or needs the room", numbers=3)


@router.get("/solve/{name}", include_in_schema=False)
def spot_page(request: Request, name: str, betting: Betting = "", kind: str = "") -> HTMLResponse:
    spots = request.app.state.studio.spots
    job = spots.find(name)
    content = solved_spot(spots, job, betting, kind) if job.solution else [_stand(job, not job.over)]
    return page(
        request,
        f"Solve {job.spot.board}",
        locks_of(job),
        *content,
        _falling(job) if job.solution else None,
        h.details[h.summary["Change the spot"], form(asked_for(job))] if job.over else None,
    )


def _stand(job: Job, going_on: bool) -> Renderable:
    """A spot on its way."""
    if job.state == "waiting":
        words = "This spot waits for the one before it."
    elif not job.curve:
        words = "The solver is being compiled for this spot, which takes some seconds the first time."
    else:
        last = job.curve[-1]
        words = (
            f"{last.steps:,} iterations in {last.seconds:.1f} s: exploitability {last.share:.2%} of the pot (exact)."
        )
    stopping = "Stopping …" if job.stopped.is_set() else "Stop"
    return h.section(".solving", aria_label="How the spot stands", data_refresh=AGAIN if going_on else None)[
        h.p(".failed", role="alert")[job.failed] if job.failed else h.p(role="status")[words],
        h.form(data_post=f"/api/spots/{job.name}/stop")[
            h.button(type="submit", data_keys="s", disabled=job.stopped.is_set())[stopping, h.kbd["s"]]
        ]
        if going_on
        else None,
        _falling(job),
    ]


def _falling(job: Job) -> Node:
    points = [(float(each.steps), each.share) for each in job.curve]
    if len(points) < 2:  # one look makes no line
        return None
    return h.section(".falling", aria_label="Exploitability as it fell")[
        h.h2["Exploitability as it fell"],
        curve({"exploitability": points}, "iterations", "exploitability, share of the pot (exact)"),
        h.p[h.a(href=f"/api/spots/{job.name}/progress.csv")["The curve as CSV"]],
    ]
