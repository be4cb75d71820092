"""The opponent modeller: what it infers of hands nobody saw, what it does about it, and what that wins."""

from __future__ import annotations

import json

import numpy as np
import pytest

import feint
from conftest import random_table
from feint.evaluate.league import round_robin
from feint.evaluate.match import expected_winnings, play_players
from feint.forms.library import form_of
from feint.forms.strategy import TabularStrategy
from feint.games.game import CHANCE, TERMINAL
from feint.players.modeller import Modeller, study
from feint.players.opponent_model import Model, by_decision, inferred, learned, new_model, watch
from feint.players.player import StrategyPlayer
from feint.players.table import Table
from feint.runs.lineup import line_up
from feint.testing import check_player
from feint.tree.best_response import judge_of


def model_of(watched, table):
    """The model that has a strategy right, as hands and moves come if both players keep to it."""
    tree, decisions = watched.tree, watched.decisions
    made = by_decision(decisions, watched.made(watched.reached(table, (0, 1))[tree.terminal]))
    total = made.sum(2, keepdims=True)
    hands = np.divide(made, total, out=np.zeros_like(made), where=total > 0)
    return Model(None, hands, made.sum(2) / made.sum((1, 2))[:, None])


@pytest.fixture(scope="module")
def kuhn():
    return form_of("kuhn")


@pytest.fixture(scope="module")
def leduc():
    return form_of("leduc")


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc(suits=True)", "leduc_no_limit", "leduc_thesis"])
def test_hands_and_moves_give_what_is_done_with_each_hand(name):
    """Bayes: from which hands make a move, and how often it is made, to how often each hand makes it."""
    tree = feint.unroll(name)
    watched, table = watch(tree), random_table(tree, 1)
    np.testing.assert_allclose(model_of(watched, table).table(watched.decisions), table, atol=1e-9)
    decisions = watched.decisions
    # What everybody sees tells decisions apart, and nothing that only one player sees is told.
    assert len(np.unique(decisions.features, axis=0)) == len(decisions.legal)
    for number in range(len(decisions.legal)):
        assert len(set(decisions.hand[decisions.of == number])) == (decisions.of == number).sum() > 1


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc_thesis"])
def test_hands_that_nobody_saw_are_inferred_without_bias(name):
    """With the right model and hands as they come in the mean, moves are counted as if all hands had been shown."""
    tree = feint.unroll(name)
    watched, mine, theirs = watch(tree), random_table(tree, 2), random_table(tree, 3)
    seen, truth = [], np.zeros_like(theirs)
    for seat, ending in enumerate(watched.endings):
        table = np.where((tree.player == seat)[:, None], mine, theirs)
        ends = watched.reached(table, (0, 1))[tree.terminal]
        assert ends.sum() == pytest.approx(1)
        seen.append(np.bincount(ending.of, ends))
        truth[tree.player != seat] = watched.made(ends)[tree.player != seat]
    np.testing.assert_allclose(inferred(watched, theirs, seen), truth, atol=1e-12)
    shown = [counts * ending.shown for counts, ending in zip(seen, watched.endings, strict=True)]
    only = inferred(watched, theirs, shown)
    assert (only <= truth + 1e-12).all()
    folds = tree.actions.index("fold")
    assert only[:, folds].sum() == 0 < truth[:, folds].sum()


def test_ends_are_told_apart_by_what_is_seen_alone(leduc):
    watched = watch(leduc.tree)
    for ending in watched.endings:
        assert len(ending.number) == len(ending.shown) == ending.of.max() + 1 < len(leduc.tree.terminal)
        for ((_, hole, _, moves), other), number in ending.number.items():
            folded = 0 in sum(moves, ())
            assert ending.shown[number] == (other is not None) == (not folded)
            # Whoever folds, or makes the other fold, leaves open which of three cards it was.
            assert (ending.of == number).sum() == 1 if other else (ending.of == number).sum() in (2, 3), hole


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_the_answer_is_expectimax_over_hands_and_triples(name):
    """The seed's search, written out: hands, then a triple at the opponent's nodes, chips at the leaves."""
    form = form_of(name)
    tree, game = form.tree, form.game
    watched = watch(tree)
    table = random_table(tree, 5)
    row = {key: number for number, key in enumerate(zip(tree.player.tolist(), tree.views, strict=True))}
    best = []
    for seat in range(2):

        def worth(states, hands, seat=seat):
            """What the seat wins from here on: states that differ in the other's hand, and how likely each is."""
            actors = {game.actor(state) for state in states}
            assert len(actors) == 1
            actor = actors.pop()
            if actor == TERMINAL:
                return sum(hand * game.payoffs(state)[seat] for hand, state in zip(hands, states, strict=True))
            if actor == CHANCE:
                drawn = {}
                for hand, state in zip(hands, states, strict=True):
                    for chance, after in game.chance(state):
                        drawn.setdefault(after.board, []).append((hand * chance, after))
                parts = [tuple(zip(*part, strict=True)) for part in drawn.values()]
                return sum(sum(odds) * worth(after, np.array(odds) / sum(odds)) for odds, after in parts)
            legal = game.legal(states[0])
            if actor == seat:
                return max(worth([game.play(state, move) for state in states], hands) for move in legal)
            done = np.array([table[row[actor, game.view(state, actor)]] for state in states])
            triple = hands @ done
            assert triple.sum() == pytest.approx(1)
            return sum(
                triple[move] * worth([game.play(state, move) for state in states], hands * done[:, move] / triple[move])
                for move in legal
            )

        dealt = {}
        for chance, first in game.chance(game.start()):
            for more, state in game.chance(first):
                dealt.setdefault(state.holes[seat], []).append((chance * more, state))
        parts = [tuple(zip(*part, strict=True)) for part in dealt.values()]
        best.append(sum(sum(odds) * worth(states, np.array(odds) / sum(odds)) for odds, states in parts))
    answer = judge_of(tree).judged(model_of(watched, table).table(watched.decisions))
    np.testing.assert_allclose(answer.best_values, best, atol=1e-9)


def frozen(form, other, hands, **settings):
    (strategy,) = study(Modeller(**settings), form, other, [hands])
    return strategy


@pytest.fixture(scope="module")
def sly(kuhn):
    """At Kuhn: never folds a king, always a jack, a queen one time in three; bluffs with half of its jacks."""
    tree, table = kuhn.tree, kuhn.tree.uniform()
    fold, call, bet = (tree.actions.index(name) for name in ("fold", "call", "raise"))
    for row, (label, legal) in enumerate(zip(tree.labels, tree.legal, strict=True)):
        strength = "JQK".index(label[0])
        table[row] = 0
        if legal[fold]:
            table[row, fold] = (1, 1 / 3, 0)[strength]
            table[row, call] = 1 - table[row, fold]
        else:
            table[row, bet] = (1 / 2, 0, 1)[strength]
            table[row, call] = 1 - table[row, bet]
    return TabularStrategy(tree.fingerprint, table)


def test_learned_triples_are_those_that_were_played(kuhn, sly):
    """In spite of hands that were never shown; without inferring those, who folds is taken to be anyone."""
    tree = kuhn.tree
    watched = watch(tree)
    random = np.random.default_rng(0)
    seen, met = [], np.zeros(len(tree.player), bool)
    for seat, ending in enumerate(watched.endings):
        table = np.where((tree.player == seat)[:, None], tree.uniform(), sly.probabilities)
        ends = watched.reached(table, (0, 1))[tree.terminal]
        met |= (watched.made(ends).sum(1) > 0) & (tree.player != seat)
        seen.append(np.bincount(ending.of, random.multinomial(20_000, ends), len(ending.shown)).astype(float))
    off = {}
    before = new_model(watched.decisions, Modeller().hidden, 0)
    np.testing.assert_allclose(before.table(watched.decisions), tree.uniform(), atol=1e-9)
    for infer in (True, False):
        model = before
        for _ in range(80):
            model = learned(watched, model, tuple(seen), infer)
        off[infer] = np.abs(model.table(watched.decisions) - sly.probabilities)[met].max()
    assert off[True] < 0.05
    assert off[False] > 0.3


@pytest.mark.slow
def test_with_more_hands_it_wins_more(kuhn, sly):
    best = float(np.mean(kuhn.judged(sly, 0).best))
    studies = [study(Modeller(seed=seed), kuhn, sly, [1, 3000]) for seed in range(3)]
    first, last = np.mean([[expected_winnings(kuhn, each, sly) for each in one] for one in studies], 0)
    assert first < last - 0.05
    assert last > best - 0.01
    assert expected_winnings(kuhn, frozen(kuhn, sly, 3000, folded="ignored"), sly) < last - 0.02


def test_a_caller_is_found_out_at_leduc(leduc):
    """Every hand is shown, and 1.4667 chips a hand is all that can be won."""
    caller = line_up(("call",), leduc.game).players[0].strategy
    strategy = frozen(leduc, caller, 300)
    assert expected_winnings(leduc, strategy, caller) == pytest.approx(22 / 15, abs=1e-9)
    assert set(np.unique(strategy.probabilities)) == {0, 1}
    assert feint.exploitability(leduc.tree, strategy) > 0.5, "what it plays against a caller, others see through"


def test_at_the_table_it_sees_what_is_shown_and_wins_as_it_learns(kuhn, sly):
    player = Modeller(curious=0.0).at(kuhn, 3)
    other, table = StrategyPlayer(sly, kuhn, 4), Table(kuhn.game, 5)
    won = []
    for hand in range(600):
        seat = hand % 2
        won.append(table.hand([player if number == seat else other for number in range(2)])[seat])
    learner = player.learner
    assert learner.hands == 600 == sum(counts.sum() for counts in learner.seen)
    assert [counts.sum() for counts in learner.seen] == [300, 300]
    assert 600 < learner.due <= 600 * 1.05
    best = float(np.mean(kuhn.judged(sly, 0).best))
    assert abs(np.mean(won[300:]) - best) < 4 * np.std(won) / np.sqrt(300)
    answer = TabularStrategy(kuhn.fingerprint, learner.answer)
    assert expected_winnings(kuhn, answer, sly) > best - 0.03


def test_in_leagues_it_learns_of_each_opponent_anew(kuhn):
    raiser, caller = line_up(("raise", "call"), "kuhn").players
    alone, among = (Modeller(curious=0.0).at(kuhn, 3) for _ in range(2))
    first = list(round_robin(kuhn, {"it": alone, "call": caller}, 100, 0, lambda *_: None))
    both = list(round_robin(kuhn, {"it": among, "raise": raiser, "call": caller}, 100, 0, lambda *_: None))
    assert both[1]["it", "call"] == first[0]["it", "call"]
    assert among.learner.hands == 100


@pytest.mark.slow
def test_at_the_table_hands_come_as_they_are_drawn_at_once(kuhn, sly):
    """The same shares of every end: what is drawn is what the rules and both players bring about."""

    at_table = Modeller(curious=1.0).at(kuhn, 7)
    other, table, hands = StrategyPlayer(sly, kuhn, 8), Table(kuhn.game, 9), 1000
    for hand in range(hands):
        table.hand([at_table, other] if hand % 2 == 0 else [other, at_table])
    watched, tree = at_table.learner.watched, kuhn.tree
    for seat, ending in enumerate(watched.endings):
        both = np.where((tree.player == seat)[:, None], tree.uniform(), sly.probabilities)
        share = np.bincount(ending.of, watched.reached(both, (0, 1))[tree.terminal])
        error = np.sqrt(share * (1 - share) / (hands / 2))
        assert (np.abs(at_table.learner.seen[seat] / (hands / 2) - share) <= 4 * error + 1e-12).all()


def test_it_is_a_player_by_name(kuhn, call):
    check_player(Modeller(), "kuhn", hands=12)
    lineup = line_up(("modeller(against='always(move=raise)', hands=200)", "raise", "modeller"), "kuhn")
    taught, raiser, learning = lineup.players
    assert learning.strategy is None
    best = float(np.mean(kuhn.judged(raiser.strategy, 0).best))
    assert expected_winnings(kuhn, taught.strategy, raiser.strategy) == pytest.approx(best)
    assert play_players(kuhn, (learning, raiser), 40).hands == 40
    again = line_up(("modeller(against='always(move=raise)', hands=200)",), "kuhn", seed=9).players[0]
    np.testing.assert_array_equal(again.strategy.probabilities, taught.strategy.probabilities)
    code, out, _ = call("evaluate", "modeller(against=feint:kuhn, hands=500)", "--json")
    told = json.loads(out)
    assert (code, told["game"]) == (0, "kuhn")
    measured = told["judges"]["exploitability"]["exploitability"]
    run = feint.load_run("feint:kuhn")
    frozen_one = frozen(kuhn, run.strategy, 500)
    assert measured["kind"] == "exact"
    assert measured["value"] == pytest.approx(feint.exploitability(kuhn.tree, frozen_one))


@pytest.mark.parametrize(
    ("name", "game", "words"),
    [
        ("modeller", "holdem", "The opponent modeller needs the whole tree, and holdem is too large to unroll; .*"),
        (
            "modeller",
            "kuhn(players=3)",
            r"An opponent.s hand is .* for two, and kuhn\(players=3\) is .*",
        ),
        ("modeller(against=random)", "rock_paper_scissors", "An opponent's hand is modelled at poker for two, .*"),
        ("modeller(against=modeller)", "kuhn", "A modeller learns beforehand against strategies, and modeller .*"),
        ("modeller(against=rando)", "kuhn", "There is no player called 'rando' and no such folder .*"),
        ("modeller(against=random, hands=0)", "kuhn", "hands must be at least 1, but 0 was given."),
        ("modeller(curious=2)", "kuhn", "curious must be from 0 to 1, but 2.* was given."),
        ("modeller(hidden=(8, 0))", "kuhn", "hidden must be at least 1 in each layer, but .* was given."),
        ("modeller(folded=guessed)", "kuhn", "modeller cannot take folded='guessed': .*"),
    ],
)
def test_what_it_cannot_do_is_said_in_a_sentence(name, game, words):
    with pytest.raises(feint.BadInput, match=words):
        line_up((name,), game)


def test_counting_finds_out_what_an_opponent_does(kuhn):
    """Without a network, opponents who always do the same at each place: hardly known after a hand, and then wholly."""
    for seed in (1, 2, 4):
        table = random_table(kuhn.tree, seed)
        other = TabularStrategy(kuhn.fingerprint, np.eye(table.shape[1])[table.argmax(1)])
        most = kuhn.judged(other, 0).best.mean()
        first, last = study(Modeller(model="counts"), kuhn, other, [1, 300])
        assert expected_winnings(kuhn, first, other) < 0.9 * most
        assert expected_winnings(kuhn, last, other) == pytest.approx(most)
