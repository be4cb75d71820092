"""The rule bot does what its tables say, printed ones to the letter, and whoever knows them wins a lot off it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import feint
from feint.arena.betting import unroll_betting
from feint.evaluate.match import expected_winnings, play_players
from feint.forms.dealt import CardForm
from feint.forms.library import form_of
from feint.games.cards import Deck
from feint.games.library import load_game
from feint.games.poker_spots import read_cards, spot_of
from feint.games.postflop import DECK
from feint.games.ranges import read_range
from feint.players.action_tables import ActionTable, Standing, Standings, chances, corrected, taken_for
from feint.players.player import Player
from feint.players.rule_bot import HoldemRuleBot, RuleBot
from feint.players.rule_tables import (
    LEDUC_CARDS,
    LEDUC_HANDS,
    MADE_HANDS,
    STARTING_HANDS,
    made_hand,
    starting_hand,
)
from feint.players.simple import AlwaysThis, Random
from feint.players.spots import find_spot
from feint.players.table import observation
from feint.testing import check_player

GAME = load_game("holdem_no_limit")


@pytest.fixture(scope="module")
def bot():
    return HoldemRuleBot(GAME, seed=0)


def told(bot, hole, betting="", board=""):
    """How often the bot makes each move at a spot, by name."""
    hand = spot_of(GAME, hole, board, betting, None)
    seen = observation(GAME, hand, hand.actor)
    words = {move: word for word, move in seen.moves.items()}
    return {words[move]: chance for move, chance in enumerate(bot.chances(seen).tolist()) if chance}


# The printed tables. Raises are to be nearest to those printed: pot, the first, is by 2 big blinds, or to 3.


@pytest.mark.parametrize("hole", ["AsAh", "KdKc"])
@pytest.mark.parametrize(
    ("betting", "answer"),
    [
        ("", "pot"),  # first position: by 3 to 5 big blinds; half the pot is by 1, the pot by 2
        ("call", "pot"),
        ("pot", "0.5 pot"),  # a raise: by 3 to 4 small blinds, and the smallest there is is by 3 big ones
        ("call pot", "0.5 pot"),
        ("pot pot", "all-in"),  # a re-raise
        ("call pot pot", "all-in"),
        ("all-in", "call"),
        ("pot all-in", "call"),
    ],
)
def test_table_1(bot, hole, betting, answer):
    assert told(bot, hole, betting) == {answer: 1.0}


FLOP = "2s7s9s"


@pytest.mark.parametrize(
    ("betting", "with_ace", "other"),
    [
        ("call check / pot", "call pot", "pot"),
        ("call check / check pot pot", "all-in call", "all-in"),
        ("call check / check pot all-in", "call", "call fold"),
        ("call check / all-in", "call", "call fold"),
        ("call check / check", "check pot", "check pot"),
        ("call check /", "check pot", "check pot"),
    ],
)
def test_table_2(bot, betting, with_ace, other):
    """On the flop, where nothing corrects it: what is printed with a slash is mixed evenly."""
    for hole, answer in (("AsKs", with_ace), ("QsJs", other)):
        moves = answer.split()
        assert told(bot, hole, betting, FLOP) == dict.fromkeys(moves, 1 / len(moves)), hole


# Ours.


def test_every_starting_hand_is_in_one_of_nine_groups():
    groups = [set(read_range(hands, DECK)) for hands in STARTING_HANDS if hands]
    assert len(STARTING_HANDS) == len(groups) + 1 == 9
    assert sum(map(len, groups)) == len(set().union(*groups))
    assert groups[0] == set(read_range("KK+", DECK))
    tables = list(STARTING_HANDS.values())
    for cards in combinations(range(52), 2):
        table = starting_hand(DECK, cards)
        group = next((number for number, group in enumerate(groups) if cards in group), 8)
        assert table is tables[group]
    short = Deck(DECK.ranks[-3:], copies=4, suits=True)
    assert starting_hand(short, (11, 8)) is STARTING_HANDS["AA,KK"]


@pytest.mark.parametrize(
    ("hole", "board", "made"),
    [
        ("AsKs", "2s7s9s", "a flush with the ace"),
        ("QsJs", "2s7s9s", "another flush"),
        ("QsJs", "As7s9s", "a flush with the ace"),
        ("QsJs", "Ts8s9s", "a full house or better"),
        ("7h7c", "7s7d9s", "a full house or better"),
        ("7h9c", "7s7d9s", "a full house or better"),
        ("8h6c", "5s7d9s", "a straight"),
        ("7h7c", "7s2d9s", "three of a kind"),
        ("7h2c", "7s7d9s", "three of a kind"),
        ("AhKc", "7s7d7h", "nothing"),
        ("9h7c", "7s2d9s", "two pairs"),
        ("9h3c", "7s7d9s", "the top pair"),
        ("3h3c", "7s7d9s", "a lower pair"),
        ("JhJc", "7s2d9s", "the top pair"),
        ("AhKc", "7s7d9s", "nothing"),
        ("AhKc", "7s7d9s9d", "nothing"),
        ("AhKc", "7s7d7h7c", "nothing"),
        ("2h3c", "TsJdQhKcAs", "nothing"),
        ("9h3c", "TsJdQhKc2s", "a straight"),
        ("AhKc", "7s2d9s", "nothing"),
    ],
)
def test_made_hands(hole, board, made):
    assert made_hand(DECK, *(read_cards("hold'em", DECK, cards, "cards") for cards in (hole, board))) == made
    assert made in MADE_HANDS


def test_the_opponents_starting_hand_is_inferred_on_the_flop_and_corrects_what_is_left_open(bot):
    """The same flush and the same bet on the turn, after three ways to play before: careful, evenly, bold."""
    for before, answer in {
        "0.5 pot 0.5 pot call / check check": {"call": 1.0},  # raised again before the flop: strong
        "call pot call / pot call": {"call": 1.0},  # raised in both rounds: strong
        "pot call / check check": {"call": 0.5, "pot": 0.5},  # called a raise: middling
        "call check / check check": {"pot": 1.0},  # never more than a check: weak
    }.items():
        assert told(bot, "AsKs", f"{before} / pot", "2s7s9sTd") == answer, before
    # The flop itself is only looked at.
    assert told(bot, "AsKs", "call check / pot", FLOP) == {"call": 0.5, "pot": 0.5}


def test_what_is_inferred():
    for shown, strength in {(0, 0): "weak", (1, 0): "middling", (2, 0): "middling", (0, 2): "middling"}.items():
        assert taken_for(shown) == strength
    for shown in ((2, 2), (0, 3), (3, 0), (2,), (3,)):
        assert taken_for(shown) == "strong"
    actions = ActionTable("fold/call/all-in", "call", "call", "call").actions("first")
    assert [action.boldness for action in corrected(actions, "strong")] == [0]
    assert [action.boldness for action in corrected(actions, "weak")] == [3]
    assert corrected(actions, "middling") == actions


# From actions to moves.


@given(
    st.lists(st.floats(0.1, 50), min_size=1, max_size=4, unique=True).map(sorted), st.integers(1, 9), st.integers(0, 9)
)
def test_raises_are_the_nearest_on_offer(sizes, least, more):
    most = least + more
    standing = Standing(0, "first", 4.0, tuple(enumerate(sizes, 2)), may_fold=True, shown=(0,))
    table = ActionTable(f"raise {least}-{most} big blinds", "raise", "call", "call")
    found = chances(table.actions("first"), standing)
    assert sum(found.values()) == pytest.approx(1)
    inside = [move for move, by in standing.raises if least <= by <= most]
    if inside:
        assert found == pytest.approx(dict.fromkeys(inside, 1 / len(inside)))
    else:
        off = [min(abs(by - least), abs(by - most)) for by in sizes]
        assert list(found) == [2 + int(np.argmin(off))]
    (pot,) = chances(table.actions("raised"), standing)
    assert abs(sizes[pot - 2] - 4.0) == min(abs(by - 4.0) for by in sizes)


def test_what_cannot_be_done_is_called_or_checked():
    table = ActionTable("fold", "raise", "all-in", "fold/raise")
    closed = Standing(0, "first", 4.0, (), may_fold=True, shown=(0,))
    free = Standing(0, "first", 4.0, ((2, 1.0), (3, 9.0)), may_fold=False, shown=(0,))
    for standing, answers in ((closed, [{0: 1}, {1: 1}, {1: 1}, {0: 0.5, 1: 0.5}]), (free, [{1: 1}, {2: 1}, {3: 1}])):
        for facing, answer in zip(("first", "raised", "reraised", "all_in"), answers, strict=False):
            assert chances(table.actions(facing), standing) == answer


@pytest.mark.parametrize("written", ["", "limp", "call 3-5 big blinds", "raise 3 big blinds", "check or raise"])
def test_what_is_no_action_is_refused(written):
    with pytest.raises(feint.BadInput, match=r"^'.*' is no action of a table; write such as .*\.$"):
        ActionTable(written, "call", "call", "call")


def test_where_the_betting_stands():
    standings = Standings(GAME)
    opening = standings[((),)]
    assert (opening.facing, opening.pot, opening.may_fold) == ("first", 2.0, True)
    assert opening.raises == ((2, 1.0), (3, 2.0), (4, 49.0))
    assert standings[((1,),)].facing == "first"
    assert standings[((1, 1), (1,))].facing == "check"
    assert standings[((1, 1), ())].facing == "first"
    assert standings[((3, 3),)].facing == "reraised"
    assert standings[((4,),)].raises == ()
    assert standings[((3, 1), (1, 3, 3))].shown == (1, 3)
    assert standings[((3, 1), (1, 3))].shown == (2, 2)
    leduc = Standings(load_game("leduc_no_limit"))
    assert leduc[((1,),)].facing == "check"  # with antes there is nothing to call


# At tables.


def test_it_keeps_its_promises():
    for game in ("holdem_no_limit(stack=20)", "leduc_no_limit", "leduc"):
        check_player(RuleBot(), game, hands=30)


def test_it_is_told_nothing_but_what_it_may_see(bot):
    """The same view after other hands, and after another street of this one: the same chances."""
    alone = told(HoldemRuleBot(GAME, seed=1), "AsKs", "call check / pot", FLOP)
    told(bot, "2h2c", "call check / check check / pot", "2s7s9sTd")
    assert told(bot, "AsKs", "call check / pot", FLOP) == alone


@pytest.mark.slow
def test_it_wins_off_whoever_only_calls():
    class Caller(Player):
        def move(self, seen):
            return 1

    form = form_of("holdem_no_limit(stack=20)")
    played = play_players(form, (RuleBot().at(form, 3), Caller()), 1500, seed=1)
    assert played.mean - 4 * played.error > 0


# Leduc, where all of it is known exactly.


@pytest.fixture(scope="module")
def leduc():
    return form_of("leduc_no_limit")


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("A", {"pot": 1.0}),
        ("A: pot", {"pot": 1.0}),
        ("A: pot pot", {"all-in": 1.0}),
        ("A: all-in", {"call": 1.0}),
        ("K: check", {"check": 0.5, "pot": 0.5}),
        ("Q: pot", {"fold": 0.5, "call": 0.5}),
        ("AA: check check / check pot", {"pot": 1.0}),  # weak, for they checked: the bolder of call and re-raise
        ("AA: check pot call / check pot", {"call": 1.0}),  # strong, for they raised
        ("AA: pot call / check pot", {"call": 0.5, "all-in": 0.5}),  # middling, for they called
        ("KK: pot call / check all-in", {"fold": 0.5, "call": 0.5}),
        ("KK: check check / check pot", {"pot": 1.0}),
    ],
)
def test_leduc_follows_its_tables(leduc, label, answer):
    player = RuleBot().at(leduc, 0)
    seen = find_spot(leduc, label)
    found = player.chances(seen)
    assert {word: found[move] for word, move in seen.moves.items() if found[move]} == answer


@pytest.mark.parametrize(("name", "exploitability"), [("leduc_no_limit", 7135 / 24), ("leduc", 1.5958333333)])
def test_it_is_found_out(name, exploitability):
    """It beats simple players, and who knows its tables wins more off it than off random play."""
    form = form_of(name)
    strategy, random = RuleBot().at(form, 0).strategy, Random().at(form, 0).strategy
    judged, other = form.judged(strategy, 0), form.judged(random, 0)
    assert (judged.best.sum()) / 2 == pytest.approx(exploitability)
    assert min(judged.best) > form.big_blind  # more than always folding loses, from either seat
    for simple in (random, AlwaysThis("call").at(form, 0).strategy):
        assert expected_winnings(form, strategy, simple) > 0.25 * form.big_blind
    if name == "leduc_no_limit":
        assert judged.best.sum() > 1.3 * other.best.sum()


def test_copies_of_a_card_make_no_difference():
    apart, merged = form_of("leduc(suits=True)"), form_of("leduc")
    found = [form.judged(RuleBot().at(form, 0).strategy, 0) for form in (apart, merged)]
    np.testing.assert_allclose(found[0].best, found[1].best)
    np.testing.assert_allclose(found[0].values, found[1].values)


@pytest.mark.parametrize(
    "name", ["kuhn", "leduc_thesis", "leduc(players=3)", "rock_paper_scissors", "river_holdem(ranks=4)"]
)
def test_other_games_are_refused(name):
    three = name == "leduc(players=3)"  # which takes seconds to unroll
    form = CardForm(unroll_betting(load_game(name))) if three else form_of(name)
    words = r"^The rule bot has tables for .*, but none for .*; choose another player\.$"
    with pytest.raises(feint.BadInput, match=words):
        RuleBot().at(form, 0)


def test_the_page_has_every_table():
    page = (Path(__file__).parents[1] / "docs" / "rule_bot.md").read_text()
    for tables in (STARTING_HANDS, MADE_HANDS, LEDUC_CARDS, LEDUC_HANDS):
        for name, table in tables.items():
            cells = (table.first, table.check or table.first, table.raised, table.reraised, table.all_in)
            row = f"| {name.replace(',', ', ') or 'all others'} | {' | '.join(cells)} |"
            assert row in page, row
