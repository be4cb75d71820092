"""The engine of every learner here: seats that play each other, remember, and learn.

Each seat has a best response, a network of move values learned from its transitions, and an average, a network of
move probabilities learned from the moves its best response made. Hand by hand, with probability `anticipation`, it
plays the best response (with a little exploration), otherwise the average. Neural fictitious self-play is this;
deep Q-learning in self-play is this with anticipation 1; fictitious self-play is this with tables for networks.

One step plays one move at every table, stores what came of it, and makes some updates of every network: all of it
compiled, play included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.tables import Arena, build_arena, random_words
from feint.learners.experience import History, Lesson, Replay, Situations, Transitions, normalised, situations
from feint.learners.networks import MLP, Optimiser, Trained, select
from feint.solvers.algorithm import Algorithm, Metrics
from feint.tree.best_response import nash_conv_of, response_gap
from feint.tree.sequence_form import SequenceForm
from feint.tree.strategy import TabularStrategy
from feint.tree.tree import Tree

FORBIDDEN = -1e9
"""The value of a move that is not legal."""


@final
@dataclass(frozen=True)
class Method:
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


class SelfPlayState(NamedTuple):
    key: PRNGKeyArray
    step: Float[Array, ""]
    decision: Int[Array, " t"]
    """Where each table is."""
    responding: Bool[Array, "t p"]
    """Which seats play their best response in this hand."""
    pending: Int[Array, "t p"]
    """Each seat's last choice in this hand; −1 if it has made none."""
    hands: Int[Array, ""]
    seats: tuple[Seat, ...]


@final
class SelfPlay(Algorithm[SelfPlayState]):
    """Seats that learn from playing each other on one game."""

    arena: Arena
    situations: tuple[Situations, ...]
    played_as: Int[Array, "i a"]
    """The legal move that each move is played as: itself, or a call where it is not legal."""
    opponent: Float[Array, "i a"] | None
    """A fixed strategy to learn against: in each hand one seat learns and the others play this."""
    scale: float = eqx.field(static=True)
    method: Method = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> SelfPlayState:
        method = self.method
        key, dealing, modes, *seats = jax.random.split(key, 3 + len(self.situations))
        shape = (method.tables, len(self.situations))
        return SelfPlayState(
            key=key,
            step=jnp.zeros((), jnp.float64),
            decision=self.arena.deal(random_words(dealing, method.tables)),
            responding=self._roles(jax.random.uniform(modes, shape, jnp.float32)),
            pending=jnp.full(shape, -1, jnp.int32),
            hands=jnp.zeros((), jnp.int64),
            seats=tuple(self._new_seat(here, key) for here, key in zip(self.situations, seats, strict=True)),
        )

    def _new_seat(self, here: Situations, key: PRNGKeyArray) -> Seat:
        method, moves = self.method, here.shape[1]
        keys = jax.random.split(key)
        inputs = here.features.shape[1]
        # A linear map of one indicator for each information set is a table, if it has no bias that they share.
        bias = not method.one_hot
        values = MLP(inputs, method.hidden, moves, keys[0], method.activation, method.output, bias=bias)
        policy = MLP(inputs, method.hidden, moves, keys[1], method.activation, flat=True, bias=bias)
        return Seat(
            values=method.values.start(values),
            target=values,
            policy=method.policy.start(policy) if method.policy else None,
            smooth=policy if method.policy and method.smoothing else None,
            replay=method.replay.empty(here),
            history=method.history.empty(here),
            losses=jnp.zeros(2, jnp.float32),
        )

    def step(self, state: SelfPlayState) -> tuple[SelfPlayState, Metrics]:
        key, playing, *learning = jax.random.split(state.key, 2 + len(state.seats))
        played, choices, responded, transitions = self._play(state, playing)
        seats = []
        for number, seat in enumerate(state.seats):
            seats.append(
                self._learn(number, seat, choices, responded, transitions[number], state.step, learning[number])
            )
        return played._replace(key=key, seats=tuple(seats)), {}

    def _play(
        self, state: SelfPlayState, key: PRNGKeyArray
    ) -> tuple[SelfPlayState, Int[Array, " t"], Bool[Array, " t"], list[Transitions]]:
        """One move at every table: the new state, the choices made, whether by a best response, and what came of it."""
        words = random_words(key, 3 + len(state.seats), self.method.tables)
        uniform = (words >> 8).astype(jnp.float32) * 2.0**-24
        infoset, seat = self.arena.infoset[state.decision], self.arena.actor[state.decision]
        responds = jnp.take_along_axis(state.responding, seat[:, None], 1)[:, 0]
        # Every situation's cumulative probabilities, average above best response, so that play is a look-up.
        averages = self.opponent
        if averages is None:
            averages = jnp.concatenate(
                [self._average(*pair) for pair in zip(state.seats, self.situations, strict=True)]
            )
        explored = jnp.concatenate(
            [self._explored(*pair, state.step) for pair in zip(state.seats, self.situations, strict=True)]
        )
        ladder = jnp.cumsum(jnp.concatenate([averages, explored]), 1)
        rungs = ladder[infoset + len(averages) * responds]
        drawn = (uniform[2][:, None] * rungs[:, -1:] >= rungs).sum(1).astype(jnp.int32)
        move = jnp.minimum(drawn, rungs.shape[1] - 1)
        played = self.arena.play(state.decision, self.played_as[infoset, move], words[:2])
        choice = infoset * rungs.shape[1] + move
        seats = jnp.arange(len(state.seats))
        pending = jnp.where(seat[:, None] == seats, choice[:, None], state.pending)
        arrives = self.arena.actor[played.decision][:, None] == seats
        completed = (pending >= 0) & (played.done[:, None] | arrives)
        learned = completed if self.opponent is None else completed & state.responding
        following = jnp.where(played.done, -1, self.arena.infoset[played.decision])
        transitions = [
            self._transitions(number, learned[:, number], pending[:, number], following, played.payoff[:, number])
            for number in range(len(state.seats))
        ]
        after = state._replace(
            step=state.step + 1.0,
            decision=played.decision,
            responding=jnp.where(played.done[:, None], self._roles(uniform[3:].T), state.responding),
            pending=jnp.where(completed | played.done[:, None], -1, pending),
            hands=state.hands + played.done.sum(),
        )
        return after, choice, responds, transitions

    def _roles(self, uniform: Float[Array, "t p"]) -> Bool[Array, "t p"]:
        """Which seats play their best response in a new hand."""
        if self.opponent is None:
            return uniform < self.method.anticipation
        return uniform == uniform.max(1, keepdims=True)

    def _transitions(self, number: int, offered: Array, choice: Array, following: Array, payoff: Array) -> Transitions:
        """A seat's completed transitions, in its own numbering."""
        here = self.situations[number]
        return Transitions(
            offered,
            jnp.where(offered, choice - here.first * here.shape[1], 0),
            jnp.where(offered & (following >= 0), following - here.first, -1),
            (payoff * self.scale).astype(jnp.float32),
        )

    def _learn(
        self,
        number: int,
        seat: Seat,
        choices: Int[Array, " t"],
        responded: Bool[Array, " t"],
        transitions: Transitions,
        step: Float[Array, ""],
        key: PRNGKeyArray,
    ) -> Seat:
        """Remember what happened, then update both networks."""
        method, here = self.method, self.situations[number]
        adding, *keys = jax.random.split(key, 1 + method.value_updates + method.policy_updates)
        choice = choices - here.first * here.shape[1]
        mine = (choice >= 0) & (choice < here.legal.size)
        offered = mine & responded & (step >= method.average_from)
        replay = method.replay.add(seat.replay, transitions, step + 1.0)
        age = step + 1.0 - method.average_from
        history = method.history.add(seat.history, offered, jnp.where(mine, choice, 0), age, adding)
        seat = seat._replace(replay=replay, history=history)
        for update in keys[: method.value_updates]:
            seat = self._learn_values(here, seat, update)
        for update in keys[method.value_updates :]:
            seat = self._learn_policy(here, seat, update)
        return seat

    def _learn_values(self, here: Situations, seat: Seat, key: PRNGKeyArray) -> Seat:
        """One update of the value network towards reward plus what the next situation is worth."""
        method = self.method

        def worth(infosets: Int[Array, " b"]) -> Float[Array, " b"]:
            rows, allowed = here.features[infosets], self._allowed(here)[infosets]
            values = jnp.where(allowed, seat.target(rows), FORBIDDEN)
            if not method.double:
                return values.max(1)
            preferred = jnp.where(allowed, seat.values.network(rows), FORBIDDEN).argmax(1)
            return jnp.take_along_axis(values, preferred[:, None], 1)[:, 0]

        lesson = method.replay.lesson(seat.replay, here, worth, key)

        def loss(network: MLP) -> Float[Array, ""]:
            return 0.5 * (lesson.weights * (network(_rows(here, lesson)) - lesson.targets) ** 2).sum()

        ready = method.replay.size(seat.replay) >= method.warmup
        values, value = method.values.update(seat.values, loss, ready)
        due = values.updates % method.target_every == 0
        target = select(due, values.network, seat.target)
        return seat._replace(values=values, target=target, losses=seat.losses.at[0].set(value))

    def _learn_policy(self, here: Situations, seat: Seat, key: PRNGKeyArray) -> Seat:
        """One update of the average policy towards the choices in the history."""
        method = self.method
        if method.policy is None or seat.policy is None:
            return seat
        lesson = method.history.lesson(seat.history, here, key)
        if method.imitate == "values":
            wished = jax.nn.softmax(seat.values.network(_rows(here, lesson)))
            lesson = lesson._replace(weights=lesson.weights.sum(1, keepdims=True) * wished)
        allowed = self._allowed(here)
        allowed = allowed if lesson.infosets is None else allowed[lesson.infosets]

        def loss(network: MLP) -> Float[Array, ""]:
            logits = jnp.where(allowed, network(_rows(here, lesson)), FORBIDDEN)
            return -jnp.where(allowed, lesson.weights * jax.nn.log_softmax(logits), 0.0).sum()

        ready = method.history.size(seat.history) >= method.warmup
        policy, value = method.policy.update(seat.policy, loss, ready)
        smooth = seat.smooth
        if smooth is not None:
            # While the run is young the average spans all of it, so that it does not remember the start.
            kept = jnp.minimum(method.smoothing, 1.0 - 1.0 / (0.1 * policy.updates + 1.0)).astype(jnp.float32)
            smooth = jax.tree.map(lambda old, new: kept * old + (1 - kept) * new, smooth, policy.network)
        return seat._replace(policy=policy, smooth=smooth, losses=seat.losses.at[1].set(value))

    def _allowed(self, here: Situations) -> Bool[Array, "i a"]:
        return here.legal if self.method.masked else jnp.ones_like(here.legal)

    def _average(self, seat: Seat, here: Situations, smooth: bool = False) -> Float[Array, "i a"]:
        """The seat's average policy at all its information sets."""
        if seat.policy is None:
            return normalised(seat.history.reshape(here.shape), here.legal).astype(jnp.float32)
        network = seat.smooth if smooth and seat.smooth is not None else seat.policy.network
        return jax.nn.softmax(jnp.where(self._allowed(here), network(here.features), FORBIDDEN))

    def _greedy(self, seat: Seat, here: Situations) -> Float[Array, "i a"]:
        values = jnp.where(self._allowed(here), seat.values.network(here.features), FORBIDDEN)
        return jax.nn.one_hot(values.argmax(1), here.shape[1], dtype=jnp.float32)

    def _explored(self, seat: Seat, here: Situations, step: Float[Array, ""]) -> Float[Array, "i a"]:
        """The greedy best response with a little exploration."""
        method, allowed = self.method, self._allowed(here)
        epsilon = (method.epsilon / (1.0 + method.epsilon_decay * jnp.sqrt(step))).astype(jnp.float32)
        return (1 - epsilon) * self._greedy(seat, here) + epsilon * allowed / allowed.sum(1, keepdims=True)

    def strategy(self, state: SelfPlayState) -> TabularStrategy:
        table = self.averages(state, smooth=True) if self.method.play_average else self.responses(state)
        return TabularStrategy(table, self.fingerprint)

    def averages(self, state: SelfPlayState, smooth: bool = False) -> Float[Array, "i a"]:
        """Every seat's average policy as one table."""
        return self._tabulated(
            [self._average(seat, here, smooth) for seat, here in zip(state.seats, self.situations, strict=True)]
        )

    def responses(self, state: SelfPlayState) -> Float[Array, "i a"]:
        """Every seat's greedy best response as one table."""
        return self._tabulated(
            [self._greedy(seat, here) for seat, here in zip(state.seats, self.situations, strict=True)]
        )

    def _tabulated(self, parts: list[Float[Array, "i a"]]) -> Float[Array, "i a"]:
        """A 64-bit table whose rows sum to 1, the mass of illegal moves put on what they are played as."""
        table = jnp.concatenate(parts).astype(jnp.float64)
        played = jax.nn.one_hot(self.played_as, table.shape[1], dtype=jnp.float64)
        table = (table[:, :, None] * played).sum(1)
        return table / table.sum(1, keepdims=True)

    def measure(self, state: SelfPlayState, form: SequenceForm) -> Metrics:
        """How exploitable each part is, how good the responses are, and how full the memories."""
        seats, players = state.seats, len(state.seats)
        average, greedy = self.averages(state), self.responses(state)
        losses = jnp.stack([seat.losses for seat in seats]).mean(0)
        sizes = [(self.method.replay.size(seat.replay), self.method.history.size(seat.history)) for seat in seats]
        updates = sum(seat.values.updates + (seat.policy.updates if seat.policy else 0) for seat in seats)
        return {
            "average": nash_conv_of(form, average) / players,
            "greedy": nash_conv_of(form, greedy) / players,
            "response_gap": response_gap(form, average, greedy) / players,
            "value_loss": losses[0],
            "policy_loss": losses[1],
            "replay": jnp.asarray(sum(size for size, _ in sizes)),
            "history": jnp.asarray(sum(size for _, size in sizes)),
            "decisions": state.step * self.method.tables,
            "hands": state.hands,
            "updates": jnp.asarray(updates),
        }


def self_play(tree: Tree, method: Method, opponent: Float[np.ndarray, "i a"] | None = None) -> SelfPlay:
    """The engine on a game; with an opponent's table, every seat learns against that instead of against the others."""
    largest = float(np.abs(tree.payoff).max()) or 1.0
    return SelfPlay(
        arena=build_arena(tree),
        situations=tuple(situations(tree, player, method.one_hot) for player in range(tree.players)),
        played_as=jnp.asarray(_played_as(tree), jnp.int32),
        opponent=None if opponent is None else jnp.asarray(opponent, jnp.float32),
        scale=method.reward_scale if method.reward_scale is not None else 1.0 / largest,
        method=method,
        fingerprint=tree.fingerprint,
    )


def _played_as(tree: Tree) -> np.ndarray:
    """Legal moves are themselves; illegal ones a call where that is legal, else the first legal move."""
    call = tree.actions.index("call") if "call" in tree.actions else 0
    instead = np.where(tree.legal[:, call], call, tree.legal.argmax(1))
    return np.where(tree.legal, np.arange(tree.legal.shape[1]), instead[:, None])


def _rows(here: Situations, lesson: Lesson) -> Float[Array, "b f"]:
    return here.features if lesson.infosets is None else here.features[lesson.infosets]
