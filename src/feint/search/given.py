"""Situations that somebody names, solved: pots and ranges at the start of a game's last round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.search.oracle import NEARLY
from feint.search.situations import Lines, Shape, Situations, lines_of, shapes_of

SUM = 1e-6
"""How far from 1 a range may sum to."""


def solve_situations(
    game: Poker, paid: Sequence[float], ranges: Float[np.ndarray, "2 b n h"], iterations: int = 500
) -> Situations:
    """What hands are worth with some pots, on every board: those of a board next to each other, in the order of pots.

    paid: what each player has put into the pot, in chips.
    ranges: each player's, on every board, for each pot, over the hands that the board leaves.
    """
    shapes, pots, given = shapes_of(game), np.asarray(paid, float), np.asarray(ranges, float)
    _check(game, shapes, pots, given)
    method = replace(NEARLY, iterations=iterations)
    worth = np.zeros((given.shape[1], len(pots), 2, given.shape[3]), np.float32)
    # Between two shapes lies next to nothing: whatever is there goes on nearly as the first of them does.
    kind = np.searchsorted([shape.high for shape in shapes[:-1]], pots)
    for number in np.unique(kind):
        here, shape = np.flatnonzero(kind == number), shapes[number]
        lines, those = lines_of(shape, np.zeros(0), len(here), 0, method), jnp.asarray(given[:, :, here])
        found = _solved(lines, jnp.asarray(pots[here]), those)
        worth[:, here] = np.asarray(found.values).reshape(given.shape[1], len(here), 2, -1)
    boards = np.repeat(np.arange(given.shape[1], dtype=np.uint8), len(pots))
    told = np.moveaxis(given, 0, 2).reshape(-1, 2, given.shape[3]).astype(np.float32)
    everywhere = np.tile(pots.astype(np.float32), given.shape[1])
    parts = (boards, everywhere, told, worth.reshape(told.shape))
    return Situations(*map(jnp.asarray, parts))


@eqx.filter_jit
def _solved(lines: Lines, paid: Float[Array, " n"], ranges: Float[Array, "2 b n h"]) -> Situations:
    return lines.solve(paid, ranges)


def _check(
    game: Poker, shapes: Sequence[Shape], paid: Float[np.ndarray, " n"], ranges: Float[np.ndarray, "2 b n h"]
) -> None:
    low, high, stage = shapes[0].low, shapes[-1].high, shapes[0].tree.rounds[0]
    for pot in paid[~((low <= paid) & (paid <= high))]:
        raise BadInput(
            f"In {game.name} each player has put in from {low:g} to {high:g} chips when the last round begins, "
            f"and a pot of {pot:g} each was given; give one between these."
        )
    if ranges.shape != (shape := (2, stage.boards, len(paid), stage.hands)):
        raise BadInput(
            f"Ranges in {game.name} are for 2 players, {shape[1]} boards, each of the {shape[2]} pots and {shape[3]} "
            f"hands, but an array of shape {ranges.shape} was given."
        )
    if not (ranges >= 0).all() or not np.allclose(ranges.sum(3), 1.0, rtol=0, atol=SUM):  # nan is neither
        raise BadInput("A range is how often each hand comes: give numbers of 0 and more that sum to 1.")
