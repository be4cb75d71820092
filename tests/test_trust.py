"""Runs that were changed, cut off, sent by someone or written twice: nothing wrong is believed, nothing lost."""

from __future__ import annotations

import importlib.util
import json
import os
import py_compile
import random
import shutil
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import feint
from feint.runs.agents import AGENTS
from feint.runs.files import append, chained, digest_of, rows_of, sealed, unsealed, write_whole
from feint.runs.folder import RunFolder
from feint.runs.run import load_run, metrics_of

KEPT = ("config.json", "metrics.jsonl", "timings.jsonl", "strategy.safetensors", "provenance.json", "bound.json")

OWN = """
from dataclasses import dataclass
from feint.games.matrix import matrix
from pays import PAYS
import folder.more

def game(high=1):
    assert folder.more.MORE == 7
    return matrix(payoffs=((high * PAYS, -1), (-1, 1)))
"""


@pytest.fixture
def whole(tmp_path) -> Path:
    """A finished run with a bound that someone has kept beside it."""
    path = feint.train("cfr", "kuhn", steps=9, out=tmp_path / "whole").path
    bound = {"name": "exploitability", "value": 1.0, "unit": "mbb/h", "kind": "lower bound", "low": 0.5, "high": 2.0}
    write_whole(path / "bound.json", sealed(bound | {"strategy.safetensors": digest_of(path / "strategy.safetensors")}))
    assert load_run(path).bound.value == 1.0
    return path


@pytest.fixture
def own(tmp_path, monkeypatch) -> Path:
    """A game of a user's own, with neighbours, in a folder of its own; nothing is trusted yet."""
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine" / "folder").mkdir(parents=True)
    (tmp_path / "mine" / "game.py").write_text(OWN)
    (tmp_path / "mine" / "pays.py").write_text("PAYS = 3\n")
    (tmp_path / "mine" / "folder" / "more.py").write_text("MORE = 7\n")
    (tmp_path / "mine" / "folder" / "__init__.py").write_text("")
    (tmp_path / "mine" / "unused.py").write_text("1 / 0\n")
    return tmp_path / "mine"


@pytest.mark.parametrize("name", KEPT)
def test_no_changed_byte_is_believed(whole, name):
    text = (whole / name).read_bytes()
    chance = random.Random(name)
    for _ in range(60):
        changed = bytearray(text)
        place = chance.randrange(len(changed))
        match chance.randrange(4):
            case 0:
                changed[place] ^= 1 << chance.randrange(8)
            case 1:
                del changed[place : place + chance.randrange(1, 40)]
            case 2:
                changed[place:place] = chance.randbytes(chance.randrange(1, 9))
            case 3:
                del changed[place:]
        (whole / name).write_bytes(changed)
        with pytest.raises(feint.BadInput, match=r"(damaged run|not a run|not a finished run)"):
            load_run(whole)
    (whole / name).write_bytes(text)
    load_run(whole)


@pytest.mark.parametrize("name", ["metrics.jsonl", "timings.jsonl"])
def test_rows_are_believed_only_in_a_row(whole, name):
    """Of a run that is not finished, too: there is no digest of the whole file yet."""
    (whole / "provenance.json").unlink()
    lines = (whole / name).read_text().splitlines(keepends=True)
    swapped = [*lines[:3], lines[4], lines[3], *lines[5:]]
    digit = [*lines[:2], lines[2].replace("0.", "1.", 1), *lines[3:]]
    for changed in (lines[1:], [*lines[:2], *lines[3:]], swapped, digit, [*lines, "{}\n"], [*lines, lines[-1]]):
        (whole / name).write_text("".join(changed))
        with pytest.raises(ValueError, match=r"line \d+ of \w+\.jsonl was changed"):
            rows_of(whole / name)
        with pytest.raises(feint.BadInput, match="holds a damaged run"):
            feint.train("cfr", "kuhn", steps=12, out=whole, resume=True)


def test_evaluations_that_are_gone_are_missed(whole):
    rows, _ = rows_of(whole / "metrics.jsonl")
    (whole / "metrics.jsonl").write_text(chained(rows[:4])[0])
    with pytest.raises(feint.BadInput, match=r"its evaluation at step 5 is gone from metrics\.jsonl"):
        feint.train("cfr", "kuhn", steps=12, out=whole, resume=True)


def test_an_evaluation_whose_time_was_not_written_is_made_again(tmp_path):
    """A run killed between the two lines, right after a checkpoint."""
    runs = [feint.train("cfr", "kuhn", steps=9, out=tmp_path / name).path for name in ("one", "two")]
    (runs[1] / "provenance.json").unlink()
    rows, _ = rows_of(runs[1] / "timings.jsonl")
    (runs[1] / "timings.jsonl").write_text(chained(rows[:-1])[0])
    feint.train("cfr", "kuhn", steps=9, out=runs[1], resume=True)
    for name in ("metrics.jsonl", "strategy.safetensors"):
        assert (runs[0] / name).read_bytes() == (runs[1] / name).read_bytes()
    (runs[1] / "timings.jsonl").write_text(chained(rows[:3])[0])
    with pytest.raises(feint.BadInput, match=r"its evaluation at step 4 is gone from timings\.jsonl"):
        feint.train("cfr", "kuhn", steps=9, out=runs[1], resume=True)


def resealed(path: Path) -> None:
    """Make a run that was changed look whole, as someone could who means harm."""
    made = unsealed(path / "provenance.json")
    made["files"] = {name: digest_of(path / name) for name in made["files"]}
    (path / "provenance.json").write_bytes(sealed(made))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda table: table * np.nan, "values that are no numbers"),
        (lambda table: table[:-1], r"a table of shape \(12, 3\)"),
        (lambda table: table.astype(str).view(np.uint8), r"damaged|a table of"),
        (lambda table: -table, "negative"),
    ],
)
def test_a_strategy_that_is_none_is_refused_wherever_it_is_asked_for(whole, change, sentence, call):
    from safetensors import safe_open

    with safe_open(whole / "strategy.safetensors", framework="numpy") as file:
        words, table = file.metadata(), file.get_tensor("probabilities")
    save_file({"probabilities": np.ascontiguousarray(change(table))}, whole / "strategy.safetensors", words)
    resealed(whole)
    code, _, err = call("evaluate", str(whole))
    assert code == 2, err
    assert len(err.splitlines()) == 1


def test_a_network_that_is_none_is_refused(tmp_path):
    path = Path(shutil.copytree(AGENTS / "holdem", tmp_path / "run"))
    from safetensors import safe_open

    with safe_open(path / "strategy.safetensors", framework="numpy") as file:
        words = file.metadata()
    arrays = load_file(path / "strategy.safetensors")
    first = next(iter(arrays))
    for broken in (
        {name: np.full_like(value, np.nan) for name, value in arrays.items()},
        {("renamed" if name == first else name): value for name, value in arrays.items()},
        {name: value[..., :-1] if name == first else value for name, value in arrays.items()},
        {name: value.astype(np.float16) for name, value in arrays.items()},
    ):
        save_file(
            {name: np.ascontiguousarray(value) for name, value in broken.items()}, path / "strategy.safetensors", words
        )
        resealed(path)
        with pytest.raises(feint.BadInput, match="holds a damaged run"):
            load_run(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda words: words | {"steps": 10**400},
        lambda words: words | {"seed": -1},
        lambda words: words | {"settings": 7},
        lambda words: words | {"game": "\x1b[31mred"},
        lambda words: words | {"game": None},
        lambda words: words | {"more": 1},
        lambda words: {"game": "kuhn"},
        lambda words: json.loads("[" * 900 + "]" * 900),
    ],
)
def test_a_config_that_is_none_is_refused(whole, change, call):
    words = change(unsealed(whole / "config.json"))
    (whole / "config.json").write_bytes(sealed(words) if isinstance(words, dict) else json.dumps(words).encode())
    for command in (("show", str(whole)), ("train", "cfr", "kuhn", "--resume", "--out", str(whole), "--steps", "12")):
        code, _, err = call(*command)
        assert code == 2
        assert len(err.splitlines()) == 1
    code, out, _ = call("runs", str(whole.parent))
    assert code == 0
    assert "\x1b[31m" not in out


def test_not_even_a_space_is_changed_unseen(whole):
    for name in ("config.json", "provenance.json", "bound.json"):
        text = (whole / name).read_text()
        (whole / name).write_text(text.replace("\n", "", 1))
        with pytest.raises(feint.BadInput, match=rf"{name.replace('.', '[.]')} was changed"):
            load_run(whole)
        (whole / name).write_text(text)
    load_run(whole)


def test_deep_json_is_a_sentence(whole):
    (whole / "config.json").write_text("[" * 10**5)
    with pytest.raises(feint.BadInput, match="holds a damaged run"):
        load_run(whole)


def test_a_run_starts_no_code_unasked(whole, tmp_path, call, monkeypatch):
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path / "cache"))
    evil, mark = tmp_path / "evil.py", tmp_path / "started"
    evil.write_text(f"open({str(mark)!r}, 'w')\ndef f():\n    return None\n")
    words = unsealed(whole / "config.json")
    for rules in (None, {"game": "../../evil.py:f", "files": {"../../evil.py": digest_of(evil)}}):
        (whole / "config.json").write_bytes(sealed(words | {"game": f"{evil}:f", "rules": rules}))
        resealed(whole)
        for command in (("show",), ("evaluate",), ("match", "random"), ("play",), ("league", "random")):
            code, _, err = call(command[0], str(whole), *command[1:])
            assert code == 2
            assert "--game" in err
        with pytest.raises(feint.BadInput):
            _ = load_run(whole, trust=True).form
    call("runs", str(whole.parent))
    assert not mark.exists()


def test_a_run_brings_its_own_rules(own, tmp_path, call, monkeypatch):
    run = feint.train("cfr+", "mine/game.py:game(high=2)", steps=5, out=tmp_path / "run")
    exact = run.metrics[-1]["exploitability"]
    assert sorted(str(file.relative_to(run.path / "rules")) for file in (run.path / "rules").rglob("*.py")) == [
        "folder/__init__.py",
        "folder/more.py",
        "game.py",
        "pays.py",
    ]
    shutil.rmtree(own)
    monkeypatch.chdir(tmp_path / "cache")  # neither the file nor the place is there any more
    here = load_run(run.path)  # this machine has trained on them
    assert here.form.name == "mine/game.py:game(high=2)"
    assert feint.exploitability(here.form.tree, here.strategy) == pytest.approx(exact)
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path / "elsewhere"))
    code, _, err = call("evaluate", str(run.path))
    assert code == 2
    assert "brings rules of its own, and Feint starts no program unasked; read " in err
    assert call("evaluate", str(run.path), "--trust")[0] == 0
    assert call("match", str(run.path), "random", "--hands", "10")[0] == 0, "it was trusted once"
    (run.path / "rules" / "pays.py").write_text("PAYS = 4\n")
    code, _, err = call("evaluate", str(run.path), "--trust")
    assert code == 2
    assert "rules/pays.py was changed" in err


def test_what_packages_import_from_beside_them_comes_along(own, tmp_path):
    helpers = own / "helpers"
    (helpers / "deeper").mkdir(parents=True)
    (own / "game.py").write_text(
        "from feint.games.matrix import matrix\nfrom helpers import PAYS\n\n"
        "def game():\n    return matrix(payoffs=((PAYS, -1), (-1, 1)))\n"
    )
    (helpers / "__init__.py").write_text("from . import numbers\nfrom .deeper.most import MOST\nPAYS = MOST\n")
    (helpers / "numbers.py").write_text("THREE = 3\n")
    (helpers / "deeper" / "__init__.py").write_text("")
    (helpers / "deeper" / "most.py").write_text("from ..numbers import *\nMOST = THREE\n")
    (own / "numbers.py").write_text("1 / 0\n")
    run = feint.train("cfr+", "mine/game.py:game", steps=5, out=tmp_path / "run")
    kept = {str(file.relative_to(run.path / "rules")) for file in (run.path / "rules").rglob("*.py")}
    inside = {"__init__.py", "numbers.py", "deeper/__init__.py", "deeper/most.py"}
    assert kept == {"game.py", *(f"helpers/{name}" for name in inside)}
    shutil.rmtree(own)
    assert load_run(run.path).form.name == "mine/game.py:game"


def test_what_lies_beside_trusted_rules_is_not_started(own, tmp_path):
    """A file of theirs could stand in for a library, or for what Python has compiled."""
    run = feint.train("cfr+", "mine/game.py:game", steps=5, out=tmp_path / "run")
    mark = tmp_path / "started"
    evil = f"open({str(mark)!r}, 'w')\nPAYS = 3\nMORE = 7\n"
    source = tmp_path / "evil.py"
    source.write_text(evil)
    for name in ("dataclasses.py", "wave.py"):
        (run.path / "rules" / name).write_text(evil)
    cached = Path(importlib.util.cache_from_source(str(run.path / "rules" / "pays.py")))
    py_compile.compile(str(source), str(cached), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    assert load_run(run.path).form.name == "mine/game.py:game"
    assert not mark.exists()
    words = unsealed(run.path / "config.json")
    words["rules"]["game"] = f"../../{source.name}:f"
    (run.path / "config.json").write_bytes(sealed(words))
    resealed(run.path)
    with pytest.raises(feint.BadInput, match="is not among its rules"):
        _ = load_run(run.path, trust=True).form
    assert not mark.exists()


def test_rules_can_be_named_again(own, tmp_path, call, monkeypatch):
    run = feint.train("cfr+", "mine/game.py:game", steps=5)
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path / "elsewhere"))
    assert call("evaluate", str(run.path), "--game", "mine/game.py:game")[0] == 0
    code, _, err = call("evaluate", str(run.path), "--game", "mine/game.py:game(high=5)")
    assert code == 2
    assert "with other rules than mine/game.py:game(high=5) has" in err


def test_a_run_of_a_python_object_is_judged_by_commands_too(own, tmp_path, call, monkeypatch):
    (own / "objects.py").write_text(
        "from dataclasses import dataclass\nfrom feint.games.matrix import *\nfrom feint.games import matrix as m\n"
        "@dataclass(frozen=True)\nclass Mine(type(m.matrix(payoffs=((1, -1), (-1, 1))))):\n    pass\n"
    )
    monkeypatch.syspath_prepend(str(own))
    import objects

    game = objects.Mine(
        **{name: getattr(feint.load_game("matrix"), name) for name in objects.Mine.__dataclass_fields__}
    )
    run = feint.train("cfr+", game, steps=3, out="object")
    assert run.config.rules.game.startswith("objects.py:Mine(")
    assert call("evaluate", "object")[0] == 0

    class Inside(objects.Mine):
        """Nobody can make it from outside."""

    other = Inside(**{name: getattr(game, name) for name in objects.Mine.__dataclass_fields__})
    object.__setattr__(other, "name", "inside")
    run = feint.train("cfr+", other, steps=3, out="inside")
    assert run.config.rules is None
    with pytest.raises(feint.BadInput, match="no game called 'inside'"):
        _ = load_run("inside").form
    assert load_run("inside", game=other).form.name == "inside"


def test_only_one_process_writes_a_run(whole):
    config = load_run(whole).config
    with RunFolder.resume(whole, config):
        with pytest.raises(feint.BadInput, match=rf"is being written by process {os.getpid()} on .*; wait"):
            RunFolder.resume(whole, config)
        with pytest.raises(feint.BadInput, match="is being written by process"):
            RunFolder.create(whole, config, {})
    assert not (whole / "running").exists()
    with RunFolder.resume(whole, config):
        pass


def test_links_are_replaced_and_never_followed(whole, tmp_path, call):
    other = tmp_path / "precious"
    other.write_text("mine")
    for name in ("curve.png.part", "curve.png"):
        (whole / name).unlink(missing_ok=True)
        (whole / name).symlink_to(other)
    assert call("show", str(whole))[0] == 0
    assert not (whole / "curve.png").is_symlink()
    (whole / "metrics.jsonl").rename(whole / "moved")
    (whole / "metrics.jsonl").symlink_to(other)
    with pytest.raises(feint.BadInput, match=r"metrics\.jsonl is a link"):
        feint.train("cfr", "kuhn", steps=12, out=whole, resume=True)
    with pytest.raises(OSError, match="symbolic"):
        append(whole / "metrics.jsonl", "more")
    assert other.read_text() == "mine"


def test_names_do_not_steer_the_terminal(tmp_path, call):
    feint.train("cfr", "kuhn", steps=2, out=tmp_path / "runs" / "\x1b[31mred\x07")
    code, out, _ = call("runs")
    assert code == 0
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "[31mr" in out


def test_a_callback_sees_every_evaluation_and_adds_to_it(tmp_path):
    tree, seen = feint.unroll("kuhn"), []

    def look(now):
        seen.append(now.step)
        assert feint.exploitability(tree, now.strategy) == pytest.approx(now.metrics["exploitability"])
        return {"opens": float(now.strategy.table(tree)[0, 1])}

    run = feint.train("cfr+", "kuhn", steps=5, out=tmp_path / "run", callback=look)
    assert seen == [1, 2, 3, 4, 5]
    assert metrics_of(run.path) == run.metrics
    assert all(0 <= row["opens"] <= 1 for row in run.metrics)


NO_NUMBERS = {
    "taken": {"step": 1.0},
    "seeds": {"seeds": 1.0},
    "hands": {"hands": 1.0},
    "check": {"check": 1.0},
    "winnings": {"winnings": 1.0},
    "words": {"words": "no"},
    "several": {"several": np.ones(2)},
    "complex": {"complex": np.asarray(1j)},
    "truth": {"truth": np.asarray(True)},
    "numbered": {1: 2.0},
    "list": [1.0],
    "number": 1.0,
    "array": np.ones(2),
}


@pytest.mark.parametrize("wrong", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_what_a_callback_may_not_add_is_refused_in_a_sentence(wrong, tmp_path):
    with pytest.raises(feint.BadInput, match="A callback adds numbers under names of their own"):
        feint.train("cfr+", "kuhn", steps=1, out=tmp_path / "run", callback=lambda _: wrong)


def test_a_callback_adds_whatever_is_a_number(tmp_path):
    added = {
        "plain": 0.5,
        "whole": 2,
        "truth": True,
        "numpy": np.float32(0.5),
        "numpy_whole": np.int64(2),
        "array": np.asarray(0.5),
        "jax": jnp.float32(0.5),
        "jax_half": jnp.bfloat16(0.5),
        "jax_whole": jnp.asarray(2),
    }
    run = feint.train("cfr+", "kuhn", steps=1, out=tmp_path / "run", callback=lambda _: added)
    assert {name: run.metrics[-1][name] for name in added} == {name: float(value) for name, value in added.items()}
    assert metrics_of(run.path) == run.metrics
