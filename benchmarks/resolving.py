"""How exploitable re-solving is: python benchmarks/resolving.py [--guess nothing,checked] [--iterations 100,500].

One line of JSON for each guess at what comes after a lookahead and each number of iterations: exploitability in chips
per hand, exact, by a search at every decision of the game. A guess is nothing, checked (nobody bets any more),
played-out (the next round is solved whenever it is asked for, which is what a perfect network would say and takes
minutes), or a run of deepstack (feint:leduc-deepstack, or a folder). With --rule tool as the public DeepStack-Leduc
program does it: regret matching⁺ for both at once, the second half averaged.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial

import equinox as eqx
import jax

from feint.games.library import load_game
from feint.games.poker import Poker
from feint.public.judge import judge
from feint.runs.run import load_run
from feint.search.beyond import CheckedDown, Nothing
from feint.search.deepstack import Resolved, Searching
from feint.search.lookahead import Method
from feint.search.oracle import NEARLY, PlayedOut
from feint.search.resolving import Guesses, searches_of, written_out
from feint.search.values import LearnedValues


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="leduc_no_limit")
    parser.add_argument("--guess", default="nothing,checked", help="of nothing, checked, played-out, or runs")
    parser.add_argument("--iterations", default="100,500")
    parser.add_argument("--rule", choices=["tool", "dcfr", "cfr+", "cfr"], default="tool")
    parser.add_argument("--inner", type=int, default=50, help="iterations of what is played out")
    asked = parser.parse_args()
    game = load_game(asked.game)
    assert isinstance(game, Poker)
    searches, told = searches_of(game), {"game": asked.game, "rule": asked.rule}
    judged = eqx.filter_jit(
        lambda searches, method, guesses: judge(searches.tree, written_out(searches, method, guesses))
    )
    for name in asked.guess.split(","):
        guesses = _guesses(game, name, asked.inner)
        for iterations in map(int, asked.iterations.split(",")):
            started = time.perf_counter()
            found = jax.block_until_ready(judged(searches, Searching(asked.rule, iterations).method, guesses))
            row = told | {"guess": name, "iterations": iterations}
            row |= {"exploitability": round(float(found.nash_conv) / 2, 4), "value": round(float(found.values[0]), 4)}
            print(json.dumps(row | {"seconds": round(time.perf_counter() - started, 1)}), flush=True)


def _guesses(game: Poker, name: str, inner: int) -> Guesses:
    if name == "nothing":
        return Nothing.of
    if name == "checked":
        return CheckedDown.of
    if name == "played-out":
        return partial(PlayedOut.on, game, method=Method(NEARLY.rule, NEARLY.alternating, inner))
    strategy = load_run(name).strategy
    assert isinstance(strategy, Resolved)
    return jax.tree_util.Partial(LearnedValues.on, strategy.values)


if __name__ == "__main__":
    main()
