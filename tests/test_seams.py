"""A new form, learner, player or judge is one file, found by its name: here each is written, dropped in and used."""

from __future__ import annotations

import importlib
import json
import sys
import textwrap
from random import Random

import pytest

from feint.forms.library import form_of
from feint.runs.lineup import line_up
from feint.runs.run import load_run
from feint.search.worlds import world_of

FORM = '''
"""A form that keeps its tree to itself: whoever asked which kind of form it has would stumble."""
from feint.forms.form import Form
from feint.forms.unrolled import TreeForm


class Veiled(Form):
    order, exact, judges = -1, True, ("winnings",)

    def __init__(self, form):
        self.inner, self.game, self.players, self.actions = form, form.game, form.players, form.actions
        self.size, self.largest = "as many situations as it has", form.largest

    @classmethod
    def of(cls, game, report):
        return cls(TreeForm.of(game, report)) if game.name.startswith("kuhn") else None

    fingerprint = property(lambda self: "veiled " + self.inner.fingerprint)
    zero_sum = property(lambda self: True)
    arena = property(lambda self: self.inner.arena)
    gauge = property(lambda self: self.inner.gauge)

    def situations(self, player, encoding):
        return self.inner.situations(player, encoding)

    def sees(self, player, view):
        return self.inner.sees(player, view)


FORMS = (Veiled,)
'''

LEARNER = '''
"""Plays the move that it drew at the start, on any form."""
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from feint.arena.policy import Policy
from feint.forms.form import Form
from feint.forms.strategy import Strategy
from feint.solvers.algorithm import Algorithm, Config, Entry, MoveValues


class Leaning(Policy):
    arena: object
    weights: jax.Array

    def __call__(self, infostate, turn):
        rows = jnp.where(self.arena.legal(infostate), jax.nn.softmax(self.weights), 0.0)
        return (rows / rows.sum(1, keepdims=True)).astype(jnp.float32)


class LeaningStrategy(Strategy):
    holds: ClassVar[str] = "how much it likes each move"
    fingerprint: str = eqx.field(static=True)
    leaning: Leaning

    @property
    def policy(self):
        return self.leaning

    def arrays(self):
        return {"weights": np.asarray(self.leaning.weights)}


class State(NamedTuple):
    weights: jax.Array


class Leaner(Algorithm):
    arena: object
    moves: int = eqx.field(static=True)
    rate: float = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key):
        return State(jax.random.normal(key, (self.moves,)))

    def step(self, state):
        return State(state.weights * (1 - self.rate)), {}

    def strategy(self, state):
        return LeaningStrategy(self.fingerprint, Leaning(self.arena, state.weights))

    def move_values(self, state):
        return Liking(state.weights)


class Liking(MoveValues):
    weights: jax.Array

    def best(self, infostate, turn):
        return self.weights.max()[None]


@dataclass(frozen=True)
class Lean(Config):
    """A learner that only leans."""

    needs_tree = False
    rate: float = 0.5
    """How fast it straightens up."""

    def on(self, form: Form):
        return Leaner(form.arena, len(form.actions), self.rate, form.fingerprint)

    def read(self, arrays, fingerprint, form):
        return LeaningStrategy(fingerprint, Leaning(form().arena, jnp.asarray(arrays["weights"])))


ALGORITHMS = {"lean": Entry("Leans one way, and straightens up.", Lean())}
'''

PLAYER = '''
"""Remembers the hand and thinks about it; has no strategy."""
from dataclasses import dataclass
from typing import ClassVar

from feint.players.player import Player, PlayerConfig


class Cautious(Player):
    def __init__(self, nerves):
        self.nerves, self.raises = nerves, 0

    def begin(self, player, told):
        self.raises = 0

    def heard(self, player, word):
        self.raises += word in ("bet", "raise")

    def move(self, seen):
        return seen.moves["fold"] if self.raises > self.nerves and "fold" in seen.moves else min(
            move for word, move in seen.moves.items() if word != "fold")


@dataclass(frozen=True)
class CautiousConfig(PlayerConfig):
    about: ClassVar[str] = "Folds once others have raised too often."
    nerves: int = 1

    def at(self, form, seed):
        return Cautious(self.nerves)


PLAYERS = {"cautious": CautiousConfig()}
'''

JUDGE = '''
"""How often a strategy would rather move on."""
from dataclasses import dataclass
from typing import ClassVar

from feint.evaluate.measure import EXACT, Judge, Measure, Verdict, strategy_of


@dataclass(frozen=True)
class Patience(Judge):
    about: ClassVar[str] = "The mean probability of a move, everywhere."
    move: str = "call"

    def __call__(self, form, player, follow):
        tree = form.whole("patience")
        table = strategy_of(player).table(tree)
        column = tree.actions.index(self.move)
        return Verdict((Measure("patience", float(table[:, column].mean()), "probability", EXACT),))


JUDGES = {"patience": Patience()}
'''


@pytest.fixture
def drop(tmp_path, monkeypatch):
    """Drop a file into one of Feint's folders, for the length of a test."""

    def into(package, text):
        folder = tmp_path / "dropped" / package
        folder.mkdir(parents=True)
        (folder / f"dropped_{package}.py").write_text(textwrap.dedent(text))
        module = importlib.import_module(f"feint.{package}")
        monkeypatch.setattr(module, "__path__", [*module.__path__, str(folder)])
        monkeypatch.delitem(sys.modules, f"feint.{package}.dropped_{package}", raising=False)

    yield into
    for name in [name for name in sys.modules if ".dropped_" in name]:
        del sys.modules[name]


def test_a_third_form_is_one_file(drop, call, monkeypatch):
    """Trained on, judged, played in matches and at a table: nobody asks which kind of form it is."""
    drop("forms", FORM)
    settings = ("--set", "tables=16", "--set", "network.hidden=8")
    code, out, err = call("train", "dqn", "kuhn", "--steps", "2", *settings, "--out", "run", "--json")
    assert code == 0, err
    assert json.loads(out)["exploitability"] > 0
    code, out, err = call("evaluate", "run", "--hands", "64", "--json")
    assert code == 0, err
    assert set(json.loads(out)["judges"]) == {"winnings"}
    code, out, err = call("match", "run", "random", "--hands", "64", "--json")
    assert code == 0, err
    assert json.loads(out)["exact"] is None
    monkeypatch.setattr("builtins.input", lambda *_: "q")
    assert call("play", "run")[0] == 0
    assert call("show", "run")[0] == 0
    code, _, err = call("train", "cfr", "kuhn", "--steps", "2")
    assert code == 2
    assert err.startswith("feint: cfr needs the whole tree, and kuhn is too large to unroll; use one of ")


def test_a_learner_is_one_file_on_every_form(drop, call):
    drop("learners", LEARNER)
    for game in ("kuhn", "holdem"):
        code, out, err = call("train", "lean", game, "--steps", "3", "--set", "rate=0.25", "--out", game, "--json")
        assert code == 0, err
        code, out, err = call("match", game, "random", "--game", game, "--hands", "64", "--json")
        assert code == 0, err
        assert json.loads(out)["hands"] == 64
    assert call("show", "kuhn")[0] == 0
    # What it knows of moves is asked for by whoever searches, though nobody there has heard of it.
    searcher = line_up(("ismcts(values=kuhn, simulations=1)",), "kuhn", seed=0).players[0]
    liked, begun = float(load_run("kuhn").strategy.leaning.weights.max()), world_of(form_of("kuhn")).fresh(Random(0))
    assert searcher._values(begun) == pytest.approx((liked, -liked))


def test_a_player_is_one_file(drop, call):
    drop("players", PLAYER)
    code, out, err = call("match", "cautious(nerves=0)", "raise", "--game", "kuhn", "--hands", "200", "--json")
    assert code == 0, err
    # It folds to every bet and never bets, so that it loses its ante in every hand.
    assert json.loads(out)["winnings"] == -1000
    code, out, err = call("evaluate", "cautious(nerves=0)", "--game", "kuhn", "--hands", "200", "--json")
    assert code == 0, err
    assert json.loads(out)["judges"]["winnings"]["winnings"]["hands"] == 200
    code, _, err = call("evaluate", "cautious", "--game", "kuhn", "--judge", "exploitability")
    assert (code, "decides hand by hand" in err) == (2, True)
    code, out, err = call("league", "cautious", "random", "raise", "--game", "kuhn", "--hands", "100", "--json")
    assert code == 0, err
    assert len(json.loads(out)["matches"]) == 6
    assert "cautious" in call("players")[1]


def test_a_judge_is_one_file(drop, call):
    drop("evaluate", JUDGE)
    code, out, err = call("evaluate", "feint:kuhn", "--judge", "patience(move=raise)", "--judge", "dominance", "--json")
    assert code == 0, err
    found = json.loads(out)["judges"]
    assert 0 < found["patience(move=raise)"]["patience"]["value"] < 1
    assert found["dominance"]["dominated"]["kind"] == "exact"
    assert "patience" in call("judges")[1]
    code, _, err = call("evaluate", "feint:kuhn", "--judge", "patient")
    assert (code, err) == (2, "feint: There is no judge called 'patient'; did you mean patience?\n")
