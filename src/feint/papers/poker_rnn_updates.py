"""How often the Q-learners of "Poker-RNN" update, and whether it makes the rate of learning matter more.

The paper calls its deep and its recurrent Q-learner quite sensitive to the rate, "especially" with frequent updates.
Here an agent is the more sensitive the further three rates lie apart, a tenth of the paper's, the paper's and ten
times it: the most less the least that they come to, seed by seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from feint.papers.poker_rnn_claims import above
from feint.papers.poker_rnn_hands import Estimate
from feint.papers.poker_rnn_seeds import Record, cell, over_seeds, played
from feint.papers.poker_rnn_variants import BASE, LABELS, TRIALS, UPDATES
from feint.papers.records import where
from feint.papers.trials import table

MEASURES = {"random": "won off random play", "bound": "lost at least"}
RATES = 3
"""How many are tried of each seed."""


def updates_section(records: Sequence[Record]) -> str:
    """Every frequency with every rate, and what the paper says of it; empty where it was not tried."""
    rows = [row for row in records if row.get("kind") in UPDATES and played(row)]
    if not rows:
        return ""
    answers = "\n\n".join(filter(None, (_answer(rows, agent) for agent in LABELS)))
    made = where(rows, lambda row: str(row["trial"]))
    return f"### How often it updates\n\n{_WORDS}\n\n{made}\n\n{updates_table(rows)}\n\n{answers}"


def updates_table(rows: Sequence[Record]) -> str:
    """A row for each agent, frequency and rate, over seeds."""
    found = []
    for agent, kind, variant in dict.fromkeys((row["agent"], row["kind"], row["variant"]) for row in rows):
        lanes = [row for row in rows if (row["agent"], row["kind"], row["variant"]) == (agent, kind, variant)]
        hands = np.mean([played(lane) for lane in lanes])
        trial = TRIALS[f"{agent}/{kind}".replace(" ", "-")]
        moves = f"{lanes[0]['step'] * trial.settings.tables:,}"
        told = (cell(lanes, name) for name in (*MEASURES, "base"))
        found.append([LABELS[agent], kind, variant, str(len(lanes)), f"{hands:,.0f}", moves, *told])
    heads = ["agent", "reading", "rate", "seeds", "hands", "moves", *MEASURES.values(), f"won off “{BASE}”"]
    return table(heads, found)


def spreads(rows: Sequence[Record], agent: str, kind: str, name: str) -> dict[int, float]:
    """How far rates lie apart, of every seed that has all of them."""
    found: dict[int, list[float]] = {}
    for row in rows:
        if (row["agent"], row["kind"]) == (agent, kind) and name in row:
            found.setdefault(row["seed"], []).append(row[name][0])
    return {seed: max(values) - min(values) for seed, values in found.items() if len(values) == RATES}


def _answer(rows: Sequence[Record], agent: str) -> str:
    """Whether rates lie further apart with the most frequent updates than with the rarest, by either number."""
    parts, (first, *_, last) = [], UPDATES
    for name, words in MEASURES.items():
        by_kind = {kind: spreads(rows, agent, kind, name) for kind in UPDATES}
        both = by_kind[first].keys() & by_kind[last].keys()
        if len(both) > 1:
            more = over_seeds(by_kind[first][seed] - by_kind[last][seed] for seed in both)
            parts.append(f"by what is {words}, **{above(more, 0.0)}**: {_apart(by_kind)}, {more} further at {first}")
    if not parts:
        return ""
    return (
        f"**Is the rate felt more with frequent updates?** Of the {LABELS[agent]} agent, {'; '.join(parts)} "
        f"(each at 95% over seeds, in mbb/h)."
    )


def _apart(by_kind: Mapping[str, Mapping[int, float]]) -> str:
    told = (f"{_mean(found)} with {kind}" for kind, found in by_kind.items() if found)
    return f"rates lie apart by {', '.join(told)}"


def _mean(found: Mapping[int, float]) -> Estimate:
    return over_seeds(found.values())


_WORDS = """The paper updates a Q-learner every 10 moves, and says that the deep one, and the recurrent one alike, is
quite sensitive to its rate, especially with frequent updates. Here the Q-learner updates every move of its own, every
10 or every 100, with the paper's rate, a tenth of it and ten times as much; targets and exploration come after as many
moves as with the paper's settings, and both seats together make so many moves as the table says. *Won off “as
published”* is a match with the paper's rate, updated as often. An agent is the more sensitive the further the three
rates lie apart, the most less the least of each seed; the claim holds where they lie further apart with an update every
move than with one every 100. It is half as long as the readings above: with rare updates and a low rate an agent has
hardly begun to learn by then, which sets rates apart too. The deep agent and the recurrent one, of which the
paper says it, were too slow for this processor."""
