"""Play by look-up is the game that the rules describe."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import feint
from feint.arena.arena import random_words
from feint.arena.tables import build_arena
from feint.games.errors import BadInput

GAMES = ["kuhn", "kuhn(players=3)", "leduc", "leduc_thesis", "leduc_no_limit", "rock_paper_scissors"]


def lotteries(arena):
    """Each lottery as {result: probability}, read back from its alias table."""
    first, count = np.asarray(arena.first), np.asarray(arena.outcomes)
    threshold, alias, result = (np.asarray(part) for part in (arena.threshold, arena.alias, arena.result))
    found = []
    for start, size in zip(first, count, strict=True):
        chances: dict[int, float] = {}
        for outcome in range(start, start + size):
            kept = (float(threshold[outcome]) + 1) / 2**32
            for place, share in ((outcome, kept), (alias[outcome], 1 - kept)):
                chances[int(result[place])] = chances.get(int(result[place]), 0.0) + share / size
        found.append({key: chance for key, chance in chances.items() if chance > 1e-8})
    return found


@pytest.mark.parametrize("name", GAMES)
def test_every_lottery_is_what_chance_does(tree_of, name):
    tree, arena = tree_of(name), build_arena(tree_of(name))
    decisions, ends = np.flatnonzero(tree.actor >= 0), np.flatnonzero(tree.actor == feint.TERMINAL)
    found = lotteries(arena)

    def reached(node, chance, into):
        if tree.actor[node] == feint.CHANCE:
            for child in range(tree.first_child[node], tree.first_child[node] + tree.children[node]):
                reached(child, chance * tree.chance[child], into)
        else:
            number = -1 - np.searchsorted(ends, node) if tree.actor[node] < 0 else np.searchsorted(decisions, node)
            into[int(number)] = into.get(int(number), 0.0) + chance
        return into

    assert found[0] == pytest.approx(reached(0, 1.0, {}), abs=1e-8)
    for row in np.random.default_rng(0).choice(len(decisions), min(60, len(decisions)), replace=False):
        node = decisions[row]
        for child in range(tree.first_child[node], tree.first_child[node] + tree.children[node]):
            lottery = int(arena.lottery[row, tree.move[child]])
            assert found[lottery] == pytest.approx(reached(child, 1.0, {}), abs=1e-8)


@pytest.mark.parametrize("name", ["kuhn(players=3)", "leduc", pytest.param("leduc_no_limit", marks=pytest.mark.slow)])
def test_random_play_earns_what_uniform_strategies_earn(tree_of, name):
    tree, tables = tree_of(name), 4096
    arena, ladder = build_arena(tree), jnp.cumsum(jnp.asarray(tree.uniform(), jnp.float32), 1)

    def move(carry, key):
        decision, hands = carry
        words = random_words(key, 3, tables)
        uniform = (words[2] >> 8).astype(jnp.float32) * 2.0**-24
        choice = (uniform[:, None] >= ladder[arena.infoset[decision]]).sum(1)
        played = arena.play(decision, jnp.minimum(choice, ladder.shape[1] - 1), words[:2])
        return (played.where, hands + played.done.sum()), (played.payoff.sum(0), (played.payoff**2).sum(0))

    start = (arena.deal(random_words(jax.random.key(1), 1, tables)), jnp.zeros((), jnp.int64))
    (_, hands), (won, squares) = jax.lax.scan(move, start, jax.random.split(jax.random.key(0), 200))
    mean, square = np.asarray(won.sum(0)) / int(hands), np.asarray(squares.sum(0)) / int(hands)
    error = np.sqrt((square - mean**2) / int(hands))
    # Hands still open at the end are the long ones, a bias of about tables / hands.
    gap = np.abs(mean - feint.expected_values(tree, tree.uniform()))
    assert (gap <= 5 * error + 0.01 * np.sqrt(square)).all()


def test_deals_are_drawn_in_proportion(tree_of):
    arena = build_arena(tree_of("leduc"))
    dealt = np.asarray(arena.deal(random_words(jax.random.key(0), 1, 200_000)))
    chances = lotteries(arena)[0]
    counts = [int((dealt == decision).sum()) for decision in chances]
    assert sum(counts) == len(dealt)
    assert stats.chisquare(counts, np.array(list(chances.values())) * len(dealt)).pvalue > 1e-3


def test_a_game_without_decisions_is_refused(tree_of):
    tree = tree_of("kuhn")
    still = type(tree)(
        **{**{field: getattr(tree, field) for field in tree.__dataclass_fields__}, "actor": tree.actor * 0 - 2}
    )
    with pytest.raises(BadInput, match="no decisions"):
        build_arena(still)
