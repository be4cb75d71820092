"""Strategy: what an agent does everywhere, what that wins, and why it can be beaten."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Annotated, TypeVar
from urllib.parse import quote

import htpy as h
from fastapi import APIRouter, Query, Request
from htpy import Node, Renderable
from starlette.responses import HTMLResponse

from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.players.spots import Answer
from feint.runs.summary import length
from feint.studio.choosing import book_key, can_be_made_again, made_again
from feint.studio.drawing import bars, curve
from feint.studio.index import Index, Listed
from feint.studio.later import Later
from feint.studio.page import Tab, field, page, table
from feint.studio.strategies import Book, Pages, book_of
from feint.studio.views import simplex, two_rounds
from feint.studio.views.card_grid import card_grid
from feint.studio.views.leaks import leaks
from feint.studio.views.parts import Look, note
from feint.studio.views.starting_hands import betting_and_board, chart, combinations_table
from feint.studio.walking import Walk

router = APIRouter()
TAB = Tab(2, "Strategy", "/strategy")

T = TypeVar("T")
AGAIN = "700"
"""Milliseconds after which a page looks again whether what it waits for is there."""
Words = Annotated[str, Query(max_length=300)]
Number = Annotated[int, Query(ge=1, le=10**6)]
Player = Annotated[int | None, Query(ge=1, le=16)]


def later_of(request: Request) -> Later:
    """The threads that work things out for this studio."""
    later: Later = request.app.state.studio.later
    return later


def soon(request: Request, key: Hashable, make: Callable[[], T]) -> T | None:
    """What `make` makes, or None where that takes longer than a page should."""
    return later_of(request).soon(key, make)


def whole_book(request: Request, key: str) -> Book:
    """A strategy written down and judged, however long that takes."""
    index: Index = request.app.state.studio.index
    index.finished(key)
    book = later_of(request).soon(book_key(index, key), lambda: book_of(index, key), None)
    assert book is not None
    return book


@router.get("/strategy", include_in_schema=False)
def all_strategies(request: Request) -> HTMLResponse:
    index: Index = request.app.state.studio.index
    rows = [
        (
            h.a(href=address(each.key))[each.key],
            each.config.game,
            each.config.algorithm,
            each.how_good,
        )
        for each in index.listed()
    ]
    return page(
        request,
        "Strategies",
        h.p(".lead")["Every agent that comes with Feint, and every run of yours: choose one to see all that it does."],
        table(("Name", "Game", "Algorithm", "How good"), rows, "Agents and runs", stacked=True),
    )


@router.get("/strategy/{key}", include_in_schema=False)
def one_strategy(
    request: Request,
    key: str,
    betting: Words = "",
    board: Words = "",
    dealer: Annotated[int, Query(ge=0, le=15)] = 0,
    words: Annotated[str, Query(max_length=100, alias="filter")] = "",
    page_number: Annotated[int, Query(ge=1, le=10**6, alias="page")] = 1,
) -> HTMLResponse:
    index: Index = request.app.state.studio.index
    listed = index.one(key)
    title = key
    if not listed.finished:
        return page(request, title, header(listed), h.p["It is not finished; its strategy comes with its end."])
    book = soon(request, book_key(index, key), lambda: book_of(index, key))
    if book is None:
        return page(request, title, header(listed), working("Its strategy is being read and judged"))
    plain = Look(book, address(key))
    asked = Look(book, address(key), betting, board, dealer, words, page_number)
    content = _first_that_can_be(request, listed, asked, replace(asked, board=""), plain)
    return page(request, title, header(listed), *content)


def _first_that_can_be(request: Request, listed: Listed, *looks: Look) -> list[Node]:
    """What is asked for; where that cannot be, why, and what can be shown without it."""
    wrong: str | None = None
    for look in looks:
        try:
            content = _views(request, look, listed)
        except BadInput as error:
            wrong = wrong or str(error)
            continue
        return [h.p(".failed", role="alert")[wrong] if wrong else None, *content]
    raise BadInput(wrong or "")


def address(key: str) -> str:
    return f"/strategy/{quote(key)}"


def working(what: str) -> Renderable:
    return h.p(".thinking", role="status", data_refresh=AGAIN)[f"{what} …"]


def header(listed: Listed) -> Renderable:
    """What a strategy is and how good, and how it came to be so."""
    config = listed.config
    facts: list[tuple[str, Node]] = [
        ("game", config.game),
        ("algorithm", config.algorithm),
        ("seed", f"{config.seed}" if config.seeds == 1 else f"{config.seed} to {config.seed + config.seeds - 1}"),
        ("trained for", length(listed.metrics[-1]) if listed.metrics else "nothing yet"),
        ("how good", listed.how_good),
    ]
    return h.section(".about", aria_label="What it is")[
        h.dl(".facts")[(h.div[h.dt[name], h.dd[words]] for name, words in facts)],
        _curve(listed),
    ]


def _curve(listed: Listed) -> Node:
    rows = listed.metrics
    if len(rows) < 2:
        return None
    exact = "exploitability" in rows[0]
    name = "exploitability" if exact else "winnings"
    up = "exploitability, chips per hand (exact)" if exact else "winnings against random play, mbb/h (estimate)"
    line = [(float(row["step"]), float(row[name])) for row in rows if name in row]
    if exact and not any(value > 0 for _, value in line):
        return None  # a logarithmic axis has no place for zeros
    return h.details(open=True)[
        h.summary["Over training"],
        curve({name: line}, "steps", up, logarithmic=exact),
        note(h.a(href=f"/api/strategy/{quote(listed.key)}/curve.csv", download="")["The curve as CSV"]),
    ]


def _views(request: Request, look: Look, listed: Listed) -> list[Node]:
    """What there is to see, by the game."""
    book = look.book
    if book.pages is not None:
        pages = book.pages
        return [
            _simplex(request, pages, listed, book) if simplex.is_for(pages) else None,
            card_grid(pages),
            two_rounds.two_rounds(look, pages),
            ask_form(listed.key, book),
            leaks(look, pages, lambda row: two_rounds.link(look, pages, row)),
        ]
    if not book.has_combinations:
        return [h.p["This game is too large to list; ask about one spot."], ask_form(listed.key, book)]
    game = book.form.game
    assert isinstance(game, Poker)
    walk = Walk.to(game, look.betting)
    way, ask = betting_and_board(look, walk), ask_form(listed.key, book)
    if walk.hand.board and not look.board:
        there = "The board lies open here: name its cards above to see what is done with every hand on it."
        return [way, h.p[there], ask]
    key = "chart", book.name, book.mark, walk.betting, look.board
    told = soon(request, key, lambda: book.combinations(look.betting, look.board))
    if told is None:
        return [way, working("Every two cards are being asked about")]
    return [way, chart(told), ask, combinations_table(look, told)]


def _simplex(request: Request, pages: Pages, listed: Listed, book: Book) -> Node:
    if not can_be_made_again(listed, book):
        why = "It learns by play, or from many seeds at once, which takes too long to make again here."
        return simplex.simplex(pages, None, why)
    made = made_again(later_of(request), listed, book)
    shown = simplex.simplex(pages, made, "The way there is being made again from its seed.")
    return shown if made else [shown, working("The way there is being made again")]


def ask_form(key: str, book: Book, spot: str = "", board: str = "", betting: str = "", seat: str = "") -> Renderable:
    """Ask about one spot."""
    poker = isinstance(book.form.game, Poker)
    what = "Cards held, or a label" if poker else "What the player sees: a label"
    return h.section("#ask", aria_label="Ask about this spot")[
        h.h2["Ask about this spot"],
        h.form(".choices", data_go=f"{address(key)}/ask")[
            field(what, "spot", spot, maxlength="300", required=""),
            field("Board", "board", board, maxlength="40") if poker else None,
            field("Betting so far", "betting", betting, maxlength="300") if poker else None,
            field("Player, if it matters", "player", seat, "number", min="1", max=f"{book.form.players}"),
            h.button(".primary", type="submit")["Ask"],
        ],
    ]


@router.get("/strategy/{key}/ask", include_in_schema=False)
def ask_page(
    request: Request, key: str, spot: Words = "", board: Words = "", betting: Words = "", player: Player = None
) -> HTMLResponse:
    index: Index = request.app.state.studio.index
    index.finished(key)
    title = f"Ask {key} about a spot"
    book = soon(request, book_key(index, key), lambda: book_of(index, key))
    if book is None:
        return page(request, title, working("Its strategy is being read and judged"))
    form = ask_form(key, book, spot, board, betting, f"{player or ''}")
    back = h.p[h.a(href=address(key))[f"All that {key} does"]]
    try:
        told = book.answer(spot, board, betting, None if player is None else player - 1)
    except BadInput as error:
        return page(request, title, form, h.p(".failed", role="alert")[str(error)], back)
    return page(request, title, form, _answer(told), back)


def _answer(told: Answer) -> Renderable:
    known = told.values is not None
    words = (
        "On the right: chips a hand that each move wins against the strategy, played on as well as can be (exact)."
        if known
        else "What moves win here is not known: the game is too large to be exact, and nothing is guessed."
    )
    return h.section("#answer", aria_label="The answer")[
        h.h2[f"Player {told.player + 1} at {told.sees}"], bars(told.moves, told.values), note(words)
    ]
