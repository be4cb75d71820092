"""The commands as a user calls them."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import feint
from feint.evaluate import match as match_module
from feint.evaluate.measure import Measure
from feint.runs.agents import AGENTS

BAD_INPUT = {
    "train cfr+ ledcu": "did you mean leduc?",
    "train leduc cfr+": "cfr+ is an algorithm, which comes before the game: cfr+ leduc.",
    "train CFR leduc": "There is no algorithm called 'CFR'; did you mean cfr",
    "play leduc": "There is no player called 'leduc' and no such folder of a run; did you mean feint:leduc?",
    "train cfrr leduc": "There is no algorithm called 'cfrr'; did you mean cfr",
    "train cfr+ kuhn(player=3)": "did you mean players?",
    "train cfr+ kuhn(players=99)": "players from 2 to 10, but players=99 was given",
    "train cfr+ kuhn(players=two)": "takes players as int, but players='two' was given",
    "train cfr+ kuhn((": "does not read as a game",
    "train cfr+ kuhn --steps -5": "steps must be a positive number below 1e+18, but steps=-5 was given",
    "train cfr+ kuhn --hands 0": "hands must be a positive number below 1e+18, but hands=0 was given",
    "train cfr+ kuhn --hands 100": "cfr+ counts no hands, so a run of it cannot stop after 100; give --steps",
    "train cfr+ kuhn --seconds 0": "seconds must be a positive number",
    "train cfr+ kuhn --until nan": "until must be a positive number",
    "train cfr+ kuhn --save-every nan": "save_every must be a positive number below 1e+18, but save_every=nan was",
    "train cfr+ kuhn --save-every -1": "save_every must be a positive number",
    "train cfr+ kuhn --seed -1": "seed must be 0 or more",
    "evaluate random --game kuhn --judge winnings(seed=-1)": "seed must be 0 or more and below 2^62, but seed=-1 was",
    "evaluate random --game kuhn --judge local-best-response(seed=-1)": "seed must be 0 or more",
    "evaluate random --game kuhn --judge learned-best-response(seed=-1)": "seed must be 0 or more",
    "train cfr+ kuhn --seed 99999999999999999999": "seed must be 0 or more and below 2^62, but seed=99999",
    "train cfr+ kuhn --steps many": "Invalid value for '--steps'",
    "train cfr+ kuhn --set alfa=1": "did you mean alpha?",
    "train cfr+ kuhn --set alpha=x": "cannot take alpha='x'",
    "train cfr+ kuhn --set alpha": "--set takes key=value",
    "train nfsp kuhn --set hidden=64": "did you mean network.hidden or policy.hidden?",
    "train nfsp kuhn --set values.rate=0": "values.rate must be above 0, but 0.0 was given",
    "train nfsp holdem": "holdem is too large to keep a tally of; use --preset small",
    "train cfr+": "Missing argument",
    "train cfr+ kuhn --out /proc/nowhere": "cannot be written",
    "train cfr+ open_spiel:goofspiel": "simultaneous moves",
    "train cfr+ open_spiel:kuhn_pocker": "did you mean kuhn_poker",
    "train cfr+ open_spiel:dark_hex_ir(num_rows=2,num_cols=2)": "perfect recall",
    "train linear-program kuhn(players=3)": "two-player zero-sum",
    "train fictitious-play kuhn": "use xfp",
    "train cfr+ missing.py:game": "There is no file missing.py",
    "show .": "is not a run",
    "acpc play random --port 1 --game kuhn --seed -4": "seed must be 0 or more and below 2^62, but seed=-4 was given",
    "evaluate nowhere": "There is no player called 'nowhere'",
    "frobnicate": "No such command",
    "train nfsp holdem_no_limit(stack=1)": "needs a stack above the big blind",
    "evaluate random --game kuhn --judge exploitability(leaks=-1)": "Leaks to name are 0 or more, but leaks=-1",
    "evaluate random --game turn_holdem --judge exploitability": "too large to judge exactly; ask sampled-boards",
    "solve QsJh2h5c7d --oop AA:1e-200 --ip KK:1e-200": "hardly come; give wider ones",
    "solve QsJh2h --oop QsQh,Qs2h --save kept.safetensors": "Every hand in the range of oop has a card of the board",
    "solve QsJh2h5c7d --oop AsAh --ip AsAd --save kept.safetensors": "can meet",
    "solve QsJh2h --pot -4 --save kept.safetensors": "a pot from 0.001 to 1,000,000,000 chips, but pot=-4 was given",
    "solve QsJh2h --raises 0.001 --bets 0.001 --save kept.safetensors": "over 100 bets and raises in a row; choose",
    "solve QsJh2h --seconds nan": "seconds must be a positive number below 1e+18, but seconds=nan was given",
    "solve QsJh2h --out /proc/x.png --save kept.safetensors": "/proc/x.png cannot be written (",
    "solve QsJx2h --save kept.safetensors": "'jx', in the board 'QsJx2h', is no card of hold'em",
    "solve QsJh2h --rake 0.1 --rake-cap inf": "A cap on rake is 0 chips or more, but inf was given; leave it out",
    "solve QsJh2h --bets 0.5;1 --save kept.safetensors": "fractions of the pot such as 0.5,1 or 50%,100%, but '0.5;1'",
}


@pytest.mark.parametrize("words", BAD_INPUT)
def test_bad_input_is_one_sentence_and_writes_nothing(call, tmp_path, words):
    code, out, err = call(*words.split())
    assert code == 2
    assert out == ""
    assert BAD_INPUT[words] in err
    assert "Traceback" not in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


SPOT = {"board": "KsKh7d4c2s", "oop": "AA,65s", "ip": "QQ", "pot": 10, "stack": 10, "bets": [1], "raises": []}


@pytest.mark.parametrize(
    ("text", "flags", "sentence"),
    [
        ('{"board": ', "", "spot.json cannot be read as a spot in JSON"),
        ("[" * 100_000, "", "spot.json cannot be read as a spot in JSON"),
        ("[1]", "", "spot.json holds no spot"),
        ('{"spot": 7}', "", "spot.json holds no spot"),
        ('{"board": "QsJh2h"}', "--pot 7", "but oop, ip, stack is missing"),
        (json.dumps(SPOT | {"bets": [], "all_in": False}), "", "The menu of oop on the river offers nothing"),
        (json.dumps(SPOT | {"menus": {}}), "", "but menus, bets and raises were given; leave"),
        (json.dumps(SPOT), "--pot -4", "a pot from 0.001 to 1,000,000,000 chips, but pot=-4 was given"),
        (json.dumps(SPOT), "--bets half", "fractions of the pot such as 0.5,1 or 50%,100%, but 'half'"),
        (json.dumps(SPOT), "--ip Ks7d", "Every hand in the range of ip has a card of the board"),
        (json.dumps(SPOT), "", "need 0.7 GB of memory, but 0.0 GB are free; offer fewer bets"),
    ],
)
def test_a_bad_file_of_a_spot_is_one_sentence_and_nothing_is_kept(call, tmp_path, monkeypatch, text, flags, sentence):
    (tmp_path / "spot.json").write_text(text)
    monkeypatch.setattr("feint.public.room.memory", lambda: 1000)
    monkeypatch.setattr("feint.public.room.SMALL", 0)
    code, out, err = call("solve", "spot.json", *flags.split(), "--save", "kept.safetensors")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err
    assert [each.name for each in tmp_path.iterdir()] == ["spot.json"]


def test_train_leaves_a_run_that_can_be_judged_and_shown(call, tmp_path):
    code, out, err = call("train", "pcfr+", "kuhn", "--until", "1e-6", "--json")
    assert code == 0
    summary = json.loads(out)
    assert 0 <= summary["exploitability"] <= 1e-6
    assert summary["unit"] == "chips per hand"
    assert summary["kind"] == "exact"
    assert "exploitability" in err
    folder = tmp_path / summary["run"]
    names = {path.name for path in folder.iterdir()}
    assert names >= {"config.json", "metrics.jsonl", "timings.jsonl", "strategy.safetensors", "README.md", "curve.png"}

    code, out, _ = call("evaluate", summary["run"], "--json")
    judged = json.loads(out)
    assert code == 0
    found = judged["judges"]["exploitability"]
    assert found["exploitability"]["value"] == pytest.approx(summary["exploitability"], abs=1e-12)
    assert (found["exploitability"]["unit"], found["exploitability"]["kind"]) == ("chips per hand", "exact")
    assert found["players"][0]["value"] == pytest.approx(-1 / 18, abs=1e-5)

    code, out, _ = call("show", summary["run"], "--json")
    strategy = json.loads(out)
    assert code == 0
    assert len(strategy) == 12
    assert all(sum(row["moves"].values()) == pytest.approx(1) for row in strategy)
    assert {row["player"] for row in strategy} == {1, 2}, "as people count them"
    assert [list(row["moves"]) for row in strategy if row["sees"] in ("K", "K: bet")] == [
        ["check", "bet"],
        ["fold", "call"],
    ]

    code, out, _ = call("show", summary["run"])
    assert code == 0
    # All twelve information sets, one line each, on one screen.
    assert len(out.splitlines()) < 24
    assert all(row["sees"] in out for row in strategy)


def test_the_best_of_many_seeds_is_told_alike_wherever_it_is_told(call):
    """By training, by a sweep and by a list of runs; of a seed alone nothing is said."""
    asked = {"best_of_seeds", "median", "steps", "exploitability", "nash_conv", "unit", "kind"}
    words = ("--steps", "3", "--seeds", "3", "--json")
    trained = json.loads(call("train", "elite-play", "kuhn", *words)[1])
    (listed,) = json.loads(call("runs", "--json")[1])
    (trial,) = json.loads(call("sweep", "--algorithm", "elite-play", "--game", "kuhn", *words)[1])["trials"]
    assert trained["best_of_seeds"] == 3
    assert 0 < trained["exploitability"] < trained["median"]
    assert trained["exploitability"] == min(trial["seeds"])
    told = [{name: each[name] for name in asked} for each in (trained, listed, trial)]
    assert told[1:] == [told[0]] * 2
    alone = json.loads(call("train", "cfr+", "kuhn", "--steps", "3", "--json")[1])
    assert not {"best_of_seeds", "median"} & set(alone)


def test_runs_with_names_of_their_own_are_named_where_none_is_found_to_go_on_with(call):
    asked = ("train", "cfr", "kuhn", "--steps")
    assert call(*asked, "2", "--resume")[2].endswith("in runs to go on with; name one with --out.\n")
    for name in ("mine", "yours"):
        assert call(*asked, "2", "--out", f"runs/{name}")[0] == 0
    assert call("train", "cfr+", "kuhn", "--steps", "2", "--out", "runs/plus")[0] == 0
    code, out, err = call(*asked, "4", "--resume")
    assert (code, out) == (2, "")
    ends = "have names of their own; say which: --out runs/mine or --out runs/yours.\n"
    assert err == f"feint: Runs of cfr on kuhn in runs {ends}"
    assert call(*asked, "4", "--resume", "--out", "runs/mine")[0] == 0


def test_hands_are_shown_where_they_are_counted(call):
    code, out, err = call("train", "nfsp", "kuhn", "--hands", "200", "--set", "tables=16")
    assert code == 0
    found = re.search(r" after (\d+) steps, (\d+) hands$", out.strip())
    assert 200 <= int(found[2]) < 216
    assert f"{found[1]} steps, {found[2]} hands in " in err


def bound(value, low, high, hands):
    return Measure("exploitability", value, "chips per hand", "lower bound", low, high, hands)


@pytest.mark.slow
def test_a_bound_is_kept_and_told(call, tmp_path, monkeypatch):
    shutil.copytree(AGENTS / "holdem", tmp_path / "run")
    (tmp_path / "run" / "bound.json").unlink()
    found = bound(6.0, 4.0, 8.0, 200)  # in chips, two to the big blind
    monkeypatch.setattr(
        "feint.evaluate.local_best_response.local_best_response", lambda *words: words[-1](found) or found
    )
    monkeypatch.setattr(match_module, "match", lambda *_: match_module.Match(64, 1.0, 0.1, 32, 1.0))  # in no time
    code, out, err = call("evaluate", "run", "--hands", "64")
    assert (code, err) == (0, "The bound is kept in run/bound.json.\n")
    told = "exploitability at least 2,000 mbb/h (a best response won 3,000, 2,000 to 4,000)"
    assert f"{told}, over 200 hands: a lower bound" in out
    last = feint.load_run(AGENTS / "holdem").metrics[-1]
    steps = f"after {last['step']:,} steps, {last['hands']:,.0f} hands\n"
    assert f" mbb/h against random play; {told} {steps}" in call("show", "run")[1]
    full = OSError(28, "No space left on device")
    monkeypatch.setattr("feint.runs.folder.write_whole", lambda *_: (_ for _ in ()).throw(full))
    code, again, err = call("evaluate", "run", "--hands", "64")
    assert (code, again) == (0, out)
    assert err == "The bound is not kept, because run cannot be written (No space left on device).\n"


def test_it_says_which_version_it_is_and_helps_who_says_nothing(call):
    assert call("--version") == (0, f"feint {feint.__version__}\n", "")
    code, out, err = call()
    assert (code, err) == (2, "")
    assert "reproduce" in out


@pytest.mark.slow
def test_where_a_strategy_leaks_is_told(call):
    run = json.loads(call("train", "cfr", "leduc", "--steps", "10", "--json")[1])["run"]
    _, *told = call("evaluate", run)[1].split("where it gives most away, as shares of that:\n")[1].splitlines()
    worst = json.loads(call("evaluate", run, "--json")[1])["judges"]["exploitability"]["leaks"]
    assert len(worst) == 8
    assert all(line.rstrip().endswith(leak["sees"]) for line, leak in zip(told, worst, strict=True))
    shares = [int(line.split("%")[0]) for line in told]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0
    # Where rounding errors are all there is, nothing leaks.
    run = json.loads(call("train", "linear-program", "kuhn", "--json")[1])["run"]
    assert "where it gives" not in call("evaluate", run)[1]


def test_a_folder_that_cannot_be_written_is_a_sentence(call, monkeypatch):
    run = json.loads(call("train", "cfr", "kuhn", "--steps", "2", "--json")[1])["run"]
    full = OSError(30, "Read-only file system", "curve.png.part")
    monkeypatch.setattr("feint.report.canvas.write_whole", lambda *_: (_ for _ in ()).throw(full))
    code, _, err = call("show", run)
    assert code == 1
    assert err == "feint: curve.png.part cannot be used (Read-only file system); choose another folder with --out.\n"


def test_output_that_cannot_be_written_is_a_sentence():
    with Path("/dev/full").open("w") as full:
        left = subprocess.run([sys.executable, "-m", "feint", "games"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert left.returncode == 1
    assert left.stderr == "feint: The output cannot be written (No space left on device); make room.\n"


def test_what_to_type_next_can_be_pasted(call):
    _, _, err = call("train", "cfr", "kuhn(players=3)", "--steps", "2")
    last = err.splitlines()[-1].strip()
    assert shlex.split(last)[:4] == ["feint", "train", "cfr", "kuhn(players=3)"]
    assert call(*shlex.split(last)[1:-1], "0.1")[0] == 0


def test_names_are_told_as_they_are(call, tmp_path):
    _, _, err = call("train", "cfr", "kuhn", "--steps", "2", "--out", "my [bold]run :smile:")
    assert "feint play 'my [bold]run :smile:'\n" in err
    assert (tmp_path / "my [bold]run :smile:" / "config.json").is_file()


def test_a_bound_may_be_left_where_it_is(call, tmp_path, monkeypatch):
    """Ctrl-C while a best response plays keeps what it has won so far; before that, there is nothing to keep."""
    shutil.copytree(AGENTS / "holdem", tmp_path / "run")

    def interrupted(*words):
        for each in found:
            words[-1](each)
        raise KeyboardInterrupt

    monkeypatch.setattr("feint.evaluate.local_best_response.local_best_response", interrupted)
    monkeypatch.setattr(match_module, "match", lambda *_: match_module.Match(64, 1.0, 0.1, 32, 1.0))
    found = [bound(1.0, 0.0, 2.0, 100), bound(6.0, 5.0, 7.0, 90_000)]
    code, out, _ = call("evaluate", "run", "--hands", "64")
    assert code == 0
    assert "at least 2,500 mbb/h (a best response won 3,000, 2,500 to 3,500), over 90,000 hands: a lower bound" in out
    assert json.loads((tmp_path / "run" / "bound.json").read_text())["hands"] == 90_000
    found = []
    stopped = "feint: Stopped; nothing new is kept.\n"
    assert call("evaluate", "run", "--hands", "64") == (130, "", stopped)


@pytest.mark.slow
def test_a_large_strategy_shows_its_leaks_first_and_all_on_request(call):
    _, out, _ = call("train", "cfr", "leduc", "--steps", "10", "--json")
    run = json.loads(out)["run"]
    short, long = call("show", run)[1], call("show", run, "--all")[1]
    assert "The 24 of 288 information sets" in short
    assert len(short.splitlines()) < 35
    assert len(long.splitlines()) > 288


def test_of_many_moves_the_likeliest_are_shown(call):
    """Seven columns of probabilities fit no screen."""
    rows = [[3 if row == column else 0 for column in range(7)] for row in range(6)] + [[9] * 7]
    _, out, _ = call("train", "linear-program", f"matrix(payoffs={rows})".replace(" ", ""))
    first, *_ = (line for line in out.splitlines() if line.split()[:1] == ["1"])
    assert first.split()[2:] == ["6", "1.00", "0", "0.00", "1", "0.00"]  # the last row is better than all others
    assert out.count("likeliest moves") == 1
    assert max(map(len, out.splitlines())) <= 100


def test_a_second_run_gets_a_folder_of_its_own_and_out_must_be_empty(call, tmp_path):
    first = json.loads(call("train", "cfr", "kuhn", "--steps", "2", "--json")[1])["run"]
    second = json.loads(call("train", "cfr", "kuhn", "--steps", "2", "--json")[1])["run"]
    assert first != second
    before = sorted(tmp_path.rglob("*"))
    code, _, err = call("train", "cfr", "kuhn", "--steps", "2", "--out", first)
    assert code == 2
    assert "is not empty" in err
    assert sorted(tmp_path.rglob("*")) == before


def test_an_interrupted_match_tells_how_it_stood(call, monkeypatch):
    """What was played counts, and no more than that."""
    played = match_module.match
    asked = []

    def interrupted(arena, one, other, hands, seed, progress):
        asked.append(hands)
        progress(played(arena, one, other, 400, seed))
        raise KeyboardInterrupt

    monkeypatch.setattr(match_module, "match", interrupted)
    code, out, _ = call("match", "feint:kuhn", "random", "--hands", "100000000", "--json")
    told = json.loads(out)
    assert code == 0
    assert asked == [100_000_000]
    assert told["hands"] == 400
    assert told["winnings"] - told["error"] > 0


@pytest.mark.slow
def test_a_terminal_gets_a_line_that_changes_and_a_pipe_does_not(tmp_path):
    command = [sys.executable, "-m", "feint", "train", "cfr+", "kuhn", "--steps", "50", "--json"]
    leader, follower = pty.openpty()
    subprocess.run(command, cwd=tmp_path, stderr=follower, stdout=subprocess.DEVNULL, check=True)
    os.close(follower)
    shown = os.read(leader, 1 << 16)
    os.close(leader)
    assert b"\x1b[" in shown
    assert b"exploitability" in shown
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert b"\x1b[" not in piped.stderr
    assert b"exploitability" in piped.stderr
    json.loads(piped.stdout)


def test_a_game_of_ones_own(call, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from feint.games.matrix import matrix\ndef pennies(stake=1):\n"
        "    return matrix(payoffs=[[stake, -stake], [-stake, stake]])\n"
    )
    code, out, _ = call("train", "cfr+", "mine.py:pennies(stake=3)", "--steps", "100", "--json")
    assert code == 0
    summary = json.loads(out)
    assert summary["game"] == "mine.py:pennies(stake=3)"
    assert (
        json.loads(call("evaluate", summary["run"], "--json")[1])["judges"]["exploitability"]["exploitability"]["value"]
        < 0.1
    )
    assert (Path(tmp_path) / summary["run"]).is_dir()


def test_help_is_there_for_who_asks_in_short(call):
    assert call("train", "-h")[1] == call("train", "--help")[1] != ""


def test_long_work_is_told_of_where_there_is_no_terminal(call, monkeypatch):
    monkeypatch.setattr("feint.cli.terminal.EVERY", 0.0)
    _, _, err = call("match", "random", "feint:kuhn", "--hands", "200")
    assert re.search(r"^200 of 200 hands: [+-]\d.* ± .* mbb/h; Ctrl-C leaves it there$", err, re.MULTILINE)


def test_python_shows_what_there_is():
    assert {"train", "load_run", "unroll"} <= set(dir(feint))
    shown = repr(feint.load_run("feint:kuhn"))
    assert re.fullmatch(
        r"Run\('.*kuhn': .* on kuhn, [\d,]+ steps, [\d,]+ hands: exploitability .* chips per hand \(exact\)\)", shown
    )


def test_small_games_have_matches_without_luck(call):
    assert re.search(
        r"^luck aside \+[\d.]+ mbb/h \(\+0\.\d+ chips a hand, exact\)$",
        call("match", "feint:kuhn", "random", "--hands", "100")[1],
        re.MULTILINE,
    )
