"""What the paper on fictitious play by winnings in Kuhn poker claims, answered from what its seeds came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.stats import binomtest

from feint.evaluate.dominance import Eliminated
from feint.games.poker import CALL, FOLD, RAISE
from feint.papers.kuhn_figures import describe
from feint.tree.best_response import judge_of
from feint.tree.move_values import move_values_of
from feint.tree.tree import Tree

LOW, MIDDLE, HIGH = range(3)
STEPS = 10
"""The paper's numSteps. Its first step is the untrained agent, so there are nine updates."""
GONE, SURE = 0.05, 0.95
"""A move is gone when it is made less often than the first, and certain when more often than the second."""
MOST, SOME = 0.9, 0.05
"""A claim holds that is true in the first share of runs, and in part from the second on, by the whole interval."""
PART, NEAR = 0.5, 0.05
"""The share of dominated moves that are a part of them, and the exploitability of what counts as an equilibrium."""
RULES = (
    f"A claim holds if all of the 95% interval of the share of runs in which it is true is at {MOST:.0%} or above, in "
    f"part if all of it is at {SOME:.0%} or above but below {MOST:.0%}, does not hold if all of it is below "
    f"{SOME:.0%}, and is not decided otherwise. A move is gone that is made less than {GONE:.0%} of the time, and "
    f"certain from {SURE:.0%} on, as all bets after a check are where it gets stuck; a part of the dominated moves is "
    f"{PART:.0%} of them, and an equilibrium has an exploitability below {NEAR:g}."
)


LISTED = {
    (HIGH, (RAISE,), FOLD, 0),
    (LOW, (RAISE,), CALL, 0),
    (HIGH, (CALL,), CALL, 0),
    (HIGH, (CALL, RAISE), FOLD, 0),
    (LOW, (CALL, RAISE), CALL, 0),
    (MIDDLE, (CALL,), RAISE, 1),
    (MIDDLE, (), RAISE, 1),
}
"""The dominated moves that §2.2.1 lists: card, moves before it, move and round."""


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
        return f"*{self.words}*: **{self.verdict()}** (true in {share(self.true)} of runs). {self.seen}"

    def verdict(self) -> str:
        low, high = between(self.true)
        if high < SOME:
            return "does not hold"
        if low < SOME or low < MOST <= high:
            return "not decided"
        return "holds" if low >= MOST else "holds in part"


def mean(values: Float[np.ndarray, " s"]) -> str:
    """A mean over seeds with its 95% interval."""
    return f"{values.mean():.2f} ± {1.96 * values.std(ddof=1) / np.sqrt(len(values)):.2f}"


def share(values: Any) -> str:
    """A share of seeds with Wilson's 95% interval."""
    low, high = between(values)
    return f"{values.mean():.0%} ({low:.0%} to {high:.0%})"


def between(values: Any) -> tuple[float, float]:
    """The ends of Wilson's 95% interval of a share of seeds."""
    interval = binomtest(int(values.sum()), len(values)).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def stuck(tree: Tree, tables: Float[np.ndarray, "s i a"]) -> Bool[np.ndarray, " s"]:
    """In which runs player 2 bets every card after a check."""
    rows = [row for row, (_, _, _, moves) in enumerate(tree.views) if moves == ((CALL,),)]
    return np.asarray((tables[:, rows, tree.actions.index("raise")] > SURE).all(1))


def ordered(eliminated: Eliminated) -> list[tuple[int, int]]:
    """The dominated moves, those that go first in front."""
    rows = [(int(row), int(move)) for row, move in np.argwhere(eliminated.mask)]
    return sorted(rows, key=lambda each: (eliminated.round_of[each], each))


def as_listed(tree: Tree, eliminated: Eliminated) -> str:
    """Whether elimination finds what the paper lists, in a sentence."""
    found = set[tuple[int, tuple[int, ...], int, int]]()
    for row, move in ordered(eliminated):
        _, (card,), _, (before,) = tree.views[row]
        found.add((card, before, move, int(eliminated.round_of[row, move])))
    if found == LISTED:
        bet, check = middle_after_check(tree)
        return (
            f"Those are the {len(LISTED)} moves that the paper lists, in its two rounds, and there are no more. Once "
            f"the others are gone, it says, betting the middle card after a check gains -0.5 on average and checking "
            f"0; that is {bet:g} and {check:g} against a first player who checks every card."
        )
    return f"The paper lists others: {len(found & LISTED)} of these, and {len(LISTED - found)} that are none."


def middle_after_check(tree: Tree) -> tuple[float, float]:
    """What the second player's bet and check with the middle card win where the first checks every card, folds the
    lowest to a bet and calls with the highest."""
    followed = tree.uniform()
    at = {(card, before): row for row, (_, (card,), _, (before,)) in enumerate(tree.views)}
    for card, before, move in [(card, (), CALL) for card in (LOW, MIDDLE, HIGH)] + [
        (LOW, (CALL, RAISE), FOLD),
        (HIGH, (CALL, RAISE), CALL),
    ]:
        followed[at[card, before]] = np.eye(len(tree.actions))[move]
    values = move_values_of(tree, followed)[at[MIDDLE, (CALL,)]]
    return round(float(values[RAISE]), 4), round(float(values[CALL]), 4)


def gone(tables: Float[np.ndarray, "s i a"], moves: Sequence[tuple[int, int]]) -> Bool[np.ndarray, "s m"]:
    """Which of these moves are gone in which runs."""
    return np.stack([tables[:, row, move] < GONE for row, move in moves], 1)


def claims(tree: Tree, ended: Mapping[str, Ended], eliminated: Eliminated, second: Float[np.ndarray, "s i a"]) -> str:
    """The paper's claims, one by one, answered from the runs; `second` are plain strategies on the second step."""
    rows, (plain, modified) = ordered(eliminated), (ended[name] for name in ("plain", "modified"))
    left = max(rows, key=lambda each: modified.tables[:, each[0], each[1]].mean())
    first = [number for number, each in enumerate(rows) if eliminated.round_of[each] == 0]
    without, removed = (gone(each.tables, rows) for each in (plain, modified))
    early, late = stuck(tree, second), stuck(tree, plain.tables)
    exact = stuck(tree, np.asarray(judge_of(tree).judged(tree.uniform()).responses)[None])[0]
    found = [
        Claim(
            "The plain algorithm removes part of the dominated strategies",
            without.mean(1) >= PART,
            f"In the mean it removes {without.mean():.0%} of the dominated moves, and all of them in "
            f"{share(without.all(1))} of runs.",
        ),
        Claim(
            "On its second step player 2's best response is to bet every card after a check",
            early,
            f"The exact best response to the untrained agent {'does' if exact else 'does not'}.",
        ),
        Claim(
            "It gets stuck: player 2 bets every card after a check and cannot find back",
            late,
            f"The paper shows a run that does. Of runs that did on the second step {share(late[early])} do at the end, "
            f"of others {share(late[~early])}.",
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
