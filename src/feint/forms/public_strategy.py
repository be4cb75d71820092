"""Strategies of public trees, written down in full."""

from __future__ import annotations

from typing import ClassVar, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from feint.forms.strategy import Arrays, Strategy
from feint.public.play import Tables, normalised
from feint.public.policy import PublicPolicy
from feint.public.tree import PublicTree


@final
class PublicStrategy(Strategy):
    """The probability of every move, by betting decision, board and hand."""

    holds: ClassVar[str] = "the probability of every move at every betting decision, on every board, with every hand"
    fingerprint: str = eqx.field(static=True)
    tree: PublicTree
    weights: Tables
    """In proportion to which moves are made."""

    @property
    def policy(self) -> PublicPolicy:
        return PublicPolicy(self.tree, self.weights)

    def arrays(self) -> Arrays:
        return {
            f"{number}.{decision}.{move}": np.asarray(chances)
            for number, tables in enumerate(self.weights)
            for decision, table in enumerate(tables)
            for move, chances in enumerate(normalised(table))
        }


def public_strategy(tree: PublicTree, arrays: Arrays, fingerprint: str) -> PublicStrategy:
    """A strategy as it was stored."""
    weights = tuple(
        tuple(
            tuple(jnp.asarray(arrays[f"{number}.{decision}.{move}"]) for move in range(moves))
            for decision, moves in enumerate(stage.moves)
        )
        for number, stage in enumerate(tree.rounds)
    )
    return PublicStrategy(fingerprint, tree, weights)
