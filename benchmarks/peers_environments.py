"""Other environments of Leduc, to be timed: run in their own environment by environments.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pettingzoo
from open_spiel.python import rl_environment

from racing import Facts, Run, moving_at_random, serve


def main() -> None:
    serve(lambda method, _: METHODS[method](), ["pettingzoo", "rlcard", "open_spiel"])


def pettingzoo_leduc() -> tuple[Run, Facts]:
    """RLCard's Leduc in PettingZoo's environment; whoever is to move moves at random."""
    return moving_at_random(pettingzoo.make("aec", "classic/leduc_holdem-v4")), {"steps": 1}


def open_spiel_leduc() -> tuple[Run, Facts]:
    """OpenSpiel's Python environment, which its own agents learn in."""
    env, source = rl_environment.Environment("leduc_poker"), np.random.default_rng(0)
    step = env.reset()

    def run(count: int) -> None:
        nonlocal step
        for _ in range(count):
            if step.last():
                step = env.reset()
            seen = step.observations
            step = env.step([int(source.choice(seen["legal_actions"][seen["current_player"]]))])

    return run, {"steps": 1}


METHODS: dict[str, Callable[[], tuple[Run, Facts]]] = {"pettingzoo": pettingzoo_leduc, "open_spiel": open_spiel_leduc}


if __name__ == "__main__":
    main()
