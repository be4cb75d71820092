"""The agents of "Poker-RNN" under two kinds of settings, and how they are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from feint.arena.betting import BettingTree, unroll_betting
from feint.games.library import load_game
from feint.games.poker import Poker

GAME = "holdem"
JUDGED = "judged.jsonl"
"""In the folder of a stage: what was found of its agents."""


@final
@dataclass(frozen=True)
class Stage:
    """All five agents under one kind of settings."""

    name: str
    title: str
    words: str
    preset: str
    hands: int
    """Hands that each agent plays at least."""
    matches: tuple[int, int]
    """Hands of a match, as in the paper and for our table."""
    bounds: int
    """Hands of a local best response."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


PUBLISHED = Stage(
    "as-published",
    "as published",
    "the paper's settings as we read them (preset `poker-rnn`), a million hands",
    preset="poker-rnn",
    hands=1_000_000,
    matches=(10_000, 1_000_000),
    bounds=20_000,
)
LARGE = Stage(
    "large",
    "a hundred times as long",
    "our settings for an accelerator (preset `large`), a hundred million hands",
    preset="large",
    hands=100_000_000,
    matches=(10_000, 1_000_000),
    bounds=20_000,
)
SMALL: dict[str, Any] = {
    "tables": 512,
    "batch": 128,
    "warmup": 200,
    "replay.capacity": 20_000,
    "values": {"rate": 3e-3, "updates": 2, "target_every": 30},
}
SMALL_NFSP = SMALL | {"average.capacity": 20_000, "policy": {"rate": 3e-3, "updates": 2}}
QUICK = Stage(
    "quick",
    "a quick look",
    "networks of 32 units and a few thousand hands, to see that everything runs; **it decides nothing**",
    preset="poker-rnn",
    hands=2_000,
    matches=(8_192, 16_384),
    bounds=48,
    settings={
        "linear-q": SMALL,
        "dqn": SMALL | {"network.hidden": (32, 32)},
        "drqn": SMALL | {"network": {"hidden": (32,), "cell_units": 16}},
        "nfsp": SMALL_NFSP | {"network.hidden": (32, 32)},
        "rnfsp": SMALL_NFSP | {"network": {"hidden": (32,), "cell_units": 16}},
    },
)


def limit_holdem() -> BettingTree:
    game = load_game(GAME)
    assert isinstance(game, Poker)
    return unroll_betting(game)
