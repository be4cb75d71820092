"""Strategies for programs: who there is, what they do at a spot, and everything as a table."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from feint.evaluate.measure import CHIPS, EXACT
from feint.games.errors import BadInput
from feint.players.player import StrategyPlayer
from feint.players.spots import answer, find_spot
from feint.runs.summary import measured, of_strategy
from feint.studio.index import Index
from feint.studio.pages.strategy import Player, Words, whole_book
from feint.studio.refusals import REFUSALS
from feint.studio.sheets import sheet
from feint.studio.strategies import HEADS

router = APIRouter()
Name = Annotated[str, Query(max_length=120)]
CSV: dict[int | str, dict[str, object]] = {200: {"content": {"text/csv": {}}}}


class Agent(BaseModel):
    """An agent or a run."""

    name: str
    game: str
    algorithm: str
    seed: int
    finished: bool
    how_good: str
    """In words; the same in numbers:"""
    measure: str | None
    value: float | None
    unit: str | None
    kind: str | None


class Asked(BaseModel):
    """What is done at a spot."""

    name: str
    game: str
    player: int
    """From 1 on."""
    sees: str
    moves: dict[str, float]
    values: dict[str, float | None] | None = None
    """What each move wins; null where it is not known, and for a move where the others never let it come to this."""
    unit: str | None = None
    kind: str | None = None


@router.get("/api/agents")
def agents(request: Request) -> list[Agent]:
    """Every agent and run, and how good each is."""
    index: Index = request.app.state.studio.index
    found = []
    for each in index.listed():
        number = measured(of_strategy(each.metrics[-1])) if each.metrics else None
        config = each.config
        found.append(
            Agent(
                name=each.key,
                game=config.game,
                algorithm=config.algorithm,
                seed=config.seed,
                finished=each.finished,
                how_good=each.how_good,
                measure=number and number.name,
                value=number and number.value,
                unit=number and number.unit,
                kind=number and number.kind,
            )
        )
    return found


@router.get("/api/ask", responses=REFUSALS)
def ask(
    request: Request,
    agent: Name,
    spot: Words,
    board: Words = "",
    betting: Words = "",
    player: Player = None,
    game: Annotated[str | None, Query(max_length=120)] = None,
) -> Asked:
    """How often an agent, a run or a player makes each move at a spot and, where it is known, what each wins."""
    index: Index = request.app.state.studio.index
    who = None if player is None else player - 1
    if agent in index.folders():
        book = whole_book(request, agent)
        name, told = book.form.name, book.answer(spot, board, betting, who)
    else:
        other = index.opponent(agent, game)
        if other.strategy is None:
            raise BadInput(f"{agent} decides hand by hand and does not say how likely its moves are; ask another.")
        seen = find_spot(other.form, spot, board, betting, who)
        name, told = other.form.name, answer(other.form, StrategyPlayer(other.strategy, other.form), seen)
    values: dict[str, float | None] | None = None
    if told.values is not None:
        values = {move: None if math.isnan(won) else won for move, won in told.values.items()}
    asked = Asked(name=agent, game=name, player=told.player + 1, sees=told.sees, moves=told.moves, values=values)
    return asked.model_copy(update={"unit": CHIPS, "kind": EXACT}) if values else asked


@router.get("/api/strategy/{key}/curve.csv", responses=REFUSALS | CSV, response_class=Response)
def curve(request: Request, key: str) -> Response:
    """A run's evaluations."""
    listed = request.app.state.studio.index.one(key)
    heads = list(dict.fromkeys(name for row in listed.metrics for name in row if name != "seeds"))
    return sheet(f"{key} curve", heads, ([row.get(name, "") for name in heads] for row in listed.metrics))


@router.get("/api/strategy/{key}.csv", responses=REFUSALS | CSV, response_class=Response)
def whole(request: Request, key: str, betting: Words = "", board: Words = "") -> Response:
    """All of a strategy: a row for each move, or in hold'em for every two cards after some betting on a board."""
    book = whole_book(request, key)
    if book.pages is not None:
        return sheet(key, HEADS, book.pages.rows())
    if not book.has_combinations:
        raise BadInput(f"{book.form.name} is too large to list; ask about one spot.")
    told = book.combinations(betting, board)
    return sheet(
        f"{key} {told.asked.betting} {told.asked.board_words}",
        ("cards", *told.moves),
        ((name, *moves.values()) for name, moves in told.rows()),
    )
