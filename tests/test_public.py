"""Public trees: equal to unrolled trees wherever both can be had, and to known numbers where only they can."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import comb

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import feint
from feint.arena.arena import Arena
from feint.arena.cards import HIDDEN, Seen
from feint.arena.policy import Policy
from feint.forms.dealt import CardForm
from feint.forms.library import form_of
from feint.forms.public import PublicForm
from feint.forms.unrolled import TreeForm
from feint.games.cards import Cards, Deck, high_card, pair_then_rank
from feint.games.library import load_game
from feint.games.poker import Poker, Round
from feint.public.boards import count_boards, deal, first_board, renamings_of, same_hands
from feint.public.build import build_public_tree, public_size
from feint.public.combinations import chosen, number_of
from feint.public.judge import judge, leaks_of
from feint.public.policy import PublicPolicy, written_down
from feint.public.showdown import removal_of, showdown_of
from feint.public.showdown_kernel import won_less_lost
from feint.solvers.cfr import ALGORITHMS, CFR
from feint.solvers.public_cfr import PublicRegretMinimiser
from feint.solvers.regrets import Rule

DECK = Deck("23456789TJQKA", 4, suits=True)


def minimiser(tree, config: CFR) -> PublicRegretMinimiser:
    rule = Rule(config.alpha, config.beta, config.gamma, config.predictive)
    return PublicRegretMinimiser(tree, rule, config.alternating, tree.betting.fingerprint)


def stepped(solver, state, steps: int):
    forward = eqx.filter_jit(lambda solver, state: jax.lax.fori_loop(0, steps, lambda _, s: solver.step(s)[0], state))
    return forward(solver, state)


def test_choices_are_numbered_in_order():
    for of, count in ((5, 1), (7, 2), (8, 3)):
        choices = chosen(of, count)
        assert {tuple(choice) for choice in choices.tolist()} == set(combinations(range(of), count))
        assert number_of(choices[:, ::-1], of).tolist() == list(range(len(choices)))


def test_boards_up_to_suits_are_counted_before_they_are_made():
    renamings = renamings_of(DECK, (), symmetric=True)
    assert count_boards(renamings, (), (3,)) == [1755]
    flops = deal(first_board(renamings, (), 2), renamings, 2, 3)
    assert len(flops) == 1755
    assert flops.weight.sum() * comb(48, 3) == pytest.approx(comb(52, 3))
    # Every flop is found, and renamed it is the one that stands for it.
    draws = chosen(52, 3)
    place, way = flops.place[0, number_of(draws, 52)], flops.renaming[0, number_of(draws, 52)]
    assert (np.sort(renamings[way[:, None], draws], 1) == flops.cards[place]).all()


def test_renamings_that_change_nothing_take_hands_to_hands():
    deck = Deck("QKA", 4, suits=True)
    renamings = renamings_of(deck, (), symmetric=True)
    boards = deal(first_board(renamings, (), 2), renamings, 2, 3)
    same = same_hands(boards, renamings, 2)
    assert same is not None
    assert (np.sort(same, -1) == np.arange(same.shape[-1])).all()
    assert (same[:, 0] == np.arange(same.shape[-1])).all()


@pytest.mark.parametrize("hole", [1, 2])
def test_showdowns_are_what_comparing_all_pairs_gives(hole):
    left, rng = 9, np.random.default_rng(0)
    hands = chosen(left, hole)
    strength = rng.integers(0, 6, (4, len(hands)), np.int32)
    reach = rng.random((4, 3, len(hands)))
    apart = ~(hands[:, None, :, None] == hands[None, :, None, :]).any((2, 3))
    sign = np.sign(strength[:, :, None] - strength[:, None, :]) * apart
    won = np.einsum("bmo,bto->btm", sign, reach)
    for way in ("sums", "products"):
        shown = showdown_of(strength, hands, left, way)
        np.testing.assert_allclose(shown(jnp.asarray(reach), jnp.asarray(0), 4), won, atol=1e-12)
        np.testing.assert_allclose(shown(jnp.asarray(reach[1:3]), jnp.asarray(1), 2), won[1:3], atol=1e-12)
    single = jnp.asarray(reach, jnp.float32)
    strong = jnp.asarray(strength, jnp.float32)
    np.testing.assert_allclose(won_less_lost(single, strong, jnp.asarray(apart), interpret=True), won, atol=1e-5)
    np.testing.assert_allclose(removal_of(hands, left)(jnp.asarray(reach)), reach @ apart, atol=1e-12)


def short_holdem(ranks: int, suits: int) -> Poker:
    """Flop hold'em with a short deck."""
    return replace(load_game("flop_holdem"), deck=Deck("23456789TJQKA"[-ranks:], suits, suits=True))


def few_bets(game: Poker, before: int, board: int = 3) -> Poker:
    """The same with so many raises before the board and one bet on it, so that it can be unrolled."""
    return replace(game, rounds=(Round(2, before), Round(2, 1, board, 1)))


def best_three(deck: Deck, hole: Cards, board: Cards) -> tuple[int, ...]:
    """Three of a kind, then pairs; among equals of these a flush."""
    cards = (*hole, *board)
    ranks = sorted(map(deck.rank, cards), reverse=True)
    most = max(ranks, key=ranks.count)
    return ranks.count(most), len({deck.suit(card) for card in cards}) == 1, most, *ranks


ALIKE = {
    "kuhn": load_game("kuhn"),
    "leduc": load_game("leduc(suits=true)"),
    "no-limit leduc": replace(load_game("leduc_no_limit"), deck=Deck("QKA", 2, suits=True)),
    "8 cards": short_holdem(2, 4),
    "5 x 2 cards": few_bets(short_holdem(5, 2), 1),
    "3 x 4 cards": few_bets(short_holdem(3, 4), 0),
    # With three cards on the board a single round with a single bet is 24 million nodes.
    "4 x 4 cards": replace(few_bets(short_holdem(4, 4), 0, board=1), showdown=best_three),
}
FEW = "5 x 2 cards", "3 x 4 cards", "4 x 4 cards"
"""Games that take so long to unroll that one algorithm must do."""


@pytest.mark.parametrize(
    ("name", "algorithm", "symmetric"),
    [
        ("kuhn", "cfr+", True),
        *(
            pytest.param(name, algorithm, symmetric, marks=pytest.mark.slow)
            for name in ALIKE
            for symmetric in (True, False)
            for algorithm in (*ALGORITHMS, "simultaneous")
            if name not in FEW or algorithm == "cfr+"
        ),
    ],
)
def test_iterates_are_those_of_the_unrolled_tree(name, algorithm, symmetric):
    """From regrets in which nothing comes out even.

    Where two moves are worth exactly the same, rounding decides which has the regret, and whoever adds up in another
    order plays another move: from nothing, iterates would part without either being wrong.
    """
    game, steps = ALIKE[name], 8
    whole = TreeForm.of(game, None)
    tree = build_public_tree(game, symmetric=symmetric, exact=True, piece=None if symmetric else 3)
    config = CFR(alternating=False) if algorithm == "simultaneous" else ALGORITHMS[algorithm].config
    solver, public = config.on(whole), minimiser(tree, config)
    first = RankPolicy(PublicForm.of(game, None).arena, game.deck.copies, 4)
    strategy = solver.strategy(stepped(solver, unrolled_start(solver, whole, first), steps))
    weights = public.strategy(stepped(public, public_start(public, first), steps)).weights
    found = eqx.filter_jit(judge)(tree, weights)
    assert found.nash_conv == pytest.approx(feint.nash_conv(whole.tree, strategy), abs=1e-9)
    np.testing.assert_allclose(found.values, feint.expected_values(whole.tree, strategy), atol=1e-9)


@pytest.mark.slow
def test_leduc_with_like_cards_is_the_same_game():
    whole, config = TreeForm.of(load_game("leduc"), None), ALGORITHMS["dcfr"].config
    solver, public = config.on(whole), minimiser(build_public_tree(whole.game, exact=True), config)
    strategy = solver.strategy(stepped(solver, solver.init(jax.random.key(0)), 8))
    weights = public.strategy(stepped(public, public.init(jax.random.key(0)), 8)).weights
    found = eqx.filter_jit(judge)(public.tree, weights)
    assert found.nash_conv == pytest.approx(feint.nash_conv(whole.tree, strategy), abs=1e-9)


def unrolled_start(solver, whole: TreeForm, policy: Policy):
    """Regrets in proportion to a policy, and what is played by them."""
    state = solver.init(jax.random.key(0))
    regrets = solver.form.vectors(jnp.asarray(as_table(whole, policy)) / 50)
    played = [side.normalise(regret) for side, regret in zip(solver.form.sides, regrets, strict=True)]
    return state._replace(regrets=regrets, strategies=tuple(played), plans=solver.form.plans(played))


def public_start(solver: PublicRegretMinimiser, policy: Policy):
    """The same. Regrets are not weighted here with the chance of the deal and of the board."""
    state, book = solver.init(jax.random.key(0)), []
    tables = eqx.filter_jit(written_down)(solver.tree, policy)
    game = solver.tree.betting.game
    rarity, left, hole = solver.tree.deals, len(game.deck.ranks) * game.deck.copies, game.hole
    for stage, pages, moves in zip(solver.tree.rounds, state.book, tables, strict=True):
        rarity = rarity * comb(left - 2 * hole, left - stage.rest.shape[1])
        left = stage.rest.shape[1]
        book.append(
            tuple(
                page._replace(regrets=tuple(chance * rarity / 50 for chance in chances))
                for page, chances in zip(pages, moves, strict=True)
            )
        )
    return state._replace(book=tuple(book))


def as_table(whole: TreeForm, policy: Policy) -> np.ndarray:
    """What a policy does everywhere in an unrolled game."""
    form = PublicForm.of(whole.game, None)
    seen = [form.sees(int(who), view) for who, view in zip(whole.tree.player, whole.tree.views, strict=True)]
    # NumPy's: an array of its own for each of 40,000 situations takes XLA many minutes to put together.
    every = jax.tree.map(lambda *each: jnp.asarray(np.concatenate(each)), *seen)
    rows = policy(every, jnp.asarray(whole.tree.player))
    return np.asarray(rows, float)[:, [whole.game.actions.index(name) for name in whole.tree.actions]]


@st.composite
def games(draw) -> Poker:
    """Small declared games of all kinds."""
    suits = draw(st.booleans())
    deck = Deck("TJQKA"[-draw(st.integers(2, 3)) :], copies=draw(st.integers(2, 3)), suits=suits)
    hole = draw(st.integers(1, 2)) if suits else 1
    boards = draw(st.sampled_from([(0,), (1,), (0, 1), (0, 0), (0, 1, 1)]))
    assume(len(deck.ranks) * deck.copies >= 2 * hole + max(sum(boards), 2))
    no_limit = draw(st.booleans())
    rounds = tuple(
        Round(
            0.0 if no_limit else draw(st.sampled_from([1.0, 2.0])),
            draw(st.integers(1, 2)),
            board,
            draw(st.integers(0, 1)),
        )
        for board in boards
    )
    return Poker(
        deck=deck,
        hole=hole,
        ante=1,
        rounds=rounds,
        showdown=draw(st.sampled_from([high_card, pair_then_rank])),
        stack=draw(st.sampled_from([3.0, 7.0])) if no_limit else None,
        pot_bets=(0.5, 1.0) if no_limit else (),
        free_folds=draw(st.booleans()),
    )


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(game=games(), seed=st.integers(0, 9))
def test_any_declared_game_is_judged_as_when_unrolled(game, seed):
    if game.unrolled_size()[0] < 60_000:
        judged_alike(game, seed)


def test_a_declared_game_is_judged_as_when_unrolled():
    deck = Deck("QKA", 2, suits=True)
    judged_alike(
        Poker(deck, (Round(cap=1), Round(cap=1, board=1)), pair_then_rank, ante=1, stack=7, pot_bets=(1.0,)), 3
    )


@pytest.mark.slow
def test_a_game_with_rake_is_judged_as_when_unrolled():
    """Ties among them, and pots on both sides of the cap."""
    deck = Deck("QKA", 2, suits=True)
    rounds = Round(2.0, cap=1), Round(4.0, cap=1, board=1)
    judged_alike(Poker(deck, rounds, high_card, ante=1, rake=0.1, rake_cap=0.5), 3)


def judged_alike(game: Poker, seed: int) -> None:
    whole, form = TreeForm.of(game, None), PublicForm.of(game, None)
    tree = build_public_tree(game, exact=True)
    play = RankPolicy(form.arena, game.deck.copies if game.deck.suits else 1, seed)
    tables = eqx.filter_jit(written_down)(tree, play)
    found = eqx.filter_jit(judge)(tree, tables)
    table = as_table(whole, play)
    table /= table.sum(1, keepdims=True)
    assert found.nash_conv == pytest.approx(feint.nash_conv(whole.tree, table), abs=1e-6)
    np.testing.assert_allclose(found.values, feint.expected_values(whole.tree, table), atol=1e-6)
    leaks = eqx.filter_jit(leaks_of)(tree, tables)
    assert leaks.sum() == pytest.approx(float(found.nash_conv), abs=1e-6)
    assert leaks.min() >= -1e-9


class RankPolicy(Policy):
    """Some play or other that looks at the betting and at ranks, never at suits."""

    arena: Arena
    suits: int = eqx.field(static=True)
    seed: int = eqx.field(static=True)

    def __call__(self, infostate, turn):
        ranks = jnp.sort(infostate.cards[:, : self.arena.hole].astype(jnp.int32) // self.suits, 1)
        mixed = infostate.node.astype(jnp.int32) * 31 + ranks @ jnp.arange(3, 3 + ranks.shape[1]) + self.seed
        weights = 1.0 + jnp.sin(mixed[:, None] * (1.7 + jnp.arange(self.arena.moves))) ** 2
        weights = jnp.where(self.arena.legal(infostate), weights, 0.0)
        return (weights / weights.sum(1, keepdims=True)).astype(jnp.float32)

    @property
    def symmetric(self) -> bool:
        return True


@pytest.mark.slow
def test_what_is_written_down_is_what_is_played():
    game = load_game("flop_holdem(ranks=3)")
    form = PublicForm.of(game, None)
    tree = form.public()
    play = RankPolicy(form.arena, 4, 5)
    tables = eqx.filter_jit(written_down)(tree, play)
    played = PublicPolicy(tree, tables)
    rng = np.random.default_rng(1)
    node = rng.integers(0, len(form.betting.actor), 200)
    cards = np.array([rng.permutation(12)[:5] for _ in node])
    hidden = np.arange(5) >= 2 + 3 * form.betting.round[node][:, None]
    seen = Seen(jnp.asarray(node, jnp.int32), jnp.asarray(np.where(hidden, HIDDEN, cards), jnp.uint8))
    turn = jnp.asarray(form.betting.actor[node])
    np.testing.assert_allclose(played(seen, turn), play(seen, turn), atol=1e-6)


@pytest.mark.parametrize("name", ["leduc(suits=true)", pytest.param("flop_holdem(ranks=3)", marks=pytest.mark.slow)])
def test_hands_that_never_come_may_be_left_out(name):
    """With some hands left out numbers are kept, and with others taken anew on every board: it is the same game."""
    game = load_game(name)
    rng, count = np.random.default_rng(3), len(build_public_tree(game).held)
    comes = rng.random((2, count)) < 0.7
    ranges = [np.where(each, rng.random(count), 0.0) for each in comes]
    narrow = build_public_tree(game, ranges=ranges, exact=True, way="sums")
    wide = build_public_tree(game, symmetric=False, exact=True, way="products")
    wide = eqx.tree_at(lambda tree: tree.ranges, wide, tuple(map(jnp.asarray, ranges)))
    assert len(narrow.held) == (comes[0] | comes[1]).sum() < count
    assert float(narrow.deals) == pytest.approx(float(wide.deals))
    found = [
        eqx.filter_jit(judge)(
            tree, tuple(tuple(stage.zeros(each) for each in range(len(stage.moves))) for stage in tree.rounds)
        )
        for tree in (narrow, wide)
    ]
    np.testing.assert_allclose(found[0].values, found[1].values, atol=1e-12)
    np.testing.assert_allclose(found[0].best, found[1].best, atol=1e-12)


def test_sizes_are_those_of_the_literature():
    size = public_size(load_game("flop_holdem"))
    assert size.boards == (1, 1755)
    assert size.decisions == (8, 70)
    assert size.public == 122_858  # shared research: what the prototype stored
    assert size.infosets == 8 * 1326 + 1755 * 70 * 1176
    assert public_size(load_game("flop_holdem"), symmetric=False).boards == (1, 22_100)


def test_games_find_their_form():
    assert isinstance(form_of("leduc"), TreeForm)
    assert isinstance(form_of("flop_holdem"), PublicForm)
    assert isinstance(form_of("holdem"), CardForm)
    assert isinstance(form_of(replace(load_game("flop_holdem"), players=3)), CardForm)
