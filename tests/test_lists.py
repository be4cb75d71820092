"""What there is is listed: games, algorithms and runs."""

from __future__ import annotations

import inspect
import json
import shutil

import pytest

from feint.games.library import library
from feint.runs.config import algorithms


@pytest.mark.parametrize("words", ["games", "algorithms"])
def test_listings(call, words):
    code, out, _ = call(words, "--json")
    names = {row["name"] for row in json.loads(out)}
    assert code == 0
    assert names >= ({"kuhn", "leduc"} if words == "games" else {"cfr", "cfr+", "dcfr", "pcfr+", "xfp"})
    _, text, _ = call(words)
    assert all(name in text for name in names)


@pytest.mark.parametrize("name", algorithms())
def test_every_setting_is_explained(call, name):
    code, out, _ = call("algorithms", name, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["name"] == name
    assert set(told["settings"]) == set(told["explained"])
    assert all(words.endswith(".") for words in told["explained"].values())
    _, text, _ = call("algorithms", name)
    assert all(word in text for word in (told["about"].split()[0], *told["settings"], *told["presets"]))


def test_a_preset_is_told_by_what_it_changes(call):
    _, out, _ = call("algorithms", "dqn")
    assert "--preset double: values.double=True\n" in out
    assert "--preset poker-rnn: tables=20 exploration.epsilon=0.1 values.optimiser=adam values.rate=0.0001 " in out
    assert " network.hidden=512,512,512 " in out
    told = json.loads(call("algorithms", "dqn", "--json")[1])
    assert told["presets"]["double"] == {"values.double": True}
    assert told["settings"]["values.rate"] == 0.1
    assert told["settings"]["network.hidden"] == [64]
    assert told["settings"]["network.cell"] is None
    assert told["settings"]["values.decay"] == "inf", "as in config.json"


def test_a_game_s_rules_are_told(call):
    code, out, _ = call("games", "kuhn")
    assert code == 0
    assert "leduc" not in out
    assert " ".join(inspect.getdoc(library()["kuhn"]).split()) in " ".join(out.split())
    assert call("games", "khun")[2] == "feint: There is no game called 'khun'; did you mean kuhn?\n"


OWN = '''
from feint.games.leduc import leduc

def mine():
    """Leduc for three.

    As ever.
    """
    return leduc(players=3)
'''


@pytest.mark.slow
def test_any_game_is_told_with_its_size_and_what_can_be_run_on_it(call, tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    three, small, large, theirs, matrix = (
        json.loads(call("games", name, "--json")[1])[0]
        for name in ("mine.py:mine", "kuhn", "holdem", "open_spiel:kuhn_poker", "rock_paper_scissors")
    )
    assert (three["name"], three["players"], three["rules"]) == ("mine.py:mine", 3, "Leduc for three.\n\nAs ever.")
    assert (small["nodes"], small["information_sets"], small["exact"]) == (58, 12, True)
    assert (theirs["information_sets"], theirs["judges"]) == (12, ["exploitability"])
    assert "linear-program" in small["algorithms"]
    assert "linear-program" not in three["algorithms"], "three players"
    assert "fictitious-play" not in small["algorithms"]
    assert "fictitious-play" in matrix["algorithms"], "that is for matrix games"
    assert "cfr+" in three["algorithms"]
    assert (large["exact"], large["judges"]) == (False, ["winnings", "local-best-response"])
    assert "nfsp" in large["algorithms"]
    assert "cfr+" not in large["algorithms"]
    _, out, _ = call("games", "holdem")
    assert "winnings, local-best-response (bounds and estimates, for it is too large for more)" in " ".join(out.split())
    assert json.loads(call("games", "kuhn(players=3)", "--json")[1])[0]["parameters"] == {"players": 3}
    assert "As ever." in call("games", "mine.py:mine")[1]


def test_runs_are_listed(call, tmp_path):
    assert "There are no runs in runs; feint train makes them" in call("runs")[2]
    for words in ("cfr+ kuhn", "elite-play kuhn --seeds 3"):
        call("train", *words.split(), "--steps", "3")
    (tmp_path / "runs" / "begun").mkdir()
    shutil.copy(tmp_path / "runs" / "kuhn-cfr+" / "config.json", tmp_path / "runs" / "begun")
    (tmp_path / "runs" / "kuhn-elite-play" / "provenance.json").unlink()
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "config.json").write_text("{")
    code, out, _ = call("runs", "--json")
    told = {row["name"]: row for row in json.loads(out)}
    assert code == 0
    assert [(name, row["finished"]) for name, row in told.items()] == [
        ("runs/begun", False),
        ("runs/broken", False),
        ("runs/kuhn-cfr+", True),
        ("runs/kuhn-elite-play", False),
    ]
    assert told["runs/kuhn-cfr+"]["kind"] == "exact"
    assert "best_of_seeds" not in told["runs/kuhn-cfr+"]
    several = told["runs/kuhn-elite-play"]
    assert several["best_of_seeds"] == 3
    assert several["exploitability"] < several["median"]
    shown = " ".join(call("runs")[1].split())
    assert "not judged yet" in shown
    assert "runs/broken damaged" in shown
    assert shown.count("not finished") == 1
    assert shown.count("(the best of 3 seeds; their median is ") == 1


def test_players_are_listed_with_what_each_is_for(call):
    told = " ".join(call("players")[1].split())
    assert "person confirm=False You, at this terminal, in feint match; feint play seats you by itself." in told
    assert "feint play NAME --game GAME sits down with any of them but person; settings go in brackets" in told
    for words in (["play", "person"], ["evaluate", "person"], ["league", "person", "call"]):
        assert "There is no player called 'person'" in call(*words, "--game", "kuhn")[2]
