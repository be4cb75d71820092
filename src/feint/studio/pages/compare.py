"""Compare: two agents, two runs, or two checkpoints of one run, where they differ most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated
from urllib.parse import urlencode

import htpy as h
from fastapi import APIRouter, Query, Request, Response
from htpy import Node, Renderable
from starlette.responses import HTMLResponse

from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.studio.choosing import Chosen, choose
from feint.studio.comparing import HEADS, KIND_HEADS, STEPS, Comparison, Difference, kinds_apart, same_game
from feint.studio.index import Index, Listed
from feint.studio.page import Tab, chooser, field, page, paged, table, turn
from feint.studio.pages.strategy import Words, later_of, soon, working
from feint.studio.pages.strategy_data import CSV
from feint.studio.refusals import REFUSALS
from feint.studio.sheets import sheet
from feint.studio.views.difference import difference_cell, kinds_chart, kinds_table
from feint.studio.views.parts import note, percent
from feint.studio.walking import Walk

router = APIRouter()
TAB = Tab(4, "Compare", "/compare")
Name = Annotated[str, Query(max_length=120)]
Step = Annotated[int | None, Query(ge=0, le=2**53)]
"""Of which the strategy is to be; none for the end."""


@router.get("/compare", include_in_schema=False)
def compare(
    request: Request,
    first: Name = "",
    second: Name = "",
    first_at: Step = None,
    second_at: Step = None,
    words: Annotated[str, Query(max_length=100, alias="filter")] = "",
    page_number: Annotated[int, Query(ge=1, le=10**6, alias="page")] = 1,
    betting: Words = "",
    board: Words = "",
) -> HTMLResponse:
    index: Index = request.app.state.studio.index
    known = {each.key: each for each in index.listed() if each.finished}
    first = first or _usual(list(known.values()))
    one = index.finished(first)
    alike = [each for each in known.values() if each.config.fingerprint == one.config.fingerprint]
    if second not in {each.key for each in alike}:
        if second:
            index.finished(second)
        second = next((each.key for each in alike if each.key != first), first)
    choices = _choices(first, second, list(known.values()), alike, [])
    asked = (first, first_at), (second, second_at)
    try:
        chosen = [choose(index, later_of(request), key, step) for key, step in asked]
    except BadInput as error:
        return page(request, "Compare", choices, _alert(error))
    if chosen[0] is None or chosen[1] is None:
        waiting = working("Both strategies are being read and judged, and what they were on their way is worked out")
        return page(request, "Compare", choices, waiting)
    pair = chosen[0], chosen[1]
    choices = _choices(first, second, list(known.values()), alike, pair)
    alert: Node = None
    try:
        content = _differences(request, pair, words, page_number, betting, board)
    except BadInput as error:
        alert = _alert(error)
        content = _differences(request, pair, "", 1, "", "")
    return page(request, "Compare", choices, alert, content)


def _alert(error: BadInput) -> Renderable:
    """Why what was asked for cannot be shown."""
    return h.p(".failed", role="alert")[str(error)]


def _usual(known: list[Listed]) -> str:
    """What to begin with: a run that there is another one to compare with, if there is."""
    games = Counter(each.config.fingerprint for each in known)
    return next((each.key for each in known if games[each.config.fingerprint] > 1), known[0].key if known else "")


def _choices(first: str, second: str, known: list[Listed], alike: list[Listed], pair: Sequence[Chosen]) -> Renderable:
    submit = {"data-submit": ""}
    firsts = [(each.key, f"{each.key} ({each.config.game})") for each in known]
    about = "A slider goes over training: checkpoints that are kept, and what can soon be made again from the seed."
    if not any(each.stops for each in pair):
        about = "Neither keeps checkpoints of its way, nor can that soon be made again: both are at their end."
    return h.section(aria_label="What to compare")[
        h.p(".lead")[
            "Two agents or runs of one game, or one run at two places of its way: where they play differently, what "
            "matters most first."
        ],
        h.form(".choices", data_go="/compare")[
            chooser("First", "first", firsts, first, **submit),
            chooser("Second", "second", [(each.key, each.key) for each in alike], second, **submit),
            h.button(type="submit")["Compare"],
        ],
        h.form(".choices", data_go="/compare", aria_label="Over training")[
            h.input(type="hidden", name="first", value=first),
            h.input(type="hidden", name="second", value=second),
            (_slider(*each) for each in zip(("First", "Second"), ("first_at", "second_at"), pair, strict=True)),
        ]
        if any(each.stops for each in pair)
        else None,
        note(about) if pair else None,
    ]


def _slider(label: str, name: str, chosen: Chosen) -> Node:
    """Goes over the steps of which the strategy can be had; what is sent is the step, and nothing for the end."""
    if not chosen.stops:
        return None
    where = "at its end" if chosen.step is None else f"at step {chosen.step:,}"
    last = len(chosen.stops)
    place = last if chosen.step is None else chosen.stops.index(chosen.step)
    steps = " ".join(f"{step}" for step in chosen.stops)
    return field(
        f"{label}: {where}", name, f"{place}", "range", min="0", max=f"{last}", step="1",
        id=name, **{"data-submit": "", "data-places": steps, "aria-valuetext": where},
    )  # fmt: skip


def _differences(
    request: Request, pair: tuple[Chosen, Chosen], words: str, page_number: int, betting: str, board: str
) -> Node:
    first, second = pair[0].book, pair[1].book
    same_game(first, second)
    if first.pages is None or second.pages is None:
        return _by_hands(request, pair, betting, board)
    compared = Comparison(first.pages, second.pages)
    rows = compared.found(words)
    shown, number, last = paged(rows, page_number)
    both = zip(pair, (first.pages, second.pages), strict=True)
    judged = [(each.words, pages.exploitability.words) for each, pages in both]
    return [
        _judged(judged, "Exploitability", "What a best response gains"),
        h.section("#differences", aria_label="Where they differ")[
            h.h2["Where they differ"],
            h.p[
                "They part, all information sets weighted by how often hands come there, by ",
                h.strong[percent(float((compared.apart * compared.reach).sum() / compared.reach.sum()))],
                " of probability at a decision (exact).",
            ],
            h.form(".choices", data_go="/compare")[
                _hidden(pair),
                field("Only situations with", "filter", words, maxlength="100"),
                h.button(type="submit")["Find"],
            ],
            table(
                ("Player", "Sees", "Moves: first, second, difference", "Apart", "Comes to this", "Apart × comes"),
                (_row(compared.difference(row)) for row in shown),
                f"{len(rows):,} information sets, {len(shown)} shown; the first is {pair[0].words}, the second "
                f"{pair[1].words}",
                numbers=3,
            )
            if rows
            else h.p["No label has these words."],
            turn(number, last, partial(_address, pair, words)),
            note(
                "Apart: how much of the probability lies on other moves. Comes to this: how often a hand does, the "
                "mean of both. ",
                h.a(href=f"/api/compare.csv?{urlencode(_query(pair))}", download="")["All of it as CSV"],
            ),
        ],
    ]


def _judged(rows: Iterable[tuple[str, str]], judged: str, caption: str) -> Renderable:
    return h.section(aria_label="How good they are")[
        h.h2["How good they are"], table(("Strategy", judged), rows, caption)
    ]


def _row(each: Difference) -> tuple[Node, ...]:
    return (
        f"{each.player + 1}",
        each.sees,
        difference_cell(each.first, each.second),
        percent(each.apart),
        percent(each.reach),
        percent(each.weight),
    )


def _query(pair: tuple[Chosen, Chosen]) -> dict[str, str | int]:
    """Which two they are. The end is no number in it: how many steps there are before it may be otherwise later."""
    one, other = pair
    steps = {"first_at": one.step, "second_at": other.step}
    told: dict[str, str | int] = {"first": one.listed.key, "second": other.listed.key}
    return told | {name: step for name, step in steps.items() if step is not None}


def _hidden(pair: tuple[Chosen, Chosen]) -> Node:
    return [h.input(type="hidden", name=name, value=f"{value}") for name, value in _query(pair).items()]


def _address(pair: tuple[Chosen, Chosen], words: str, number: int) -> str:
    """A page of the differences."""
    return f"/compare?{urlencode(_query(pair) | {'filter': words, 'page': number})}"


def _by_hands(request: Request, pair: tuple[Chosen, Chosen], betting: str, board: str) -> Node:
    """Games too large to list: every two cards at one decision."""
    if not pair[0].book.has_combinations:
        return h.p[
            "This game is too large to list, and no hold'em, so its strategies cannot be laid beside each other."
        ]
    game = pair[0].book.form.game
    assert isinstance(game, Poker)
    walk = Walk.to(game, betting)
    form = h.form(".choices", data_go="/compare")[
        _hidden(pair),
        field("Betting so far", "betting", betting, maxlength="300", placeholder="raise call / check bet"),
        field("Board", "board", board, maxlength="40"),
        h.button(type="submit")["Show"],
    ]
    ends = ((each.listed.key, each.listed.how_good) for each in pair)
    judged = _judged(ends, "Judged at its end", "As it was judged when it was trained")
    if walk.hand.board and not board:
        return [judged, form, h.p["The board lies open here: name its cards."]]
    told = []
    for chosen in pair:
        book = chosen.book
        key = "chart", book.name, book.mark, chosen.step, walk.betting, board
        told.append(soon(request, key, partial(book.combinations, betting, board)))
    if told[0] is None or told[1] is None:
        return [judged, form, working("Every two cards are being asked about")]
    kinds = kinds_apart(told[0], told[1])
    more = _query(pair) | {"betting": walk.betting, "board": board}
    return [
        judged,
        h.section("#differences", aria_label="Where they differ")[
            h.h2[f"After {walk.betting}" if walk.betting else "The first move"],
            form,
            kinds_chart(kinds, len(game.deck.ranks)),
            kinds_table(kinds),
            note(h.a(href=f"/api/compare.csv?{urlencode(more)}", download="")["All of it as CSV"]),
        ],
    ]


@router.get("/api/compare.csv", responses=REFUSALS | CSV, response_class=Response)
def compare_sheet(
    request: Request,
    first: Name,
    second: Name,
    first_at: Step = None,
    second_at: Step = None,
    betting: Words = "",
    board: Words = "",
) -> Response:
    """Where two strategies differ, what matters most first: a row for each move at each information set.

    In hold'em a row for each move with each kind of hand, after some betting on a board. The last two columns say of
    which step each strategy is.
    """
    index: Index = request.app.state.studio.index
    asked = (first, first_at), (second, second_at)
    pair = [each for key, step in asked if (each := choose(index, later_of(request), key, step, None))]
    books, steps = [each.book for each in pair], [each.reached for each in pair]
    same_game(*books)
    name, (one, other) = " and ".join(each.words for each in pair), (book.pages for book in books)
    if one is not None and other is not None:
        return sheet(name, (*HEADS, *STEPS), ((*row, *steps) for row in Comparison(one, other).rows()))
    if not books[0].has_combinations:
        raise BadInput(f"{books[0].form.name} is too large to list; ask each of them about one spot.")
    kinds = kinds_apart(*(book.combinations(betting, board) for book in books))
    return sheet(name, (*KIND_HEADS, *STEPS), ((*row, *steps) for kind in kinds for row in kind.rows()))
