"""One seat: its best response, its average, what they learn from and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.learners.experience import History, Lesson, Replay, Situations, Transitions, normalised
from feint.learners.networks import MLP, Optimiser, Trained, select

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
    hidden: tuple[int, ...]
    activation: str = "relu"
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
    target: MLP
    policy: Trained | None
    smooth: MLP | None
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
        method, moves = self.method, self.here.shape[1]
        keys = jax.random.split(key)
        inputs = self.here.features.shape[1]
        # A linear map of one indicator for each information set is a table, if it has no bias that they share.
        bias = not method.one_hot
        values = MLP(inputs, method.hidden, moves, keys[0], method.activation, method.output, bias=bias)
        policy = MLP(inputs, method.hidden, moves, keys[1], method.activation, flat=True, bias=bias)
        return Seat(
            values=method.values.start(values),
            target=values,
            policy=method.policy.start(policy) if method.policy else None,
            smooth=policy if method.policy and method.smoothing else None,
            replay=method.replay.empty(self.here),
            history=method.history.empty(self.here),
            losses=jnp.zeros(2, jnp.float32),
        )

    def learn(
        self,
        seat: Seat,
        choices: Int[Array, " t"],
        responded: Bool[Array, " t"],
        transitions: Transitions,
        step: Float[Array, ""],
        key: PRNGKeyArray,
    ) -> Seat:
        """Remember what happened, then update both networks."""
        method, here = self.method, self.here
        adding, *keys = jax.random.split(key, 1 + method.value_updates + method.policy_updates)
        choice = choices - here.first * here.shape[1]
        mine = (choice >= 0) & (choice < here.legal.size)
        offered = mine & responded & (step >= method.average_from)
        replay = method.replay.add(seat.replay, transitions, step + 1.0)
        age = step + 1.0 - method.average_from
        history = method.history.add(seat.history, offered, jnp.where(mine, choice, 0), age, adding)
        seat = seat._replace(replay=replay, history=history)
        for update in keys[: method.value_updates]:
            seat = self._learn_values(seat, update)
        for update in keys[method.value_updates :]:
            seat = self._learn_policy(seat, update)
        return seat

    def _learn_values(self, seat: Seat, key: PRNGKeyArray) -> Seat:
        """One update of the value network towards reward plus what the next situation is worth."""
        method = self.method

        def worth(infosets: Int[Array, " b"]) -> Float[Array, " b"]:
            rows, allowed = self.here.features[infosets], self.allowed[infosets]
            values = jnp.where(allowed, seat.target(rows), FORBIDDEN)
            if not method.double:
                return values.max(1)
            preferred = jnp.where(allowed, seat.values.network(rows), FORBIDDEN).argmax(1)
            return jnp.take_along_axis(values, preferred[:, None], 1)[:, 0]

        lesson = method.replay.lesson(seat.replay, self.here, worth, key)

        def loss(network: MLP) -> Float[Array, ""]:
            return 0.5 * (lesson.weights * (network(self._rows(lesson)) - lesson.targets) ** 2).sum()

        ready = method.replay.size(seat.replay) >= method.warmup
        values, value = method.values.update(seat.values, loss, ready)
        due = values.updates % method.target_every == 0
        target = select(due, values.network, seat.target)
        return seat._replace(values=values, target=target, losses=seat.losses.at[0].set(value))

    def _learn_policy(self, seat: Seat, key: PRNGKeyArray) -> Seat:
        """One update of the average policy towards the choices in the history."""
        method = self.method
        if method.policy is None or seat.policy is None:
            return seat
        lesson = method.history.lesson(seat.history, self.here, key)
        if method.imitate == "values":
            wished = jax.nn.softmax(seat.values.network(self._rows(lesson)))
            lesson = lesson._replace(weights=lesson.weights.sum(1, keepdims=True) * wished)
        allowed = self.allowed
        allowed = allowed if lesson.infosets is None else allowed[lesson.infosets]

        def loss(network: MLP) -> Float[Array, ""]:
            logits = jnp.where(allowed, network(self._rows(lesson)), FORBIDDEN)
            return -jnp.where(allowed, lesson.weights * jax.nn.log_softmax(logits), 0.0).sum()

        ready = method.history.size(seat.history) >= method.warmup
        policy, value = method.policy.update(seat.policy, loss, ready)
        smooth = seat.smooth
        if smooth is not None:
            # While the run is young the average spans all of it, so that it does not remember the start.
            kept = jnp.minimum(method.smoothing, 1.0 - 1.0 / (0.1 * policy.updates + 1.0)).astype(jnp.float32)
            smooth = jax.tree.map(lambda old, new: kept * old + (1 - kept) * new, smooth, policy.network)
        return seat._replace(policy=policy, smooth=smooth, losses=seat.losses.at[1].set(value))

    @property
    def allowed(self) -> Bool[Array, "i a"]:
        """The moves that are considered."""
        return self.here.legal if self.method.masked else jnp.ones_like(self.here.legal)

    def average(self, seat: Seat, smooth: bool = False) -> Float[Array, "i a"]:
        """The seat's average policy at all its information sets."""
        if seat.policy is None:
            return normalised(seat.history.reshape(self.here.shape), self.here.legal).astype(jnp.float32)
        network = seat.smooth if smooth and seat.smooth is not None else seat.policy.network
        return jax.nn.softmax(jnp.where(self.allowed, network(self.here.features), FORBIDDEN))

    def greedy(self, seat: Seat) -> Float[Array, "i a"]:
        """The seat's best response at all its information sets."""
        values = jnp.where(self.allowed, seat.values.network(self.here.features), FORBIDDEN)
        return jax.nn.one_hot(values.argmax(1), self.here.shape[1], dtype=jnp.float32)

    def explored(self, seat: Seat, step: Float[Array, ""]) -> Float[Array, "i a"]:
        """The greedy best response with a little exploration."""
        method, allowed = self.method, self.allowed
        epsilon = (method.epsilon / (1.0 + method.epsilon_decay * jnp.sqrt(step))).astype(jnp.float32)
        return (1 - epsilon) * self.greedy(seat) + epsilon * allowed / allowed.sum(1, keepdims=True)

    def _rows(self, lesson: Lesson) -> Float[Array, "b f"]:
        return self.here.features if lesson.infosets is None else self.here.features[lesson.infosets]
