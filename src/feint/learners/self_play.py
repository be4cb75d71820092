"""The engine of every learner here: seats that play each other, remember, and learn.

Each seat has a best response, a network of move values learned from its transitions, and an average, a network of
move probabilities learned from the moves its best response made. Hand by hand, with probability `anticipation`, it
plays the best response (with a little exploration), otherwise the average. Neural fictitious self-play is this;
deep Q-learning in self-play is this with anticipation 1; fictitious self-play is this with tables for networks.

One step plays one move at every table, stores what came of it, and makes some updates of every network: all of it
compiled, play included.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import Arena, Sight, Where, as_uniform, draw, random_words
from feint.arena.betting import Playground
from feint.arena.cards import View, build_card_arena
from feint.arena.policy import Policy
from feint.arena.tables import build_arena
from feint.games.errors import BadInput
from feint.learners.experience import ReplayTally, Transitions
from feint.learners.networks import Network
from feint.learners.seat import Learned, Seat, SeatLearner, SeatSettings
from feint.learners.situations import Listed, Shown, Situations, listed
from feint.solvers.algorithm import Algorithm, Metrics
from feint.tree.best_response import nash_conv_of, response_gap
from feint.tree.sequence_form import SequenceForm
from feint.tree.strategy import TabularStrategy
from feint.tree.tree import Tree


class SelfPlayState(NamedTuple):
    """The tables, and what every seat has learned."""

    key: PRNGKeyArray
    step: Float[Array, ""]
    where: Where
    """Where each table is."""
    responding: Bool[Array, "t p"]
    """Which seats play their best response in this hand."""
    pending: Pending
    recalled: Any
    """What every seat's recurrent networks recall of the hand at each table: like `seats`; empty if there are none."""
    hands: Int[Array, ""]
    seats: Any
    """A tuple of `Seat`, or where seats are alike one, its arrays with an axis for the seats in front."""


class Pending(NamedTuple):
    """Each seat's last decision in this hand, of which it is not known yet what came."""

    made: Bool[Array, "t p"]
    sight: Sight
    """[t, p, …]"""
    move: Int[Array, "t p"]


@final
class SelfPlay(Algorithm[SelfPlayState]):
    """Seats that learn from playing each other on one game."""

    arena: Arena
    learners: tuple[SeatLearner, ...]
    """One for each seat."""
    alike: bool = eqx.field(static=True)
    """Seats that differ in nothing but what they have learned do everything at once, in half the operations for two.
    Accelerators wait for operations to begin; processors are quicker one seat after the other."""
    opponent: Policy | None
    """A fixed strategy to learn against: in each hand one seat learns and the others play this."""
    call: int = eqx.field(static=True)
    """What an illegal move is played as, where it is legal; else the first legal move is."""
    everywhere: bool = eqx.field(static=True)
    """Ask the networks about every situation there is and look the answers up, not only about those at the tables."""
    scale: float = eqx.field(static=True)
    method: SeatSettings = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> SelfPlayState:
        tables, players = self.method.tables, len(self.learners)
        keys = jax.random.split(key, 3 + players)
        key, dealing, modes = keys[:3]
        blank = jax.tree.map(lambda leaf: jnp.zeros((tables, players, *leaf.shape), leaf.dtype), self._blank)
        return SelfPlayState(
            key=key,
            step=jnp.zeros((), jnp.float64),
            where=self.arena.deal(random_words(dealing, self.arena.deal_words, tables)),
            responding=self._roles(jax.random.uniform(modes, (tables, players), jnp.float32)),
            pending=Pending(jnp.zeros((tables, players), bool), blank, jnp.zeros((tables, players), jnp.int32)),
            recalled=self._each(lambda learner, key: () if self.everywhere else learner.recalls(), keys[3:]),
            hands=jnp.zeros((), jnp.int64),
            seats=self._each(lambda learner, key: learner.new(key), keys[3:]),
        )

    def _each(self, do: Callable[..., Any], *of_seats: Any) -> Any:
        """`do` for every seat with its learner and its part of each argument; what comes of it is kept as seats are."""
        if self.alike:
            return jax.vmap(partial(do, self.learners[0]))(*of_seats)
        return tuple(do(*parts) for parts in zip(self.learners, *of_seats, strict=True))

    def seats(self, state: SelfPlayState) -> list[Seat]:
        """What every seat has learned."""
        if not self.alike:
            return list(state.seats)
        return [jax.tree.map(lambda leaf, seat=seat: leaf[seat], state.seats) for seat in range(len(self.learners))]

    @property
    def _blank(self) -> Sight:
        return self.learners[0].here.blank()

    def step(self, state: SelfPlayState) -> tuple[SelfPlayState, Metrics]:
        keys = jax.random.split(state.key, 2 + len(self.learners))
        after, transitions = self._play(state, keys[1])

        def learn(learner: SeatLearner, seat: Seat, happened: Transitions, key: PRNGKeyArray) -> Seat:
            return learner.learn(seat, happened, state.step, key)

        return after._replace(key=keys[0], seats=self._each(learn, state.seats, transitions, keys[2:])), {}

    def _play(self, state: SelfPlayState, key: PRNGKeyArray) -> tuple[SelfPlayState, Any]:
        """One move at every table, and what came of it for every seat."""
        arena, players = self.arena, len(self.learners)
        words = random_words(key, arena.play_words + 1 + players, self.method.tables)
        uniform = as_uniform(words[arena.play_words :])
        sight, turn = arena.sight(state.where), arena.turn(state.where)
        recalled = self._each(
            lambda learner, seat, before: learner.recall(seat, learner.here.own(sight), before),
            state.seats,
            state.recalled,
        )
        move = draw(self._probabilities(state._replace(recalled=recalled), sight, turn), uniform[0])
        played = arena.play(state.where, self._legal_move(sight, move), words[: arena.play_words])
        seats = jnp.arange(players)
        acts, acts_next = turn[:, None] == seats, arena.turn(played.where)[:, None] == seats
        pending = Pending(
            state.pending.made | acts,
            _where(acts, jax.tree.map(lambda leaf: leaf[:, None], sight), state.pending.sight),
            jnp.where(acts, move[:, None], state.pending.move),
        )
        done = played.done[:, None]
        completed = pending.made & (done | acts_next)
        learned = completed if self.opponent is None else completed & state.responding
        following = arena.sight(played.where)

        def kept(learner: SeatLearner, number: Int[Array, ""], before: Any, now: Any) -> Any:
            here = acts[:, number, None]
            return jax.tree.map(lambda old, new: jnp.where(done, 0.0, jnp.where(here, new, old)), before, now)

        def happened(learner: SeatLearner, number: Int[Array, ""]) -> Transitions:
            return Transitions(
                learned[:, number],
                state.responding[:, number],
                learner.here.own(jax.tree.map(lambda leaf: leaf[:, number], pending.sight)),
                pending.move[:, number],
                learner.here.own(following),
                played.done,
                (played.payoff[:, number] * self.scale).astype(jnp.float32),
            )

        after = state._replace(
            step=state.step + 1.0,
            where=played.where,
            responding=jnp.where(done, self._roles(uniform[1:].T), state.responding),
            pending=pending._replace(made=pending.made & ~(completed | done)),
            recalled=self._each(kept, seats, state.recalled, recalled),
            hands=state.hands + played.done.sum(),
        )
        return after, self._each(happened, seats)

    def _probabilities(self, state: SelfPlayState, sight: Sight, turn: Int[Array, " t"]) -> Float[Array, "t a"]:
        """What whoever is to act does, by the average or by the best response with a little exploration."""
        responding = jnp.take_along_axis(state.responding, turn[:, None], 1)

        def each(ask: Callable[[SeatLearner, Seat, Sight, Any], Float[Array, "b a"]]) -> Float[Array, "... a"]:
            if self.everywhere:
                return jnp.concatenate(self._each(lambda learner, seat: ask(learner, seat, None, ()), state.seats))
            answers = self._each(
                lambda learner, seat, recalled: ask(learner, seat, learner.here.own(sight), recalled),
                state.seats,
                state.recalled,
            )
            return jnp.take_along_axis(jnp.asarray(answers), turn[None, :, None], 0)[0]

        explored = each(lambda learner, seat, *seen: learner.explored(seat, state.step, *seen))
        if self.opponent is not None:
            here = explored[sight] if self.everywhere else explored
            return jnp.where(responding, here, self.opponent(sight, turn))
        if self.method.anticipation >= 1.0:
            return explored[sight] if self.everywhere else explored
        averages = each(lambda learner, seat, *seen: learner.average(seat, *seen))
        if self.everywhere:
            return jnp.concatenate([averages, explored])[sight + len(averages) * responding[:, 0]]
        return jnp.where(responding, explored, averages)

    def _legal_move(self, sight: Sight, move: Int[Array, " t"]) -> Int[Array, " t"]:
        """What a move is played as: itself, unless illegal ones are tried too."""
        if self.method.masked:
            return move
        return jnp.take_along_axis(_played_as(self.arena.legal(sight), self.call), move[:, None], 1)[:, 0]

    def _roles(self, uniform: Float[Array, "t p"]) -> Bool[Array, "t p"]:
        """Which seats play their best response in a new hand."""
        if self.opponent is None:
            return uniform < self.method.anticipation
        return uniform == uniform.max(1, keepdims=True)

    def strategy(self, state: SelfPlayState) -> TabularStrategy:
        table = self.averages(state, smooth=True) if self.method.play_average else self.responses(state)
        return TabularStrategy(table, self.fingerprint)

    def policy(self, state: SelfPlayState) -> Learned:
        """The same as it is played, for games too large for a table."""
        return self.playing(self.networks(state))

    def networks(self, state: SelfPlayState) -> tuple[Network, ...]:
        """The networks that play, one for each seat."""
        return tuple(
            seat.values.network
            if seat.policy is None or not self.method.play_average
            else seat.smooth or seat.policy.network
            for seat in self.seats(state)
        )

    def playing(self, networks: tuple[Network, ...]) -> Learned:
        """Networks as `networks` gives them, playing."""
        return Learned(self.learners, networks, greedy=not self.method.play_average)

    def averages(self, state: SelfPlayState, smooth: bool = False) -> Float[Array, "i a"]:
        """Every seat's average policy as one table."""
        return self._tabulated(state, lambda learner, seat: learner.average(seat, None, smooth=smooth))

    def responses(self, state: SelfPlayState) -> Float[Array, "i a"]:
        """Every seat's greedy best response as one table."""
        return self._tabulated(state, lambda learner, seat: learner.greedy(seat, None))

    def _tabulated(
        self, state: SelfPlayState, ask: Callable[[SeatLearner, Seat], Float[Array, "i a"]]
    ) -> Float[Array, "i a"]:
        """A 64-bit table whose rows sum to 1, the mass of illegal moves put on what they are played as."""
        table = jnp.concatenate(self._each(ask, state.seats)).astype(jnp.float64)
        legal = jnp.concatenate([learner.here.legal(None) for learner in self.learners])
        played = jax.nn.one_hot(_played_as(legal, self.call), table.shape[1], dtype=jnp.float64)
        table = (table[:, :, None] * played).sum(1)
        return table / table.sum(1, keepdims=True)

    def measure(self, state: SelfPlayState, form: SequenceForm | None) -> Metrics:
        """How exploitable each part is and how good the responses are, where that is known, and how things go on."""
        return self._progress(state) if form is None else self._judged(state, form) | self._progress(state)

    def _judged(self, state: SelfPlayState, form: SequenceForm) -> Metrics:
        average, greedy, players = self.averages(state), self.responses(state), len(self.learners)
        return {
            "average": nash_conv_of(form, average) / players,
            "greedy": nash_conv_of(form, greedy) / players,
            "response_gap": response_gap(form, average, greedy) / players,
        }

    def _progress(self, state: SelfPlayState) -> Metrics:
        seats = self.seats(state)
        losses = jnp.stack([seat.losses for seat in seats]).mean(0)
        sizes = [(self.method.replay.size(seat.replay), self.method.history.size(seat.history)) for seat in seats]
        updates = sum(seat.values.updates + (seat.policy.updates if seat.policy else 0) for seat in seats)
        return {
            "value_loss": losses[0],
            "policy_loss": losses[1],
            "replay": jnp.asarray(sum(size for size, _ in sizes)),
            "history": jnp.asarray(sum(size for _, size in sizes)),
            "decisions": state.step * self.method.tables,
            "hands": state.hands,
            "updates": jnp.asarray(updates),
        } | self._spread(state)

    def _spread(self, state: SelfPlayState) -> Metrics:
        """How far apart in chips the values of a move lie, of the seat where that is least: 0 where its units died."""
        sights = None
        if not isinstance(self.learners[0].here, Listed):
            fresh = self.arena.deal(random_words(jax.random.key(0), self.arena.deal_words, ASKED))
            asked = self.arena.sight(state.where), self.arena.sight(fresh)
            sights = jax.tree.map(lambda *parts: jnp.concatenate(parts), *asked)
        spreads = [
            learner.spread(seat, sights)
            for learner, seat in zip(self.learners, self.seats(state), strict=True)
            if len(learner.here.legal(sights)) > 1
        ]
        return {"value_spread": jnp.stack(spreads).min() / self.scale} if spreads else {}


def self_play(
    game: Playground, method: SeatSettings, opponent: Callable[[Arena], Policy] | None = None, view: View = "nfsp"
) -> SelfPlay:
    """The engine on a game; with an opponent, every seat learns against that instead of against the others."""
    arena: Arena
    here: list[Situations]
    if isinstance(game, Tree):
        idle = sorted(set(range(game.players)) - set(game.player.tolist()))
        if idle:
            raise BadInput(
                f"Player {idle[0] + 1} of {game.name} never decides anything, so it cannot learn by play; "
                f"use a solver such as cfr+, or leave that player out of the rules."
            )
        arena = build_arena(game)
        here = [listed(game, player, method.one_hot) for player in range(game.players)]
        largest = float(np.abs(game.payoff).max()) or 1.0
    else:
        arena = build_card_arena(game, view)
        here = [Shown(arena)] * game.players
        largest = float(game.paid.max())
    few = isinstance(game, Tree) and len(game.player) <= FEW * method.tables
    return SelfPlay(
        arena=arena,
        learners=tuple(SeatLearner(seat, method) for seat in here),
        alike=not isinstance(game, Tree) and jax.default_backend() != "cpu",
        opponent=opponent(arena) if opponent else None,
        call=game.actions.index("call") if "call" in game.actions else 0,
        everywhere=isinstance(method.replay, ReplayTally) or few,
        scale=method.reward_scale if method.reward_scale is not None else 1.0 / largest,
        method=method,
        fingerprint=game.fingerprint,
    )


ASKED = 256
"""Hands whose first decisions are asked about, beside those at the tables, to see whether values differ at all."""
FEW = 4
"""Up to this many information sets for each table, asking about all of them is cheaper than asking for each table."""


def _played_as(legal: Bool[Array, "i a"], call: int) -> Int[Array, "i a"]:
    """Legal moves are themselves; illegal ones a call where that is legal, else the first legal move."""
    instead = jnp.where(legal[:, call], call, legal.argmax(1))
    return jnp.where(legal, jnp.arange(legal.shape[1]), instead[:, None])


def _where(condition: Bool[Array, "t p"], yes: Any, no: Any) -> Any:
    """One of two pytrees, chosen for each table and player."""
    return jax.tree.map(
        lambda a, b: jnp.where(condition.reshape(condition.shape + (1,) * (b.ndim - 2)), a.astype(b.dtype), b), yes, no
    )
