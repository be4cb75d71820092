"""Matches tell the truth, with intervals that cover it as often as they say."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner

import feint
from feint.arena.betting import unroll_betting
from feint.arena.hands import play_deals
from feint.arena.policy import TabularPolicy, Uniform
from feint.arena.tables import build_arena
from feint.cli import app
from feint.cli.terminal import judged
from feint.evaluate import match as match_module
from feint.evaluate.league import round_robin
from feint.evaluate.learned_best_response import learned_best_response
from feint.evaluate.match import Winnings, expected_winnings, match
from feint.forms.dealt import CardForm
from feint.forms.library import form_of
from feint.forms.strategy import TabularStrategy
from feint.forms.unrolled import TreeForm
from feint.games.cards import Deck, high_card
from feint.games.errors import BadInput
from feint.games.game import CHANCE, TERMINAL
from feint.games.matrix import MatrixGame
from feint.games.poker import Poker, Round
from feint.learners.networks import Design
from feint.learners.q_learning import QLearning
from feint.players.player import Player, StrategyPlayer
from feint.players.simple import AlwaysThis
from feint.runs.lineup import line_up


def strategies(tree, count, seed=0):
    """Random strategies."""
    rng = np.random.default_rng(seed)
    drawn = rng.dirichlet(np.ones(tree.legal.shape[1]), (count, len(tree.player))) * tree.legal
    return drawn / drawn.sum(-1, keepdims=True)


def worth(tree, first, second):
    """What the first strategy wins off the second, who takes all other seats, in the mean over seats."""
    values = []
    for player in range(tree.players):
        mixed = np.where((tree.player == player)[:, None], first, second)
        values.append(feint.expected_values(tree, mixed)[player])
    return np.mean(values)


def tables(*strategies):
    return [TabularPolicy(jnp.asarray(strategy)) for strategy in strategies]


def players(tree, names, strategies):
    """Strategies as players, by name."""
    made = (StrategyPlayer(TabularStrategy(tree.fingerprint, each), TreeForm(tree)) for each in strategies)
    return dict(zip(names, made, strict=True))


@pytest.mark.parametrize("name", ["kuhn", "kuhn(players=3)", "leduc"])
def test_a_match_finds_what_strategies_are_worth(tree_of, name):
    tree = tree_of(name)
    first, second = strategies(tree, 2)
    played = match(build_arena(tree), *tables(first, second), 200_000)
    assert abs(played.mean - worth(tree, first, second)) < 4 * played.error
    exact = expected_winnings(TreeForm(tree), *(TabularStrategy(tree.fingerprint, each) for each in (first, second)))
    assert exact == pytest.approx(worth(tree, first, second), abs=1e-12)
    assert played.hands == pytest.approx(200_000, abs=tree.players)


@final
@dataclass(frozen=True)
class Called(MatrixGame):
    """A matrix game that chance calls off three times in four; the first player then gets a chip from the second."""

    def start(self):
        return ("shuffled",)

    def actor(self, state):
        return CHANCE if state == ("shuffled",) else TERMINAL if state == ("off",) else super().actor(state)

    def chance(self, state):
        return [(0.75, ("off",)), (0.25, ())] if state == ("shuffled",) else ()

    def payoffs(self, state):
        return (1.0, -1.0) if state == ("off",) else super().payoffs(state)


@pytest.mark.slow
def test_hands_that_chance_ends_before_anyone_decides_count():
    tree = feint.unroll(Called(((3, -1), (-2, 2)), ((-3, 1), (2, -2)), ("left", "right"), "called"))
    first, second = strategies(tree, 2)
    played = match(build_arena(tree), *tables(first, second), 100_000)
    assert abs(played.mean - worth(tree, first, second)) < 4 * played.error
    seats = play_deals(build_arena(tree), tuple(tables(first, second)), 50_000, jax.random.key(0)).mean(0)
    mixed = np.where((tree.player == 0)[:, None], first, second)
    assert abs(seats[0] - feint.expected_values(tree, mixed)[0]) < 0.02
    small = QLearning(tables=64, network=Design((8,)), warmup=50, batch=32)
    bound = learned_best_response(TreeForm(tree), tables(first)[0], 300, 20_000, small)
    assert bound.low <= feint.exploitability(tree, first)


def test_the_big_blind_is_the_same_for_all(tmp_path, monkeypatch):
    """In a game with antes above its blinds, too."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from feint.games.cards import Deck, high_card\n"
        "from feint.games.poker import Poker, Round\n"
        "def game():\n"
        "    betting = (Round(raise_by=1, cap=1),)\n"
        "    return Poker(deck=Deck('JQK'), ante=3.0, blinds=(0.5, 1.0), rounds=betting, showdown=high_card)\n"
    )
    seated = line_up(("random", "call"), "mine.py:game")
    assert seated.form.big_blind == unroll_betting(feint.load_game("mine.py:game")).big_blind == 1.0


@pytest.mark.parametrize(
    ("posted", "unit"), [({}, 1.0), ({"blinds": (0.0, 0.0)}, 1.0), ({"ante": 3.0, "blinds": (0.0, 0.0)}, 3.0)]
)
def test_where_no_blind_is_posted_antes_or_chips_are_what_winnings_are_measured_in(posted, unit):
    form = CardForm(unroll_betting(Poker(Deck("JQK"), (Round(raise_by=1, cap=1),), high_card, **posted)))
    assert form.big_blind == form.betting.big_blind == unit
    assert form.forfeit == pytest.approx(1000 * bool(posted.get("ante")))


def test_a_game_may_be_named_in_other_words():
    assert line_up(("feint:kuhn", "random"), "kuhn(players=2)").form.name == "kuhn"


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say(tree_of):
    """400 matches of 400 hands on Leduc."""
    tree = tree_of("leduc")
    first, second = strategies(tree, 2)
    arena, truth = build_arena(tree), worth(tree, first, second)
    covered = 0
    for seed in range(400):
        low, high = match(arena, *tables(first, second), 400, seed).interval
        covered += low <= truth <= high
    assert 368 <= covered <= 392


def test_the_same_player_wins_nothing_off_itself(tree_of):
    tree = tree_of("leduc")
    policy = Uniform(build_arena(tree))
    played = match(build_arena(tree), policy, policy, 100_000)
    assert abs(played.mean) < 4 * played.error
    assert played.saved > 1


def played_league(monkeypatch, form, players, hands):
    """What all win off each other, as where it cannot be worked out."""
    monkeypatch.setattr("feint.evaluate.league.exact_winnings", lambda *_: None)
    told = round_robin(form, players, hands, 0, lambda *_: None)
    return {pair: won for both in told for pair, won in both.items()}


def test_leagues_are_antisymmetric(tree_of, monkeypatch):
    tree = tree_of("kuhn")
    league = played_league(monkeypatch, TreeForm(tree), players(tree, "abc", strategies(tree, 3)), 4_000)
    assert len(league) == 6
    assert all(league[a, b].value == -league[b, a].value for a, b in league)
    assert all((league[a, b].low, league[a, b].high) == (-league[b, a].high, -league[b, a].low) for a, b in league)


@pytest.mark.parametrize("name", ["kuhn(players=3)", "matrix(payoffs=[[3,0],[5,1]],columns=[[3,5],[0,1]])"])
def test_leagues_are_not_antisymmetric_where_the_game_is_not(tree_of, monkeypatch, name):
    """With three players the other takes two seats; and both can win where nobody has to lose."""
    tree = tree_of(name)
    one, two = strategies(tree, 2, seed=4)
    league = played_league(monkeypatch, TreeForm(tree), players(tree, "ab", (one, two)), 60_000)
    for pair, (first, second) in {("a", "b"): (one, two), ("b", "a"): (two, one)}.items():
        assert abs(league[pair].value - worth(tree, first, second)) < 2 * league[pair].half + 1e-6
    assert abs(league["a", "b"].value + league["b", "a"].value) > 4 * league["a", "b"].half


def test_a_match_in_parts_is_the_match_as_a_whole(tree_of, monkeypatch):
    """Scores are not kept one by one, however long a match is; how it stands is told after every part."""
    arena, told, whole = build_arena(tree_of("leduc")), [], []
    one, two = tables(*strategies(tree_of("leduc"), 2))
    monkeypatch.setattr("feint.evaluate.match.DEALS", {"cpu": 300, "gpu": 300})
    play = match_module._play_deals
    monkeypatch.setattr(match_module, "_play_deals", lambda *asked: whole.append(play(*asked)) or whole[-1])
    played = match(arena, one, two, 1_999, progress=told.append)
    assert [each.hands for each in told] == [500, 1_000, 1_500, 2_000]
    assert len({np.asarray(part).tobytes() for part in whole}) == 4, "every part has deals of its own"
    won = np.concatenate(whole)[:1000].astype(float)
    assert played == told[-1]
    assert played.deals == 1000
    assert played.mean == pytest.approx(won.mean(), abs=1e-12)
    assert played.error == pytest.approx(won.mean(1).std(ddof=1) / np.sqrt(1000), rel=1e-12)
    assert played.saved == pytest.approx(won.var(0, ddof=1).mean() / 2000 / played.error**2, rel=1e-12)


def test_too_few_hands_are_refused(tree_of):
    arena = build_arena(tree_of("kuhn"))
    with pytest.raises(BadInput, match="at least 4 hands"):
        match(arena, Uniform(arena), Uniform(arena), 2)


def test_players_are_seated_by_name(tmp_path):
    run = feint.train("cfr+", "kuhn", steps=50, out=tmp_path / "kuhn")
    seated = line_up((str(run.path), "random"))
    assert (seated.form.name, seated.form.big_blind) == ("kuhn", 1.0)
    with pytest.raises(BadInput, match="no player called 'nobody'"):
        line_up(("nobody", "call"))
    with pytest.raises(BadInput, match="says which game"):
        line_up(("random", "call"))
    with pytest.raises(BadInput, match="on kuhn with other rules than leduc has"):
        line_up((str(run.path), "random"), "leduc")
    with pytest.raises(BadInput, match=r"no move called .fold. to make always in rock_paper_scissors"):
        line_up(("fold", "random"), "rock_paper_scissors")
    assert line_up(("fold", "random"), "holdem").form.big_blind == 2


def test_the_command_plays_a_match():
    result = CliRunner().invoke(app, ["match", "fold", "raise", "--game", "leduc", "--hands", "2000", "--json"])
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["hands"] == 2000
    assert told["unit"] == "mbb/h"
    # Whoever folds to every bet loses the ante of 1, the big blind's stand-in, in every hand.
    assert told["winnings"] == pytest.approx(-1000)
    assert told["exact"] == pytest.approx(-1000)
    assert told["deals_saved"] is None, "nothing varies, so nothing is saved, and JSON has no infinity"


def test_a_person_who_has_had_enough_hears_what_was_won():
    typed = "1\n" * 30 + "q\n"
    result = CliRunner().invoke(app, ["match", "person", "feint:kuhn", "--hands", "1000"], input=typed)
    assert result.exit_code == 0
    assert re.search(r"person (wins|loses) .* over \d\d? of 1,000 hands of kuhn", result.stdout)


def test_what_rounding_left_of_a_match_is_nothing(call, monkeypatch):
    won = np.array([[0.1 + 0.2, -0.3], [0.0, 0.0]])
    assert won.mean() != 0
    monkeypatch.setattr("feint.evaluate.match._play_deals", lambda *_: won)
    words = ("match", "random", "raise", "--game", "leduc", "--hands", "4")
    assert "(95%; +0 chips a hand)" in call(*words)[1]
    assert json.loads(call(*words, "--json")[1])["winnings"] == 0


def test_winnings_are_called_the_same_wherever_they_are_told():
    told = judged({"step": 1, "winnings": 3.0, "winnings_error": 1.0}, None)
    form = form_of("kuhn")
    (won,) = Winnings(hands=4)(form, AlwaysThis("call").at(form, 0), lambda *_: None).measures
    assert told == {"winnings": 3.0, "winnings_error": 1.0, "unit": "mbb/h", "kind": won.kind}


def test_nothing_is_told_without_a_sign_before_it_or_rounding_in_it(call):
    words = ("call", "--game", "leduc")
    _, out, err = call("match", "call", *words, "--hands", "100")
    assert "luck aside +0.0 mbb/h (+0 chips a hand, exact)\n" in out, err
    assert json.loads(call("match", "call", *words, "--hands", "100", "--json")[1])["exact"] == 0
    code, out, err = call("league", "random", "raise", *words)
    assert code == 0, err
    assert re.findall(r"[+-]0\b", out)
    assert not re.search(r"-0\b", out)
    told = json.loads(call("league", "random", "raise", *words, "--json")[1])["matches"]
    assert sum(str(row["winnings"]) == "0.0" for row in told) == 4
    assert not re.search(r"-0\.0+\b", call("evaluate", *words)[1])


@pytest.mark.slow
def test_a_hold_em_run_is_judged_by_matches_and_bounds(tmp_path):
    small = {"tables": 16, "network.hidden": [8], "replay": {"kind": "rows", "capacity": 200}}
    small |= {"average": {"kind": "reservoir", "capacity": 200}}
    run = feint.train("nfsp", "holdem", settings=small, steps=20, out=tmp_path / "run")
    result = CliRunner().invoke(app, ["evaluate", str(run.path), "--hands", "200", "--json"])
    told = json.loads(result.stdout)["judges"]
    assert told["winnings"]["winnings"]["kind"] == "estimate against random play"
    bound = told["local-best-response"]["exploitability"]
    assert bound["kind"] == "lower bound"
    assert bound["unit"] == "mbb/h"
    assert bound["low"] < bound["value"] < bound["high"]
    shown = CliRunner().invoke(app, ["show", str(run.path)])
    assert shown.exit_code == 0
    assert (run.path / "strategy.png").is_file()
    assert (run.path / "curve.png").is_file()


def test_a_league_in_the_terminal_has_ratings_intervals_and_circles(call):
    """Rock, paper and scissors go round in a circle that no rating tells; hands are played where nothing is exact."""
    names = [f"always(move={move!r}, otherwise='rock')" for move in ("rock", "paper", "scissors")]
    code, out, err = call("league", *names, "--game", "rock_paper_scissors", "--json")
    assert code == 0, err
    said = json.loads(out)
    assert {row["kind"] for row in said["matches"]} == {"exact"}
    assert (len(said["cycles"]), said["more_cycles"]) == (1, False)
    assert max(map(abs, said["ratings"].values())) < 1e-9
    assert said["explained"] == pytest.approx(0)
    code, out, err = call("league", *names, "--game", "rock_paper_scissors")
    assert "a circle: " in out
    code, out, err = call("league", "rule-bot", "call", "--game", "holdem(ranks=5)", "--hands", "20")
    assert (code, "±" in out) == (0, True), err


def test_matches_from_python():
    played = feint.match("feint:kuhn", "random", 2000, seed=3)
    assert played.hands == 2000
    assert played.exact == pytest.approx(played.mean, abs=4 * played.error)
    assert str(played.winnings).startswith("winnings ")
    run = feint.load_run("feint:kuhn")
    for who in (run, run.path, run.strategy):
        again = feint.match(who, "random", 2000, game="kuhn", seed=3)
        assert (again.mean, again.exact) == (played.mean, played.exact)
    with pytest.raises(feint.BadInput, match="was trained on kuhn with other rules than leduc has"):
        feint.match(run, "random", 100, game="leduc")
    with pytest.raises(feint.BadInput, match=r"^This strategy is for another game than leduc; name the game that it"):
        feint.judge(run.strategy, "winnings", game="leduc")
    assert feint.match(run, run, 100).exact == 0
    with pytest.raises(feint.BadInput, match=r"does not say which game to play; name it as in game='kuhn'\.$"):
        feint.judge(run.strategy)
    with pytest.raises(feint.BadInput, match=r"^A player is a run, a strategy, a player or a name .* but 7 was given"):
        feint.match("random", 7, game="kuhn")
    with pytest.raises(feint.BadInput, match="seed must be 0 or more"):
        feint.match("random", "call", game="kuhn", seed=-1)


def test_runs_are_played_as_they_are_and_not_as_their_folder_is_by_now(tmp_path):
    before = feint.train("cfr+", "kuhn", steps=1, out=tmp_path / "run")
    after = feint.train("cfr+", "kuhn", steps=200, out=tmp_path / "run", resume=True)
    for given in ({}, {"game": "kuhn"}):
        lineup = line_up((before, after, after.path), **given)
        assert [player.strategy for player in lineup.players[:2]] == [before.strategy, after.strategy]
        np.testing.assert_array_equal(*(player.strategy.arrays()["probabilities"] for player in lineup.players[1:]))
        assert lineup.names == ("run", "run", "run")
    assert feint.match(before, after, 100).exact == pytest.approx(-feint.match(after, before, 100).exact) != 0


class Quitter(Player):
    """Checks or folds, and minds being sent away."""

    closed = False

    def move(self, seen):
        return next(iter(seen.moves.values()))

    def close(self):
        self.closed = True


def test_ones_own_player_may_play_on_after_a_match():
    mine = Quitter()
    played = feint.match(mine, "call", 20, game="kuhn")
    assert (played.hands, played.exact, mine.closed) == (20, None, False)
    assert feint.judge(mine, game="kuhn", hands=20).measures[0].name == "winnings"


def test_judges_from_python():
    run = feint.load_run("feint:kuhn")
    verdict = feint.judge(run)
    assert verdict.measures[0].value == pytest.approx(feint.exploitability(run.form, run.strategy))
    assert str(verdict).startswith("exploitability ")
    assert feint.judge("random", "winnings(hands=500)", game="leduc").measures[0].hands == 500
    with pytest.raises(feint.BadInput, match="There is no judge called 'nobody'"):
        feint.judge(run, "nobody")


def test_unless_one_is_named_the_judge_is_asked_that_tells_most():
    for game, kind in (("leduc", "exact"), ("holdem", "lower bound")):  # whose first judge says what is won at random
        told = feint.judge("random", game=game, hands=64).measures[0]
        assert (told.name, told.kind) == ("exploitability", kind)
