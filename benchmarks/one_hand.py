"""Which files one hand of Leduc passes, and how many of their functions return on the way.

python benchmarks/one_hand.py     at a table, by the rules; then in the arena, once it is compiled
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import jax

import feint
from feint.arena.hands import play_deals
from feint.players.table import Table
from feint.runs.lineup import line_up

SOURCE = Path(feint.__file__).parent


def passed(play: Callable[[], object]) -> Counter[str]:
    """How many functions return in each file of Feint while something is played."""
    returns: Counter[str] = Counter()

    def note(frame: FrameType, event: str, result: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "return" and path.is_relative_to(SOURCE):
            returns[str(path.relative_to(SOURCE))] += 1

    sys.setprofile(note)
    try:
        play()
    finally:
        sys.setprofile(None)
    return returns


def main() -> None:
    lineup = line_up(("feint:leduc", "random"), seed=0)
    table, arena = Table(lineup.form.game, seed=0), lineup.form.arena
    policies = tuple(player.strategy.policy for player in lineup.players if player.strategy)

    def at_a_table() -> None:
        table.hand(lineup.players)

    def in_the_arena() -> None:
        jax.block_until_ready(play_deals(arena, policies, 1, jax.random.key(0)))

    for name, play in {"at a table": at_a_table, "in the arena": in_the_arena}.items():
        play()  # what is kept or compiled at the first hand is none of it
        returns = passed(play)
        print(f"{name}: {len(returns)} files, {returns.total()} returns")
        for file, count in returns.most_common():
            print(f"  {count:4d}  {file}")


if __name__ == "__main__":
    main()
