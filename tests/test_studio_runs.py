"""The studio's pages Runs, Train and League: real trainings, and numbers compared with the library's."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import htpy as h
import numpy as np
import pytest
from starlette.testclient import TestClient

import feint
from feint.evaluate.match import exact_winnings, play_players
from feint.evaluate.measure import CHIPS, ESTIMATE, EXACT
from feint.runs.config import RunConfig
from feint.runs.files import PROVENANCE, RUNNING
from feint.runs.lineup import line_up
from feint.studio import drawing
from feint.studio.app import make_app
from feint.studio.card_words import card_words
from feint.studio.drawing import curve
from feint.studio.leagues import Leagues
from feint.studio.learning import Course, counted, picture
from feint.studio.pages.runs import figure

HOST = "127.0.0.1:8077"
EVIL = ("../out", "..", "a/b", "/tmp/x", "A", "", "-x", ".hidden", "a\x00b", "a" * 65, "feint:leduc", "x\n", "é")
SOON = 300.0
"""Seconds in which a training has to come somewhere, on a machine that does other things too."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seeds of one run, one for three players, and one that was damaged."""
    runs = tmp_path_factory.mktemp("runs")
    for seed, name in enumerate(("cfr", "cfr-again")):
        feint.train("cfr", "kuhn", steps=30 + 10 * seed, seed=seed, out=runs / name)
    feint.train("cfr", "kuhn(players=3)", steps=5, out=runs / "three")
    (runs / "broken").mkdir()
    (runs / "broken" / "config.json").write_text("{}")
    return runs


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[TestClient]:
    with TestClient(make_app(folder, folder / "hands.sqlite", (HOST,)), base_url=f"http://{HOST}") as opened:
        yield opened


def until(true: Callable[[], Any], seconds: float = SOON) -> Any:
    """What is true in the end."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.1)
    return found


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_list_says_what_the_runs_say(client: TestClient, folder: Path) -> None:
    told = {run["key"]: run for run in client.get("/api/runs").json()}
    assert set(told) == {"cfr", "cfr-again", "three", *feint.runs.agents.agents()}
    run = feint.load_run(folder / "cfr")
    assert told["cfr"]["value"] == run.metrics[-1]["exploitability"]
    assert (told["cfr"]["unit"], told["cfr"]["kind"], told["cfr"]["state"]) == (CHIPS, EXACT, "finished")
    assert told["feint:holdem"]["unit"] == "mbb/h"
    page = client.get("/runs").text
    assert f"{run.metrics[-1]['exploitability']:.3g} chips per hand (exact)" in page
    assert "cannot be read: broken" in page
    assert {row["key"] for row in rows_of(client.get("/api/runs.csv").text)} == set(told)


def test_metrics_are_the_runs_own(client: TestClient, folder: Path) -> None:
    run = feint.load_run(folder / "cfr")
    told = client.get("/api/runs/cfr/metrics").json()
    assert [row["exploitability"] for row in told["rows"]] == [row["exploitability"] for row in run.metrics]
    assert told["rows"][-1]["seconds"] == run.timings[-1]["seconds"]
    assert [float(row["exploitability"]) for row in rows_of(client.get("/api/runs/cfr/metrics.csv").text)] == [
        row["exploitability"] for row in run.metrics
    ]
    for path in ("/api/runs/nobody", "/api/runs/nobody/metrics", "/runs/nobody"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("ends", "labels"),
    [
        ((0.6, 2.6), ["1.0", "1.5", "2.0", "2.5"]),
        ((0, 10), ["0", "5", "10"]),
        ((-0.3, 0.3), ["-0.2", "0.0", "0.2"]),
        ((-2000, 7000), ["-2,000", "0", "2,000", "4,000", "6,000"]),
        ((1_000_000, 1_200_000), ["1.00e+06", "1.05e+06", "1.10e+06", "1.15e+06", "1.20e+06"]),
        ((800_000, 1_200_000), ["8e+05", "9e+05", "1.0e+06", "1.1e+06", "1.2e+06"]),
        ((1e-6, 9e-6), ["2e-06", "4e-06", "6e-06", "8e-06"]),
    ],
)
def test_an_axis_tells_the_numbers_that_are_there(ends: tuple[float, float], labels: list[str]) -> None:
    drawn = str(curve({"it": [(1.0, ends[0]), (2.0, ends[1])]}, "steps", "up", logarithmic=False))
    assert re.findall(r'text-anchor="end">([^<]*)<', drawn) == labels


@pytest.mark.parametrize(
    ("ends", "labels"),
    [
        ((20, 160), ["20", "50", "100"]),
        ((100, 130), ["100", "110", "120", "130"]),
        ((1000, 3e8), ["1,000", "10,000", "100,000", "1,000,000", "10,000,000", "100,000,000"]),
        ((1000, 3e10), ["1e+04", "1e+06", "1e+08", "1e+10"]),
        ((3, 3), ["1", "2", "5"]),
    ],
)
def test_a_logarithmic_axis_has_ticks_and_one_notation(ends: tuple[float, float], labels: list[str]) -> None:
    drawn = str(curve({"it": [(ends[0], 1.0), (ends[1], 2.0)]}, "steps", "up"))
    assert re.findall(r'text-anchor="middle">([^<]*)</text>', drawn)[:-1] == labels


def test_a_curves_title_stands_above_and_is_said_once() -> None:
    points = [(1.0, 1.0), (2.0, 0.5)]
    alone = str(curve({"exploitability": points}, "steps", "exploitability, of the pot"))
    assert alone.index("exploitability, of the pot</figcaption>") < alone.index("<svg")
    assert "<li " not in alone
    assert str(curve({"nfsp": points, "cfr": points}, "steps", "exploitability")).count("<li ") == 2


# The two commonest kinds of colour blindness as they turn linear red, green and blue (Machado et al. 2009, whole).
SEEN = {
    "everyone": np.eye(3),
    "protanopes": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopes": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
}
APART = 15
"""CIE 1976: colours beside each other that are about ten apart are told apart at a glance."""


def lab(colour: str, seen: Any) -> np.ndarray:
    share = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.clip(seen @ np.where(share > 0.04045, ((share + 0.055) / 1.055) ** 2.4, share / 12.92), 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.maximum(to_xyz @ linear / np.array([0.9505, 1, 1.089]), 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", SEEN)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_moves_have_colours_that_can_be_told_apart(eyes: str, theme: str) -> None:
    css = (Path(drawing.__file__).parent / "static" / "studio.css").read_text()
    block = css.partition("@media")[0] if theme == "light" else css.partition(':root[data-theme="dark"] {')[2]
    names = ("fold", "call", "size1", "size2", "size3", "all-in")
    colours = [lab(block.partition(f"--{name}: ")[2][:7], np.array(SEEN[eyes])) for name in names]
    near = {
        (one, two): float(np.linalg.norm(first - second))
        for (one, first), (two, second) in combinations(zip(names, colours, strict=True), 2)
    }
    assert min(near.values()) > APART, min(near.items(), key=lambda each: each[1])


def test_every_size_has_its_colour_and_its_word() -> None:
    moves = ["check", "0.5 pot", "pot", "all-in"]
    drawn, colours = str(drawing.moves_legend(moves)), drawing.coloured(moves)
    assert len(set(colours.values())) == 4
    assert [drawn.count(f">{word}<") for word in moves] == [1, 1, 1, 1]
    assert drawing.coloured(["fold", "call", "raise"])["raise"] == ".move.raise.n2"


def test_seeds_are_one_line_by_their_median() -> None:
    def course(seed: int, values: list[float], algorithm: str = "cfr") -> Course:
        rows = [{"step": step, "exploitability": value, "hands": 10.0 * step} for step, value in enumerate(values, 1)]
        times = [{"step": row["step"], "seconds": 0.5 * row["step"] + seed} for row in rows]
        return Course(f"{algorithm} {seed}", RunConfig("kuhn", algorithm, {}, seed), rows, times)

    three = [course(0, [0.5, 0.3]), course(1, [0.4, 0.1]), course(2, [0.9, 0.2, 0.1])]
    drawn = picture([*three, course(0, [0.7], "cfr+")], "seconds", None)
    assert drawn.lines["cfr"] == [(1.5, 0.5, 0.4, 0.9), (2.0, 0.2, 0.1, 0.3)]
    assert drawn.lines["cfr+"] == [(0.5, 0.7, 0.7, 0.7)]
    assert drawn.bands == {"cfr": [(1.5, 0.4, 0.9), (2.0, 0.1, 0.3)]}
    page = str(h.div[figure(drawn)])
    assert page.count("<polygon") == 1
    assert "from the lowest of the seeds to the highest" in page
    assert drawn.up == "exploitability (chips per hand, exact)"
    assert picture(three, "hands", None).medians["cfr"] == [(10, 0.5), (20, 0.2)]
    assert "moves" not in counted(three)


def test_many_runs_are_one_picture(client: TestClient, folder: Path) -> None:
    last = feint.load_run(folder / "cfr").metrics[-1]
    query = "run=cfr&run=cfr-again&run=feint:kuhn&across=steps"
    rows = rows_of(client.get(f"/api/curves.csv?{query}").text)
    assert {row["line"] for row in rows} == {"cfr", "nfsp"}
    shared = [row for row in rows if row["line"] == "cfr" and float(row["steps"]) < last["step"]]
    assert [float(row["median exploitability (chips per hand, exact)"]) for row in shared] == [
        row["exploitability"] for row in feint.load_run(folder / "cfr-again").metrics if row["step"] < last["step"]
    ]
    page = client.get(f"/runs?{query}").text
    assert page.count("<polyline") == 2
    assert "<polygon" not in page  # where luck has no part seeds do not differ
    assert "exploitability (chips per hand, exact)" in page


def test_the_papers_curve_is_beneath_against_moves(client: TestClient) -> None:
    page = client.get("/runs?run=feint:leduc").text
    assert page.count("dashed") == 3
    assert "Heinrich &amp; Silver 2016, 64 units" in page
    assert "dashed" not in client.get("/runs?run=feint:leduc&across=steps").text
    rows = rows_of(client.get("/api/curves.csv?run=feint:leduc").text)
    (curve,) = (each for each in feint.papers.library.published("nfsp", "leduc") if "64" in each.label)
    last = [row for row in rows if row["line"] == curve.label][-1]
    assert float(last["moves played"]) == curve.points[-1][0] * curve.moves


def test_runs_with_other_measures_are_refused_in_words(client: TestClient) -> None:
    page = client.get("/runs?run=feint:leduc&run=feint:holdem").text
    assert "judged by different measures" in page
    assert "hands played" in page
    assert client.get("/api/curves.csv?run=feint:leduc&run=feint:holdem").status_code == 400
    assert client.get("/api/curves.csv?run=feint:leduc&across=../x").status_code == 400
    assert client.get("/api/curves.csv?run=feint:leduc&metric=nothing").status_code == 400


def test_a_runs_page_has_settings_card_and_links(client: TestClient) -> None:
    page = client.get("/runs/cfr").text
    assert "Update the players in turn" in page  # what a setting means
    assert 'href="/?opponent=cfr"' in page
    assert 'href="/strategy/cfr"' in page
    assert "How it was made" in page
    assert 'id="resume"' in page
    assert 'id="stop"' not in page
    agent = client.get("/runs/feint:kuhn").text
    assert 'id="resume"' not in agent


def test_cards_bring_nothing_in() -> None:
    told = "".join(map(str, card_words("---\nx\n---\n# T\n\n<script>x</script> `a<b` **c**\n\n- one\n- two\n")))
    assert "<script>" not in told
    assert "<code>a&lt;b</code> <strong>c</strong>" in told
    assert told.count("<li>") == 2


def test_the_form_comes_from_the_settings(client: TestClient) -> None:
    page = client.get("/train?game=kuhn&algorithm=nfsp&preset=paper").text
    assert 'name="network.hidden" type="text" value="64"' in page
    assert "The share of random moves, at the start." in page
    assert 'name="preset" value="paper"' in page
    assert '<option value="reservoir" selected' in page
    assert "linear-program" in page
    large = client.get("/train?game=turn_holdem&algorithm=cfr").text
    until(lambda: "linear-q" in client.get("/train?game=turn_holdem").text)
    assert 'value="linear-program"' not in large
    assert client.get("/train?game=/tmp/x.py:game").status_code == 404


@pytest.mark.parametrize("name", EVIL)
def test_names_that_lead_elsewhere_are_refused(client: TestClient, folder: Path, name: str) -> None:
    before = sorted(folder.rglob("*"))
    asked = {"game": "kuhn", "algorithm": "cfr+", "seconds": 1, "name": name or "."}
    assert client.post("/api/runs", json=asked).status_code == 400
    for what in ("stop", "resume"):
        path = f"/api/runs/{name.encode().hex() if name in ('', '..') else ''.join(f'%{b:02x}' for b in name.encode())}"
        assert client.post(f"{path}/{what}", json={}).status_code in (400, 404, 409)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"game": "/tmp/x.py:game"}, 404),
        ({"game": "open_spiel:tic_tac_toe"}, 404),
        ({"game": "--help"}, 404),
        ({"algorithm": "--help"}, 400),
        ({"settings": {"gamma": "many"}}, 400),
        ({"settings": {"--out": "x"}}, 400),
        ({"preset": "none"}, 400),
        ({"seconds": -1}, 422),
        ({"seed": -1}, 422),
        ({"out": "/tmp/x"}, 422),
        ({"name": "cfr"}, 409),
        ({"name": "hands.sqlite"}, 409),
    ],
)
def test_nothing_starts_that_was_not_meant(client: TestClient, changed: dict[str, Any], status: int) -> None:
    answer = client.post("/api/runs", json={"game": "kuhn", "algorithm": "cfr+", "name": "fresh"} | changed)
    assert answer.status_code == status
    assert answer.json()["error"].endswith(".")


def test_agents_and_runs_of_own_rules_stay_as_they_are(client: TestClient) -> None:
    assert client.post("/api/runs/feint:leduc/resume", json={}).status_code == 400
    assert client.post("/api/runs/feint:leduc/stop", json={}).status_code == 409
    assert client.post("/api/runs/nobody/stop", json={}).status_code == 404


def test_somebody_elses_run_shows_as_running(folder: Path, tmp_path: Path) -> None:
    """Whoever holds the lock on a run's folder trains it; a process that was killed leaves its word, but no lock."""
    run = tmp_path / "theirs"
    shutil.copytree(folder / "cfr", run)
    (run / PROVENANCE).unlink()
    who = f"process {os.getpid()} on {os.uname().nodename}"
    (run / RUNNING).write_text(f"{who}\n")
    lock = os.open(run, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with TestClient(make_app(tmp_path, tmp_path / "h.sqlite", (HOST,)), base_url=f"http://{HOST}") as client:
        assert client.get("/api/runs/theirs").json()["state"] == "running"
        assert f"trained by {who}" in client.get("/runs/theirs").text
        assert client.post("/api/runs/theirs/stop", json={}).status_code == 409
        assert client.post("/api/runs/theirs/resume", json={}).status_code == 409
        os.close(lock)
        assert client.get("/api/runs/theirs").json()["state"] == "stopped"


def played(client: TestClient, asked: dict[str, Any]) -> dict[str, Any]:
    begun = client.post("/api/league", json=asked)
    assert begun.status_code == 200, begun.text
    path = f"/api/league/{begun.json()['league']}"
    return until(lambda: (told := client.get(path).json())["over"] and told)  # type: ignore[no-any-return]


def test_a_league_has_the_librarys_exact_numbers(client: TestClient, folder: Path) -> None:
    names = ["feint:kuhn", "cfr", "random", "raise"]
    told = played(client, {"game": "kuhn", "players": names})
    seated = line_up(("feint:kuhn", str(folder / "cfr"), "random", "raise"), "kuhn")
    players = dict(zip(names, seated.players, strict=True))
    assert len(told["matches"]) == 12
    for match in told["matches"]:
        both = players[match["first"]], players[match["second"]]
        assert match["value"] == pytest.approx(exact_winnings(seated.form, both), abs=1e-12)
        assert (match["kind"], match["unit"], match["low"]) == (EXACT, CHIPS, None)
    assert sum(told["ratings"].values()) == pytest.approx(0, abs=1e-12)
    for name, player in players.items():
        exact = feint.exploitability("kuhn", player.strategy)
        assert told["exploitability"][name] == pytest.approx(exact, abs=1e-12)
    page = client.get(told["goto"]).text
    assert f"{feint.exploitability('kuhn', players['random'].strategy):.3f}" in page
    assert "Both are about these players alone" in page
    value = next(match["value"] for match in told["matches"] if match["first"] == "cfr" and match["second"] == "random")
    assert f"cfr off random: {value:+.3f}, exact" in page
    assert "data-refresh" not in page
    assert f"cfr off random: {1000 * value:+,.0f}, exact" in client.get(f"{told['goto']}?unit=mbb/h").text
    rows = rows_of(client.get(f"/api{told['goto']}/table.csv").text)
    assert float(next(r for r in rows if (r["first"], r["second"]) == ("cfr", "random"))["winnings"]) == value


def test_a_hand_is_watched_step_by_step(client: TestClient) -> None:
    told = played(client, {"game": "kuhn", "players": ["feint:kuhn", "raise"]})
    query = "first=feint:kuhn&second=raise"
    hands = [client.get(f"/api{told['goto']}/hand?{query}&hand={number}").json() for number in (1, 2, 2)]
    assert hands[0]["seats"] == ["raise", "feint:kuhn"]
    assert hands[1]["seats"] == ["feint:kuhn", "raise"]
    assert hands[1] == hands[2]
    assert [sum(hand["won"]) for hand in hands] == [0, 0, 0]
    assert hands[0]["steps"][0]["chose"] == "bet"
    assert hands[0]["steps"][0]["chance"] == 1.0
    page = client.get(f"{told['goto']}?{query}&hand=1").text
    assert "raise (1)" in page
    assert 'id="next-hand"' in page
    assert client.get(f"/api{told['goto']}/hand?first=x&second=raise").status_code == 404


def test_who_cannot_sit_down_is_left_out_in_words(client: TestClient) -> None:
    told = played(client, {"game": "rock_paper_scissors", "players": ["random", "fold"]})
    assert "no move called 'fold'" in told["failed"]
    assert "no move called" in client.get(told["goto"]).text


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"game": "kuhn", "players": ["random"]}, 400),
        ({"game": "kuhn", "players": ["random", "random"]}, 400),
        ({"game": "kuhn", "players": ["random", "feint:leduc"]}, 400),
        ({"game": "kuhn", "players": ["random", "../cfr"]}, 404),
        ({"game": "x.py:y", "players": ["random", "call"]}, 404),
        ({"game": "kuhn", "players": ["random"] * 9}, 422),
        ({"game": "kuhn", "players": ["random", "call"], "hands": 10**9}, 422),
    ],
)
def test_leagues_that_cannot_be(client: TestClient, asked: dict[str, Any], status: int) -> None:
    assert client.post("/api/league", json=asked).status_code == status
    assert client.get("/api/league/nothing").status_code == 404


def test_leagues_of_three_play_both_ways(client: TestClient, folder: Path) -> None:
    told = played(client, {"game": "kuhn(players=3)", "players": ["three", "random"]})
    seated = line_up((str(folder / "three"), "random"), None)
    ways = {
        ("three", "random"): exact_winnings(seated.form, seated.players),
        ("random", "three"): exact_winnings(seated.form, seated.players[::-1]),
    }
    assert {(m["first"], m["second"]): pytest.approx(m["value"]) for m in told["matches"]} == ways


def test_every_seat_of_a_game_for_three_can_be_chosen(client: TestClient) -> None:
    third = '<option value="3">third</option>'
    assert third in client.get("/?opponent=three").text
    assert third not in client.get("/?game=leduc").text
    asked = {"opponent": "three", "game": "kuhn(players=3)", "seat": 3}
    told = client.post("/api/tables", json=asked).json()
    client.cookies.set("seat", told["token"])
    assert client.get(f"/api/tables/{told['table']}").json()["seat"] == 3
    assert client.get(told["goto"]).status_code == 200
    client.cookies.clear()


def test_played_leagues_are_matches(client: TestClient) -> None:
    """On a game too large to be exact for these players, by playing: the same hands, the same numbers."""
    names = ("random", "call")
    told = played(client, {"game": "turn_holdem", "players": list(names), "hands": 400, "seed": 5})
    seated = line_up(names, "turn_holdem")
    watched = play_players(seated.form, seated.players, 400, 5, lambda _: None)
    for match in told["matches"]:
        assert match["value"] == pytest.approx(watched.mean if match["first"] == names[0] else -watched.mean)
        assert match["kind"] == ESTIMATE
        assert match["hands"] == 400
    assert [told["matches"][0][end] for end in ("low", "high")] == pytest.approx(list(watched.interval))


def test_leagues_are_bounded(client: TestClient) -> None:
    studio = client.app.state.studio
    leagues, index = Leagues(studio.thinkers), studio.index  # type: ignore[attr-defined]
    leagues._play = lambda *_: None  # type: ignore[method-assign]  # they wait for ever
    for _ in range(4):
        leagues.start(index, "kuhn", ("random", "call"), 100)
    with pytest.raises(Exception, match="are being played or wait"):
        leagues.start(index, "kuhn", ("random", "call"), 100)
    for league in leagues.every():
        league.doing = ""
    for _ in range(40):
        leagues.start(index, "kuhn", ("random", "call"), 100).doing = ""
    assert len(leagues.every()) == 16
    leagues.close()


def test_every_endpoint_says_what_it_takes(client: TestClient) -> None:
    paths = json.loads(client.get("/openapi.json").text)["paths"]
    for path in ("/api/runs", "/api/runs/{key}/stop", "/api/runs/{key}/resume", "/api/league"):
        assert "409" in paths[path]["post"]["responses"]
