"""What the paper on fictitious play by winnings in Kuhn poker claims, answered from what its seeds came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.stats import binomtest

from feint.evaluate.dominance import Eliminated
from feint.games.poker import CALL
from feint.papers.kuhn_figures import describe
from feint.tree.tree import Tree

STEPS = 10
"""The paper's numSteps. Its first step is the untrained agent, so there are nine updates."""
GONE, SURE = 0.05, 0.95
"""A move is gone when it is made less often than the first, and certain when more often than the second."""
MOST, SOME = 0.9, 0.05
"""A claim holds that is true in the first share of runs, and holds in part from the second on."""
PART, NEAR = 0.5, 0.05
"""The share of dominated moves that are a part of them, and the exploitability of what counts as an equilibrium."""
RULES = (
    f"A claim holds that is true in {MOST:.0%} of runs, and in part from {SOME:.0%} on. A move is gone that is made "
    f"less than {GONE:.0%} of the time, and certain from {SURE:.0%} on, as all bets after a check are where it gets "
    f"stuck; a part of the dominated moves is {PART:.0%} of them, and an equilibrium has an exploitability below "
    f"{NEAR:g}."
)


class Ended(NamedTuple):
    """What a variant's seeds come to, as it was noted."""

    label: str
    tables: Float[np.ndarray, "s i a"]
    gaps: Float[np.ndarray, " s"]
    """Exploitability in chips per hand."""


class Claim(NamedTuple):
    """What the paper says, in which runs it is so, and what else was seen."""

    words: str
    true: Bool[np.ndarray, " s"]
    seen: str

    def answer(self) -> str:
        verdict = (
            "holds" if self.true.mean() >= MOST else "holds in part" if self.true.mean() >= SOME else "does not hold"
        )
        return f"*{self.words}*: **{verdict}** (true in {share(self.true)} of runs). {self.seen}"


def mean(values: Float[np.ndarray, " s"]) -> str:
    """A mean over seeds with its 95% interval."""
    return f"{values.mean():.2f} ± {1.96 * values.std(ddof=1) / np.sqrt(len(values)):.2f}"


def share(values: Any) -> str:
    """A share of seeds with Wilson's 95% interval."""
    interval = binomtest(int(values.sum()), len(values)).proportion_ci(method="wilson")
    return f"{values.mean():.0%} ({interval.low:.0%} to {interval.high:.0%})"


def stuck(tree: Tree, tables: Float[np.ndarray, "s i a"]) -> Bool[np.ndarray, " s"]:
    """In which runs player 2 bets every card after a check."""
    rows = [row for row, (_, _, _, moves) in enumerate(tree.views) if moves == ((CALL,),)]
    return np.asarray((tables[:, rows, tree.actions.index("raise")] > SURE).all(1))


def ordered(eliminated: Eliminated) -> list[tuple[int, int]]:
    """The dominated moves, those that go first in front."""
    rows = [(int(row), int(move)) for row, move in np.argwhere(eliminated.mask)]
    return sorted(rows, key=lambda each: (eliminated.round_of[each], each))


def gone(tables: Float[np.ndarray, "s i a"], moves: Sequence[tuple[int, int]]) -> Bool[np.ndarray, "s m"]:
    """Which of these moves are gone in which runs."""
    return np.stack([tables[:, row, move] < GONE for row, move in moves], 1)


def claims(tree: Tree, ended: Mapping[str, Ended], eliminated: Eliminated) -> str:
    """The paper's claims, one by one, answered from the runs."""
    rows, (plain, modified) = ordered(eliminated), (ended[name] for name in ("plain", "modified"))
    left = max(rows, key=lambda each: modified.tables[:, each[0], each[1]].mean())
    first = [number for number, each in enumerate(rows) if eliminated.round_of[each] == 0]
    without, removed = (gone(each.tables, rows) for each in (plain, modified))
    found = [
        Claim(
            "The plain algorithm removes part of the dominated strategies",
            without.mean(1) >= PART,
            f"In the mean it removes {without.mean():.0%} of the dominated moves, and all of them in "
            f"{share(without.all(1))} of runs.",
        ),
        Claim(
            "It gets stuck: player 2 bets every card after a check and cannot find back",
            stuck(tree, plain.tables),
            "The paper shows a run that does.",
        ),
        Claim(
            "The modified algorithm does not get stuck there",
            ~stuck(tree, modified.tables),
            "It is slower to forget a move, and so to forget it for good.",
        ),
        Claim(
            "The modified algorithm removes all iteratively dominated strategies",
            np.asarray(removed.all(1)),
            f"P{describe(tree, *left)[1:]} {modified.tables[:, left[0], left[1]].mean():.0%} of the time at the "
            f"end; at random {1 / tree.legal[left[0]].sum():.0%}.",
        ),
        Claim(
            "… or at least those that are dominated from the start",
            np.asarray(removed[:, first].all(1)),
            f"Move by move in {removed.mean(0)[first].min():.0%} to {removed.mean(0)[first].max():.0%} of runs.",
        ),
        _converges(ended),
    ]
    return "\n".join(f"{number}. {claim.answer()}" for number, claim in enumerate(found, 1))


def _converges(ended: Mapping[str, Ended]) -> Claim:
    modified, longer, hands = (ended[name].gaps for name in ("modified", "more-steps", "more-hands"))
    return Claim(
        "It may converge to an equilibrium (left open)",
        longer < NEAR,
        f"Exploitability is {mean(modified)} after {STEPS} steps, {mean(longer)} after 100, and {mean(hands)} with "
        f"2,000 hands a step. Sorting by winnings prefers moves that win much now and then, so the answer is no best "
        f"response, however many hands it is drawn from.",
    )
