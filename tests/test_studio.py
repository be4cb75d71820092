"""The studio's tables: who may sit there, what they are sent, and that nothing of it tells what they may not know."""

from __future__ import annotations

import random
import re
import signal
import socket
import subprocess
import sys
import threading
from itertools import permutations, product
from urllib.parse import quote

import httpx2
import numpy as np
import pytest

import feint
from feint.games.poker import Poker
from feint.players.player import Observation, Player
from feint.players.table import Table
from feint.runs.lineup import line_up
from feint.studio.guard import MOST_BYTES, POLICY
from feint.studio.index import Opponent
from feint.studio.visit import Late
from studio_hands import HOST, Scripted, client_of, line_of, play, sent, studio_of


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """One studio for all of them; what is read and compiled for one test is there for the next."""
    with client_of(tmp_path_factory.mktemp("studio")) as client:
        yield client


def seated(client, **asked):
    answer = client.post("/api/tables", json={"opponent": "feint:kuhn", **asked})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    client.cookies.set("seat", told["token"])
    visit = studio_of(client).room.find(told["table"], told["token"])
    visit.wait(60.0)
    return told["table"], visit


def played_out(client, name, visit, choose):
    """Play the hand to its end through the page's own addresses."""
    while not visit.over:
        visit.wait(60.0)
        told = client.get(f"/api/tables/{name}").json()
        if told["moves"]:
            made = {"move": choose(told["moves"]), "turn": told["turn"]}
            assert client.post(f"/api/tables/{name}/moves", json=made).status_code == 200


# Hidden information.


def same_for_all_that_it_may_be(client, known, seat, line, deals, by_view=None, asked=None):
    """The bytes that are sent depend on what the person knows, and on nothing else."""
    by_view = {} if by_view is None else by_view
    for cards in deals:
        for view, content in sent(client, known, seat, line, cards, asked):
            assert by_view.setdefault(view, content) == content


def leduc_deals(game):
    return [((mine,), (theirs,), (board,)) for mine, theirs, board in product(range(3), repeat=3)
            if len({mine, theirs, board}) > 1]  # fmt: skip


def dealt_at_once(deals, line, game):
    """Deals without the board, where the hand ends before it comes."""
    return deals if len(rounds_of(game, line)) > 1 else sorted({deal[:2] for deal in deals})


def rounds_of(game, line):
    state = game.deal_until_a_turn(game.seat(0))
    for _, move in line:
        state = game.deal_until_a_turn(game.play(state, move))
    return state.moves


def check_leduc(client, lines, seats=(0, 1), held=range(3)):
    """Hands with these moves, a person in each of these seats with each of these cards."""
    known = studio_of(client).index.opponent("feint:leduc")
    game, by_view, asked = known.form.game, {}, set()  # lines that begin alike share decisions
    for line, seat in product(lines, seats):
        deals = dealt_at_once([deal for deal in leduc_deals(game) if deal[seat][0] in held], line, game)
        same_for_all_that_it_may_be(client, known, seat, line, deals, by_view, asked)
    return len(by_view)


def leduc_lines():
    """Every way in which a hand of Leduc may be bet."""
    game, found = feint.load_game("leduc"), {}

    def walk(before):
        rest = iter(before)
        try:
            line = line_of(game, lambda legal: next(rest))
            found[tuple(line)] = list(line)
        except StopIteration:
            state = game.deal_until_a_turn(game.seat(0))
            for move in before:
                state = game.deal_until_a_turn(game.play(state, move))
            for move in game.legal(state):
                walk((*before, move))

    walk(())
    return list(found.values())


LINES = 49
"""Ways in which a hand of Leduc may be bet."""


def test_what_is_sent_tells_nothing_hidden_in_leduc(client):
    line = [(0, 1), (1, 1), (0, 1), (1, 2), (0, 1)]  # a bet after the board has come
    assert check_leduc(client, [line], seats=(0,), held=(1,)) == 1 + 3 + 3


@pytest.mark.slow
def test_what_is_sent_tells_nothing_hidden_in_leduc_over_every_line_and_deal(client):
    lines = leduc_lines()
    assert len(lines) == LINES
    assert check_leduc(client, lines) == len(feint.unroll("leduc").labels), "every information set"


def check_holdem(client, hands, others, seed):
    known = studio_of(client).index.opponent("feint:holdem")
    luck, game = random.Random(seed), known.form.game
    for number in range(hands):
        line = line_of(game, luck.choice)
        deck = luck.sample(range(52), 7 + 2 * others)
        mine, board, rest = deck[:2], deck[2:7], deck[7:]
        turned = [board[:3], board[3:4], board[4:]][: len(rounds_of(game, line)) - 1]
        held = [rest[2 * each : 2 * each + 2] for each in range(others)]
        seat = number % 2
        deals = [([mine, each] if seat == 0 else [each, mine]) + turned for each in held]
        same_for_all_that_it_may_be(client, known, seat, line, deals)


@pytest.mark.slow
@pytest.mark.parametrize("quarter", range(4))  # so that several processes share them
def test_what_is_sent_tells_nothing_hidden_in_a_thousand_hands_of_holdem(client, quarter):
    check_holdem(client, 250, 3, quarter)


def test_the_byte_test_would_find_a_leak(client, monkeypatch):
    """An opponent whose name tells its card is found out."""
    known = studio_of(client).index.opponent("feint:leduc")
    monkeypatch.setattr("feint.studio.visit.Visit.where", property(lambda visit: str(visit._hand.observation(1).label)))
    line = [(0, 1), (1, 1), (0, 1), (1, 1)]
    with pytest.raises(AssertionError):
        same_for_all_that_it_may_be(client, known, 0, line, leduc_deals(known.form.game))


# Hands.


def test_hands_are_played_told_counted_and_kept(client):
    name, visit = seated(client)
    luck = random.Random(1)
    for number in range(1, 11):
        played_out(client, name, visit, luck.choice)
        told = client.get(f"/api/tables/{name}").json()
        assert (told["hand"], told["over"], told["score"]["hands"]) == (number, True, number)
        assert sum(told["won"]) == 0
        page = client.get(f"/tables/{name}").text
        assert "feint:kuhn" in page
        assert "decision by decision" in page
        assert client.post(f"/api/tables/{name}/hands", json={}).status_code == 200
    kept = studio_of(client).archive.last(10)
    assert [each.number for each in kept] == list(range(kept[0].number, kept[0].number - 10, -1))
    assert sum(each.hand.won[each.hand.seat] for each in kept) == pytest.approx(told["score"]["total"])
    for each in kept:  # places and moves are the whole hand
        game = feint.load_game(each.hand.game)
        state, places, moves = game.start(), iter(each.hand.places), iter(each.hand.moves)
        while game.actor(state) != feint.TERMINAL:
            dealt = game.actor(state) == feint.CHANCE
            state = game.outcome(state, next(places)) if dealt else game.play(state, next(moves))
        assert tuple(game.payoffs(state)) == each.hand.won


def test_chips_stand_where_they_are_bet(client):
    """What a call costs, what bets put in, what is in the pot and behind, and how likely the bot's own moves were."""
    name, visit = seated(client, opponent="rule-bot", game="holdem_no_limit", seat=1)
    told = client.get(f"/api/tables/{name}").json()
    assert told["prices"] == {"fold": 0, "call": 1, "0.5 pot": 3, "pot": 5, "all-in": 99}
    assert told["left"] == [99, 98]
    page = client.get(f"/tables/{name}").text
    assert "the dealer, with your blind of 1 chip in the pot." in page
    for word, chips in (("call", "1 chip"), ("0.5 pot", "3 chips"), ("pot", "5 chips"), ("all-in", "99 chips")):
        assert f'{word}<span class="price">{chips}</span>' in page
    assert "fold<kbd>" in page, "nothing is put in by a fold"
    assert "1 in, 99 left" in page
    played_out(client, name, visit, lambda moves: "0.5 pot" if visit.turn < 2 else moves[0])
    assert "you: 0.5 pot (3 chips)" in visit.lines
    page = client.get(f"/tables/{name}").text
    assert re.search(r"saw (\w{4}), 3 in the pot, and chose <strong>0.5 pot \(3 chips\)", page)
    assert "Bars say how often rule-bot makes each move there" in page
    assert all(each.chances for each in visit.decisions)
    page = client.get(f"/hands/{visit.kept}?step=0").text
    assert "1 in, 99 left" in page
    assert "0.5 pot (3 chips)" in page


def test_who_cannot_say_how_likely_moves_were_says_so(client):
    room = studio_of(client).room
    form = studio_of(client).index.form("leduc")
    name, visit = room.open(Opponent("scripted", form, lambda: Scripted([0] * 3), None), 0)
    play(visit, 2)
    visit.wait(60.0)
    page = client.get(f"/tables/{name}", headers={"cookie": f"seat={visit.token}"}).text
    assert "scripted decides move by move and cannot say how likely each was" in page


@pytest.mark.parametrize("game", ["leduc", "holdem"])
@pytest.mark.parametrize("seat", [1, 2])
def test_a_board_is_told_when_it_comes(client, game, seat):
    name, visit = seated(client, opponent="call", game=game, seat=seat)
    played_out(client, name, visit, lambda moves: "check" if "check" in moves else "call")
    boards = [line for line in visit.lines if line.startswith("on the board ") and "show" not in line]
    assert len(boards) == (1 if game == "leduc" else 3)


def test_cards_are_told_with_the_highest_first(client):
    from feint.games.holdem import RANKS
    from feint.studio.drawing import card

    assert ">T<" in str(card("Th"))
    name, visit = seated(client, opponent="call", game="holdem", seat=1)
    for _ in range(4):
        played_out(client, name, visit, lambda moves: "check" if "check" in moves else "call")
        for each in visit.decisions:
            hole, *board = each.sees.partition(":")[0].split()
            for street in (hole, *(each[:6] for each in board)):
                ranks = [RANKS.index(rank) for rank in street[::2]]
                assert ranks == sorted(ranks, reverse=True)
        scene = visit.seen.scene
        assert visit.seen.label.startswith("".join(scene.cards))
        assert "".join(scene.board) in visit.seen.label
        client.post(f"/api/tables/{name}/hands", json={})


def test_hands_that_were_kept_with_cards_in_another_order_are_replayed(client):
    from dataclasses import replace as changed

    from feint.studio.replay import replay

    name, visit = seated(client, opponent="call", game="holdem", seat=1)
    played_out(client, name, visit, lambda moves: "check" if "check" in moves else "call")
    hand = studio_of(client).archive.find(visit.kept).hand
    first = hand.decisions[0]
    old = changed(first, sees=first.sees[2:4] + first.sees[:2] + first.sees[4:], pot=None, price=None)
    told = changed(hand, decisions=(old, *hand.decisions[1:]))
    assert replay(told).made(1) == [f"you: {first.chosen}"]


def test_advice_is_what_the_library_says(client):
    name, visit = seated(client, seat=1)
    told = client.get(f"/api/tables/{name}/advice").json()
    asked = feint.ask("feint:kuhn", visit.seen.label, player=0)
    assert told["chances"] == pytest.approx(asked.moves)
    assert told["wins"] == pytest.approx(asked.values)


def test_a_move_counts_once_and_in_turn(client):
    name, _ = seated(client, seat=1)
    told = client.get(f"/api/tables/{name}").json()
    moves = f"/api/tables/{name}/moves"
    for wrong in ({"move": "fold", "turn": told["turn"]}, {"move": "check", "turn": told["turn"] + 1}):
        refused = client.post(moves, json=wrong)
        assert refused.status_code == 409
        assert client.get(f"/api/tables/{name}").json() == told, "nothing has changed"
    made = {"move": "check", "turn": told["turn"]}
    assert client.post(moves, json=made).status_code == 200
    after = client.get(f"/api/tables/{name}").json()
    assert client.post(moves, json=made).status_code == 409
    assert client.get(f"/api/tables/{name}").json() == after


def test_a_table_is_there_for_whoever_sits_at_it(client):
    name, _ = seated(client)
    assert client.get(f"/tables/{name}").status_code == 200
    client.cookies.clear()
    for token in (None, "", "x" * 32, "é"):
        headers = {} if token is None else {"cookie": f"seat={token}".encode()}
        for path in (f"/tables/{name}", f"/api/tables/{name}", f"/api/tables/{name}/advice"):
            assert client.get(path, headers=headers).status_code == 404
        move = {"move": "check", "turn": 1}
        assert client.post(f"/api/tables/{name}/moves", json=move, headers=headers).status_code == 404


def test_tables_are_bounded_and_the_idle_are_cleared(client, monkeypatch):
    room = studio_of(client).room
    monkeypatch.setattr(room, "most", len(room) + 2)
    (first, visit), _ = seated(client), seated(client)
    assert client.post("/api/tables", json={"opponent": "feint:kuhn"}).status_code == 409
    visit.touched -= 7200
    seated(client)
    assert len(room) == room.most
    assert client.get(f"/tables/{first}").status_code == 404


class Slow(Player):
    """Thinks until it is told to stop."""

    def __init__(self, wait: threading.Event) -> None:
        self._wait = wait

    def move(self, seen: Observation) -> int:
        self._wait.wait(60.0)
        return next(iter(seen.moves.values()))


def test_a_slow_opponent_holds_up_nobody_else(client):
    wait, index, room = threading.Event(), studio_of(client).index, studio_of(client).room
    form = index.form("kuhn")
    tables = [room.open(Opponent("slow", form, lambda: Slow(wait), None), 1) for _ in range(4)]
    assert all(visit.thinking for _, visit in tables)
    name, visit = seated(client, seat=1)
    played_out(client, name, visit, lambda moves: moves[0])
    assert client.get(f"/tables/{tables[0][0]}", headers={"cookie": f"seat={tables[0][1].token}"}).status_code == 200
    wait.set()
    for _, slow in tables:
        slow.wait(60.0)
        assert not slow.thinking


def test_those_who_think_are_not_asked_for_all_that_they_would_do(client):
    """Nor are they made here, where others would wait for that."""
    index = studio_of(client).index
    known = {name: index.opponent(name, "leduc") for name in index.players()}
    thinking = {"resolver", "modeller", "counter", "ismcts", "smooth-uct", "open-spiel", "rlcard"}
    assert {name for name, opponent in known.items() if opponent.strategy is None} == thinking
    assert known["resolver"].adviser is None
    assert "acpc" not in known, "no page opens a port"


def test_an_opponent_that_fails_says_so_and_no_more(client):
    index, room = studio_of(client).index, studio_of(client).room
    broken = Opponent("broken", index.form("kuhn"), lambda: Scripted([]), None)
    name, visit = room.open(broken, 1)
    visit.wait(60.0)
    page = client.get(f"/tables/{name}", headers={"cookie": f"seat={visit.token}"})
    assert page.status_code == 200
    assert "broken cannot go on" in page.text
    with pytest.raises(Late):
        visit.move("check", visit.turn)


class Talkative(Player):
    """Fails, and says what it holds."""

    def move(self, seen: Observation) -> int:
        raise ValueError(f"{seen.label!r} was not foreseen")


def test_an_opponent_that_fails_does_not_tell_its_card(client):
    index, room = studio_of(client).index, studio_of(client).room
    _, visit = room.open(Opponent("talkative", index.form("kuhn"), Talkative, None), 1)
    visit.wait(60.0)
    assert visit.failed == "talkative cannot go on (ValueError); leave the table and choose anew."


@pytest.mark.parametrize("game", ["rock_paper_scissors", "matching_pennies", "leduc", "kuhn"])
def test_anybody_can_be_played_at_any_game(client, game):
    name, visit = seated(client, opponent="random", game=game)
    luck = random.Random(2)
    for _ in range(3):
        played_out(client, name, visit, luck.choice)
        assert client.get(f"/tables/{name}").status_code == 200
        client.post(f"/api/tables/{name}/hands", json={})


def test_the_terminal_and_the_page_tell_a_hand_with_the_same_words(client, capsys, monkeypatch):
    from feint.cli.person import Person

    form = studio_of(client).index.opponent("feint:leduc").form
    assert isinstance(form.game, Poker)
    answers = iter(["check", "call"] * 10)
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    Table(form.game, 5).hand([Person(form, None, "feint:leduc"), line_up(("call",), "leduc").players[0]])
    told = capsys.readouterr().out
    room = studio_of(client).room
    call = Opponent("feint:leduc", form, lambda: line_up(("call",), "leduc").players[0], None)
    _, visit = room.open(call, 0, np.random.default_rng(5))
    while not visit.over:
        visit.wait(60.0)
        if visit.offered():
            play(visit, 1)
    for line in visit.lines:
        assert line in told or line.startswith("you: ")


# Doors.


def test_other_hosts_and_other_sites_are_refused(client):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 403
    assert client.get("/", headers={"host": "localhost"}).status_code == 403
    table = {"opponent": "feint:kuhn"}
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        assert client.post("/api/tables", json=table, headers=headers).status_code == 403
    for origin in ("http://evil.example", "http://["):
        refused = client.get("/", headers={"origin": origin})
        assert refused.status_code == 403
        assert refused.headers["content-security-policy"] == POLICY
    assert client.post("/api/tables", json=table, headers={"origin": f"http://{HOST}"}).status_code == 200


def test_only_little_json_is_taken(client):
    form = client.post("/api/tables", content="opponent=feint:kuhn", headers={"content-type": "text/plain"})
    assert form.status_code == 415
    large = client.post("/api/tables", json={"opponent": "x" * MOST_BYTES})
    assert large.status_code == 413
    assert client.post("/api/tables", json={"opponent": "feint:kuhn", "more": 1}).status_code == 422
    assert client.post("/api/tables", content="{", headers={"content-type": "application/json"}).status_code == 422


def test_there_are_no_web_sockets(client):
    from starlette.websockets import WebSocketDisconnect

    for path in ("/", "/tables/x", "/api/tables"):
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(path):
            pass


def test_nothing_runs_in_a_page_but_the_studios_own(client):
    answer = client.get("/")
    assert answer.headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    for inline in (" style=", " onclick=", "<style", "javascript:"):
        assert inline not in answer.text


def traversals():
    parts = [
        "..",
        "%2e%2e",
        "..%2f",
        "%00",
        "....//",
        "/etc/passwd",
        "C:\\",
        "~",
        "feint:../../x",
        "\u202e",
        "runs/..",
        ".",
    ]
    return [sep.join(some) for n in (1, 2, 3) for some in permutations(parts, n) for sep in ("/", "%2f", "\\")][:500]


@pytest.mark.parametrize("every", [25, pytest.param(1, marks=pytest.mark.slow)])
def test_names_lead_nowhere_but_to_what_is_listed(client, every):
    names = traversals()
    assert len(names) == 500
    for name in names[::every]:
        told = client.post("/api/tables", json={"opponent": name[:120], "game": name[:120]})
        assert told.status_code == 404, name
        assert client.get(f"/tables/{quote(name, safe='').replace('.', '%2E')}").status_code == 404, name


def test_a_port_that_is_taken_is_refused(call):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, _, words = call("studio", "--no-browser", "--port", f"{taken.getsockname()[1]}")
    assert code == 2
    assert "cannot be used" in words


@pytest.mark.slow
def test_the_command_opens_and_closes_it(tmp_path):
    command = [sys.executable, "-m", "feint", "studio", "--port", "0", "--no-browser", "--runs", str(tmp_path)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
    with httpx2.Client(base_url=address, transport=httpx2.HTTPTransport(retries=5), timeout=60.0) as client:
        assert "Feint" in client.get("/").text
    server.send_signal(signal.SIGINT)
    _, words = server.communicate(timeout=60)
    assert server.returncode == 0, words
    assert words.splitlines()[-1].startswith("The studio is closed; hands that were played to their end are in")
