"""The studio's page of spots: solved in the background, walked by clicking, the same numbers as the library's."""

from __future__ import annotations

import csv
import io
import threading
import time
from dataclasses import replace

import htpy as h
import pytest
from starlette.testclient import TestClient

from feint.games.errors import BadInput
from feint.games.hand import Menu
from feint.games.postflop import DECK, Spot
from feint.games.ranges import by_kind, read_range
from feint.solvers.spot_trees import spot_size
from feint.solvers.spots import solve
from feint.studio import spots as spots_module
from feint.studio.hand_grid import rows_of_kinds
from feint.studio.spot_form import Asked, asked_for, form
from feint.studio.spot_view import solved_spot
from feint.studio.spots import Job, Spots, betting_in_words, cards_left, crumbs, onward
from studio_hands import client_of

POLAR = {"board": "KsKh7d4c2s", "oop": "AA,65s", "ip": "QQ", "pot": 10, "stack": 10, "bets": "1", "raises": ""}
"""Aces beat queens and six-five does not: whoever acts first may bet the pot, which is all there is."""
TURN = Spot("QsJh2h5c", "AA,KK,76s", "QQ,AKs", 10, 95, Menu((0.5, 1.0), (0.5,)))


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with client_of(tmp_path_factory.mktemp("studio")) as made:
        yield made


def waited(client: TestClient, name: str, seconds: float = 120) -> dict[str, object]:
    """A spot when it is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        told = client.get(f"/api/spots/{name}")
        if told.status_code == 200 and told.json()["state"] in ("solved", "failed"):
            return dict(told.json())
        time.sleep(0.1)
    raise AssertionError("the spot was not solved in time")


@pytest.fixture(scope="module")
def polar(client):
    begun = client.post("/api/spots", json=POLAR | {"share": 0.001})
    assert begun.status_code == 200
    assert begun.json()["goto"] == f"/solve/{begun.json()['spot']}"
    return waited(client, begun.json()["spot"])


def test_a_spot_is_solved_as_the_library_solves_it(client, polar):
    spot = Spot.read({**POLAR, "bets": [1.0], "raises": []})
    ours = solve(spot, 0.001)
    told = polar["solution"]
    assert polar["state"] == "solved"
    assert told["exploitability"]["value"] == pytest.approx(ours.share)
    assert told["wins"]["oop"] == pytest.approx(ours.wins("oop"))
    assert polar["progress"][-1][:2] == [ours.steps, pytest.approx(ours.share)]
    node = ours.at("")
    assert list(told["moves"]) == list(node.moves)
    assert list(told["moves"].values()) == pytest.approx(node.overall.tolist())


def test_bets_differ_by_street_and_player():
    asked = Asked.model_validate(POLAR | {"menus": {"river": {"ip": {"raises": "2"}}}})
    spot = asked.spot()
    assert spot.menu("river", "oop") == Menu((1.0,), ())
    assert spot.menu("river", "ip") == Menu((1.0,), (2.0,))
    job = Job("here", spot, 0.01, 1)
    given = asked_for(job)
    assert given["menus"] == {"river": {"ip": {"bets": "1", "raises": "2"}}}
    assert Asked.model_validate(given).spot() == spot, "the form gives back what it was given"
    none = Asked.model_validate(POLAR | {"raises": "1", "menus": {"river": {"ip": {"raises": "none"}}}}).spot()
    assert none.menu("river", "ip") == Menu((1.0,), ())
    assert asked_for(Job("here", none, 0.01, 1))["menus"] == {"river": {"ip": {"bets": "1", "raises": "none"}}}
    page = str(form(given))
    assert 'name="menus.river.ip.raises" type="text" value="2"' in page
    assert 'name="menus.turn.ip.raises" type="text" value=""' in page


def test_a_player_is_bound_and_the_other_solves_against_it(client, polar):
    """Who never bluffs is never called."""
    name = polar["spot"]
    page = shown(client, f"/solve/{name}")
    assert 'name="moves" type="number"' in page
    assert 'data-within="all-in"' in page
    wrong = client.post(f"/api/spots/{name}/locks", json={"moves": {"sing": 1}})
    assert wrong.status_code == 400
    assert "has no move 'sing'" in wrong.json()["error"]
    bound = client.post(f"/api/spots/{name}/locks", json={"moves": {"check": 30, "all-in": 0}, "hands": "65s"}).json()
    told = waited(client, bound["spot"])
    assert told["state"] == "solved"
    assert {each["hand"]: each["moves"]["check"] for each in told["solution"]["hands"]}["6s5s"] == pytest.approx(1.0)
    after = client.get(f"/api/spots/{bound['spot']}", params={"betting": "all-in"}).json()["solution"]
    assert after["moves"]["fold"] > 0.99
    page = shown(client, bound["goto"])
    assert "oop after the start: check 100.0%, all-in 0.0%, with 65s" in page
    assert "what can be gained elsewhere alone" in page
    free = client.post(f"/api/spots/{bound['spot']}/unlock", json={}).json()
    assert waited(client, free["spot"])["solution"]["wins"] == polar["solution"]["wins"]


def test_the_page_of_a_solved_spot_has_its_numbers_and_its_ways_on(client, polar):
    page = shown(client, f"/solve/{polar['spot']}")
    told = polar["solution"]
    assert f"Exploitability {told['exploitability']['value']:.2%} of the pot" in page
    assert f"takes {told['wins']['oop']:.3f} chips" in page
    for word, often in told["moves"].items():
        assert f">{word}<" in page
        assert f"{often:.1%}" in page
    assert f"/solve/{polar['spot']}?betting=all-in" in page
    assert page.count('class="cell never"') == 169 - 2  # AA and 65s come
    after = shown(client, f"/solve/{polar['spot']}?betting=all-in")
    assert "fold: the betting is over" in after
    assert "call: the betting is over" in after
    hands = shown(client, f"/solve/{polar['spot']}?betting=&kind=65s")
    assert "6s5s" in hands
    assert "72o never comes here" in shown(client, f"/solve/{polar['spot']}?kind=72o")


def shown(client: TestClient, path: str) -> str:
    """A page when what it tells is worked out."""
    for _ in range(400):
        page = client.get(path)
        assert page.status_code == 200
        if "being worked out" not in page.text:
            return page.text
        time.sleep(0.1)
    raise AssertionError("it was not worked out in time")


def test_hands_and_progress_are_had_as_csv(client, polar):
    path = f"/api/spots/{polar['spot']}"
    answer = client.get(f"{path}/hands.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    hands = polar["solution"]["hands"]
    assert [row["hand"] for row in rows] == [each["hand"] for each in hands]
    assert float(rows[0]["equity"]) == pytest.approx(hands[0]["equity"])
    assert float(rows[0]["check"]) == pytest.approx(hands[0]["moves"]["check"])
    lines = client.get(f"{path}/progress.csv").text.splitlines()
    assert len(lines) == len(polar["progress"]) + 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"board": "QsQs2h5c7d"}, "names a card twice"),
        ({"board": "Qs"}, "A board has 3, 4 or 5 cards"),
        ({"board": "Qx2h5c"}, "is no card"),
        ({"oop": ""}, "A range needs at least one hand"),
        ({"ip": "AA:2"}, "weight from 0 to 1"),
        ({"ip": "KsKh"}, "has a card of the board"),
        ({"pot": -1}, "needs a pot from 0.001"),
        ({"pot": 1e300}, "a pot from 0.001 to 1,000,000,000 chips, but pot=1e+300"),
        ({"stack": 0}, "needs a stack from 0.001"),
        ({"bets": "x"}, "fractions of the pot"),
        ({"bets": "33,75"}, "write 33%,75% for percent"),
        ({"bets": "0"}, "fractions of the pot above 0"),
        ({"bets": " ".join(map(str, range(1, 22)))}, "at most 20 bets, but 21 were given"),
        ({"rake_cap": 3}, "A cap on rake of 3 was given, but no rake"),
        ({"rake": 2}, "Rake is a share"),
        ({"menus": {"river": {"ip": {"bets": "x"}}}}, "fractions of the pot"),
        ({"locks": [{"moves": {"check": 0}}]}, "sum to 1"),
        ({"locks": [{"betting": "all-in", "moves": {"check": 1}}]}, "has no move 'check'"),
    ],
)
def test_bad_spots_are_refused_in_a_sentence(client, change, why):
    refused = client.post("/api/spots", json=POLAR | change)
    assert refused.status_code == 400
    assert why in refused.json()["error"]


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"share": 0},
        {"seconds": 1e9},
        {"oop": "A" * 5000},
        {"pot": "x"},
        {"menus": {"river": {"me": {}}}},
        {"locks": [{"moves": 1}]},
    ],
)
def test_what_is_no_spot_is_refused(client, change):
    assert client.post("/api/spots", json=POLAR | change).status_code == 422


def test_spots_that_are_not_there_and_betting_that_cannot_be(client, polar):
    for path in ("/solve/no", "/api/spots/no", "/api/spots/no/hands.csv", "/api/spots/no/progress.csv"):
        assert client.get(path).status_code == 404
    for betting in ("sing", "check check", "check check /", "check /", "fold"):
        page = client.get(f"/solve/{polar['spot']}", params={"betting": betting})
        assert page.status_code == 400, betting


def test_ranges_are_read_for_the_grid(client):
    text = "AA,KQs:0.5,AhKh,22+"
    kinds = client.get("/api/range", params={"hands": text}).json()["kinds"]
    assert (kinds["AA"], kinds["KQs"], kinds["AKs"], kinds["22"]) == ("AA", "KQs:0.5", "AhKh", "22")
    assert read_range(",".join(kinds.values()), DECK) == read_range(text, DECK)
    assert client.get("/api/range", params={"hands": "A1"}).status_code == 400


def test_kinds_of_hands_are_all_there_once():
    assert {kind for row in rows_of_kinds() for kind in row} == set(by_kind(read_range("any", DECK), DECK))
    assert sum(len(row) for row in rows_of_kinds()) == 169


def test_a_tree_is_walked_by_moves_and_cards():
    start = onward(TURN, TURN.after(""))
    assert start["check"] == "check"
    after = onward(TURN, TURN.after("check"))
    assert after["check"] == "check check /"
    cards = cards_left(TURN, "check check /")
    assert len(cards) == 48
    assert "Qs" not in cards
    street = TURN.after(cards["7d"])
    assert [each.word for each in crumbs(TURN, street)] == ["oop check", "ip check", "7d"]
    assert betting_in_words(TURN, TURN.after("check, check 7d")) == cards["7d"] == "check check / 7d"
    all_in = onward(TURN, TURN.after("all-in"))
    assert all_in == {"fold": None, "call": None}
    with pytest.raises(BadInput):
        cards_left(TURN, "check /")


def test_the_card_that_comes_is_chosen_from_those_left():
    job = Job("here", TURN, 0.01, 1)
    job.solution = Judged()
    page = str(h.div[solved_spot(Spots(), job, "check check /", "")])
    assert page.count("<svg") == 48
    assert "/solve/here?betting=check+check+%2F+7d" in page
    assert '<a href="/solve/here?betting=check">oop check</a>' in page


class Judged:
    """As much of a solution as is told before a card is chosen."""

    spot, share, steps, seconds, raked, near = TURN, 0.01, 20, 1.0, 0.0, 0.05

    def wins(self, seat):
        return 5.0


def test_one_is_solved_at_a_time_few_wait_and_all_can_be_stopped(monkeypatch):
    go_on, solving = threading.Event(), list[str]()

    def slow(spot, *_, stop, **__):
        solving.append(spot.board)
        while not stop() and not go_on.wait(0.01):
            pass
        raise BadInput("It was stopped.")

    monkeypatch.setattr(spots_module, "solve", slow)
    kept = Spots()
    boards = ["KsKh7d4c2s", "KsKh7d4c3s", "KsKh7d4c2d", "KsKh7d4c3d", "KsKh7d4c2h"]
    jobs = [kept.ask(Spot.read({**POLAR, "board": board, "bets": [1], "raises": []}), 0.01, 1) for board in boards]
    with pytest.raises(spots_module.Late, match="waiting already"):
        kept.ask(jobs[0].spot, 0.01, 1)
    until(lambda: solving == boards[:1])
    assert jobs[0].state == "solving"
    assert [job.state for job in jobs[1:]] == ["waiting"] * 4
    kept.stop(jobs[2].name)
    kept.stop(jobs[0].name)
    until(lambda: solving == boards[:2])
    go_on.set()
    until(lambda: all(job.over for job in jobs))
    assert "stopped before its turn" in (jobs[2].failed or "")
    assert boards[2] not in solving
    kept.close()


def until(true):
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_oldest_are_forgotten(monkeypatch):
    monkeypatch.setattr(spots_module, "solve", lambda *_, **__: (_ for _ in ()).throw(BadInput("Not now.")))
    kept = Spots()
    spot = Spot.read({**POLAR, "bets": [1], "raises": []})
    jobs = []
    for _ in range(spots_module.MOST_KEPT + 3):
        jobs.append(kept.ask(spot, 0.01, 1))
        until(lambda: jobs[-1].over)
    assert len(kept.all()) == spots_module.MOST_KEPT
    assert kept.all()[0] is jobs[-1]
    kept.close()


def test_spots_that_are_too_large_are_refused_before_they_are_solved(monkeypatch):
    monkeypatch.setattr("feint.solvers.spots.PublicRegretMinimiser", lambda *_: pytest.fail("it was solved"))
    kept = Spots()

    def refused(pot):
        job = kept.ask(Spot.read({**POLAR, "pot": pot, "bets": [1], "raises": []}), 0.01, 1)
        until(lambda: job.over)
        return job.failed

    monkeypatch.setattr("feint.public.room.memory", lambda: 1)
    monkeypatch.setattr("feint.public.room.SMALL", 0)
    assert "need 0.7 GB of memory" in refused(12)
    monkeypatch.setattr(spots_module, "MOST_CELLS", 1)
    assert "numbers to find" in refused(11)
    monkeypatch.setattr("feint.games.poker_sizes.DECISION_LIMIT", 1)
    assert "betting decisions; choose fewer" in refused(13)
    kept.close()


def test_what_would_fit_is_said_and_commands_only_where_they_would_work(monkeypatch):
    wide = {"oop": "22+,A2s+", "ip": "22+,AT+", "stack": 95, "bets": [0.5, 1.0], "raises": [0.5]}
    flop = Spot.read({**POLAR, "board": "QsJh2h", **wide})
    size, fewest = spot_size(flop), sum(spot_size(replace(flop, menus=spots_module.FEWEST)).cells)
    most, hands = 2 * fewest // 3, size.hands[0]
    monkeypatch.setattr(spots_module, "MOST_CELLS", most)

    def refused():
        job = Job("flop", flop, 0.01, 1)
        job.work()
        return job.failed

    fits = hands * most // sum(size.cells), hands * most // fewest
    assert 0 < fits[0] < fits[1] < hands
    assert f"about {fits[0]} hands together, where these have {hands}, or of about {fits[1]} with one bet" in refused()
    assert refused().endswith("feint solve takes the spot as it is.")
    monkeypatch.setattr(spots_module, "lacking", lambda size: 1_000_000_000)
    assert "this machine has too little memory" in refused()
    assert "feint solve" not in refused()


def test_all_hands_together_win_what_the_player_wins():
    solution = solve(Spot.read({**POLAR, "bets": [1.0], "raises": []}), 0.001)
    wins, equity = solution.at().together
    assert wins == pytest.approx(solution.wins("oop"), abs=1e-4)
    assert 0 < equity < 1
    closer = solve(solution.spot, 1e-5)
    assert abs(closer.wins("oop") - solution.wins("oop")) < solution.near + closer.near
    assert closer.near < solution.near
    assert solve(replace(solution.spot, rake=0.05), 0.01).near is None


def test_a_solve_can_be_stopped_with_what_there_is():
    looks = []
    solution = solve(
        Spot.read({**POLAR, "bets": [1.0], "raises": []}), 1e-12, progress=looks.append, stop=lambda: len(looks) == 2
    )
    assert solution.steps == looks[-1].steps == 40
