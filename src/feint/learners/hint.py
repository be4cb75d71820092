"""A word to whoever trains a learner on a game for which something else does better in the same time."""

from __future__ import annotations

from feint.forms.form import Form
from feint.learners.settings import SelfPlaySettings
from feint.solvers.algorithm import Config

MANY = 5_000
"""Information sets from which on a tally, which looks at all of them in every step, is slower than minibatches."""


def hint(config: Config, form: Form) -> str | None:
    """What would do better on an unrolled game of middle size, in a sentence; None where there is nothing to say."""
    if form.tree is None or not isinstance(config, SelfPlaySettings) or len(form.tree.player) < MANY:
        return None
    others = ["nfsp --preset medium, which learns from minibatches"] if config.counts else []
    if form.players == 2 and form.zero_sum:
        others.append("cfr+, which solves it")
    return f"{form.name} has {form.size}; sooner done with {' or '.join(others)}." if others else None
