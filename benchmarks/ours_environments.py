"""Feint's environments of Leduc, to be timed: run by environments.py, see racing.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from feint.adapters.gymnasium import SeatEnv
from feint.adapters.pettingzoo import aec_env
from feint.adapters.tables import TablesEnv
from racing import Facts, Run, elapsed, moving_at_random, serve

FEW, MANY = 1 << 10, 1 << 14
"""Hands played at once."""


def main() -> None:
    serve(lambda method, _: METHODS[method](), ["feint", "jax", "gymnasium", "pettingzoo"])


def tables(count: int) -> tuple[Run, Facts]:
    """One seat at many tables; a call makes a move of it at each, and as many of the opponent's as there are."""
    envs, source = TablesEnv("leduc", "random", None, num_envs=count), np.random.default_rng(0)
    mask = envs.reset(seed=0)[1]["action_mask"]

    def run(times: int) -> None:
        nonlocal mask
        for _ in range(times):
            moves = (source.random(mask.shape, np.float32) * mask).argmax(1)
            mask = envs.step(moves)[4]["action_mask"]

    seconds, _ = elapsed(lambda: run(1))
    return run, {"steps": count, "compile_s": seconds}


def table() -> tuple[Run, Facts]:
    """One seat at one table, by the rules."""
    env, source = SeatEnv("leduc", "random", None), np.random.default_rng(0)
    _, info = env.reset(seed=0)

    def run(count: int) -> None:
        nonlocal info
        for _ in range(count):
            _, _, over, _, info = env.step(int(source.choice(np.flatnonzero(info["action_mask"]))))
            if over:
                _, info = env.reset()

    seconds, _ = elapsed(lambda: run(1))
    return run, {"steps": 1, "compile_s": seconds}


def agents() -> tuple[Run, Facts]:
    """Both agents in turn, by the rules: what PettingZoo's own Leduc does."""
    return moving_at_random(aec_env("leduc")), {"steps": 1, "compile_s": 0.0}


METHODS: dict[str, Callable[[], tuple[Run, Facts]]] = {
    "few": lambda: tables(FEW),
    "many": lambda: tables(MANY),
    "table": table,
    "agents": agents,
}


if __name__ == "__main__":
    main()
