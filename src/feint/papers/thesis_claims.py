"""What Joos's thesis (2018) claims of neural fictitious self-play in Leduc, and answers from records of experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from feint.papers.thesis_trials import KNOWN

Records = Mapping[str, Mapping[str, Any]]
"""What `thesis_trials.run` gives, by the experiment's name."""


class Claim(NamedTuple):
    """That a number is higher (or lower) in every seed of an experiment than in any of another, or than `bar`."""

    text: str
    name: str
    number: str = "exploitability"
    reference: str | None = None
    bar: float = 0.0
    lower: bool = False


ALWAYS = 0.9
CLAIMS = (
    Claim("A ReLU output soon says 0 of every move (the author's settings)", "author-relu", "mute", bar=ALWAYS),
    Claim("… and so its best response always wants to fold", "author-relu", "wishes_fold", bar=ALWAYS),
    Claim("… and always folds to a bet", "author-relu", "folds", bar=ALWAYS),
    Claim("… and so does the average, every situation counting as one", "author-relu", "average_folds", bar=ALWAYS),
    Claim("A ReLU output soon says 0 of every move (the thesis's program)", "thesis-relu", "mute", bar=ALWAYS),
    Claim("… and so its best response always wants to fold", "thesis-relu", "wishes_fold", bar=ALWAYS),
    Claim("… and always folds to a bet", "thesis-relu", "folds", bar=ALWAYS),
    Claim("A linear output does better (the author's settings)", "author-relu", reference="author-linear"),
    Claim("A linear output does better (the thesis's program)", "thesis-relu", reference="thesis"),
    Claim("1 of k does better than a softmax of values", "softmax", reference="moves"),
    Claim("1 of k does better than shares of values", "shares", reference="moves"),
    Claim("1 of k of moves does better than of present values", "greedy", reference="moves"),
    Claim("Fitted Q iteration is better than a copy every 300", "fitted", reference="moves", lower=True),
    Claim("Clipping rewards does harm", "clipped", reference="moves"),
)
CAUSES = (
    ("16-tanh", "dead units"),
    ("16-quick", "too low a rate"),
    ("16-slow", "too high a rate"),
    ("16-keras", "the initial weights"),
    ("16-unmasked", "masks, which the author's program has not"),
    ("16-direct", "the target network, which it has not"),
    ("16-values-64", "too few units for the values"),
    ("16-policy-64", "too few units for the average"),
)


def last_common(kept: Records, *names: str) -> list[Mapping[str, Any]]:
    """Of each, its last evaluation up to the step that all have come to."""
    end = min(kept[name]["rows"][-1]["step"] for name in names)
    return [next(row for row in reversed(kept[name]["rows"]) if row["step"] <= end) for name in names]


def answered(kept: Records, claim: Claim) -> list[str]:
    """A claim, what was measured and the verdict: it holds where all seeds say so."""
    names = [claim.name] if claim.reference is None else [claim.name, claim.reference]
    if any(name not in kept for name in names):
        return [claim.text, "", "not run"]
    rows = last_common(kept, *names)
    ours, theirs = rows[0][claim.number], [claim.bar] if claim.reference is None else rows[1][claim.number]
    above, below = min(ours) > max(theirs), max(ours) < min(theirs)
    holds, fails = (below, above) if claim.lower else (above, below)
    bar = f"asked for is over {claim.bar:.0%}" if claim.reference is None else f"{KNOWN[names[1]].label} {said(theirs)}"
    words = f"{claim.number.replace('_', ' ')} {said(ours)}; {bar}; after {rows[0]['step']:,} steps"
    verdict = "holds" if holds else "does not hold" if fails else "not decided"
    short = any(kept[name]["asked"] < KNOWN[name].steps for name in names)
    return [claim.text, words, "too short to decide" if short else verdict]


def caused(kept: Records, name: str, cause: str) -> list[str]:
    """Whether a change lets 16 units do better."""
    return answered(kept, Claim(cause, name, reference="16-units", lower=True))


def said(values: Sequence[float], form: str = ".3f") -> str:
    """Every seed's number."""
    return " and ".join(format(value, form) for value in sorted(values))
