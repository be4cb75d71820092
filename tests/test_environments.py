"""Environments for others' learners: by others' own checks, by comparison with the rules, and by really learning."""

from __future__ import annotations

import importlib
import socket
import sys
import warnings
from contextlib import contextmanager

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

import feint
from feint.adapters.gymnasium import SeatEnv
from feint.adapters.pettingzoo import aec_env, parallel_env
from feint.adapters.tables import TablesEnv
from feint.evaluate.match import expected_winnings
from feint.forms.library import form_of
from feint.forms.strategy import TabularStrategy
from feint.games.library import library
from feint.players.player import StrategyPlayer
from feint.runs.lineup import line_up
from ppo import Settings, learn

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's tests load a game of its own in an old way
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

GAMES = ["kuhn", "kuhn(players=3)", "leduc", "rock_paper_scissors", "open_spiel:liars_dice(numdice=1)"]


@contextmanager
def advice_apart():
    """Their checks warn of what is a matter of taste: dictionaries, masks of zeros, bounds that are not known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_s_own_checks(name, capsys):
    with advice_apart():
        api_test(aec_env(name), num_cycles=30)
        seed_test(lambda: aec_env(name), num_cycles=10)
    assert "Passed API test" in capsys.readouterr().out


def test_pettingzoo_s_own_checks_of_matrix_games(capsys):
    for name in ("rock_paper_scissors", "matrix(payoffs=[[1,2,3],[4,5,6]])"):
        parallel_api_test(parallel_env(name), num_cycles=5)
        parallel_seed_test(lambda name=name: parallel_env(name), num_cycles=5)
    assert capsys.readouterr().out.count("Passed Parallel API test") == 2


def test_environments_have_versioned_names():
    assert str(aec_env("kuhn(players=3)")) == "feint_kuhn_players_3_v0"
    assert isinstance(pettingzoo.make("aec", "feint/leduc-v0").unwrapped, pettingzoo.AECEnv)
    assert isinstance(pettingzoo.make("parallel", "feint/matching_pennies-v0"), pettingzoo.ParallelEnv)
    assert {f"feint/{name}-v0" for name in library()} <= set(gymnasium.registry)
    with pytest.raises(feint.BadInput, match="leduc is none; use aec_env"):
        parallel_env("leduc")


@pytest.mark.parametrize("name", ["leduc", "rock_paper_scissors"])
def test_only_whoever_is_to_move_has_moves(name):
    env, game, source = aec_env(name), feint.load_game(name), np.random.default_rng(0)
    for seed in range(20):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            masks = {agent: env.observe(agent)["action_mask"] for agent in env.agents}
            assert {agent for agent, mask in masks.items() if mask.any()} == {env.agent_selection}
            env.step(source.choice(np.flatnonzero(masks[env.agent_selection])))
        assert sum(env.rewards.values()) == 0
        assert any(env.rewards.values()) or name == "rock_paper_scissors" or seed
        assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)
    assert len(env.action_space("player_0").sample(np.ones(len(game.actions), np.int8)).shape) == 0


def test_an_illegal_move_is_refused_in_a_sentence():
    env = aec_env("kuhn")
    env.reset(seed=0)
    with pytest.raises(feint.IllegalMove, match="Move 0 is not legal here"):
        env.step(0)


def test_both_choose_at_once_in_matrix_games():
    env = parallel_env("rock_paper_scissors", render_mode="ansi")
    env.reset()
    _, won, over, _, _ = env.step({"player_0": 1, "player_1": 0})
    assert won == {"player_0": 1.0, "player_1": -1.0}
    assert all(over.values())
    assert env.render() == "paper against rock"
    assert env.agents == []


@pytest.mark.parametrize(
    ("name", "opponent", "seat"),
    [("kuhn", "random", 1), ("leduc", "call", None), ("rock_paper_scissors", "random", 0), ("leduc", "feint:leduc", 1)],
)
def test_gymnasium_s_own_checks(name, opponent, seat):
    check_env(SeatEnv(name, opponent, seat, render_mode="ansi"), skip_render_check=True)


def test_an_illegal_move_ends_the_hand_and_costs_the_most():
    env = gymnasium.make("feint/leduc-v0", opponent="call")
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [0, 1, 1]
    _, reward, over, _, info = env.step(0)
    assert (reward, over, info["action_mask"].any()) == (-13.0, True, False)
    for action in (-1, 99):  # which no row of a mask is for
        alone = SeatEnv("leduc", "call")
        alone.reset(seed=0)
        assert alone.step(action)[1:3] == (-13.0, True)
    envs = TablesEnv("leduc", "call", num_envs=4)
    envs.reset(seed=0)
    _, reward, over, _, info = envs.step(np.array([0, 1, 5, 1]))
    assert over.tolist() == [True, False, True, False]
    assert reward.tolist() == [-13.0, 0.0, -13.0, 0.0]
    assert (info["action_mask"] == [0, 1, 1]).all(), "a hand was dealt anew where one was lost, and all begin alike"


def play(envs, hands, seed=0):
    """What random legal moves win in each of so many hands, those without a decision of the seat included."""
    source, won, passed = np.random.default_rng(seed), [], np.zeros(2)
    _, info = envs.reset(seed=seed)
    while len(won) < hands:
        mask = np.atleast_2d(info["action_mask"])
        passed += np.sum(info["passed_hands"]), np.sum(info["passed_won"])
        action = (source.random(mask.shape) * mask).argmax(1)
        _, reward, over, _, info = envs.step(action if isinstance(envs, TablesEnv) else action[0])
        won += np.atleast_1d(reward)[np.atleast_1d(over)].tolist()
        if not isinstance(envs, TablesEnv) and over:
            _, info = envs.reset()
    return np.array(won), passed


@pytest.mark.parametrize("seat", [0, 1, None])
def test_tables_pay_what_is_exactly_expected(seat):
    """Kuhn for three, where seats may be passed over; the same through one table, by the rules."""
    form = form_of("kuhn(players=3)")
    mine, other = (line_up((name,), form.game).players[0].strategy for name in ("random", "raise"))
    values = [form.values([mine if player == each else other for player in range(3)])[each] for each in range(3)]
    exact = np.mean(values) if seat is None else values[seat]
    for envs, hands in (
        (TablesEnv(form.game, "raise", seat, num_envs=256), 40_000),
        (SeatEnv(form.game, "raise", seat), 150),
    ):
        won, (passed, passed_won) = play(envs, hands)
        mean = (won.sum() + passed_won) / (len(won) + passed)
        assert mean == pytest.approx(exact, abs=4 * won.std() / len(won) ** 0.5)


@pytest.mark.parametrize("name", ["leduc", "rock_paper_scissors", "leduc_no_limit", "holdem"])
def test_tables_show_what_the_rules_show(name):
    """What is seen first in a hand is seen in the arena just as by the rules, masks included."""
    single, many = SeatEnv(name, "random", 0), TablesEnv(name, "random", 0, num_envs=2048)
    assert single.observation_space == many.single_observation_space
    assert single.action_space == many.single_action_space
    seen, info = many.reset(seed=1)
    known = {row.tobytes() for row in np.concatenate([seen, info["action_mask"]], 1)}
    hits = 0
    for seed in range(40):
        one, told = single.reset(seed=seed)
        assert one in single.observation_space
        hits += np.concatenate([one, told["action_mask"]]).astype(seen.dtype).tobytes() in known
    assert hits == 40 or (name == "holdem" and hits > 10), "there are 1,326 starting hands"


def test_a_seed_says_it_all():
    for make in (
        lambda: TablesEnv("leduc", "feint:leduc", None, num_envs=8),
        lambda: SeatEnv("leduc", "feint:leduc", None),
    ):
        first, again, other = (play(make(), 20, seed)[0].tolist() for seed in (3, 3, 4))
        assert first == again != other


@pytest.mark.parametrize("name", ["leduc", "kuhn(players=3)", "leduc_no_limit"])
def test_what_is_kept_of_the_rules_is_what_they_say(monkeypatch, name):
    """Places are walked hundreds of times; the same hands with nothing kept, so that the rules are asked every time."""

    def told(room):
        monkeypatch.setattr("feint.adapters.shown.MOST", room)
        env, source, seen = aec_env(name), np.random.default_rng(0), []
        for seed in range(60):
            env.reset(seed=seed)
            while not any(env.terminations.values()):
                for agent in env.agents:
                    shown = env.observe(agent)
                    seen.append((agent, shown["observation"].tolist(), shown["action_mask"].tolist()))
                    shown["observation"][:] = 7.0  # whoever learns from it may write into it
                    shown["action_mask"][:] = 7
                legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
                env.step(int(source.choice(legal)))
            seen.append(env.rewards)
        return seen

    always, never, sometimes = told(50_000), told(0), told(30)
    assert always == never == sometimes


def test_who_gives_no_chances_is_refused_before_the_seat_decides_anything():
    form = form_of("kuhn")
    table = np.where((form.tree.player == 0)[:, None], np.nan, form.tree.uniform())
    player = StrategyPlayer(TabularStrategy(form.fingerprint, table), form)
    with pytest.raises(feint.BadInput, match=r"^A strategy that was played gives no chances for its legal moves"):
        TablesEnv("kuhn", player, 1, num_envs=4).reset(seed=0)


def test_an_opponent_s_port_is_free_for_the_next_one_and_in_the_end():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = SeatEnv("holdem", opponent=f"acpc(port={port}, start_seconds=0.01)")
    for seed in (1, 2):
        with pytest.raises(feint.BadInput, match=r"^No program came to"):  # which says that somebody waits there again
            env.reset(seed=seed)
    env.close()
    socket.create_server(("127.0.0.1", port)).close()


def test_who_cannot_sit_at_many_tables_is_refused():
    with pytest.raises(
        feint.BadInput, match=r"modeller decides hand by hand, so it cannot sit at 8 tables at once; use"
    ):
        TablesEnv("kuhn", "modeller", num_envs=8)
    envs = gymnasium.make_vec("feint/kuhn-v0", 2, vectorization_mode="sync", opponent="modeller")
    envs.reset(seed=0)
    assert envs.step(np.array([1, 1]))[0].shape == (2, 11)
    with pytest.raises(feint.BadInput, match="kuhn has seats 0 to 1, but seat=2 was given"):
        SeatEnv("kuhn", seat=2)


@pytest.mark.parametrize(
    ("module", "library"), [("pettingzoo", "pettingzoo"), ("gymnasium", "gymnasium"), ("tables", "gymnasium")]
)
def test_what_is_not_installed_is_told(monkeypatch, module, library):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setitem(sys.modules, f"{library}.spaces", None)
    for name in {module, library}:
        monkeypatch.delitem(sys.modules, f"feint.adapters.{name}")
    with pytest.raises(feint.BadInput, match=rf"{library}, which is not installed; run: pip install 'feint\[envs\]'"):
        importlib.import_module(f"feint.adapters.{module}")


class Vector:
    """A vector environment as the learner takes it."""

    def __init__(self, envs):
        self.envs = envs

    def reset(self):
        seen, info = self.envs.reset(seed=0)
        return seen, info["action_mask"]

    def step(self, actions):
        seen, reward, over, _, info = self.envs.step(actions)
        return seen, info["action_mask"], reward, over


class Agents:
    """One agent of several AEC environments as the learner takes it; the others make the first legal move of some."""

    def __init__(self, envs, agent, others):
        self.envs, self.agent, self.others = envs, agent, others
        for number, env in enumerate(envs):
            env.reset(seed=number)

    def reset(self):
        seen, mask, _, _ = zip(*map(self._wait, self.envs), strict=True)
        return np.stack(seen), np.stack(mask)

    def step(self, actions):
        for env, action in zip(self.envs, actions, strict=True):
            env.step(int(action))
        return tuple(map(np.stack, zip(*map(self._wait, self.envs), strict=True)))

    def _wait(self, env):
        """Go on until the agent is to move, in the next hand if need be; what it was paid on the way."""
        paid, over = 0.0, False
        while True:
            seen, reward, ended, _, _ = env.last()
            if env.agent_selection == self.agent:
                if not ended:
                    return seen["observation"], seen["action_mask"], np.float32(paid + reward), over
                paid, over = paid + reward, True
            if ended:
                env.step(None)
                if not env.agents:
                    env.reset()
            else:
                env.step(next(move for move in self.others if seen["action_mask"][move]))


def learned(network, tree):
    """What a network does at every information set."""
    chances = np.exp(
        np.asarray(network.likes(np.asarray(tree.features, np.float32), tree.legal.astype(np.int8)), float)
    )
    chances = np.where(tree.legal, chances, 0)
    return TabularStrategy(tree.fingerprint, chances / chances.sum(1, keepdims=True))


def test_an_outside_learner_learns_from_pettingzoo():
    """In Kuhn's first seat against whoever always calls, where 1/3 of a chip is the most that can be won."""
    form = form_of("kuhn")
    network = learn(
        Agents([aec_env("kuhn") for _ in range(16)], "player_0", (1, 0)),
        Settings(updates=12, scale=2.0, rate=0.01, hidden=32),
    )
    mine, other = learned(network, form.tree), line_up(("call",), form.game).players[0].strategy
    assert form.values([mine, other])[0] > 0.3


@pytest.mark.slow
def test_an_outside_learner_learns_from_tables():
    """In both seats of Leduc against random play, what it wins comes near what a best response wins: exactly known."""
    form = form_of("leduc")
    network = learn(
        Vector(TablesEnv("leduc", "random", None, num_envs=256)), Settings(updates=30, scale=13.0, rate=0.01, hidden=32)
    )
    other = line_up(("random",), form.game).players[0].strategy
    best = float(np.mean([feint.best_response(form.tree, other, player=player).value for player in range(2)]))
    assert expected_winnings(form, learned(network, form.tree), other) > 0.9 * best
