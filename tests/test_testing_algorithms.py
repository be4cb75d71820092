"""What `feint.testing` finds of algorithms: every promise broken once, and told in a sentence."""

from __future__ import annotations

import dataclasses
import itertools
import types

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.arena.policy import TabularPolicy
from feint.solvers.algorithm import Algorithm, Config
from feint.testing import check_algorithm


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


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        (lambda table: TabularPolicy(table[:, :2]), r"reads another .* \(.* is \(12, 3\) in one and \(12, 2\) in the"),
        (lambda table: {"mine": table}, r"reads another .* is \(12, 3\) in one and not there in the other\); make"),
        (lambda table: TabularPolicy(table[::-1]), r"reads another strategy than it stored \(\.probabilities diff"),
        (lambda table: {}["table"], r"cannot read back what it stored \(KeyError: 'table'\); mend it\.$"),
    ],
)
def test_strategies_that_are_read_otherwise_are_told(tree_of, policy, sentence):
    class Misread(Made):
        def read(self, arrays, fingerprint, form):
            (table,) = arrays.values()
            return types.SimpleNamespace(policy=policy(jnp.asarray(table)))

    class Uneven(Counting):
        def strategy(self, state):
            rows = self.table * jnp.linspace(0.5, 1.5, 12)[:, None] * jnp.array([1.0, 2.0, 3.0])
            return feint.TabularStrategy(self.fingerprint, rows / rows.sum(1, keepdims=True))

    with pytest.raises(feint.BadInput, match=f"^Misread {sentence}"):
        check_algorithm(Misread(Uneven), "kuhn")


def test_unsound_strategies_are_told(tree_of):
    for broken, sentence in {0.9: "must sum to 1", -1.0: "negative"}.items():
        kind = type(
            "Broken",
            (Counting,),
            {"strategy": lambda self, state, by=broken: feint.TabularStrategy(self.fingerprint, by * self.table)},
        )
        with pytest.raises(feint.BadInput, match=sentence):
            check_algorithm(Made(kind), "kuhn")
