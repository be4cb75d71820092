"""RLCard's agents at our tables: what they are shown is what RLCard itself shows of the same hand."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import feint
from feint.evaluate.match import play_players
from feint.forms.library import form_of
from feint.games.cards import Deck, pair_then_rank
from feint.games.hand import CALL, FOLD, RAISE
from feint.games.poker import Poker, Round
from feint.players.player import StrategyPlayer
from feint.players.rlcard_agents import ACTIONS, RLCardPlayer, as_rlcard_has_it
from feint.players.table import observation
from feint.runs.lineup import line_up

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # RLCard's own
    import rlcard
    import rlcard.models

BLINDS = Poker(
    deck=Deck(ranks="JQK", copies=2),
    blinds=(1.0, 2.0),
    rounds=(Round(raise_by=2, cap=2), Round(raise_by=4, cap=2, board=1)),
    showdown=pair_then_rank,
    free_folds=True,
    name="RLCard's Leduc",
)
"""Leduc as RLCard plays it, while whoever opens a round is the same by both rules."""
MOVES = {"fold": FOLD, "call": CALL, "check": CALL, "raise": RAISE}


def cards_of(game, names):
    """RLCard's cards by our numbers."""
    known = {game.deck.name(card): card for card in range(game.deck.kinds)}
    return tuple(sorted(known[name[1] + (name[0].lower() if game.deck.suits else "")] for name in names))


def follow(game, theirs, seed):
    """Play one hand at RLCard's table at random, and the same by our rules; what both show on the way."""
    source = np.random.default_rng(seed)
    env = rlcard.make(
        theirs, config={"seed": seed}
    )  # at an old table hold'em begins with the raises of the hand before
    theirs, player = env.reset()
    first = player  # our dealer opens the first round
    whole = env.get_perfect_information()
    hands = [whole["hand_cards"][(first + seat) % 2] for seat in range(2)]
    ours = game.seat(0)
    for hand in hands:
        ours = game.deal(ours, cards_of(game, [hand] if isinstance(hand, str) else hand))
    while not env.is_over():
        seat = (player - first) % 2
        if ours.actor != seat:
            return  # RLCard opens a round with whoever follows the last to act
        yield theirs, as_rlcard_has_it(game, observation(game, ours, seat)), first
        legal = [word for word in theirs["raw_legal_actions"] if word != "fold" or source.random() < 0.1]
        word = str(source.choice(legal))
        theirs, player = env.step(word, raw_action=True)
        ours = game.play(ours, MOVES[word])
        if ours.actor == feint.CHANCE:
            board = env.get_perfect_information()["public_card"]
            board = board if isinstance(board, list) else [board]
            ours = game.deal(ours, cards_of(game, board[len(ours.board) :]))


@pytest.mark.parametrize(
    ("game", "theirs"), [(BLINDS, "leduc-holdem"), (feint.load_game("holdem(variant=rlcard)"), "limit-holdem")]
)
def test_agents_see_what_rlcard_shows(game, theirs):
    compared, rounds = 0, set()
    for seed in range(60):
        for state, told, first in follow(game, theirs, seed):
            assert (told["obs"] == state["obs"]).all()
            assert list(told["legal_actions"]) == list(state["legal_actions"])
            assert told["raw_legal_actions"] == state["raw_legal_actions"]
            mine, raw = told["raw_obs"], state["raw_obs"]
            assert set(mine) == set(raw)
            assert (mine["my_chips"], mine["legal_actions"]) == (raw["my_chips"], raw["legal_actions"])
            assert mine["all_chips"] == [raw["all_chips"][(first + seat) % 2] for seat in range(2)]
            if theirs == "limit-holdem":
                assert (set(mine["hand"]), mine["raise_nums"]) == (set(raw["hand"]), raw["raise_nums"])
                rounds.add(len(mine["public_cards"]))
            else:
                assert mine["hand"][1] == raw["hand"][1]
                rounds.add(bool(mine["public_card"]))
            record = [word for _, word in told["action_record"]]
            assert record == [word for _, word in state["action_record"]]
            compared += 1
    assert compared > 100
    assert len(rounds) > 1, "boards were seen, too"


@pytest.mark.parametrize("game", ["leduc", "holdem"])
def test_rlcard_s_rules_sit_at_our_tables(game):
    lineup = line_up(("rlcard", "random"), game, seed=0)
    assert play_players(lineup.form, lineup.players, 40, seed=0).hands == 40


def test_the_agent_that_raises_raises(call, monkeypatch):
    """RLCard's first rule agent for Leduc raises wherever it may: it wins what always raising wins, deal by deal."""
    form = form_of("leduc")
    won = []
    for name in ("rlcard(model=leduc-holdem-rule-v1)", "raise"):
        player, other = (line_up((each,), form.game, seed=1).players[0] for each in (name, "call"))
        with monkeypatch.context() as asked:
            asked.setattr(StrategyPlayer, "strategy", None)  # at the same table, hand by hand
            won.append(play_players(form, (player, other), 60, seed=5).mean)
    assert won[0] == won[1]
    code, out, _ = call(
        "match", "rlcard(model=leduc-holdem-rule-v1)", "fold", "--game", "leduc", "--hands", "20", "--json"
    )
    assert code == 0
    assert '"winnings": 1000.0' in out


def test_an_agent_of_one_s_own_answers_with_numbers():
    seen = []

    class Mine:
        use_raw = False

        def eval_step(self, state):
            seen.append(state)
            return ACTIONS.index("fold"), {}

    form = form_of("leduc")
    mine = RLCardPlayer(Mine(), form.game)
    played = play_players(form, (mine, line_up(("raise",), form.game).players[0]), 20, seed=0)
    assert played.mean == -1.0, "where folding is not legal RLCard's tables check"
    assert seen[0]["obs"].shape == (36,)


def test_luck_is_the_player_s_own():
    class Drawing:
        use_raw = False

        def eval_step(self, state):
            return np.random.choice(list(state["legal_actions"])), {}  # noqa: NPY002

    form = form_of("leduc")
    other = line_up(("call",), form.game).players[0]
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first, again, later = (
        play_players(form, (RLCardPlayer(Drawing(), form.game, seed), other), 60, 1).mean for seed in (1, 1, 2)
    )
    assert first == again != later
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_what_cannot_be_is_told(monkeypatch):
    for name, game, words in (
        ("rlcard", "kuhn", "play Leduc and limit hold'em for two, such as leduc and holdem, but not kuhn"),
        ("rlcard(model=limit-holdem-rule-v1)", "leduc", "limit-holdem-rule-v1 does not play leduc"),
        ("rlcard(model=leduc-holdem-rule-v9)", "leduc", "did you mean leduc-holdem-rule-v"),
    ):
        with pytest.raises(feint.BadInput, match=words):
            line_up((name,), game)
    monkeypatch.setitem(sys.modules, "rlcard.models.registration", None)
    with pytest.raises(
        feint.BadInput, match=r"needs RLCard, which is not installed; run: pip install 'feint\[rlcard\]'"
    ):
        line_up(("rlcard",), "leduc")
