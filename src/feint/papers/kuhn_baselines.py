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
from feint.papers.kuhn_claims import HIGH, LOW, MIDDLE, mean
from feint.papers.kuhn_figures import describe
from feint.papers.trials import table
from feint.solvers.algorithm import Algorithm
from feint.solvers.cfr import ALGORITHMS as CFR
from feint.solvers.fictitious_play import ALGORITHMS as FICTITIOUS_PLAY
from feint.solvers.linear_program import solve
from feint.tree.compiled import compiled
from feint.tree.tree import Tree

STOPS = (10, 100, 1000)
Before = tuple[int, ...]
METHODS = {"fictitious play": FICTITIOUS_PLAY["xfp"].config, "CFR+": CFR["cfr+"].config}


def baselines(tree: Tree) -> dict[str, list[float]]:
    """Exploitability of exact methods after so many iterations; of the linear programme, which has none, once."""
    found: dict[str, list[float]] = {}
    for name, config in METHODS.items():
        found[name] = gaps_after(config.on(TreeForm(tree)), tree, STOPS)
    return found | {"the linear programme, solved once": [exploitability(tree, solve(tree))]}


def gaps_after(solver: Algorithm, tree: Tree, stops: Sequence[int], seed: int = 0) -> list[float]:  # type: ignore[type-arg]
    """Exploitability of a solver after so many iterations."""
    state, done, found = solver.init(jax.random.key(seed)), 0, []
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
    places: tuple[tuple[int, Before, int, float], ...]
    """Card, moves before it, the move that is made and how often the figure has it: one number of ours for each."""


FACED_FIRST, FACED_SECOND = (CALL, RAISE), (RAISE,)
"""A bet, as the first player meets it and as the second does."""
FACED = (FACED_FIRST, FACED_SECOND)
HOW_READ = (
    "Both figures came to us as text that a program read off the page, line by line from the top: headings, numbers "
    "and payoffs apart from each other, and much of it lost. Whose move a number is, is told by the heading above it "
    "and by the payoffs below it, −1 and 1 where agent 1 folds, 1 and −1 where agent 2 does. So 0.53 is read as "
    "agent 2's and 0.60 as agent 1's. Cards go by the order of the subtrees, QA, KQ and AK. Which numbers of "
    "Figure 3 are of step 2 and which of step 10 cannot be told any more, so they stand beside both; where whose "
    "they are cannot be told either, all that they may be is listed."
)
LAST_TWO = (
    Printed("B 1.00", "agent 2 bets after a check", tuple((card, (CALL,), RAISE, 1.0) for card in range(3))),
    Printed("C 1.00, F 0.00", "agent 2 calls with the highest card", ((HIGH, FACED_SECOND, CALL, 1.0),)),
    Printed("C 0.00, F 1.00", "the lowest card folds", tuple((LOW, before, CALL, 0.0) for before in FACED)),
    Printed("C 0.53, F 0.47", "agent 2 calls with the middle card", ((MIDDLE, FACED_SECOND, CALL, 0.53),)),
    Printed("C 1.00,", "agent 1 calls with the highest card", ((HIGH, FACED_FIRST, CALL, 1.0),)),
    Printed("C 0.60 F 0.40", "agent 1 calls with the middle card", ((MIDDLE, FACED_FIRST, CALL, 0.6),)),
)
"""Figure 3 without its first step."""
FIGURES = {
    "Figure 3, step 1": (
        Printed(
            "C 0.50, F 0.50",
            "the untrained agent",
            tuple((card, before, CALL, 0.5) for card in (MIDDLE, HIGH) for before in FACED),
        ),
    ),
    "Figure 3, if of step 2": LAST_TWO,
    "Figure 3, if of step 10": LAST_TWO,
    "Figure 4, step 10": (
        Printed(
            "B 0.14, 0.86", "agent 1 bets or checks the lowest card", ((LOW, (), RAISE, 0.14), (LOW, (), CALL, 0.86))
        ),
        Printed(
            "C 1.00",
            "agent 1 checks the middle card, or the highest calls",
            ((MIDDLE, (), CALL, 1.0), *((HIGH, before, CALL, 1.0) for before in FACED)),
        ),
        Printed("C 0.36, F 0.64", "the middle card calls", tuple((MIDDLE, before, CALL, 0.36) for before in FACED)),
    ),
}


ROUNDED = 0.005
"""By how much a printed number may be off."""
RARE = 0.05
"""A printed number is unlike ours where fewer seeds than this are as far out."""


def printed(tree: Tree, tables: Sequence[Float[np.ndarray, "_ i a"]]) -> str:
    """What the figures print beside what the seeds have by then, as a table; `tables` are of each figure's step."""
    rows = []
    for (figure, numbers), seeds in zip(FIGURES.items(), tables, strict=True):
        for number, words, places in numbers:
            cells = [_cell(tree, seeds, *place) for place in places]
            rows.append([figure, number, words, "; ".join(cells)])
    return table(
        ["figure", "printed", "read as", "ours: how often (seeds that are as far out as what is printed)"], rows
    )


def unlike(tree: Tree, tables: Sequence[Float[np.ndarray, "_ i a"]]) -> list[str]:
    """Printed numbers that hardly any seed comes to, in words."""
    return [
        f"{describe(tree, row, place[2])} {place[3]:.2f} ({figure}; {_share(often, place[3]):.1%})"
        for (figure, numbers), seeds in zip(FIGURES.items(), tables, strict=True)
        for _, _, places in numbers
        for place in places
        for row, often in [_often(tree, seeds, *place[:3])]
        if len(often) > 1 and _share(often, place[3]) < RARE
    ]


def _cell(tree: Tree, seeds: Float[np.ndarray, "s i a"], card: int, before: Before, move: int, theirs: float) -> str:
    """How often a move is made; agents that are all the same need no interval."""
    row, often = _often(tree, seeds, card, before, move)
    words = f"{mean(often)} ({_share(often, theirs):.0%})" if len(often) > 1 else f"{often[0]:.2f}"
    return f"{describe(tree, row, move)} {words}"


def _often(
    tree: Tree, seeds: Float[np.ndarray, "s i a"], card: int, before: Before, move: int
) -> tuple[int, Float[np.ndarray, " s"]]:
    """The information set, and how often each seed makes the move there."""
    row = next(row for row, (_, (held,), _, made) in enumerate(tree.views) if (held, made) == (card, (before,)))
    return row, seeds[:, row, move]


def _share(often: Float[np.ndarray, " s"], theirs: float) -> float:
    """The share of seeds that lie as far out as what is printed, on its side of the others."""
    return min(float(np.mean(often >= theirs - ROUNDED)), float(np.mean(often <= theirs + ROUNDED)))
