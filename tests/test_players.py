"""Players see what players may see, are told what happens, and are found by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import feint
from conftest import UNROLLABLE, random_table
from feint.arena.cards import HIDDEN
from feint.arena.policy import Always
from feint.evaluate.match import play_players
from feint.forms.library import form_of
from feint.forms.strategy import PolicyStrategy, TabularStrategy
from feint.games.errors import IllegalMove
from feint.games.poker_talk import cards
from feint.players.player import Observation, Player, PlayerConfig, Result, StrategyPlayer
from feint.players.table import HandInPlay, Table, observation
from feint.runs.lineup import line_up, players
from feint.testing import check_player


class Recorder(Player):
    """Moves at random, and writes down everything it was shown."""

    def __init__(self, seed=0):
        self.random, self.shown = np.random.default_rng(seed), []

    def begin(self, *told):
        self.shown.append(("begin", *told))

    def saw(self, *told):
        self.shown.append(("saw", *told))

    def heard(self, *told):
        self.shown.append(("heard", *told))

    def end(self, *told):
        self.shown.append(("end", *told))

    def move(self, seen):
        self.shown.append(("move", seen))
        return int(self.random.choice(list(seen.moves.values())))


def states_of(game, limit=4000):
    """The game's states breadth-first, up to a limit; dealing comes first, so late rounds are among them."""
    states = [game.start()]
    for state in states:
        yield state
        actor = game.actor(state)
        if len(states) < limit and actor == feint.CHANCE:
            states += [after for _, after in game.chance(state)]
        elif len(states) < limit and actor >= 0:
            states += [game.play(state, move) for move in game.legal(state)]


GAMES = [*UNROLLABLE, "kuhn(players=3)", "leduc(suits=True)", "holdem", "open_spiel:kuhn_poker"]


@pytest.mark.parametrize("name", GAMES)
def test_what_a_player_is_shown_is_a_function_of_what_it_may_know(name):
    """Over all states with one view, whatever the others hold: the same observation, to the letter."""
    game = feint.load_game(name)
    known = {}
    for state in states_of(game):
        for player in range(game.players):
            if game.actor(state) in (feint.CHANCE, feint.TERMINAL):
                continue
            seen = observation(game, state, player)
            acts = game.actor(state) == player
            assert (seen.player, seen.view, bool(seen.moves)) == (player, game.view(state, player), acts)
            # Whose turn it is may be hidden too, so only those to move are compared with those to move.
            told = (seen, game.seated(state, player))
            assert known.setdefault((player, seen.view, acts), told) == told


@pytest.mark.parametrize("name", ["kuhn", "leduc", "rock_paper_scissors", "holdem"])
def test_a_player_is_told_from_the_beginning_to_the_end(name):
    game, recorders = feint.load_game(name), [Recorder(1), Recorder(2)]
    table = Table(game, seed=3)
    for _ in range(20):
        before = [len(recorder.shown) for recorder in recorders]
        won = table.hand(recorders)
        for player, (recorder, start) in enumerate(zip(recorders, before, strict=True)):
            (first, *_), *between, (last, result) = recorder.shown[start:]
            assert (first, last, result.won) == ("begin", "end", won)
            kinds = {"saw": Observation, "move": Observation, "heard": int}
            assert all(isinstance(told[1], kinds[told[0]]) for told in between)
            assert {told[1].player for told in between if told[0] != "heard"} == {player}
            heard = [told[1:] for told in between if told[0] == "heard"]
            assert all(other != player for other, _ in heard)
            assert game.open_moves or not heard, "where moves are hidden nobody hears of them"


def test_cards_that_are_not_shown_down_stay_hidden():
    game, recorders = feint.load_game("holdem"), [Recorder(3), Recorder(4)]
    table = Table(game, seed=5)
    ends = {True: 0, False: 0}
    for _ in range(60):
        before = [len(recorder.shown) for recorder in recorders]
        table.hand(recorders)
        shown = [recorder.shown[start:] for recorder, start in zip(recorders, before, strict=True)]
        folded = any("fold" in told for hand in shown for told in hand if told[0] == "heard")
        ends[folded] += 1
        for player, hand in enumerate(shown):
            _, other, *_ = next(told[1].view for told in shown[1 - player] if told[0] == "saw")
            names = [cards(game.deck, [card]) for card in other]
            words = repr([told for told in hand if told[0] != "end"]) + (repr(hand[-1]) if folded else "")
            views = [told[1].view for told in hand if told[0] in ("saw", "move")]
            board = {card for view in views for card in view[2]}
            assert not any(card in view[1] for view in views for card in other)
            assert not any(name in words for name, card in zip(names, other, strict=True) if card not in board)
            if not folded:
                assert f"player {2 - player} shows" in hand[-1][1].shown
    assert min(ends.values()) > 5


@pytest.mark.parametrize("name", ["kuhn(players=3)", "leduc", "rock_paper_scissors", "open_spiel:kuhn_poker", "holdem"])
def test_forms_know_what_players_see(name):
    """Whatever the rules show is found again, in the tree or as cards and betting; and the same moves are legal."""
    form, recorders = form_of(name), [Recorder(seed) for seed in range(form_of(name).players)]
    table = Table(form.game, seed=3)
    for _ in range(12):
        table.hand(recorders)
    boards = set()
    for seen in [told[1] for recorder in recorders for told in recorder.shown if told[0] == "move"]:
        infostate = form.sees(seen.player, seen.view)
        legal = form.by_move(np.asarray(form.arena.legal(infostate))[0].astype(float))
        assert np.flatnonzero(legal).tolist() == sorted(seen.moves.values())
        if form.tree is not None:
            assert form.tree.labels[int(infostate[0])] == seen.label
            assert form.tree.player[int(infostate[0])] == seen.player
            continue
        _, hole, board, _ = seen.view
        boards.add(len(board))
        assert np.asarray(infostate.cards)[0].tolist() == [*hole, *board, *[HIDDEN] * (5 - len(board))]
        assert form.betting.labels[int(infostate.node[0])] == seen.label.partition(": ")[2]
    assert boards == (set() if form.tree is not None else {0, 3, 4, 5})


def test_a_move_that_is_not_on_offer_is_refused():
    class Cheat(Recorder):
        def move(self, seen):
            return 99

    with pytest.raises(IllegalMove, match=r"^Player 1 made move 99, but may make one of .*; mend the player\.$"):
        Table(feint.load_game("kuhn"), seed=0).hand([Cheat(), Recorder()])


def test_the_same_seed_deals_the_same_cards():
    game = feint.load_game("leduc")
    holes = []
    for _ in range(2):
        recorders = [Recorder(1), Recorder(2)]
        for deal in range(5):
            Table(game).hand(recorders, seed=(7, deal))
        holes.append([told[1].view[1] for recorder in recorders for told in recorder.shown if told[0] == "saw"])
    assert holes[0] == holes[1]


@pytest.mark.parametrize("name", ["kuhn", pytest.param("leduc", marks=pytest.mark.slow)])
def test_at_a_table_strategies_win_what_they_are_worth(name):
    """One who decides hand by hand at a table, against a strategy: the mean of many hands is the exact value."""

    class ByHand(Player):
        def __init__(self, strategy):
            self.move = strategy.move

        def move(self, seen): ...

    form = form_of(name)
    one, other = (
        StrategyPlayer(TabularStrategy(form.fingerprint, random_table(form.tree, seed)), form, seed) for seed in (5, 6)
    )
    played = play_players(form, (ByHand(one), other), 600, seed=1)
    seats = [form.values([one.strategy, other.strategy])[0], form.values([other.strategy, one.strategy])[1]]
    assert abs(played.mean - np.mean(seats)) < 4 * played.error
    assert played.error < 0.3


def test_players_are_found_by_name_with_settings():
    lineup = line_up(("always(move=raise)", "raise", "random"), "leduc")
    form = lineup.form
    values = form.values([lineup.players[0].strategy, lineup.players[2].strategy])
    np.testing.assert_allclose(values, form.values([lineup.players[1].strategy, lineup.players[2].strategy]))
    for name, words in {
        "rais": r"There is no player called 'rais' and no such folder of a run; did you mean raise\?",
        "always(mov=raise)": "always has no setting called 'mov'; did you mean move?",
        "always(move=bet)": "There is no move called 'bet' to make always in leduc; .*",
        "always(raise)": r"'always\(raise\)' does not read as a player; .*",
    }.items():
        with pytest.raises(feint.BadInput, match=words):
            line_up((name,), "leduc")


def test_results_tell_hidden_moves_only_when_all_is_over():
    game, recorders = feint.load_game("rock_paper_scissors"), [Recorder(1), Recorder(2)]
    Table(game, seed=0).hand(recorders)
    (_, result), made = recorders[0].shown[-1], [told[1] for told in recorders[1].shown if told[0] == "move"]
    assert isinstance(result, Result)
    assert [player for player, _ in result.moves] == [0, 1]
    assert {word for _, word in result.moves} <= set(game.actions)
    assert len(made) == 1


def test_who_sits_in_several_seats_hears_of_others_once_and_never_of_its_own_moves():
    many, one = Recorder(1), Recorder(2)
    for deal in range(20):
        many.shown, one.shown = [], []
        hand = HandInPlay(feint.load_game("kuhn(players=3)"), [many, one, many], np.random.default_rng(deal))
        while hand.actor != feint.TERMINAL:
            hand.step()
        heard = [[told[1:] for told in each.shown if told[0] == "heard"] for each in (many, one)]
        made = [(player, word) for player, _, word in hand.made]
        assert heard[0] == [each for each in made if each[0] == 1]
        assert heard[1] == [each for each in made if each[0] != 1]
        assert [told[1] for told in many.shown if told[0] == "begin"] == [0, 2]
        assert [[told[0] for told in each.shown].count("end") for each in (many, one)] == [1, 1]


def test_players_are_tried_in_several_seats_at_once():
    class Apart(Recorder):
        """Cannot sit in two seats."""

        def begin(self, player, told):
            self.seat = player

        def move(self, seen):
            assert seen.player == self.seat
            return super().move(seen)

    class Config(PlayerConfig):
        def at(self, form, seed):
            return Apart(seed)

    check_player(Config(), "kuhn")
    with pytest.raises(feint.BadInput, match=r"(?s)^Config cannot play kuhn\(players=3\) .*; mend it\.$"):
        check_player(Config(), "kuhn(players=3)")


def test_where_nothing_is_called_a_call_the_first_move_is_made_instead():
    always = line_up(("always(move=rock)",), "rock_paper_scissors").players[0].strategy
    assert always.table(form_of("rock_paper_scissors").tree)[:, 0].tolist() == [1.0, 1.0]
    form = form_of("kuhn")
    named = "raise", "always(move=raise, otherwise=call)"
    known, told = (line_up((name,), "kuhn").players[0].strategy.table(form.tree) for name in named)
    np.testing.assert_array_equal(known, told)
    columns = form.actions.index("raise"), None
    first = PolicyStrategy(form.fingerprint, Always(form.arena, *columns)).table(form.tree)
    legal = form.tree.legal
    np.testing.assert_array_equal(first.argmax(1), np.where(legal[:, columns[0]], columns[0], legal.argmax(1)))


SLOW_TO_COMPILE = {"resolver": pytest.mark.slow}
QUICKER = {"ismcts": {"simulations": 20}, "smooth-uct": {"simulations": 20}}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=SLOW_TO_COMPILE.get(name, ()))
        for name, config in sorted(players().items())
        if not config.remote  # they are met in test_acpc.py
    ],
)
def test_players_keep_their_promises(name):
    config, played = replace(players()[name], **QUICKER.get(name, {})), 0
    for game in ("kuhn(players=3)", "holdem", "leduc_no_limit"):
        try:
            config.at(form_of(game), 0)
        except feint.BadInput:  # not every player plays every game
            continue
        check_player(config, game, hands=6)
        played += 1
    assert played


def test_broken_players_are_told_what_they_broke():
    class Broken(PlayerConfig):
        def __init__(self, move):
            self.by = move

        def at(self, form, seed):
            player = Recorder()
            player.move = self.by
            return player

    restless = np.random.default_rng()
    for by, words in {
        lambda seen: 7: r"Broken breaks the rules of kuhn: Player 1 made move 7, .*\.",
        lambda seen: seen.moves["nothing"]: r"Broken cannot play kuhn \(KeyError: 'nothing'\); mend it\.",
        lambda seen: int(restless.choice(list(seen.moves.values()))): "Broken plays otherwise with the same seed; .*",
    }.items():
        with pytest.raises(feint.BadInput, match=words):
            check_player(Broken(by), "kuhn")
