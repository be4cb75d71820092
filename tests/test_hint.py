"""Learners on games of middle size are told what does better there, and have a preset for them."""

from __future__ import annotations

import pytest

from feint.forms.library import form_of
from feint.learners.nfsp import MEDIUM, NFSP
from feint.learners.q_learning import QLearning
from feint.solvers.cfr import CFR

MIDDLE = "holdem(ranks=2,rounds=2)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "told", "not_told"),
    [
        pytest.param(NFSP(), "--preset medium", None, marks=pytest.mark.slow),
        pytest.param(MEDIUM, "cfr+", "--preset", marks=pytest.mark.slow),
        (QLearning(), "cfr+", "--preset"),
    ],
)
def test_a_solver_or_minibatches_are_named(config, told, not_told):
    words = config.hint(form_of(MIDDLE))
    assert f"{MIDDLE} has 39,424 information sets; sooner done with " in words
    assert "cfr+" in words
    assert told in words
    assert not_told is None or not_told not in words


@pytest.mark.slow
def test_nothing_is_said_where_nothing_is_to_be_said():
    assert NFSP().hint(form_of("leduc")) is None, "small enough"
    assert CFR().hint(form_of(MIDDLE)) is None, "a solver already"
    assert MEDIUM.hint(form_of("holdem")) is None, "no solver takes it"
    assert MEDIUM.hint(form_of("leduc(players=3)")) is None, "no solver need find an equilibrium for three"
    assert "--preset medium" in NFSP().hint(form_of("leduc(players=3)"))


@pytest.mark.slow
def test_the_preset_asks_at_the_tables_alone():
    assert not MEDIUM.on(form_of(MIDDLE)).asking.everywhere
    assert NFSP().on(form_of(MIDDLE)).asking.everywhere
