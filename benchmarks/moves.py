"""What a move costs a player who searches: taskset -c 0 python benchmarks/moves.py [--iterations 100,1000,4000].

One line of JSON for each game and number of iterations: seconds of one core's time for a search at the first decision
of each round, once compiled, the least of three. It is the processor's time and not the clock's, so it may be measured
while others use the machine. GAME@RANKS has so many ranks in place of three, which is to say so many hands. Values are
those of a network with deepstack's default shape; what it has learned makes no difference to time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp

from feint.games.library import load_game
from feint.games.poker import Poker
from feint.search.deepstack import DeepStack, Searching
from feint.search.lookahead import Found
from feint.search.resolving import Carried, Search
from feint.search.values import LearnedValues, new_values

GAMES = (
    "leduc",
    "leduc_no_limit",
    "leduc_no_limit(bets=(0.5,1))",
    "leduc_no_limit(bets=(0.5,1,2))",
    "leduc_no_limit@6",
    "leduc_no_limit@13",
)
RANKS = "23456789TJQKA"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", default=";".join(GAMES))
    parser.add_argument("--iterations", default="100,1000,4000")
    asked = parser.parse_args()
    settings = DeepStack()
    for name in asked.games.split(";"):
        game = _game(name)
        guesses = partial(LearnedValues.on, new_values(game, settings.network, settings.encoding, jax.random.key(0)))
        first = Search.at(game, (0,))
        second = Search.at(game, (_next_round(first),))
        for iterations in map(int, asked.iterations.split(",")):
            method = Searching(settings.search.solver, iterations).method
            told = {"game": name, "iterations": iterations}
            for label, search in (("first_round", first), ("second_round", second)):
                boards, hands = search.tree.rounds[0].boards, search.tree.rounds[0].hands
                carried = Carried(jnp.full((boards, hands), 1 / hands), jnp.zeros((boards, hands)))
                taken = _least(partial(search, method, guesses, [carried]))
                told |= {f"{label}_seconds": round(taken, 4), f"{label}_boards": boards, f"{label}_hands": hands}
            print(json.dumps(told), flush=True)


def _game(name: str) -> Poker:
    plain, _, ranks = name.partition("@")
    game = load_game(plain)
    assert isinstance(game, Poker)
    return replace(game, deck=replace(game.deck, ranks=RANKS[-int(ranks) :])) if ranks else game


def _least(search: Callable[[], Found]) -> float:
    """The processor's time for a search, the least of three after one that compiles."""
    jax.block_until_ready(search())
    times = []
    for _ in range(3):
        started = time.process_time()
        jax.block_until_ready(search())
        times.append(time.process_time() - started)
    return min(times)


def _next_round(first: Search) -> int:
    assert first.arrivals is not None
    return int(min(node for node in first.arrivals.nodes if node >= 0))


if __name__ == "__main__":
    main()
