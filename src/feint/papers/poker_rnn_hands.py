"""What values say of starting hands, in numbers; nothing here needs a run's folder."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from scipy import stats

from feint.arena.betting import BettingTree
from feint.arena.cards import Seen
from feint.learners.networks import Network
from feint.learners.self_play import SelfPlay
from feint.report.starting_hands import ask_starting_hands, by_ranks

FIRST = 0
"""The betting decision that opens a hand."""


class Estimate(NamedTuple):
    """A number, and how far its 95% interval reaches to either side; nan where there is none."""

    value: float
    reach: float

    @property
    def low(self) -> float:
        return self.value - self.reach

    @property
    def high(self) -> float:
        return self.value + self.reach

    def __str__(self) -> str:
        reach = f" ± {self.reach:,.0f}" if isfinite(self.reach) else ""
        return f"{self.value:,.0f}{reach}"

    def less(self, other: Estimate) -> Estimate:
        """The difference of two independent numbers."""
        return Estimate(self.value - other.value, float(np.hypot(self.reach, other.reach)))


class Sense(NamedTuple):
    """What an agent's values say of its starting hands, in big blinds."""

    pairs: Estimate
    """How much more a pair is worth than the same card with another."""
    high: float
    """The rank correlation of what two ranks are worth with their mean; pairs left out."""
    suited: Estimate
    """How much more two ranks are worth when they are of one suit."""
    spread: float
    """How much more the best hand is worth than the worst; nothing, of a network that no longer sees its cards."""

    @classmethod
    def of(cls, noted: Sequence[Any]) -> Sense:
        """As JSON has it."""
        pairs, high, suited, spread = noted
        return cls(Estimate(*pairs), high, Estimate(*suited), spread)


def sense(chart: Float[np.ndarray, "r r"]) -> Sense:
    """Read a chart of what starting hands are worth: suited above the diagonal, others below, pairs on it."""
    ranks = len(chart)
    if np.allclose(chart, chart[0, 0]):  # all the same, up to rounding: there is nothing to read
        return Sense(Estimate(0.0, 0.0), 0.0, Estimate(0.0, 0.0), 0.0)
    unlike = (chart + chart.T) / 2
    off = ~np.eye(ranks, dtype=bool)
    beside = np.array([unlike[rank][off[rank]].mean() for rank in range(ranks)])
    above = np.triu_indices(ranks, 1)
    height = -(above[0] + above[1])  # the highest rank comes first
    worth = unlike[above]
    # Values that are all the same, up to rounding, are in no order.
    high = 0.0 if np.allclose(worth, worth[0]) else float(stats.spearmanr(height, worth).statistic)
    return Sense(_mean(np.diag(chart) - beside), high, _mean((chart - chart.T)[above]), float(np.ptp(chart)))


def _mean(values: Float[np.ndarray, " n"]) -> Estimate:
    reach = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return Estimate(float(values.mean()), float(reach))


def opening_values(betting: BettingTree, solver: SelfPlay, networks: tuple[Network, ...]) -> Float[np.ndarray, "k k"]:
    """What the value network of whoever opens makes of every two cards: its best move's, in big blinds."""
    opener = int(betting.actor[FIRST])
    network, here = networks[opener], solver.learners[opener].here

    def best(seen: Seen) -> Float[Array, "b 1"]:
        path = here.path(seen, 0)
        features = here.features(path.infostates)
        told = network(features, path.made)[:, -1]
        return jnp.where(here.legal(seen), here.by_move(told, seen), -jnp.inf).max(-1, keepdims=True)

    return ask_starting_hands(betting, best, FIRST)[..., 0] / (solver.scale * betting.big_blind)


def chart_of(betting: BettingTree, values: Float[np.ndarray, "k k"]) -> Float[np.ndarray, "r r"]:
    """The same by ranks: suited above the diagonal, others below, pairs on it."""
    return by_ranks(values[..., None], betting.game.deck.copies)[..., 0]


def connected(chart: Float[np.ndarray, "r r"]) -> Estimate:
    """How much more two ranks in a row are worth than two as high together but three apart, such as QJ than KT."""
    unlike = (chart + chart.T) / 2
    return _mean(np.array([unlike[at, at + 1] - unlike[at - 1, at + 2] for at in range(1, len(chart) - 2)]))


def over_neighbours(chart: Float[np.ndarray, "r r"]) -> dict[str, float]:
    """The same of the two hands that the paper names, QJ and JT; the highest rank comes first."""
    unlike, queen = (chart + chart.T) / 2, 2
    gains = {"QJ over KT": queen, "JT over Q9": queen + 1}
    return {words: float(unlike[at, at + 1] - unlike[at - 1, at + 2]) for words, at in gains.items()}
