"""Play: sit down against somebody, and hear afterwards what they had and what your moves cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

import htpy as h
from fastapi import APIRouter, Cookie, Request, Response
from htpy import Node, Renderable
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse

from feint.games.words import chips
from feint.studio.drawing import bars
from feint.studio.felt import Sitter, felt
from feint.studio.page import Tab, chooser, page, table
from feint.studio.visit import Decision, Late, Score, Visit

router = APIRouter()
TAB = Tab(1, "Play", "/")

SEATS = ((("", "in turn")), ("1", "first"), ("2", "second"))
LETTERS = {"fold": "f", "check": "c", "call": "c", "bet": "r", "raise": "r"}
AGAIN = "400"
"""Milliseconds after which a page asks again how a thinking opponent stands."""


class Problem(BaseModel):
    """Why something was refused."""

    error: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (400, 403, 404, 409, 413, 415, 422)
}


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


class Nothing(BaseModel, extra="forbid"):
    """Nothing needs to be said."""


class Seated(BaseModel):
    """A table, and how to prove that one sits there."""

    table: str
    token: str
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
    score: dict[str, float | None]
    cards: list[str] | None
    board: list[str] | None
    paid: list[float] | None


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
            chooser("Your seat", "seat", SEATS, **{"data-type": "number"}),
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
        ),
        h.p(".note")[
            "Exploitability is what a perfect opponent wins off it: 0 at an equilibrium. A lower bound is what one "
            "opponent who knows its strategy has won."
        ],
    )


def _about(players: Mapping[str, Any], others: list[tuple[str, str]]) -> Renderable:
    known = [(name, players[name].about) for name, _ in others if name in players]
    return h.details[h.summary["Who they are"], h.dl[((h.dt[name], h.dd[about]) for name, about in known)]]


@router.post("/api/tables", responses=REFUSALS)
def sit_down(request: Request, asked: SitDown, response: Response) -> Seated:
    """Sit down at a new table. The token says that it is yours; browsers get it as a cookie."""
    studio = request.app.state.studio
    opponent = studio.index.opponent(asked.opponent, asked.game)
    name, visit = studio.room.open(opponent, None if asked.seat is None else asked.seat - 1)
    path = f"/tables/{name}"
    for where in (path, f"/api{path}"):
        response.set_cookie("seat", visit.token, path=where, httponly=True, samesite="strict")
    return Seated(table=name, token=visit.token, goto=path)


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
        return page(request, f"{visit.form.name} against {visit.opponent.name}", *_table(name, visit, advice))


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
            score=vars(score),
            cards=list(scene.cards) if scene else None,
            board=list(scene.board) if scene else None,
            paid=list(scene.paid) if scene else None,
        )


def _table(name: str, visit: Visit, advised: bool) -> list[Node]:
    """A table as it is drawn."""
    offered = visit.offered()
    return [
        h.p(".lead")[f"Hand {visit.number}. {visit.where}"],
        _felt(visit),
        h.ol(".story", aria_live="polite", aria_label="What happened")[(h.li[line] for line in visit.lines)],
        h.p(".failed", role="alert")[visit.failed] if visit.failed else None,
        h.p(".thinking", role="status")[f"{visit.opponent.name} is thinking …"] if visit.thinking else None,
        _moves(name, visit, offered) if offered else None,
        _advice(visit, advised) if offered else None,
        _review(name, visit) if visit.over else None,
        _score(visit.score()),
    ]


def _felt(visit: Visit) -> Renderable:
    """The cards and chips that the person may see; all of them when the hand is over."""
    shown, scene = visit.shown(), visit.seen.scene
    again = AGAIN if visit.thinking else None
    if scene is None:
        return felt((), (), visit.seen.told, again)
    players = range(visit.form.players)
    held = {player: shown[player].cards if player in shown else [None] * len(scene.cards) for player in players}
    held[visit.seat] = scene.cards
    seats = [Sitter(visit.called(player), held[player], scene.paid[player], player == visit.seat) for player in players]
    return felt(seats, scene.board, refresh=again)


def _moves(name: str, visit: Visit, offered: dict[str, int]) -> Renderable:
    """A button for each move, with the keys that make it."""
    buttons = []
    for number, word in enumerate(offered, 1):
        keys = " ".join(filter(None, (str(number) if number < 10 else "", LETTERS.get(word, ""))))
        label = [word, h.kbd[keys.split()[-1]] if keys else None]
        buttons.append(h.button(type="submit", name="move", value=word, data_keys=keys)[label])
    return h.form(".moves", data_post=f"/api/tables/{name}/moves", aria_label="Your move")[
        h.input(type="hidden", name="turn", value=str(visit.turn), data_type="number"), buttons
    ]


def _advice(visit: Visit, asked: bool) -> Node:
    if visit.opponent.adviser is None:
        return None
    if not asked:
        return h.p[h.a(href="?advice=true", data_keys="?")[f"What would {visit.opponent.name} do here?"]]
    told = visit.advice()
    return (
        told
        and h.section(aria_label="Advice")[
            h.h2[f"{visit.opponent.name} in your place"], _decided(told), _what_values_are(told)
        ]
    )


def _decided(decision: Decision) -> Node:
    return decision.chances and bars(decision.chances, decision.wins, decision.chosen)


def _what_values_are(decision: Decision) -> Node:
    if decision.wins is None:
        return h.p(".note")[
            "What moves win here is not known: the game is too large to be exact, and nothing is guessed."
        ]
    return h.p(".note")["On the right: chips that each move wins against it if you play on perfectly (exact)."]


def _review(name: str, visit: Visit) -> Renderable:
    """A hand when it is over: who had what, and what was likely."""
    mine = visit.won[visit.seat]
    result = f"You {'win' if mine > 0 else 'lose'} {chips(abs(mine))}." if mine else "You break even."
    exact = any(decision.wins for decision in visit.decisions)
    return h.section(".review", aria_label="The hand in review")[
        h.form(data_post=f"/api/tables/{name}/hands")[
            h.strong[result], " ", h.button(".primary", type="submit", data_keys="Enter n")["Next hand"]
        ],
        h.details(open=True)[
            h.summary["The hand, decision by decision"],
            h.ol(".decisions")[
                (
                    h.li[
                        h.p[
                            h.strong[visit.called(each.player)],
                            f" saw {each.sees} and chose ",
                            h.strong[each.chosen],
                            _cost(each),
                        ],
                        _decided(each),
                    ]
                    for each in visit.decisions
                )
            ],
            h.p(".note")[
                f"Bars say how often {visit.opponent.name} makes each move there, also where you were to move. "
                + (
                    "Numbers beside yours are what moves win against it if you play on perfectly (exact)."
                    if exact
                    else "What your moves cost is not known exactly in this game."
                )
            ]
            if visit.opponent.adviser
            else None,
        ],
        h.p[h.a(href=f"/hands/{visit.kept}")["Replay this hand"]] if visit.kept else None,
    ]


def _cost(decision: Decision) -> str:
    if not decision.wins:
        return ""
    lost = max(decision.wins.values()) - decision.wins[decision.chosen]
    return f", which gave away {lost:.2f} chips" if lost >= 0.005 else ", as good as any"


def _score(score: Score) -> Renderable:
    """How the person stands."""
    if not score.hands:
        return h.p(".score")["No hand is over yet."]
    assert score.mean is not None
    facts = [("hands", f"{score.hands}"), ("won", f"{score.total:+g} chips")]
    sure = "" if score.luck is None else f" ± {score.luck:.2f}"
    facts.append(("a hand", f"{score.mean:+.2f}{sure} chips ({score.mbb:+,.0f} mbb/h)"))
    if score.fair is not None:
        sure = "" if score.fair_luck is None else f" ± {score.fair_luck:.2f}"
        facts.append(("with luck taken out", f"{score.fair:+.2f}{sure} chips a hand"))
    return h.dl(".score")[((h.dt[name], h.dd[words]) for name, words in facts)]
