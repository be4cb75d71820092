"""States that rules change in place, which nobody may, are found by `feint.testing` and not unrolled."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import pytest

import feint
from feint.testing import check_game
from feint.tree.held import fixed, held
from test_testing import Coin


class Moves:
    """A state as newcomers write it: an object with a list."""

    def __init__(self, moves=()):
        self.moves = list(moves)

    @cached_property
    def length(self):
        """Kept in the state when it is first asked for, which is no change."""
        return len(self.moves)


@dataclasses.dataclass
class SlottedMoves:
    __slots__ = ("moves",)
    moves: list


class Objects(Coin):
    """The same game with such states, which are left as they are."""

    kind = Moves

    def start(self):
        return self.kind([])

    def actor(self, state):
        return super().actor(state.moves)

    def chance(self, state):
        return [(0.5, self.kind([0])), (0.5, self.kind([1]))]

    def play(self, state, action):
        return self.kind(list(super().play(tuple(state.moves), action)))

    def view(self, state, player):
        return super().view(tuple(state.moves), player)

    def payoffs(self, state):
        return super().payoffs(state.moves)


class Lazy(Objects):
    def view(self, state, player):
        return super().view(state, player) + (state.length,) * 0


@pytest.mark.parametrize("kind", [Moves, SlottedMoves])
def test_states_may_be_objects_that_nobody_changes(kind):
    assert check_game(type("Kind", (Lazy if kind is Moves else Objects,), {"kind": kind})()).states == 15


def appended(self, state, action):
    """The move, put into the state in place."""
    Coin.play(self, (), action)
    state.moves.append(action)
    return state


def appended_and_copied(self, state, action):
    return self.kind(appended(self, state, action).moves)


def appended_before_refused(self, state, action):
    state.moves.append(action)
    return Objects.play(self, state, action)


def sorted_legal(self, state):
    state.moves.sort()
    return [0, 1]


def noting_view(self, state, player):
    state.looks = getattr(state, "looks", 0) + 1
    return Objects.view(self, state, player)


def hidden_list(self, state, action):
    """Shared with the state before, and in no view: only a look into the state can tell."""
    after = Objects.play(self, state, action)
    after.log = state.__dict__.setdefault("log", [])
    after.log.append({"move": action})
    return after


def dealt_from(self, state):
    """The deck, not put back: it has fewer cards the next time."""
    state.moves.append("dealt")
    return Objects.chance(self, state)


CHANGING = pytest.mark.parametrize(
    ("kind", "question", "method"),
    [
        *((kind, "play", method) for kind in (Moves, SlottedMoves) for method in (appended, appended_and_copied)),
        (SlottedMoves, "play", appended_before_refused),
        (Moves, "legal", sorted_legal),
        (Moves, "view", noting_view),
        (Moves, "play", hidden_list),
        (Moves, "chance", dealt_from),
    ],
)


@CHANGING
def test_states_changed_in_place_are_told(kind, question, method):
    game = type("Changing", (Objects,), {"kind": kind, question: method})()
    words = rf"^coin changes the state that {question} is asked about; leave it as it is, and let play return another "
    with pytest.raises(feint.BadInput, match=words + r"\(seen a.*\)\.$"):
        check_game(game)


@CHANGING
def test_states_changed_in_place_are_not_unrolled(kind, question, method):
    game = type("Changing", (Objects,), {"kind": kind, question: method})()
    sentence = r"^coin changes a state in place \(.*\), .*; leave .*, and let play and chance return new ones\.$"
    with pytest.raises(feint.BadInput, match=sentence):
        feint.unroll(game)


@pytest.mark.parametrize("kind", [Moves, SlottedMoves])
def test_states_that_could_be_changed_and_are_not_are_unrolled(kind):
    tree = feint.unroll(type("Kind", (Lazy if kind is Moves else Objects,), {"kind": kind})())
    assert tree.fingerprint == feint.unroll(Coin()).fingerprint


def test_what_can_change_is_told_from_what_cannot():
    """However deep it is: states may be chains of all the states before them."""
    chain = ()
    for move in range(5000):
        chain = (chain, move)
    frozen = dataclasses.make_dataclass("Frozen", ["moves"], frozen=True)
    assert fixed(chain, None)
    assert fixed(frozen((chain, 1.5, frozenset({"a"}))), None)
    assert not fixed(frozen([1]), None)
    assert not fixed((1, (2, {})), None)
    known = [1]
    assert fixed((known, 2), known)
    assert held([chain]) == held([chain])
    assert held([chain, float("nan")]) == held([chain, float("nan")]) != held([chain, 1.0])
    assert held([[1], 2]) != held([[1, 2]])


def test_rules_that_remember_what_was_asked_are_told():
    """A state that is only a number, the hand itself being kept in the rules."""

    class Remembering(Coin):
        def __init__(self):
            self.hand = ()

        def play(self, state, action):
            self.hand = super().play(state, action)
            return self.hand

        def legal(self, state):
            return [0, 1] if len(self.hand) < 2 else [0]

    with pytest.raises(feint.BadInput, match=r"^coin changes the state that play is asked about; .* \(seen after"):
        check_game(Remembering())
