"""Pictures show what they say."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from matplotlib.image import imread
from rich.console import Console

import feint
from feint.arena.betting import unroll_betting
from feint.forms.library import form_of
from feint.forms.strategy import TabularStrategy
from feint.games.cards import Deck, high_card
from feint.games.library import load_game
from feint.games.poker import Poker, Round
from feint.report import game_tree, grid, picture, starting_hands
from feint.report.game_tree import Branch, _places, draw_tree
from feint.report.grid import Panel, draw_grid, layout
from feint.report.picture import draw_strategy
from feint.report.starting_hands import ask_starting_hands, by_ranks, draw_chart, draw_heat_map
from feint.report.table import strategy_table
from feint.studio.strategies import Book


@pytest.fixture(scope="module")
def holdem():
    return unroll_betting(load_game("holdem"))


@pytest.mark.parametrize(("name", "cards", "situations"), [("kuhn", "KQJ", 4), ("kuhn(players=3)", "AKQJ", 12)])
def test_kuhn_is_a_grid(tree_of, name, cards, situations):
    tree = tree_of(name)
    found = layout(tree)
    assert "".join(found.cards) == cards
    assert len(found.situations) == situations
    assert found.situations[0] == (0, "")
    assert sorted(found.infoset.flat) == list(range(len(tree.player)))
    for (row, column), infoset in np.ndenumerate(found.infoset):
        card, (player, betting) = found.cards[row], found.situations[column]
        assert tree.labels[infoset] == (f"{card}: {betting}" if betting else card)
        assert tree.player[infoset] == player


@pytest.mark.parametrize(
    "name", ["leduc", "leduc_thesis", "rock_paper_scissors", "leduc_no_limit", "open_spiel:kuhn_poker"]
)
def test_other_games_are_not(tree_of, name):
    assert layout(tree_of(name)) is None


def test_grids_are_drawn_and_dominated_moves_are_red(tree_of, tmp_path):
    tree = tree_of("kuhn")
    found = layout(tree)
    tables = np.stack([tree.uniform(), tree.uniform()])
    marked = np.zeros_like(tree.legal)
    marked[0, 1] = True
    plain, red = (
        imread(draw_grid(tree, found, [Panel("one", tables), Panel("", tables[:1])], tmp_path / f"{number}.png", marks))
        for number, marks in enumerate((None, marked))
    )

    def reddish(image):
        return ((image[..., 0] > 0.5) & (image[..., 1] < 0.35) & (image[..., 2] < 0.35)).sum()

    assert reddish(plain) == 0
    assert reddish(red) > 100


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ante": 1.0}, {"": "check bet", "check": "check bet", "bet": "fold call", "check bet": "fold call"}),
        ({"ante": 1.0, "free_folds": True}, {"": "fold check bet", "check": "fold check bet", "bet": "fold call"}),
        ({"blinds": (0.5, 1.0)}, {"": "fold call raise", "call": "check raise", "call raise": "fold call"}),
        ({"blinds": (0.5, 1.0), "free_folds": True}, {"": "fold call raise", "call": "fold check raise"}),
    ],
)
def test_grids_and_trees_call_moves_what_players_do(monkeypatch, changes, expected):
    """A check is no call, nor a bet a raise, whether or not one may fold or has posted a blind."""
    game = Poker(deck=Deck("QK"), rounds=(Round(raise_by=1, cap=1),), showdown=high_card, **changes)
    tree, drawn = feint.unroll(game), []
    found = layout(tree)
    for module in (grid, game_tree):
        monkeypatch.setattr(module, "keep", lambda figure, path: drawn.append(figure))
    draw_grid(tree, found, [Panel("", tree.uniform()[None])], None)
    draw_tree(tree, [Branch("", 0)], None, tree.uniform())
    cells = np.reshape(drawn[0].axes, found.infoset.shape)
    said = {betting: words(cells[0, column])[::-1] for column, (_, betting) in enumerate(found.situations)}
    assert {betting: " ".join(said[betting]) for betting in expected} == expected
    made = {word for word in words(drawn[1].axes[0]) if word}
    assert made == {word for row in said.values() for word in row}


def words(axes):
    """The words beside the numbers."""
    return [re.sub(r"[-–\d., ?]", "", text.get_text()) for text in axes.texts]


def test_trees_place_parents_above_their_children(tree_of, tmp_path):
    tree = tree_of("kuhn")
    places = _places(tree, 0)
    assert len(places) == tree.nodes
    for node in range(1, tree.nodes):
        assert places[node][1] == places[int(tree.parent[node])][1] - 1
    ends = sorted(places[int(node)][0] for node in tree.terminal)
    assert ends == list(range(len(ends)))
    assert draw_tree(tree, [Branch("all", 0)], tmp_path / "tree.png", tree.uniform()).stat().st_size > 10_000


def test_starting_hands_are_told_by_their_cards(holdem):
    told = ask_starting_hands(holdem, lambda seen: jnp.stack([seen.cards[:, 0] // 4, seen.cards[:, 1] // 4], 1))
    assert np.isnan(told[np.arange(52), np.arange(52)]).all()
    assert told[51, 0].tolist() == [0, 12]
    chart = by_ranks(told, 4)
    assert chart[0, 0].tolist() == [12, 12]
    assert chart[0, 12].tolist() == chart[12, 0].tolist() == [0, 12]
    assert chart[12, 12].tolist() == [0, 0]


def test_starting_hands_are_asked_for_at_any_decision_however_many_there_are(holdem):
    arrays = {name: each for name, each in vars(holdem).items() if isinstance(each, np.ndarray)}
    each_of = {name: each for name, each in arrays.items() if len(each) == len(holdem.actor)}
    many = replace(holdem, **{name: np.resize(each, (40_000, *each.shape[1:])) for name, each in each_of.items()})
    told = ask_starting_hands(many, lambda seen: seen.node[:, None], 39_999)
    assert told[0, 1] == 39_999


def test_suited_hands_are_above_the_diagonal(holdem, tmp_path):
    suited = ask_starting_hands(holdem, lambda seen: (seen.cards[:, :1] % 4 == seen.cards[:, 1:2] % 4).astype(float))
    chart = by_ranks(suited, 4)[..., 0]
    np.testing.assert_array_equal(chart, np.triu(np.ones((13, 13)), 1))
    shares = np.concatenate([suited * 0, 1 - suited, suited], -1)
    assert draw_chart(holdem, shares, tmp_path / "chart.png", "suited").stat().st_size > 10_000
    assert draw_heat_map(holdem, suited[..., 0], tmp_path / "heat.png", "suited", "yes").stat().st_size > 5_000


def test_charts_show_every_raise_that_is_offered(monkeypatch):
    """The first move of no-limit hold'em: each of three raises has its part of every cell, and its own colour."""
    betting, drawn = unroll_betting(load_game("holdem_no_limit(stack=20, rounds=2, ranks=4)")), []
    monkeypatch.setattr(starting_hands, "keep", lambda figure, path: drawn.append(figure))
    draw_chart(betting, np.full((16, 16, 5), (0.1, 0.15, 0.2, 0.25, 0.3)), None)
    draw_chart(betting, np.full((16, 16, 5), (0.5, 0.5, 0.0, 0.0, 0.0)), None, node=int(betting.child[0, 4]))
    first, facing_all_in = ([word.get_text() for word in figure.legends[0].get_texts()] for figure in drawn)
    assert first == ["all-in", "pot", "0.5 pot", "call", "fold"]
    assert facing_all_in == ["call", "fold"]
    *parts, _ = drawn[0].axes[0].patches[:6]
    assert [part.get_width() for part in parts] == pytest.approx([0.3, 0.25, 0.2, 0.15, 0.1])
    assert [part.get_x() for part in parts] == pytest.approx([0.0, 0.3, 0.55, 0.75, 0.9])
    legend = [patch.get_facecolor() for patch in drawn[0].legends[0].get_patches()]
    assert [part.get_facecolor() for part in parts] == legend
    assert len(set(legend)) == 5


def test_runs_have_the_picture_of_their_game(tmp_path):
    kuhn = feint.train("cfr", "kuhn", steps=20, out=tmp_path / "kuhn")
    assert draw_strategy(kuhn, form_of("kuhn"), tmp_path) == tmp_path / "strategy.png"
    leduc = feint.train("cfr", "leduc", steps=2, out=tmp_path / "leduc")
    assert draw_strategy(leduc, form_of("leduc"), tmp_path) is None


def strongest(deck, hole, board):
    return max(deck.rank(card) for card in (*hole, *board))


@pytest.mark.parametrize("deck", [Deck("23456789TJQKA", copies=4), Deck("23456789TJQKA", suits=True)])
def test_where_two_cards_have_no_suits_there_is_no_chart_of_them(tmp_path, deck):
    rounds = Round(raise_by=2, cap=4), Round(raise_by=4, cap=4, board=2)
    game = Poker(deck=deck, hole=2, ante=1, rounds=rounds, showdown=strongest)
    changes = {"tables": "2", "replay.capacity": "16", "network.hidden": "4"}
    run, form = feint.train("dqn", game, steps=1, settings=changes, out=tmp_path / "run"), form_of(game)
    assert form.tree is None
    assert draw_strategy(run, form, tmp_path) is None
    with pytest.raises(feint.BadInput, match=r"has no chart of starting hands, as hold'em has; ask of one spot"):
        picture.starting_hands(run, form, "bet")
    assert not Book("run", form, run.strategy).has_combinations


@pytest.mark.slow
def test_charts_are_drawn_at_any_decision_before_the_flop(call, tmp_path):
    code, _, err = call("show", "feint:holdem", "--betting", "raise", "--out", "here")
    assert (code, err) == (0, "The chart is here/strategy-after-raise.png.\n")
    assert (tmp_path / "here" / "strategy-after-raise.png").stat().st_size > 10_000
    told = json.loads(call("show", "feint:holdem", "--betting", "raise", "--json")[1])
    assert (told["player"], told["betting"], len(told["hands"])) == (2, "raise", 169)
    suited = [feint.ask("feint:holdem", f"A{suit}K{suit}", betting="raise").moves["raise"] for suit in "shdc"]
    assert told["hands"]["AKs"]["raise"] == pytest.approx(np.mean(suited), abs=1e-6)
    assert list(told["hands"]["72o"]) == ["fold", "call", "raise"]
    for words, sentence in (
        (
            "feint:holdem --betting raise,call",
            "A chart is of starting hands, but the flop lies open after 'raise,call'",
        ),
        ("feint:holdem --betting check", "'check' is not a move at the start in holdem; the moves there are fold,"),
        ("feint:kuhn --betting check", "kuhn has no chart of starting hands, as hold'em has; ask of one spot"),
    ):
        code, _, err = call("show", *words.split())
        assert code == 2
        assert sentence in err


def test_long_labels_take_no_numbers_off_the_table(tree_of):
    tree = tree_of("kuhn")
    long = replace(tree, labels=tuple(label + " and so on" * 12 for label in tree.labels))
    console = Console(width=80, file=io.StringIO())
    console.print(strategy_table(long, TabularStrategy(long.fingerprint, long.uniform()), 80))
    shown = console.file.getvalue()
    assert re.search(r"check/ +\n *player +sees +fold +call +bet +leak", shown)
    assert shown.count("0.50") == 2 * len(tree.labels)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("leduc", "fold check/call bet/raise"),
        ("open_spiel:kuhn_poker", "Pass Bet"),
        ("leduc_no_limit", "fold check/call pot all-in"),
    ],
)
def test_moves_are_called_in_tables_what_they_are_called_in_histories(tree_of, name, words):
    tree = tree_of(name)
    console = Console(width=120, file=io.StringIO())
    console.print(strategy_table(tree, TabularStrategy(tree.fingerprint, tree.uniform()), 120, most=4))
    assert console.file.getvalue().splitlines()[1].split() == ["player", "sees", *words.split(), "leak"]


def test_where_moves_are_many_they_go_by_what_they_are_called(tree_of):
    tree = tree_of("open_spiel:liars_dice(dice_sides=3,numdice=1)")
    console = Console(width=120, file=io.StringIO())
    console.print(strategy_table(tree, TabularStrategy(tree.fingerprint, tree.uniform()), 120, most=4))
    assert re.search(r"\d-\d 0\.\d\d", console.file.getvalue())
