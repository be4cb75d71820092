"""What must hold for every game and every strategy, tried on random ones against plain recursion."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import jax
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import feint
from conftest import UNROLLABLE, algorithm_on, random_games, random_table, reached
from feint.games.cards import Deck
from feint.games.poker import Poker

SEEDS = st.integers(0, 2**16)


def policy_of(tree, table):
    """A table as a function of what a player sees, so that the recursion below never looks at the tree."""
    rows = {key: row for row, key in enumerate(zip(tree.player.tolist(), tree.views, strict=True))}
    columns = {name: column for column, name in enumerate(tree.actions)}

    def policy(game, state, player):
        row = rows[player, game.view(state, player)]
        return {move: table[row, columns[game.actions[move]]] for move in game.legal(state)}

    return policy


def value_of(game, state, policy):
    """Every player's expected payoff, straight from the rules."""
    actor = game.actor(state)
    if actor == feint.TERMINAL:
        return np.array(game.payoffs(state), float)
    if actor == feint.CHANCE:
        return sum(chance * value_of(game, after, policy) for chance, after in game.chance(state))
    moves = policy(game, state, actor)
    return sum(chance * value_of(game, game.play(state, move), policy) for move, chance in moves.items())


def decisions_of(game, player):
    """What a player can see when it is their turn, and the moves they then have."""
    found, states = {}, [game.start()]
    while states:
        state = states.pop()
        actor = game.actor(state)
        if actor == feint.CHANCE:
            states += [after for _, after in game.chance(state)]
        elif actor != feint.TERMINAL:
            states += [game.play(state, move) for move in game.legal(state)]
            if actor == player:
                found[game.view(state, player)] = list(game.legal(state))
    return found


def best_by_force(game, policy, player):
    """The most a player can earn, by trying each of their pure strategies."""
    decisions = decisions_of(game, player)

    def earned(choice):
        def deviating(game, state, actor):
            return {choice[game.view(state, actor)]: 1.0} if actor == player else policy(game, state, actor)

        return value_of(game, game.start(), deviating)[player]

    return max(earned(dict(zip(decisions, moves, strict=True))) for moves in itertools.product(*decisions.values()))


def pure_strategies(game, player):
    return math.prod(len(moves) for moves in decisions_of(game, player).values())


@given(random_games(), SEEDS)
@settings(max_examples=8)
def test_judges_agree_with_recursion(game, seed):
    """One test for all the judges, because compiling them for a game takes far longer than asking them."""
    assume(max(pure_strategies(game, player) for player in range(game.players)) <= 1000)
    tree = feint.unroll(game)
    table = random_table(tree, seed)
    policy = policy_of(tree, table)
    values = value_of(game, game.start(), policy)
    best = np.array([best_by_force(game, policy, player) for player in range(game.players)])

    assert feint.expected_values(tree, table) == pytest.approx(values, abs=1e-12)
    conv = feint.nash_conv(tree, table)
    assert conv == pytest.approx((best - values).sum(), abs=1e-12)
    assert conv >= -1e-12
    check_deviations(tree, feint.deviations(tree, table), conv)
    check_move_values(game, tree, table, policy)
    for player in range(game.players):
        response = feint.best_response(tree, table, player)
        assert response.value == pytest.approx(best[player], abs=1e-12)
        assert feint.expected_values(tree, response.strategy)[player] == pytest.approx(response.value, abs=1e-12)
        mine = tree.player == player
        assert response.strategy.table(tree)[~mine] == pytest.approx(table[~mine])
        for other in range(3):
            changed = np.where(mine[:, None], random_table(tree, seed + 1 + other), table)
            assert feint.expected_values(tree, changed)[player] <= response.value + 1e-12


def check_move_values(game, tree, table, policy):
    """A move is worth what the player then wins from all the states it may be in, by the rules and a best response."""
    found = feint.move_values(tree, table)
    assert np.isnan(found[~tree.legal]).all()
    for player in range(game.players):
        best = policy_of(tree, feint.best_response(tree, table, player).strategy.table(tree))
        met = {}

        def visit(state, reach, player=player, best=best, met=met):
            actor = game.actor(state)
            if actor == feint.TERMINAL:
                return
            if actor == feint.CHANCE:
                followed = [(chance, after) for chance, after in game.chance(state)]
            elif actor == player:
                followed = [(1.0, game.play(state, move)) for move in game.legal(state)]
                for move, (_, after) in zip(game.legal(state), followed, strict=True):
                    seen = met.setdefault((game.view(state, player), game.actions[move]), [])
                    seen.append((reach, value_of(game, after, best)[player]))
            else:
                followed = [(chance, game.play(state, move)) for move, chance in policy(game, state, actor).items()]
            for chance, after in followed:
                visit(after, reach * chance)

        visit(game.start(), 1.0)
        for row in np.flatnonzero(tree.player == player):
            for column in np.flatnonzero(tree.legal[row]):
                weights, worth = np.transpose(met[tree.views[row], tree.actions[column]])
                if weights.sum() > 0:
                    assert found[row, column] == pytest.approx(weights @ worth / weights.sum(), abs=1e-9)
                else:
                    assert np.isnan(found[row, column])


def check_deviations(tree, found, conv):
    """Gains are never negative, add up to NashConv, and come from legal moves."""
    assert found.gain.min() >= 0
    assert found.gain.sum() == pytest.approx(conv, abs=1e-12)
    assert found.share * found.gain.sum() == pytest.approx(found.gain)
    assert tree.legal[np.arange(len(tree.player)), found.best_move].all()


@pytest.mark.slow
@given(random_games(players=(2,), zero_sum=True), SEEDS)
@settings(max_examples=8)
def test_linear_programme_leaves_nothing_to_gain(game, seed):
    tree = feint.unroll(game)
    solution = algorithm_on(tree, "linear-program")
    strategy = solution.strategy(solution.init(jax.random.key(0)))
    assert feint.nash_conv(tree, strategy) < 1e-9
    value, other = feint.expected_values(tree, strategy)
    assert value + other == pytest.approx(0.0, abs=1e-12)
    # The value is what no opponent can push below, and no deviation above.
    table, rival = strategy.table(tree), random_table(tree, seed)
    first = (tree.player == 0)[:, None]
    assert feint.expected_values(tree, np.where(first, table, rival))[0] >= value - 1e-9
    assert feint.expected_values(tree, np.where(first, rival, table))[0] <= value + 1e-9


@pytest.mark.slow
@given(random_games(players=(3,), zero_sum=True), SEEDS)
@settings(max_examples=8)
def test_zero_sum_stays_zero_sum(game, seed):
    tree = feint.unroll(game)
    assert tree.zero_sum
    assert feint.expected_values(tree, random_table(tree, seed)).sum() == pytest.approx(0.0, abs=1e-12)


@given(random_games())
@settings(max_examples=100)
def test_chance_sums_to_one(game):
    tree = feint.unroll(game)
    deals = np.flatnonzero(tree.actor == feint.CHANCE)
    total = np.bincount(tree.parent[1:], tree.chance[1:], tree.nodes)
    assert total[deals] == pytest.approx(1.0, abs=1e-12)
    # A walk on which players choose evenly ends somewhere for certain.
    reach = np.ones(tree.nodes)
    for node in range(1, tree.nodes):
        above = tree.parent[node]
        share = tree.chance[node] if tree.actor[above] == feint.CHANCE else 1 / tree.children[above]
        reach[node] = reach[above] * share
    assert reach[tree.terminal].sum() == pytest.approx(1.0, abs=1e-12)


@given(random_games(), st.sampled_from(["cfr", "cfr+", "dcfr", "pcfr+", "xfp"]))
@settings(max_examples=8)
def test_solvers_give_strategies_on_any_game(game, name):
    tree = feint.unroll(game)
    algorithm = algorithm_on(tree, name)
    table = algorithm.strategy(reached(algorithm, 20)).table(tree)
    assert table.sum(1) == pytest.approx(1.0, abs=1e-12)
    assert table.min() >= 0
    assert not table[~tree.legal].any()


@given(SEEDS)
@settings(max_examples=50)
def test_suits_change_nothing_in_leduc(tree_of, seed):
    merged, suited = tree_of("leduc"), tree_of("leduc(suits=True)")
    rows = {view: row for row, view in enumerate(merged.views)}
    ranks = [[tuple(card // 2 for card in cards) for cards in view[1:3]] for view in suited.views]
    lift = [rows[dealer, *cards, moves] for cards, (dealer, _, _, moves) in zip(ranks, suited.views, strict=True)]
    assert set(lift) == set(range(288))
    table = random_table(merged, seed)
    assert feint.nash_conv(suited, table[lift]) == pytest.approx(feint.nash_conv(merged, table), abs=1e-12)
    assert feint.expected_values(suited, table[lift]) == pytest.approx(feint.expected_values(merged, table), abs=1e-12)


@pytest.mark.parametrize(
    "name",
    [name for name in UNROLLABLE if isinstance(feint.load_game(name), Poker)]
    + ["kuhn(players=3)", "kuhn(players=4)", "leduc_no_limit(free_folds=True)", "leduc_no_limit(bets=[0.5,1,2])"],
)
def test_features_tell_information_sets_apart(tree_of, name):
    tree = tree_of(name)
    for player in range(tree.players):
        mine = tree.features[tree.player == player]
        assert len(np.unique(mine, axis=0)) == len(mine)


def test_leduc_features_are_30_numbers_and_tell_seats_apart(tree_of):
    features = tree_of("leduc").features
    assert features.shape == (288, 30)
    assert len(np.unique(features, axis=0)) == 288


@given(st.integers(1, 6), st.integers(1, 4), st.booleans(), st.integers(0, 4), st.integers(0, 3), SEEDS)
@settings(max_examples=100)
def test_draws_are_those_of_a_deck_of_real_cards(ranks, copies, suits, gone, count, seed):
    deck = Deck("9TJQKA"[:ranks], copies, suits)
    cards = [rank * copies + suit if suits else rank for rank in range(ranks) for suit in range(copies)]
    assume(gone + count <= len(cards))
    np.random.default_rng(seed).shuffle(cards)
    seen, left = tuple(cards[:gone]), cards[gone:]
    expected = Counter(tuple(sorted(drawn)) for drawn in itertools.combinations(left, count))
    draws = [(cards, chance) for chance, cards in deck.draws(seen, count)]
    assert len(dict(draws)) == len(draws)
    assert dict(draws) == pytest.approx({hand: ways / expected.total() for hand, ways in expected.items()})
    assert sum(chance for _, chance in draws) == pytest.approx(1.0)
