"""The studio: a page to play, look, solve and train, served to this machine alone.

Pages are HTML made here, in Python; a small script sends what people do as JSON to the same addresses that programs may
use, and shows the page anew. So nothing is decided in the browser, the browser is told nothing that the person may not
know, and no script, style or picture comes from anywhere else.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

import feint
from feint.games.errors import BadInput
from feint.games.names import modules
from feint.studio.archive import Archive
from feint.studio.guard import Guard
from feint.studio.index import Index, NotHere
from feint.studio.later import Later
from feint.studio.leagues import Leagues
from feint.studio.page import shell
from feint.studio.room import Room
from feint.studio.spots import Spots
from feint.studio.suited import Suited
from feint.studio.thinkers import Gone, Thinkers
from feint.studio.trainings import Trainings
from feint.studio.visit import Late

STATIC = Path(__file__).parent / "static"


@final
@dataclass(frozen=True)
class Studio:
    """What all pages share."""

    thinkers: Thinkers
    index: Index
    room: Room
    archive: Archive
    spots: Spots
    trainings: Trainings
    suited: Suited
    leagues: Leagues
    later: Later

    def close(self) -> None:
        """Have everything end that goes on beside requests."""
        aside = (self.thinkers, self.room, self.spots, self.suited, self.leagues, self.later, self.trainings)
        for each in (*aside, self.archive):
            each.close()


def make_app(runs: Path, archive: Path, hosts: Collection[str], ready: threading.Event | None = None) -> FastAPI:
    """The studio over a folder of runs; `hosts` are the addresses that it answers to."""
    kept, thinkers = Archive(archive), Thinkers()
    index, room = Index(runs, thinkers), Room(kept.keep)
    studio = Studio(thinkers, index, room, kept, Spots(), Trainings(runs), Suited(), Leagues(thinkers), Later())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if ready is not None:
            ready.set()
        yield
        studio.close()

    app = FastAPI(
        title="Feint studio",
        version=feint.__version__,
        docs_url=None,  # they load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.studio = studio
    app.add_middleware(Guard, hosts=hosts)
    for module in modules("feint.studio.pages"):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for kind, status in ((BadInput, 400), (NotHere, 404), (Late, 409), (Gone, 409)):
        app.add_exception_handler(kind, _refusal(status))
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    return app


def refused(request: Request, status: int, why: str) -> Response:
    """A refusal, in one sentence, for people or for programs."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": why}, status)
    return HTMLResponse(
        shell("Not found" if status == 404 else "That cannot be done", why, path=request.url.path), status
    )


def _refusal(status: int):  # type: ignore[no-untyped-def]  # Starlette's own type is narrower than what it takes
    def handler(request: Request, error: Exception) -> Response:
        return refused(request, status, str(error))

    return handler


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    why = "There is no such page; choose one above." if error.status_code == 404 else str(error.detail)
    return refused(request, error.status_code, why)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"][1:])) or "the request"
    return refused(request, 422, f"{where} cannot be used: {first['msg']}.")
