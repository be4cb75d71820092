"""What Joos's thesis (2018) claims of neural fictitious self-play in Leduc, and answers from records of experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t

from feint.papers.thesis_trials import KNOWN

Records = Mapping[str, Mapping[str, Any]]
"""What `thesis_trials.run` gives, by the experiment's name."""


class Claim(NamedTuple):
    """That a number is higher (or lower, or the same) in an experiment as in another, or in each of its seeds than
    `bar`."""

    text: str
    name: str
    number: str = "exploitability"
    reference: str | None = None
    bar: float = 0.0
    lower: bool = False
    same: bool = False


WIDTH = 120
ALWAYS, SURE = 0.9, 0.95
"""What *always* is, and of how many intervals the truth is in."""
SAME = 1.25
"""How many times one number another's may be for both to count as the same."""
CLAIMS = (
    Claim("A ReLU output soon says 0 of every move (the author's settings)", "author-relu", "mute", bar=ALWAYS),
    Claim("… and so its best response always wants to fold", "author-relu", "wishes_fold", bar=ALWAYS),
    Claim("… and always folds to a bet", "author-relu", "folds", bar=ALWAYS),
    Claim("… and so does the average, every situation counting as one", "author-relu", "average_folds", bar=ALWAYS),
    Claim("A ReLU output soon says 0 of every move (the thesis's program)", "thesis-relu", "mute", bar=ALWAYS),
    Claim("… and so its best response always wants to fold", "thesis-relu", "wishes_fold", bar=ALWAYS),
    Claim("… and always folds to a bet", "thesis-relu", "folds", bar=ALWAYS),
    Claim(
        "With masks the average always folds, every situation counting as one (the paper's settings)",
        "relu",
        "average_folds",
        bar=ALWAYS,
    ),
    Claim("A linear output does better (the author's settings)", "author-relu", reference="author-linear"),
    Claim("A linear output does better (the thesis's program)", "thesis-relu", reference="thesis"),
    Claim("A linear output does better (the paper's settings, with masks)", "relu", reference="moves"),
    Claim("1 of k does better than a softmax of values (the paper's settings)", "softmax", reference="moves"),
    Claim("1 of k does better than shares of values (the paper's settings)", "shares", reference="moves"),
    Claim("1 of k of moves does better than of present values (the paper's settings)", "greedy", reference="moves"),
    Claim("1 of k does better than a softmax of values (the thesis's program)", "thesis-softmax", reference="thesis"),
    Claim("1 of k does better than shares of values (the thesis's program)", "thesis-shares", reference="thesis"),
    Claim(
        "1 of k of moves does better than of present values (the thesis's program)", "thesis-greedy", reference="thesis"
    ),
    Claim(
        "1 of k of present values does better than a softmax (the thesis's program)",
        "thesis-softmax",
        reference="thesis-greedy",
    ),
    Claim("Fitted Q iteration is better than a copy every 300", "fitted", reference="moves", lower=True),
    Claim("Clipping rewards does harm", "clipped", reference="moves"),
    Claim(
        "The thesis's program comes as far as the paper's settings here, by the paper's rules",
        "thesis-leduc",
        reference="moves",
        same=True,
    ),
)


class Ratio(NamedTuple):
    """How many times one experiment's number another's is, with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} times ({self.low:.2f} to {self.high:.2f})"


def ratio_of(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """Student's interval for the logarithms of two experiments' seeds, which are taken to scatter alike."""
    ones, others = np.log(ours), np.log(theirs)
    free = len(ones) + len(others) - 2
    variance = (((ones - ones.mean()) ** 2).sum() + ((others - others.mean()) ** 2).sum()) / free
    reach = t.ppf(0.5 + SURE / 2, free) * np.sqrt(variance * (1 / len(ones) + 1 / len(others)))
    apart = ones.mean() - others.mean()
    return Ratio(*(float(np.exp(value)) for value in (apart, apart - reach, apart + reach)))


def ratio_to(ours: Sequence[float], theirs: float) -> Ratio:
    """Student's interval for the mean of the logarithms of an experiment's seeds, over a number that is known."""
    apart = np.log(ours) - np.log(theirs)
    reach = t.ppf(0.5 + SURE / 2, len(apart) - 1) * apart.std(ddof=1) / np.sqrt(len(apart))
    return Ratio(*(float(np.exp(value)) for value in (apart.mean(), apart.mean() - reach, apart.mean() + reach)))


def preferred(ratio: Ratio) -> str:
    """Whether the one whose exploitability is over the other's here is better."""
    return "better" if ratio.high < 1 else "worse" if ratio.low > 1 else "not decided"


def verdict_on_sameness(ratio: Ratio) -> str:
    """Whether two numbers are the same, by how many times one is the other."""
    if ratio.low > 1 / SAME and ratio.high < SAME:
        return "holds"
    return "does not hold" if ratio.low > SAME or ratio.high < 1 / SAME else "not decided"


def seeds_at(record: Mapping[str, Any], number: str, step: int) -> list[float]:
    """Every seed's number after so many steps; between two evaluations, on a line over the logarithm of steps."""
    rows = record["rows"]
    places, values = np.log([row["step"] for row in rows]), np.array([row[number] for row in rows])
    return [float(np.interp(np.log(step), places, seed)) for seed in values.T]


def last_common(kept: Records, *names: str) -> int:
    """The step that all have come to."""
    return int(min(kept[name]["rows"][-1]["step"] for name in names))


def short(kept: Records, *names: str) -> bool:
    """Whether one of these was only looked at, so that it decides nothing."""
    return any(kept[name]["asked"] < KNOWN[name].steps for name in names)


def answered(kept: Records, claim: Claim) -> list[str]:
    """A claim, what was measured and the verdict."""
    names = [claim.name] if claim.reference is None else [claim.name, claim.reference]
    if any(name not in kept for name in names):
        return [claim.text, "", "not run"]
    step = last_common(kept, *names)
    ours = seeds_at(kept[claim.name], claim.number, step)
    if claim.reference is None:
        words = f"{claim.number.replace('_', ' ')} {said(ours, '.0%')}; asked for is over {claim.bar:.0%}"
        above, below = min(ours) > claim.bar, max(ours) < claim.bar
    else:
        theirs = seeds_at(kept[claim.reference], claim.number, step)
        ratio = ratio_of(ours, theirs)
        one, other = (KNOWN[name].label for name in names)
        words = f"{one} {said(ours)}; {other} {said(theirs)}; {ratio}"
        above, below = ratio.low > 1, ratio.high < 1
    holds, fails = (below, above) if claim.lower else (above, below)
    verdict = "holds" if holds else "does not hold" if fails else "not decided"
    if claim.same:
        verdict = verdict_on_sameness(ratio)
    return [
        claim.text,
        f"{words}; after {step:,} steps",
        "too short to decide" if short(kept, *names) else verdict,
    ]


def folding(kept: Records) -> str:
    """When the best responses of networks with a ReLU output fold."""
    told = []
    if "thesis-relu" in kept:
        first, *rows = kept["thesis-relu"]["rows"]
        later = [row for row in rows if row["folds"] != first["folds"]]
        told.append(
            f"The thesis's program with a ReLU output folds to {said(first['folds'], '.0%')} of bets at step "
            f"{first['step']:,}, before it learns anything"
        )
        if later:
            most = max(max(row["folds"]) for row in later)
            told[-1] += f", and to at most {most:.0%} at every evaluation from step {later[0]['step']:,} on"
    if "author-relu" in kept:
        rows = kept["author-relu"]["rows"]
        since = [_always_since(rows, seed) for seed in range(len(kept["author-relu"]["seeds"]))]
        steps = [f"{step:,}" for step in sorted(filter(None, since))]
        fold = "folds" if len(steps) == 1 else "fold"
        words = f"By the author's settings {len(steps)} of {len(since)} seeds {fold} to over {ALWAYS:.0%} at the end"
        told.append(words + (f" and from step {' and '.join(steps)} on" if steps else ""))
    return fill(" ".join(f"{words}." for words in told), WIDTH)


def _always_since(rows: Sequence[Mapping[str, Any]], seed: int) -> int | None:
    """The evaluation from which on a seed always folds."""
    seldom = [place for place, row in enumerate(rows) if row["folds"][seed] <= ALWAYS]
    since = seldom[-1] + 1 if seldom else 0
    return int(rows[since]["step"]) if since < len(rows) else None


def said(values: Sequence[float], form: str = ".3f") -> str:
    """Every seed's number."""
    *others, last = (format(value, form) for value in sorted(values))
    return f"{', '.join(others)} and {last}" if others else last
