"""Trees on disk: written once, read back whole, and never taken for another game's."""

from __future__ import annotations

import sys
import textwrap
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import feint
from feint.games.cards import Deck, high_card
from feint.games.poker import Poker, Round
from feint.tree import cache
from feint.tree import unroll as unrolling


@pytest.fixture
def walks(tmp_path, monkeypatch):
    """A cache that keeps every tree, and the list of games that had to be unrolled."""
    unrolled = []

    def walk(game, *rest):
        unrolled.append(game.name)
        return real(game, *rest)

    real = unrolling.walk
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(unrolling, "WORTH_KEEPING", -1)
    monkeypatch.setattr(unrolling, "walk", walk)
    return unrolled


def kept(tmp_path):
    return list((tmp_path / "cache" / "trees").glob("*"))


@pytest.mark.parametrize("name", ["kuhn", "leduc", "rock_paper_scissors", "open_spiel:kuhn_poker"])
def test_a_tree_comes_back_whole(tmp_path, walks, name):
    first, second = feint.unroll(name), feint.unroll(name)
    assert walks == [name]
    assert [file.suffix for file in kept(tmp_path)] == [".safetensors"]
    assert second.fingerprint == first.fingerprint
    for key, value in vars(first).items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(vars(second)[key], value), key
            assert vars(second)[key].dtype == value.dtype, key
    for key in ("name", "players", "actions", "labels", "views", "spoken"):
        assert getattr(second, key) == getattr(first, key), key
    assert np.array_equal(second.features, first.features)
    assert feint.nash_conv(second, second.uniform()) == feint.nash_conv(first, first.uniform())


def test_cache_can_be_refused(tmp_path, walks):
    feint.unroll("kuhn", cache=False)
    assert not kept(tmp_path)
    feint.unroll("kuhn")
    feint.unroll("kuhn", cache=False)
    assert walks == ["kuhn"] * 3


def test_quick_trees_are_not_kept(tmp_path, walks, monkeypatch):
    monkeypatch.setattr(unrolling, "WORTH_KEEPING", 1e9)
    feint.unroll("kuhn")
    assert not kept(tmp_path)


def test_parameters_make_another_key(tmp_path, walks):
    feint.unroll("kuhn")
    assert feint.unroll("kuhn(players=3)").players == 3
    assert len(walks) == len(kept(tmp_path)) == 2


def test_the_limit_holds_for_kept_trees_too(walks):
    feint.unroll("kuhn")
    with pytest.raises(feint.BadInput, match="more than 57 nodes"):
        feint.unroll("kuhn", limit=57)


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, walks, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path / "file"))
    assert feint.unroll("kuhn").nodes == 58


def test_what_else_is_imported_makes_no_other_key(monkeypatch):
    game = feint.load_game("kuhn")
    key = cache.tree_file(game)
    monkeypatch.delitem(sys.modules, "feint.games.leduc")
    assert cache.tree_file(game) == key


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, walks, monkeypatch):
    tree = feint.unroll("kuhn")
    (file,) = kept(tmp_path)
    data = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    cache.write_tree(file, tree)
    assert [file] == kept(tmp_path)
    assert file.read_bytes() == data


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"not a tree",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: data[:40] + bytes(40) + data[80:],
        lambda data: data[:-2000] + bytes(2000),
    ],
    ids=["empty", "garbage", "half", "cut short", "header", "numbers zeroed"],
)
def test_a_damaged_file_is_unrolled_again(tmp_path, walks, damage):
    expected = feint.unroll("kuhn").fingerprint
    (file,) = kept(tmp_path)
    data = file.read_bytes()
    file.write_bytes(damage(data))
    assert feint.unroll("kuhn").fingerprint == expected
    assert len(walks) == 2
    assert file.read_bytes() == data, "the damaged file was not replaced"


COIN = """
    from feint import TERMINAL, Game

    class Coin(Game):
        players, actions = 2, ("heads", "tails")

        def start(self): return ()
        def actor(self, state): return TERMINAL if state else 0
        def legal(self, state): return [0, 1]
        def chance(self, state): return []
        def play(self, state, action): return (action,)
        def view(self, state, player): return state
        def payoffs(self, state): return [PRIZE * state[0], -PRIZE * state[0]]
"""

SHOWDOWN = """
    from feint.games.cards import Deck
    from feint.games.poker import Poker, Round

    def mine(deck, hole, board): return PRIZE * deck.rank(hole[0])

    def Coin():
        return Poker(deck=Deck("JQK"), ante=1.0, rounds=(Round(raise_by=1, cap=1),), showdown=mine)
"""


def write(path, text, prize):
    path.parent.mkdir(exist_ok=True)
    path.write_text(textwrap.dedent(text).replace("PRIZE", str(prize)))
    return f"{path}:Coin"


def test_edited_rules_are_unrolled_again(tmp_path, walks):
    before = feint.unroll(write(tmp_path / "coin.py", COIN, 1))
    after = feint.unroll(write(tmp_path / "coin.py", COIN, 22))
    assert (before.payoff[2, 0], after.payoff[2, 0]) == (1, 22)
    assert feint.unroll(f"{tmp_path / 'coin.py'}:Coin").fingerprint == after.fingerprint
    assert not kept(tmp_path), "what else such code depends on nobody knows"


@pytest.mark.parametrize("showdown", [lambda *_: 0, partial(high_card)])
def test_a_game_with_code_of_others_is_not_kept(tmp_path, walks, showdown):
    mine = Poker(deck=Deck("JQK"), ante=1.0, rounds=(Round(raise_by=1, cap=1),), showdown=showdown)
    assert feint.unroll(mine).fingerprint == feint.unroll(mine).fingerprint
    assert len(walks) == 2
    assert not kept(tmp_path)
    feint.unroll(replace(mine, showdown=high_card))
    assert len(kept(tmp_path)) == 1


def test_an_edited_showdown_is_unrolled_again(tmp_path, walks):
    before = feint.unroll(write(tmp_path / "coin.py", SHOWDOWN, 1))
    after = feint.unroll(write(tmp_path / "coin.py", SHOWDOWN, -1))
    assert after.fingerprint != before.fingerprint


def test_an_edit_is_noticed_beside_a_file_of_the_same_name(tmp_path, walks):
    for prize in (1, 22):
        game = feint.load_game(write(tmp_path / "mine" / "coin.py", COIN, prize))
        feint.load_game(write(tmp_path / "yours" / "coin.py", COIN, 333))
        assert feint.unroll(game).payoff[2, 0] == prize


def test_compiled_code_is_kept_where_it_can_be(tmp_path, monkeypatch):
    told, values = {}, {"jax_compilation_cache_dir": None}
    config = SimpleNamespace(update=told.__setitem__, values=values)
    monkeypatch.setattr(cache, "jax", SimpleNamespace(config=config))
    (tmp_path / "file").touch()
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path / "file"))
    cache.keep_compiled()
    assert not told, "there is no folder in a file"
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path / "elsewhere"))
    cache.keep_compiled()
    assert told.pop("jax_compilation_cache_dir") == str(tmp_path / "elsewhere" / "compiled")
    told.clear()
    values["jax_compilation_cache_dir"] = "the user's own"
    cache.keep_compiled()
    assert not told
