"""Samples of boards: the interval holds what is exactly known, from the sides that theory says."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.evaluate.exploitability import Exploitability
from feint.evaluate.sampled_boards import SampledBoards
from feint.forms.dealt import CardForm
from feint.forms.library import form_of
from feint.forms.public import PublicForm
from feint.forms.public_strategy import PublicStrategy
from feint.games.cards import Deck, pair_then_rank
from feint.games.library import load_game
from feint.games.poker import Poker, Round
from feint.players.player import StrategyPlayer
from feint.players.simple import Random
from feint.public.boards import Drawn
from feint.public.build import build_public_tree
from feint.public.judge import judge
from feint.public.policy import written_down
from feint.public.sampled import judge_sample, no_plans, sample_size
from feint.runs.config import resolve
from feint.solvers.cfr import ALGORITHMS

GAME = Poker(Deck("6789TJQKA", 2, suits=True), (Round(2, 1), Round(4, 1, board=1)), pair_then_rank, ante=1)
"""One card each and one on the board, of 18: small, and boards matter."""


@pytest.fixture(scope="module")
def form() -> PublicForm:
    found = PublicForm.of(GAME, None)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def solved(form) -> PublicStrategy:
    """After a few iterations, so that best responses have something to plan for."""
    solver = ALGORITHMS["cfr+"].config.on(form)
    state = eqx.filter_jit(lambda key: jax.lax.fori_loop(0, 5, lambda _, s: solver.step(s)[0], solver.init(key)))
    return solver.strategy(state(jax.random.key(0)))


def test_the_interval_holds_what_is_exactly_known(form, solved):
    exact = form.judged(solved, 0)
    known = float((exact.best - exact.values).sum())
    player = StrategyPlayer(solved, form)
    found = [SampledBoards(boards=4, samples=5, seed=seed)(form, player, _silent) for seed in range(20)]
    gaps = [verdict.measures[2] for verdict in found]
    assert {gap.kind for gap in gaps} == {"estimate"}
    assert sum(gap.low <= known <= gap.high for gap in gaps) >= 18
    assert min(gap.high for gap in gaps) < 3 * known  # and says something
    assert "4 of 18 boards" in found[0].note
    per_player, in_big_blinds = found[0].measures[1], found[0].measures[0]
    assert per_player.high == pytest.approx(gaps[0].high / 2)
    assert in_big_blinds.high == pytest.approx(1000 * per_player.high / form.big_blind)


def test_responses_made_for_a_sample_win_too_much_there_and_made_for_another_too_little(form, solved):
    exact = form.judged(solved, 0)
    trees = [build_public_tree(GAME, symmetric=False, drawn=Drawn(3, seed)) for seed in range(40)]
    plans, samples = no_plans(trees[0]), []
    for tree in trees:
        samples.append(judge_sample(tree, solved.policy, plans))
        plans = samples[-1].plans
    values, best, told = (np.array([sample[place] for sample in samples]) for place in range(3))
    off = 3 * best[1:].std(0, ddof=1) / len(best) ** 0.5
    assert (np.abs(values.mean(0) - exact.values) < off).all()
    assert (best.mean(0) > exact.best).all()
    assert (told[1:].mean(0) < exact.best + off).all()
    assert (told[1:].mean(0) < best.mean(0)).all()
    assert (told[1:] <= best[1:] + 1e-9).all()


def test_all_boards_are_no_sample(form, solved):
    tree = build_public_tree(GAME, symmetric=False, drawn=Drawn(18, 0))
    again = judge_sample(tree, solved.policy, no_plans(tree))
    found = judge_sample(tree, solved.policy, again.plans)
    exact = form.judged(solved, 0)
    np.testing.assert_allclose(found.values, exact.values, atol=1e-6)
    np.testing.assert_allclose(found.best, exact.best, atol=1e-6)
    np.testing.assert_allclose(found.told, found.best, atol=1e-12)


def test_boards_drawn_stand_for_all_in_number(form):
    whole = build_public_tree(GAME, symmetric=False)
    drawn = build_public_tree(GAME, symmetric=False, drawn=Drawn(5, 1))
    assert drawn.rounds[1].boards == 5 < whole.rounds[1].boards
    assert float(drawn.rounds[1].weight.sum()) == pytest.approx(float(whole.rounds[1].weight.sum()))
    many = load_game("turn_holdem(ranks=2)")
    size = sample_size(form_of(many).betting)
    tree = build_public_tree(many, symmetric=False, drawn=Drawn(1, 0))
    every = sum(
        stage.zeros(each)[0].size * stage.moves[each] for stage in tree.rounds for each in range(len(stage.moves))
    )
    assert (size.boards, size.cells) == (56, every)


def test_where_there_is_no_room_for_all_boards_samples_of_them_are_judged(form, solved, monkeypatch):
    asked = resolve("dqn", {"encoding": "nfsp"})
    learner = asked.on(form)
    player = StrategyPlayer(learner.strategy(learner.init(jax.random.key(1))), form)
    exact = Exploitability()(form, player, _silent).measures[0]
    assert exact.kind == "exact"
    monkeypatch.setattr("feint.forms.public.lacking", lambda size: 1000)
    measure = Exploitability()(form, player, _silent).measures[1]
    assert measure.kind == "estimate"
    assert measure.low <= exact.value <= measure.high
    # What is written down for the tree is there already.
    assert Exploitability()(form, StrategyPlayer(solved, form), _silent).measures[0].kind == "exact"
    monkeypatch.setattr("feint.public.room.memory", lambda: 1000)
    with pytest.raises(
        feint.BadInput, match=r"^The public tree of 18 boards of .* but 0\.0 GB are free; ask for fewer"
    ):
        Exploitability()(form, player, _silent)


def test_larger_games_are_judged_by_samples_where_one_board_is_quick():
    assert CardForm.of(load_game("turn_holdem"), None).judges == ("winnings", "sampled-boards")
    assert CardForm.of(load_game("holdem"), None).judges == ("winnings", "local-best-response")


@pytest.mark.parametrize(
    ("settings", "game", "words"),
    [
        ({"samples": 2}, "leduc", "^Samples of boards are at least 3"),
        ({"boards": 0}, "leduc", "^Samples of boards are at least 3, of at least 1 board each"),
        ({"seed": -1}, "leduc", "seed=-1 was given"),
        ({}, "kuhn(players=3)", "^Samples of boards are for poker for two"),
        ({}, "rock_paper_scissors", "^Samples of boards are for poker for two"),
    ],
)
def test_what_cannot_be_sampled_is_refused(settings, game, words):
    form = form_of(game)
    player = Random().at(form, 0)
    with pytest.raises(feint.BadInput, match=words):
        SampledBoards(**settings)(form, player, _silent)


@pytest.mark.parametrize("encoding", ["nfsp", "symmetric"])
def test_networks_are_judged_on_their_way_by_a_tree_that_sees_what_they_see(form, encoding):
    """A network that tells suits apart plays boards that differ in them differently."""
    asked = resolve("dqn", {"encoding": encoding})
    learner = asked.on(form)
    strategy = learner.strategy(learner.init(jax.random.key(1)))
    gauge = form.gauge(asked.needs_tree, asked.alike(form))
    exact = form.judged(strategy, 0)
    measured = eqx.filter_jit(gauge)(strategy, jnp.zeros((), int))
    assert float(measured["nash_conv"]) == pytest.approx(float((exact.best - exact.values).sum()), abs=1e-5)
    tree = build_public_tree(GAME, symmetric=True)
    alike = judge(tree, eqx.filter_jit(written_down)(tree, strategy.policy)).nash_conv
    assert (abs(float(alike - measured["nash_conv"])) < 1e-5) == (encoding == "symmetric")


def _silent(words, verdict) -> None:
    pass
