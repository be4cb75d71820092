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
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import InfoState, narrow
from feint.arena.situations import Listed, Situations
from feint.learners.memory import Memory, circular_slots, empty, insert, reservoir_slots, sample
from feint.learners.settings import SelfPlaySettings


class Transitions(NamedTuple):
    """A batch of moves and what came of them, for one seat."""

    offered: Bool[Array, " b"]
    """Which rows hold a transition."""
    responded: Bool[Array, " b"]
    """Whether it is a move of the seat's best response, to enter its average."""
    infostate: InfoState
    move: Int[Array, " b"]
    following: InfoState
    """What the seat saw at its next decision …"""
    ended: Bool[Array, " b"]
    """… unless the hand ended first."""
    reward: Float[Array, " b"]


class Pending(NamedTuple):
    """Each seat's last decision in this hand, of which it is not known yet what came."""

    made: Bool[Array, "t p"]
    infostate: InfoState
    """[t, p, …]"""
    move: Int[Array, "t p"]

    def noted(self, acts: Bool[Array, "t p"], infostate: InfoState, move: Int[Array, " t"]) -> Pending:
        """These, and the decisions that are made now."""

        def newest(new: Array, old: Array) -> Array:
            here = acts.reshape(acts.shape + (1,) * (old.ndim - 2))
            return jnp.where(here, new[:, None].astype(old.dtype), old)

        return Pending(self.made | acts, *jax.tree.map(newest, (infostate, move), (self.infostate, self.move)))


class Lesson(NamedTuple):
    """What a network should say in some situations (all that are listed, in order, if None), and the weights."""

    infostates: InfoState
    targets: Float[Array, "... a"]
    weights: Float[Array, "... a"]
    """Non-negative; they sum to 1."""
    made: Bool[Array, "b l"] | None = None
    """Lessons of whole hands: which places of a path are decisions."""

    def anchored(self, values: Float[Array, "... a"]) -> Lesson:
        """This, with moves that were not made held at values given."""
        taught = self.weights > 0
        weights = jnp.broadcast_to(self.weights.max(-1, keepdims=True), self.weights.shape)
        return self._replace(targets=jnp.where(taught, self.targets, values), weights=weights)


Worth = Callable[[InfoState, Bool[Array, "b l"] | None], Float[Array, "..."]]
"""What situations (or those on paths) are worth to the seat at present."""


class Experience(eqx.Module):
    """Keeps some of what happens to a seat, in a `memory` of its own kind, and makes lessons of it."""

    settings: SelfPlaySettings = eqx.field(static=True)

    @abstractmethod
    def empty(self, situations: Situations) -> Any: ...

    @abstractmethod
    def add(self, memory: Any, batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray) -> Any: ...

    @abstractmethod
    def lesson(self, memory: Any, situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson: ...

    def size(self, memory: Any) -> Array:
        """How much is kept, by weight."""
        return jnp.asarray(memory.size)


@final
class ReplayRows(Experience):
    """A circular buffer of transitions; learns from minibatches."""

    def empty(self, situations: Situations) -> Memory[Any]:
        blank, code = situations.blank(), jnp.zeros((), narrow(2 * situations.moves - 1))
        return empty((blank, code, blank, jnp.float32(0)), self.settings.replay.capacity)

    def add(self, memory: Memory[Any], batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray) -> Memory[Any]:
        slots = circular_slots(memory.seen, self.settings.replay.capacity, batch.offered)
        # The move and whether the hand ended are one number: every array less is time saved.
        items = batch.infostate, batch.move * 2 + batch.ended, batch.following, batch.reward
        return insert(memory, items, slots, batch.offered)

    def lesson(self, memory: Memory[Any], situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        infostate, code, following, reward = sample(memory, key, self.settings.batch)
        target = jnp.where(code % 2 == 1, reward, worth(following, None))
        taken = _taken(code // 2, situations)
        return Lesson(infostate, target[:, None] * taken, taken / self.settings.batch)


@final
class ReplayHands(Experience):
    """A circular buffer of whole hands: the seat's last decision tells them all, and only the end is rewarded."""

    def empty(self, situations: Situations) -> Memory[Any]:
        move = jnp.zeros((), narrow(situations.moves - 1))
        return empty((situations.blank(), move, jnp.float32(0)), self.settings.replay.capacity)

    def add(self, memory: Memory[Any], batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray) -> Memory[Any]:
        offered = batch.offered & batch.ended
        slots = circular_slots(memory.seen, self.settings.replay.capacity, offered)
        return insert(memory, (batch.infostate, batch.move, batch.reward), slots, offered)

    def lesson(self, memory: Memory[Any], situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        infostate, move, reward = sample(memory, key, self.settings.batch)
        moves = _moves_of_hands(infostate, move, situations)
        targets = jnp.concatenate([worth(moves.infostates, moves.made)[:, 1:], reward[:, None]], 1)
        return moves._replace(targets=targets[..., None] * moves.targets)


@final
class HistoryRows(Experience):
    """A reservoir of best-response choices (or a window of the latest); learns from minibatches.

    Where there is a recurrent layer, whole hands are kept, by the seat's last decision, and all their moves learned.
    """

    def empty(self, situations: Situations) -> Memory[Any]:
        return empty((situations.blank(), jnp.zeros((), narrow(situations.moves - 1))), self.settings.average.capacity)

    def add(self, memory: Memory[Any], batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray) -> Memory[Any]:
        kept, hands = self.settings.average, self.settings.network.recurrent
        offered = batch.offered & batch.responded & (batch.ended | (not hands))
        if kept.kind == "window":
            slots = circular_slots(memory.seen, kept.capacity, offered)
        else:
            slots = reservoir_slots(memory.seen, kept.capacity, offered, key, kept.least, kept.growth)
        return insert(memory, (batch.infostate, batch.move), slots, offered)

    def lesson(self, memory: Memory[Any], situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        infostate, move = sample(memory, key, self.settings.batch)
        if self.settings.network.recurrent:
            return _moves_of_hands(infostate, move, situations)
        taken = _taken(move, situations)
        return Lesson(infostate, taken, taken / self.settings.batch)


class ReplayCounts(NamedTuple):
    arrivals: Float[Array, " i"]
    """Transitions into each information set; its parent says from where."""
    ends: Float[Array, " c"]
    """Transitions from each choice to the end of the hand."""
    rewards: Float[Array, " c"]
    """Their summed rewards."""


@final
class ReplayTally(Experience):
    """Counts of transitions that fade: a window that is a fixed share of the time passed, so that noise falls."""

    def empty(self, situations: Situations) -> ReplayCounts:
        infosets, moves = _listing(situations).shape
        choices = jnp.zeros(infosets * moves, jnp.float64)
        return ReplayCounts(jnp.zeros(infosets, jnp.float64), choices, choices)

    def add(self, memory: ReplayCounts, batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray) -> ReplayCounts:
        kept = 1.0 - 1.0 / (self.settings.replay.share * step + self.settings.replay.least)
        goes_on = (batch.offered & ~batch.ended).astype(jnp.float64)
        ended = batch.offered.astype(jnp.float64) - goes_on
        choice = batch.infostate * (len(memory.ends) // len(memory.arrivals)) + batch.move
        return ReplayCounts(
            (memory.arrivals * kept).at[batch.following].add(goes_on, mode="drop"),
            (memory.ends * kept).at[choice].add(ended, mode="drop"),
            (memory.rewards * kept).at[choice].add(ended * batch.reward, mode="drop"),
        )

    def lesson(self, memory: ReplayCounts, situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        listed = _listing(situations)
        values = worth(None, None)
        parent = jnp.where(listed.parent < 0, listed.allowed.size, listed.parent)
        visits = memory.ends.at[parent].add(memory.arrivals, mode="drop")
        total = memory.rewards.at[parent].add(memory.arrivals * values, mode="drop")
        weights = jnp.where(visits > _TRACE, jnp.maximum(visits, _TRACE) ** self.settings.replay.flatten, 0.0)
        return Lesson(
            None,
            (total / jnp.maximum(visits, _TRACE)).reshape(listed.shape).astype(jnp.float32),
            (weights / jnp.maximum(weights.sum(), _TRACE)).reshape(listed.shape).astype(jnp.float32),
        )

    def size(self, memory: ReplayCounts) -> Array:
        return memory.ends.sum() + memory.arrivals.sum()


@final
class HistoryTally(Experience):
    """Counts of choices: a reservoir that never fills. Iteration t counts t^growth times."""

    def empty(self, situations: Situations) -> Float[Array, "i a"]:
        return jnp.zeros(_listing(situations).shape, jnp.float64)

    def add(
        self, memory: Float[Array, "i a"], batch: Transitions, step: Float[Array, ""], key: PRNGKeyArray
    ) -> Float[Array, "i a"]:
        # Weights t^growth, kept relative to the newest so that they never overflow.
        kept = jnp.maximum(1.0 - self.settings.average.growth / jnp.maximum(step, 1.0), 0.0)
        offered = (batch.offered & batch.responded).astype(jnp.float64)
        return (memory * kept).at[batch.infostate, batch.move].add(offered, mode="drop")

    def lesson(self, memory: Float[Array, "i a"], situations: Situations, worth: Worth, key: PRNGKeyArray) -> Lesson:
        shares = normalised(memory, _listing(situations).allowed)
        total = memory.sum(1, keepdims=True)
        weights = shares * jnp.where(total > _TRACE, jnp.maximum(total, _TRACE) ** self.settings.average.flatten, 0.0)
        weights = weights / jnp.maximum(weights.sum(), _TRACE)
        return Lesson(None, shares.astype(jnp.float32), weights.astype(jnp.float32))

    def size(self, memory: Float[Array, "i a"]) -> Array:
        return memory.sum()


_TRACE = 1e-3
"""Counts below this have faded away."""


def normalised(counts: Float[Array, "i a"], legal: Bool[Array, "i a"]) -> Float[Array, "i a"]:
    """Counts as probabilities; uniform over legal moves where nothing was counted."""
    total = counts.sum(1, keepdims=True)
    uniform = legal / legal.sum(1, keepdims=True)
    return jnp.where(total > 0, counts / jnp.where(total > 0, total, 1.0), uniform).astype(counts.dtype)


def _listing(situations: Situations) -> Listed:
    """Counting needs a list to count in."""
    assert situations.listing is not None
    return situations.listing


def _moves_of_hands(infostate: InfoState, move: Int[Array, " b"], situations: Situations) -> Lesson:
    """All moves of hands as lessons, every one with the same weight."""
    path = situations.path(infostate, move)
    taken = _taken(path.moves, situations)
    weights = taken * (path.made / path.made.sum())[..., None]
    return Lesson(path.infostates, taken, weights.astype(jnp.float32), path.made)


def _taken(move: Int[Array, "..."], situations: Situations) -> Float[Array, "... a"]:
    """One at the move that was made, 0 elsewhere."""
    return (move[..., None] == jnp.arange(situations.moves)).astype(jnp.float32)
