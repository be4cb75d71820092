"""Spots of hold'em solved: solutions that are known, and what is told of them."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from typer.testing import CliRunner

from feint.cli import app
from feint.cli.solve import _print as tell
from feint.games.errors import BadInput
from feint.games.hand import Menu
from feint.games.postflop import DECK, Spot
from feint.games.ranges import kinds, read_range
from feint.games.spot_words import MENU, Lock
from feint.public.build import build_public_tree
from feint.public.combinations import chosen
from feint.public.judge import judge
from feint.public.places import place_of
from feint.report.grid import colours_of
from feint.report.range_grid import bars, draw_range
from feint.runs.solutions import load_solution, save_solution
from feint.solvers.spot_trees import spot_tree
from feint.solvers.spots import solve
from known_spots import POLAR, TURN


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


def test_nothing_is_not_told_with_a_minus(polar, capsys):
    first = polar.at()
    tell(polar, replace(first, wins=np.full_like(first.wins, -0.001)))
    told = capsys.readouterr().out
    assert "0.00" in told
    assert "-0.00" not in told


def test_beyond_the_end_nothing_is_told(polar):
    with pytest.raises(BadInput, match="over after"):
        polar.at("check check")


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
