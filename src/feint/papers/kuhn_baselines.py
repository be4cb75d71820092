"""Beside fictitious play by winnings in Kuhn poker: numbers printed in its figures, and exact methods on the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.evaluate.exploitability import exploitability
from feint.forms.unrolled import TreeForm
from feint.games.poker import CALL, RAISE
from feint.papers.kuhn_figures import describe
from feint.papers.trials import table
from feint.solvers.algorithm import Algorithm
from feint.solvers.cfr import ALGORITHMS as CFR
from feint.solvers.fictitious_play import ALGORITHMS as FICTITIOUS_PLAY
from feint.solvers.linear_program import solve
from feint.tree.compiled import compiled
from feint.tree.tree import Tree

STOPS = (10, 100, 1000)
METHODS = {"fictitious play": FICTITIOUS_PLAY["xfp"].config, "CFR+": CFR["cfr+"].config}


def baselines(tree: Tree) -> str:
    """Exploitability of exact methods after so many iterations, as a table."""
    rows = []
    for name, config in METHODS.items():
        solver = config.on(TreeForm(tree))
        state, done, cells = solver.init(jax.random.key(0)), 0, list[str]()
        for stop in STOPS:
            state, done = _further(solver, state, jnp.asarray(stop - done)), stop
            cells.append(f"{exploitability(tree, solver.strategy(state)):.1e}")
        rows.append([name, *cells])
    rows.append(["the linear programme, solved once", "", "", f"{exploitability(tree, solve(tree)):.1e}"])
    return table(["exploitability after iterations", *(f"{stop:,}" for stop in STOPS)], rows)


@compiled
def _further(solver: Algorithm, state: object, steps: Int[Array, ""]) -> object:  # type: ignore[type-arg]
    return jax.lax.fori_loop(0, steps, lambda _, state: solver.step(state)[0], state)


@final
class Printed(NamedTuple):
    """A number in a figure of the paper, and where it belongs as far as the figure can be read."""

    number: str
    words: str
    places: tuple[tuple[int, tuple[int, ...], int], ...]
    """Card, moves before it and the move that is made: one number of ours for each."""


LOW, MIDDLE, HIGH = range(3)
FACED = ((CALL, RAISE), (RAISE,))
"""A bet, as the first player meets it and as the second does."""
FIGURES = {
    "Figure 3, step 10": (
        Printed("B 1.00", "agent 2 bets after a check", tuple((card, (CALL,), RAISE) for card in range(3))),
        Printed("C 1.00, F 0.00", "the highest card calls", tuple((HIGH, before, CALL) for before in FACED)),
        Printed("C 0.00, F 1.00", "the lowest card folds", tuple((LOW, before, CALL) for before in FACED)),
        Printed("C 0.53, C 0.60", "the middle card calls", tuple((MIDDLE, before, CALL) for before in FACED)),
    ),
    "Figure 4, step 10": (
        Printed("B 0.14", "agent 1 bets the lowest card", ((LOW, (), RAISE),)),
        Printed("C 0.36, F 0.64", "the middle card calls", tuple((MIDDLE, before, CALL) for before in FACED)),
    ),
}


def printed(tree: Tree, plain: Float[np.ndarray, "s i a"], modified: Float[np.ndarray, "s i a"]) -> str:
    """What the figures print beside what the seeds have at the last step, as a table."""
    rows = []
    for (figure, numbers), tables in zip(FIGURES.items(), (plain, modified), strict=True):
        for number, words, places in numbers:
            cells = []
            for card, before, move in places:
                row = next(
                    row for row, (_, (held,), _, made) in enumerate(tree.views) if (held, made) == (card, (before,))
                )
                shares = tables[:, row, move]
                reach = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares))
                cells.append(f"{describe(tree, row, move)} {shares.mean():.2f} ± {reach:.2f}")
            rows.append([figure, number, words, "; ".join(cells)])
    return table(["figure", "printed", "read as", "ours: how often"], rows)


def numbers(played: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of each variant: exploitability, seed by seed in the end, and how often moves are made by then."""
    return {
        name: {
            "mean": (each.nash_conv / 2).mean(1).round(4).tolist(),
            "last": (each.nash_conv[-1] / 2).round(4).tolist(),
            "moves": each.last.mean(0).round(4).tolist(),
        }
        for name, each in played.items()
    }
