"""Solve: a spot of hold'em in, what to do with every hand out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import htpy as h
from fastapi import APIRouter, Query, Request
from htpy import Node, Renderable
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, Response

from feint.games.errors import BadInput
from feint.games.postflop import DECK, Spot
from feint.games.ranges import by_kind, read_range
from feint.report.spot_facts import as_csv, hands_as_csv, spot_facts
from feint.studio.drawing import curve
from feint.studio.hand_grid import painter
from feint.studio.page import Tab, field, page, table
from feint.studio.refusals import REFUSALS, Nothing
from feint.studio.spot_view import solved_spot
from feint.studio.spots import Job
from feint.studio.visit import Late

router = APIRouter()
TAB = Tab(3, "Solve", "/solve")
AGAIN = "500"
"""Milliseconds after which a page looks again how a spot stands."""
PATIENCE = 20.0
"""Seconds that programs wait for what takes time to look up."""

Betting = Annotated[str, Query(max_length=300)]
Text = Annotated[str, Field(max_length=4000)]
Few = Annotated[str, Field(max_length=100)]


MOST_SIZES = 6
"""Bets and raises that may be offered each."""
MOST_CHIPS = 1e9


class Asked(BaseModel, extra="forbid"):
    """A spot, as `feint solve` takes it."""

    board: Few
    oop: Text
    ip: Text
    pot: float = 10.0
    stack: float = 95.0
    bets: Few = "0.5,1"
    raises: Few = "0.5"
    rake: float = 0.0
    rake_cap: float | None = None
    share: Annotated[float, Field(gt=0, lt=1)] = 0.003
    """Solved to this share of the pot …"""
    seconds: Annotated[float, Field(ge=1, le=600)] = 120.0
    """… or for so long."""

    def spot(self) -> Spot:
        words = self.model_dump(exclude={"share", "seconds"})
        for name in ("pot", "stack"):
            if 0 < words[name] < 1 / MOST_CHIPS or words[name] > MOST_CHIPS:
                raise BadInput(f"The studio takes a {name} of up to {MOST_CHIPS:,.0f} chips, not {words[name]:g}.")
        return Spot.read(words | {name: _sizes(words[name], name) for name in ("bets", "raises")})


def _sizes(text: str, name: str) -> list[float]:
    try:
        sizes = [float(size) for size in text.replace(",", " ").split()]
    except ValueError as error:
        raise BadInput(f"{name} are fractions of the pot such as 0.5,1, but {text!r} was given.") from error
    if len(sizes) > MOST_SIZES:
        raise BadInput(f"The studio takes at most {MOST_SIZES} {name}, but {len(sizes)} were given; leave some out.")
    return sizes


FIRST = Asked(
    board="QsJh2h5c7d",
    oop="22+,A2s+,K8s+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,A8o+,KTo+,QTo+,JTo",
    ip="22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,86s+,76s,65s,54s,A5o+,K9o+,Q9o+,J9o+,T9o",
)
"""What the page begins with: a river, which is solved soon."""


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
    job = request.app.state.studio.spots.ask(asked.spot(), asked.share, asked.seconds)
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
    job = request.app.state.studio.spots.stop(name)
    return Begun(spot=job.name, goto=f"/solve/{job.name}")


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
        _form(FIRST.model_dump()),
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


def _form(given: Mapping[str, Any]) -> Renderable:
    """All that a spot is made of."""

    def number(label: str, name: str) -> Node:
        value = given[name]
        return field(label, name, "" if value is None else f"{value:g}", "number", step="any", data_type="number")

    return h.form(".spot", data_post="/api/spots", data_hold="")[
        h.div(".choices")[
            field("Board", "board", given["board"], maxlength="40", data_empty=""),
            number("Pot, chips", "pot"),
            number("Stacks behind, chips", "stack"),
            field("Bets, × pot", "bets", given["bets"], data_empty=""),
            field("Raises, × pot", "raises", given["raises"], data_empty=""),
            number("Rake, share", "rake"),
            number("Rake at most, chips", "rake_cap"),
            number("Stop at this share of the pot", "share"),
            number("or after seconds", "seconds"),
            h.button(".primary", type="submit")["Solve"],
        ],
        h.div(".ranges")[
            painter("Whoever acts first (oop)", "oop", given["oop"]),
            painter("Whoever acts last (ip)", "ip", given["ip"]),
        ],
        h.p(".note")[
            "All-in is always offered too. Ranges are written as AA, AKs, T9o:0.5, AhKh, 22+, A5s-A2s or any; paint "
            "with the pointer, or write, and the grid follows."
        ],
    ]


@router.get("/solve/{name}", include_in_schema=False)
def spot_page(request: Request, name: str, betting: Betting = "", kind: str = "") -> HTMLResponse:
    spots = request.app.state.studio.spots
    job = spots.find(name)
    content = solved_spot(spots, job, betting, kind) if job.solution else [_stand(job, not job.over)]
    given = FIRST.model_dump() | {name: getattr(job.spot, name) for name in ("board", "oop", "ip", "pot", "stack")}
    given |= {"rake": job.spot.rake, "rake_cap": job.spot.rake_cap, "share": job.share, "seconds": job.seconds}
    menu = job.spot.menu(job.spot.streets[0], "oop")
    given |= {name: ",".join(f"{size:g}" for size in getattr(menu, name)) for name in ("bets", "raises")}
    return page(
        request,
        f"Solve {job.spot.board}",
        *content,
        _falling(job) if job.solution else None,
        h.details[h.summary["Change the spot"], _form(given)] if job.over else None,
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
