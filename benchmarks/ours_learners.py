"""Feint's self-play, to be timed: run by learners.py, see racing.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

import feint
from feint.arena.arena import random_words
from feint.arena.tables import TreeArena, build_arena
from feint.forms.unrolled import TreeForm
from feint.runs.config import RunConfig, resolve
from feint.runs.trainer import Trainer
from feint.tree.tree import Tree
from racing import Facts, Run, elapsed, serve

TABLES = 1024
"""How many hands random play has going at once; as many as the preset `fast`."""


def main() -> None:
    serve(lambda method, game: METHODS[method](feint.unroll(game, cache=False)), ["feint", "jax"])


def nfsp(preset: str, settings: Mapping[str, Any]) -> Callable[[Tree], tuple[Run, Facts]]:
    """Training as `feint train` does it, less the judging."""

    def prepare(tree: Tree) -> tuple[Run, Facts]:
        config: Any = resolve("nfsp", settings, preset)
        asked = RunConfig(tree.name, "nfsp", asdict(config), 0, 1, None, None, None)
        seconds, trainer = elapsed(lambda: Trainer(config.on(TreeForm(tree)), TreeForm(tree).gauge(False), asked))
        facts: Facts = {"compile_s": seconds, "decisions": config.tables}

        def run(count: int) -> None:
            before = updates(trainer)
            trainer.advance(count)
            made = updates(trainer) - before
            facts.update(updates=int(made.sum()) / count, learning=bool((made > 0).all()))

        return run, facts

    return prepare


def updates(trainer: Trainer) -> Int[np.ndarray, "seats 2"]:
    return np.array([[int(seat.values.updates), int(seat.policy.updates)] for seat in trainer.state.seats])


@eqx.filter_jit
def play(arena: TreeArena, options: Array, legal: Array, state: Any, count: Int[Array, ""]) -> Any:
    """Random moves, drawn from each information set's options. The sum of what was won keeps all play in the code."""

    def step(_: Any, state: Any) -> Any:
        key, decision, won = state
        key, drawing = jax.random.split(key)
        words = random_words(drawing, 3, TABLES)
        infoset = arena.infoset[decision]
        picked = (words[2].astype(jnp.uint64) * legal[infoset]) >> 32
        played = arena.play(decision, options[infoset, picked], words[:2])
        return key, played.where, won + played.payoff.sum(0)

    return jax.lax.fori_loop(0, count, step, state)


def random_play(tree: Tree) -> tuple[Run, Facts]:
    arena, key = build_arena(tree), jax.random.key(0)
    options = jnp.asarray(np.argsort(~tree.legal, axis=1, kind="stable"), jnp.int32)  # the legal ones first
    legal = jnp.asarray(tree.legal.sum(1), jnp.uint64)
    state = key, arena.deal(random_words(key, 1, TABLES)), jnp.zeros(tree.players, arena.ends.dtype)
    seconds, loop = elapsed(lambda: play.lower(arena, options, legal, state, jnp.asarray(1)).compile())

    def run(count: int) -> None:
        nonlocal state
        state = jax.block_until_ready(loop(arena, options, legal, state, jnp.asarray(count)))

    return run, {"compile_s": seconds, "decisions": TABLES}


METHODS: dict[str, Callable[[Tree], tuple[Run, Facts]]] = {
    "paper": nfsp("paper", {}),
    "paper 128": nfsp("paper", {"network.hidden": (128,)}),
    "fast": nfsp("fast", {}),
    "random": random_play,
}


if __name__ == "__main__":
    main()
