"""OpenSpiel's NFSP and random play, to be timed: run in their own environment by learners.py, see racing.py."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pyspiel
import torch
from open_spiel.python import rl_environment
from open_spiel.python.pytorch import nfsp

from racing import Facts, Run, serve

EXAMPLE = {
    "replay_buffer_capacity": 200_000,
    "reservoir_buffer_capacity": 2_000_000,
    "min_buffer_size_to_learn": 1000,
    "anticipatory_param": 0.1,
    "batch_size": 128,
    "learn_every": 64,
    "rl_learning_rate": 0.01,
    "sl_learning_rate": 0.01,
    "optimizer_str": "sgd",
    "loss_str": "mse",
    "update_target_network_every": 19200,
    "discount_factor": 1.0,
    "epsilon_decay_duration": 20_000_000,
    "epsilon_start": 0.06,
    "epsilon_end": 0.001,
}
"""The settings of OpenSpiel's own example, nfsp_leduc_pytorch; it has 128 hidden units."""


def main() -> None:
    torch.set_num_threads(1)
    serve(lambda method, game: METHODS[method](pyspiel.load_game(game)), ["open_spiel", "torch"])


def learner(game: Any, units: int) -> tuple[Run, Facts]:
    """The example's training loop. Gradient updates are counted where the optimisers make them."""
    environment = rl_environment.Environment(game)
    size, moves = environment.observation_spec()["info_state"][0], environment.action_spec()["num_actions"]
    agents = [nfsp.NFSP(player, size, moves, [units], **EXAMPLE) for player in range(game.num_players())]
    optimisers = [part._optimizer for agent in agents for part in (agent, agent._rl_agent)]
    made = [0] * len(optimisers)

    def counted(number: int) -> Callable[..., None]:
        def count(*_: Any) -> None:
            made[number] += 1

        return count

    for number, optimiser in enumerate(optimisers):
        optimiser.register_step_post_hook(counted(number))

    def hand() -> int:
        decisions, step = 0, environment.reset()
        while not step.last():
            step = environment.step([agents[step.observations["current_player"]].step(step).action])
            decisions += 1
        for agent in agents:
            agent.step(step)
        return decisions

    facts: Facts = {}

    def run(count: int) -> None:
        made[:] = [0] * len(made)
        decisions = sum(hand() for _ in range(count))
        facts.update(decisions=decisions / count, updates=sum(made) / count, learning=all(made))

    return run, facts


def random_environment(game: Any) -> tuple[Run, Facts]:
    environment = rl_environment.Environment(game)

    def hand() -> int:
        decisions, step = 0, environment.reset()
        while not step.last():
            seen = step.observations
            step = environment.step([random.choice(seen["legal_actions"][seen["current_player"]])])
            decisions += 1
        return decisions

    return _hands(hand)


def random_states(game: Any) -> tuple[Run, Facts]:
    """Random play on the bare C++ states."""

    def hand() -> int:
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, chances)[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
                decisions += 1
        state.returns()
        return decisions

    return _hands(hand)


def _hands(hand: Callable[[], int]) -> tuple[Run, Facts]:
    facts: Facts = {}

    def run(count: int) -> None:
        facts["decisions"] = sum(hand() for _ in range(count)) / count

    return run, facts


METHODS: dict[str, Callable[[Any], tuple[Run, Facts]]] = {
    "nfsp": partial(learner, units=128),
    "nfsp 64": partial(learner, units=64),
    "environment": random_environment,
    "states": random_states,
}


if __name__ == "__main__":
    main()
