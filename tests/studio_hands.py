"""For tests of the studio: hands with given cards, and opponents who make given moves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import httpx2
from starlette.testclient import TestClient

from feint.games.game import CHANCE, TERMINAL, Game
from feint.games.poker import Poker
from feint.players.player import Observation, Player
from feint.studio.app import Studio, make_app
from feint.studio.index import Opponent
from feint.studio.visit import Visit

HOST = "127.0.0.1:8077"


class Dealt:
    """Chance that does as it is told."""

    def __init__(self, places: Sequence[float]) -> None:
        self._places = list(places)

    def random(self) -> float:
        return self._places.pop(0)


class Scripted(Player):
    """Makes given moves, whatever it holds."""

    def __init__(self, moves: Sequence[int]) -> None:
        self._moves = list(moves)

    def move(self, seen: Observation) -> int:
        return self._moves.pop(0)


def client_of(tmp_path: Any) -> TestClient:
    """A studio that nobody but the tests can reach."""
    return TestClient(make_app(tmp_path / "runs", tmp_path / "hands.sqlite", (HOST,)), base_url=f"http://{HOST}")


def studio_of(client: TestClient) -> Studio:
    studio = client.app.state.studio  # type: ignore[attr-defined]
    assert isinstance(studio, Studio)
    return studio


def places(game: Poker, cards: Sequence[Sequence[int]], moves: Sequence[int]) -> list[float]:
    """What chance has to do for these cards to be dealt, in their order, in a hand with these moves."""
    state, found, due, made = game.start(), list[float](), iter(cards), iter(moves)
    while game.actor(state) != TERMINAL:
        if game.actor(state) != CHANCE:
            state = game.play(state, next(made))
            continue
        wanted, before = tuple(sorted(next(due))), 0.0
        after = game.deal(state, wanted)
        chances = list(game.chance(state)) if game.deck.copies_of_kind > 1 else None
        if chances is None:  # all draws are as likely
            place, often = next((n, each) for n, (each, drawn) in enumerate(game.deck.draws(state.dealt, len(wanted)))
                                if drawn == wanted)  # fmt: skip
            found.append((place + 0.5) * often)
        else:
            for chance, outcome in chances:
                if outcome == after:
                    found.append(before + chance / 2)
                    break
                before += chance
        state = after
    return found


def line_of(game: Game[Any], choose: Any) -> list[tuple[int, int]]:
    """A whole hand's moves and who makes them, as `choose` picks them from those on offer, with whatever cards."""
    assert isinstance(game, Poker)
    state, made = game.deal_until_a_turn(game.seat(0)), list[tuple[int, int]]()
    while game.actor(state) != TERMINAL:
        move = choose(list(game.legal(state)))
        made.append((game.actor(state), move))
        state = game.deal_until_a_turn(game.play(state, move))
    return made


def sent(
    client: TestClient,
    known: Opponent,
    seat: int,
    line: list[tuple[int, int]],
    cards: Sequence[Sequence[int]],
    before: set[Any] | None = None,
) -> list[tuple[Any, list[bytes]]]:
    """All that a person is sent in a hand, decision by decision until it is over: what they know, and the bytes.

    Decisions that are in `before`, those of hands with the same cards that were bet alike so far, are not asked about
    again.
    """
    game, moves = known.form.game, [move for _, move in line]
    assert isinstance(game, Poker)
    theirs = [move for player, move in line if player != seat]
    opponent = Opponent(known.name, known.form, lambda: Scripted(theirs), known.strategy)
    vars(opponent).update({name: getattr(known, name) for name in ("adviser", "worth", "best")})  # worked out once
    room = studio_of(client).room
    name, visit = room.open(opponent, seat, Dealt(places(game, cards, moves)))
    told, mine = [], iter([number for number, (player, _) in enumerate(line) if player == seat])
    for _ in count():
        visit.wait(30.0)
        assert visit.failed is None
        if visit.over:
            break
        number = next(mine)
        here = (seat, tuple(map(tuple, cards)), tuple(moves[:number]))
        if before is None or here not in before:
            told.append((visit.seen.view, _whole(client, name, visit.token)))
        if before is not None:
            before.add(here)
        play(visit, moves[number])
    room.leave(name, visit.token)
    return told


def _whole(client: TestClient, name: str, token: str) -> list[bytes]:
    """All that a table answers now, headers included, but for its name."""
    asked = f"/tables/{name}", f"/tables/{name}?advice=true", f"/api/tables/{name}", f"/api/tables/{name}/advice"
    assert client.portal is not None
    answers = client.portal.call(_answers, client.app, token, asked)
    assert {answer.status_code for answer in answers} == {200}
    whole = [repr(sorted(answer.headers.items())).encode() + answer.content for answer in answers]
    return [each.replace(name.encode(), b"NAME") for each in whole]


async def _answers(app: Any, token: str, paths: Sequence[str]) -> list[httpx2.Response]:
    """What somebody with a token is answered, all of it within the studio's own loop: thousands are asked for."""
    asked = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app), base_url=f"http://{HOST}", cookies={"seat": token}, trust_env=False
    )
    async with asked:
        return [await asked.get(path) for path in paths]


def play(visit: Visit, move: int) -> None:
    (word,) = (word for word, number in visit.offered().items() if number == move)
    visit.move(word, visit.turn)
