"""Players who search think in a process of their own: what it is told, what happens when it dies, and that it ends."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import httpx2
import numpy as np
import pytest

import feint
from feint.evaluate.league import round_robin
from feint.evaluate.measure import ESTIMATE, EXACT
from feint.forms.library import form_of
from feint.games.errors import BadInput
from feint.players.player import Observation, Player
from feint.runs.lineup import players
from feint.runs.resolving import Resolving
from feint.runs.simulating import Simulating
from feint.studio import leagues, thinkers
from feint.studio.index import Opponent
from feint.studio.thinkers import FAILED, SAID, Gone, Thinker
from studio_hands import Dealt, client_of, places, play, studio_of

SEARCHER = {"opponent": "ismcts", "game": "leduc"}
RESOLVER = {"opponent": "resolver", "game": "leduc_no_limit"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with client_of(tmp_path_factory.mktemp("studio")) as client:
        yield client


def seated(client, **asked):
    answer = client.post("/api/tables", json=SEARCHER | asked)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    client.cookies.clear()
    client.cookies.set("seat", told["token"])
    return told["table"], studio_of(client).room.find(told["table"], told["token"])


def running(client):
    return studio_of(client).thinkers._process.running


def until(true, seconds=30.0):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


def played_out(client, name, visit, choose):
    """A hand to its end, through the addresses that the page uses."""
    while not visit.over:
        visit.wait(120.0)
        told = client.get(f"/api/tables/{name}").json()
        assert told["failed"] is None
        if told["moves"]:
            made = {"move": choose(told["moves"]), "turn": told["turn"]}
            assert client.post(f"/api/tables/{name}/moves", json=made).status_code == 200
    assert "The hand, decision by decision" in client.get(f"/tables/{name}").text


def test_a_hand_is_played_against_one_who_thinks_elsewhere(client):
    name, visit = seated(client, seat=1)
    played_out(client, name, visit, lambda moves: "check" if "check" in moves else "call")
    assert client.get(f"/api/tables/{name}").json()["score"]["hands"] == 1
    (kept,) = studio_of(client).archive.last(1)
    assert any(decision.player == 1 for decision in kept.hand.decisions)
    assert os.getpriority(os.PRIO_PROCESS, running(client).pid) == thinkers.POLITE


@pytest.mark.slow
def test_hands_are_played_against_one_who_thinks_elsewhere(client):
    name, visit = seated(client, **RESOLVER)
    luck = random.Random(3)
    for number in range(1, 6):
        played_out(client, name, visit, luck.choice)
        assert client.get(f"/api/tables/{name}").json()["score"]["hands"] == number
        client.post(f"/api/tables/{name}/hands", json={})


def league_of(client, game, *names):
    """A league to its end, in which nobody may think here."""
    with pytest.MonkeyPatch.context() as patch:
        for config in (Simulating, Resolving):
            patch.setattr(config, "at", lambda *_: pytest.fail("it thinks in the studio's own process"))
        begun = client.post("/api/league", json={"game": game, "players": names, "hands": 1000})
        assert begun.status_code == 200, begun.text
        path = f"/api/league/{begun.json()['league']}"
        until(lambda: client.get(path).json()["over"], 600.0)
    told = client.get(path).json()
    assert told["failed"] is None
    return told, {(each["first"], each["second"]): each for each in told["matches"]}


def test_leagues_are_played_by_those_who_think_elsewhere(client, monkeypatch):
    monkeypatch.setattr(leagues, "BY_HAND", 6)
    seated_before = sum(not each.left for each in studio_of(client).thinkers._seated)
    told, won = league_of(client, "kuhn", "ismcts", "random", "call", "rlcard")
    assert told["left_out"]["rlcard"].startswith("RLCard's agents play Leduc and limit hold'em for two")
    assert {pair: (each["kind"], each["hands"]) for pair, each in won.items() if pair[0] < pair[1]} == {
        ("ismcts", "random"): (ESTIMATE, 6),
        ("call", "ismcts"): (ESTIMATE, 6),
        ("call", "random"): (EXACT, None),
    }
    assert sum(not each.left for each in studio_of(client).thinkers._seated) == seated_before
    asked = f"{told['goto']}?first=ismcts&second=call&hand=2"
    until(lambda: "data-refresh" not in client.get(asked).text)
    assert "ismcts (1)" in client.get(asked).text
    hands = [client.get(f"/api{told['goto']}/hand?first=ismcts&second=call&hand=2").json() for _ in range(2)]
    assert hands[0] == hands[1]
    assert {step["chance"] for step in hands[0]["steps"] if step["player"] == "ismcts"} == {None}
    assert sum(not each.left for each in studio_of(client).thinkers._seated) == seated_before


@pytest.mark.slow
def test_leagues_have_what_a_searcher_wrote_down_elsewhere(client):
    told, won = league_of(client, RESOLVER["game"], "resolver", "call", "random")
    assert told["left_out"] == {}
    assert {each["kind"] for each in won.values()} == {EXACT}
    assert won["resolver", "call"]["value"] > 0
    assert won["resolver", "random"]["value"] > 0


def test_who_learns_elsewhere_begins_anew_with_each_opponent(client):
    form = form_of("kuhn")

    def won_by(counter):
        others = {name: players()[name].at(form, 1) for name in ("raise", "fold")}
        won = {}
        for pair in round_robin(form, {"counter": counter} | others, 60, 0, lambda *_: None):
            won |= pair
        return {pair: measure.value for pair, measure in won.items()}

    elsewhere = studio_of(client).thinkers.player("counter", "kuhn", 0)
    assert won_by(elsewhere) == won_by(players()["counter"].at(form, 0))
    elsewhere.close()


def test_all_that_players_are_told_is_passed_on():
    told = {name for name, each in vars(Player).items() if callable(each)}
    assert told >= {"begin", "saw", "heard", "move", "end", "forget", "close"}
    assert told <= set(vars(Thinker))


def test_what_somebody_does_everywhere_is_told_where_it_is_known():
    chair, sits = thinkers._Chair(), [("sit", ("call", "kuhn", 0)), ("written", ())]
    how, said = chair.take(sits)
    known = players()["call"].at(form_of("kuhn"), 0).strategy
    assert (how, said.fingerprint) == (SAID, known.fingerprint)
    np.testing.assert_array_equal(said.probabilities, known.table(feint.unroll("kuhn")))
    assert chair.take([("sit", ("ismcts", "kuhn", 0)), ("written", ())]) == (SAID, None)


@pytest.mark.parametrize("kind", [ValueError, BadInput])
def test_what_a_player_says_who_fails_is_not_passed_on(monkeypatch, kind):
    """It may tell the cards that they see."""

    def fails(*_):
        raise kind("K was not foreseen")

    chair = thinkers._Chair()
    assert chair.take([("sit", ("call", "kuhn", 0))]) == (SAID, None)
    monkeypatch.setattr(chair._player, "move", fails)
    assert chair.take([("move", (None,))]) == (FAILED, kind.__name__)


def test_it_keeps_nothing_of_tables_that_were_left(client):
    seated(client)
    lines = Path(f"/proc/{running(client).pid}/fd")
    if not lines.is_dir():
        pytest.skip("this machine does not tell what a process has open")
    before = len(list(lines.iterdir()))
    sat = [seated(client) for _ in range(5)]
    until(lambda: len(list(lines.iterdir())) == before + 5)
    for name, visit in sat:
        client.cookies.clear()
        client.cookies.set("seat", visit.token)
        assert client.post(f"/api/tables/{name}/leave", json={}).json() == {"goto": "/"}
        assert client.get(f"/tables/{name}").status_code == 404
    until(lambda: len(list(lines.iterdir())) == before)


def test_where_it_cannot_play_it_is_refused_in_a_sentence(client):
    answer = client.post("/api/tables", json={"opponent": "rlcard", "game": "kuhn"})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("RLCard's agents play Leduc and limit hold'em for two")


def test_there_are_only_so_many_of_them(client, monkeypatch):
    monkeypatch.setattr(thinkers, "MOST", 0)
    answer = client.post("/api/tables", json=SEARCHER)
    assert answer.status_code == 409
    assert answer.json()["error"] == "0 tables have somebody who searches, as many as can be; try again later."


def thinks_for_ever(client, name):
    """Make a move at a table, to which no answer will come."""
    os.kill(running(client).pid, signal.SIGSTOP)
    told = client.get(f"/api/tables/{name}").json()
    answer = client.post(f"/api/tables/{name}/moves", json={"move": told["moves"][1], "turn": told["turn"]})
    assert answer.json()["thinking"]
    assert "ismcts is thinking" in client.get(f"/tables/{name}").text


def says_so(client, name, visit, why):
    visit.wait(60.0)
    told = f"ismcts cannot go on ({why}); leave the table and choose anew."
    page = client.get(f"/tables/{name}")
    assert page.status_code == 200
    assert told in page.text
    assert client.get(f"/api/tables/{name}").json()["failed"] == told
    assert client.post(f"/api/tables/{name}/hands", json={}).status_code == 409
    assert client.post(f"/api/tables/{name}/leave", json={}).status_code == 200


def test_when_it_dies_the_table_says_so_and_another_begins(client, monkeypatch):
    name, visit = seated(client, seat=1)
    thinks_for_ever(client, name)
    process = running(client)
    process.kill()
    says_so(client, name, visit, "the process in which it thinks has ended")
    monkeypatch.setattr(thinkers, "_Process", lambda: Recorded([None, 1]))
    seated(client, seat=1)
    assert isinstance(studio_of(client).thinkers._process, Recorded)


def test_it_may_not_think_for_ever(client, monkeypatch):
    known = studio_of(client).thinkers
    process = Recorded([None])
    monkeypatch.setattr(known, "_process", process)
    name, visit = seated(client, seat=1)
    told = client.get(f"/api/tables/{name}").json()
    client.post(f"/api/tables/{name}/moves", json={"move": told["moves"][1], "turn": told["turn"]})
    says_so(client, name, visit, "it thought for more than 180 seconds")
    assert process.ended


def test_it_ends_with_the_studio(tmp_path):
    with client_of(tmp_path) as client:
        known = studio_of(client).thinkers
        known._process = begun = thinkers._Process()
    assert begun.running.returncode == -signal.SIGKILL
    with pytest.raises(Gone, match="closing"):
        known.player("resolver", "leduc")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopping_the_command_leaves_no_process(tmp_path, how):
    """In the middle of a thought."""
    command = [sys.executable, "-m", "feint", "studio", "--port", "0", "--no-browser", "--runs", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        address = server.stdout.readline().strip()
        with httpx2.Client(base_url=address, transport=httpx2.HTTPTransport(retries=5), timeout=120.0) as client:
            client.post("/api/tables", json=RESOLVER | {"seat": 2})
        files = Path(f"/proc/{server.pid}/task").glob("*/children")
        (begun,) = [int(pid) for file in files for pid in file.read_text().split()]
        server.send_signal(how)
    until(lambda: not Path(f"/proc/{begun}").exists())


class Recorded:
    """In place of the process and of a line to it: notes what is sent, and gives some answers."""

    alive, ended = True, False

    def __init__(self, answers):
        self.answers, self.told = list(answers), []

    def connect(self):
        return self

    def send(self, told):
        self.told.append(pickle.dumps(told))

    def poll(self, seconds):
        return bool(self.answers)  # it thinks for ever when there is none

    def recv(self):
        return SAID, self.answers.pop(0)

    def close(self):
        self.answers = None

    def end(self):
        self.ended = True


def test_it_is_told_what_its_player_may_see_and_no_more(client):
    """What goes to it in a hand does not depend on the person's card, until that is shown."""
    form, by_cards = studio_of(client).index.form("leduc"), {}
    check = [1, 1, 1, 1]
    for mine, theirs, board in product(range(3), repeat=3):
        if len({mine, theirs, board}) == 1:
            continue
        line = Recorded([1, 1])
        opponent = Opponent("x", form, lambda line=line: Thinker(line), None)
        chance = Dealt(places(form.game, ((mine,), (theirs,), (board,)), check))
        name, visit = studio_of(client).room.open(opponent, 0, chance)
        while not visit.over:
            visit.wait(30.0)
            if visit.offered():
                play(visit, 1)
        *before, last = line.told
        assert len(before) == 2
        assert by_cards.setdefault((theirs, board), before) == before
        seen = [given for told in before for _, more in pickle.loads(told)[0] for given in more]
        assert {each.player for each in seen if isinstance(each, Observation)} == {1}
        assert pickle.loads(last)[0][-1][0] == "end"
        studio_of(client).room.leave(name, visit.token)
        assert line.answers is None
    assert len(by_cards) == 9
