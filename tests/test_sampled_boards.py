"""Samples of boards: the interval holds what is exactly known, from the sides that theory says."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from math import comb
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Float

import feint
from feint.arena.arena import Arena
from feint.arena.betting import unroll_betting
from feint.arena.cards import build_card_arena
from feint.arena.policy import Policy, Uniform
from feint.evaluate import sampled_boards
from feint.evaluate.exploitability import Exploitability
from feint.evaluate.sampled_boards import SampledBoards
from feint.forms.dealt import CardForm
from feint.forms.library import form_of
from feint.forms.public import PublicForm
from feint.forms.public_strategy import PublicStrategy
from feint.forms.strategy import PolicyStrategy
from feint.games.cards import Deck, pair_then_rank
from feint.games.library import load_game
from feint.games.poker import Poker, Round
from feint.players.player import StrategyPlayer
from feint.players.simple import Random
from feint.public import boards
from feint.public.boards import Drawn
from feint.public.build import build_public_tree
from feint.public.combinations import choices_of, chosen
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
    told = found[0].as_json()
    assert list(told) == ["exploitability", "exploitability_mbb", "nash_conv", "note"]
    per_player, in_big_blinds = told["exploitability"], told["exploitability_mbb"]
    assert (per_player["unit"], in_big_blinds["unit"]) == ("chips per hand", "mbb/h")
    assert per_player["high"] == pytest.approx(gaps[0].high / 2)
    assert in_big_blinds["high"] == pytest.approx(1000 * per_player["high"] / form.big_blind)


def test_responses_made_for_a_sample_win_too_much_there_and_made_for_another_too_little(form, solved):
    exact = form.judged(solved, 0)
    trees = [build_public_tree(GAME, drawn=Drawn(3, seed)) for seed in range(40)]
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
    tree = build_public_tree(GAME, drawn=Drawn(18, 0))
    again = judge_sample(tree, solved.policy, no_plans(tree))
    found = judge_sample(tree, solved.policy, again.plans)
    exact = form.judged(solved, 0)
    np.testing.assert_allclose(found.values, exact.values, atol=1e-6)
    np.testing.assert_allclose(found.best, exact.best, atol=1e-6)
    np.testing.assert_allclose(found.told, found.best, atol=1e-12)


@final
class Odd(Policy):
    """Plays every hand on every board differently, suits included."""

    arena: Arena

    def __call__(self, infostate, turn):
        seen = (infostate.cards * (1 + jnp.arange(infostate.cards.shape[1]))).sum(1) + 3.7 * infostate.node
        legal = Uniform(self.arena)(infostate, turn)
        told = legal * (1.1 + jnp.sin(seen[:, None] * (1 + jnp.arange(legal.shape[1]))))
        return (told / told.sum(1, keepdims=True)).astype(jnp.float32)


SHAPES = {
    "a second deal": (5, 1, (Round(2, 1), Round(4, 1, board=1), Round(4, 1, board=1))),
    "a board at the start": (5, 1, (Round(2, 1, board=1), Round(4, 1, board=1))),
    "two cards at the start": (3, 1, (Round(2, 2, board=2),)),
    "raked, two rounds before the deal": (5, 1, (Round(2, 1), Round(2, 1), Round(4, 1, board=1))),
    "two cards each": (4, 2, (Round(2, 2), Round(4, 1, board=1))),
}
"""Ranks, of which there are two each, cards for each player, and rounds."""


@pytest.mark.parametrize("shape", SHAPES)
def test_all_samples_of_one_board_are_the_whole_game_in_the_mean(shape):
    """Values and told responses exactly; those made for each board win too much if anything is bet before it."""
    ranks, hole, rounds = SHAPES[shape]
    rake = 0.1 if shape.startswith("raked") else 0.0
    game = Poker(Deck("789TJ"[:ranks], 2, suits=True), rounds, pair_then_rank, hole=hole, ante=1, rake=rake)
    whole = build_public_tree(game, symmetric=False)
    policy = Odd(build_card_arena(unroll_betting(game)))
    trees = _one_by_one(game)
    first = judge_sample(trees[0], policy, no_plans(trees[0]))
    exact = judge_sample(whole, policy, first.plans)
    samples = [judge_sample(tree, policy, first.plans) for tree in trees]
    values, best, told = (np.mean([sample[place] for sample in samples], 0) for place in range(3))
    np.testing.assert_allclose(values, exact.values, atol=1e-9)
    np.testing.assert_allclose(told, exact.told, atol=1e-9)
    assert (told <= exact.best + 1e-9).all()
    assert first.planned == (not rounds[0].board)
    if first.planned:
        assert (best > exact.best + 1e-3).all()
        assert (told < exact.best - 1e-3).any()
    else:
        np.testing.assert_allclose(best, exact.best, atol=1e-9)
    assert (values.sum() < -1e-3) == (rake > 0)


def _one_by_one(game):
    """A tree for each board of a game's first deal."""
    found, seeds, size = {}, count(), sample_size(unroll_betting(game)).boards
    while len(found) < size:
        tree = build_public_tree(game, drawn=Drawn(1, next(seeds)))
        board = next(stage.cards for stage in tree.rounds if stage.cards.size)
        found[tuple(board[0].tolist())] = tree
    return list(found.values())


def test_boards_drawn_stand_for_all_in_number(form):
    whole = build_public_tree(GAME, symmetric=False)
    drawn = build_public_tree(GAME, drawn=Drawn(5, 1))
    assert drawn.rounds[1].boards == 5 < whole.rounds[1].boards
    assert float(drawn.rounds[1].weight.sum()) == pytest.approx(float(whole.rounds[1].weight.sum()))
    many = load_game("turn_holdem(ranks=2)")
    size = sample_size(form_of(many).betting)
    tree = build_public_tree(many, drawn=Drawn(1, 0))
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
    monkeypatch.setattr(sampled_boards, "CELLS", dict.fromkeys(("cpu", "gpu"), 6 * sample_size(form.betting).cells))
    assert Exploitability()(form, player, _silent).measures[0] == exact, "what is there already needs no room"
    fresh = PublicForm.of(GAME, None)
    verdict = Exploitability()(fresh, player, _silent)
    measure = verdict.measures[0]
    assert measure.kind == "estimate"
    assert measure.low < exact.value < measure.high
    assert "9 samples of 6 of 18 boards" in verdict.note
    # What is written down for the tree is there already.
    assert Exploitability()(form, StrategyPlayer(solved, form), _silent).measures[0].kind == "exact"
    monkeypatch.setattr("feint.public.room.memory", lambda: 1000)
    monkeypatch.setattr("feint.public.room.SMALL", 0)
    with pytest.raises(feint.BadInput, match=r"^The public tree of 6 boards of .* but 0\.0 GB are free; ask for fewer"):
        Exploitability()(fresh, player, _silent)


def test_larger_games_are_judged_by_samples_where_one_board_is_quick():
    assert CardForm.of(load_game("turn_holdem"), None).judges == ("winnings", "sampled-boards")
    assert CardForm.of(load_game("holdem"), None).judges == ("winnings", "local-best-response")


@pytest.mark.parametrize(("name", "changes"), [("flop_holdem", {"players": 3}), ("holdem", {"rake": 0.05})])
def test_nobody_is_sent_to_a_judge_who_refuses(name, changes):
    """A local best response has one opponent, who wins what it loses."""
    form = CardForm.of(replace(load_game(name), **changes), None)
    assert form.judges == ("winnings",)
    with pytest.raises(feint.BadInput, match=r"is too large to judge exactly; ask winnings instead"):
        feint.nash_conv(form, PolicyStrategy(form.fingerprint, Uniform(form.arena)))


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_where_a_sample_has_all_boards_there_is_one_and_it_is_exact(name):
    form, told = form_of(name), []
    player = Random().at(form, 0)
    verdict = SampledBoards()(form, player, lambda words, so_far: told.append(words))
    exact = {measure.name: measure for measure in Exploitability()(form, player, _silent).measures}
    assert told == ["0 of 1 samples of boards"]
    assert [measure.name for measure in verdict.measures] == ["exploitability", "exploitability_mbb", "nash_conv"]
    assert {(measure.kind, measure.low, measure.high) for measure in verdict.measures} == {("exact", None, None)}
    assert verdict.measures[0].value == pytest.approx(exact["exploitability"].value, abs=1e-6)
    assert verdict.note == "On all boards that there are, so that nothing is left to luck."


def test_where_nothing_is_bet_before_the_deal_there_is_only_luck():
    form = form_of("river_holdem(ranks=3)")
    player = StrategyPlayer(PolicyStrategy(form.fingerprint, Odd(form.arena)), form)
    known = Exploitability()(form, player, _silent).measures[0].value
    verdicts = [SampledBoards(boards=50, samples=4, seed=seed)(form, player, _silent) for seed in range(3)]
    assert all(verdict.measures[0].low < known < verdict.measures[0].high for verdict in verdicts)
    assert "of 792 boards; nobody moves before these are dealt" in verdicts[0].note
    assert "Before the first deal" not in verdicts[0].note


def test_boards_are_drawn_without_a_list_of_all(monkeypatch):
    listed = []
    monkeypatch.setattr(boards, "chosen", lambda *asked: listed.append(comb(*asked)) or chosen(*asked))
    tree = build_public_tree(load_game("river_holdem"), drawn=Drawn(2, 0))
    assert tree.rounds[0].boards == 2
    assert 0 < max(listed) <= comb(52, 2)
    numbers = np.arange(comb(9, 4))
    np.testing.assert_array_equal(choices_of(numbers, 9, 4), chosen(9, 4))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"samples": 2}, "^Samples of boards are at least 3"),
        ({"boards": 0}, "^Samples of boards are at least 3, of at least 1 board each"),
        ({"seed": -1}, "seed=-1 was given"),
    ],
)
def test_settings_that_mean_nothing_are_refused_before_anything_is_judged(settings, words):
    with pytest.raises(feint.BadInput, match=words):
        SampledBoards(**settings)


@pytest.mark.parametrize("game", ["kuhn(players=3)", "rock_paper_scissors"])
def test_what_cannot_be_sampled_is_refused(game):
    form = form_of(game)
    player = Random().at(form, 0)
    with pytest.raises(feint.BadInput, match=r"^Samples of boards are for poker for two"):
        SampledBoards()(form, player, _silent)


@final
class Partly(Policy):
    """Uniform, but for one card, with which it always answers the same."""

    arena: Arena
    row: Float[Array, " a"]

    def __call__(self, infostate, turn):
        holds = infostate.cards[:, 0] == 3
        return jnp.where(holds[:, None], self.row, Uniform(self.arena)(infostate, turn))


@pytest.mark.parametrize("row", [(np.nan,) * 3, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 1.0, 1.0)])
def test_what_is_no_strategy_with_one_hand_is_refused_exactly_and_by_samples(form, row):
    """Missing, nothing at all, all on folding where nothing is to be folded to, negative."""
    broken = PolicyStrategy(form.fingerprint, Partly(form.arena, jnp.asarray(row, jnp.float32)))
    for asked in (Exploitability(), SampledBoards(boards=2, samples=3)):
        with pytest.raises(feint.BadInput, match=r"^A strategy that was played gives no chances for its legal moves"):
            asked(form, StrategyPlayer(broken, form), _silent)


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
