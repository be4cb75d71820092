"""Counterfactual regret minimisation: CFR, CFR+, linear, discounted and predictive, as one update.

Every information set keeps a sum of regrets for its moves and plays in proportion to the positive ones; the
average of the plans played converges to equilibrium (two players, zero-sum). How the past is weighted makes the family
(regrets.py). Games are swept as their form has them: unrolled, or as public trees (public_cfr.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from feint.forms.form import Form
from feint.forms.public_strategy import public_strategy
from feint.forms.strategy import Arrays, Strategy, TabularStrategy
from feint.solvers.algorithm import Algorithm, Config, Entry, Metrics
from feint.solvers.public_cfr import PublicRegretMinimiser
from feint.solvers.regrets import Rule
from feint.tree.sequence_form import Plan, SequenceForm, Vector, without


@final
@dataclass(frozen=True)
class CFR(Config):
    """Counterfactual regret minimisation."""

    public: ClassVar[bool] = True

    alpha: float = inf
    """Positive regret sums shrink by t^alpha / (t^alpha + 1); inf keeps them whole."""
    beta: float = inf
    """Negative regret sums shrink by t^beta / (t^beta + 1); inf keeps them whole, -inf forgets them."""
    gamma: float = 0.0
    """Iteration t weighs t^gamma in the average strategy."""
    predictive: bool = False
    """Play as if the last regret came once more."""
    alternating: bool = True
    """Update the players in turn, each against the others' newest strategies; otherwise all at once."""

    def on(self, form: Form) -> Algorithm[Any]:
        rule = Rule(self.alpha, self.beta, self.gamma, self.predictive)
        if form.has_public:
            return PublicRegretMinimiser(form.public(), rule, self.alternating, form.fingerprint)
        tree = form.whole("cfr")
        return RegretMinimiser(tree.form, rule, self.alternating, tree.fingerprint)

    def read(self, arrays: Arrays, fingerprint: str, form: Callable[[], Form]) -> Strategy:
        if "probabilities" in arrays:
            return super().read(arrays, fingerprint, form)
        return public_strategy(form().public(), arrays, fingerprint)


ALGORITHMS = {
    "cfr": Entry("Play in proportion to regret; the average converges (Zinkevich et al. 2007).", CFR()),
    "cfr+": Entry("CFR that forgets negative regret and averages linearly (Tammelin 2014).", CFR(beta=-inf, gamma=1.0)),
    "linear-cfr": Entry(
        "CFR in which iteration t counts t times (Brown & Sandholm 2019).", CFR(alpha=1.0, beta=1.0, gamma=1.0)
    ),
    "dcfr": Entry(
        "CFR that discounts early iterations; a good default for poker (Brown & Sandholm 2019).",
        CFR(alpha=1.5, beta=0.0, gamma=2.0),
    ),
    "pcfr+": Entry(
        "CFR+ that expects the last regret again; fastest on small games (Farina et al. 2021).",
        CFR(beta=-inf, gamma=2.0, predictive=True),
    ),
}


class CFRState(NamedTuple):
    """One entry for each player."""

    iteration: Float[Array, ""]
    regrets: tuple[Vector, ...]
    plan_sum: tuple[Plan, ...]
    """The weighted plans of all iterations: the average strategy, up to scale."""
    strategies: tuple[Vector, ...]
    plans: tuple[Plan, ...]


@final
class RegretMinimiser(Algorithm[CFRState]):
    """The CFR family on one game."""

    form: SequenceForm
    rule: Rule = eqx.field(static=True)
    alternating: bool = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> CFRState:
        zeros = tuple(jnp.zeros(side.cells.shape) for side in self.form.sides)
        uniform = tuple(side.normalise(zero) for side, zero in zip(self.form.sides, zeros, strict=True))
        plans = self.form.plans(uniform)
        return CFRState(jnp.zeros(()), zeros, tuple(jnp.zeros_like(plan) for plan in plans), uniform, plans)

    def step(self, state: CFRState) -> tuple[CFRState, Metrics]:
        time = state.iteration + 1.0
        weight = self.rule.weight(time)
        regrets, sums = list(state.regrets), list(state.plan_sum)
        strategies, plans = list(state.strategies), list(state.plans)
        for player, side in enumerate(self.form.sides):
            opposing = plans if self.alternating else state.plans
            regret = side.backup(without(player, opposing), strategies[player]).advantage
            sums[player] = sums[player] + weight * plans[player]
            regrets[player] = self.rule.added(regrets[player], regret, time)
            strategies[player] = side.normalise(self.rule.hoped(regrets[player], regret))
            plans[player] = side.plan(strategies[player])
        return CFRState(time, tuple(regrets), tuple(sums), tuple(strategies), tuple(plans)), {}

    def strategy(self, state: CFRState) -> TabularStrategy:
        averages = [
            side.normalise(plan_sum[:-1]) for side, plan_sum in zip(self.form.sides, state.plan_sum, strict=True)
        ]
        return TabularStrategy(self.fingerprint, self.form.table(averages))

    def latest(self, state: CFRState) -> TabularStrategy:
        return TabularStrategy(self.fingerprint, self.form.table(state.strategies))
