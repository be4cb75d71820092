"""Strategies that users keep: written to files with labels, read back, and handed on as folders that hubs take."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import yaml

import feint
from conftest import random_table
from feint.forms.strategy import tabulate
from feint.runs.export import LOCK, check_lock, lock_of
from feint.runs.strategy_files import WRITERS


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("game", ["leduc", "leduc_no_limit", "rock_paper_scissors"])
def test_there_and_back(tmp_path, tree_of, kind, game):
    tree = tree_of(game)
    table = random_table(tree, 2)
    path = feint.save_strategy(table, game, tmp_path / f"mine{kind}")
    read = feint.load_strategy(path, game if kind == ".csv" else None)
    assert np.abs(read.table(tree) - table).max() < 1e-15
    assert feint.nash_conv(tree, read) == feint.nash_conv(tree, table)


def test_what_is_in_the_files_can_be_read_without_us(tmp_path, tree_of, call):
    tree, run = tree_of("kuhn"), feint.load_run("feint:kuhn")
    table = tabulate(tree, run.strategy)
    for kind in (".csv", ".json", ".npz"):
        code, _, err = call("export", "feint:kuhn", f"kuhn{kind}")
        assert code == 0
        assert f"The strategy is in kuhn{kind}." in err
    rows = list(csv.DictReader((tmp_path / "kuhn.csv").read_text().splitlines()))
    told = json.loads((tmp_path / "kuhn.json").read_text())
    with np.load(tmp_path / "kuhn.npz") as arrays:
        assert (arrays["probabilities"] == table).all()
        assert (arrays["legal"] == tree.legal).all()
        assert tuple(arrays["labels"]) == tree.labels
        assert tuple(arrays["moves"]) == tree.actions
    assert (told["game"], told["moves"]) == ("kuhn", ["fold", "call", "raise"])
    for number, seen in enumerate(tree.infosets):
        assert (int(rows[number]["player"]), rows[number]["sees"]) == (seen.player + 1, seen.label)
        assert (told["strategy"][number]["player"], told["strategy"][number]["sees"]) == (seen.player + 1, seen.label)
        for column, move in enumerate(tree.actions):
            assert rows[number][move] == (repr(float(table[number, column])) if tree.legal[number, column] else "")
        offered = tree.offered(number)
        assert told["strategy"][number]["moves"] == {word: float(table[number, each]) for word, each in offered.items()}


def test_what_does_not_fit_is_refused(tmp_path, tree_of):
    for name, words in (("mine.txt", "does not end in how a strategy is written"), ("gone.csv", "There is no file")):
        with pytest.raises(feint.BadInput, match=words):
            feint.load_strategy(tmp_path / name)
    path = feint.save_strategy(tree_of("kuhn").uniform(), "kuhn", tmp_path / "kuhn.npz")
    with pytest.raises(feint.BadInput, match="is for kuhn with other rules than leduc has"):
        feint.load_strategy(path, "leduc")
    sheet = feint.save_strategy(tree_of("kuhn").uniform(), "kuhn", tmp_path / "kuhn.csv")
    with pytest.raises(feint.BadInput, match="does not say by which rules it is, or they are your own; give the game"):
        feint.load_strategy(sheet)
    with pytest.raises(feint.BadInput, match="has other situations than leduc"):
        feint.load_strategy(sheet, "leduc")
    for old, new in (("0.5", "0.7"), ("0.5", "much"), ("information_set", "number")):
        (tmp_path / "broken.csv").write_text(sheet.read_text().replace(old, new, 1))
        with pytest.raises(
            feint.BadInput, match=r"must sum to 1 over its legal moves|holds no strategy, or a damaged one"
        ):
            feint.load_strategy(tmp_path / "broken.csv", "kuhn")
    with pytest.raises(
        feint.BadInput, match=r"A strategy in a \.csv file needs the whole tree, and holdem is too large"
    ):
        feint.export("feint:holdem", tmp_path / "holdem.csv")
    with pytest.raises(feint.BadInput, match=r"'a\.txt' is neither a folder's name nor ends in \.csv"):
        feint.export("feint:kuhn", tmp_path / "a.txt")


OWN = """
import pathlib
from feint.games.kuhn import kuhn

pathlib.Path("started").touch()

def mine():
    return kuhn()
"""


def test_rules_in_a_file_never_start_unasked(tmp_path, monkeypatch, tree_of):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    feint.save_strategy(tree_of("kuhn").uniform(), "own.py:mine", tmp_path / "own.json")
    (tmp_path / "started").unlink()
    with pytest.raises(feint.BadInput, match="give the game, too"):
        feint.load_strategy(tmp_path / "own.json")
    assert not (tmp_path / "started").exists()
    assert feint.load_strategy(tmp_path / "own.json", "own.py:mine").fingerprint == tree_of("kuhn").fingerprint


@pytest.mark.parametrize("name", ["feint:kuhn", "feint:holdem"])
def test_a_folder_is_a_run_with_a_card_and_a_lock(call, tmp_path, name):
    assert call("export", name, "hub/mine")[0] == 0
    folder = tmp_path / "hub" / "mine"
    run = feint.load_run(folder)
    assert run.strategy.fingerprint == feint.load_run(name).strategy.fingerprint
    front = yaml.safe_load((folder / "README.md").read_text().split("---")[1])
    (result,) = front["model-index"][0]["results"]
    assert (front["library_name"], front["pipeline_tag"]) == ("feint", "reinforcement-learning")
    assert {"type", "name"} <= set(result["task"]) & set(result["dataset"]), "as hubs ask for"
    assert all({"type", "value"} <= set(metric) for metric in result["metrics"])
    assert (folder / "strategy.csv").is_file() == (name == "feint:kuhn")
    assert "filter=lfs" in (folder / ".gitattributes").read_text()
    check_lock(folder)
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--strict", LOCK], cwd=folder, check=True, capture_output=True)
    assert call("export", name, "hub/mine")[2] == "feint: hub/mine is not empty; choose another folder.\n"


def test_a_lock_finds_what_was_changed(tmp_path):
    folder = feint.export("feint:kuhn", tmp_path / "mine")
    for name, change, words in (
        ("metrics.jsonl", lambda file: file.write_text("{}"), "metrics.jsonl was changed"),
        ("strategy.csv", Path.unlink, "strategy.csv is gone"),
        ("more.py", Path.touch, "more.py was added"),
    ):
        again = Path(shutil.copytree(folder, tmp_path / name))
        check_lock(again)
        change(again / name)
        with pytest.raises(feint.BadInput, match=words):
            check_lock(again)
    (folder / LOCK).unlink()
    with pytest.raises(feint.BadInput, match=r"has no strategy\.lock"):
        check_lock(folder)
    assert lock_of(folder).count("\n") == len(list(folder.iterdir()))


def test_a_run_with_its_own_rules_brings_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    run = feint.train("cfr+", "own.py:mine", steps=3)
    folder = feint.export(run, tmp_path / "handed")
    assert feint.load_run(folder, trust=True).form.fingerprint == run.form.fingerprint
    assert "rules/own.py" in (folder / LOCK).read_text()
