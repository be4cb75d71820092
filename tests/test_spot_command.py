"""feint solve, and the call of that name."""

from __future__ import annotations

import json
import os
import re
import signal
from dataclasses import replace

import equinox as eqx
import jax
import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import feint
from feint.cli import app, terminal
from feint.games.errors import BadInput
from feint.games.hand import Menu
from feint.games.postflop import Spot
from feint.public.build import build_public_tree
from feint.runs.solutions import load_solution
from feint.runs.solving import read_spot
from feint.solvers import spots
from feint.solvers.spot_trees import _ranges, spot_tree
from feint.solvers.spots import solve
from known_spots import POLAR


@pytest.fixture(scope="module")
def polar():
    return solve(POLAR, share=0.0002)


def test_a_folder_is_no_file_to_write(tmp_path):
    (tmp_path / "grid.png").mkdir()
    result = CliRunner().invoke(app, ["solve", POLAR.board, "--out", str(tmp_path / "grid.png")])
    assert isinstance(result.exception, BadInput)
    assert "grid.png is a folder, and a file was to be written there" in str(result.exception)


@pytest.mark.parametrize("flags", [("--save",), ("--out",), ("--save", "--out")])
def test_what_was_solved_is_told_even_where_it_cannot_be_kept(polar, tmp_path, monkeypatch, flags):
    files = {"--save": tmp_path / "spot.safetensors", "--out": tmp_path / "grid.png"}

    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("feint.solvers.spots.solve", lambda *_, **__: polar)
    for module in ("feint.runs.solutions", "feint.report.canvas"):
        monkeypatch.setattr(f"{module}.write_whole", full)
    words = [word for flag in flags for word in (flag, str(files[flag]))]
    result = CliRunner().invoke(app, ["solve", POLAR.board, *words, "--json"])
    assert isinstance(result.exception, BadInput)
    for flag in flags:
        assert f"{files[flag].name} cannot be written (No space left on device); choose" in str(result.exception)
    assert json.loads(result.stdout)["board"] == POLAR.board
    assert list(tmp_path.iterdir()) == []


WORDS = {"board": POLAR.board, "oop": POLAR.oop, "ip": POLAR.ip, "pot": 10, "stack": 10, "bets": [1], "raises": []}


def test_a_call_tells_what_the_command_prints(tmp_path):
    file = tmp_path / "spot.json"
    file.write_text(json.dumps(WORDS))
    result = CliRunner().invoke(app, ["solve", str(file), "--share", "0.01", "--betting", "check", "--json"])
    told = json.loads(result.stdout)
    looks = []
    solution = feint.solve(WORDS, share=0.01, progress=looks.append)
    there = solution.at("check")
    assert looks[-1].share == solution.share == told["exploitability"]["value"] <= 0.01
    assert [{"hand": hand} | each for hand, each in there.by_hand().items()] == told["hands"]
    assert dict(zip(there.moves, there.overall, strict=True)) == pytest.approx(told["moves"])
    assert there.hand("QsQd") == there.hand("QdQs") == there.by_hand()["QdQs"]
    with pytest.raises(BadInput, match=r"ip never comes here with 'AhKh'; ask for a hand of its range"):
        there.hand("AhKh")
    assert {seat: solution.wins(seat) for seat in ("oop", "ip")} == told["wins"]


def test_a_call_takes_a_spot_as_flags_files_and_dicts_have_it(tmp_path, monkeypatch):
    (tmp_path / "spot.json").write_text(json.dumps({"spot": WORDS}))
    monkeypatch.setattr("feint.solvers.spots.solve", lambda spot, *limits: (spot, limits))
    for ways in (WORDS, {"spot": WORDS}, tmp_path / "spot.json", str(tmp_path / "spot.json"), Spot.read(WORDS)):
        assert feint.solve(ways)[0].words() == Spot.read(WORDS).words()
    flags = {name: value for name, value in WORDS.items() if name != "board"}
    for bets in ([1], "1", "100%", ["100%"]):
        asked = feint.solve(POLAR.board, **flags | {"bets": bets, "rake": None})[0]
        assert asked.words() == Spot.read(WORDS).words()
    assert feint.solve(POLAR.board, limit=2)[0] == Spot(POLAR.board, "any", "any", 10.0, 0.0, limit=2.0)
    assert feint.solve(POLAR.board)[0] == Spot(POLAR.board, "any", "any", 10.0, 95.0)
    assert feint.solve(POLAR.board, share=0.1, seconds=3, iterations=7)[1][:4] == (0.1, 7, 3, None)


def test_locks_may_be_on_sizes_that_are_given_beside_them():
    lock = {"moves": {"0.75 pot": 1.0}}
    words = WORDS | {"locks": [lock]}
    for found in (read_spot(words, {"bets": "75%"}), read_spot(WORDS, {"bets": "75%", "locks": [lock]})):
        assert found.bound(found.locks[0])[1][1] == 1.0
    with pytest.raises(BadInput, match=r"has no move '0.75 pot'; the moves there are check, 0.5 pot and all-in"):
        read_spot(words, {"bets": "50%"})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"rnake": 1}, "did you mean rake"),
        ({"share": "x"}, "share is a share of the pot above 0 and below 1, but 'x' was given"),
        ({"share": 2}, "share is a share of the pot above 0 and below 1, but 2 was given"),
        ({"iterations": 0}, "iterations must be a whole number from 1 on, but iterations=0 was given"),
        ({"iterations": 1.5}, "iterations must be a whole number from 1 on, but iterations=1.5 was given"),
        ({"seconds": 0}, "seconds must be a positive number"),
        ({"bets": 1}, "bets are a list of"),
        ({"bets": [33, 75]}, "write 33%,75% for percent"),
    ],
)
def test_a_call_that_cannot_be_is_one_sentence(given, sentence):
    with pytest.raises(BadInput, match=sentence):
        feint.solve(POLAR.board, **given)


@pytest.mark.parametrize("spot", [{"spot": None}, {"spot": "QsJh2h5c7d"}])
def test_what_holds_no_spot_is_one_sentence(spot):
    with pytest.raises(BadInput, match=r"^That is no spot; write an object with board, oop, ip, pot and stack"):
        feint.solve(spot)


def test_cards_stand_together_or_apart(tmp_path, asked):
    for words in (["Ks", "Kh", "7d", "4c", "2s"], ["KsKh7d", "4c", "2s"], ["Ks Kh 7d 4c 2s"], ["ks", "kh7d4c2s"]):
        assert asked(*words).cards == POLAR.cards
    result = CliRunner().invoke(app, ["solve", "one.json", "two.json"])
    assert isinstance(result.exception, BadInput)
    assert "but one.json two.json was given; name one file, or cards." in str(result.exception)


def test_iterations_end_it():
    spot = [POLAR.board, "--oop", "AA,65s", "--ip", "QQ"]
    result = CliRunner().invoke(app, ["solve", *spot, "--iterations", "30", "--json"])
    assert json.loads(result.stdout)["iterations"] == 30
    assert "Compiling comes first" in result.stderr


@pytest.mark.parametrize(
    ("spot", "board"),
    [
        (POLAR, "QsQh8d5c3s"),
        (replace(POLAR, board="KsKh7d4c"), "QsQh8d5c"),
        (replace(POLAR, board="KsTs7s4s"), "QsJs8s5s"),
        (replace(POLAR, board="Ks7s4s"), "QsJs8s"),
    ],
    ids=["river", "turn", "turn of one suit", "flop of one suit"],
)
def test_other_ranges_and_pots_are_not_compiled_anew(spot, board):
    """Their arrays have the same shapes, though there are fewer hands."""
    other = replace(spot, board=board, oop="AA,76s", ip="JJ:0.5", pot=12.0, stack=12.0)
    shapes = [
        [leaf.shape for leaf in jax.tree.leaves(spot_tree(spot).rounds) if eqx.is_array(leaf)] for spot in (spot, other)
    ]
    assert shapes[0] == shapes[1]


def test_hands_that_fill_up_are_not_told_of(polar):
    assert len(polar.at().by_hand()) == 10, "what fills up is not told of"
    whole = build_public_tree(POLAR.game, board=[POLAR.cards], ranges=_ranges(POLAR))
    assert (len(whole.held), len(polar.tree.held)) == (16, 64)


class Clock:
    """Time that goes by as one says."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


@pytest.mark.parametrize(
    ("each", "look", "seconds"), [(3.0, 1.0, 60), (0.5, 2.0, 60), (0.01, 0.02, 3), (100.0, 5.0, 60)]
)
def test_it_ends_near_the_time_asked_for(monkeypatch, each, look, seconds):
    """Iterations that take long are not begun by the twenty: as many are made as there is time for."""
    clock, counts = Clock(), []
    forward, judged = spots._forward, spots._look

    class Slow:
        def __init__(self, code, cost):
            self.prepare, self._code, self._cost = code.prepare, code, cost

        def __call__(self, solver, state, *steps):
            counts.extend(int(count) for count in steps)
            clock.now += self._cost * (int(steps[0]) if steps else 1)
            return self._code(solver, state, *steps)

    monkeypatch.setattr(spots, "time", clock)
    monkeypatch.setattr(spots, "_forward", Slow(forward, each))
    monkeypatch.setattr(spots, "_look", Slow(judged, look))
    solution = solve(POLAR, share=1e-9, seconds=seconds)
    assert solution.steps == sum(counts)
    assert solution.seconds == pytest.approx(clock.now)
    assert solution.seconds <= max(seconds, each + look)
    assert solution.seconds > seconds - 2 * (each + look)


def test_a_share_that_is_not_reached_is_told(polar):
    asked = ["KsKh7d4c2s", "--oop", "AA,65s", "--ip", "QQ", "--stack", "10", "--bets", "1", "--share", "1e-9"]
    told = CliRunner().invoke(app, ["solve", *asked, "--iterations", "20"])
    assert told.exit_code == 0
    assert "It stopped after 20 iterations, short of the 1e-07% of the pot that was asked for." in told.stderr
    enough = CliRunner().invoke(app, ["solve", *asked[:-1], "0.9"])
    assert "short of" not in enough.stderr


def test_ctrl_c_leaves_a_spot_where_it_is(polar, monkeypatch, tmp_path):
    """What was solved so far is told and kept, wherever in the work it comes."""
    whole, times = spots._look, []

    class Interrupted:
        prepare = whole.prepare

        def __call__(self, *given):
            times.append(given)
            if len(times) == 2:
                os.kill(os.getpid(), signal.SIGINT)
            return whole(*given)

    monkeypatch.setattr(spots, "_look", Interrupted())
    asked = ["KsKh7d4c2s", "--oop", "AA,65s", "--ip", "QQ", "--stack", "10", "--bets", "1", "--share", "1e-12"]
    kept = tmp_path / "kept.safetensors"
    told = CliRunner().invoke(app, ["solve", *asked, "--save", str(kept), "--json"])
    monkeypatch.setattr(terminal, "interrupted", False)
    assert (told.exit_code, len(times)) == (0, 2)
    assert "It was interrupted, short of the 1e-10% of the pot that was asked for." in told.stderr
    assert json.loads(told.stdout)["iterations"] == load_solution(kept).steps == 40


def test_the_command_solves_a_spot_from_json_to_json(tmp_path):
    spot = {"board": POLAR.board, "oop": POLAR.oop, "ip": POLAR.ip, "pot": 10, "stack": 10, "bets": [1], "raises": []}
    (tmp_path / "spot.json").write_text(json.dumps(spot))
    result = CliRunner().invoke(app, ["solve", str(tmp_path / "spot.json"), "--share", "0.001", "--json"])
    told = json.loads(result.stdout)
    assert told["exploitability"]["value"] <= 0.001
    assert told["wins"]["oop"] == pytest.approx(9.0, abs=0.05)
    assert len(told["hands"]) == 10
    assert {"6s5s", "6h5h", "6d5d", "6c5c"} < {hand["hand"] for hand in told["hands"]}
    np.testing.assert_allclose([sum(hand["moves"].values()) for hand in told["hands"]], 1.0, atol=1e-6)


@pytest.fixture
def asked(monkeypatch):
    """The spot that a command would have solved."""

    class Solved(Exception):
        """In place of an hour."""

    def solved(*words):
        monkeypatch.setattr("feint.solvers.spots.solve", lambda spot, *_, **__: (_ for _ in ()).throw(Solved(spot)))
        result = CliRunner().invoke(app, ["solve", *map(str, words)])
        assert isinstance(result.exception, Solved), result.exception
        return result.exception.args[0]

    return solved


def examples():
    """What the help of `feint solve` writes in quotes, with the flag that it stands for."""
    flags = [flag for flag in get_command(app).commands["solve"].params if flag.opts[0].startswith("--")]
    return [(flag.opts[0], example) for flag in flags for example in re.findall(r"'([^']+)'", flag.help or "")]


@pytest.mark.parametrize(("flag", "example"), examples())
def test_the_examples_of_the_help_are_understood(flag, example, asked):
    assert asked("QsJh2h", flag, example).board == "QsJh2h"


def test_the_help_has_examples():
    assert {flag for flag, _ in examples()} == {"--oop", "--bets", "--raises", "--betting"}


def test_flags_come_on_top_of_what_a_file_says(tmp_path, asked):
    menus = {"turn": {"oop": {"bets": [2], "raises": [3], "all_in": False}}}
    spot = {"board": "QsJh2h9s", "oop": "AA", "ip": "KK", "pot": 10, "stack": 20, "menus": menus, "rake": 0.1}
    file = tmp_path / "spot.json"
    file.write_text(json.dumps(spot))
    told = Spot.read(spot)
    assert asked(file) == told
    flags = {"oop": "QQ", "ip": "TT", "pot": 7.0, "stack": 40.0, "rake": 0.05, "rake_cap": 2.0}
    for name, value in flags.items():
        assert asked(file, f"--{name.replace('_', '-')}", value) == replace(told, **{name: value})
    bets = asked(file, "--bets", "0.3,0.6")
    assert bets.menu("turn", "oop") == Menu((0.3, 0.6), (3.0,), all_in=False)
    assert bets.menu("turn", "ip") == bets.menu("river", "oop") == Menu((0.3, 0.6), (0.5,))
    raises = asked(file, "--raises", "")
    assert raises.menu("turn", "oop") == Menu((2.0,), (), all_in=False)
    assert raises.menu("river", "ip") == Menu((0.5, 1.0), ())
    assert asked("QsJh2h9s") == Spot("QsJh2h9s", "any", "any", 10.0, 95.0)


def test_what_is_told_of_a_spot_is_read_as_one(tmp_path, asked):
    locks = [{"betting": "", "moves": {"check": 0.5, "pot": 0.5}, "hands": "AA"}]
    spot = {"board": POLAR.board, "oop": POLAR.oop, "ip": "QQ:0.5,JJ", "pot": 10, "stack": 25}
    spot |= {"menus": {"river": {"oop": {"bets": [1], "raises": []}}}, "rake": 0.05, "rake_cap": 3, "locks": locks}
    (tmp_path / "spot.json").write_text(json.dumps(spot))
    words = ["--share", "0.3", "--betting", "check", "--json"]
    result = CliRunner().invoke(app, ["solve", str(tmp_path / "spot.json"), *words])
    told, again = json.loads(result.stdout), tmp_path / "again.json"
    assert Spot.read(told["spot"]).words() == Spot.read(spot).words()
    for part in (told, told["spot"]):
        again.write_text(json.dumps(part))
        assert asked(again).words() == Spot.read(spot).words()


def test_sizes_are_fractions_or_percent(asked):
    for text in ("33%,75%", "33%, 75%", "0.33 0.75", "33 %,0.75"):
        assert asked(POLAR.board, "--bets", text).menu("river", "ip") == Menu((0.33, 0.75), (0.5,))
    assert asked(POLAR.board, "--raises", "33.3%").menu("river", "ip").raises == (0.333,)
    menus = {"river": {"ip": {"bets": ["33%", 1], "raises": ["60%"]}}}
    spot = {"board": POLAR.board, "oop": "AA", "ip": "KK", "pot": 10, "stack": 95, "menus": menus}
    assert Spot.read(spot).menu("river", "ip") == Menu((0.33, 1.0), (0.6,))
