"""The exact equilibrium of a two-player zero-sum game, by linear programming over plans (Koller & Megiddo 1992).

The first player's plan x maximises the second player's worst case. A plan is linear constraints: what leaves an
information set equals what entered it. The second player's best response is a linear programme whose dual gives
each of their information sets a value; the multipliers of its constraints are the second player's own plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import scipy.optimize
import scipy.sparse as sparse
from jaxtyping import Array, Float, PRNGKeyArray

from feint.forms.form import Form
from feint.forms.strategy import TabularStrategy
from feint.games.errors import BadInput, RunStopped
from feint.solvers.algorithm import Algorithm, Config, Entry, Metrics
from feint.tree.tree import Tree

ROUNDING = 1e-15
"""What rounding may leave of a payoff of nothing, as a share of the largest."""
SMALLEST = 1e-8
"""The smallest payoff, likewise: solvers take what is hardly smaller for 0."""


@final
@dataclass(frozen=True)
class LinearProgram(Config):
    """The sequence-form linear programme: exact, two players, zero-sum."""

    def check(self, form: Form) -> None:
        tree = form.whole("linear-program")
        if tree.players != 2 or not tree.zero_sum:
            raise BadInput(
                f"linear-program solves two-player zero-sum games, but {tree.name} has {tree.players} players"
                f"{'' if tree.zero_sum else ' and is not zero-sum'}; use cfr+ or xfp instead."
            )

    def on(self, form: Form) -> ExactSolution:
        self.check(form)
        tree = form.whole("linear-program")
        return ExactSolution(jnp.asarray(solve(tree)), tree.fingerprint)


ALGORITHMS = {
    "linear-program": Entry("The exact equilibrium; two players, zero-sum (Koller & Megiddo 1992).", LinearProgram())
}


class SolvedState(NamedTuple):
    table: Float[Array, "i a"]


@final
class ExactSolution(Algorithm[SolvedState]):
    """The programme's solution. It is complete from the start: a step has nothing left to improve."""

    table: Float[Array, "i a"]
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> SolvedState:
        return SolvedState(self.table)

    def step(self, state: SolvedState) -> tuple[SolvedState, Metrics]:
        return state, {}

    def strategy(self, state: SolvedState) -> TabularStrategy:
        return TabularStrategy(self.fingerprint, state.table)


def solve(tree: Tree) -> Float[np.ndarray, "i a"]:
    """An equilibrium as a strategy table."""
    _check_sizes(tree)
    sides = [_Side(tree, player) for player in range(2)]
    payoff = sparse.csr_array(  # in units of the largest, since the solver takes small numbers for 0
        (
            tree.weighted_payoff[:, 0] / (np.abs(tree.weighted_payoff).max() or 1.0),
            (sides[0].column(tree.last_sequence[:, 0]), sides[1].column(tree.last_sequence[:, 1])),
        ),
        shape=(sides[0].size, sides[1].size),
    )
    flow, other = sides[0].flow, sides[1].flow
    # Variables: the first player's plan x, then a value for each of the second player's information sets (and
    # the root), such that no sequence of theirs leaves the first player less than its information set's value.
    result = scipy.optimize.linprog(
        c=np.concatenate([np.zeros(flow.shape[1]), -sides[1].entering]),
        A_ub=sparse.hstack([-payoff.T, other.T]).tocsr(),
        b_ub=np.zeros(other.shape[1]),
        A_eq=sparse.hstack([flow, sparse.csr_array((flow.shape[0], other.shape[0]))]).tocsr(),
        b_eq=sides[0].entering,
        bounds=[(0, None)] * flow.shape[1] + [(None, None)] * other.shape[0],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not result.success:
        raise RunStopped(f"The linear programme for {tree.name} was not solved ({result.message}); use cfr+.")
    plans: list[np.ndarray] = [result.x[: flow.shape[1]], -result.ineqlin.marginals]
    weights = np.zeros(tree.legal.size)
    for side, plan in zip(sides, plans, strict=True):
        weights[side.cells] = np.maximum(plan[1:], 0.0)
    rows = weights.reshape(tree.legal.shape)
    total = rows.sum(1, keepdims=True)
    return np.where(total > 0, rows / np.where(total > 0, total, 1.0), tree.uniform())


def _check_sizes(tree: Tree) -> None:
    """Refuse payoffs of which the solver would take some for 0; what rounding may have left is one."""
    sizes = np.abs(tree.weighted_payoff[:, 0])
    most = sizes.max(initial=0.0)
    least = sizes[sizes > ROUNDING * most].min(initial=np.inf)
    if least < SMALLEST * most:
        raise RunStopped(
            f"The linear programme for {tree.name} is not solved, because its payoffs, from {least:.2g} to {most:.2g} "
            f"chips times the probability of chance, lie too far apart; use cfr+."
        )


@final
class _Side:
    """One player's sequences (the empty one first) and the constraints that make a vector a plan."""

    def __init__(self, tree: Tree, player: int) -> None:
        mine = np.flatnonzero(tree.player == player)
        self.cells = np.flatnonzero((tree.legal & (tree.player == player)[:, None]).ravel())
        """Where each sequence but the empty one stands in a flattened table."""
        self.size = 1 + len(self.cells)
        self._number = np.full(tree.legal.size + 1, 0)
        self._number[self.cells] = 1 + np.arange(len(self.cells))
        row = np.zeros(len(tree.player), np.int64)
        row[mine] = 1 + np.arange(len(mine))
        moves = self.cells // tree.legal.shape[1]
        rows = np.concatenate([[0], row[moves], row[mine]])
        columns = np.concatenate([[0], self.column(self.cells), self.column(tree.parent_sequence[mine])])
        signs = np.concatenate([[1.0], np.ones(len(moves)), -np.ones(len(mine))])
        self.flow: Any = sparse.csr_array((signs, (rows, columns)), shape=(1 + len(mine), self.size))
        """Row for each information set (the root first): what leaves it minus what enters it."""
        self.entering = np.zeros(1 + len(mine))
        self.entering[0] = 1.0

    def column(self, sequence: np.ndarray) -> np.ndarray:
        """The column of each sequence; −1, the empty one, is column 0."""
        return np.asarray(self._number[sequence])
