"""Feint's ranking of hands, to be timed: run by hands.py, see racing.py."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations, cycle
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, UInt8

from feint.arena.arena import as_uniform, draw, random_words
from feint.arena.betting import unroll_betting
from feint.arena.cards import CardArena, build_card_arena
from feint.arena.policy import Uniform
from feint.arena.ranks import HandRanks, build_ranks
from feint.games.holdem import holdem
from racing import Facts, Run, elapsed, serve

BATCH, BATCHES = 1 << 16, 8
"""How many hands are ranked in one call, and how many different calls take turns."""
BOARDS = 64
TABLES = 1024
"""Hands played at once."""
CHECKED = 1000
"""How many hands all racers put into order."""


def main() -> None:
    serve(lambda method, _: METHODS[method](), ["feint", "jax"])


def random_cards(hands: int, size: int) -> UInt8[np.ndarray, "hands size"]:
    """Hands of different cards, the same ones in every racer."""
    source = random.Random(0)
    return np.array([source.sample(range(52), size) for _ in range(hands)], np.uint8)


def rank() -> tuple[Run, Facts]:
    """Seven cards each, nothing shared."""
    dealt = random_cards(BATCH * BATCHES, 7).reshape(BATCHES, BATCH, 7)
    run, facts, tables = _timed(lambda table, cards: table.rank(cards), dealt, BATCH)
    _, order = np.unique(tables.rank(jnp.asarray(dealt[0, :CHECKED])), return_inverse=True)
    return run, facts | {"order": order.tolist()}


def showdown() -> tuple[Run, Facts]:
    """Two players who share a board: its key is made once."""

    def better(table: HandRanks, cards: UInt8[Array, "b 9"]) -> Int[Array, " b"]:
        board = table.key(cards[:, 4:])
        first, second = (table.rank_of(board + table.key(cards[:, hole])) for hole in (slice(0, 2), slice(2, 4)))
        return jnp.sign(first - second)

    run, facts, _ = _timed(better, random_cards(BATCH * BATCHES, 9).reshape(BATCHES, BATCH, 9), 2 * BATCH)
    return run, facts


def holdings() -> tuple[Run, Facts]:
    """Every two cards on every board, those that the board has too among them."""
    every = jnp.asarray(list(combinations(range(52), 2)), jnp.uint8)

    def ranks(table: HandRanks, boards: UInt8[Array, "b 5"], holes: UInt8[Array, "h 2"]) -> Int[Array, "b h"]:
        return table.rank_of(table.key(boards)[:, None] + table.key(holes))

    boards = random_cards(BOARDS * BATCHES, 5).reshape(BATCHES, BOARDS, 5)
    run, facts, _ = _timed(ranks, boards, BOARDS * len(every), every)
    return run, facts


def random_play(tables: int = TABLES) -> tuple[Run, Facts]:
    """Limit hold'em at many tables, uniform among legal moves; a run of `count` makes so many moves at each."""
    arena = build_card_arena(unroll_betting(holdem()))
    policy = Uniform(arena)

    @eqx.filter_jit
    def play(arena: CardArena, policy: Uniform, state: Any, count: Int[Array, ""]) -> Any:
        def step(_: Any, state: Any) -> Any:
            key, where, hands, won = state
            key, drawing = jax.random.split(key)
            words = random_words(drawing, arena.play_words + 1, tables)
            seen = arena.infostate(where)
            moves = draw(policy(seen, arena.turn(where)), as_uniform(words[-1]), arena.legal(seen))
            played = arena.play(where, moves, words[:-1])
            return key, played.where, hands + played.done.sum(), won + played.payoff.sum(0)

        return jax.lax.fori_loop(0, count, step, state)

    key = jax.random.key(0)
    dealt = arena.deal(random_words(key, arena.deal_words, tables))
    state: Any = (key, dealt, jnp.zeros((), jnp.int64), jnp.zeros(arena.players, jnp.float32))
    compile_s, compiled = elapsed(lambda: play.lower(arena, policy, state, jnp.asarray(1)).compile())
    state = compiled(arena, policy, state, jnp.asarray(2000))
    decisions = 2000 * tables / int(state[2])

    def run(count: int) -> None:
        nonlocal state
        state = jax.block_until_ready(compiled(arena, policy, state, jnp.asarray(count)))

    return run, {"compile_s": compile_s, "hands": tables / decisions, "decisions": decisions}


def _timed(
    function: Callable[..., Array], batches: np.ndarray, hands: int, *more: Array
) -> tuple[Run, Facts, HandRanks]:
    """A function of the tables, a batch and what else it takes, called on the batches in turn."""
    build_s, tables = elapsed(lambda: jax.block_until_ready(build_ranks(holdem().deck)))
    calls: Any = eqx.filter_jit(function)
    given = [jnp.asarray(batch) for batch in batches]
    compile_s, compiled = elapsed(lambda: calls.lower(tables, given[0], *more).compile())
    turns = cycle(given)

    def run(count: int) -> None:
        for _ in range(count):
            result = compiled(tables, next(turns), *more)
        jax.block_until_ready(result)

    return run, {"build_s": build_s, "compile_s": compile_s, "hands": hands}, tables


METHODS: dict[str, Callable[[], tuple[Run, Facts]]] = {
    "rank": rank,
    "showdown": showdown,
    "holdings": holdings,
    "play": random_play,
}


if __name__ == "__main__":
    main()
