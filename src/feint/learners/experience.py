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
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import Sight, narrow
from feint.learners.memory import Memory, circular_slots, empty, insert, reservoir_slots, sample
from feint.learners.situations import Listed, Situations


class Transitions(NamedTuple):
    """A batch of moves and what came of them, for one seat."""

    offered: Bool[Array, " b"]
    """Which rows hold a transition."""
    responded: Bool[Array, " b"]
    """Whether the seat played its best response in that hand."""
    sight: Sight
    move: Int[Array, " b"]
    following: Sight
    """What the seat saw at its next decision …"""
    ended: Bool[Array, " b"]
    """… unless the hand ended first."""
    reward: Float[Array, " b"]


class Lesson(NamedTuple):
    """What a network should say in some situations (all that are listed, in order, if None), and the weights."""

    sights: Sight
    targets: Float[Array, "... a"]
    weights: Float[Array, "... a"]
    """Non-negative; they sum to 1."""
    made: Bool[Array, "b l"] | None = None
    """Lessons of whole hands: which places of a path are decisions."""


Worth = Callable[[Sight, Bool[Array, "b l"] | None], Float[Array, "..."]]
"""What situations (or those on paths) are worth to the seat at present."""


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
    discount: float = eqx.field(static=True, default=1.0)

    def empty(self, situations: Situations) -> Memory[Any]:
        blank, code = situations.blank(), jnp.zeros((), narrow(2 * situations.moves - 1))
        return empty((blank, code, blank, jnp.float32(0)), self.capacity)

    def add(self, memory: Memory[Any], batch: Transitions, step: Float[Array, ""]) -> Memory[Any]:
        slots = circular_slots(memory.seen, self.capacity, batch.offered)
        return insert(memory, (batch.sight, self._coded(batch), batch.following, batch.reward), slots, batch.offered)

    def _coded(self, batch: Transitions) -> Int[Array, " b"]:
        """The move and whether the hand ended, in one number: every array less is time saved."""
        return batch.move * 2 + batch.ended

    def lesson(self, memory: Memory[Any], situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        sight, code, following, reward = sample(memory, key, self.batch)
        target = jnp.where(code % 2 == 1, reward, self.discount * worth(following, None))
        taken = _taken(code // 2, situations)
        return Lesson(sight, target[:, None] * taken, taken / self.batch)

    def size(self, memory: Memory[Any]) -> Array:
        return memory.size


@final
class ReplayHands(Replay):
    """A circular buffer of whole hands: the seat's last decision tells them all, and only the end is rewarded."""

    capacity: int = eqx.field(static=True)
    batch: int = eqx.field(static=True)
    discount: float = eqx.field(static=True, default=1.0)

    def empty(self, situations: Situations) -> Memory[Any]:
        move = jnp.zeros((), narrow(situations.moves - 1))
        return empty((situations.blank(), move, jnp.float32(0)), self.capacity)

    def add(self, memory: Memory[Any], batch: Transitions, step: Float[Array, ""]) -> Memory[Any]:
        offered = batch.offered & batch.ended
        slots = circular_slots(memory.seen, self.capacity, offered)
        return insert(memory, (batch.sight, batch.move, batch.reward), slots, offered)

    def lesson(self, memory: Memory[Any], situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        sight, move, reward = sample(memory, key, self.batch)
        path = situations.path(sight, move)
        later = self.discount * worth(path.sights, path.made)[:, 1:]
        targets = jnp.concatenate([later, reward[:, None]], 1)
        taken = _taken(path.moves, situations)
        weights = taken * (path.made / path.made.sum())[..., None]
        return Lesson(path.sights, targets[..., None] * taken, weights.astype(jnp.float32), path.made)

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
        infosets, moves = _listed(situations).shape
        choices = jnp.zeros(infosets * moves, jnp.float64)
        return ReplayCounts(jnp.zeros(infosets, jnp.float64), choices, choices)

    def add(self, memory: ReplayCounts, batch: Transitions, step: Float[Array, ""]) -> ReplayCounts:
        kept = 1.0 - 1.0 / (self.share * step + self.least)
        goes_on = (batch.offered & ~batch.ended).astype(jnp.float64)
        ended = batch.offered.astype(jnp.float64) - goes_on
        choice = batch.sight * (len(memory.ends) // len(memory.arrivals)) + batch.move
        return ReplayCounts(
            (memory.arrivals * kept).at[batch.following].add(goes_on, mode="drop"),
            (memory.ends * kept).at[choice].add(ended, mode="drop"),
            (memory.rewards * kept).at[choice].add(ended * batch.reward, mode="drop"),
        )

    def lesson(self, memory: ReplayCounts, situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        listed = _listed(situations)
        values = worth(None, None)
        parent = jnp.where(listed.parent < 0, listed.allowed.size, listed.parent)
        visits = memory.ends.at[parent].add(memory.arrivals, mode="drop")
        total = memory.rewards.at[parent].add(memory.arrivals * values, mode="drop")
        weights = jnp.where(visits > _TRACE, jnp.maximum(visits, _TRACE) ** self.flatten, 0.0)
        return Lesson(
            None,
            (total / jnp.maximum(visits, _TRACE)).reshape(listed.shape).astype(jnp.float32),
            (weights / jnp.maximum(weights.sum(), _TRACE)).reshape(listed.shape).astype(jnp.float32),
        )

    def size(self, memory: ReplayCounts) -> Array:
        return memory.ends.sum() + memory.arrivals.sum()


class History(eqx.Module):
    """Keeps a seat's own best-response choices, for the average."""

    @abstractmethod
    def empty(self, situations: Situations) -> Any: ...

    @abstractmethod
    def add(self, memory: Any, batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray) -> Any: ...

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
    growth: float = eqx.field(static=True, default=0.0)
    """A reservoir long full holds choice k with a probability in proportion to k^growth."""
    hands: bool = eqx.field(static=True, default=False)
    """Keep whole hands, by the seat's last decision in each, and learn all their moves."""

    def empty(self, situations: Situations) -> Memory[Any]:
        return empty((situations.blank(), jnp.zeros((), narrow(situations.moves - 1))), self.capacity)

    def add(self, memory: Memory[Any], batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray) -> Memory[Any]:
        offered = batch.offered & batch.responded & (batch.ended | (not self.hands))
        if self.kind == "window":
            slots = circular_slots(memory.seen, self.capacity, offered)
        else:
            slots = reservoir_slots(memory.seen, self.capacity, offered, key, self.least, self.growth)
        return insert(memory, (batch.sight, batch.move), slots, offered)

    def lesson(self, memory: Memory[Any], situations: Situations, key: PRNGKeyArray) -> Lesson:
        sight, move = sample(memory, key, self.batch)
        if not self.hands:
            taken = _taken(move, situations)
            return Lesson(sight, taken, taken / self.batch)
        path = situations.path(sight, move)
        taken = _taken(path.moves, situations)
        weights = taken * (path.made / path.made.sum())[..., None]
        return Lesson(path.sights, taken, weights.astype(jnp.float32), path.made)

    def size(self, memory: Memory[Any]) -> Array:
        return memory.size


@final
class HistoryTally(History):
    """Counts of choices: a reservoir that never fills. Iteration t counts t^growth times."""

    growth: float = eqx.field(static=True)
    flatten: float = eqx.field(static=True)
    """Information sets weigh their counts to this power: below 1, rare ones are learned sooner."""

    def empty(self, situations: Situations) -> Float[Array, "i a"]:
        return jnp.zeros(_listed(situations).shape, jnp.float64)

    def add(
        self, memory: Float[Array, "i a"], batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray
    ) -> Float[Array, "i a"]:
        # Weights t^growth, kept relative to the newest so that they never overflow.
        kept = jnp.maximum(1.0 - self.growth / jnp.maximum(step, 1.0), 0.0)
        offered = (batch.offered & batch.responded).astype(jnp.float64)
        return (memory * kept).at[batch.sight, batch.move].add(offered, mode="drop")

    def lesson(self, memory: Float[Array, "i a"], situations: Situations, key: PRNGKeyArray) -> Lesson:
        shares = normalised(memory, _listed(situations).allowed)
        total = memory.sum(1, keepdims=True)
        weights = shares * jnp.where(total > _TRACE, jnp.maximum(total, _TRACE) ** self.flatten, 0.0)
        weights = weights / jnp.maximum(weights.sum(), _TRACE)
        return Lesson(None, shares.astype(jnp.float32), weights.astype(jnp.float32))

    def size(self, memory: Float[Array, "i a"]) -> Array:
        return memory.sum()


@final
class HistoryNone(History):
    """Keeps nothing, for those who do not average."""

    def empty(self, situations: Situations) -> None:
        return None

    def add(self, memory: None, batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray) -> None:
        return None

    def lesson(self, memory: None, situations: Situations, key: PRNGKeyArray) -> Lesson:
        raise AssertionError("there is nothing to learn from")

    def size(self, memory: None) -> Array:
        return jnp.zeros(())


_TRACE = 1e-3
"""Counts below this have faded away."""


def normalised(counts: Float[Array, "i a"], legal: Bool[Array, "i a"]) -> Float[Array, "i a"]:
    """Counts as probabilities; uniform over legal moves where nothing was counted."""
    total = counts.sum(1, keepdims=True)
    uniform = legal / legal.sum(1, keepdims=True)
    return jnp.where(total > 0, counts / jnp.where(total > 0, total, 1.0), uniform).astype(counts.dtype)


def _listed(situations: Situations) -> Listed:
    """Counting needs a list to count in."""
    assert isinstance(situations, Listed)
    return situations


def _taken(move: Int[Array, "..."], situations: Situations) -> Float[Array, "... a"]:
    """One at the move that was made, 0 elsewhere."""
    return (move[..., None] == jnp.arange(situations.moves)).astype(jnp.float32)
