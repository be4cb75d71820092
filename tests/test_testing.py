"""What `feint.testing` finds: every promise of games and algorithms broken once, and told in a sentence."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

import feint
from conftest import random_games
from feint.testing import CheckedGame, check_game


class Coin(feint.Game):
    """Chance shows the first player a coin, and both call it: sound rules, of which each game below breaks one."""

    name, players, actions = "coin", 2, ("heads", "tails", "edge")

    def start(self):
        return ()

    def actor(self, state):
        return (feint.CHANCE, 0, 1, feint.TERMINAL)[len(state)]

    def legal(self, state):
        return [0, 1]

    def chance(self, state):
        return [(0.5, (0,)), (0.5, (1,))]

    def play(self, state, action):
        if action not in (0, 1):
            raise feint.IllegalMove(f"Move {action} is not legal here.")
        return (*state, action)

    def view(self, state, player):
        return state if player == 0 else state[2:]

    def payoffs(self, state):
        won = 1.0 if state[1] == state[2] else -1.0
        return [won, -won]


class Thrice(Coin):
    """The first player calls once more at the end."""

    def actor(self, state):
        return (feint.CHANCE, 0, 1, 0, feint.TERMINAL)[len(state)]


def test_sound_rules_are_reported():
    found = check_game(Coin())
    assert found == CheckedGame("coin", 2, 15, True, 3, 3, True)
    assert str(found) == (
        "coin keeps its promises in all its 15 states: 2 players, 3 information sets, hands of up to 3 moves, zero-sum."
    )
    assert check_game("kuhn").infosets == 12


def test_games_with_more_states_are_played_to_the_end_too():
    found = check_game("leduc", limit=200)
    assert not found.complete
    assert found.longest > 6
    assert " in the " in str(found)
    assert re.search(r" looked at: 2 players, [\d,]+ information sets among them, hands of", str(found))


def test_a_game_that_is_not_zero_sum_says_so():
    class Gift(Coin):
        def payoffs(self, state):
            return [1.0, 1.0]

    assert not check_game(Gift()).zero_sum
    assert str(check_game(Gift())).endswith(", not zero-sum.")


@settings(max_examples=8)
@given(random_games(players=(1, 2, 3)))
def test_random_games_are_sound(game):
    found = check_game(game)
    assert found.complete
    assert found.states == feint.unroll(game).nodes


def breaks(sentence, base=Coin, **methods):
    """A game with some methods changed, and what is said of it."""
    return pytest.param(type("Broken", (base,), methods | {"__module__": __name__})(), sentence, id=sentence[:40])


@pytest.mark.parametrize(
    ("game", "sentence"),
    [
        breaks(
            r"has \('heads', 'heads', 'edge'\) for its actions; give their names, no two alike\.$",
            actions=("heads", "heads", "edge"),
        ),
        breaks(r"has 0 for its players; give how many there are\.$", players=0),
        breaks(
            r"gives 7 as the player to move; give one of 0 to 1, CHANCE or TERMINAL \(seen after outcome 0\)\.$",
            actor=lambda self, state: 7 if state else feint.CHANCE,
        ),
        breaks(
            r"gives player 2 the view \[\], which has no hash \(.*\); make views of tuples, numbers and words "
            r"\(seen after outcome 0, at '\(0,\)'\)\.$",
            view=lambda self, state, player: state if player == 0 else [],
        ),
        breaks(
            r"lets player 1 forget: the view 'coin' follows different moves of theirs; .*"
            r"\(seen after outcome 0, heads, heads, at 'coin'\)\.$",
            base=Thrice,
            view=lambda self, state, player: "coin",
        ),
        breaks(
            r"offers player 2 different moves in states with one view, '\(\)'; give the states different views "
            r"\(seen after outcome 1, heads, at '\(\)'\)\.$",
            legal=lambda self, state: [0, 1] if state[0] == 0 or len(state) == 1 else [0],
        ),
        breaks(
            r"offers player 1 the moves \[1, 0\]; give numbers of its 3 actions, each once and in order \(seen after",
            legal=lambda self, state: [1, 0],
        ),
        breaks(r"offers player 1 the moves \['a', 'b'\]; give numbers", legal=lambda self, state: ["a", "b"]),
        breaks(r"offers player 1 the moves \[0, 0\]; give numbers", legal=lambda self, state: [0, 0]),
        breaks(r"offers player 1 the moves \[0, 3\]; give numbers", legal=lambda self, state: [0, 3]),
        breaks(r"gives player 1 no legal move at \(0,\); end the game there", legal=lambda self, state: []),
        breaks(
            r"plays on after the move -1, where only \[0, 1\] are legal; raise IllegalMove \(seen after outcome 0, at",
            play=lambda self, state, action: (*state, action),
        ),
        breaks(
            r"raises IndexError after the move 3, where only \[0, 1, 2\] are legal; raise IllegalMove",
            legal=lambda self, state: [0, 1, 2],
            play=lambda self, state, action: (*state, (0, 1, 0)[action]) if action >= 0 else Coin.play(self, 0, -1),
            payoffs=lambda self, state: [0.0, 0.0],
        ),
        breaks(
            r"has a chance move whose probabilities sum to 0\.9, not 1 \(seen at the start\)\.$",
            chance=lambda self, state: [(0.5, (0,)), (0.4, (1,))],
        ),
        breaks(r"has a chance move whose .* sum to 0, not 1", chance=lambda self, state: []),
        breaks(
            r"has a chance move with an outcome of probability 0; leave that out \(seen at the start\)\.$",
            chance=lambda self, state: [(1.0, (0,)), (0.0, (1,))],
        ),
        breaks(
            r"has a chance move with a probability below 0; give none below \(seen at the start\)\.$",
            chance=lambda self, state: [(1.5, (0,)), (-0.5, (1,))],
        ),
        breaks(
            r"has 2 players but pays 1: \(0\.0,\) \(seen after outcome 0, heads, heads\)\.$",
            payoffs=lambda self, state: [0.0],
        ),
        breaks(
            r"pays \(inf, 0\.0\); give numbers \(seen after outcome 0, heads, heads\)\.$",
            payoffs=lambda self, state: [float("inf"), 0.0],
        ),
        breaks(r"pays \(nan, 0\.0\); give numbers", payoffs=lambda self, state: [float("nan"), 0.0]),
        breaks(
            r"labels two views of player 1 alike, \(0,\) and \(1,\) both 'coin'; give each a label of its own\.$",
            label=lambda self, state, player: "coin",
        ),
        breaks(r"labels the view \(0,\) of player 1 with ''; give words", label=lambda self, state, player: ""),
        breaks(
            r"gives views different numbers of features, 0 and 1; give all of them equally many\.$",
            features=lambda self, state, player: [1.0] * (player == 0),
        ),
        breaks(
            r"gives views different numbers of features, 1 and None; give",
            features=lambda self, state, player: [1.0] if player else None,
        ),
        breaks(r"gives features that are not finite; give numbers", features=lambda self, *seen: [float("nan")]),
        breaks(
            r"calls two of player 1's moves alike, \['call', 'call'\]; give each a word of its own \(seen after",
            spoken=lambda self, state, action: "call",
        ),
        breaks(
            r"has no decisions: nobody ever moves, so there is nothing to solve\.$",
            actor=lambda self, state: feint.TERMINAL if state else feint.CHANCE,
            payoffs=lambda self, state: [0.0, 0.0],
        ),
        breaks(
            r"says that it unrolls to 15 nodes and 4 information sets, but 15 and 3 were met; mend its unrolled_size",
            unrolled_size=lambda self: (15, 4),
        ),
        breaks(
            r"cannot be unrolled \(ZeroDivisionError: .*, line \d+\); mend its rules \(seen after outcome 0, heads, he",
            payoffs=lambda self, state: [1 / 0],
        ),
        breaks(r"cannot be unrolled \(TypeError: .*\); mend its rules \(seen at the start\)", start=lambda self: 3),
    ],
)
def test_broken_promises_are_told(game, sentence):
    with pytest.raises(feint.BadInput, match="^coin " + sentence) as caught:
        check_game(game)
    assert str(caught.value).endswith(".")


def test_a_hand_without_an_end_is_told(monkeypatch):
    class Endless(Coin):
        def actor(self, state):
            return len(state) % 2

        def view(self, state, player):
            return state

    monkeypatch.setattr("feint.testing.rules.LONGEST", 100)
    with pytest.raises(
        feint.BadInput, match=r"^coin has a hand of more than 100 moves; let every hand come to an end\.$"
    ):
        check_game(Endless(), limit=100)


def test_too_small_a_size_is_told_before_all_is_seen():
    game = type("Small", (Coin,), {"unrolled_size": lambda self: (9, 3)})()
    with pytest.raises(feint.BadInput, match=r"^coin says that it unrolls to 9 nodes .*, but 11 and 3 were met"):
        check_game(game, limit=10)
