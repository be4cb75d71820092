"""What a seat learns from: its transitions for the best response, its own choices for the average.

There are two ways to keep each. *Rows* remembers items one by one and learns from random minibatches, as the papers
do; it scales to any game. A *tally* counts instead: by perfect recall an information set has one parent move, so
a handful of counts for each says all that the items would, and every update sees the whole memory with no sampling
noise. (Counts are 64-bit: in 32 bits, adding 1 to 2²⁴ changes nothing, and long runs get there.) Both answer one
question, `lesson`: what should the network say where, and how much does it matter?
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.learners.memory import Memory, circular_slots, empty, insert, reservoir_slots, sample
from feint.tree.tree import Tree


@final
class Situations(eqx.Module):
    """One seat's information sets, numbered from 0 (`i`); a *choice* is one of them and a move, as i · a + move."""

    first: int = eqx.field(static=True)
    """The number of the seat's first information set in the tree."""
    features: Float[Array, "i f"]
    legal: Bool[Array, "i a"]
    parent: Int[Array, " i"]
    """The seat's own choice before each; −1 where there was none."""

    @property
    def shape(self) -> tuple[int, int]:
        return self.legal.shape[0], self.legal.shape[1]


class Transitions(NamedTuple):
    """A batch of moves and what came of them, for one seat."""

    offered: Bool[Array, " b"]
    """Which rows hold a transition."""
    choice: Int[Array, " b"]
    following: Int[Array, " b"]
    """The seat's next information set; −1 where the hand ended."""
    reward: Float[Array, " b"]


class Lesson(NamedTuple):
    """What a network should say at some information sets (all of them, in order, if None), and the weights."""

    infosets: Int[Array, " b"] | None
    targets: Float[Array, "b a"]
    weights: Float[Array, "b a"]
    """Non-negative; they sum to 1."""


Worth = Callable[[Int[Array, " b"]], Float[Array, " b"]]
"""What information sets are worth to the seat at present."""


class Replay(eqx.Module):
    """Keeps transitions."""

    @abstractmethod
    def empty(self, situations: Situations) -> Any: ...

    @abstractmethod
    def add(self, memory: Any, batch: Transitions, step: Float[Array, ""]) -> Any: ...

    @abstractmethod
    def lesson(self, memory: Any, situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson: ...

    @abstractmethod
    def size(self, memory: Any) -> Array:
        """How many transitions are kept, by weight."""


@final
class ReplayRows(Replay):
    """A circular buffer of transitions; learns from minibatches."""

    capacity: int = eqx.field(static=True)
    batch: int = eqx.field(static=True)

    def empty(self, situations: Situations) -> Memory[Any]:
        return empty((jnp.int32(0), jnp.int32(0), jnp.float32(0)), self.capacity)

    def add(self, memory: Memory[Any], batch: Transitions, step: Float[Array, ""]) -> Memory[Any]:
        slots = circular_slots(memory.seen, self.capacity, batch.offered)
        return insert(memory, tuple(batch[1:]), slots, batch.offered)

    def lesson(self, memory: Memory[Any], situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        choice, following, reward = sample(memory, key, self.batch)
        goes_on = following >= 0
        target = reward + jnp.where(goes_on, worth(jnp.where(goes_on, following, 0)), 0.0)
        taken = _taken(choice, situations)
        return Lesson(choice // situations.shape[1], target[:, None] * taken, taken / self.batch)

    def size(self, memory: Memory[Any]) -> Array:
        return memory.size


class ReplayCounts(NamedTuple):
    arrivals: Float[Array, " i"]
    """Transitions into each information set; its parent says from where."""
    ends: Float[Array, " c"]
    """Transitions from each choice to the end of the hand."""
    rewards: Float[Array, " c"]
    """Their summed rewards."""


@final
class ReplayTally(Replay):
    """Counts of transitions that fade: a window that is a fixed share of the time passed, so that noise falls."""

    share: float = eqx.field(static=True)
    """The window as a share of all iterations so far …"""
    least: float = eqx.field(static=True)
    """… and at least this many iterations."""
    flatten: float = eqx.field(static=True)
    """Weights are counts to this power: below 1, rare situations are learned sooner."""

    def empty(self, situations: Situations) -> ReplayCounts:
        infosets, moves = situations.shape
        choices = jnp.zeros(infosets * moves, jnp.float64)
        return ReplayCounts(jnp.zeros(infosets, jnp.float64), choices, choices)

    def add(self, memory: ReplayCounts, batch: Transitions, step: Float[Array, ""]) -> ReplayCounts:
        kept = 1.0 - 1.0 / (self.share * step + self.least)
        goes_on = (batch.offered & (batch.following >= 0)).astype(jnp.float64)
        ended = batch.offered.astype(jnp.float64) - goes_on
        return ReplayCounts(
            (memory.arrivals * kept).at[batch.following].add(goes_on, mode="drop"),
            (memory.ends * kept).at[batch.choice].add(ended, mode="drop"),
            (memory.rewards * kept).at[batch.choice].add(ended * batch.reward, mode="drop"),
        )

    def lesson(self, memory: ReplayCounts, situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        values = worth(jnp.arange(situations.shape[0]))
        parent = jnp.where(situations.parent < 0, situations.legal.size, situations.parent)
        visits = memory.ends.at[parent].add(memory.arrivals, mode="drop")
        total = memory.rewards.at[parent].add(memory.arrivals * values, mode="drop")
        weights = jnp.where(visits > _TRACE, jnp.maximum(visits, _TRACE) ** self.flatten, 0.0)
        return Lesson(
            None,
            (total / jnp.maximum(visits, _TRACE)).reshape(situations.shape).astype(jnp.float32),
            (weights / jnp.maximum(weights.sum(), _TRACE)).reshape(situations.shape).astype(jnp.float32),
        )

    def size(self, memory: ReplayCounts) -> Array:
        return memory.ends.sum() + memory.arrivals.sum()


class History(eqx.Module):
    """Keeps a seat's own best-response choices, for the average."""

    @abstractmethod
    def empty(self, situations: Situations) -> Any: ...

    @abstractmethod
    def add(
        self, memory: Any, offered: Bool[Array, " b"], choice: Int[Array, " b"], step: Array, key: PRNGKeyArray
    ) -> Any: ...

    @abstractmethod
    def lesson(self, memory: Any, situations: Situations, key: PRNGKeyArray) -> Lesson: ...

    @abstractmethod
    def size(self, memory: Any) -> Array:
        """How many choices are kept, by weight."""


@final
class HistoryRows(History):
    """A reservoir of choices (or a window of the latest); learns from minibatches."""

    capacity: int = eqx.field(static=True)
    batch: int = eqx.field(static=True)
    kind: Literal["reservoir", "window"] = eqx.field(static=True)
    least: float = eqx.field(static=True)
    """A reservoir's least probability of accepting; above 0, old choices fade exponentially."""

    def empty(self, situations: Situations) -> Memory[Any]:
        return empty(jnp.int32(0), self.capacity)

    def add(
        self, memory: Memory[Any], offered: Bool[Array, " b"], choice: Int[Array, " b"], step: Array, key: PRNGKeyArray
    ) -> Memory[Any]:
        if self.kind == "window":
            slots = circular_slots(memory.seen, self.capacity, offered)
        else:
            slots = reservoir_slots(memory.seen, self.capacity, offered, key, self.least)
        return insert(memory, choice, slots, offered)

    def lesson(self, memory: Memory[Any], situations: Situations, key: PRNGKeyArray) -> Lesson:
        choice = sample(memory, key, self.batch)
        taken = _taken(choice, situations)
        return Lesson(choice // situations.shape[1], taken, taken / self.batch)

    def size(self, memory: Memory[Any]) -> Array:
        return memory.size


@final
class HistoryTally(History):
    """Counts of choices: a reservoir that never fills. Iteration t counts t^growth times."""

    growth: float = eqx.field(static=True)
    flatten: float = eqx.field(static=True)
    """Information sets weigh their counts to this power: below 1, rare ones are learned sooner."""

    def empty(self, situations: Situations) -> Float[Array, " c"]:
        return jnp.zeros(situations.legal.size, jnp.float64)

    def add(
        self,
        memory: Float[Array, " c"],
        offered: Bool[Array, " b"],
        choice: Int[Array, " b"],
        step: Array,
        key: PRNGKeyArray,
    ) -> Float[Array, " c"]:
        # Weights t^growth, kept relative to the newest so that they never overflow.
        kept = jnp.maximum(1.0 - self.growth / jnp.maximum(step, 1.0), 0.0)
        return (memory * kept).at[choice].add(offered.astype(jnp.float64), mode="drop")

    def lesson(self, memory: Float[Array, " c"], situations: Situations, key: PRNGKeyArray) -> Lesson:
        counts = memory.reshape(situations.shape)
        shares = normalised(counts, situations.legal)
        total = counts.sum(1, keepdims=True)
        weights = shares * jnp.where(total > _TRACE, jnp.maximum(total, _TRACE) ** self.flatten, 0.0)
        weights = weights / jnp.maximum(weights.sum(), _TRACE)
        return Lesson(None, shares.astype(jnp.float32), weights.astype(jnp.float32))

    def size(self, memory: Float[Array, " c"]) -> Array:
        return memory.sum()


_TRACE = 1e-3
"""Counts below this have faded away."""


def normalised(counts: Float[Array, "i a"], legal: Bool[Array, "i a"]) -> Float[Array, "i a"]:
    """Counts as probabilities; uniform over legal moves where nothing was counted."""
    total = counts.sum(1, keepdims=True)
    uniform = legal / legal.sum(1, keepdims=True)
    return jnp.where(total > 0, counts / jnp.where(total > 0, total, 1.0), uniform).astype(counts.dtype)


def situations(tree: Tree, player: int, one_hot: bool = False) -> Situations:
    """A seat's information sets; `one_hot` replaces the rules' features by one indicator each."""
    mine = np.flatnonzero(tree.player == player)
    first = int(mine[0]) if len(mine) else 0
    parent = tree.parent_sequence[mine]
    features = np.eye(len(mine)) if one_hot else tree.features[mine]
    return Situations(
        first,
        jnp.asarray(features, jnp.float32),
        jnp.asarray(tree.legal[mine]),
        jnp.asarray(np.where(parent < 0, -1, parent - first * tree.legal.shape[1]), jnp.int32),
    )


def _taken(choice: Int[Array, " b"], situations: Situations) -> Float[Array, "b a"]:
    """One at the move that was made, 0 elsewhere."""
    moves = situations.shape[1]
    return (choice[:, None] % moves == jnp.arange(moves)).astype(jnp.float32)
