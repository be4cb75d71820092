"""OpenSpiel both ways: its judge says of our strategies what ours does, its bots sit at our tables and ours at its."""

from __future__ import annotations

import sys

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import exploitability
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots

import feint
from conftest import random_table
from feint.adapters.open_spiel import Translator, as_bots, bot_player, from_open_spiel, policy_player, to_open_spiel
from feint.evaluate.match import exact_winnings, play_players
from feint.forms.library import form_of
from feint.forms.strategy import TabularStrategy
from feint.games.twins import TWINS, twin_of
from feint.players.player import Player, StrategyPlayer
from feint.runs.lineup import line_up

IMPORTED = "open_spiel:liars_dice(numdice=1,dice_sides=3)"


@pytest.mark.parametrize(
    ("name", "strategies"),
    [
        ("kuhn", 100),
        ("leduc", 10),
        pytest.param("leduc", 100, marks=pytest.mark.slow),
        ("kuhn(players=3)", 30),
        pytest.param("kuhn(players=3)", 100, marks=pytest.mark.slow),
        ("rock_paper_scissors", 100),
        (IMPORTED, 100),
    ],
)
def test_nash_conv_is_the_same_there(name, strategies):
    translator = Translator(name)
    for seed in range(strategies):
        table = random_table(translator.tree, seed)
        told = pyspiel.nash_conv(translator.twin.source, translator.policy(table).to_dict())
        assert told == pytest.approx(feint.nash_conv(translator.tree, table), abs=1e-9)


def test_a_strategy_is_a_policy_in_their_own_class():
    run = feint.load_run("feint:kuhn")
    policy = to_open_spiel(run.strategy, "kuhn")
    assert isinstance(policy, policies.TabularPolicy)
    theirs = exploitability.nash_conv(pyspiel.load_game("kuhn_poker"), policy)
    assert theirs == pytest.approx(feint.nash_conv("kuhn", run.strategy), abs=1e-9)


@pytest.mark.parametrize("name", ["leduc", IMPORTED])
def test_there_and_back(name):
    translator = Translator(name)
    table = random_table(translator.tree, 3)
    back = from_open_spiel(translator.policy(table), name)
    assert np.abs(back.table(translator.tree) - table).max() < 1e-12


def test_games_that_differ_are_refused():
    with pytest.raises(feint.BadInput, match="kuhn is not the same game as OpenSpiel's leduc_poker"):
        to_open_spiel(feint.unroll("kuhn").uniform(), "kuhn", name="leduc_poker")
    with pytest.raises(feint.BadInput, match="leduc is not the same game"):
        twin_of(feint.load_game("leduc"), "leduc_poker")
    with pytest.raises(feint.BadInput, match="leduc_thesis is not known to be in OpenSpiel; name the game it is there"):
        twin_of(feint.load_game("leduc_thesis"))


@pytest.mark.parametrize("name", [name for name in TWINS if name not in ("kuhn(players=5)", "leduc(players=3)")])
def test_twins_are_twins(name):
    twin = twin_of(feint.load_game(name))
    assert len(twin.situations) == len(twin.named) == len(feint.unroll(name).infosets)


def test_a_policy_is_a_player_that_can_be_judged():
    source = pyspiel.load_game("leduc_poker(suit_isomorphism=True)")
    player = policy_player(policies.UniformRandomPolicy(source), "leduc", seed=0)
    assert feint.nash_conv("leduc", player.strategy) == pytest.approx(
        feint.nash_conv("leduc", feint.unroll("leduc").uniform())
    )


def test_bots_sit_at_our_tables_by_name(call):
    code, out, _ = call("match", "open-spiel", "call", "--game", "kuhn", "--hands", "40", "--json")
    assert code == 0
    assert '"hands": 40' in out
    code, _, err = call("match", "open-spiel(bot=nobody)", "call", "--game", "kuhn", "--hands", "40")
    assert code == 2
    assert "OpenSpiel has no bot called 'nobody'; choose from fixed_action_preference, ismcts" in err
    code, _, err = call("match", "open-spiel", "call", "--game", "leduc_thesis", "--hands", "40")
    assert code == 2
    assert "not known to be in OpenSpiel" in err


def test_a_bot_that_searches_beats_random_play():
    lineup = line_up(("open-spiel(bot=ismcts,simulations=200)", "random"), "open_spiel:kuhn_poker", seed=0)
    played = play_players(lineup.form, lineup.players, 400, seed=1)
    assert played.interval[0] > 0


def test_bots_are_not_shown_what_their_seat_cannot_see():
    """Whatever the other holds, a bot is as often shown every card that the other may hold."""
    shown = []

    class Looker(pyspiel.Bot):
        def __init__(self):
            pyspiel.Bot.__init__(self)

        def restart(self):
            pass

        def step(self, state):
            shown.append((state.information_state_string(), tuple(state.history()[:2])))
            return state.legal_actions()[0]

    looker = bot_player(lambda seat: Looker(), "kuhn", seed=0)
    form = form_of("kuhn")
    play_players(form, (looker, line_up(("random",), form.game, seed=2).players[0]), 300, seed=3)
    first = [cards for name, cards in shown if name == "0"]  # the jack, before anyone has moved
    assert len(first) > 20
    assert set(first) == {(0, 1), (0, 2)}
    assert 0.25 < np.mean([cards == (0, 1) for cards in first]) < 0.75


@pytest.mark.parametrize("evaluate", ["python", "c++"])
def test_our_players_are_bots_there(evaluate):
    """A match at OpenSpiel's table wins what is exactly expected, within its interval."""
    form = form_of("leduc")
    players = [
        StrategyPlayer(TabularStrategy(form.fingerprint, random_table(form.tree, seed)), form, seed)
        for seed in range(2)
    ]
    bots = [as_bots(player, "leduc")[seat] for seat, player in enumerate(players)]
    source, random, won = pyspiel.load_game(TWINS["leduc"]), np.random.RandomState(0), []
    for hand in range(400):
        state = source.new_initial_state()
        won.append(
            evaluate_bots(state, bots, random)[0]
            if evaluate == "python"
            else pyspiel.evaluate_bots(state, bots, hand)[0]
        )
    exact = form.values([player.strategy for player in players])[0]
    assert exact != pytest.approx(0, abs=0.05), "there is something to be measured"
    assert np.mean(won) == pytest.approx(exact, abs=3 * np.std(won) / len(won) ** 0.5)


def test_our_players_hear_what_everyone_hears_there():
    heard = []

    class Listener(Player):
        def begin(self, player, told):
            heard.append(("begin", player))

        def heard(self, player, word):
            heard.append((player, word))

        def move(self, seen):
            heard.append(seen.label)
            return seen.moves.get("check", 1)

    other = line_up(("raise",), "kuhn").players[0]
    bots = [as_bots(other, "kuhn")[0], as_bots(Listener(), "kuhn")[1]]
    pyspiel.evaluate_bots(pyspiel.load_game("kuhn_poker").new_initial_state(), bots, 0)
    assert heard[:2] == [("begin", 1), (0, "bet")]
    assert heard[2].endswith(": bet")


def test_what_is_not_installed_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(feint.BadInput, match=r"open-spiel needs OpenSpiel, .* pip install 'feint\[open-spiel\]'"):
        line_up(("open-spiel",), "kuhn")


def test_matches_of_policies_are_exact():
    form = form_of("kuhn")
    one = policy_player(to_open_spiel(feint.load_run("feint:kuhn").strategy, "kuhn"), "kuhn")
    other = line_up(("random",), "kuhn").players[0]
    ours = line_up(("feint:kuhn",)).players[0]
    assert exact_winnings(form, (one, other)) == pytest.approx(exact_winnings(form, (ours, other)), abs=1e-9)
