"""Public trees: equal to unrolled trees wherever both can be had, and to known numbers where only they can."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations
from math import comb, prod

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import feint
from conftest import reached
from feint.arena.arena import Arena
from feint.arena.cards import HIDDEN, Seen
from feint.arena.policy import Policy
from feint.evaluate.exploitability import LEAKS, SMALLEST, Exploitability
from feint.forms.dealt import CardForm
from feint.forms.library import form_of
from feint.forms.public import PublicForm
from feint.forms.public_strategy import PublicStrategy
from feint.forms.strategy import PolicyStrategy, Strategy, TabularStrategy
from feint.forms.unrolled import TreeForm
from feint.games.cards import Cards, Deck, high_card, pair_then_rank
from feint.games.library import load_game
from feint.games.poker import Menu, Poker, Round
from feint.players.player import StrategyPlayer
from feint.public.boards import count_boards, deal, first_board, renamings_of, same_hands
from feint.public.build import build_public_tree
from feint.public.combinations import chosen, number_of
from feint.public.judge import judge
from feint.public.policy import PublicPolicy, written_down
from feint.public.room import lacking
from feint.public.showdown import removal_of, showdown_of
from feint.public.showdown_kernel import won_less_lost
from feint.public.start import blind_to_suits, start_of
from feint.runs.config import resolve
from feint.solvers.cfr import ALGORITHMS, CFR
from feint.solvers.public_cfr import PublicRegretMinimiser
from feint.solvers.regrets import Rule

DECK = Deck("23456789TJQKA", 4, suits=True)
ROWS = {"replay.kind": "rows", "average.kind": "reservoir", "network.hidden": (8,), "tables": 16}


def minimiser(tree, config: CFR) -> PublicRegretMinimiser:
    rule = Rule(config.alpha, config.beta, config.gamma, config.predictive)
    return PublicRegretMinimiser(tree, rule, config.alternating, tree.betting.fingerprint)


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


def test_boards_of_more_cards_than_a_word_has_bits_are_those_that_were_counted():
    renamings = renamings_of(Deck("23456789TJQKAabcde", 4, suits=True), (), symmetric=True)
    first = deal(first_board(renamings, (), 1), renamings, 1, 1)
    assert [len(first), len(deal(first, renamings, 1, 1))] == count_boards(renamings, (), (1, 1)) == [18, 630]
    same = same_hands(first, renamings, 1)
    ranks = np.take_along_axis(first.rest[:, None], same, 2) // 4
    assert (ranks == first.rest[:, None] // 4).all(), "hands become others of the same rank"


def test_games_with_many_cards_of_each_rank_are_not_for_public_trees():
    game = Poker(Deck("QKA", 8), (Round(2, 1), Round(2, 1, board=1)), pair_then_rank, ante=1)
    assert PublicForm.of(game, None) is None
    with pytest.raises(
        feint.BadInput, match=r"has 8 cards of each rank, which can be renamed in too many ways; ask for"
    ):
        build_public_tree(game)
    assert build_public_tree(game, symmetric=False).rounds


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
    for way, written in (("sums", False), ("products", False), ("products", True)):
        shown = showdown_of(strength, hands, left, way, written=written)
        np.testing.assert_allclose(shown(jnp.asarray(reach), jnp.asarray(0), 4), won, atol=1e-12)
        np.testing.assert_allclose(shown(jnp.asarray(reach[1:3]), jnp.asarray(1), 2), won[1:3], atol=1e-12)
    single = jnp.asarray(reach, jnp.float32)
    strong = jnp.asarray(strength, jnp.float32)
    np.testing.assert_allclose(won_less_lost(single, strong, jnp.asarray(apart), interpret=True), won, atol=1e-5)
    np.testing.assert_allclose(removal_of(hands, left)(jnp.asarray(reach)), reach @ apart, atol=1e-12)


def short_holdem(ranks: int, suits: int) -> Poker:
    """Flop hold'em with a short deck."""
    return replace(load_game("flop_holdem"), deck=Deck("23456789TJQKA"[-ranks:], suits, suits=True))


def few_bets(game: Poker, before: int, board: int = 3, **changes) -> Poker:
    """The same with so many raises before the board and one bet on it, so that it can be unrolled."""
    return replace(game, rounds=(Round(2, before), Round(2, 1, board, 1)), **changes)


def best_three(deck: Deck, hole: Cards, board: Cards) -> tuple[int, ...]:
    """Three of a kind, then pairs; among equals of these a flush."""
    cards = (*hole, *board)
    ranks = sorted(map(deck.rank, cards), reverse=True)
    most = max(ranks, key=ranks.count)
    return ranks.count(most), len({deck.suit(card) for card in cards}) == 1, most, *ranks


def best_card(deck: Deck, hole: Cards, board: Cards) -> tuple[bool, int]:
    """A pair, and among equals the card itself: suits count."""
    return deck.rank(hole[0]) in map(deck.rank, board), hole[0]


def test_suits_that_a_showdown_minds_are_kept_apart():
    game = replace(load_game("leduc(suits=true)"), showdown=best_card)
    trees = [build_public_tree(game, symmetric=symmetric) for symmetric in (True, False)]
    assert [len(tree.renamings) for tree in trees] == [1, 1]
    assert not blind_to_suits(game)
    assert blind_to_suits(replace(game, showdown=best_three))
    assert blind_to_suits(load_game("holdem"))


ALIKE = {
    "kuhn": load_game("kuhn"),
    "leduc": load_game("leduc(suits=true)"),
    "leduc with like cards": load_game("leduc"),
    "no-limit leduc": replace(load_game("leduc_no_limit"), deck=Deck("QKA", 2, suits=True)),
    "8 cards": short_holdem(2, 4),
    "5 x 2 cards": few_bets(short_holdem(5, 2), 1),
    "3 x 4 cards": few_bets(short_holdem(3, 4), 0),
    # With three cards on the board a single round with a single bet is 24 million nodes.
    "4 x 4 cards": few_bets(short_holdem(4, 4), 0, board=1, showdown=best_three),
}
SOLVERS = {name: each.config for name, each in ALGORITHMS.items()} | {"simultaneous": CFR(alternating=False)}
FEW = "5 x 2 cards", "3 x 4 cards", "4 x 4 cards"
"""Games that take so long to unroll that one algorithm must do."""


FAST = [("kuhn", "cfr+", True), ("leduc", "cfr+", True)]


@pytest.mark.parametrize(
    ("name", "algorithm", "symmetric"),
    [
        *FAST,
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for name in ALIKE
            for symmetric in (True, False)
            for algorithm in SOLVERS
            if (name not in FEW or algorithm == "cfr+") and (case := (name, algorithm, symmetric)) not in FAST
        ),
    ],
)
def test_iterates_are_those_of_the_unrolled_tree(name, algorithm, symmetric):
    """Regrets and plans, from regrets in which nothing comes out even.

    Where two moves are worth exactly the same, rounding decides which has the regret, and whoever adds up in another
    order plays another move: from nothing, iterates would part without either being wrong.
    """
    iterated_alike(ALIKE[name], SOLVERS[algorithm], symmetric)


def iterated_alike(game: Poker, config: CFR, symmetric: bool) -> None:
    """Regrets, plans and what the average strategy is worth after a few iterations on both trees."""
    whole = TreeForm.of(game, None)
    tree = build_public_tree(game, symmetric=symmetric, exact=True, piece=None if symmetric else 3)
    solver, public = config.on(whole), minimiser(tree, config)
    first = RankPolicy(PublicForm.of(game, None).arena, game.deck.copies if game.deck.suits else 1, 4)
    # An information set of the one may be several of the other, which share its chance.
    shared = together(whole)[:, None]
    regrets, plans, strategy = unrolled_steps(solver, as_table(whole, first) * shared / 50)
    book, judgement = public_steps(public, first, rarities(tree))
    same_everywhere(whole, tree, plans, [[page.plan_sum for page in pages] for pages in book])
    weighted = [
        [tuple(np.asarray(move) / rarity for move in page.regrets) for page in pages]
        for rarity, pages in zip(rarities(tree), book, strict=True)
    ]
    same_everywhere(whole, tree, regrets / shared, weighted)
    assert judgement.nash_conv == pytest.approx(feint.nash_conv(whole.tree, strategy), abs=1e-9)
    np.testing.assert_allclose(judgement.values, feint.expected_values(whole.tree, strategy), atol=1e-9)


@eqx.filter_jit
def unrolled_steps(solver, regrets, steps: int = 8):
    """Regrets, plans and the average strategy of an unrolled game after so many steps from some regrets."""
    form, state = solver.form, solver.init(jax.random.key(0))
    regrets = form.vectors(regrets)
    played = tuple(side.normalise(regret) for side, regret in zip(form.sides, regrets, strict=True))
    state = state._replace(regrets=regrets, strategies=played, plans=form.plans(played))
    state = jax.lax.fori_loop(0, steps, lambda _, state: solver.step(state)[0], state)
    plans = form.table([plan[:-1] for plan in state.plan_sum])
    return form.table(state.regrets), plans, solver.strategy(state).probabilities


@eqx.filter_jit
def public_steps(solver: PublicRegretMinimiser, policy: Policy, rarities, steps: int = 8):
    """All that is kept on its public tree after the same. Regrets are not weighted there with the chance of a deal."""
    state, tables = solver.init(jax.random.key(0)), written_down(solver.tree, policy)
    book = tuple(
        tuple(
            page._replace(regrets=tuple(chance * rarity / 50 for chance in chances))
            for page, chances in zip(pages, moves, strict=True)
        )
        for rarity, pages, moves in zip(rarities, state.book, tables, strict=True)
    )
    state = state._replace(book=book)
    state = jax.lax.fori_loop(0, steps, lambda _, state: solver.step(state)[0], state)
    return state.book, judge(solver.tree, solver.strategy(state).weights)


def same_everywhere(whole: TreeForm, tree, table, tables) -> None:
    """Whether a table of an unrolled game and tables of its public tree say the same of every board and hand."""
    game, betting = whole.game, tree.betting
    table, rows = np.asarray(table), {up_to_suits(game, label): row for row, label in enumerate(whole.tree.labels)}
    deck, seen = replace(game.deck, suits=True), set()
    largest = np.abs(table).max()
    for stage, pages in zip(tree.rounds, tables, strict=True):
        hands = np.asarray(stage.rest)[:, np.asarray(stage.removal.cards)]  # [b, h, hole]
        told = [
            ["".join(deck.name(card)[: 1 + game.deck.suits] for card in (*hand, *board)) for hand in held.tolist()]
            for held, board in zip(hands, np.asarray(stage.cards).tolist(), strict=True)
        ]
        for decision, moves in zip(stage.betting.decisions, pages, strict=True):
            for line, node in enumerate(decision.nodes.tolist()):
                after = f": {betting.labels[node]}" if betting.labels[node] else ""
                here = np.array([[rows[up_to_suits(game, cards + after)] for cards in row] for row in told])
                legal = np.flatnonzero(whole.tree.legal[here[0, 0]])
                for move, column in zip(moves, legal, strict=True):
                    np.testing.assert_allclose(move[:, line], table[here, column], rtol=1e-9, atol=1e-9 * largest)
                seen |= set(here.ravel().tolist())
    assert len(seen) == len(set(rows.values()))


def up_to_suits(game: Poker, sees: str) -> tuple:
    """What a player sees, the same for all that differ in suits alone."""
    cards, _, betting = sees.partition(": ")
    return _up_to_suits(game, cards.replace(" ", "")), betting


@cache
def _up_to_suits(game: Poker, cards: str) -> tuple:
    suits, groups = "shdc"[: game.deck.copies] if game.deck.suits else "", cards_of(game, cards)
    ways = [str.maketrans(suits, "".join(way)) for way in permutations(suits)]
    return min(tuple(tuple(sorted(card.translate(way) for card in group)) for group in groups) for way in ways)


def cards_of(game: Poker, cards: str) -> list[list[str]]:
    """A player's cards and those of each round on the board."""
    width, left, groups = 1 + game.deck.suits, cards, []
    for count in (game.hole, *(declared.board for declared in game.rounds)):
        group, left = left[: count * width], left[count * width :]
        groups.append([group[place : place + width] for place in range(0, len(group), width)])
    return groups


def together(whole: TreeForm) -> np.ndarray:
    """How many deals are one information set, where copies of a rank are the same card."""
    game, found = whole.game, []
    for label in whole.tree.labels:
        gone: Counter[str] = Counter()
        ways = 1
        for group in map(Counter, cards_of(game, label.partition(": ")[0].replace(" ", ""))):
            ways *= prod(comb(game.deck.copies_of_kind - gone[card], count) for card, count in group.items())
            gone += group
        found.append(ways)
    return np.array(found, float)


def rarities(tree) -> list[float]:
    """What one deal of hands and boards counts in each round, where all of them together count 1, is one of so many."""
    game, found = tree.betting.game, []
    left = len(game.deck.ranks) * game.deck.copies
    rarity = float(comb(left, game.hole) * comb(left - game.hole, game.hole))
    for stage in tree.rounds:
        rarity *= comb(left - 2 * game.hole, left - stage.rest.shape[1])
        left = stage.rest.shape[1]
        found.append(rarity)
    return found


def as_table(whole: TreeForm, policy: Policy) -> np.ndarray:
    """What a policy does everywhere in an unrolled game."""
    form = PublicForm.of(whole.game, None)
    seen = [form.sees(int(who), view) for who, view in zip(whole.tree.player, whole.tree.views, strict=True)]
    # NumPy's: an array of its own for each of 40,000 situations takes XLA many minutes to put together.
    every = jax.tree.map(lambda *each: jnp.asarray(np.concatenate(each)), *seen)
    rows = eqx.filter_jit(policy)(every, jnp.asarray(whole.tree.player))
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
    bets = draw(st.sampled_from([(0.5, 1.0), (1.0,), (0.75, 2.0)]))
    menus = st.sampled_from([(), (Menu(bets, bets[:1]), Menu(bets[-1:], bets, all_in=False))])
    rounds = tuple(
        Round(
            0.0 if no_limit else draw(st.sampled_from([1.0, 2.0])),
            draw(st.sampled_from([1, 2, None])) if no_limit else draw(st.integers(1, 2)),
            board,
            draw(st.integers(0, 1)),
            draw(menus) if no_limit else (),
        )
        for board in boards
    )
    ante, blinds = draw(st.sampled_from([(1.0, ()), (0.0, (1.0, 2.0)), (0.5, (1.0, 2.0)), (0.0, (2.0, 1.0))]))
    rake = draw(st.sampled_from([0.0, 0.0, 0.1]))
    return Poker(
        deck=deck,
        hole=hole,
        ante=ante,
        blinds=blinds,
        rounds=rounds,
        showdown=draw(st.sampled_from([high_card, pair_then_rank])),
        stack=draw(st.sampled_from([3.0, 7.0])) if no_limit else None,
        pot_bets=bets if no_limit else (),
        free_folds=draw(st.booleans()),
        rake=rake,
        rake_cap=draw(st.sampled_from([None, 0.5])) if rake else None,
    )


@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(game=games().filter(lambda game: 200 < game.unrolled_size()[0] < 2_000), symmetric=st.booleans())
def test_some_small_declared_games_are_solved_as_when_unrolled(game, symmetric):
    iterated_alike(game, SOLVERS["cfr+"], symmetric)


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    game=games().filter(lambda game: game.unrolled_size()[0] < 60_000), seed=st.integers(0, 9), symmetric=st.booleans()
)
def test_any_declared_game_is_judged_and_solved_as_when_unrolled(game, seed, symmetric):
    judged_alike(game, seed, symmetric)
    iterated_alike(game, SOLVERS["cfr+"], symmetric)


@pytest.mark.parametrize("raises", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_suits_may_be_taken_as_one_or_apart(raises):
    """A real flop for four ranks and four suits: with nothing to bet before it, and with a bet."""
    game = few_bets(short_holdem(4, 4), raises)
    form = PublicForm.of(game, None)
    first = RankPolicy(form.arena, 4, 7)
    trees = [build_public_tree(game, symmetric=symmetric, exact=True) for symmetric in (True, False)]
    assert trees[0].rounds[1].boards < 60 < trees[1].rounds[1].boards == comb(16, 3)
    one, two = (public_steps(minimiser(tree, SOLVERS["cfr+"]), first, rarities(tree))[1] for tree in trees)
    np.testing.assert_allclose(one.values, two.values, atol=1e-9)
    np.testing.assert_allclose(one.best, two.best, atol=1e-9)
    assert one.nash_conv > 0.01
    one, two = (
        form.judged(PolicyStrategy(form.fingerprint, RankPolicy(form.arena, 4, 7, alike)), 0) for alike in (True, False)
    )
    np.testing.assert_allclose(one.values, two.values, atol=1e-9)
    np.testing.assert_allclose(one.best, two.best, atol=1e-9)


def test_judges_of_the_library_say_of_a_public_tree_what_they_say_of_the_whole_one():
    game = load_game("leduc(suits=true)")
    whole, form = TreeForm.of(game, None), PublicForm.of(game, None)
    play = RankPolicy(form.arena, 2, 5)
    table, tree = as_table(whole, play), form.public()
    written = PublicStrategy(form.fingerprint, tree, eqx.filter_jit(written_down)(tree, play))
    for strategy in (PolicyStrategy(form.fingerprint, play), written):
        judged_alike_by_the_library(form, strategy, whole, table)
    found, gains = feint.deviations(form, written), Counter()
    for label, player, gain in zip(
        whole.tree.labels, whole.tree.player, feint.deviations(whole, table).gain, strict=True
    ):
        gains[player, up_to_suits(game, label)] += gain
    assert [leak.gain for leak in found.worst] == pytest.approx(sorted(gains.values(), reverse=True)[:LEAKS], abs=1e-9)
    assert found.worst == form.judged(written, LEAKS).leaks
    assert [leak.gain for leak in feint.deviations(whole, table).worst] == pytest.approx(
        np.sort(feint.deviations(whole, table).gain)[::-1][:LEAKS]
    )
    for asked in (
        lambda: feint.best_response(form, written, 0).strategy,
        lambda: found.gain,
        lambda: found.share,
        lambda: found.best_move,
        lambda: feint.move_values(form, written),
    ):
        with pytest.raises(feint.BadInput, match=r"needs the whole tree, and .*; exploitability, .* need none\.$"):
            asked()
    with pytest.raises(feint.BadInput, match=r"as a table needs the whole tree, .*; give a strategy such as run\."):
        feint.nash_conv(form, table)
    with pytest.raises(feint.BadInput, match=r"^leduc\(suits=True\) has players 0 to 1, but player 2 was asked for\.$"):
        feint.best_response(form, written, 2)
    with pytest.raises(feint.BadInput, match=r"^This strategy is for another game than kuhn"):
        feint.nash_conv("kuhn", written)
    for ask in (feint.nash_conv, feint.expected_values, feint.deviations):
        with pytest.raises(feint.BadInput, match=r"^holdem is too large to judge exactly; ask local-best-response"):
            ask("holdem", written)


def judged_alike_by_the_library(form: PublicForm, strategy: Strategy, whole: TreeForm, table: np.ndarray) -> None:
    """What the library's judges say of a strategy in a game that is given in one form or the other."""
    for ask in (feint.exploitability, feint.nash_conv, feint.expected_values):
        np.testing.assert_allclose(ask(form, strategy), ask(whole, table), atol=1e-9)
    for player in (0, 1):
        best = [feint.best_response(*asked, player).value for asked in ((form, strategy), (whole, table))]
        assert best[0] == pytest.approx(best[1], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["symmetric", "nfsp"])
def test_judges_of_the_library_ask_what_networks_have_learned(encoding):
    game = load_game("leduc(suits=true)")
    whole, form = TreeForm.of(game, None), PublicForm.of(game, None)
    learner = resolve("nfsp", ROWS | {"encoding": encoding}).on(form)
    strategy = learner.strategy(reached(learner, 200))
    assert strategy.policy.symmetric == (encoding == "symmetric")
    table = as_table(whole, strategy.policy)
    assert np.abs(table - whole.tree.uniform()).max() > 0.1, "it has learned something"
    judged_alike_by_the_library(form, strategy, whole, table)


@pytest.mark.slow
def test_random_play_at_flop_holdem_loses_what_is_known():
    """At full size, with 1,755 flops: 7 GB of memory."""
    form = form_of("flop_holdem")
    if lacking(start_of(form.game).size) is not None:
        pytest.skip("9 GB of memory are not free")
    tree = form.public()
    evenly = tuple(tuple(stage.zeros(each) for each in range(len(stage.moves))) for stage in tree.rounds)
    strategy = PublicStrategy(form.fingerprint, tree, evenly)
    assert 1000 * feint.nash_conv(form, strategy) / form.big_blind == pytest.approx(3044.53, rel=1e-5)


@pytest.mark.parametrize("symmetric", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_declared_game_is_judged_as_when_unrolled(symmetric):
    deck = Deck("QKA", 2, suits=True)
    judged_alike(
        Poker(deck, (Round(cap=1), Round(cap=1, board=1)), pair_then_rank, ante=1, stack=7, pot_bets=(1.0,)),
        3,
        symmetric,
    )


@pytest.mark.parametrize("name", ["kuhn", "leduc", pytest.param("leduc with like cards", marks=pytest.mark.slow)])
def test_leaks_are_those_of_the_unrolled_tree(name):
    judged_alike(ALIKE[name], 6)


@pytest.mark.slow
def test_a_game_with_rake_is_judged_as_when_unrolled():
    """Ties among them, and pots on both sides of the cap."""
    deck = Deck("QKA", 2, suits=True)
    rounds = Round(2.0, cap=1), Round(4.0, cap=1, board=1)
    judged_alike(Poker(deck, rounds, high_card, ante=1, rake=0.1, rake_cap=0.5), 3)


def judged_alike(game: Poker, seed: int, symmetric: bool = True) -> None:
    """All that is said of some play or other: values, best responses, and where it gives how much away."""
    whole, form = TreeForm.of(game, None), PublicForm.of(game, None)
    play = RankPolicy(form.arena, game.deck.copies if game.deck.suits else 1, seed, symmetric)
    found = form.judged(PolicyStrategy(form.fingerprint, play), 1 << 30)
    table = as_table(whole, play)
    gap = feint.nash_conv(whole.tree, table)
    assert (found.best - found.values).sum() == pytest.approx(gap, abs=1e-9)
    np.testing.assert_allclose(found.values, feint.expected_values(whole.tree, table), atol=1e-9)
    lost, told = Counter(), Counter()
    for label, player, gain in zip(
        whole.tree.labels, whole.tree.player, feint.deviations(whole.tree, table).gain, strict=True
    ):
        lost[player, up_to_suits(game, label)] += gain
    for leak in found.leaks:
        told[leak.player, up_to_suits(game, leak.sees)] += leak.gain
    assert sum(told.values()) == pytest.approx(gap, abs=1e-9)
    assert told == pytest.approx({place: lost[place] for place in told}, abs=1e-9)
    assert all(told[place] == pytest.approx(gain, abs=1e-9) for place, gain in lost.items())
    if found.alike or not game.deck.suits:
        assert len(told) == len(found.leaks), "a place is told once"
    assert found.alike == (symmetric and game.deck.suits)
    by_betting = Counter()
    for (_, (_, betting)), gain in lost.items():
        by_betting[betting or "the first decision"] += gain
    assert {leak.sees: leak.gain for leak in found.betting} == pytest.approx(by_betting, abs=1e-9)


@pytest.mark.slow
def test_the_worst_leaks_are_the_first_of_all():
    form = form_of("flop_holdem(ranks=3)")
    play = PolicyStrategy(form.fingerprint, RankPolicy(form.arena, 4, 2))
    every, some = form.judged(play, 1 << 30), form.judged(play, 5)
    assert [leak.gain for leak in some.leaks] == pytest.approx([leak.gain for leak in every.leaks[:5]])
    assert len({leak.sees for leak in every.leaks}) == len(every.leaks) > 1000
    assert sum(leak.gain for leak in every.leaks) == pytest.approx((every.best - every.values).sum(), abs=1e-9)
    assert form.judged(play, 0)[2:] == ((), (), False)
    told = {
        facts.name: facts.rows for facts in Exploitability()(form, StrategyPlayer(play, form), lambda *_: None).facts
    }
    assert [row[3] for row in told["leaks"]] == [leak.sees for leak in every.leaks[:8]]
    named = [leak for leak in form.judged(play, 8).betting if leak.gain >= SMALLEST * (every.best - every.values).sum()]
    assert [(row[1], row[3]) for row in told["betting"]] == [(leak.gain, leak.sees) for leak in named]


def test_strategies_meet_whether_or_not_they_are_written_down_for_boards_up_to_suits():
    game = load_game("leduc(suits=true)")
    form = PublicForm.of(game, None)
    alike, apart = form.public(), form.public(False)
    assert [stage.boards for tree in (alike, apart) for stage in tree.rounds] == [1, 3, 1, 6]
    first, second = (RankPolicy(form.arena, 2, seed) for seed in (0, 1))
    one = PublicStrategy(form.fingerprint, alike, written_down(alike, first))
    two = PublicStrategy(form.fingerprint, apart, written_down(apart, second))
    unrolled = TreeForm.of(game, None)
    known = [TabularStrategy(unrolled.fingerprint, as_table(unrolled, policy)) for policy in (first, second)]
    for order in ((0, 1), (1, 0)):
        met = form.values([(one, two)[place] for place in order])
        np.testing.assert_allclose(met, unrolled.values([known[place] for place in order]), atol=1e-7)


class RankPolicy(Policy):
    """Some play or other that looks at the betting and at ranks, never at suits."""

    arena: Arena
    suits: int = eqx.field(static=True)
    seed: int = eqx.field(static=True)
    alike: bool = eqx.field(static=True, default=True)

    def __call__(self, infostate, turn):
        ranks = jnp.sort(infostate.cards[:, : self.arena.hole].astype(jnp.int32) // self.suits, 1)
        mixed = infostate.node.astype(jnp.int32) * 31 + ranks @ jnp.arange(3, 3 + ranks.shape[1]) + self.seed
        weights = 1.0 + jnp.sin(mixed[:, None] * (1.7 + jnp.arange(self.arena.moves))) ** 2
        weights = jnp.where(self.arena.legal(infostate), weights, 0.0)
        return weights / weights.sum(1, keepdims=True)

    @property
    def symmetric(self) -> bool:
        return self.alike


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
    size = start_of(load_game("flop_holdem")).size
    assert size.boards == (1, 1755)
    assert size.decisions == (8, 70)
    assert size.public == 122_858  # shared research: what the prototype stored
    assert size.infosets == 8 * 1326 + 1755 * 70 * 1176
    assert start_of(load_game("flop_holdem"), symmetric=False).size.boards == (1, 22_100)


def test_games_find_their_form():
    assert isinstance(form_of("leduc"), TreeForm)
    assert isinstance(form_of("flop_holdem"), PublicForm)
    assert isinstance(form_of("holdem"), CardForm)
    assert isinstance(form_of(replace(load_game("flop_holdem"), players=3)), CardForm)
