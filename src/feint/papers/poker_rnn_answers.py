"""Sentences that answer what "Poker-RNN" says by the way: of noise, of targets, of its curves' points and of jacks.

One more says why a seed has two numbers of the same thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from feint.forms.dealt import FEW_DEALS, JUDGED_DEALS
from feint.papers.poker_rnn_hands import Estimate
from feint.papers.poker_rnn_judge import RANDOM
from feint.papers.poker_rnn_seeds import Record, Seed, over_seeds, published
from feint.papers.poker_rnn_variants import AGAIN, BASE, LABELS
from feint.players.rlcard_agents import RANKS, SUITS

NOISE = "a tenth of the hands at random"
TARGETS = "a target every {} moves"


class Change(NamedTuple):
    """What a reading does to an agent: what it wins off the agent without, and loses more to a best response."""

    won: Estimate
    lost: Estimate

    def turned(self) -> Change:
        """What the other of the two does."""
        return Change(*(Estimate(-each.value, each.reach) for each in self))


def changed(records: Sequence[Record], words: str) -> dict[str, Change]:
    """By agent, what a reading does, seed by seed beside the settings as published."""
    found = {}
    for agent in LABELS:
        mine, base = (
            {row["seed"]: row for row in records if (row.get("agent"), row.get("variant")) == (agent, name)
             and row["kind"] == "readings" and "bound" in row}
            for name in (words, BASE)
        )  # fmt: skip
        if both := sorted(mine.keys() & base.keys()):
            won = over_seeds(mine[seed]["base"][0] for seed in both)
            found[agent] = Change(won, over_seeds(mine[seed]["bound"][0] - base[seed]["bound"][0] for seed in both))
    return found


def noisier(records: Sequence[Record]) -> str:
    """Whether noise in the memories helps; empty where it was not tried."""
    found = changed(records, NOISE)
    if not found:
        return ""
    return (
        f"**Do noisier memories help?** The paper supposes so, of NFSP above all. With {NOISE}, agents win "
        f"{_all({agent: each.won for agent, each in found.items()})} mbb/h off themselves without, and lose "
        f"{_all({agent: each.lost for agent, each in found.items()})} more to a local best response: {_verdict(found)}."
    )


def targets(records: Sequence[Record]) -> str:
    """Which end of the paper's range of targets does better; empty where that was not tried."""
    low, high = (changed(records, TARGETS.format(every)) for every in ("300", "1,000"))
    found = {agent: low[agent] if agent in low else high[agent].turned() for agent in LABELS if agent in low | high}
    if not found:
        return ""
    return (
        f"**Targets every 300 moves or every 1,000:** the paper found better results at the lower end. There agents "
        f"win {_all({agent: each.won for agent, each in found.items()})} mbb/h off those at the higher, and lose "
        f"{_all({agent: each.lost for agent, each in found.items()})} more to a local best response: {_verdict(found)}."
    )


def _all(found: Mapping[str, Estimate]) -> str:
    return ", ".join(f"{LABELS[agent]} {each}" for agent, each in found.items())


def _verdict(found: Mapping[str, Change]) -> str:
    """For whom it is better or worse by either number, by more than seeds differ."""
    better = [LABELS[agent] for agent, each in found.items() if each.won.low > 0 or each.lost.high < 0]
    worse = [LABELS[agent] for agent, each in found.items() if each.won.high < 0 or each.lost.low > 0]
    told = [f"{words} for {' and '.join(names)}" for words, names in (("better", better), ("worse", worse)) if names]
    rest = len(found) - len({*better, *worse})
    told += [f"not decided for {'the other ' if rest < len(found) else 'all '}{rest}"] if rest else []
    return ", ".join(told) + f" (of {2 * len(found)} comparisons, each at 95%)"


def two_matches(records: Sequence[Record]) -> str:
    """Why a seed has two numbers of what it wins off random play; empty where none has."""
    short = {(row["agent"], row["seed"]): row["random"] for row in published(records) if "random" in row}
    long = {
        (row["one"], row["seed"]): row["won"]
        for row in records
        if row["trial"] == "cross" and row["other"] == RANDOM and AGAIN not in row
    }
    if not (both := [key for key in short if key in long]):
        return ""
    agent, seed = both[0]
    one, other = (Estimate(*found[agent, seed][:2]) for found in (short, long))
    return (
        f"What is won off random play here is a match of {short[agent, seed][2]:,} hands. Claims below go by another "
        f"match, of {long[agent, seed][2]:,} hands and on other deals, where there is one ({LABELS[agent]}, seed "
        f"{seed}: {one} here and {other} there)."
    )


def luck_of_points(records: Sequence[Record], first: Seed | None = None) -> str:
    """How much of a curve's oscillation a hundred hands for each point make by luck alone."""
    parts = []
    for agent, label in LABELS.items():
        curves = [row["curve"] for row in published(records) if row["agent"] == agent]
        curves += [first.judged.curves[agent]] if first else []
        late = [[row for row in curve if 10 * row["hands"] >= curve[-1]["hands"]] for curve in curves]
        if late := [curve for curve in late if len(curve) > 2 and "winnings_100" in curve[0]]:
            few, all_ = (_off_the_line(late, name) for name in ("winnings_100", "winnings"))
            if few > 0:
                parts.append(f"{label} {few**0.5:,.0f} and {all_**0.5:,.0f} ({1 - all_ / few:.0%})")
    if not parts:
        return ""
    return (
        f"The paper draws each point of its curves from 100 hands. So do we beside our own of {2 * JUDGED_DEALS:,}: "
        f"{2 * FEW_DEALS} of these, others every time. How far points lie off the line between their neighbours from "
        f"a tenth of the hands on, in mbb/h (root mean square over seeds), of 100 hands and of all, and which part of "
        f"the squares is therefore luck with the cards: {', '.join(parts)}. So what oscillates in such a curve is "
        f"mostly which hands were dealt, whoever learns."
    )


def _off_the_line(curves: Sequence[Sequence[Record]], name: str) -> float:
    """The mean square of what evaluations differ from the mean of their neighbours by."""
    values = [np.array([row[name] for row in curve]) for curve in curves]
    return float(np.mean(np.concatenate([(each[1:-1] - (each[:-2] + each[2:]) / 2) ** 2 for each in values])))


def jacks() -> str:
    """Which cards the paper's numbers are: those of its environment go through the ranks, suit by suit."""
    name = {suit * len(RANKS) + rank: f"{SUITS[suit]}{RANKS[rank]}" for suit in range(4) for rank in range(len(RANKS))}
    high = [str(number) for number, card in name.items() if card.endswith("J")]
    return (
        f"The paper calls (10, 49) and (10, 32) pairs of jacks. In its environment's numbers, which go through the "
        f"ranks from the ace up, suit by suit ({SUITS}), jacks are {', '.join(high[:-1])} and {high[-1]}: (10, 49) is "
        f"{name[10]} {name[49]}, but (10, 32) is {name[10]} {name[32]}, no pair."
    )
