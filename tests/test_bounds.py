"""Judges that bound exploitability: what they find is there, and they win what an exact calculation says."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from conftest import betting_of, few, random_table
from feint.arena.arena import random_words
from feint.arena.cards import build_card_arena
from feint.arena.policy import Always, TabularPolicy, Uniform
from feint.evaluate.learned_best_response import learned_best_response
from feint.evaluate.local_best_response import local_best_response, without_luck
from feint.evaluate.local_deals import Deals, build_deals
from feint.evaluate.share_found import FOUND, LOST, share_found
from feint.forms.dealt import CardForm
from feint.forms.unrolled import TreeForm
from feint.games.cards import best_five
from feint.games.poker import CALL, FOLD, RAISE
from feint.learners.q_learning import QLearning
from feint.learners.settings import Exploration, ValueTraining

SHORT = "holdem(ranks=2,rounds=2)"
"""Flop hold'em with eight cards: it unrolls, and players hold two."""
APART = pytest.param("leduc(suits=True)", marks=pytest.mark.slow)


# What a local best response wins, by the rules and nothing else.


class Oracle:
    """Follows every hand of a two-player game. `hands` are alike but for the strategy's holding, each with a weight."""

    def __init__(self, tree, name, table, seat):
        self.game, self.table, self.seat = feint.load_game(name), table, seat
        self.number = {view: row for row, view in enumerate(tree.views)}

    def value(self):
        """What the response wins, in chips per hand."""
        dealt = defaultdict(list)
        for first_chance, first in self.game.chance(self.game.start()):
            for chance, hand in self.game.chance(first):
                dealt[hand.holes[self.seat]].append((first_chance * chance, hand))
        return sum(self.walk(hands) for hands in dealt.values())

    def walk(self, hands):
        actor = hands[0][1].actor
        if actor == feint.TERMINAL:
            return sum(weight * self.game.payoffs(hand)[self.seat] for weight, hand in hands)
        if actor == feint.CHANCE:
            boards = defaultdict(list)
            for weight, hand in hands:
                for chance, after in self.game.chance(hand):
                    boards[after.board].append((weight * chance, after))
            return sum(self.walk(after) for after in boards.values())
        moves = self.game.legal(hands[0][1])
        if actor == self.seat:
            worth = [sum(weight * self.local(hand, move) for weight, hand in hands) for move in moves]
            best = moves[int(np.argmax(worth))]
            return self.walk([(weight, self.game.play(hand, best)) for weight, hand in hands])
        lines = [
            [(weight * self.chance(hand, move), self.game.play(hand, move)) for weight, hand in hands] for move in moves
        ]
        return sum(self.walk(line) for line in lines if sum(weight for weight, _ in line) > 0)

    def chance(self, hand, move):
        return self.table[self.number[self.game.view(hand, hand.actor)], move]

    def local(self, hand, move):
        """What a move is worth if the strategy may fold to a raise and all is checked and called otherwise."""
        after = self.game.play(hand, move)
        if move < RAISE:
            return self.called_down(after)
        folds = self.chance(after, FOLD)
        won = self.game.payoffs(self.game.play(after, FOLD))[self.seat]
        return folds * won + (1 - folds) * self.called_down(self.game.play(after, CALL))

    def called_down(self, hand):
        if hand.actor == feint.TERMINAL:
            return self.game.payoffs(hand)[self.seat]
        if hand.actor == feint.CHANCE:
            return sum(chance * self.called_down(after) for chance, after in self.game.chance(hand))
        return self.called_down(self.game.play(hand, CALL))


def exact_local_best_response(tree, name, table):
    return np.mean([Oracle(tree, name, table, seat).value() for seat in range(2)])


def standard_error(bound):
    return (bound.high - bound.low) / 3.92


@pytest.mark.parametrize("name", ["kuhn", "leduc", APART, "leduc_no_limit"])
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_a_local_best_response_wins_what_the_oracle_says(tree_of, played, name, seed):
    table = random_table(tree_of(name), seed)
    exact = exact_local_best_response(tree_of(name), name, table)
    bound = local_best_response(betting_of(name), played(name, table), 40_000, seed)
    assert abs(bound.value - exact) <= 4 * standard_error(bound)
    assert exact <= feint.exploitability(tree_of(name), table) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_the_oracle_agrees_where_players_hold_two_cards(tree_of, played, seed):
    table = random_table(tree_of(SHORT), seed)
    exact = exact_local_best_response(tree_of(SHORT), SHORT, table)
    bound = local_best_response(betting_of(SHORT), played(SHORT, table), 100_000, seed)
    assert abs(bound.value - exact) <= 4 * standard_error(bound)


@pytest.mark.slow
def test_its_interval_covers_as_it_should(tree_of, played):
    table = random_table(tree_of("kuhn"), 4)
    exact, policy = exact_local_best_response(tree_of("kuhn"), "kuhn", table), played("kuhn", table)
    bounds = [local_best_response(betting_of("kuhn"), policy, 1364, seed) for seed in range(150)]
    assert 0.91 <= np.mean([bound.low <= exact <= bound.high for bound in bounds]) <= 0.98
    values = np.array([bound.value for bound in bounds])
    assert abs(values.mean() - exact) <= 4 * values.std() / np.sqrt(len(values))


def test_taking_luck_off_leaves_the_mean_and_cuts_the_spread():
    rng = np.random.default_rng(0)
    luck = rng.normal(size=(4000, 50, 2))
    won = 3.0 + np.array([1.0, 5.0]) * luck + rng.normal(size=luck.shape)
    rest = np.stack([without_luck(each, luck[..., None]) for each, luck in zip(won, luck, strict=True)])
    assert abs(rest.mean() - 3.0) <= 4 * rest.mean((1, 2)).std() / np.sqrt(len(rest))
    assert rest.std((0, 1)) == pytest.approx(1.0, abs=0.1)


def test_luck_that_is_told_twice_is_taken_off_once():
    """In small games how good a hand is and its square say the same: shares must not run away."""
    rng = np.random.default_rng(0)
    luck = rng.normal(size=(400, 2, 1))
    won = 3.0 + luck[..., 0]
    rest = without_luck(won, np.concatenate([luck, -2 * luck, luck**2 - 1], -1))
    np.testing.assert_allclose(rest, 3.0, atol=0.1)


def test_most_of_the_luck_is_taken_off(tree_of, played, monkeypatch):
    """Against a strategy in Leduc, less than half of the interval is left."""
    policy = played("leduc", random_table(tree_of("leduc"), 2))
    fair = local_best_response(betting_of("leduc"), policy, 4000)
    monkeypatch.setattr("feint.evaluate.local_best_response.without_luck", lambda won, luck: won)
    lucky = local_best_response(betting_of("leduc"), policy, 4000)
    assert fair.high - fair.low < 0.5 * (lucky.high - lucky.low)


def test_luck_is_taken_off_by_what_fits_the_other_half():
    """Skewed luck, and few deals: what fits a half itself would take part of what was won there with it."""
    rng = np.random.default_rng(1)
    luck = rng.exponential(size=(10_000, 4, 2)) - 1
    won = luck**2
    rest = np.stack([without_luck(each, luck[..., None]) for each, luck in zip(won, luck, strict=True)])
    assert abs(rest.mean() - 1.0) <= 4 * rest.mean((1, 2)).std() / np.sqrt(len(rest))


# Against the exact exploitability.


def strategies(tree, solved, name):
    yield "uniform", tree.uniform()
    yield "early", solved(name, "cfr", 5).table(tree)
    yield "late", solved(name, "cfr", 200).table(tree)
    yield from ((f"random {seed}", random_table(tree, seed)) for seed in range(5, 7))


@pytest.mark.parametrize("name", few("kuhn", "leduc", fast=("kuhn",)))
def test_a_local_best_response_is_a_lower_bound(tree_of, solved, played, name):
    tree = tree_of(name)
    for label, table in strategies(tree, solved, name):
        exact, bound = (
            feint.exploitability(tree, table),
            local_best_response(betting_of(name), played(name, table), 20_000),
        )
        assert (bound.kind, bound.unit, bound.response) == ("lower bound", "chips per hand", "local")
        assert bound.low <= exact, label
        assert bound.value <= exact + 3 * standard_error(bound), label


@pytest.mark.slow
def test_it_finds_most_of_what_random_play_loses(tree_of, played):
    for name, share in (("kuhn", 0.95), ("leduc", 0.9)):
        uniform = tree_of(name).uniform()
        bound = local_best_response(betting_of(name), played(name, uniform), 100_000)
        assert bound.low > share * feint.exploitability(tree_of(name), uniform)


@pytest.mark.slow
def test_it_wins_nothing_off_an_equilibrium(tree_of, solved, played):
    table = solved("leduc", "cfr+", 10_000).table(tree_of("leduc"))
    bound = local_best_response(betting_of("leduc"), played("leduc", table), 100_000)
    assert bound.value <= feint.exploitability(tree_of("leduc"), table) + 3 * standard_error(bound)


QUICK = QLearning(
    tables=64,
    exploration=Exploration(0.2),
    values=ValueTraining(rate=3e-3, updates=2, target_every=50),
    batch=256,
)


@pytest.mark.parametrize("cards", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_learned_best_response_finds_what_random_play_loses(tree_of, played, cards):
    tree = tree_of("kuhn")
    exact, told = feint.exploitability(tree, tree.uniform()), []
    game, policy = (
        (CardForm(betting_of("kuhn")), played("kuhn", tree.uniform()))
        if cards
        else (TreeForm(tree), TabularPolicy(jnp.asarray(tree.uniform())))
    )
    bound = learned_best_response(game, policy, 1000, 20_000, QUICK, progress=told.append)
    assert bound.response == "learned"
    assert 0.9 * exact < bound.value
    assert bound.low <= exact
    assert bound.value <= exact + 3 * standard_error(bound)
    assert told == sorted(told)
    assert told[-1] == 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kuhn", "kuhn(players=3)", "leduc"])
def test_a_learned_best_response_is_a_lower_bound(tree_of, solved, name):
    tree = tree_of(name)
    for label, table in strategies(tree, solved, name):
        exact = feint.exploitability(tree, table)
        bound = learned_best_response(TreeForm(tree), TabularPolicy(jnp.asarray(table)), 2000, 100_000, QUICK)
        assert bound.low <= exact, label
        assert bound.value <= exact + 3 * standard_error(bound), label


def test_learning_against_what_is_not_zero_sum_is_refused(tree_of):
    tree = tree_of("kuhn")
    paying = type(tree)(
        **{**{field: getattr(tree, field) for field in tree.__dataclass_fields__}, "payoff": tree.payoff + 1.0}
    )
    with pytest.raises(feint.BadInput, match="not zero-sum"):
        learned_best_response(TreeForm(paying), TabularPolicy(jnp.asarray(tree.uniform())), 10, 100)


def test_what_is_said_beside_bounds_is_in_the_record():
    root = Path(__file__).parent.parent
    rows = [json.loads(line) for line in (root / "benchmarks/results/bounds.jsonl").read_text().splitlines()]
    rows = [row for row in rows if row["game"] == "flop_holdem"]
    lost = [row["exact"] for row in rows]
    assert (round(min(lost)), round(max(lost))) == LOST
    for response, told in FOUND.items():
        shares = [min(max(row[response] / row["exact"], 0.0), 1.0) for row in rows]
        assert told == (round(min(shares), 2), round(max(shares), 2))
    for page in ("README.md", "docs/design.md", "docs/results/poker_rnn/README.md"):
        assert share_found("local")[:-1] in " ".join((root / page).read_text().split())
    least, most = FOUND["learned"]
    assert f"Learned ones found {least:.0%} to {most:.0%}" in (root / "docs/design.md").read_text()


# Limit hold'em at full size.


@cache
def holdem():
    betting = betting_of("holdem")
    return betting, build_card_arena(betting), build_deals(betting, 32)


foresee = eqx.filter_jit(Deals.foresee)


def test_who_always_folds_loses_three_quarters_of_a_big_blind():
    # Blinds are 1 and 2. As the dealer it folds at once and loses 1; as the big blind it folds to a raise and loses 2.
    betting, arena, _ = holdem()
    bound = local_best_response(betting, Always(arena, FOLD, CALL), 60).in_big_blinds(2)
    assert (bound.value, bound.low, bound.high, bound.unit) == (750, 750, 750, "mbb/h")


def test_showdowns_are_those_of_the_rules():
    betting, arena, response = holdem()
    deck = betting.game.deck
    dealt = arena.deal(random_words(jax.random.key(0), arena.deal_words, 20)).cards
    own, board = np.asarray(dealt[:, :2]), np.asarray(dealt[:, 4:])
    possible, edge = map(np.asarray, foresee(response, own, board, response.runouts[-1]))
    holdings = np.asarray(response.holdings)
    rng = np.random.default_rng(0)
    for row in range(20):
        mine, shown = tuple(map(int, own[row])), tuple(map(int, board[row]))
        assert int(possible[row].sum()) == 45 * 44 / 2
        for number in rng.choice(len(holdings), 20, replace=False):
            theirs = tuple(map(int, holdings[number]))
            apart = not set(theirs) & {*mine, *shown}
            assert bool(possible[row, number]) == apart
            if apart:
                strengths = best_five(deck, mine, shown), best_five(deck, theirs, shown)
                assert edge[row, number] == (strengths[0] > strengths[1]) - (strengths[0] < strengths[1])


def test_run_outs_foresee_how_often_a_hand_wins():
    # Shares of the pot against a random hand, as any table of starting hands has them.
    shares = {"AsAh": 0.852, "7s2h": 0.346, "KhQh": 0.634}
    response, deck = build_deals(betting_of("holdem"), 1500), betting_of("holdem").game.deck
    names = [deck.name(card) for card in range(52)]
    own = jnp.asarray([[names.index(hand[:2]), names.index(hand[2:])] for hand in shares], jnp.uint8)
    possible, edge = foresee(response, own, jnp.zeros((3, 5), jnp.uint8), response.runouts[0])
    assert (possible.sum(1) == 50 * 49 / 2).all()
    np.testing.assert_allclose((1 + edge.sum(1) / possible.sum(1)) / 2, list(shares.values()), atol=0.015)


@pytest.mark.slow
def test_random_play_in_holdem_loses_big_blinds():
    betting, arena, _ = holdem()
    told = []
    bound = local_best_response(betting, Uniform(arena), 600, progress=told.append).in_big_blinds(2)
    assert 2000 < bound.low < bound.high < 4000
    assert told[-1].in_big_blinds(2) == bound
    assert [each.hands for each in told] == sorted(each.hands for each in told)
    assert bound.hands >= 600
    assert len(told) > 1


def test_local_best_responses_refuse_what_they_cannot_do():
    betting, arena, _ = holdem()
    with pytest.raises(feint.BadInput, match="has 3 players"):
        local_best_response(betting_of("kuhn(players=3)"), Uniform(arena), 100)
    with pytest.raises(feint.BadInput, match="at least 8 hands"):
        local_best_response(betting, Uniform(arena), 7)
    with pytest.raises(feint.BadInput, match="runouts=0"):
        local_best_response(betting, Uniform(arena), 100, runouts=0)
