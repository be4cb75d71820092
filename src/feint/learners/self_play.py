"""The engine of every learner here: seats that play each other, remember, and learn.

Each seat has a best response, a network of move values learned from its transitions, and an average, a network of
move probabilities learned from the moves its best response made. Hand by hand, with probability `anticipation`, it
plays the best response (with a little exploration), otherwise the average. Neural fictitious self-play is this;
deep Q-learning in self-play is this with anticipation 1; fictitious self-play is this with tables for networks.

One step plays one move at every table, stores what came of it, and makes some updates of every network: all of it
compiled, play included.
"""

from __future__ import annotations

from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.tables import Arena, build_arena, random_words
from feint.learners.experience import Transitions, situations
from feint.learners.seat import Seat, SeatLearner, SeatSettings
from feint.solvers.algorithm import Algorithm, Metrics
from feint.tree.best_response import nash_conv_of, response_gap
from feint.tree.sequence_form import SequenceForm
from feint.tree.strategy import TabularStrategy
from feint.tree.tree import Tree


class SelfPlayState(NamedTuple):
    """The tables, and what every seat has learned."""

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


class Moved(NamedTuple):
    """The moves drawn at every table."""

    choice: Int[Array, " t"]
    """Information set and move, as infoset · moves + move."""
    responding: Bool[Array, " t"]
    """Whether a best response made it."""


@final
class SelfPlay(Algorithm[SelfPlayState]):
    """Seats that learn from playing each other on one game."""

    arena: Arena
    learners: tuple[SeatLearner, ...]
    """One for each seat."""
    played_as: Int[Array, "i a"]
    """The legal move that each move is played as: itself, or a call where it is not legal."""
    opponent: Float[Array, "i a"] | None
    """A fixed strategy to learn against: in each hand one seat learns and the others play this."""
    scale: float = eqx.field(static=True)
    method: SeatSettings = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> SelfPlayState:
        method = self.method
        key, dealing, modes, *seats = jax.random.split(key, 3 + len(self.learners))
        shape = (method.tables, len(self.learners))
        return SelfPlayState(
            key=key,
            step=jnp.zeros((), jnp.float64),
            decision=self.arena.deal(random_words(dealing, method.tables)),
            responding=self._roles(jax.random.uniform(modes, shape, jnp.float32)),
            pending=jnp.full(shape, -1, jnp.int32),
            hands=jnp.zeros((), jnp.int64),
            seats=tuple(learner.new(key) for learner, key in zip(self.learners, seats, strict=True)),
        )

    def step(self, state: SelfPlayState) -> tuple[SelfPlayState, Metrics]:
        key, playing, *learning = jax.random.split(state.key, 2 + len(state.seats))
        after, moved, transitions = self._play(state, playing)
        seats = [
            learner.learn(seat, moved.choice, moved.responding, happened, state.step, own_key)
            for learner, seat, happened, own_key in zip(self.learners, state.seats, transitions, learning, strict=True)
        ]
        return after._replace(key=key, seats=tuple(seats)), {}

    def _play(self, state: SelfPlayState, key: PRNGKeyArray) -> tuple[SelfPlayState, Moved, list[Transitions]]:
        """One move at every table, and what came of it for every seat."""
        words = random_words(key, 3 + len(state.seats), self.method.tables)
        uniform = (words >> 8).astype(jnp.float32) * 2.0**-24
        moved = self._move(state, uniform[2])
        infoset = self.arena.infoset[state.decision]
        legal_move = self.played_as[infoset, moved.choice - infoset * self.played_as.shape[1]]
        played = self.arena.play(state.decision, legal_move, words[:2])
        seats = jnp.arange(len(state.seats))
        pending = jnp.where(self.arena.actor[state.decision][:, None] == seats, moved.choice[:, None], state.pending)
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
        return after, moved, transitions

    def _move(self, state: SelfPlayState, uniform: Float[Array, " t"]) -> Moved:
        """Draw a move at every table, from the average or the best response of whoever is to act."""
        pairs = list(zip(self.learners, state.seats, strict=True))
        averages = self.opponent
        if averages is None:
            averages = jnp.concatenate([learner.average(seat) for learner, seat in pairs])
        explored = jnp.concatenate([learner.explored(seat, state.step) for learner, seat in pairs])
        infoset, seat = self.arena.infoset[state.decision], self.arena.actor[state.decision]
        responding = jnp.take_along_axis(state.responding, seat[:, None], 1)[:, 0]
        # Every situation's cumulative probabilities, averages above best responses, so that drawing is a look-up.
        ladder = jnp.cumsum(jnp.concatenate([averages, explored]), 1)
        rungs = ladder[infoset + len(averages) * responding]
        move = (uniform[:, None] * rungs[:, -1:] >= rungs).sum(1).astype(jnp.int32)
        return Moved(infoset * rungs.shape[1] + move, responding)

    def _roles(self, uniform: Float[Array, "t p"]) -> Bool[Array, "t p"]:
        """Which seats play their best response in a new hand."""
        if self.opponent is None:
            return uniform < self.method.anticipation
        return uniform == uniform.max(1, keepdims=True)

    def _transitions(self, number: int, offered: Array, choice: Array, following: Array, payoff: Array) -> Transitions:
        """A seat's completed transitions, in its own numbering."""
        here = self.learners[number].here
        return Transitions(
            offered,
            jnp.where(offered, choice - here.first * here.shape[1], 0),
            jnp.where(offered & (following >= 0), following - here.first, -1),
            (payoff * self.scale).astype(jnp.float32),
        )

    def strategy(self, state: SelfPlayState) -> TabularStrategy:
        table = self.averages(state, smooth=True) if self.method.play_average else self.responses(state)
        return TabularStrategy(table, self.fingerprint)

    def averages(self, state: SelfPlayState, smooth: bool = False) -> Float[Array, "i a"]:
        """Every seat's average policy as one table."""
        pairs = zip(self.learners, state.seats, strict=True)
        return self._tabulated([learner.average(seat, smooth) for learner, seat in pairs])

    def responses(self, state: SelfPlayState) -> Float[Array, "i a"]:
        """Every seat's greedy best response as one table."""
        pairs = zip(self.learners, state.seats, strict=True)
        return self._tabulated([learner.greedy(seat) for learner, seat in pairs])

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


def self_play(tree: Tree, method: SeatSettings, opponent: Float[np.ndarray, "i a"] | None = None) -> SelfPlay:
    """The engine on a game; with an opponent's table, every seat learns against that instead of against the others."""
    largest = float(np.abs(tree.payoff).max()) or 1.0
    return SelfPlay(
        arena=build_arena(tree),
        learners=tuple(SeatLearner(situations(tree, player, method.one_hot), method) for player in range(tree.players)),
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
