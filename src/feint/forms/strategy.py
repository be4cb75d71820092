"""Strategies: from what a player sees to a distribution over the legal moves, and how they are played and stored."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Int

from feint.arena.policy import Policy, TabularPolicy
from feint.games.errors import BadInput
from feint.tree.arrays import on_device
from feint.tree.compiled import compiled
from feint.tree.tree import Tree

Arrays = dict[str, np.ndarray]
"""Arrays by the names they are stored under."""


class Strategy(eqx.Module):
    """One behaviour strategy for every player of a game."""

    fingerprint: eqx.AbstractVar[str]
    """Of the form of the game that it is for."""
    holds: eqx.AbstractClassVar[str]
    """What is stored of it, in words."""

    @property
    @abstractmethod
    def policy(self) -> Policy:
        """As it is played."""

    def everywhere(self, players: Int[Array, " i"]) -> Float[Array, "i a"]:
        """All that it does in an unrolled game, in compiled code, given whose the information sets are."""
        rows = self.policy(jnp.arange(len(players)), players).astype(jnp.float64)
        return rows / rows.sum(1, keepdims=True)

    @abstractmethod
    def arrays(self) -> Arrays:
        """What is stored of it; its algorithm's settings read it back."""

    @property
    def guesses(self) -> Callable[..., Any] | None:
        """What it has learned of the worth of situations that searches go no further from; None where it has not."""
        return None

    def table(self, tree: Tree) -> Float[np.ndarray, "i a"]:
        """The probability of every move at every information set of the tree."""
        if tree.fingerprint != self.fingerprint:
            raise BadInput(
                f"This strategy is for another game than {tree.name} (they differ once unrolled); "
                f"unroll the game that it was trained on."
            )
        table = np.asarray(self._written(tree))
        if table.shape != tree.legal.shape:
            raise BadInput(
                f"A strategy for {tree.name} is a table of shape {tree.legal.shape} (information sets, moves), "
                f"but one of shape {table.shape} was given."
            )
        return table

    def _written(self, tree: Tree) -> Float[Array, "i a"] | Float[np.ndarray, "i a"]:
        return _everywhere(self, on_device(tree.player))


@compiled
def _everywhere(strategy: Strategy, players: Int[Array, " i"]) -> Float[Array, "i a"]:
    return strategy.everywhere(players)


@final
class TabularStrategy(Strategy):
    """A strategy written down in full."""

    holds: ClassVar[str] = "the probability of every move at every information set"
    fingerprint: str = eqx.field(static=True)
    probabilities: Float[Array, "i a"] | Float[np.ndarray, "i a"]

    @property
    def policy(self) -> TabularPolicy:
        return TabularPolicy(jnp.asarray(self.probabilities))

    def everywhere(self, players: Int[Array, " i"]) -> Float[Array, "i a"]:
        return jnp.asarray(self.probabilities)

    def _written(self, tree: Tree) -> Float[Array, "i a"] | Float[np.ndarray, "i a"]:
        return self.probabilities

    def arrays(self) -> Arrays:
        return {"probabilities": np.asarray(self.probabilities)}


@final
class PolicyStrategy(Strategy):
    """A strategy of which no more is known than how it is played."""

    holds: ClassVar[str] = "nothing"
    fingerprint: str = eqx.field(static=True)
    played: Policy

    @property
    def policy(self) -> Policy:
        return self.played

    def arrays(self) -> Arrays:
        raise BadInput("What is only known by how it plays cannot be stored; train an algorithm to keep a strategy.")


def tabulate(tree: Tree, strategy: Strategy | ArrayLike) -> Float[np.ndarray, "i a"]:
    """The table of a strategy, or a table given directly, checked: judges never see a broken one."""
    try:
        table = np.asarray(strategy.table(tree) if isinstance(strategy, Strategy) else strategy, np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(
            f"A strategy for {tree.name} is one such as run.strategy or a table of numbers, but {strategy!r} was given."
        ) from error
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
