"""What learners that play are told, in groups that all of them share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar, Literal, final

import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln
from jaxtyping import Array, Bool, Float

from feint.forms.form import Form
from feint.forms.strategy import Arrays, Strategy
from feint.learners.networks import Design, Training
from feint.solvers.algorithm import Config, require

if TYPE_CHECKING:
    from feint.learners.self_play import SelfPlay


MANY = 5_000
"""Information sets from which on a tally, which looks at all of them in every step, is slower than minibatches."""
FORBIDDEN = -1e9
"""The value of a move that is not legal."""
SLIGHT = 1e-6
"""Added to values above the least, so that equal ones have equal shares."""


def played_alike(form: Form, encoding: str) -> bool:
    """Whether networks that are told this play all boards alike that differ in the names of suits alone."""
    return form.has_public and form.situations(0, encoding).symmetric


@final
@dataclass(frozen=True)
class Exploration:
    """Random moves in a best response."""

    epsilon: float = 0.03
    """The share of random moves, at the start."""
    decay: float = 0.01
    """It falls as epsilon / (1 + decay · √step)."""
    fall: Literal["root", "factorial", "power"] = "root"
    """By that root, or as a thesis's `epsilon ** 1/t` is read: epsilon / t! by Python, epsilon^(1/t) by people."""
    slope: float = 0.0
    """It also falls by this in each step: with decay 0, in a straight line."""
    least: float = 0.0
    """It falls to no less than this."""
    remembered: bool = True
    """Whether they, and the moves of a hand after one, enter the average, as in the papers."""

    def __post_init__(self) -> None:
        require(
            self,
            epsilon=(0 <= self.epsilon <= 1, "from 0 to 1"),
            decay=(self.decay >= 0, "0 or more"),
            slope=(self.slope >= 0, "0 or more"),
            least=(0 <= self.least <= self.epsilon, "from 0 to epsilon"),
        )

    def share(self, step: Float[Array, ""]) -> Float[Array, ""]:
        if self.fall == "root":
            share = self.epsilon / (1.0 + self.decay * jnp.sqrt(step))
        elif self.fall == "factorial":
            share = self.epsilon * jnp.exp(-gammaln(step + 1.0))
        else:
            share = self.epsilon ** (1.0 / jnp.maximum(step, 1.0))
        return jnp.maximum(share - self.slope * step, self.least).astype(jnp.float32)


@final
@dataclass(frozen=True)
class ValueTraining(Training):
    """How the network of move values is trained, by Q-learning."""

    target_every: int = 1
    """Updates between copies into the target network; 1 means there is none."""
    by_target: bool = False
    """Whether best responses are played by the target network, as one paper's pseudo-code has it."""
    double: bool = False
    """Double Q-learning: the network chooses the next move, the target network values it."""
    discount: float = 1.0
    """What a next decision's worth counts."""
    reward_scale: float | None = None
    """Rewards are multiplied by this; none for 1 / the largest payoff."""
    error_clip: float = inf
    """Errors, in scaled rewards, pull no harder beyond this; inf for squared errors."""
    reward_clip: float = inf
    """Scaled rewards are cut off at this, as in the DQN of 2015; inf for none."""
    anchored: bool = False
    """Rows: whether moves not made are held at what the target network says of them, as in a thesis."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self,
            target_every=(self.target_every >= 1, "at least 1"),
            discount=(0 < self.discount <= 1, "above 0 and at most 1"),
            reward_scale=(self.reward_scale is None or self.reward_scale > 0, "none or above 0"),
            error_clip=(self.error_clip > 0, "above 0"),
            reward_clip=(self.reward_clip > 0, "above 0"),
        )


@final
@dataclass(frozen=True)
class PolicyTraining(Training):
    """How the network of move probabilities, the average, is trained, by imitation."""

    smoothing: float = 0.0
    """The moving average of its weights that is judged and played; 0 for the network itself."""
    imitate: Literal["moves", "values", "shares", "greedy"] = "moves"
    """It learns moves that were made, or (a thesis's experiments) present values: softmax, above the least, 1 of k."""
    temperature: float = 1.0
    """Values are divided by this before their softmax is imitated."""
    hidden: tuple[int, ...] | None = None
    """Units in each hidden layer of its network; none for as many as the value network has."""
    flat: bool = True
    """Whether its network starts from equal probabilities; otherwise from whatever random weights say."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self,
            smoothing=(0 <= self.smoothing < 1, "at least 0 and below 1"),
            temperature=(self.temperature > 0, "above 0"),
            hidden=(all(units >= 1 for units in self.hidden or ()), "at least 1 in each layer"),
        )

    def wished(self, values: Float[Array, "... a"], allowed: Bool[Array, "... a"]) -> Float[Array, "... a"]:
        """The values of the moves that are considered, as the distribution that is imitated."""
        if self.imitate == "shares":
            least = jnp.where(allowed, values, jnp.inf).min(-1, keepdims=True)
            above = jnp.where(allowed, values - least + SLIGHT, 0.0)
            return above / above.sum(-1, keepdims=True)
        known = jnp.where(allowed, values, FORBIDDEN)
        if self.imitate == "greedy":
            return jax.nn.one_hot(known.argmax(-1), values.shape[-1], dtype=values.dtype)
        return jax.nn.softmax(known / self.temperature)


@final
@dataclass(frozen=True)
class Replay:
    """The transitions that values are learned from."""

    kind: Literal["tally", "rows"] = "tally"
    """Counts of all that fade with time, or rows of which minibatches are drawn, as in the papers."""
    capacity: int = 200_000
    """Rows: transitions remembered for each seat; whole hands where there is a recurrent layer."""
    share: float = 0.02
    """Tally: the window of transitions, as a share of all steps so far."""
    least: float = 100.0
    """Tally: the window is at least this many steps."""
    flatten: float = 0.5
    """Tally: situations weigh their counts to this power: below 1, rare ones are learned sooner."""

    def __post_init__(self) -> None:
        require(
            self,
            share=(self.share >= 0, "0 or more"),
            least=(self.least >= 1, "at least 1"),
            flatten=(0 <= self.flatten <= 1, "from 0 to 1"),
        )


@final
@dataclass(frozen=True)
class Average:
    """The moves of best responses that the average is made of."""

    kind: Literal["tally", "reservoir", "window"] = "tally"
    """Counts of all, or rows of which minibatches are drawn: a fair sample (reservoir) or the latest (window)."""
    capacity: int = 2_000_000
    """Rows: moves remembered for each seat."""
    growth: float = 0.0
    """What comes at t counts t^growth times: steps of a tally, moves of a reservoir long full."""
    since: int = 0
    """The first step whose moves enter."""
    least: float = 0.0
    """Reservoir: the least probability of accepting; above 0, old moves fade exponentially."""
    flatten: float = 0.5
    """Tally: situations weigh their counts to this power: below 1, rare ones are learned sooner."""

    def __post_init__(self) -> None:
        require(
            self,
            growth=(self.growth >= 0, "0 or more"),
            least=(0 <= self.least <= 1, "from 0 to 1"),
            flatten=(0 <= self.flatten <= 1, "from 0 to 1"),
        )


@dataclass(frozen=True)
class SelfPlaySettings(Config):
    """What every learner that plays is told. What is no field here a learner may make one, or settle for itself."""

    tables: int = 1024
    """Hands played at once; one step is one move at each."""
    exploration: Exploration = Exploration()
    """How best responses explore."""
    values: ValueTraining = ValueTraining(decay=20_000.0, updates=2)
    """How they are learned …"""
    replay: Replay = Replay()
    """… and from what."""
    batch: int = 128
    """Rows: the size of a minibatch."""
    warmup: int = 1
    """Learning from a memory starts when it holds this many; a replay for a recurrent layer holds whole hands."""
    noise: float = 0.0
    """The share of hands in which a seat moves at random, so that memories hold more than what learners do."""

    needs_tree: ClassVar[bool] = False
    greedy: ClassVar[bool] = False
    """The strategy to be judged is the greedy best response; otherwise the average."""

    @property
    @abstractmethod
    def network(self) -> Design:
        """The shape of all networks."""

    @property
    @abstractmethod
    def encoding(self) -> str:
        """What they are told of information states, where a form has several ways."""

    @property
    def anticipation(self) -> float:
        """The share of hands in which a seat plays its best response."""
        return 1.0

    @property
    def average(self) -> Average:
        """What the average is made of."""
        return Average()

    @property
    def policy(self) -> PolicyTraining | None:
        """How a network learns it; none where it is the counts themselves."""
        return None

    @property
    def masked(self) -> bool:
        """Whether illegal moves are never considered; otherwise they are tried, and played as a call."""
        return True

    @property
    def counts(self) -> bool:
        """Whether it learns from tallies, for which all situations have to be listed."""
        return self.replay.kind == "tally" or (self.policy is not None and self.average.kind == "tally")

    @abstractmethod
    def on(self, form: Form) -> SelfPlay: ...

    def hint(self, form: Form) -> str | None:
        if form.tree is None or len(form.tree.player) < MANY:
            return None
        others = ["nfsp --preset medium, which learns from minibatches"] if self.counts else []
        if form.players == 2 and form.zero_sum:
            others.append("cfr+, which solves it")
        return f"{form.name} has {form.size}; sooner done with {' or '.join(others)}." if others else None

    def alike(self, form: Form) -> bool:
        return played_alike(form, self.encoding)

    def check(self, form: Form) -> None:
        for player in range(form.players if form.tree else 0):
            form.situations(player, self.encoding)  # which refuses players who never decide

    def read(self, arrays: Arrays, fingerprint: str, form: Callable[[], Form]) -> Strategy:
        """A table, or networks where the game is too large for one."""
        listed = "probabilities" in arrays
        return super().read(arrays, fingerprint, form) if listed else self.on(form()).read(arrays)

    def __post_init__(self) -> None:
        recurrent, counted = self.network.recurrent, self.average.kind == "tally"
        enough = f"at least as many as tables, {self.tables}"
        rows, tally = "reservoir or window where there is a recurrent layer", "tally where no network learns it"
        checks = {
            "tables": (self.tables >= 1, "at least 1"),
            "batch": (self.batch >= 1, "at least 1"),
            "noise": (0 <= self.noise < 1, "at least 0 and below 1"),
            "anticipation": (0 < self.anticipation <= 1, "above 0 and at most 1"),
            "replay.kind": (self.replay.kind == "rows" or not recurrent, "rows where there is a recurrent layer"),
            "replay.capacity": (self.replay.capacity >= self.tables, enough),
            "average.kind": (not (counted and recurrent), rows) if self.policy else (counted, tally),
            "average.capacity": (self.average.capacity >= self.tables, enough),
        }
        require(self, **checks)
