"""How exploitable re-solving is: python benchmarks/resolving.py [--guess nothing,checked] [--iterations 100,500].

One line of JSON for each guess at what comes after a lookahead and each number of iterations: exploitability in chips
per hand, exact, by a search at every decision of the game. `played-out` solves the next round whenever it is asked,
which is what a perfect network would say and takes minutes. With --rule tool as the public DeepStack-Leduc program does
it: regret matching⁺ for both at once, the second half averaged.
"""

from __future__ import annotations

import argparse
import json
import time

from feint.games.library import load_game
from feint.games.poker import Poker
from feint.public.judge import judge
from feint.search.beyond import CheckedDown, Nothing
from feint.search.lookahead import TOOL, Method
from feint.search.oracle import NEARLY, PlayedOut
from feint.search.resolving import Guesses, searches_of, written_out
from feint.solvers.regrets import Rule


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="leduc_no_limit")
    parser.add_argument("--guess", default="nothing,checked", help="of nothing, checked, played-out")
    parser.add_argument("--iterations", default="100,500")
    parser.add_argument("--rule", choices=["tool", "dcfr"], default="tool")
    parser.add_argument("--inner", type=int, default=50, help="iterations of what is played out")
    asked = parser.parse_args()
    game = load_game(asked.game)
    assert isinstance(game, Poker)
    searches = searches_of(game)
    for name in asked.guess.split(","):
        for iterations in map(int, asked.iterations.split(",")):
            started = time.perf_counter()
            method, guesses = _method(asked.rule, iterations), _guesses(game, name, asked.inner)
            judged = judge(searches.tree, written_out(searches, method, guesses))
            told = {"game": asked.game, "guess": name, "rule": asked.rule, "iterations": iterations}
            told |= {
                "exploitability": round(float(judged.nash_conv) / 2, 4),
                "value": round(float(judged.values[0]), 4),
            }
            print(json.dumps(told | {"seconds": round(time.perf_counter() - started, 1)}), flush=True)


def _method(rule: str, iterations: int) -> Method:
    if rule == "dcfr":
        return Method(NEARLY.rule, NEARLY.alternating, iterations)
    return Method(
        Rule(TOOL.rule.alpha, TOOL.rule.beta, TOOL.rule.gamma, False, skip=iterations // 2), False, iterations
    )


def _guesses(game: Poker, name: str, inner: int) -> Guesses:
    method = Method(NEARLY.rule, NEARLY.alternating, inner)
    known: dict[str, Guesses] = {
        "nothing": Nothing.of,
        "checked": CheckedDown.of,
        "played-out": lambda arrivals: PlayedOut.on(game, arrivals, method),
    }
    return known[name]


if __name__ == "__main__":
    main()
