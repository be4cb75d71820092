"""What "Poker-RNN" says of five agents, and what we say, each answered from numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import inf, nan
from typing import NamedTuple

import numpy as np

from feint.papers.poker_rnn_hands import Estimate
from feint.papers.poker_rnn_judge import AGENTS, RANDOM, Judged
from feint.runs.files import Row

Q_LEARNERS, AVERAGES = ("linear-q", "dqn", "drqn"), ("nfsp", "rnfsp")
BUDGET = 1_000_000
"""Hands that the paper's agents played; after fewer nothing is decided."""
CLEAR = 0.5
"""A rank correlation from which on a pattern is clear."""
TWICE = 2.0
"""By how much one number must exceed another of which the error is not known."""
SHOWN = 0.1
"""From how many big blinds on a difference in value can be seen in a picture."""
IN_A_ROW = 3
"""Evaluations at a level before it counts as reached …"""
SETTLED = 100
"""… and updates before the first of them: the first few throw networks about."""
HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"


class Finding(NamedTuple):
    verdict: str
    measured: str


class Claim(NamedTuple):
    words: str
    answer: Callable[[Judged], Finding]


def above(number: Estimate, bar: float) -> str:
    """Whether a number is above a bar, as far as its error lets us say."""
    return HOLDS if number.low > bar else FAILS if number.high < bar else OPEN


def more_than(ratio: float) -> str:
    """Whether one number clearly exceeds another, where all that is known is how many times it is the other."""
    return HOLDS if ratio >= TWICE else FAILS if ratio <= 1 else OPEN


def beats(first: str, second: str) -> Callable[[Judged], Finding]:
    def answer(judged: Judged) -> Finding:
        won = judged.cross[first, second]
        return Finding(above(won, 0.0), f"it wins {won} mbb/h")

    return answer


def swing(curve: Sequence[Row]) -> float:
    """How far evaluations from a tenth of the hands on lie off the line between their neighbours; the median.

    It is nan where there are too few.
    """
    values = np.array([row["winnings"] for row in curve if 10 * row["hands"] >= curve[-1]["hands"]])
    return float(np.median(np.abs(values[1:-1] - (values[:-2] + values[2:]) / 2))) if len(values) > 2 else nan


def swings_more(first: str, second: str) -> Callable[[Judged], Finding]:
    def answer(judged: Judged) -> Finding:
        ours, theirs = (swing(judged.curves[name]) for name in (first, second))
        # The same of evaluations that differ by luck alone; both are on the same deals, so it is less than this.
        luck = 0.6745 * 1.5**0.5 * judged.curves[first][-1]["winnings_error"] / 1.96
        words = f"median swing {ours:,.0f} against {theirs:,.0f} mbb/h (luck alone: at most {luck:,.0f})"
        return Finding(more_than(ours / max(theirs, 1e-9)), words)

    return answer


def about_two(judged: Judged) -> Finding:
    won = judged.cross["nfsp", RANDOM]
    inside, outside = won.low > 1500 and won.high < 2500, won.high < 1500 or won.low > 2500
    return Finding(HOLDS if inside else FAILS if outside else OPEN, f"{won} mbb/h")


def worst_against_random(judged: Judged) -> Finding:
    won = {name: judged.cross[name, RANDOM] for name in AGENTS}
    best = max((won[name] for name in AVERAGES), key=lambda each: each.value)
    least = min((won[name] for name in Q_LEARNERS), key=lambda each: each.value)
    words = ", ".join(f"{AGENTS[name]} {won[name].value:,.0f}" for name in AGENTS)
    return Finding(above(least.less(best), 0.0), words)


def _mean_of(matches: Sequence[Estimate]) -> Estimate:
    """The mean of independent matches."""
    reach = float(np.sqrt(sum(each.reach**2 for each in matches)))
    return Estimate(float(np.mean([each.value for each in matches])), reach / len(matches))


def worst_in_matches(judged: Judged) -> Finding:
    matches = [judged.cross[name, other] for name in Q_LEARNERS for other in AVERAGES]
    mean, lost = _mean_of(matches), sum(each.low > 0 for each in matches)
    return Finding(above(mean, 0.0), f"Q-learners win {mean} mbb/h off them in the mean, and {lost} of 6 matches")


def carries_further(judged: Judged) -> Finding:
    ours, theirs = (_mean_of([judged.cross[name, other] for other in Q_LEARNERS]) for name in ("rnfsp", "nfsp"))
    return Finding(above(ours.less(theirs), 0.0), f"{ours} against {theirs} mbb/h")


def hands_to(curve: Sequence[Row], level: float) -> float:
    """The hands from the first update until a curve is at a level for some evaluations in a row; inf if it never is."""
    begun = max((float(row["hands"]) for row in curve if not row["updates"]), default=0.0)
    rows = (curve[at : at + IN_A_ROW] for at in range(len(curve) - IN_A_ROW + 1) if curve[at]["updates"] >= SETTLED)
    reached = (row[0]["hands"] for row in rows if min(one["winnings"] for one in row) >= level)
    return float(next(reached, inf)) - begun


def slower(first: str, second: str) -> Callable[[Judged], Finding]:
    """Whether one agent takes longer to win, and go on winning, half of what both come to win at their best."""

    def answer(judged: Judged) -> Finding:
        curves = [judged.curves[name] for name in (first, second)]
        level = min(max(row["winnings"] for row in curve) for curve in curves) / 2
        ours, theirs = (hands_to(curve, level) for curve in curves)
        words = f"{ours:,.0f} hands to {level:,.0f} mbb/h against {theirs:,.0f}"
        return Finding(more_than(ours / max(theirs, 1.0)) if level > 0 else OPEN, words)

    return answer


def sees_pairs(judged: Judged) -> Finding:
    pairs = judged.sense["dqn"].pairs
    return Finding(above(pairs, 0.0), f"{pairs.value:+.2f} ± {pairs.reach:.2f} BB over the same card with another")


def sees_high_cards(judged: Judged) -> Finding:
    high = judged.sense["dqn"].high
    return Finding(HOLDS if high >= CLEAR else FAILS, f"rank correlation {high:.2f}")


def no_suits(judged: Judged) -> Finding:
    suited = judged.sense["dqn"].suited
    shown = FAILS if suited.low > SHOWN or suited.high < -SHOWN else OPEN
    verdict = HOLDS if suited.low > -SHOWN and suited.high < SHOWN else shown
    return Finding(verdict, f"one suit is worth {suited.value:+.3f} ± {suited.reach:.3f} BB more")


def no_pattern(name: str) -> Callable[[Judged], Finding]:
    def answer(judged: Judged) -> Finding:
        found = judged.sense[name]
        clear = abs(found.high) >= CLEAR or not found.pairs.low <= 0 <= found.pairs.high
        words = (
            f"rank correlation {found.high:.2f}, pairs {found.pairs.value:+.2f} ± {found.pairs.reach:.2f} BB, "
            f"the best hand {found.spread:.2f} BB over the worst"
        )
        return Finding(FAILS if clear else HOLDS, words)

    return answer


def ordered_otherwise(judged: Judged) -> Finding:
    """Pairs of agents of which the one that wins more off random play loses more to a local best response."""
    same = opposite = 0
    for one, other in combinations(AGENTS, 2):
        won = judged.cross[one, RANDOM].less(judged.cross[other, RANDOM])
        lost = judged.bounds[one].less(judged.bounds[other])
        if abs(won.value) > won.reach and abs(lost.value) > lost.reach:
            same, opposite = same + (won.value * lost.value < 0), opposite + (won.value * lost.value > 0)
    words = f"of 10 pairs of agents {opposite} are ordered the other way round, {same} the same way"
    return Finding(HOLDS if opposite > same else FAILS if same > opposite else OPEN, words)


def less_exploitable(judged: Judged) -> Finding:
    ours, theirs = judged.bounds["nfsp"], judged.bounds["dqn"]
    return Finding(above(theirs.less(ours), 0.0), f"bounds {ours} against {theirs} mbb/h")


def beat_random(judged: Judged) -> Finding:
    """Whether all win more than 2,000 mbb/h off random play, and where those were at their best who do not."""
    verdicts = {name: above(judged.cross[name, RANDOM], 2000.0) for name in AGENTS}
    short = []
    for name, verdict in verdicts.items():
        if verdict != HOLDS:
            best = max(judged.curves[name], key=lambda row: float(row["winnings"]))
            peak = f"its best was {best['winnings']:,.0f} after {best['hands']:,.0f} hands"
            short.append(f"{AGENTS[name]} wins {judged.cross[name, RANDOM]} ({peak})")
    verdict = FAILS if FAILS in verdicts.values() else OPEN if OPEN in verdicts.values() else HOLDS
    least = min((judged.cross[name, RANDOM] for name in AGENTS), key=lambda each: each.value)
    return Finding(verdict, "; ".join(short) or f"the least wins {least} mbb/h")


THEIRS = (
    Claim("The linear agent beats NFSP", beats("linear-q", "nfsp")),
    Claim("The linear agent beats RNFSP", beats("linear-q", "rnfsp")),
    Claim("DQN's curve swings more than NFSP's", swings_more("dqn", "nfsp")),
    Claim("DRQN's curve swings more than RNFSP's", swings_more("drqn", "rnfsp")),
    Claim("DQN's curve swings more than the linear agent's", swings_more("dqn", "linear-q")),
    Claim("NFSP comes to about 2 big blinds a hand against random play (1.5 to 2.5)", about_two),
    Claim("NFSP and RNFSP win least off random play", worst_against_random),
    Claim("NFSP and RNFSP do worst against the others", worst_in_matches),
    Claim("Recurrence does worse: DQN beats DRQN", beats("dqn", "drqn")),
    Claim("Recurrence does worse: NFSP beats RNFSP", beats("nfsp", "rnfsp")),
    Claim("Recurrence is slower: DRQN takes longer than DQN", slower("drqn", "dqn")),
    Claim("Recurrence is slower: RNFSP takes longer than NFSP", slower("rnfsp", "nfsp")),
    Claim("RNFSP does better against Q-learners than NFSP does", carries_further),
    Claim("DQN's values show pairs", sees_pairs),
    Claim("DQN's values show high cards", sees_high_cards),
    Claim("DQN's values do not show suits", no_suits),
    Claim("NFSP's values show no clear pattern", no_pattern("nfsp")),
    Claim("RNFSP's values show no clear pattern", no_pattern("rnfsp")),
)
OURS = (
    Claim("Winnings off random play order agents otherwise than local best responses do", ordered_otherwise),
    Claim("NFSP is less exploitable than DQN, by local best responses", less_exploitable),
    Claim("Every agent wins more than 2,000 mbb/h off random play", beat_random),
)


def answer(claim: Claim, judged: Judged) -> Finding:
    """A claim's answer at a stage; where that played less than the paper did, nothing is decided."""
    found = claim.answer(judged)
    return found if judged.hands >= BUDGET else found._replace(verdict="not decided at this length")
