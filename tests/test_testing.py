"""What `feint.testing` finds: every promise of games and algorithms broken once, and told in a sentence."""

from __future__ import annotations

import dataclasses
import itertools
from functools import cached_property

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

import feint
from conftest import random_games
from feint.solvers.algorithm import Algorithm, Config
from feint.testing import CheckedGame, check_algorithm, check_game
from feint.tree.held import fixed, held


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
    assert " looked at: 2 players, " in str(found)


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


class Counting(Algorithm):
    """Plays uniformly and counts its steps: a sound algorithm, of which each below breaks one promise."""

    table: jax.Array
    fingerprint: str = eqx.field(static=True)

    def init(self, key):
        return {"count": jnp.zeros(()), "noise": jax.random.uniform(key)}

    def step(self, state):
        return {"count": state["count"] + 1.0, "noise": state["noise"]}, {"counted": state["count"]}

    def strategy(self, state):
        return feint.TabularStrategy(self.fingerprint, self.table)


@dataclasses.dataclass(frozen=True)
class Made(Config):
    """An algorithm's settings: which algorithm it is."""

    kind: type

    def on(self, form):
        return self.kind(jnp.asarray(form.tree.uniform()), form.fingerprint)


@jax.custom_batching.custom_vmap
def one_more(count):
    return count + 1.0


@one_more.def_vmap
def _(size, batched, count):
    """Seeds that hear of each other."""
    return count + size, True


calls = itertools.count()


def counted_elsewhere(self, state):
    """A step that depends on how often it was called."""
    number = jax.pure_callback(
        lambda: np.asarray(next(calls), float), jax.ShapeDtypeStruct((), float), vmap_method="sequential"
    )
    return state | {"count": number}, {}


def test_a_sound_algorithm_passes(tree_of):
    check_algorithm(Made(Counting), "kuhn")
    check_algorithm("cfr", "matching_pennies")


@pytest.mark.parametrize(
    ("methods", "sentence"),
    [
        (
            {"init": lambda self, key: {"count": 0.0}},
            r"has 0\.0 for \['count'\] in its state, which is no array of JAX's; make it one\.$",
        ),
        (
            {"step": lambda self, state: (state | {"count": jnp.asarray(1)}, {})},
            r"'s step makes int64\[\] of \['count'\], which was float64\[\]; leave it the same\.$",
        ),
        (
            {"step": lambda self, state: ({"count": state["count"]}, {})},
            r"'s step makes nothing of \['noise'\], which was float64\[\]; leave it the same\.$",
        ),
        (
            {"step": lambda self, state: (state, {"both": jnp.zeros(2)})},
            r"'s step measures both as \(2,\) numbers; give one\.$",
        ),
        (
            {"step": lambda self, state: (state | {"count": np.sqrt(state["count"])}, {})},
            r" cannot be compiled \(TracerArrayConversionError: .*\); mend it\.$",
        ),
        ({"init": lambda self, key: 1 / 0}, r" cannot start \(ZeroDivisionError: division by zero\); mend it\.$"),
        (
            {"step": lambda self, state: (state | {"count": one_more(state["count"])}, {})},
            r" steps otherwise for several seeds at once in a loop \(\['count'\] differs\); let a step depend on its ",
        ),
        (
            {"step": counted_elsewhere},
            r" goes on otherwise from a state that was saved and restored \(\['count'\] differs\); let a step depend",
        ),
    ],
)
def test_an_algorithms_broken_promises_are_told(tree_of, methods, sentence):
    kind = type("Broken", (Counting,), methods)
    with pytest.raises(feint.BadInput, match=f"^Made ?{sentence}"):
        check_algorithm(Made(kind), "kuhn")


def test_unsound_strategies_are_told(tree_of):
    for broken, sentence in {0.9: "must sum to 1", -1.0: "negative"}.items():
        kind = type(
            "Broken",
            (Counting,),
            {"strategy": lambda self, state, by=broken: feint.TabularStrategy(self.fingerprint, by * self.table)},
        )
        with pytest.raises(feint.BadInput, match=sentence):
            check_algorithm(Made(kind), "kuhn")
