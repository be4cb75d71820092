"""Strategies: from what a player sees to a distribution over the legal moves."""

from __future__ import annotations

from abc import abstractmethod
from typing import final

import equinox as eqx
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from feint.games.errors import BadInput
from feint.tree.tree import Tree


class Strategy(eqx.Module):
    """One behaviour strategy for every player of a game."""

    @abstractmethod
    def table(self, tree: Tree) -> Float[np.ndarray, "i a"]:
        """The probability of every move at every information set of the tree."""


@final
class TabularStrategy(Strategy):
    """A strategy written down in full."""

    probabilities: Float[Array, "i a"]
    fingerprint: str = eqx.field(static=True)
    """Of the tree it was made for."""

    def table(self, tree: Tree) -> Float[np.ndarray, "i a"]:
        if tree.fingerprint != self.fingerprint:
            raise BadInput(
                f"This strategy is for another game than {tree.name} (their trees differ); "
                f"unroll the game that it was trained on."
            )
        return np.asarray(self.probabilities)


def tabulate(tree: Tree, strategy: Strategy | ArrayLike) -> Float[np.ndarray, "i a"]:
    """The table of a strategy, or a table given directly, checked: judges never see a broken one."""
    try:
        table = np.asarray(strategy.table(tree) if isinstance(strategy, Strategy) else strategy, np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"A strategy for {tree.name} is a table of numbers, but {strategy!r} was given.") from error
    if table.shape != tree.legal.shape:
        raise BadInput(
            f"A strategy for {tree.name} is a table of shape {tree.legal.shape} (information sets, moves), "
            f"but one of shape {table.shape} was given."
        )
    if not np.isfinite(table).all() or table.min(initial=0.0) < 0:
        raise BadInput(f"A strategy for {tree.name} needs probabilities, but the table has negative or missing ones.")
    total = (table * tree.legal).sum(1)
    broken = np.flatnonzero((np.abs(total - 1) > 1e-6) | (table.sum(1) > total))
    if len(broken):
        row = broken[0]
        raise BadInput(
            f"The strategy's row {row} ({tree.labels[row]!r}) must sum to 1 over its legal moves "
            f"{list(tree.infosets[int(row)].moves)}, but it is {table[row].tolist()}."
        )
    return np.asarray(table / total[:, None])
