"""Beside fictitious play by winnings in Kuhn poker: numbers printed in its figures, and exact methods on the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.evaluate.exploitability import exploitability
from feint.forms.unrolled import TreeForm
from feint.games.poker import CALL, RAISE
from feint.papers.kuhn_claims import mean
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


def baselines(tree: Tree) -> dict[str, list[float]]:
    """Exploitability of exact methods after so many iterations; of the linear programme, which has none, once."""
    found: dict[str, list[float]] = {}
    for name, config in METHODS.items():
        found[name] = gaps_after(config.on(TreeForm(tree)), tree, STOPS)
    return found | {"the linear programme, solved once": [exploitability(tree, solve(tree))]}


def gaps_after(solver: Algorithm, tree: Tree, stops: Sequence[int]) -> list[float]:  # type: ignore[type-arg]
    """Exploitability of a solver after so many iterations."""
    state, done, found = solver.init(jax.random.key(0)), 0, []
    for stop in stops:
        state, done = _further(solver, state, jnp.asarray(stop - done)), stop
        found.append(exploitability(tree, solver.strategy(state)))
    return found


def baselines_table(found: Mapping[str, Sequence[float]]) -> str:
    rows = [[name, *[""] * (len(STOPS) - len(gaps)), *(f"{gap:.1e}" for gap in gaps)] for name, gaps in found.items()]
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
    "Figure 3, step 1": (
        Printed(
            "C 0.50, F 0.50",
            "the untrained agent",
            tuple((card, before, CALL) for card in (MIDDLE, HIGH) for before in FACED),
        ),
    ),
    "Figure 3, step 10": (
        Printed("B 1.00", "agent 2 bets after a check", tuple((card, (CALL,), RAISE) for card in range(3))),
        Printed("C 1.00, F 0.00", "the highest card calls", tuple((HIGH, before, CALL) for before in FACED)),
        Printed("C 0.00, F 1.00", "the lowest card folds", tuple((LOW, before, CALL) for before in FACED)),
        Printed(
            "C 0.53, F 0.47; C 0.60, F 0.40",
            "the middle card calls",
            tuple((MIDDLE, before, CALL) for before in FACED),
        ),
    ),
    "Figure 4, step 10": (
        Printed("B 0.14, 0.86", "agent 1 bets or checks the lowest card", ((LOW, (), RAISE), (LOW, (), CALL))),
        Printed("C 1.00", "the highest card calls", tuple((HIGH, before, CALL) for before in FACED)),
        Printed("C 0.36, F 0.64", "the middle card calls", tuple((MIDDLE, before, CALL) for before in FACED)),
    ),
}


def printed(tree: Tree, tables: Sequence[Float[np.ndarray, "_ i a"]]) -> str:
    """What the figures print beside what the seeds have by then, as a table; `tables` are of each figure's step."""
    rows = []
    for (figure, numbers), seeds in zip(FIGURES.items(), tables, strict=True):
        for number, words, places in numbers:
            cells = "; ".join(_cell(tree, seeds, *place) for place in places)
            rows.append([figure, number, words, cells])
    return table(["figure", "printed", "read as", "ours: how often"], rows)


def _cell(tree: Tree, seeds: Float[np.ndarray, "s i a"], card: int, before: tuple[int, ...], move: int) -> str:
    """How often a move is made; agents that are all the same need no interval."""
    row = next(row for row, (_, (held,), _, made) in enumerate(tree.views) if (held, made) == (card, (before,)))
    often = seeds[:, row, move]
    return f"{describe(tree, row, move)} {mean(often) if len(often) > 1 else f'{often[0]:.2f}'}"
