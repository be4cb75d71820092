"""`feint check`: what it says of rules, sound and broken."""

from __future__ import annotations

import functools
import json

import pytest

import feint

COIN = """
import feint

class Coin(feint.Game):
    players, actions = 2, ("heads", "tails")

    def start(self):
        return []

    def actor(self, state):
        return (feint.CHANCE, 0, 1, feint.TERMINAL)[len(state)]

    def legal(self, state):
        return [0, 1]

    def chance(self, state):
        return [(0.5, [0]), (0.5, [1])]

    def play(self, state, action):
        if action not in (0, 1):
            raise feint.IllegalMove(f"Move {action} is not legal here.")
        return [*state, action]

    def view(self, state, player):
        return tuple(state) if player == 0 else tuple(state[2:])

    def payoffs(self, state):
        return [3.0, -1.0] if state[1] == state[2] else [-1.0, 1.0]

class Appending(Coin):
    def play(self, state, action):
        super().play(state, action)
        state.append(action)
        return state

class Forgetful(Coin):
    def actor(self, state):
        return (feint.CHANCE, 0, 0, feint.TERMINAL)[len(state)]

    def view(self, state, player):
        return len(state)

class Lossy(Coin):
    def chance(self, state):
        return [(0.5, [0]), (0.4, [1])]
"""


@pytest.fixture
def check(call, tmp_path):
    """Check a game of that file, or another."""
    (tmp_path / "mine.py").write_text(COIN)
    return lambda game, *words: call("check", f"mine.py:{game}" if game[0].isupper() else game, *words)


def test_sound_rules_are_told_with_sizes_and_hands(check):
    code, out, _ = check("Coin", "--hands", "2")
    assert code == 0
    assert "mine.py:Coin keeps its promises in all its 15 states: 2 players, 3 information sets" in out
    assert "-1 to 3 chips, not zero-sum" in out
    assert "player 1: 2, player 2: 1" in out
    assert out.count("at random:") == 2
    assert "player 1 sees '(" in out
    assert "player 1 +3, player 2 -1" in out or "player 1 -1, player 2 +1" in out


def test_machines_are_told_the_same(check):
    code, out, _ = check("Coin", "--json", "--hands", "1")
    found = json.loads(out)
    assert code == 0
    assert {key: found[key] for key in ("states", "complete", "players", "nodes", "information_sets", "longest")} == {
        "states": 15,
        "complete": True,
        "players": 2,
        "nodes": 15,
        "information_sets": [2, 1],
        "longest": 3,
    }
    assert (found["payoffs"], found["zero_sum"], found["moves"]) == ([-1.0, 3.0], False, ["heads", "tails"])
    assert "cfr+" in found["algorithms"]
    assert not {"linear-program", "fictitious-play"} & set(found["algorithms"])
    assert len(found["hands"]) == 1
    assert "linear-program" in json.loads(check("kuhn", "--json")[1])["algorithms"]


def test_what_only_play_is_for_is_told(check):
    _, out, _ = check("holdem", "--json", "--states", "20", "--hands", "1")
    found = json.loads(out)
    assert not found["complete"]
    assert "nfsp" in found["algorithms"]
    assert "cfr+" not in found["algorithms"]
    assert "local-best-response" in found["judges"]


def test_sound_rules_that_are_too_large_say_so(check, monkeypatch):
    monkeypatch.setattr("feint.forms.unrolled.unroll", functools.partial(feint.unroll, limit=10))
    code, out, _ = check("Coin")
    assert code == 0
    assert "Nothing can be run on it: mine.py:Coin has more than 10 nodes" in out


@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        ("Appending", "changes the state that play is asked about; leave it as it is, and let play return another"),
        ("Forgetful", "lets player 1 forget"),
        ("Lossy", "has a chance move whose probabilities sum to 0.9, not 1"),
        ("Absent", "has no function or class called 'Absent'"),
    ],
)
def test_broken_rules_are_a_sentence(check, game, sentence):
    code, out, err = check(game)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_numbers_that_make_no_sense_are_refused(check):
    assert check("Coin", "--hands", "-1")[2] == "feint: hands must be 0 or more, but --hands -1 was given.\n"
    assert check("Coin", "--states", "0")[2] == "feint: states must be 1 or more, but --states 0 was given.\n"
