"""What the studio's pages show is made of: every two cards asked at once, charts, and work that is done aside."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.arena.policy import Policy, Uniform
from feint.forms.library import form_of
from feint.forms.strategy import PolicyStrategy
from feint.games.errors import BadInput
from feint.report.picture import starting_hands
from feint.report.starting_hands import kinds_of_hands
from feint.studio.comparing import kinds_apart
from feint.studio.later import Later
from feint.studio.strategies import Book


class ByCards(Policy):
    """Plays by its cards in a way that nothing else does."""

    legal: jax.Array

    def __call__(self, infostate, turn):
        seen = jnp.minimum(infostate.cards, 60).astype(jnp.float32)
        weights = 1 + jnp.stack([seen[:, 0], seen[:, 1] * 2, seen[:, 0] * seen[:, 1] % 17 + seen[:, 2:].sum(1)], 1)
        weights = weights * self.legal[infostate.node.astype(jnp.int32)]
        return weights / weights.sum(1, keepdims=True)


@pytest.fixture(scope="module")
def hands():
    form = form_of("flop_holdem(ranks=5)")
    strategy = PolicyStrategy(form.fingerprint, ByCards(jnp.asarray(form.betting.legal)))
    return form, strategy, Book("hands", form, strategy)


def test_every_two_cards_are_asked_at_once(hands):
    form, strategy, book = hands
    assert book.has_combinations
    told = book.combinations("call check / bet", "TcJdQs")
    rows = dict(told.rows())
    assert len(rows) == 17 * 16 // 2
    for cards in ("AhKh", "AsAh", "TsJs"):
        name = next(name for name in (cards, cards[2:] + cards[:2]) if name in rows)
        answer = feint.ask(strategy, cards, "TcJdQs", "call check / bet", game=form.game)
        assert rows[name] == pytest.approx(answer.moves, abs=1e-6)
    kinds = {kind.name: kind for kind in told.kinds()}
    assert (kinds["AKs"].left, kinds["QQ"].left, kinds["QJo"].left, kinds["QJs"].left) == (4, 3, 7, 2)
    means = [rows[name] for name in rows if {name[0], name[2]} == {"A", "K"} and name[1] == name[3]]
    assert kinds["AKs"].chances[told.moves["raise"]] == pytest.approx(np.mean([each["raise"] for each in means]))
    other = Book("other", form, PolicyStrategy(form.fingerprint, Uniform(form.arena)))
    apart = kinds_apart(told, other.combinations("call check / bet", "TcJdQs"))
    assert len(apart) == sum(kind.left > 0 for kind in kinds.values())
    (pair,) = (each for each in apart if each.name == "AKs")
    assert pair.first == pytest.approx(told.told(kinds["AKs"].chances))
    assert pair.second == pytest.approx(dict.fromkeys(pair.first, 1 / 3))
    assert pair.apart == pytest.approx(sum(abs(often - 1 / 3) for often in pair.first.values()) / 2)
    for board, words in (("TcJd", "2 were given"), ("TcTcQs", "twice"), ("TcJdXx", "is no card"), ("", "none was")):
        with pytest.raises(BadInput, match=words):
            book.combinations("call check / bet", board)


def test_the_chart_before_the_flop_is_the_report_s(hands):
    form, strategy, book = hands

    betting, told, _ = starting_hands(SimpleNamespace(strategy=strategy), form, "raise")
    wanted = {name: (place, shares) for name, place, shares in kinds_of_hands(betting, told)}
    for kind in book.combinations("raise", "").kinds():
        place, shares = wanted[kind.name]
        assert (kind.row, kind.column) == place
        np.testing.assert_allclose(kind.chances, shares, atol=1e-6)


def test_work_done_aside_is_begun_once_and_told():
    later, go, begun = Later(), threading.Event(), []

    def slow():
        begun.append(1)
        go.wait(10)
        return "done"

    assert later.soon("slow", slow, 0.01) is None
    assert later.soon("slow", slow, 0.01) is None
    go.set()
    assert later.soon("slow", slow, None) == "done"
    assert len(begun) == 1

    def wrong():
        raise BadInput("That cannot be.")

    with pytest.raises(BadInput, match="cannot be"):
        later.soon("wrong", wrong, None)
