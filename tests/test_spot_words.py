"""Spots of hold'em as they are written: ranges, menus, locks, and bad input."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from feint.arena.betting import unroll_betting
from feint.cli import app
from feint.games.errors import BadInput
from feint.games.hand import Menu
from feint.games.postflop import DECK, Spot
from feint.games.ranges import read_range
from feint.games.spot_words import Lock
from feint.public.build import build_public_tree
from feint.solvers.spot_trees import spot_tree
from known_spots import POLAR, TURN

OTHER = "; count in other chips"


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        *(("AA", 6), ("AKs", 4), ("AKo", 12), ("AK", 16), ("22+", 78), ("A2s+", 48), ("KTo+", 36), ("QQ-99", 24)),
        *(("A5s-A2s", 16), ("AhKh", 1), ("any", 1326), ("aks, aKo ; 22", 22)),
    ],
)
def test_ranges_have_the_hands_that_players_mean(text, hands):
    found = read_range(text, DECK)
    assert len(found) == hands
    assert set(found.values()) == {1.0}


def test_ranges_have_weights_and_the_last_word_counts():
    found = read_range("T9o:0.5,ThTd,TT:0.25", DECK)
    assert sum(found.values()) == pytest.approx(12 * 0.5 + 6 * 0.25)


@pytest.mark.parametrize("text", ["AAs", "A1", "AA:2", "AA:x", "QQ-A5s", "", "AhAh", "A5s-A2o", "QQ-99+", "AA:0"])
def test_ranges_that_nobody_means_are_refused_in_a_sentence(text):
    with pytest.raises(BadInput, match=r"; write|after its colon"):
        read_range(text, DECK)


@pytest.mark.parametrize("name", ["pot", "stack", "bets", "limit", "rake_cap"])
def test_numbers_that_no_machine_holds_are_refused_in_a_sentence(name):
    given = {"board": "QsJh2h", "oop": "AA", "ip": "KK", "pot": 10} | ({} if name == "limit" else {"stack": 95})
    with pytest.raises(BadInput, match=rf"its {name}, but one of over 300 digits was given; write such as"):
        Spot.read(given | {name: [10**400] if name == "bets" else 10**400})


@pytest.mark.parametrize(("pot", "stack", "bet"), [(100, 57, 0.57), (100, 29, 0.29), (100, 115, 1.15), (100, 50, 0.5)])
def test_a_bet_of_the_whole_stack_is_all_in_however_it_is_rounded(pot, stack, bet):
    game = Spot("KsKh7d4c2s", "AA", "QQ", pot, stack, menus=Menu((bet,), ())).game
    offered = unroll_betting(game).child[0]
    assert [game.actions[move] for move in np.flatnonzero(offered >= 0)] == ["call", "all-in"]


def test_chips_that_are_but_rounding_are_not_bet():
    """Behind two bets of the pot of 6.6 lie none of 26.4 chips, as none of 264 lie behind two of 66."""
    menus = Menu((1.0,), (1.0,))
    small, large = (
        unroll_betting(Spot("KsKh7d4c2s", "AA", "QQ", pot, stack, menus=menus).game)
        for pot, stack in ((6.6, 26.4), (66, 264))
    )
    assert small.moves == large.moves


@pytest.mark.parametrize(("pot", "other"), [(0, ""), (-3, ""), (math.nan, ""), (1e300, OTHER), (1e-9, OTHER)])
def test_other_chips_are_spoken_of_where_they_help(pot, other):
    with pytest.raises(BadInput, match=re.escape(f"pot={pot:g} was given{other}.") + "$"):
        Spot.read({"board": "QsJh2h", "oop": "AA", "ip": "KK", "pot": pot, "stack": 95})


@pytest.mark.parametrize(
    ("lock", "sentence"),
    [
        ({"betting": "raise", "moves": {"check": 1}}, "is not a move at the start"),
        ({"betting": "check", "moves": {"fold": 1}}, "has no move 'fold'; the moves there are check and all-in"),
        ({"moves": {"check": 0.7}}, "sum to 1"),
        ({"moves": {"check": 1.5, "all-in": -0.5}}, "0 or more and sum to 1"),
        ({"moves": {"check": "often"}}, "'often' was given"),
        ({"hands": "KQs", "moves": {"check": 1}}, "'KQs', which oop never holds there"),
        ({"hands": "AA:0.5", "moves": {"check": 1}}, "have no weights"),
        ({"hands": "A1", "moves": {"check": 1}}, "is no hand of a range"),
        ({"move": {"check": 1}}, "did you mean moves"),
        ({"betting": ""}, "A lock needs moves"),
        ({"betting": "check check", "moves": {"check": 1}}, "over after"),
    ],
)
def test_bad_locks_are_one_sentence(lock, sentence):
    spot = {"board": POLAR.board, "oop": POLAR.oop, "ip": POLAR.ip, "pot": 10, "stack": 10, "bets": [1], "raises": []}
    with pytest.raises(BadInput, match=sentence):
        Spot.read(spot | {"locks": [lock]})


def test_locks_read_cards_in_any_order():
    locked = [replace(TURN, locks=(Lock("check", {"check": 1}, hand),)) for hand in ("AdKd", "KdAd")]
    assert locked[0].bound(locked[0].locks[0])[2] == locked[1].bound(locked[1].locks[0])[2]


def test_a_spot_is_told_in_words_that_are_read_back():
    menus = {"turn": {"oop": Menu((0.5,), (1.0,), all_in=False), "ip": Menu((), (), all_in=True)}}
    spot = replace(TURN, menus=menus, rake=0.05, rake_cap=3.0, locks=(Lock("check", {"check": 1}, "QQ"),))
    again = Spot.read(json.loads(json.dumps(spot.words())))
    assert again.words() == spot.words()
    assert again.game == spot.game
    assert again.locks == spot.locks


def test_ranges_are_not_read_for_each_hand_of_a_lock(monkeypatch):
    lock, read = Lock("", {"check": 1}, "22+"), []
    monkeypatch.setattr("feint.games.postflop.read_range", lambda *given: read.append(given) or read_range(*given))
    with pytest.raises(BadInput, match="which oop never holds there"):
        replace(TURN, oop="AKs", locks=(lock,))
    assert len(read) < 10


def test_numbers_of_numpy_are_told_as_any_others():
    """In JSON, too, in which a solution is kept."""
    moves = {"check": np.float32(0.25), "all-in": np.int64(0), "pot": np.float64(0.75)}
    words = {"board": TURN.board, "oop": "AA", "ip": "QQ", "pot": 10, "stack": 95, "bets": [1]}
    told = Spot.read(words | {"locks": [{"moves": moves}]}).words()
    assert json.loads(json.dumps(told))["locks"][0]["moves"] == {"check": 0.25, "all-in": 0, "pot": 0.75}


def test_menus_offer_what_they_say():
    menus = {"turn": {"oop": Menu((0.5,), (1.0,), all_in=False), "ip": Menu((), (), all_in=True)}}
    game = Spot("QsJh2h5c", "AA", "KK", 10, 95, menus).game
    tree = build_public_tree(game, board=[(1, 5, 9, 13)])
    assert tree.betting.spoken[0] == ("", "check", "0.5 pot", "", "")
    checked, bet = (int(tree.betting.child[0, move]) for move in (1, 2))
    assert [word for word in tree.betting.spoken[checked] if word] == ["check", "all-in"]
    assert [word for word in tree.betting.spoken[bet] if word] == ["fold", "call", "all-in"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("QsJh2h2h",), "names a card twice"),
        (("QsJh",), "has 3, 4 or 5 cards"),
        (("Qx",), "is no card of hold'em"),
        (("QsJh2h5c7d", "--oop", "QsJs"), "has a card of the board"),
        (("QsJh2h5c7d", "--oop", "AsAh", "--ip", "AsAd"), "can meet"),
        (("QsJh2h5c7d", "--oop", "AA:1e-320", "--ip", "KK"), "hardly come; give wider ones"),
        (("QsJh2h5c7d", "--pot=-3"), "a pot from 0.001 to 1,000,000,000 chips, but pot=-3 was given"),
        (("QsJh2h5c7d", "--pot", "1e308"), "a pot from 0.001 to 1,000,000,000 chips, but pot=1e+308 was given"),
        (("QsJh2h5c7d", "--pot", "1e400"), "a pot from 0.001 to 1,000,000,000 chips, but pot=inf was given"),
        (("QsJh2h5c7d", "--pot", "1e-308"), "a pot from 0.001 to 1,000,000,000 chips, but pot=1e-308 was given"),
        (("QsJh2h5c7d", "--stack", "0"), "a stack from 0.001 to"),
        (("QsJh2h5c7d", "--stack", "1e12"), "a stack from 0.001 to 1,000,000,000 chips, but stack=1e+12 was given"),
        *(
            (("QsJh2h5c7d", f"--bets={size}"), f"The bets of oop on the river are fractions of the pot above 0 {but}")
            for size, but in (("0", "such as 0.5, but 0 was"), ("nan", "such as 0.5, but nan"), ("-0.5", "such as 0.5"))
        ),
        (
            ("QsJh2h5c7d", "--bets", "half"),
            "bets are fractions of the pot such as 0.5,1 or 50%,100%, but 'half' was given",
        ),
        (("QsJh2h5c7d", "--raises", ",".join(map(str, range(1, 22)))), "has at most 20 raises, but 21 were given"),
        (("QsJh2h5c7d", "--bets", "0.001", "--raises", "0.001", "--stack", "1000"), "over 100 bets and raises in"),
        (("QsJh2h5c7d", "--bets", "1e-300", "--raises", "1e-300"), "over 100 bets and raises in a row; choose larger"),
        (("QsJh2h5c7d", "--limit", "0"), "a limit from 0.001 to"),
        (("QsJh2h5c7d", "--limit", "2", "--stack", "9"), "has no stack, menus, bets, raises or all_in, but stack was"),
        (("QsJh2h5c7d", "--limit", "2", "--bets", "1"), "has no stack, menus, bets, raises or all_in, but bets was"),
        (("QsJh2h5c7d", "--rake", "1"), "a share of the pot from 0 to below 1"),
        (("QsJh2h5c7d", "--rake-cap=-1"), "0 chips or more"),
        (("QsJh2h5c7d", "--rake-cap", "3"), "A cap on rake of 3 was given, but no rake; give one"),
        (("QsJh2h5c7d", "--seconds=-1"), "seconds must be a positive number below 1e+18, but seconds=-1.0 was given"),
        (("QsJh2h5c7d", "--seconds", "nan"), "seconds must be a positive number below 1e+18, but seconds=nan was"),
        (("QsJh2h5c7d", "--share", "2"), "share is a share of the pot above 0 and below 1, but 2.0 was given"),
        (("nowhere.json",), "cannot be read"),
        (("QsJh2h5c7d", "--betting", "raise"), "is not a move at the start"),
        (("QsJh2h5c7d", "--betting", "check fold"), "QsJh2h5c7d; the moves there are check, 0.5 pot, pot and all-in."),
        (("QsJh2h5c7d", "--save", "here.json"), "has to end with .safetensors"),
        (("QsJh2h5c7d", "--save", "no/where.safetensors"), "There is no folder no"),
        (("QsJh2h5c7d", "--out", "grid.jpeg"), "has to end with .png, .svg or .pdf"),
        (("QsJh2h5c7d", "--save", "/proc/spot.safetensors"), "/proc/spot.safetensors cannot be written ("),
        (("QsJh2h5c7d", "--out", "/proc/grid.png"), "/proc/grid.png cannot be written ("),
    ],
)
def test_bad_spots_are_one_sentence(words, sentence):
    result = CliRunner().invoke(app, ["solve", *words])
    assert isinstance(result.exception, BadInput)
    assert sentence in str(result.exception)
    assert result.stdout == ""


PERCENT = "33 and 75 times the pot, which is the stack of 95 or more; write 33%,75% for percent of the pot"


@pytest.mark.parametrize("given", ["%", "x%", "nan%", "33%%", "33%,75%", "33% 75%"])
def test_percent_that_is_none_is_refused_in_a_sentence(given):
    with pytest.raises(BadInput, match="such as"):
        Spot.read({"board": POLAR.board, "oop": "AA", "ip": "KK", "pot": 10, "stack": 95, "bets": [given]})


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ({"bets": [33, 75]}, "The bets of oop on the river"),
        ({"raises": [33, 75]}, "The raises of oop on the river"),
        ({"menus": {"river": {"ip": {"bets": [33, 75]}}}}, "The bets of ip on the river"),
        ({"menus": {"river": {"ip": {"raises": [33, 75], "all_in": False}}}}, "The raises of ip on the river"),
    ],
)
def test_percent_without_its_sign_is_not_taken_for_all_in(words, where):
    spot = {"board": POLAR.board, "oop": "AA", "ip": "KK", "pot": 10, "stack": 95}
    with pytest.raises(BadInput, match=f"^{where} are {PERCENT}"):
        Spot.read(spot | words)
    result = CliRunner().invoke(app, ["solve", POLAR.board, "--bets", "33,75"])
    assert isinstance(result.exception, BadInput)
    assert PERCENT in str(result.exception)


def test_sizes_that_are_no_percent_are_offered_as_ever():
    spot = Spot(POLAR.board, "AA", "KK", 10, 95)
    for menu, stack in ((Menu((0.33, 75.0), ()), 95), (Menu((10.0,), ()), 95), (Menu((33.0, 75.0), ()), 400)):
        assert replace(spot, menus=menu, stack=stack).menu("river", "oop") == menu


def test_more_betting_than_can_be_compiled_is_refused(monkeypatch):
    spot = Spot("QsJh2h5c7d", "AA", "KK", 10, 95)
    many = spot.game.size.decisions
    monkeypatch.setattr("feint.games.postflop.MOST_DECISIONS", many - 1)
    with pytest.raises(BadInput, match=rf"has {many} betting decisions, and {many - 1} are the most .*; offer fewer"):
        spot_tree(replace(spot, rake=0.05))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"rake_kap": 3}, "did you mean rake_cap"),
        ({"pot": "ten"}, "a number for its pot, but 'ten'"),
        ({"pot": True}, "a number for its pot, but True was given"),
        ({"stack": "95"}, "a number for its stack, but '95' was given; write such as 0.5, without quotes"),
        ({"stack": 1e300}, r"a stack from 0.001 to 1,000,000,000 chips, but stack=1e\+300 was given"),
        *(({"all_in": all_in}, f"all_in is true or false, but {all_in!r} was given") for all_in in ("false", 7, None)),
        *(({"bets": bets}, f"bets are a list of .* such as .*, but {bets!r} was") for bets in ("12", None, 1, {})),
        ({"raises": [True]}, "a number for its raises, but True was given"),
        ({"bets": ["1"]}, "a number for its bets, but '1' was given"),
        ({"bets": [], "raises": [0.5], "all_in": False}, "Nobody may bet on the river, and without a bet nobody can"),
        ({"board": ["Qs", "Jh", "2h"]}, "text such as 'QsJh2h' for its board, but .'Qs', 'Jh', '2h'. was given"),
        ({"oop": None}, "text such as 'AA,KQs,T9o:0.5' for its oop, but None was given; write"),
        ({"ip": ["AA"]}, "text such as 'AA,KQs,T9o:0.5' for its ip, but"),
        ({"locks": [{"betting": 7, "moves": {}}]}, "for its lock's betting, but 7 was"),
        ({"locks": [{"hands": ["AA"], "moves": {}}]}, "for its lock's hands, but"),
        ({"menus": {"trun": {}}}, "did you mean turn"),
        ({"menus": {"turn": {"oop": {"bet": [1]}}}}, "did you mean bets"),
        ({"menus": [1]}, "is an object with flop, turn and river"),
        ({"locks": {"moves": {}}}, "a list of locks"),
        (
            {"menus": {}, "bets": [1]},
            "menus by street and player or the same for all, but menus and bets were given",
        ),
    ],
)
def test_bad_words_of_a_spot_are_one_sentence(words, sentence):
    spot = {"board": "QsJh2h5c7d", "oop": "AA", "ip": "KK", "pot": 10, "stack": 95}
    with pytest.raises(BadInput, match=sentence):
        Spot.read(spot | words)


@pytest.mark.parametrize("words", [[1, 2], "QsJh2h5c7d", None])
def test_what_is_no_object_is_no_spot(words):
    names = "board, oop, ip, pot, stack, menus, bets, raises, all_in, limit, rake, rake_cap and locks"
    with pytest.raises(BadInput, match=f"^A spot is an object with {names}, but {re.escape(repr(words))} was given"):
        Spot.read(words)


def test_what_nobody_can_come_to_is_refused_before_anything_is_solved():
    """A card that is dealt may leave a player no hands, or no two hands that can meet."""
    spot = Spot("QsJh2h5c", oop="AsAh", ip="AsKs,6c6d,KcKd", pot=10, stack=10, menus=Menu((1.0,), ()))
    with pytest.raises(BadInput, match=r"^Every hand in the range of oop has a card of the board QsJh2h5cAs; give oth"):
        spot.after("check check / As")
    assert spot.after("check check / 6c").dealt
    few = replace(spot, ip="AsKs,6c6d")
    with pytest.raises(BadInput, match=r"^No two hands of these ranges can meet on QsJh2h5c6c, as they share cards"):
        few.after("check check / 6c")


def test_sizes_that_are_called_alike_are_refused():
    with pytest.raises(
        BadInput, match=r"^Several sizes are called 0\.5 pot, since they hardly differ; leave all but one"
    ):
        Spot.read({"board": "QsJh2h5c7d", "oop": "AA", "ip": "KK", "pot": 10, "stack": 20, "bets": [0.5, 0.5000000001]})
