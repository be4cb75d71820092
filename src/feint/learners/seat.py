"""One seat: its best response, its average, what they learn from and how."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Literal, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import Sight
from feint.arena.policy import Policy
from feint.learners.experience import History, Replay, Transitions, normalised
from feint.learners.networks import Design, Network, Optimiser, Recalled, Recurrent, Trained, select
from feint.learners.situations import Situations

FORBIDDEN = -1e9
"""The value of a move that is not legal."""


@final
@dataclass(frozen=True)
class SeatSettings:
    """How the seats play and learn."""

    tables: int
    anticipation: float
    epsilon: float
    epsilon_decay: float
    """Exploration falls as epsilon / (1 + epsilon_decay · √t)."""
    replay: Replay
    history: History
    values: Optimiser
    policy: Optimiser | None
    """None: the average is the history's counts themselves, with no network."""
    network: Design
    output: str = "linear"
    """The activation of the value network's output; a thesis tried relu, and its agent always folded."""
    value_updates: int = 1
    policy_updates: int = 1
    target_every: int = 1
    """Updates between copies into the target network; 1 means there is none."""
    double: bool = False
    warmup: int = 1
    """A memory must hold this many items before learning from it."""
    average_from: int = 0
    """The iteration from which choices enter the history."""
    smoothing: float = 0.0
    """The exponential moving average of the policy's weights that is judged and played; 0 for none."""
    reward_scale: float | None = None
    """Rewards are multiplied by this; None for 1 / the largest payoff."""
    error_clip: float = inf
    """Errors of values beyond this pull no harder; inf for squared errors."""
    imitate: Literal["moves", "values"] = "moves"
    """The average learns the moves that were made, or (a thesis's experiment) a softmax of the values."""
    masked: bool = True
    """Never consider illegal moves; otherwise they are tried and played as a call."""
    one_hot: bool = False
    """Give networks one indicator for each information set in place of the rules' features."""
    play_average: bool = True
    """The strategy to be judged is the average; otherwise the greedy best response."""


class Seat(NamedTuple):
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
    """How one seat plays and learns; what it has learned is its `Seat`."""

    here: Situations
    method: SeatSettings = eqx.field(static=True)

    def new(self, key: PRNGKeyArray) -> Seat:
        """A seat that knows nothing yet."""
        method = self.method
        keys = jax.random.split(key)
        values = method.network(self.here.inputs, self.here.moves, keys[0], method.output)
        policy = method.network(self.here.inputs, self.here.moves, keys[1], flat=True)
        return Seat(
            values=method.values.start(values),
            target=values,
            policy=method.policy.start(policy) if method.policy else None,
            smooth=policy if method.policy and method.smoothing else None,
            replay=method.replay.empty(self.here),
            history=method.history.empty(self.here),
            losses=jnp.zeros(2, jnp.float32),
        )

    def learn(self, seat: Seat, happened: Transitions, step: Float[Array, ""], key: PRNGKeyArray) -> Seat:
        """Remember what happened, then update both networks."""
        method = self.method
        adding, *keys = jax.random.split(key, 1 + method.value_updates + method.policy_updates)
        replay = method.replay.add(seat.replay, happened, step + 1.0)
        enters = happened._replace(offered=happened.offered & (step >= method.average_from))
        history = method.history.add(seat.history, enters, step + 1.0 - method.average_from, adding)
        seat = seat._replace(replay=replay, history=history)
        for update in keys[: method.value_updates]:
            seat = self._learn_values(seat, update)
        for update in keys[method.value_updates :]:
            seat = self._learn_policy(seat, update)
        return seat

    def _learn_values(self, seat: Seat, key: PRNGKeyArray) -> Seat:
        """One update of the value network towards reward plus what the next situation is worth."""
        method = self.method

        def worth(sights: Sight, made: Bool[Array, "b l"] | None) -> Float[Array, "..."]:
            rows = self.here.features(sights)
            values = self._masked(seat.target(rows, made), sights)
            if not method.double:
                return values.max(-1)
            preferred = self._masked(seat.values.network(rows, made), sights).argmax(-1)
            return jnp.take_along_axis(values, preferred[..., None], -1)[..., 0]

        lesson = method.replay.lesson(seat.replay, self.here, worth, key)

        rows = self.here.features(lesson.sights)

        def loss(network: Network) -> Float[Array, ""]:
            return (lesson.weights * self._penalty(network(rows, lesson.made) - lesson.targets)).sum()

        ready = method.replay.size(seat.replay) >= method.warmup
        values, value = method.values.update(seat.values, loss, ready)
        due = values.updates % method.target_every == 0
        target = select(due, values.network, seat.target)
        return seat._replace(values=values, target=target, losses=seat.losses.at[0].set(value))

    def _penalty(self, error: Float[Array, "..."]) -> Float[Array, "..."]:
        """Half the square of an error, and a straight line from where errors are clipped."""
        if self.method.error_clip == inf:
            return 0.5 * error**2
        clipped: Float[Array, "..."] = optax.huber_loss(error, delta=self.method.error_clip)
        return clipped

    def _learn_policy(self, seat: Seat, key: PRNGKeyArray) -> Seat:
        """One update of the average policy towards the choices in the history."""
        method = self.method
        if method.policy is None or seat.policy is None:
            return seat
        lesson = method.history.lesson(seat.history, self.here, key)
        rows, allowed = self.here.features(lesson.sights), self._allowed(lesson.sights)
        if method.imitate == "values":
            wished = jax.nn.softmax(seat.values.network(rows, lesson.made))
            lesson = lesson._replace(weights=lesson.weights.sum(-1, keepdims=True) * wished)

        def loss(network: Network) -> Float[Array, ""]:
            logits = jnp.where(allowed, network(rows, lesson.made), FORBIDDEN)
            return -jnp.where(allowed, lesson.weights * jax.nn.log_softmax(logits), 0.0).sum()

        ready = method.history.size(seat.history) >= method.warmup
        policy, value = method.policy.update(seat.policy, loss, ready)
        smooth = seat.smooth
        if smooth is not None:
            # While the run is young the average spans all of it, so that it does not remember the start.
            kept = jnp.minimum(method.smoothing, 1.0 - 1.0 / (0.1 * policy.updates + 1.0)).astype(jnp.float32)
            smooth = jax.tree.map(lambda old, new: kept * old + (1 - kept) * new, smooth, policy.network)
        return seat._replace(policy=policy, smooth=smooth, losses=seat.losses.at[1].set(value))

    def recalls(self) -> tuple[Recalled, ...]:
        """What recurrent networks recall at every table before a hand: the value network, then the policy's."""
        if not self.method.network.recurrent:
            return ()
        blank = jnp.zeros((self.method.tables, self.method.network.memory), jnp.float32)
        return ((blank, blank),) * (1 if self.method.policy is None else 2)

    def recall(self, seat: Seat, sights: Sight, recalled: tuple[Recalled, ...]) -> tuple[Recalled, ...]:
        """What they recall once they have seen what is to be decided now; networks may have learned since the last."""
        if not recalled:
            return ()
        rows = self.here.features(sights)
        networks = [part.network for part in (seat.values, seat.policy) if part and isinstance(part.network, Recurrent)]
        return tuple(network.tell(rows, memory) for network, memory in zip(networks, recalled, strict=True))

    def average(
        self, seat: Seat, sights: Sight, recalled: tuple[Recalled, ...] = (), smooth: bool = False
    ) -> Float[Array, "b a"]:
        """The seat's average policy in some situations, which recurrent networks may have been told already."""
        if seat.policy is None:
            shares = normalised(seat.history, self.here.legal(None)).astype(jnp.float32)
            return shares if sights is None else shares[sights]
        network = seat.smooth if smooth and seat.smooth is not None else seat.policy.network
        return self.mixed(network, sights, recalled[1] if recalled else None)

    def greedy(self, seat: Seat, sights: Sight) -> Float[Array, "b a"]:
        """The seat's best response in some situations."""
        return self.best(seat.values.network, sights)

    def mixed(self, network: Network, sights: Sight, recalled: Recalled | None = None) -> Float[Array, "b a"]:
        """A policy network's probabilities."""
        return jax.nn.softmax(self._masked(self._answers(network, sights, recalled), sights))

    def best(self, network: Network, sights: Sight, recalled: Recalled | None = None) -> Float[Array, "b a"]:
        """Certainty of the move that a value network likes best."""
        best = self._masked(self._answers(network, sights, recalled), sights).argmax(-1)
        return jax.nn.one_hot(best, self.here.moves, dtype=jnp.float32)

    def explored(
        self, seat: Seat, step: Float[Array, ""], sights: Sight, recalled: tuple[Recalled, ...] = ()
    ) -> Float[Array, "b a"]:
        """The greedy best response with a little exploration."""
        method, allowed = self.method, self._allowed(sights)
        epsilon = (method.epsilon / (1.0 + method.epsilon_decay * jnp.sqrt(step))).astype(jnp.float32)
        greedy = self.best(seat.values.network, sights, recalled[0] if recalled else None)
        return (1 - epsilon) * greedy + epsilon * allowed / allowed.sum(-1, keepdims=True)

    def spread(self, seat: Seat, sights: Sight) -> Float[Array, ""]:
        """How far apart the values of a move lie over some situations, the mean of the moves: 0 where units died."""
        return jnp.ptp(self._answers(seat.values.network, sights), 0).mean()

    def _answers(self, network: Network, sights: Sight, recalled: Recalled | None = None) -> Float[Array, "b a"]:
        """What a network says in some situations: a recurrent one is told the hand from its start, if it was not."""
        if not isinstance(network, Recurrent):
            return network(self.here.features(sights))
        if recalled is not None:
            return network.head(recalled[0])
        path = self.here.path(sights, 0)
        return network.at_last(self.here.features(path.sights), path.made)

    def _allowed(self, sights: Sight) -> Bool[Array, "... a"]:
        """The moves that are considered."""
        legal = self.here.legal(sights)
        return legal if self.method.masked else jnp.ones_like(legal)

    def _masked(self, values: Float[Array, "... a"], sights: Sight) -> Float[Array, "... a"]:
        return jnp.where(self._allowed(sights), values, FORBIDDEN)


@final
class Learned(Policy):
    """What seats have learned, as it is played."""

    learners: tuple[SeatLearner, ...]
    networks: tuple[Network, ...]
    greedy: bool = eqx.field(static=True)
    """The networks are of values rather than of probabilities."""

    def __call__(self, sight: Sight, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        def ask(learner: SeatLearner, network: Network, sight: Sight) -> Float[Array, "t a"]:
            return (learner.best if self.greedy else learner.mixed)(network, learner.here.own(sight))

        seats = [partial(ask, *seat) for seat in zip(self.learners, self.networks, strict=True)]
        if turn.ndim == 0:
            answers: Float[Array, "t a"] = jax.lax.switch(turn, seats, sight)
            return answers
        return jnp.take_along_axis(jnp.stack([ask(sight) for ask in seats]), turn[None, :, None], 0)[0]
