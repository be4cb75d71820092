"""One seat: its best response, its average, what they learn from and how."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, ClassVar, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import InfoState
from feint.arena.policy import Policy
from feint.arena.situations import Situations
from feint.forms.leaves import leaves_of
from feint.forms.strategy import Arrays, Strategy
from feint.learners.experience import (
    Experience,
    HistoryRows,
    HistoryTally,
    ReplayHands,
    ReplayRows,
    ReplayTally,
    Transitions,
    normalised,
)
from feint.learners.networks import Network, Recalled, Trained, select
from feint.learners.settings import FORBIDDEN, PolicyTraining, SelfPlaySettings


class SeatState(NamedTuple):
    """All that one seat has learned and remembers."""

    values: Trained
    target: Network
    policy: Trained | None
    smooth: Network | None
    """The moving average of the policy's weights."""
    replay: Any
    history: Any
    losses: Float[Array, "2"]
    """The last losses of values and policy."""


@final
class SeatLearner(eqx.Module):
    """How one seat plays and learns; what it has learned is its `SeatState`."""

    here: Situations
    settings: SelfPlaySettings = eqx.field(static=True)

    @property
    def replay(self) -> Experience:
        """How transitions are kept."""
        rows = ReplayHands if self.settings.network.recurrent else ReplayRows
        return (ReplayTally if self.settings.replay.kind == "tally" else rows)(self.settings)

    @property
    def history(self) -> Experience | None:
        """How the choices of best responses are kept; not at all where they could only be counted, but not listed."""
        if self.settings.average.kind != "tally":
            return HistoryRows(self.settings)
        return None if self.here.listing is None else HistoryTally(self.settings)

    def new(self, key: PRNGKeyArray) -> SeatState:
        """A seat that knows nothing yet."""
        settings, history = self.settings, self.history
        keys = jax.random.split(key)
        values = settings.network(self.here.inputs, self.here.outputs, keys[0], settings.network.output)
        imitating = settings.policy or PolicyTraining()
        design = settings.network if imitating.hidden is None else replace(settings.network, hidden=imitating.hidden)
        policy = design(self.here.inputs, self.here.outputs, keys[1], flat=imitating.flat)
        return SeatState(
            values=settings.values.start(values),
            target=values,
            policy=settings.policy.start(policy) if settings.policy else None,
            smooth=policy if settings.policy and settings.policy.smoothing else None,
            replay=self.replay.empty(self.here),
            history=history.empty(self.here) if history else None,
            losses=jnp.zeros(2, jnp.float32),
        )

    def learn(self, seat: SeatState, happened: Transitions, key: PRNGKeyArray, step: Float[Array, ""]) -> SeatState:
        """Remember what happened, then update both networks."""
        settings, kept = self.settings, self.history
        updates, since = settings.values.updates, settings.average.since
        adding, *keys = jax.random.split(key, 1 + updates + (settings.policy.updates if settings.policy else 1))
        replay = self.replay.add(seat.replay, happened, step + 1.0, adding)
        enters = happened._replace(offered=happened.offered & (step >= since))
        history = kept.add(seat.history, enters, step + 1.0 - since, adding) if kept else None
        seat = seat._replace(replay=replay, history=history)
        for update in keys[:updates]:
            seat = self._learn_values(seat, update)
        for update in keys[updates:]:
            seat = self.learn_policy(seat, update)
        return seat

    def _learn_values(self, seat: SeatState, key: PRNGKeyArray) -> SeatState:
        """One update of the value network towards reward plus what the next situation is worth."""
        settings = self.settings.values
        lesson = self.replay.lesson(seat.replay, self.here, partial(self._worth, seat), key)
        rows = self.here.features(lesson.infostates)
        if settings.anchored:
            lesson = lesson.anchored(self.here.by_move(seat.target(rows, lesson.made), lesson.infostates))

        def loss(network: Network) -> Float[Array, ""]:
            told = self.here.by_move(network(rows, lesson.made), lesson.infostates)
            return (lesson.weights * self._penalty(told - lesson.targets)).sum()

        ready = self.replay.size(seat.replay) >= self.settings.warmup
        values, value = settings.update(seat.values, loss, ready)
        due = values.updates % settings.target_every == 0
        target = select(due, values.network, seat.target)
        return seat._replace(values=values, target=target, losses=seat.losses.at[0].set(value))

    def _worth(self, seat: SeatState, infostates: InfoState, made: Bool[Array, "b l"] | None) -> Float[Array, "..."]:
        """What situations (or those on paths) that come next are worth to the seat at present."""
        rows, settings = self.here.features(infostates), self.settings.values
        values = self._masked(seat.target(rows, made), infostates)
        if not settings.double:
            return settings.discount * values.max(-1)
        preferred = self._masked(seat.values.network(rows, made), infostates).argmax(-1)
        return settings.discount * jnp.take_along_axis(values, preferred[..., None], -1)[..., 0]

    def _penalty(self, error: Float[Array, "..."]) -> Float[Array, "..."]:
        """Half the square of an error, and a straight line from where errors are clipped."""
        if self.settings.values.error_clip == inf:
            return 0.5 * error**2
        clipped: Float[Array, "..."] = optax.huber_loss(error, delta=self.settings.values.error_clip)
        return clipped

    def learn_policy(self, seat: SeatState, key: PRNGKeyArray) -> SeatState:
        """One update of the average policy towards the choices in the history."""
        settings, history = self.settings.policy, self.history
        if settings is None or seat.policy is None or history is None:
            return seat
        lesson = history.lesson(seat.history, self.here, partial(self._worth, seat), key)
        rows, allowed = self.here.features(lesson.infostates), self._allowed(lesson.infostates)
        if settings.imitate != "moves":
            values = self.here.by_move(seat.values.network(rows, lesson.made), lesson.infostates)
            wished = settings.wished(values, allowed)
            lesson = lesson._replace(weights=lesson.weights.sum(-1, keepdims=True) * wished)

        def loss(network: Network) -> Float[Array, ""]:
            told = self.here.by_move(network(rows, lesson.made), lesson.infostates)
            logits = jnp.where(allowed, told, FORBIDDEN)
            return -jnp.where(allowed, lesson.weights * jax.nn.log_softmax(logits), 0.0).sum()

        ready = history.size(seat.history) >= self.settings.warmup
        policy, value = settings.update(seat.policy, loss, ready)
        smooth = seat.smooth
        if smooth is not None:
            # While the run is young the average spans all of it, so that it does not remember the start.
            kept = jnp.minimum(settings.smoothing, 1.0 - 1.0 / (0.1 * policy.updates + 1.0)).astype(jnp.float32)
            smooth = jax.tree.map(lambda old, new: kept * old + (1 - kept) * new, smooth, policy.network)
        return seat._replace(policy=policy, smooth=smooth, losses=seat.losses.at[1].set(value))

    def acting(self, seat: SeatState) -> Network:
        """The value network that best responses are played by."""
        by_target = self.settings.values.by_target
        if by_target is False:
            return seat.values.network
        network: Network = select(jnp.asarray(by_target, bool), seat.target, seat.values.network)
        return network

    def recalls(self) -> tuple[Recalled, ...]:
        """What recurrent networks recall at every table before a hand: the value network, then the policy's."""
        if not self.settings.network.recurrent:
            return ()
        blank = jnp.zeros((self.settings.tables, self.settings.network.cell_units), jnp.float32)
        return ((blank, blank),) * (1 if self.settings.policy is None else 2)

    def recall(self, seat: SeatState, infostates: InfoState, recalled: tuple[Recalled, ...]) -> tuple[Recalled, ...]:
        """What they recall once they have seen what is to be decided now; networks may have learned since the last."""
        if not recalled:
            return ()
        rows = self.here.features(infostates)
        networks = [self.acting(seat), *([seat.policy.network] if seat.policy is not None else [])]
        return tuple(network.tell(rows, before) for network, before in zip(networks, recalled, strict=True))

    def average(
        self, seat: SeatState, infostates: InfoState, recalled: tuple[Recalled, ...] = (), smooth: bool = False
    ) -> Float[Array, "b a"]:
        """The seat's average policy in some situations, which recurrent networks may have been told already."""
        if seat.policy is None:
            shares = normalised(seat.history, self.here.legal(None)).astype(jnp.float32)
            return shares if infostates is None else shares[infostates]
        network = seat.smooth if smooth and seat.smooth is not None else seat.policy.network
        return self.mixed(network, infostates, recalled[1] if recalled else None)

    def mixed(self, network: Network, infostates: InfoState, recalled: Recalled | None = None) -> Float[Array, "b a"]:
        """A policy network's probabilities."""
        return jax.nn.softmax(self._masked(network.at(self.here, infostates, recalled), infostates))

    def best(self, network: Network, infostates: InfoState, recalled: Recalled | None = None) -> Float[Array, "b a"]:
        """Certainty of the move that a value network likes best; nan where it knows of no value."""
        values = self._masked(network.at(self.here, infostates, recalled), infostates)
        known = jnp.isfinite(values.max(-1, keepdims=True))
        return jnp.where(known, jax.nn.one_hot(values.argmax(-1), self.here.moves, dtype=jnp.float32), jnp.nan)

    def explored(
        self, seat: SeatState, step: Float[Array, ""], infostates: InfoState, recalled: tuple[Recalled, ...] = ()
    ) -> Float[Array, "b a"]:
        """The greedy best response with a little exploration."""
        epsilon, allowed = self.settings.exploration.share(step), self._allowed(infostates)
        greedy = self.best(self.acting(seat), infostates, recalled[0] if recalled else None)
        return (1 - epsilon) * greedy + epsilon * allowed / allowed.sum(-1, keepdims=True)

    def spread(self, seat: SeatState, infostates: InfoState) -> Float[Array, ""]:
        """How far apart a network's answers lie over some situations, the mean of all: 0 where units died."""
        return jnp.ptp(seat.values.network.at(self.here, infostates, None), 0).mean()

    def _allowed(self, infostates: InfoState) -> Bool[Array, "... a"]:
        """The moves that are considered."""
        legal = self.here.legal(infostates)
        return legal if self.settings.masked else jnp.ones_like(legal)

    def _masked(self, told: Float[Array, "... o"], infostates: InfoState) -> Float[Array, "... a"]:
        """What a network answered, by moves, none of those that are not considered."""
        return jnp.where(self._allowed(infostates), self.here.by_move(told, infostates), FORBIDDEN)


@final
class Learned(Policy):
    """What seats have learned, as it is played."""

    learners: tuple[SeatLearner, ...]
    networks: tuple[Network, ...]
    greedy: bool = eqx.field(static=True)
    """The networks are of values rather than of probabilities."""
    call: int = eqx.field(static=True)
    """What an illegal move is played as, where that is legal."""

    def __call__(self, infostate: InfoState, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        def ask(learner: SeatLearner, network: Network, infostate: InfoState) -> Float[Array, "t a"]:
            own = learner.here.own(infostate)
            answers = (learner.best if self.greedy else learner.mixed)(network, own)
            return answers if learner.settings.masked else as_played(answers, learner.here.legal(own), self.call)

        seats = [partial(ask, *seat) for seat in zip(self.learners, self.networks, strict=True)]
        if turn.ndim == 0:
            answers: Float[Array, "t a"] = jax.lax.switch(turn, seats, infostate)
            return answers
        return jnp.take_along_axis(jnp.stack([ask(infostate) for ask in seats]), turn[None, :, None], 0)[0]

    @property
    def symmetric(self) -> bool:
        return all(learner.here.symmetric for learner in self.learners)


def played_as(legal: Bool[Array, "i a"], call: int) -> Int[Array, "i a"]:
    """Legal moves are themselves; illegal ones a call where that is legal, else the first legal move."""
    instead = jnp.where(legal[:, call], call, legal.argmax(1))
    return jnp.where(legal, jnp.arange(legal.shape[1]), instead[:, None])


def as_played(table: Float[Array, "i a"], legal: Bool[Array, "i a"], call: int) -> Float[Array, "i a"]:
    """What comes of probabilities, those of illegal moves put on what they are played as."""
    played = jax.nn.one_hot(played_as(legal, call), table.shape[1], dtype=table.dtype)
    return (table[:, :, None] * played).sum(1)


@final
class NetworkStrategy(Strategy):
    """What networks do that were learned, one for each seat."""

    holds: ClassVar[str] = "the networks that choose the moves"
    fingerprint: str = eqx.field(static=True)
    learned: Learned

    @property
    def policy(self) -> Learned:
        return self.learned

    def arrays(self) -> Arrays:
        return {name: np.asarray(leaf) for name, leaf in leaves_of(self.learned.networks).items()}
