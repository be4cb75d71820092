"""How training sets are made, in fictitious play by winnings in Kuhn poker: what depends on it, as its paper claims.

Sets are made of more or fewer hands, and of more or fewer of their decisions. What comes of each is judged exactly:
the network's answers, by what perfect ones would win more, and the strategies that they lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from textwrap import fill
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.learners.elite_play import ElitePlay
from feint.papers.kuhn_claims import NEAR, STEPS, mean, share
from feint.papers.kuhn_seeds import play
from feint.papers.records import Records, Row, where
from feint.papers.trials import table
from feint.runs.loop import Watcher
from feint.tree.best_response import response_gap
from feint.tree.sequence_form import SequenceForm
from feint.tree.unroll import unroll

RECORDS = "training_sets.jsonl"
TITLE = "## How the training set is made"
LONG = 100
"""Steps after which it is judged beside the paper's."""
HEAVILY = 2.0
"""A quantity depends heavily on something that changes it by this factor."""


@final
@dataclass(frozen=True)
class Ways:
    """What is tried: of every so many decisions one is kept, hands in a step, steps, and how many seeds."""

    selections: tuple[int, ...]
    hands: tuple[int, ...]
    steps: int
    seeds: int


FULL = (Ways((2, 5, 20), (100, 500, 2000), STEPS, 200), Ways((2, 20), (100, 2000), LONG, 50))
QUICK = (Ways((2, 20), (100, 2000), STEPS, 50),)


def asked(size: Sequence[Ways]) -> list[Row]:
    """What is asked, by what tells it from all else."""
    return [
        {"selection": selection, "hands": hands, "steps": ways.steps, "seeds": ways.seeds}
        for ways in size
        for selection, hands in product(ways.selections, ways.hands)
    ]


def measured(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> list[Row]:
    """All that is asked, measured where the folder does not hold it yet."""
    records, found = Records(out / RECORDS), list[Row]()
    with watch("Kuhn poker, training sets") as watcher:
        for what in asked(QUICK if quick else FULL):
            watcher.stage(f"one decision in {what['selection']} of {what['hands']:,} hands, {what['steps']} steps")
            found.append(records.row(what, lambda what=what: judged(what)))  # type: ignore[misc]
    return found


def judged(what: Row) -> Row:
    """Seed by seed the exploitability after the last step, and what answers on the way fell short by, on average."""
    tree, settings = unroll("kuhn"), ElitePlay(hands=what["hands"], selection=what["selection"])
    played = play(tree, settings, what["steps"] - 1, what["seeds"])
    lost = np.asarray(_lost(tree.form, jnp.asarray(played.tables))).mean(0) / tree.players
    return {"exploitability": (played.nash_conv[-1] / 2).round(4).tolist(), "short": lost.round(4).tolist()}


@eqx.filter_jit
def _lost(form: SequenceForm, tables: Float[Array, "u s i a"]) -> Float[Array, "v s"]:
    """By how much answers fell short of best responses: each strategy is the mean of the last and the answer to it."""
    answers = 2 * tables[1:] - tables[:-1]
    return jax.vmap(jax.vmap(lambda table, answer: response_gap(form, table, answer)))(tables[:-1], answers)


def sets_section(rows: Sequence[Row]) -> str:
    """The section of the page, from what was asked for alone: a folder may hold other numbers of seeds beside it."""
    return f"""{TITLE}

*The best response accuracy and thus convergence to Nash equilibrium depends heavily on the method of generating
training set*, the paper says. Here is the modified algorithm with more hands a step, and with more or fewer of their
decisions kept; where one in 20 is, a situation met 20 times or less in a step teaches nothing. How much answers fall
short of best responses is the mean over the steps, in chips per hand. All of it is exact; means over seeds with 95%
intervals.

{where(rows, lambda row: f"{_way(row)}, {row['steps']} steps")}

{cells(rows)}

{verdicts(rows)}
"""


def cells(rows: Sequence[Row]) -> str:
    """A row for each way to make the sets."""
    lengths = sorted({row["steps"] for row in rows})
    head = ["hands a step", "one decision kept in"]
    for steps in lengths:
        seeds = next(row["seeds"] for row in rows if row["steps"] == steps)
        after = f"after {steps} steps ({seeds} seeds)"
        head += [f"answers short by, {after}", f"exploitability {after}", f"below {NEAR:g}"]
    told = []
    for hands, selection in sorted({(row["hands"], row["selection"]) for row in rows}):
        line = [f"{hands:,}", str(selection)]
        for steps in lengths:
            line += _found(
                [row for row in rows if (row["hands"], row["selection"], row["steps"]) == (hands, selection, steps)]
            )
        told.append(line)
    return table(head, told)


def _found(rows: Sequence[Row]) -> list[str]:
    """What came of one way after so many steps, where that was tried."""
    if not rows:
        return ["", "", ""]
    (row,) = rows
    gaps = np.array(row["exploitability"])
    return [mean(np.array(row["short"])), mean(gaps), share(gaps < NEAR)]


def verdicts(rows: Sequence[Row]) -> str:
    """Whether accuracy and convergence depend heavily on how sets are made."""
    rule = (
        f"Something depends heavily on how the set is made if the worst way makes it {HEAVILY:g} times what the best "
        f"does or more: that holds where all of the ratio's 95% interval is there, does not hold where none of it is, "
        f"and is not decided otherwise. Even seeds say which ways these are, odd ones what they come to."
    )
    claims = [
        f"*{words} depends heavily on how the training set is made, after {steps} steps*: {_answer(mine, what)}"
        for steps in sorted({row["steps"] for row in rows})
        for mine in [[row for row in rows if row["steps"] == steps]]
        for words, what in (("The accuracy of best responses", "short"), ("Convergence", "exploitability"))
    ]
    return "\n".join([fill(rule, 120), "", *(f"{number}. {claim}" for number, claim in enumerate(claims, 1))])


def _answer(rows: Sequence[Row], what: str) -> str:
    ranked = sorted(rows, key=lambda row: float(np.mean(row[what][::2])))
    best, *between, worst = ranked
    low, ratio, high = times(worst[what][1::2], best[what][1::2])
    verdict = "holds" if low >= HEAVILY else "does not hold" if high < HEAVILY else "not decided"
    told = f"**{verdict}** ({ratio:.2f} times, {low:.2f} to {high:.2f}: {_way(worst)} beside {_way(best)})."
    if not between:
        return told
    low, ratio, high = times(between[-1][what][1::2], best[what][1::2])
    return f"{told} Without that worst way {ratio:.2f} times ({low:.2f} to {high:.2f})."


def _way(row: Mapping[str, Any]) -> str:
    return f"one in {row['selection']} of {row['hands']:,} hands"


def times(above: Sequence[float], below: Sequence[float]) -> tuple[float, float, float]:
    """The ratio of two means between the ends of its 95% interval, on a logarithmic scale."""
    ratio = np.mean(above) / np.mean(below)
    relative: list[Any] = [np.var(each, ddof=1) / len(each) / np.mean(each) ** 2 for each in (above, below)]
    reach = np.exp(1.96 * np.sqrt(sum(relative)))
    return float(ratio / reach), float(ratio), float(ratio * reach)
