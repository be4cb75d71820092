"""Leagues for programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from feint.evaluate.ratings import MOST_CIRCLES, cycles, means, ratings
from feint.studio.later import PATIENCE, Later
from feint.studio.leagues import MOST_HANDS, MOST_PLAYERS, League
from feint.studio.refusals import REFUSALS
from feint.studio.sheets import sheet
from feint.studio.visit import Late
from feint.studio.watched import Watched

router = APIRouter()
USUAL_HANDS = 20_000
MOST_WATCHED = 10**9
"""Hands of two players that can be watched."""

Name = Annotated[str, Field(max_length=120)]
HandNumber = Annotated[int, Query(ge=1, le=MOST_WATCHED)]


class Ask(BaseModel, extra="forbid"):
    """A league is asked for."""

    game: Name
    players: Annotated[list[Name], Field(max_length=MOST_PLAYERS)] = []
    hands: Annotated[int, Field(ge=100, le=MOST_HANDS)] = USUAL_HANDS
    seed: Annotated[int, Field(ge=0, lt=2**62)] = 0


class Pair(BaseModel):
    """What one player wins off another."""

    first: str
    second: str
    value: float
    unit: str
    kind: str
    low: float | None
    high: float | None
    hands: int | None


class LeagueTold(BaseModel):
    """A league, as far as it has come."""

    league: str
    goto: str
    game: str
    players: list[str]
    over: bool
    doing: str
    done: int
    pairs: int
    failed: str | None
    left_out: dict[str, str]
    matches: list[Pair]
    means: dict[str, float]
    """What each wins off the others in the mean, in chips per hand."""
    ratings: dict[str, float]
    """Whose differences come nearest to the matches, in chips per hand."""
    exploitability: dict[str, float]
    """Of those of whom it is known, in chips per hand: exact."""
    explained: float | None
    """The share of the matches' winnings, squared, that ratings explain."""
    cycles: list[list[str]]
    more_cycles: bool
    """Whether there may be more than are told of."""


class StepTold(BaseModel):
    """A decision."""

    player: str
    seat: int
    sees: str
    chose: str
    chance: float | None
    """How often the player makes it there; none where it decides hand by hand."""


class HandTold(BaseModel):
    """A hand that was watched."""

    seats: list[str]
    cards: list[list[str]]
    board: list[str]
    steps: list[StepTold]
    won: list[float]


@router.post("/api/league", responses=REFUSALS)
def start(request: Request, asked: Ask) -> LeagueTold:
    """Have everyone play everyone; ask for the league again to see how far it has come."""
    studio = request.app.state.studio
    return told(studio.leagues.start(studio.index, asked.game, asked.players, asked.hands, asked.seed))


@router.get("/api/league/{name}", responses=REFUSALS)
def look(request: Request, name: str) -> LeagueTold:
    """A league, as far as it has come."""
    return told(request.app.state.studio.leagues.find(name))


@router.get("/api/league/{name}/table.csv", include_in_schema=False)
def table_csv(request: Request, name: str) -> Response:
    league = request.app.state.studio.leagues.find(name)
    heads = ("first", "second", "winnings", "unit", "kind", "low", "high", "hands")
    rows = (
        (one, two, won.value, won.unit, won.kind, won.low, won.high, won.hands)
        for (one, two), won in dict(league.won).items()  # it may still be played
    )
    return sheet("league", heads, rows)


@router.get("/api/league/{name}/hand", responses=REFUSALS)
def hand(
    request: Request,
    name: str,
    first: Annotated[str, Query(max_length=120)],
    second: Annotated[str, Query(max_length=120)],
    hand: HandNumber = 1,
) -> HandTold:
    """A hand between two of its players, step by step; the same number is the same hand."""
    seen = watched(request, _played(request, name), first, second, hand, None)
    assert seen is not None
    steps = [StepTold(**(vars(step) | {"seat": step.seat + 1})) for step in seen.steps]
    return HandTold(
        seats=list(seen.seats), cards=[list(each) for each in seen.cards], board=list(seen.board), steps=steps,
        won=list(seen.won),
    )  # fmt: skip


def _played(request: Request, name: str) -> League:
    league: League = request.app.state.studio.leagues.find(name)
    if not league.over:
        raise Late("This league is still being played; watch hands when it is over.")
    return league


def watched(
    request: Request, league: League, first: str, second: str, number: int, patience: float | None = PATIENCE
) -> Watched | None:
    """A hand between two of a league's players; None while somebody thinks about it."""
    if not (league.thinks(first) or league.thinks(second)):
        return league.hand(first, second, number)
    later: Later = request.app.state.studio.later
    asked = ("hand", league.name, first, second, number)
    return later.soon(asked, lambda: league.hand(first, second, number), patience)


def told(league: League) -> LeagueTold:
    """A league for programs."""
    won, names = dict(league.won), league.names
    matches = [
        Pair(first=one, second=two, value=each.value, unit=each.unit, kind=each.kind, low=each.low, high=each.high,
             hands=each.hands)
        for (one, two), each in won.items()
    ]  # fmt: skip
    whole = league.over and not league.failed
    rated, share = ratings(names, won) if whole else ({}, None)
    circles = [list(ring) for ring in cycles(names, won)] if whole else []
    return LeagueTold(
        league=league.name, goto=f"/league/{league.name}", game=league.game, players=list(league.asked),
        over=league.over, doing=league.doing, done=league.done, pairs=league.pairs, failed=league.failed,
        left_out=dict(league.left_out), matches=matches, means=means(names, won) if whole else {}, ratings=rated,
        exploitability=league.exploitability, explained=share, cycles=circles, more_cycles=len(circles) >= MOST_CIRCLES,
    )  # fmt: skip
