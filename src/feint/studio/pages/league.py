"""League: everyone against everyone, who is how good, where that goes round in circles, and hands to watch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import quote, urlencode

import htpy as h
from fastapi import APIRouter, Query, Request
from htpy import Node, Renderable
from starlette.responses import HTMLResponse

from feint.evaluate.measure import CHIPS, EXACT, Measure
from feint.evaluate.ratings import cycles, means, ratings
from feint.studio.heat import heat_map
from feint.studio.heat import told as words
from feint.studio.index import Index
from feint.studio.leagues import BY_HAND, MOST_HANDS, MOST_PLAYERS, League
from feint.studio.page import Tab, chooser, field, page, table
from feint.studio.pages.league_api import MOST_WATCHED, USUAL_HANDS, HandNumber, watched
from feint.studio.pages.strategy import working
from feint.studio.watched import Watched, drawn

router = APIRouter()
TAB = Tab(6, "League", "/league")
AGAIN = "1000"
BLINDS = "mbb/h"

Player = Annotated[str, Query(max_length=120)]


@router.get("/league", include_in_schema=False)
def league_page(request: Request, game: Annotated[str, Query(max_length=200)] = "leduc") -> HTMLResponse:
    studio = request.app.state.studio
    index: Index = studio.index
    games = [(name, f"{name}: {about}" if about else name) for name, about in index.trainable().items()]
    games += [] if game in dict(games) else [(game, game)] if _runs_of(index, game) else []
    players = index.opponents(game)
    usual = [*_runs_of(index, game), *(name for name in ("random", "call", "raise") if name in players)][:MOST_PLAYERS]
    before = studio.leagues.every()
    return page(
        request,
        "League",
        h.p(".lead")["Everyone against everyone: what each player wins off each other one, exact where that is known."],
        h.form(".choices", data_go="/league")[chooser("Game", "game", games, game, data_submit="", id="game")],
        h.form(data_post="/api/league", data_keep="", aria_label="Who plays")[
            h.input(type="hidden", name="game", value=game),
            h.fieldset[
                h.legend[f"Players, 2 to {MOST_PLAYERS}"],
                h.div(".choices")[(_box(name, name in usual) for name in players)],
            ],
            h.div(".choices")[
                field("Hands of each match, where it must be played", "hands", f"{USUAL_HANDS}", "number",
                      min="100", max=f"{MOST_HANDS}", step="1", data_type="number"),
                h.button("#play-league.primary", type="submit")["Play the league"],
            ],
            h.p(".note")[f"Who searches or learns at the table plays {BY_HAND} hands of a match at most."],
        ],
        h.section[
            h.h2["Leagues before"],
            h.ul[
                (
                    h.li[
                        h.a(href=f"/league/{each.name}")[f"{each.game}: {', '.join(each.asked)}"], f" ({_stands(each)})"
                    ]
                    for each in before
                )
            ],
        ]
        if before
        else None,
    )  # fmt: skip


def _runs_of(index: Index, game: str) -> list[str]:
    return [each.key for each in index.listed() if each.config.game == game and each.finished]


def _box(name: str, chosen: bool) -> Renderable:
    return h.label(".check")[h.input(type="checkbox", name="players", value=name, checked=chosen, data_many=""), name]


def _stands(league: League) -> str:
    if league.failed:
        return "not played"
    return "played" if league.over else f"{league.done} of {league.pairs} pairs"


@router.get("/league/{name}", include_in_schema=False)
def one_page(
    request: Request,
    name: str,
    unit: Annotated[str | None, Query(max_length=20)] = None,
    first: Player = "",
    second: Player = "",
    hand: HandNumber = 1,
) -> HTMLResponse:
    league: League = request.app.state.studio.leagues.find(name)
    known = league.names if league.over and not league.failed else []
    pair = (first, second) if first in known and second in known else None
    told = None if pair is None else watched(request, league, *pair, hand)
    return page(request, f"League of {league.game}", *_league(league, unit, pair, hand, told))


def _league(
    league: League, unit: str | None, pair: tuple[str, str] | None, hand: int, told: Watched | None
) -> list[Node]:
    again = h.p[h.a(href=f"/league?{urlencode({'game': league.game})}")["Another league"]]
    if league.failed:
        return [h.p(".failed", role="alert")[league.failed], again]
    if not league.over:
        return [
            h.p(role="status", data_refresh=AGAIN)[f"{league.done} of {league.pairs} pairs have met: {league.doing} …"],
            h.progress(max=f"{league.pairs}", value=f"{league.done}", aria_label="Pairs that have met"),
        ]
    assert league.form is not None
    unit = unit if unit in (CHIPS, BLINDS) else CHIPS if league.form.tree is not None else BLINDS
    here = f"/league/{league.name}"
    return [
        _left_out(league),
        h.form(".choices", data_go=here)[
            chooser("In", "unit", ((CHIPS, CHIPS), (BLINDS, f"{BLINDS} (thousandths of a big blind per hand)")), unit,
                    data_submit="", id="unit"),
        ],
        *_tables(league, unit),
        h.p[h.a(href=f"/api{here}/table.csv")["The table as CSV"], " (chips per hand)"],
        _watching(league, unit, pair, hand, told),
        again,
    ]  # fmt: skip


def _left_out(league: League) -> Node:
    if not league.left_out:
        return None
    return h.p(".note")["Left out: ", " ".join(league.left_out.values())]


def _tables(league: League, unit: str) -> list[Node]:
    """The cross table and what follows from it."""
    form = league.form
    assert form is not None
    won = {pair: each.in_big_blinds(form.big_blind) if unit == BLINDS else each for pair, each in league.won.items()}
    mean, (rated, share) = means(league.names, won), ratings(league.names, won)
    order = sorted(league.names, key=lambda name: -mean[name])
    form_of = "+,.0f" if unit == BLINDS else "+.3f"
    beaten = {
        name: gap * (1000 / form.big_blind if unit == BLINDS else 1) for name, gap in league.exploitability.items()
    }
    rows = [
        (
            str(place),
            name,
            words(mean[name], form_of),
            words(rated[name], form_of),
            words(beaten[name], form_of.removeprefix("+")) if name in beaten else "not known",
        )
        for place, name in enumerate(order, 1)
    ]
    return [
        h.h2["Who wins what off whom"],
        heat_map(order, won, form_of),
        h.p(".note")[f"What the row's player wins off the column's, in {unit}: {_kinds(list(won.values()))}."],
        h.h2["Winnings against this field"],
        table(
            ("", "player", "mean", "rating", "exploitability (exact)"),
            rows,
            unit.capitalize() if unit == CHIPS else unit,
            numbers=3,
        ),
        h.p(".note")[
            "Mean: what a player wins off the others here. Ratings: numbers whose differences come nearest to the "
            f"table (least squares); they explain {share:.0%} of it. Both are about these players alone: whoever wins "
            "most off weak ones may still lose to the next. Exploitability: what a perfect opponent wins off a player."
        ],
        *_circles(cycles(order, league.won)),
    ]  # fmt: skip


def _kinds(cells: Sequence[Measure]) -> str:
    if all(cell.kind == EXACT for cell in cells):
        return "exact"
    played = sorted({cell.hands or 0 for cell in cells if cell.kind != EXACT})
    some = " others are exact" if any(cell.kind == EXACT for cell in cells) else ""
    hands = " to ".join(f"{number:,}" for number in dict.fromkeys((played[0], played[-1])))
    return f"estimates from {hands} hands each on duplicate deals, with 95% intervals;{some}".rstrip(";")


def _circles(rings: Sequence[Sequence[str]]) -> list[Node]:
    if not rings:
        return [h.p["No circles: nobody surely beats somebody who surely beats somebody who beats them."]]
    return [
        h.p["It goes round in circles, so no ranking tells the whole of it; each surely beats the next:"],
        h.ul(".circles")[(h.li[" beats ".join([*ring, ring[0]])] for ring in rings)],
    ]


def _watching(league: League, unit: str, pair: tuple[str, str] | None, number: int, told: Watched | None) -> Renderable:
    """The choice of a hand to watch, and the hand."""
    names = [(name, name) for name in league.names]
    one, two = pair or (league.names[0], league.names[1])
    here = f"/league/{quote(league.name)}"
    following = urlencode({"unit": unit, "first": one, "second": two, "hand": min(number + 1, MOST_WATCHED)})
    return h.section(aria_label="A hand")[
        h.h2["A hand, step by step"],
        h.form(".choices", data_go=here)[
            h.input(type="hidden", name="unit", value=unit),
            chooser("First", "first", names, one),
            chooser("Against", "second", names, two),
            field("Hand", "hand", f"{number}", "number", min="1", max=f"{MOST_WATCHED}", step="1"),
            h.button("#watch", type="submit")["Watch a hand"],
        ],
        None if pair is None else working("The hand is being played") if told is None else drawn(told),
        h.p[h.a("#next-hand", href=f"{here}?{following}", data_keys="n")["The next hand"]] if told else None,
    ]
