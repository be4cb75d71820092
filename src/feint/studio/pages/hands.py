"""Hands: those that people have finished, to be stepped through again."""

from __future__ import annotations

from typing import Annotated, Any

import htpy as h
from fastapi import APIRouter, Path, Query, Request
from htpy import Node, Renderable
from starlette.responses import HTMLResponse, Response

from feint.games.words import chips
from feint.report.spot_facts import as_csv
from feint.studio.archive import Kept
from feint.studio.drawing import bars
from feint.studio.felt import felt
from feint.studio.index import NotHere
from feint.studio.page import Tab, page, table
from feint.studio.refusals import REFUSALS
from feint.studio.replay import Replay, as_phh, has_phh, replay
from feint.studio.visit import Decision

router = APIRouter()
TAB = Tab(7, "Hands", "/hands")
AT_ONCE = 50
MOST_AT_ONCE = 1000

Number = Annotated[int, Path(ge=1, lt=2**63)]
Before = Annotated[int | None, Query(ge=1, lt=2**63)]


@router.get("/api/hands", responses=REFUSALS)
def hands(
    request: Request, before: Before = None, most: Annotated[int, Query(ge=1, le=MOST_AT_ONCE)] = AT_ONCE
) -> list[dict[str, Any]]:
    """The last hands that were finished, or the last before one of them; the newest first."""
    return [kept.as_json() for kept in request.app.state.studio.archive.last(most, before)]


@router.get("/api/hands.csv", responses=REFUSALS, response_class=Response)
def hands_csv(request: Request, before: Before = None) -> Response:
    """The last thousand hands, a line each."""
    heads = "number", "played", "game", "opponent", "seat", "chips won"
    rows = [
        (
            each.number,
            each.played,
            each.hand.game,
            each.hand.opponent,
            each.hand.seat + 1,
            each.hand.won[each.hand.seat],
        )
        for each in request.app.state.studio.archive.last(MOST_AT_ONCE, before)
    ]
    return Response(as_csv([heads, *rows]), media_type="text/csv")


@router.get("/api/hands/{number}.phh", responses=REFUSALS, response_class=Response)
def hand_phh(request: Request, number: Number) -> Response:
    """A hand of hold'em as a PHH file, which PokerKit and others read."""
    return Response(as_phh(_find(request, number)), media_type="application/toml")


@router.get("/api/hands/{number}", responses=REFUSALS)
def hand_json(request: Request, number: Number) -> dict[str, Any]:
    """A hand as it is kept: all that chance did, all moves, and what was known of each decision."""
    return _find(request, number).as_json()


def _find(request: Request, number: int) -> Kept:
    kept: Kept | None = request.app.state.studio.archive.find(number)
    if kept is None:
        raise NotHere(f"There is no hand {number}; choose one from the list of hands.")
    return kept


@router.get("/hands", include_in_schema=False)
def hands_page(request: Request, before: Before = None) -> HTMLResponse:
    found = request.app.state.studio.archive.last(AT_ONCE, before)
    if not found:
        return page(
            request, "Hands", h.p(".lead")["No hand has been finished yet.", " ", h.a(href="/")["Play one"], "."]
        )
    rows = [
        (
            h.a(href=f"/hands/{each.number}")[f"{each.number}"],
            f"{each.hand.won[each.hand.seat]:+g}",
            each.hand.game,
            each.hand.opponent,
            _when(each),
        )
        for each in found
    ]
    older = h.a(href=f"/hands?before={found[-1].number}", data_keys="ArrowRight")["Older hands"]
    return page(
        request,
        "Hands",
        h.p(".lead")["Hands that were played here to their end, the newest first. Choose one to step through it."],
        table(("hand", "you won, chips", "game", "against", "finished (UTC)"), rows, "Finished hands", stacked=True),
        h.p[older if found[-1].number > 1 else None, " ", h.a(href="/api/hands.csv")["As CSV"]],
    )


@router.get("/hands/{number}", include_in_schema=False)
def hand_page(
    request: Request,
    number: Number,
    step: Annotated[int, Query(ge=0, le=2**31)] = 0,
    opened: Annotated[bool, Query(alias="open")] = True,
) -> HTMLResponse:
    kept = _find(request, number)
    shown = replay(kept.hand)
    step = min(step, len(shown.states) - 1)
    seats, board = shown.seats(step, opened)
    return page(
        request,
        f"Hand {number}: {shown.game.name} against {kept.hand.opponent}",
        _result(kept),
        felt(seats, board, shown.told(step)),
        _steps(number, step, len(shown.states) - 1, opened),
        h.ol(".story", aria_label="What happened so far")[(h.li[line] for line in _made(shown, step, opened))],
        _next_decision(shown, step, opened),
        h.p[
            h.a(href=f"/api/hands/{number}")["This hand as JSON"],
            [", ", h.a(href=f"/api/hands/{number}.phh")["as PHH"]] if has_phh(shown.game) else None,
            ". ",
            h.a(href="/hands")["All hands"],
        ],
    )


def _when(kept: Kept) -> str:
    return kept.played.replace("T", " ").removesuffix("+00:00")


def _result(kept: Kept) -> Renderable:
    won = kept.hand.won[kept.hand.seat]
    how = f"you {'won' if won > 0 else 'lost'} {chips(abs(won))}" if won else "you broke even"
    return h.p(".lead")[f"Finished {_when(kept)} UTC; you were player {kept.hand.seat + 1}, and {how}."]


def _made(shown: Replay, step: int, opened: bool) -> list[str]:
    """The moves so far; where moves are hidden and cards are not open, only the person's."""
    lines = shown.made(step)
    over = step == len(shown.states) - 1
    if opened or over or shown.game.open_moves:
        return lines
    return [line for line, told in zip(lines, shown.hand.decisions, strict=False) if told.player == shown.hand.seat]


def _steps(number: int, step: int, last: int, opened: bool) -> Renderable:
    """The ways to other steps, and to the same one with other cards open."""

    def way(to: int, words: str, key: str, there: bool) -> Node:
        address = f"/hands/{number}?step={to}&open={str(opened).lower()}"
        return h.a(href=address, data_keys=key)[words] if there else h.span(".ends")[words]

    other = f"/hands/{number}?step={step}&open={str(not opened).lower()}"
    return h.nav(".onward", aria_label="Steps of the hand")[
        h.ul[
            h.li[way(0, "« start", "Home", step > 0)],
            h.li[way(step - 1, "← back", "ArrowLeft", step > 0)],
            h.li[h.span(".ends", aria_live="polite")[f"step {step} of {last}"]],
            h.li[way(step + 1, "on →", "ArrowRight", step < last)],
            h.li[way(last, "end »", "End", step < last)],
            h.li[h.a(href=other, data_keys="o")["Only what you saw" if opened else "All cards open", h.kbd["o"]]],
        ]
    ]


def _next_decision(shown: Replay, step: int, opened: bool) -> Node:
    """The decision that was taken at a step, with what was known of it."""
    if step == len(shown.states) - 1:
        return h.p[h.strong["The hand is over."]]
    told = shown.hand.decisions[step]
    if not opened and told.player != shown.hand.seat:
        return h.p[f"{shown.called(told.player)} is to move."]
    return h.section(aria_label="The decision")[
        h.h2[f"{shown.called(told.player)} to move"],
        h.p["Saw ", told.saw, " and chose ", h.strong[told.chose], "."],
        bars(told.chances, told.wins, told.chosen) if told.chances else None,
        _what_it_is(shown, told),
    ]


def _what_it_is(shown: Replay, told: Decision) -> Renderable:
    if not told.chances:
        return h.p(".note")["Nobody could say how likely each move was."]
    words = f"How often {shown.hand.opponent} makes each move there."
    if told.wins:
        words += " On the right: chips that each wins against it if you play on perfectly (exact)."
    return h.p(".note")[words]
