"""What AIVAT takes out of matches: python benchmarks/aivat.py leduc|holdem [--hands N] [--opponents A,B,…].

`leduc`: 1,000 matches of feint:leduc against each opponent, a line of JSON each: in how many of them the 95% interval
holds what is exactly won, and how far hands differ, as they were won and as they count.
`holdem`: one match of feint:holdem against each opponent: what was won, what that counts for, and the gain in hands.
Lines are gathered in results/aivat.jsonl.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from feint.evaluate.aivat import luck_out, match_without_luck
from feint.evaluate.interval import reach
from feint.evaluate.match import exact_winnings
from feint.runs.lineup import line_up
from racing import processor

MATCHES = 1_000
OPPONENTS = {
    "leduc": "feint:leduc,random,call,raise,rule-bot",
    "holdem": "feint:holdem,random,call,raise",
}
HANDS = {"leduc": 400, "holdem": 2_000}
"""Of each match."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=list(OPPONENTS))
    parser.add_argument("--opponents")
    parser.add_argument("--hands", type=int)
    asked = parser.parse_args()
    opponents = (asked.opponents or OPPONENTS[asked.game]).split(",")
    lines = leduc if asked.game == "leduc" else holdem
    for line in lines(opponents, asked.hands or HANDS[asked.game]):
        machine = processor() if jax.default_backend() == "cpu" else jax.devices()[0].device_kind
        print(json.dumps({"game": asked.game} | line | {"machine": machine}), flush=True)


def leduc(opponents: list[str], hands: int) -> Iterator[dict[str, Any]]:
    for opponent in opponents:
        lineup = line_up(("feint:leduc", opponent), "leduc", 0)
        exact = exact_winnings(lineup.form, lineup.players)
        assert exact is not None
        one, other = (player.strategy for player in lineup.players)
        assert one is not None
        assert other is not None
        luck = luck_out(lineup.form, lineup.players)
        deals = MATCHES * hands // 2
        keys = jax.random.split(jax.random.key(0), -(-deals // luck.deals))
        parts = [luck.play((one.policy, other.policy), luck.deals, key) for key in keys]
        played = [np.concatenate(each)[:deals] for each in zip(*parts, strict=True)]
        won, counted = (each.mean(1).reshape(MATCHES, -1) for each in played)
        yield {
            "opponent": opponent,
            "matches": MATCHES,
            "hands": hands,
            "exact": exact,
            "mean_won": won.mean(),
            "mean_counted": counted.mean(),
            "covered_won": covered(won, exact),
            "covered_counted": covered(counted, exact, luck.least),
            "deviation_apart": float(np.sqrt(played[0].var(0).mean())),
            "deviation_won": float(won.std() * np.sqrt(2)),
            "deviation_counted": float(counted.std() * np.sqrt(2)),
            "gain": float(won.var() / counted.var()),
        }


def covered(deals: np.ndarray, exact: float, least: float = 0.0) -> float:
    """The share of matches, one a row, whose 95% interval holds the truth, if deals are known to differ so much."""
    count = deals.shape[1]
    error = np.maximum(deals.std(1, ddof=1), least) / np.sqrt(count)
    return float((np.abs(deals.mean(1) - exact) <= reach(1.0, count) * error).mean())


def holdem(opponents: list[str], hands: int) -> Iterator[dict[str, Any]]:
    for opponent in opponents:
        lineup = line_up(("feint:holdem", opponent), "holdem", 0)
        start = time.perf_counter()
        played = match_without_luck(lineup.form, lineup.players, hands)
        unit = 1000 / lineup.form.big_blind
        yield {
            "opponent": opponent,
            "hands": played.won.hands,
            "won": played.won.mean * unit,
            "won_error": played.won.error * unit,
            "counted": played.counted.mean * unit,
            "counted_error": played.counted.error * unit,
            "unit": "mbb/h",
            "gain": played.gain,
            "gain_with_duplicates": played.gain * played.won.saved,
            "seconds": time.perf_counter() - start,
        }


if __name__ == "__main__":
    main()
