"""A strategy's table, played by its cards: what it says and what it earns."""

from __future__ import annotations

from random import Random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from conftest import betting_of, random_table
from feint.arena.arena import random_words
from feint.arena.cards import HIDDEN, Seen, build_card_arena
from feint.arena.hands import play_out
from feint.arena.policy import card_table

SHORT = "holdem(ranks=2,rounds=2)"
"""Flop hold'em with eight cards: it unrolls, and players hold two."""
LONG = pytest.param(SHORT, marks=pytest.mark.slow)


def decisions(game, state):
    """Every decision from a state on."""
    if game.actor(state) == feint.TERMINAL:
        return
    if game.actor(state) == feint.CHANCE:
        after = [each for _, each in game.chance(state)]
    else:
        yield state
        after = [game.play(state, move) for move in game.legal(state)]
    for each in after:
        yield from decisions(game, each)


def random_decisions(game, hands):
    """The decisions of some random hands."""
    rng = Random(0)
    for _ in range(hands):
        state = game.start()
        while game.actor(state) != feint.TERMINAL:
            if game.actor(state) == feint.CHANCE:
                state = rng.choice([each for _, each in game.chance(state)])
            else:
                yield state
                state = game.play(state, rng.choice(game.legal(state)))


@pytest.mark.parametrize("name", ["kuhn", "kuhn(players=3)", "leduc", "leduc(suits=True)", "leduc_no_limit", LONG])
def test_a_table_by_cards_is_the_table(tree_of, played, name):
    game, tree, betting = feint.load_game(name), tree_of(name), betting_of(name)
    table = random_table(tree, 1)
    states = list(random_decisions(game, 200) if name == SHORT else decisions(game, game.start()))
    number = {view: row for row, view in enumerate(tree.views)}
    rows = np.array([number[game.view(hand, hand.actor)] for hand in states])
    assert name == SHORT or set(rows) == set(range(len(tree.views)))
    nodes, cards = [], []
    width = game.hole + sum(declared.board for declared in game.rounds)
    for hand in states:
        node = 0
        for move in (move for made in hand.moves for move in made):
            node = int(betting.child[node, move])
        nodes.append(node)
        own = hand.holes[hand.actor][::-1]  # the order in which they were dealt does not matter
        cards.append((*own, *hand.board, *(HIDDEN,) * (width - len(own) - len(hand.board))))
    infostate = Seen(jnp.asarray(nodes, jnp.int16), jnp.asarray(cards, jnp.uint8))
    answers = played(name, table)(infostate, jnp.asarray(betting.actor[nodes]))
    np.testing.assert_allclose(answers, table[rows], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kuhn", "kuhn(players=3)", "leduc", "leduc(suits=True)"])
def test_a_table_by_cards_earns_what_the_tree_says(tree_of, played, name):
    tree, tables = tree_of(name), 50_000
    table, arena = random_table(tree, 2), build_card_arena(betting_of(name))
    where = arena.deal(random_words(jax.random.key(0), arena.deal_words, tables))
    seated = jnp.zeros((tables, tree.players), jnp.int32)
    won = np.asarray(play_out(arena, (played(name, table),), seated, where, jax.random.key(1)))
    error = won.std(0) / np.sqrt(tables)
    assert (np.abs(won.mean(0) - feint.expected_values(tree, table)) <= 4 * error).all()


def test_tables_by_cards_are_refused_where_they_would_not_fit(tree_of):
    with pytest.raises(feint.BadInput, match="choose a game with fewer cards"):
        card_table(tree_of("leduc"), betting_of("holdem(rounds=2)"), tree_of("leduc").uniform())
    for name, other in [("leduc", "kuhn"), ("kuhn", "leduc"), ("rock_paper_scissors", "kuhn")]:
        with pytest.raises(feint.BadInput, match="unroll both from the same game"):
            card_table(tree_of(name), betting_of(other), tree_of(name).uniform())
