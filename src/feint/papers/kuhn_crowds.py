"""Fictitious play by winnings among three and four players of Kuhn poker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float

from feint.evaluate.dominance import eliminate_actions, mass
from feint.papers.kuhn_claims import mean
from feint.papers.kuhn_figures import describe
from feint.tree.tree import Tree

CROWDS = (3, 4)
"""Numbers of players."""


@final
class Crowd(NamedTuple):
    """What the modified algorithm comes to among so many players."""

    players: int
    dominated: int
    """Moves that iterated elimination removes."""
    uniform: float
    """The share of hands with such a move, and NashConv, when everyone plays at random …"""
    uniform_nash_conv: float
    hands: Sequence[float]
    """… and after the last step, seed by seed."""
    nash_conv: Sequence[float]
    worst: Sequence[tuple[str, float]]
    """The dominated moves made most often at the end."""


def crowd_of(tree: Tree, tables: Float[np.ndarray, "u s i a"], nash_conv: Float[np.ndarray, "u s"]) -> Crowd:
    """What `s` seeds come to in `u` updates."""
    eliminated, last = eliminate_actions(tree), tables[-1]
    often = last.mean(0) * eliminated.mask
    worst = sorted(np.argwhere(eliminated.mask).tolist(), key=lambda each: -often[each[0], each[1]])[:5]
    return Crowd(
        tree.players,
        int(eliminated.mask.sum()),
        round(mass(tree, tables[0, 0], eliminated).hands, 4),
        round(float(nash_conv[0, 0]), 4),
        [round(mass(tree, table, eliminated).hands, 4) for table in last],
        nash_conv[-1].round(4).tolist(),
        [(describe(tree, row, move), round(float(often[row, move]), 4)) for row, move in worst],
    )


def crowd_row(crowd: Crowd) -> list[str]:
    """A row of the page's table."""
    return [
        str(crowd.players),
        str(crowd.dominated),
        f"{crowd.uniform:.2f}",
        mean(np.array(crowd.hands)),
        f"{crowd.uniform_nash_conv:.2f}",
        mean(np.array(crowd.nash_conv)),
    ]


def remains(crowd: Crowd) -> str:
    """The dominated moves made most often, in a sentence."""
    worst = "; ".join(f"{words} {value:.0%}" for words, value in crowd.worst)
    return f"With {crowd.players} players what is left most: {worst}."
