"""A guess of what situations of hold'em are worth: two numbers for each betting decision, fitted to hands played."""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.arena.betting import BettingTree

LIKE_THE_OTHERS = 30.0
"""As many hands of its own as make a decision count as much as what it has in common with others."""


@final
class Guess(eqx.Module):
    """What the first seat wins from each betting decision on: `base + slope · (2s − 1)`, s how often its cards win."""

    base: Float[Array, " n"]
    slope: Float[Array, " n"]


def fitted(
    betting: BettingTree,
    node: Int[np.ndarray, "t l"],
    length: Int[np.ndarray, " t"],
    share: Float[np.ndarray, "t r"],
    won: Float[np.ndarray, " t"],
) -> Guess:
    """Least squares of what hands won, by the decisions on their way and how often the cards would win there.

    First what decisions of one player in one round have in common, in halves of the pot; then what each decision has of
    its own, the less of it the fewer hands came by. Any guess gives matches the right mean, so no more care is needed.
    """
    there = np.arange(node.shape[1]) < length[:, None]
    hand, place = np.nonzero(there)
    at = node[hand, place]
    edge, paid = 2 * share[hand, betting.round[at]] - 1, won[hand]
    half = betting.stakes.sum(1) / 2
    kind = betting.round * betting.players + betting.actor
    base, slope = np.zeros(len(half)), half.copy()
    for each in np.unique(kind[at]):
        rows = kind[at] == each
        scale = half[at][rows]
        alpha, beta = np.linalg.lstsq(np.column_stack([scale, scale * edge[rows]]), paid[rows], rcond=None)[0]
        base[kind == each], slope[kind == each] = alpha * half[kind == each], beta * half[kind == each]
    left = paid - base[at] - slope[at] * edge
    size = len(half)
    count, first, second, with_one, with_edge = (
        np.bincount(at, weights, size) for weights in (np.ones(len(at)), edge, edge**2, left, left * edge)
    )
    total, spread = count + LIKE_THE_OTHERS, second + LIKE_THE_OTHERS / 3  # a third: of an edge spread evenly
    shared = total * spread - first**2
    base += (spread * with_one - first * with_edge) / shared
    slope += (total * with_edge - first * with_one) / shared
    return Guess(jnp.asarray(base), jnp.asarray(slope))
