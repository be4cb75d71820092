"""The best five of five to seven cards: the rule against two other programs, the table against the rule, all hands."""

from __future__ import annotations

import itertools
from math import comb
from random import Random

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import phevaluator
import pokerkit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import feint
from feint.arena.ranks import HandKey, build_ranks
from feint.games.cards import Deck, best_five
from feint.games.holdem import holdem

FULL = holdem().deck
CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
OF_FIVE = (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40)
OF_SEVEN = (23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 41_584)
"""How many hands of five and of seven cards are in each category; both are well known."""
ROYAL_OF_SEVEN = 4_324

rank_cards = eqx.filter_jit(lambda table, cards: table.rank(cards))
rank_keys = eqx.filter_jit(lambda table, key: table.rank_of(key))


def random_hands(count, sizes=(5, 6, 7), cards=52, seed=0):
    rng = Random(seed)
    return [tuple(rng.sample(range(cards), rng.choice(sizes))) for _ in range(count)]


def strength(deck, hand):
    """What the rule says, with hole cards and board told apart as in a game."""
    return best_five(deck, hand[:2], hand[2:])


def by_name(text):
    """The strength of cards by name."""
    number = {FULL.name(card): card for card in range(52)}
    return strength(FULL, tuple(number[name] for name in text.split()))


def assert_same_order(ours, theirs):
    """Two scales rank the same hands the same way: equal where equal, and greater where greater."""
    scale = dict(zip(ours, theirs, strict=True))
    assert [scale[value] for value in ours] == list(theirs)
    ascending = [scale[value] for value in sorted(scale)]
    assert all(low < high for low, high in itertools.pairwise(ascending))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As Ks Qs Js Ts", "Kh Qh Jh Th 9h"),
        ("6d 5d 4d 3d 2d", "Ad 2d 3d 4d 5d"),  # a wheel is the lowest straight
        ("Ad 2d 3d 4d 5d", "As Ah Ad Ac Kd"),
        ("2s 2h 2d 2c 3s 3h 3d", "2s 2h 2d Ac Ad 9s 9h"),
        ("2s 2h 2d 2c 4s 4h 3d", "2s 2h 2d 2c 3s 3h 3d"),  # the kicker may be one of a pair
        ("3s 3h 3d 2s 2h 2d 9c", "2s 2h 2d Ac Ad 9s 9h"),  # of two threes the higher
        ("2s 3s 4s 5s 7s Ah Ad", "Ts Jh Qd Kc As Ad Ac"),
        ("6s 5h 4d 3c 2s Ah Ad", "As 2h 3d 4c 5s Kd Kc"),
        ("As Ah Ks Kh Qs Qh 2d", "As Ah Ks Kh Js Jh Td"),  # the third pair is only a kicker
        ("As Ah Ks Qh Js 9h 2d", "As Ah Ks Qh Th 9h 2d"),
        ("As Kh Qd Jc 9s 3h 2d", "As Kh Qd Jc 8s 7h 6d"),
    ],
)
def test_what_beats_what(better, worse):
    assert by_name(better) > by_name(worse)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("As Kh Qd Jc 9s 3h 2d", "Ah Ks Qs Js 9d 4d 2c"),  # only five cards count
        ("As Ah Kh Kd Qs Qd 2d", "As Ah Kh Kd Qc Jd 2d"),
        ("Ts Jh Qd Kc As Ad Ac", "Ts Jh Qd Kc Ac 9d 9c"),
    ],
)
def test_ties(one, other):
    assert by_name(one) == by_name(other)


def test_the_rule_as_in_phevaluator():
    hands = random_hands(20_000)
    names = [[FULL.name(card) for card in hand] for hand in hands]
    theirs = [-phevaluator.evaluate_cards(*hand) for hand in names]
    assert_same_order([strength(FULL, hand) for hand in hands], theirs)


@pytest.mark.parametrize("hands", [4_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_the_rule_as_in_pokerkit(hands):
    hands = random_hands(hands, seed=1)
    names = ["".join(FULL.name(card) for card in hand) for hand in hands]
    theirs = [pokerkit.StandardHighHand.from_game(hand).entry.index for hand in names]
    assert_same_order([strength(FULL, hand) for hand in hands], theirs)


@given(st.permutations(range(52)), st.integers(5, 7), st.permutations(range(4)))
@settings(max_examples=200)
def test_neither_order_nor_the_names_of_suits_matter(deck, size, suits):
    hand = tuple(deck[:size])
    renamed = tuple(sorted(card // 4 * 4 + suits[card % 4] for card in hand))
    assert strength(FULL, hand) == strength(FULL, renamed)


@given(st.permutations(range(52)), st.integers(5, 6))
@settings(max_examples=200)
def test_one_more_card_never_hurts(deck, size):
    assert strength(FULL, tuple(deck[: size + 1])) >= strength(FULL, tuple(deck[:size]))


@given(st.permutations(range(52)))
@settings(max_examples=100)
def test_the_best_of_seven_is_the_best_of_its_fives(deck):
    hand = tuple(deck[:7])
    assert strength(FULL, hand) == max(strength(FULL, five) for five in itertools.combinations(hand, 5))


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize(
    "deck",
    [
        FULL,
        holdem(ranks=9).deck,
        holdem(ranks=4).deck,
        holdem(ranks=2, rounds=2).deck,
        Deck("2345A", copies=2, suits=True),
        Deck("89TJQKA", copies=1, suits=True),
    ],
)
def test_the_table_as_the_rule(deck, size):
    """Equal where the rule says equal, and greater where it says greater; six and seven cards on the same scale."""
    table = build_ranks(deck)
    hands = random_hands(5000, (size,), deck.kinds)
    strengths, ranks = [strength(deck, hand) for hand in hands], np.asarray(rank_cards(table, jnp.asarray(hands)))
    assert_same_order(strengths, ranks.tolist())
    assert np.array_equal(np.asarray(table.category)[ranks], [category for category, *_ in strengths])


def test_a_short_deck_has_no_wheel():
    deck = holdem(ranks=9).deck
    assert deck.ranks == "6789TJQKA"
    assert strength(deck, (0, 5, 10, 15, 32)) < strength(deck, (0, 5, 10, 15, 16))  # A6789 is no straight


@pytest.mark.parametrize("kind", [jnp.uint8, jnp.int32, jnp.int64])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_batches(kind, shape):
    table = build_ranks(FULL)
    hands = np.resize(np.array(random_hands(6, (7,))), (*shape, 7))
    ranks = eqx.filter_jit(table.rank)(jnp.asarray(hands, kind))
    assert ranks.shape == shape
    assert ranks.dtype == jnp.int32
    for index in np.ndindex(shape):
        assert ranks[index] == table.rank(jnp.asarray(hands[index]))


def test_keys_add_up():
    """One board for two players, and every hole for every board, from keys made once."""
    table, hands = build_ranks(FULL), np.array(random_hands(50, (9,)))
    holes, board = table.key(jnp.asarray(hands[:, :4].reshape(-1, 2, 2))), table.key(jnp.asarray(hands[:, 4:]))
    both = rank_keys(table, board[:, None] + holes)
    assert np.array_equal(both[:, 0], rank_cards(table, jnp.asarray(hands[:, [0, 1, 4, 5, 6, 7, 8]])))
    assert np.array_equal(both[:, 1], rank_cards(table, jnp.asarray(hands[:, 2:])))


def test_cards_dealt_twice_do_no_harm():
    """They have no rank that means anything, but one inside the tables."""
    table = build_ranks(FULL)
    twice = table.key(jnp.asarray([[card] * 7 for card in range(52)]))
    ranks = np.asarray(table.rank_of(twice))
    assert ranks.min() >= 1
    assert ranks.max() <= 7462


@pytest.mark.parametrize("size", [4, 8])
def test_hands_of_other_sizes_are_refused(size):
    with pytest.raises(feint.BadInput, match=rf"^Hands have 5 to 7 cards, but .*\(2, {size}\).*\.$"):
        build_ranks(FULL).rank(jnp.zeros((2, size), int))


@pytest.mark.parametrize("deck", [Deck("JQK", copies=2), Deck("23456789TJQKA", copies=5, suits=True)])
def test_decks_without_tables_are_refused(deck):
    with pytest.raises(feint.BadInput, match=r"^Hands are ranked in decks of .*, not in Deck\(.*\)\.$"):
        build_ranks(deck)


# All hands there are. A hand is its lowest cards and its highest ones, and its key the sum of theirs.


def census(lowest, highest, chunk=1 << 19):
    """How many hands have each rank, over all hands of `lowest` + `highest` cards."""
    table = build_ranks(FULL)
    low, high = groups(table, lowest), groups(table, highest)
    found = np.zeros(len(table.category), np.int64)
    for top in range(lowest - 1, 52 - highest):
        below = tuple(part[low["last"] == top] for part in low["key"])
        above = tuple(part[high["first"] > top] for part in high["key"])
        ranks, suits = (np.add.outer(one, other).ravel() for one, other in zip(below, above, strict=True))
        for start in range(0, len(ranks), chunk):
            found += ranked(table, ranks[start : start + chunk], suits[start : start + chunk], chunk)
    return found


def groups(table, size):
    cards = np.array(list(itertools.combinations(range(52), size)), np.uint8)
    key = table.key(jnp.asarray(cards))
    return {"first": cards[:, 0], "last": cards[:, -1], "key": (np.asarray(key.ranks), np.asarray(key.suits))}


def ranked(table, ranks, suits, chunk):
    """The census of a chunk, which is filled up to its full length so that one compilation serves all."""
    count = len(ranks)
    ranks, suits = (np.concatenate([part, part[:1].repeat(chunk - count)]) for part in (ranks, suits))
    found = rank_keys(table, HandKey(jnp.asarray(ranks), jnp.asarray(suits)))[:count]
    return np.bincount(np.asarray(found), minlength=len(table.category))


@pytest.mark.parametrize(
    ("lowest", "highest", "expected", "classes"),
    [(2, 3, OF_FIVE, 7462), pytest.param(3, 4, OF_SEVEN, 4824, marks=pytest.mark.slow)],
)
def test_all_hands(lowest, highest, expected, classes):
    found = census(lowest, highest)
    categories = np.asarray(build_ranks(FULL).category)
    assert found.sum() == comb(52, lowest + highest) == sum(expected)
    assert {name: int(found[categories == number].sum()) for number, name in enumerate(CATEGORIES)} == dict(
        zip(CATEGORIES, expected, strict=True)
    )
    assert (found > 0).sum() == classes
    assert len(found) == 7462 + 1
    assert found[0] == 0
    assert found[-1] == (4 if lowest + highest == 5 else ROYAL_OF_SEVEN)
