"""Spots of hold'em: ranges as they are written, solutions that are known, and bad input."""

from __future__ import annotations

import json
import math
import os
import re
import signal
from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from typer.main import get_command
from typer.testing import CliRunner

import feint
from feint.arena.betting import unroll_betting
from feint.cli import app, terminal
from feint.cli.solve import _print as tell
from feint.games.errors import BadInput
from feint.games.hand import Menu
from feint.games.postflop import DECK, MENU, Lock, Spot
from feint.games.ranges import kinds, read_range
from feint.public.build import build_public_tree
from feint.public.combinations import chosen
from feint.public.judge import judge
from feint.public.places import place_of
from feint.report.grid import colours_of
from feint.report.range_grid import bars, draw_range
from feint.runs.solutions import load_solution, save_solution
from feint.solvers import spots
from feint.solvers.spot_trees import _ranges, spot_tree
from feint.solvers.spots import solve

POLAR = Spot("KsKh7d4c2s", oop="AA,65s", ip="QQ", pot=10, stack=10, menus=Menu((1.0,), ()))
"""Aces beat queens and six-five does not. Whoever acts first may bet the pot, which is all there is."""
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


@pytest.mark.parametrize(("pot", "other"), [(0, ""), (-3, ""), (math.nan, ""), (1e300, OTHER), (1e-9, OTHER)])
def test_other_chips_are_spoken_of_where_they_help(pot, other):
    with pytest.raises(BadInput, match=re.escape(f"pot={pot:g} was given{other}.") + "$"):
        Spot.read({"board": "QsJh2h", "oop": "AA", "ip": "KK", "pot": pot, "stack": 95})


@pytest.fixture(scope="module")
def polar():
    return solve(POLAR, share=0.0002)


def test_a_polarised_river_is_played_as_theory_has_it(polar):
    """With a pot-sized bet: one bluff for two value bets, and every other bluff catcher calls."""
    assert polar.share <= 0.0002
    # Aces take one and a half pots, bluffs nothing: (6 × 15 + 4 × 0) / 10.
    assert polar.wins("oop") == pytest.approx(9.0, abs=0.01)
    assert polar.wins("oop") + polar.wins("ip") == pytest.approx(10.0)
    first = polar.at()
    assert (first.seat, first.moves) == ("oop", ("check", "all-in"))
    kinds = {kind: (weight, chances, wins, equity) for kind, weight, chances, wins, equity in first.kinds()}
    assert kinds["AA"][0] == 6
    assert kinds["AA"][1][1] == pytest.approx(1.0, abs=0.02)
    assert kinds["65s"][1][1] == pytest.approx(0.75, abs=0.03)
    assert kinds["AA"][2] == pytest.approx(15.0, abs=0.1)
    assert kinds["AA"][3] == pytest.approx(1.0)
    assert kinds["65s"][3] == pytest.approx(0.0, abs=1e-9)
    answer = polar.at("all-in")
    assert (answer.seat, answer.moves) == ("ip", ("fold", "call"))
    assert answer.overall[1] == pytest.approx(0.5, abs=0.02)


def test_with_fixed_bets_a_polarised_river_is_the_same():
    """Bets of 5 on the flop are 10 here, the pot; queens have no use for raises, nor six-five after one."""
    fixed = solve(replace(POLAR, menus=MENU, stack=0.0, limit=5.0), share=0.0005)
    first = fixed.at()
    assert first.moves == ("check", "bet")
    assert fixed.wins("oop") == pytest.approx(9.0, abs=0.02)
    kinds = {kind: chances for kind, _, chances, _, _ in first.kinds()}
    assert kinds["AA"][1] == pytest.approx(1.0, abs=0.02)
    assert kinds["65s"][1] == pytest.approx(0.75, abs=0.03)
    answer = fixed.at("bet")
    assert answer.moves == ("fold", "call", "raise")
    assert answer.overall == pytest.approx([0.5, 0.5, 0.0], abs=0.02)


def test_fixed_bets_double_after_the_flop_and_come_four_in_a_row():
    spot = Spot("QsJh2h", "AA", "KK", pot=8, stack=0, limit=2)
    assert [each.raise_by for each in spot.game.rounds] == [2, 4, 4]
    hand = spot.after("bet raise raise raise").hand
    assert max(hand.paid) == 4 + 4 * 2
    assert [spot.game.spoken(hand, move) for move in spot.game.legal(hand)] == ["fold", "call"]
    assert max(spot.after("bet call / 5c bet").hand.paid) == 4 + 2 + 4
    assert Spot("QsJh2h5c", "AA", "KK", pot=8, stack=0, limit=2).game.rounds[0].raise_by == 4
    assert Spot.read(json.loads(json.dumps(spot.words()))).words() == spot.words()


@pytest.mark.parametrize(("cap", "bluffs", "wins"), [(None, 10 / 17, (90 + 9 * 17) / 19), (2.0, 10 / 18, 252 / 19)])
def test_rake_is_taken_of_the_pot_that_is_won(cap, bluffs, wins):
    """One tenth: 1 chip where the bet is not called, 3 or the cap where it is. Both are indifferent as before."""
    raked = solve(replace(POLAR, rake=0.1, rake_cap=cap), share=0.0005)
    kinds = {kind: (chances, wins) for kind, _, chances, wins, _ in raked.at().kinds()}
    assert kinds["65s"][0][1] == pytest.approx(1.5 * bluffs, abs=0.03)
    assert kinds["AA"][1] == pytest.approx(wins, abs=0.1)
    assert raked.at("all-in").overall[1] == pytest.approx(9 / 19, abs=0.02)
    assert raked.at().equity.max() == pytest.approx(1.0)
    assert raked.raked == pytest.approx(10 - raked.wins("oop") - raked.wins("ip"))


def test_rake_of_ties_is_shared():
    spot = Spot("AsKsQsJsTs", "22", "33", pot=10, stack=10, menus=Menu((1.0,), ()), rake=0.05, rake_cap=0.3)
    solution = solve(spot, share=0.0001)
    for seat in ("oop", "ip"):
        assert solution.wins(seat) == pytest.approx(4.85, abs=0.01)


def test_a_lock_on_what_is_done_anyway_changes_nothing(polar):
    first = polar.at()
    kinds = {kind: chances for kind, _, chances, _, _ in first.kinds()}
    locks = tuple(Lock("", dict(zip(first.moves, kinds[kind], strict=True)), kind) for kind in kinds)
    locked = solve(replace(POLAR, locks=locks), share=0.0005)
    np.testing.assert_allclose(locked.at().chances[first.reach > 0], first.chances[first.reach > 0], atol=0.02)
    assert locked.wins("oop") == pytest.approx(polar.wins("oop"), abs=0.02)


@pytest.mark.slow
def test_whoever_is_bound_to_fold_loses_the_pot():
    locked = solve(replace(POLAR, locks=(Lock("all-in", {"fold": 1}),)), share=0.0001)
    assert locked.wins("oop") == pytest.approx(10.0, abs=0.01)
    kinds = {kind: chances for kind, _, chances, _, _ in locked.at().kinds()}
    assert kinds["65s"][1] == pytest.approx(1.0, abs=0.01)
    np.testing.assert_array_equal(locked.at("all-in").chances[:, 0], 1.0)


def test_the_other_does_as_well_as_can_be_against_a_lock():
    """Too few bluffs: bluff catchers fold. What it costs the player who is bound is not held against it."""
    bluff = Lock("", {"check": 0.9, "all": 0.1}, "65s")
    locked = solve(replace(POLAR, locks=(Lock("", {"all-in": 1}), bluff)), share=0.0001)
    assert locked.share <= 0.0001
    assert locked.at("all-in").overall[0] == pytest.approx(1.0, abs=0.01)
    kinds = {kind: (chances, wins) for kind, _, chances, wins, _ in locked.at().kinds()}
    assert kinds["65s"][0][1] == pytest.approx(0.1)
    assert kinds["65s"][1] == pytest.approx(1.0, abs=0.02)  # a tenth of the time the whole pot
    # What moves would win is told of bound hands as well.
    bluffs = locked.at().wins[locked.at().chances[:, 1] < 0.5]
    np.testing.assert_allclose(bluffs, [[0.0, 10.0]] * 4, atol=0.1)


def test_locks_of_some_suits_keep_suits_apart():
    spot = Spot("QsJh2h9s4h", "AA,KK", "QQ,AKs", 10, 20)
    for hands, count in (("AA", 2), ("AdAh", 1)):
        assert len(spot_tree(replace(spot, locks=(Lock("", {"check": 1}, hands),))).renamings) == count


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


def test_a_solution_is_drawn(polar, tmp_path):
    """All kinds are named, whether they come or not, and what colours and heights mean is said."""
    assert draw_range(polar.at(), tmp_path / "range.png").stat().st_size > 1000
    drawn = draw_range(polar.at(), tmp_path / "range.svg").read_text()
    words = re.findall("<!-- (.*) -->", drawn)
    named = [kind for _, _, kind in kinds(DECK)]
    assert len(named) == 169
    assert set(named) <= set(words)
    assert [word for word in words if word.startswith(("check", "all-in"))] == ["all-in 90%", "check 10%"]
    assert any("half as high, it comes half of the time" in word for word in words)


def test_a_bar_is_as_high_as_a_hand_often_comes(polar):
    """Of the combinations that the board leaves: all of them is full, whatever cards lie there."""
    ranges = read_range("KK,QQ:0.5", DECK)
    held = [hand for hand in ranges if not set(hand) & set(POLAR.cards)]
    reach, even = np.array([ranges[hand] for hand in held]), np.full((len(held), 2), 0.5)
    node = replace(polar.at(), hands=np.array(held), reach=reach, chances=even, wins=even, met=reach, equity=reach)
    assert bars(node) == {"KK": 1.0, "QQ": 0.5}


def test_moves_are_told_apart_by_how_light_they_are():
    for count in range(1, 6):
        found = np.array([to_rgb(each) for each in colours_of([f"{size} pot" for size in range(count)])])
        light = found @ (0.299, 0.587, 0.114)
        assert (np.diff(light) < -0.1).all(), "the larger the darker"


def test_locks_read_cards_in_any_order():
    locked = [replace(TURN, locks=(Lock("check", {"check": 1}, hand),)) for hand in ("AdKd", "KdAd")]
    assert locked[0].bound(locked[0].locks[0])[2] == locked[1].bound(locked[1].locks[0])[2]


def test_nothing_is_not_told_with_a_minus(polar, capsys):
    first = polar.at()
    tell(polar, replace(first, wins=np.full_like(first.wins, -0.001)))
    told = capsys.readouterr().out
    assert "0.00" in told
    assert "-0.00" not in told


def test_beyond_the_end_nothing_is_told(polar):
    with pytest.raises(BadInput, match="over after"):
        polar.at("check check")


TURN = Spot("QsJh2h9s", oop="AA,KQs,T8s", ip="QQ,AKs,JTs", pot=10, stack=10, menus=Menu((1.0,), ()))
"""Diamonds and clubs may change places."""


@pytest.fixture(scope="module")
def turn():
    return solve(TURN, share=0.001)


@pytest.mark.slow
def test_later_streets_are_told_whatever_suits_are_called(turn):
    """The same strategy, written down with suits apart, is as good and comes to the same on every card."""
    ranges = [turn.tree.ranges[player] for player in (0, 1)]
    rest = [card for card in range(DECK.kinds) if card not in TURN.cards]
    number = {tuple(hand): place for place, hand in enumerate(turn.tree.held.tolist())}
    every = [tuple(rest[place] for place in pair) for pair in chosen(len(rest), 2).tolist()]
    told = [np.array([float(each[number[hand]]) if hand in number else 0.0 for hand in every]) for each in ranges]
    tree = build_public_tree(TURN.game, board=[TURN.cards], ranges=told, symmetric=False)
    assert [len(each.rounds[1].cards) for each in (turn.tree, tree)] == [35, 48]
    places = [place_of(turn.tree, ((1, 1), ()), [(card,)]) for card in rest]
    river = tuple(
        tuple(jnp.stack([move[place.board][:, place.hands] for place in places]) for move in moves)
        for moves in turn.tables[1]
    )
    assert tree.rounds[1].cards[:, -1].tolist() == rest
    tables = turn.tables[0], river
    whole = replace(turn, tree=tree, tables=tables, judgement=eqx.filter_jit(judge)(tree, tables))
    assert whole.share == pytest.approx(turn.share, abs=1e-9)
    for betting in ("check check / 5c", "check check / 5d", "check check / Ad check"):
        ours, theirs = turn.at(betting), whole.at(betting)
        assert (ours.seat, ours.moves, ours.board) == (theirs.seat, theirs.moves, theirs.board)
        assert ours.comes == pytest.approx(theirs.comes)
        for name in ("reach", "chances", "wins", "equity"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-6, err_msg=name)


def test_the_cards_of_later_streets_are_out_of_the_deck(turn):
    node = turn.at("check check / Ad")
    assert DECK.name(node.board[-1]) == "Ad"
    assert node.reach[(node.hands == node.board[-1]).any(1)].sum() == 0
    assert {kind: weight for kind, weight, *_ in node.kinds()}["AA"] <= 3


def test_equity_on_the_river_is_told_against_those_who_come(turn):
    node = turn.at("check check / 5d")
    kinds = {kind: equity for kind, _, _, _, equity in node.kinds()}
    assert kinds["T8s"] == pytest.approx(1.0)  # a straight
    assert 0 < kinds["AA"] < 1  # queens are still among those who checked


@pytest.mark.parametrize(
    ("betting", "sentence"),
    [
        ("check check", "does not say with which card"),
        ("check check / Qs", "lies on the board already"),
        ("check / 5c check", "not where the slashes have it"),
        ("check check / 5c 6c", "not where the slashes have it"),
        ("check check / 5x", "'5x' is not a move"),
    ],
)
def test_bad_streets_are_one_sentence(betting, sentence):
    with pytest.raises(BadInput, match=sentence):
        TURN.after(betting)


def test_a_spot_is_told_in_words_that_are_read_back():
    menus = {"turn": {"oop": Menu((0.5,), (1.0,), all_in=False), "ip": Menu((), (), all_in=True)}}
    spot = replace(TURN, menus=menus, rake=0.05, rake_cap=3.0, locks=(Lock("check", {"check": 1}, "QQ"),))
    again = Spot.read(json.loads(json.dumps(spot.words())))
    assert again.words() == spot.words()
    assert again.game == spot.game
    assert again.locks == spot.locks


def test_a_solution_is_kept_and_told_of_later(turn, tmp_path):
    path = tmp_path / "turn.safetensors"
    save_solution(turn, path)
    again = load_solution(path)
    assert (again.share, again.steps, again.wins("oop")) == (turn.share, turn.steps, turn.wins("oop"))
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    asked = ["show", str(path), "--betting", "check check / 5d", "--out", str(tmp_path / "grid.png"), "--json"]
    result = CliRunner().invoke(app, asked)
    told = json.loads(result.stdout)
    assert told["board"] == "QsJh2h9s5d"
    assert told["exploitability"]["value"] == turn.share
    node = turn.at("check check / 5d")
    seen = node.reach > 0
    for name, ours in (("weight", node.reach), ("equity", node.equity)):
        np.testing.assert_allclose([hand[name] for hand in told["hands"]], ours[seen], atol=1e-6)
    for name, each in (("moves", node.chances), ("wins", node.wins)):
        np.testing.assert_allclose([list(hand[name].values()) for hand in told["hands"]], each[seen], atol=1e-5)
    assert (tmp_path / "grid.png").stat().st_size > 1000


def test_damaged_solutions_are_refused_in_a_sentence(turn, tmp_path):
    path = tmp_path / "turn.safetensors"
    save_solution(turn, path)
    data = path.read_bytes()
    for damaged in (data[:-1], data[:-9] + b"123456789", data[:300], b"", data.replace(b"QsJh2h9s", b"QsJh2h9c")):
        path.write_bytes(damaged)
        with pytest.raises(BadInput, match="holds no solved spot, or a damaged one"):
            load_solution(path)
    with pytest.raises(BadInput, match="no solved spot"):
        load_solution(tmp_path / "none.safetensors")
    with pytest.raises(BadInput, match="cannot be written"):
        save_solution(turn, tmp_path / "nowhere" / "turn.safetensors")


@pytest.mark.slow
def test_locks_are_for_later_streets_too_and_what_they_leave_out_never_comes():
    locks = Lock("", {"check": 1}), Lock("check check / 5c", {"all-in": 1}, "AA")
    locked = solve(replace(TURN, locks=locks), share=0.001)
    aces = {DECK.name(card): locked.at(f"check check / {DECK.name(card)}") for card in (12, 13, 14, 15)}
    kinds = {card: {kind: chances for kind, _, chances, *_ in node.kinds()} for card, node in aces.items()}
    assert [kinds[card]["AA"][1] > 0.999999 for card in aces] == [card == "5c" for card in aces]
    with pytest.raises(BadInput, match=r"'all-in' never comes, since oop never plays so"):
        locked.at("all-in")


def test_suits_are_taken_as_one_only_where_ranges_are_the_same_for_all():
    for oop, count in (("AA,KK", 2), ("AdAc,KK", 2), ("AdAh,KK", 1)):  # diamonds and clubs may change places, or not
        assert len(spot_tree(Spot("QsJh2h9s4h", oop, "QQ,AKs", 10, 20)).renamings) == count


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


def test_sizes_are_fractions_or_percent(asked):
    for text in ("33%,75%", "33%, 75%", "0.33 0.75", "33 %,0.75"):
        assert asked(POLAR.board, "--bets", text).menu("river", "ip") == Menu((0.33, 0.75), (0.5,))
    assert asked(POLAR.board, "--raises", "33.3%").menu("river", "ip").raises == (0.333,)
    menus = {"river": {"ip": {"bets": ["33%", 1], "raises": ["60%"]}}}
    spot = {"board": POLAR.board, "oop": "AA", "ip": "KK", "pot": 10, "stack": 95, "menus": menus}
    assert Spot.read(spot).menu("river", "ip") == Menu((0.33, 1.0), (0.6,))


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


def test_a_folder_is_no_file_to_write(tmp_path):
    (tmp_path / "grid.png").mkdir()
    result = CliRunner().invoke(app, ["solve", POLAR.board, "--out", str(tmp_path / "grid.png")])
    assert isinstance(result.exception, BadInput)
    assert "grid.png is a folder, and a file was to be written there" in str(result.exception)


@pytest.mark.parametrize("flags", [("--save",), ("--out",), ("--save", "--out")])
def test_what_was_solved_is_told_even_where_it_cannot_be_kept(polar, tmp_path, monkeypatch, flags):
    files = {"--save": tmp_path / "spot.safetensors", "--out": tmp_path / "grid.png"}

    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("feint.solvers.spots.solve", lambda *_, **__: polar)
    for module in ("feint.runs.solutions", "feint.report.canvas"):
        monkeypatch.setattr(f"{module}.write_whole", full)
    words = [word for flag in flags for word in (flag, str(files[flag]))]
    result = CliRunner().invoke(app, ["solve", POLAR.board, *words, "--json"])
    assert isinstance(result.exception, BadInput)
    for flag in flags:
        assert f"{files[flag].name} cannot be written (No space left on device); choose" in str(result.exception)
    assert json.loads(result.stdout)["board"] == POLAR.board
    assert list(tmp_path.iterdir()) == []


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


WORDS = {"board": POLAR.board, "oop": POLAR.oop, "ip": POLAR.ip, "pot": 10, "stack": 10, "bets": [1], "raises": []}


def test_a_call_tells_what_the_command_prints(tmp_path):
    file = tmp_path / "spot.json"
    file.write_text(json.dumps(WORDS))
    result = CliRunner().invoke(app, ["solve", str(file), "--share", "0.01", "--betting", "check", "--json"])
    told = json.loads(result.stdout)
    looks = []
    solution = feint.solve(WORDS, share=0.01, progress=looks.append)
    there = solution.at("check")
    assert looks[-1].share == solution.share == told["exploitability"]["value"] <= 0.01
    assert [{"hand": hand} | each for hand, each in there.by_hand().items()] == told["hands"]
    assert dict(zip(there.moves, there.overall, strict=True)) == pytest.approx(told["moves"])
    assert there.hand("QsQd") == there.hand("QdQs") == there.by_hand()["QdQs"]
    with pytest.raises(BadInput, match=r"ip never comes here with 'AhKh'; ask for a hand of its range"):
        there.hand("AhKh")
    assert {seat: solution.wins(seat) for seat in ("oop", "ip")} == told["wins"]


def test_a_call_takes_a_spot_as_flags_files_and_dicts_have_it(tmp_path, monkeypatch):
    (tmp_path / "spot.json").write_text(json.dumps({"spot": WORDS}))
    monkeypatch.setattr("feint.solvers.spots.solve", lambda spot, *limits: (spot, limits))
    for ways in (WORDS, {"spot": WORDS}, tmp_path / "spot.json", str(tmp_path / "spot.json"), Spot.read(WORDS)):
        assert feint.solve(ways)[0].words() == Spot.read(WORDS).words()
    flags = {name: value for name, value in WORDS.items() if name != "board"}
    for bets in ([1], "1", "100%", ["100%"]):
        asked = feint.solve(POLAR.board, **flags | {"bets": bets, "rake": None})[0]
        assert asked.words() == Spot.read(WORDS).words()
    assert feint.solve(POLAR.board, limit=2)[0] == Spot(POLAR.board, "any", "any", 10.0, 0.0, limit=2.0)
    assert feint.solve(POLAR.board)[0] == Spot(POLAR.board, "any", "any", 10.0, 95.0)
    assert feint.solve(POLAR.board, share=0.1, seconds=3, iterations=7)[1][:4] == (0.1, 7, 3, None)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"rnake": 1}, "did you mean rake"),
        ({"share": 2}, "share is a share of the pot above 0 and below 1, but 2 was given"),
        ({"iterations": 0}, "iterations must be a whole number from 1 on, but iterations=0 was given"),
        ({"iterations": 1.5}, "iterations must be a whole number from 1 on, but iterations=1.5 was given"),
        ({"seconds": 0}, "seconds must be a positive number"),
        ({"bets": 1}, "bets are a list of"),
        ({"bets": [33, 75]}, "write 33%,75% for percent"),
    ],
)
def test_a_call_that_cannot_be_is_one_sentence(given, sentence):
    with pytest.raises(BadInput, match=sentence):
        feint.solve(POLAR.board, **given)


def test_cards_stand_together_or_apart(tmp_path, asked):
    for words in (["Ks", "Kh", "7d", "4c", "2s"], ["KsKh7d", "4c", "2s"], ["Ks Kh 7d 4c 2s"], ["ks", "kh7d4c2s"]):
        assert asked(*words).cards == POLAR.cards
    result = CliRunner().invoke(app, ["solve", "one.json", "two.json"])
    assert isinstance(result.exception, BadInput)
    assert "but one.json two.json was given; name one file, or cards." in str(result.exception)


def test_iterations_end_it():
    spot = [POLAR.board, "--oop", "AA,65s", "--ip", "QQ"]
    result = CliRunner().invoke(app, ["solve", *spot, "--iterations", "30", "--json"])
    assert json.loads(result.stdout)["iterations"] == 30
    assert "Compiling comes first" in result.stderr


def test_a_river_with_other_ranges_and_pots_is_not_compiled_anew(polar):
    """Its arrays have the same shapes, though there are more hands."""
    other = replace(POLAR, board="QsQh8d5c3s", oop="AA,76s,KJs", ip="JJ,TT:0.5", pot=12.0, stack=12.0)
    shapes = [
        [leaf.shape for leaf in jax.tree.leaves(spot_tree(spot).rounds) if eqx.is_array(leaf)]
        for spot in (POLAR, other)
    ]
    assert shapes[0] == shapes[1]
    assert len(polar.at().by_hand()) == 10, "what fills up is not told of"
    whole = build_public_tree(POLAR.game, board=[POLAR.cards], ranges=_ranges(POLAR))
    assert (len(whole.held), len(polar.tree.held)) == (16, 64)


class Clock:
    """Time that goes by as one says."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


@pytest.mark.parametrize(
    ("each", "look", "seconds"), [(3.0, 1.0, 60), (0.5, 2.0, 60), (0.01, 0.02, 3), (100.0, 5.0, 60)]
)
def test_it_ends_near_the_time_asked_for(monkeypatch, each, look, seconds):
    """Iterations that take long are not begun by the twenty: as many are made as there is time for."""
    clock, counts = Clock(), []
    forward, judged = spots._forward, spots._look

    class Slow:
        def __init__(self, code, cost):
            self.prepare, self._code, self._cost = code.prepare, code, cost

        def __call__(self, solver, state, *steps):
            counts.extend(int(count) for count in steps)
            clock.now += self._cost * (int(steps[0]) if steps else 1)
            return self._code(solver, state, *steps)

    monkeypatch.setattr(spots, "time", clock)
    monkeypatch.setattr(spots, "_forward", Slow(forward, each))
    monkeypatch.setattr(spots, "_look", Slow(judged, look))
    solution = solve(POLAR, share=1e-9, seconds=seconds)
    assert solution.steps == sum(counts)
    assert solution.seconds == pytest.approx(clock.now)
    assert solution.seconds <= max(seconds, each + look)
    assert solution.seconds > seconds - 2 * (each + look)


def test_what_nobody_can_come_to_is_refused_before_anything_is_solved():
    """A card that is dealt may leave a player no hands, or no two hands that can meet."""
    spot = Spot("QsJh2h5c", oop="AsAh", ip="AsKs,6c6d,KcKd", pot=10, stack=10, menus=Menu((1.0,), ()))
    with pytest.raises(BadInput, match=r"^Every hand in the range of oop has a card of the board QsJh2h5cAs; give oth"):
        spot.after("check check / As")
    assert spot.after("check check / 6c").dealt
    few = replace(spot, ip="AsKs,6c6d")
    with pytest.raises(BadInput, match=r"^No two hands of these ranges can meet on QsJh2h5c6c, as they share cards"):
        few.after("check check / 6c")


def test_who_meets_nobody_after_some_betting_is_told_so():
    """Aces with the ace of spades meet nobody where the others who come there all hold it."""
    locks = Lock("", {"check": 1}, "AsKs"), Lock("", {"all-in": 1}, "7c7d")
    spot = Spot("QsJh2h5c8d", oop="AsKs,7c7d", ip="AsAh,KcKd", pot=10, stack=10, menus=Menu((), ()), locks=locks)
    spot = replace(spot, locks=(*locks, Lock("check", {"all-in": 1}, "AsAh"), Lock("check", {"check": 1}, "KcKd")))
    solution = solve(spot, share=0.001, steps=40)
    assert solution.at("check").reach.any()
    with pytest.raises(
        BadInput, match=r"^After 'check all-in' no hand that oop comes with can meet one of the other's"
    ):
        solution.at("check all-in")


def test_sizes_that_are_called_alike_are_refused():
    with pytest.raises(
        BadInput, match=r"^Several sizes are called 0\.5 pot, since they hardly differ; leave all but one"
    ):
        Spot.read({"board": "QsJh2h5c7d", "oop": "AA", "ip": "KK", "pot": 10, "stack": 20, "bets": [0.5, 0.5000000001]})


def test_a_share_that_is_not_reached_is_told(polar):
    asked = ["KsKh7d4c2s", "--oop", "AA,65s", "--ip", "QQ", "--stack", "10", "--bets", "1", "--share", "1e-9"]
    told = CliRunner().invoke(app, ["solve", *asked, "--iterations", "20"])
    assert told.exit_code == 0
    assert "It stopped after 20 iterations, short of the 1e-07% of the pot that was asked for." in told.stderr
    enough = CliRunner().invoke(app, ["solve", *asked[:-1], "0.9"])
    assert "short of" not in enough.stderr


def test_ctrl_c_leaves_a_spot_where_it_is(polar, monkeypatch, tmp_path):
    """What was solved so far is told and kept, wherever in the work it comes."""
    whole, times = spots._look, []

    class Interrupted:
        prepare = whole.prepare

        def __call__(self, *given):
            times.append(given)
            if len(times) == 2:
                os.kill(os.getpid(), signal.SIGINT)
            return whole(*given)

    monkeypatch.setattr(spots, "_look", Interrupted())
    asked = ["KsKh7d4c2s", "--oop", "AA,65s", "--ip", "QQ", "--stack", "10", "--bets", "1", "--share", "1e-12"]
    kept = tmp_path / "kept.safetensors"
    told = CliRunner().invoke(app, ["solve", *asked, "--save", str(kept), "--json"])
    monkeypatch.setattr(terminal, "interrupted", False)
    assert (told.exit_code, len(times)) == (0, 2)
    assert "It was interrupted, short of the 1e-10% of the pot that was asked for." in told.stderr
    assert json.loads(told.stdout)["iterations"] == load_solution(kept).steps == 40


def test_the_command_solves_a_spot_from_json_to_json(tmp_path):
    spot = {"board": POLAR.board, "oop": POLAR.oop, "ip": POLAR.ip, "pot": 10, "stack": 10, "bets": [1], "raises": []}
    (tmp_path / "spot.json").write_text(json.dumps(spot))
    result = CliRunner().invoke(app, ["solve", str(tmp_path / "spot.json"), "--share", "0.001", "--json"])
    told = json.loads(result.stdout)
    assert told["exploitability"]["value"] <= 0.001
    assert told["wins"]["oop"] == pytest.approx(9.0, abs=0.05)
    assert len(told["hands"]) == 10
    assert {"6s5s", "6h5h", "6d5d", "6c5c"} < {hand["hand"] for hand in told["hands"]}
    np.testing.assert_allclose([sum(hand["moves"].values()) for hand in told["hands"]], 1.0, atol=1e-6)


@pytest.fixture
def asked(monkeypatch):
    """The spot that a command would have solved."""

    class Solved(Exception):
        """In place of an hour."""

    def solved(*words):
        monkeypatch.setattr("feint.solvers.spots.solve", lambda spot, *_, **__: (_ for _ in ()).throw(Solved(spot)))
        result = CliRunner().invoke(app, ["solve", *map(str, words)])
        assert isinstance(result.exception, Solved), result.exception
        return result.exception.args[0]

    return solved


def examples():
    """What the help of `feint solve` writes in quotes, with the flag that it stands for."""
    flags = [flag for flag in get_command(app).commands["solve"].params if flag.opts[0].startswith("--")]
    return [(flag.opts[0], example) for flag in flags for example in re.findall(r"'([^']+)'", flag.help or "")]


@pytest.mark.parametrize(("flag", "example"), examples())
def test_the_examples_of_the_help_are_understood(flag, example, asked):
    assert asked("QsJh2h", flag, example).board == "QsJh2h"


def test_the_help_has_examples():
    assert {flag for flag, _ in examples()} == {"--oop", "--bets", "--raises", "--betting"}


def test_flags_come_on_top_of_what_a_file_says(tmp_path, asked):
    menus = {"turn": {"oop": {"bets": [2], "raises": [3], "all_in": False}}}
    spot = {"board": "QsJh2h9s", "oop": "AA", "ip": "KK", "pot": 10, "stack": 20, "menus": menus, "rake": 0.1}
    file = tmp_path / "spot.json"
    file.write_text(json.dumps(spot))
    told = Spot.read(spot)
    assert asked(file) == told
    flags = {"oop": "QQ", "ip": "TT", "pot": 7.0, "stack": 40.0, "rake": 0.05, "rake_cap": 2.0}
    for name, value in flags.items():
        assert asked(file, f"--{name.replace('_', '-')}", value) == replace(told, **{name: value})
    bets = asked(file, "--bets", "0.3,0.6")
    assert bets.menu("turn", "oop") == Menu((0.3, 0.6), (3.0,), all_in=False)
    assert bets.menu("turn", "ip") == bets.menu("river", "oop") == Menu((0.3, 0.6), (0.5,))
    raises = asked(file, "--raises", "")
    assert raises.menu("turn", "oop") == Menu((2.0,), (), all_in=False)
    assert raises.menu("river", "ip") == Menu((0.5, 1.0), ())
    assert asked("QsJh2h9s") == Spot("QsJh2h9s", "any", "any", 10.0, 95.0)


def test_what_is_told_of_a_spot_is_read_as_one(tmp_path, asked):
    locks = [{"betting": "", "moves": {"check": 0.5, "pot": 0.5}, "hands": "AA"}]
    spot = {"board": POLAR.board, "oop": POLAR.oop, "ip": "QQ:0.5,JJ", "pot": 10, "stack": 25}
    spot |= {"menus": {"river": {"oop": {"bets": [1], "raises": []}}}, "rake": 0.05, "rake_cap": 3, "locks": locks}
    (tmp_path / "spot.json").write_text(json.dumps(spot))
    words = ["--share", "0.3", "--betting", "check", "--json"]
    result = CliRunner().invoke(app, ["solve", str(tmp_path / "spot.json"), *words])
    told, again = json.loads(result.stdout), tmp_path / "again.json"
    assert Spot.read(told["spot"]).words() == Spot.read(spot).words()
    for part in (told, told["spot"]):
        again.write_text(json.dumps(part))
        assert asked(again).words() == Spot.read(spot).words()
