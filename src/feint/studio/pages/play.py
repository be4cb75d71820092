"""Play: sit down against somebody, and hear afterwards what they had and what your moves cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

import htpy as h
from fastapi import APIRouter, Cookie, Request, Response
from htpy import Renderable
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse

from feint.studio.page import Tab, chooser, page, table
from feint.studio.refusals import REFUSALS, Nothing
from feint.studio.suited import players_of
from feint.studio.table_view import drawn
from feint.studio.visit import Late, Visit

router = APIRouter()
TAB = Tab(1, "Play", "/")

SEATS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


class SitDown(BaseModel, extra="forbid"):
    """A table is asked for."""

    opponent: Annotated[str, Field(max_length=120)]
    game: Annotated[str | None, Field(max_length=120)] = None
    seat: Annotated[int | None, Field(ge=1, le=16)] = None
    """From 1 on; none to change with every hand."""


class Move(BaseModel, extra="forbid"):
    """A move is made."""

    move: Annotated[str, Field(max_length=120)]
    turn: Annotated[int, Field(ge=0, le=2**31)]


class Seated(BaseModel):
    """A table, and how to prove that one sits there."""

    table: str
    token: str
    goto: str


class Left(BaseModel):
    """Nobody sits there any more."""

    goto: str


class Told(BaseModel):
    """All that a person at a table may know."""

    game: str
    opponent: str
    hand: int
    seat: int
    turn: int
    sees: str
    lines: list[str]
    moves: list[str]
    thinking: bool
    over: bool
    won: list[float] | None
    failed: str | None
    """Why your opponent cannot go on, where they cannot."""
    score: dict[str, float | None]
    cards: list[str] | None
    board: list[str] | None
    paid: list[float] | None
    left: list[float] | None
    """Chips that each player has behind, where stacks count."""
    prices: dict[str, float]
    """Chips that each of your moves puts into the pot, where the rules tell."""


@router.get("/", include_in_schema=False)
def lobby(request: Request, game: str = "leduc", opponent: str | None = None) -> HTMLResponse:
    index = request.app.state.studio.index
    games = [(name, f"{name}: {about}" if about else name) for name, about in index.games().items()]
    if opponent is not None and opponent in index.folders():
        game = index.one(opponent).config.game
        games = games if game in dict(games) else [(game, game), *games]
    others = [(name, name) for name in index.opponents(game)]
    return page(
        request,
        "Play",
        h.p(".lead")[
            "Sit down against an agent. After each hand you see what it held, how likely each of its moves was, and "
            "what yours cost, exactly where that is known."
        ],
        h.form(".choices", data_go="/")[chooser("Game", "game", games, game, **{"data-submit": ""})],
        h.form(".choices", data_post="/api/tables")[
            h.input(type="hidden", name="game", value=game),
            chooser("Opponent", "opponent", others, opponent),
            chooser("Your seat", "seat", _seats(players_of(index, game)), **{"data-type": "number"}),
            h.button(".primary", type="submit", data_keys="Enter")["Deal"],
        ],
        _about(index.players(), others),
        h.h2["Who is there"],
        table(
            ("agent or run", "game", "how good it is"),
            (
                (h.a(href=f"/?opponent={quote(each.key)}")[each.key], each.config.game, each.how_good)
                for each in index.listed()
                if each.finished
            ),
            stacked=True,
        ),
        h.p(".note")[
            "Exploitability is what a perfect opponent wins off it: 0 at an equilibrium. A lower bound is what one "
            "opponent who knows its strategy has won."
        ],
    )


def _seats(players: int) -> list[tuple[str, str]]:
    return [("", "in turn"), *((f"{number}", words) for number, words in enumerate(SEATS[:players], 1))]


def _about(players: Mapping[str, Any], others: list[tuple[str, str]]) -> Renderable:
    known = [(name, players[name].about) for name, _ in others if name in players]
    return h.details[h.summary["Who they are"], h.dl[((h.dt[name], h.dd[about]) for name, about in known)]]


@router.post("/api/tables", responses=REFUSALS)
def sit_down(request: Request, asked: SitDown, response: Response) -> Seated:
    """Sit down at a new table. The token says that it is yours; browsers get it as a cookie."""
    studio = request.app.state.studio
    opponent = studio.index.opponent(asked.opponent, asked.game)
    name, visit = studio.room.open(opponent, None if asked.seat is None else asked.seat - 1)
    for where in _places(name):
        response.set_cookie("seat", visit.token, path=where, httponly=True, samesite="strict")
    return Seated(table=name, token=visit.token, goto=f"/tables/{name}")


def _places(name: str) -> tuple[str, str]:
    """The addresses of a table, to which alone its token is sent."""
    return f"/tables/{name}", f"/api/tables/{name}"


Seat = Annotated[str | None, Cookie(max_length=100)]


@router.get("/api/tables/{name}", responses=REFUSALS)
def look(request: Request, name: str, seat: Seat = None) -> Told:
    """What you see at a table."""
    return told(request.app.state.studio.room.find(name, seat))


@router.post("/api/tables/{name}/moves", responses=REFUSALS)
def move(request: Request, name: str, made: Move, seat: Seat = None) -> Told:
    """Make a move; `turn` is the one that was told with what you saw."""
    visit = request.app.state.studio.room.find(name, seat)
    visit.move(made.move, made.turn)
    visit.wait()
    return told(visit)


@router.post("/api/tables/{name}/hands", responses=REFUSALS)
def another(request: Request, name: str, _: Nothing, seat: Seat = None) -> Told:
    """Deal another hand, when this one is over."""
    visit = request.app.state.studio.room.find(name, seat)
    visit.next()
    visit.wait()
    return told(visit)


@router.post("/api/tables/{name}/leave", responses=REFUSALS)
def leave(request: Request, name: str, response: Response, _: Nothing, seat: Seat = None) -> Left:
    """Leave a table; a hand that is not over counts for nothing."""
    request.app.state.studio.room.leave(name, seat)
    for where in _places(name):
        response.delete_cookie("seat", path=where, httponly=True, samesite="strict")
    return Left(goto="/")


@router.get("/api/tables/{name}/advice", responses=REFUSALS)
def advice(request: Request, name: str, seat: Seat = None) -> dict[str, dict[str, float] | None]:
    """What your opponent would do in your place, and what each move wins you, where that is known."""
    asked = request.app.state.studio.room.find(name, seat).advice()
    if asked is None:
        raise Late("There is nothing to advise on here; it is not your turn, or nobody knows.")
    return {"chances": asked.chances, "wins": asked.wins}


@router.get("/tables/{name}", include_in_schema=False)
def table_page(request: Request, name: str, seat: Seat = None, advice: bool = False) -> HTMLResponse:
    visit = request.app.state.studio.room.find(name, seat)
    visit.wait()
    with visit.lock:
        return page(request, f"{visit.form.name} against {visit.opponent.name}", *drawn(name, visit, advice))


def told(visit: Visit) -> Told:
    """All that a person at a table may know, for programs."""
    with visit.lock:
        seen, score, over = visit.seen, visit.score(), visit.over
        scene = seen.scene
        return Told(
            game=visit.form.name,
            opponent=visit.opponent.name,
            hand=visit.number,
            seat=visit.seat + 1,
            turn=visit.turn,
            sees=seen.label,
            lines=visit.lines,
            moves=list(visit.offered()),
            thinking=visit.thinking,
            over=over,
            won=list(visit.won) if over else None,
            failed=visit.failed,
            score=vars(score),
            cards=list(scene.cards) if scene else None,
            board=list(scene.board) if scene else None,
            paid=list(scene.paid) if scene else None,
            left=list(scene.left) if scene and scene.left else None,
            prices=dict(seen.prices) if visit.offered() else {},
        )
