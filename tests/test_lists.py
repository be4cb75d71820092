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
    assert call("games", "khun")[2] == "feint: There is no game called 'khun' in the library; did you mean kuhn?\n"


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
    shown = " ".join(call("runs")[1].split())
    assert "not judged yet" in shown
    assert "runs/broken damaged" in shown
    assert shown.count("not finished") == 1
    assert shown.count("(the best of 3 seeds; their median is ") == 1
