"""The engine of every learner here: seats that play each other, remember, and learn.

Each seat has a best response, a network of move values learned from its transitions, and an average, a network of
move probabilities learned from the moves its best response made. Hand by hand, with probability `anticipation`, it
plays the best response (with a little exploration), otherwise the average. Neural fictitious self-play is this;
deep Q-learning in self-play is this with anticipation 1; fictitious self-play is this with tables for networks.

One step plays one move at every table, stores what came of it, and makes some updates of every network: all of it
compiled, play included.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import Arena, InfoState, Played, Where, as_uniform, draw, random_words
from feint.arena.devices import shared, whole
from feint.arena.policy import Policy
from feint.forms.form import Form
from feint.forms.leaves import restored
from feint.forms.strategy import Arrays, Strategy, TabularStrategy
from feint.games.errors import BadInput
from feint.learners.experience import Pending, Transitions
from feint.learners.modes import Asking, Roles, Seating
from feint.learners.move_values import LearnedMoveValues
from feint.learners.networks import Network
from feint.learners.seat import Learned, NetworkStrategy, SeatLearner, SeatState, as_played, played_as
from feint.learners.settings import SelfPlaySettings
from feint.solvers.algorithm import Algorithm, Metrics
from feint.tree.best_response import nash_conv_of, response_gap
from feint.tree.sequence_form import SequenceForm


class SelfPlayState(NamedTuple):
    """The tables, and what every seat has learned."""

    key: PRNGKeyArray
    step: Float[Array, ""]
    where: Where
    """Where each table is."""
    responding: Bool[Array, "t p"]
    """Which seats play their best response in this hand …"""
    straying: Bool[Array, "t p"]
    """… which move at random …"""
    faithful: Bool[Array, "t p"]
    """… and which have made none but their best response's moves so far."""
    pending: Pending
    recalled: Any
    """What every seat's recurrent networks recall of the hand at each table: like `seats`; empty if there are none."""
    hands: Int[Array, ""]
    seats: Any
    """What every `SeatState` has learned, as the `Seating` holds them."""


@final
class SelfPlay(Algorithm[SelfPlayState]):
    """Seats that learn from playing each other on one game."""

    worst_of_seeds: ClassVar[frozenset[str]] = frozenset({"value_spread"})

    arena: Arena
    seating: Seating
    asking: Asking
    roles: Roles
    call: int = eqx.field(static=True)
    """What an illegal move is played as, where it is legal; else the first legal move is."""
    scale: float = eqx.field(static=True)
    settings: SelfPlaySettings = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> SelfPlayState:
        tables, players = self.settings.tables, len(self.learners)
        keys = jax.random.split(key, 3 + players)
        key, dealing, modes = keys[:3]
        infostate = self.learners[0].here.blank()
        blank = jax.tree.map(lambda leaf: jnp.zeros((tables, players, *leaf.shape), leaf.dtype), infostate)
        mode = jax.random.uniform(modes, (tables, players), jnp.float32)
        return SelfPlayState(
            key=key,
            step=jnp.zeros((), jnp.float64),
            where=self.arena.deal(random_words(dealing, self.arena.deal_words, tables)),
            responding=self.roles.responding(mode),
            straying=self.roles.straying(mode),
            faithful=jnp.ones((tables, players), bool),
            pending=Pending(jnp.zeros((tables, players), bool), blank, jnp.zeros((tables, players), jnp.int32)),
            recalled=self.seating.each(lambda learner, key: self.asking.recalls(learner), keys[3:]),
            hands=jnp.zeros((), jnp.int64),
            seats=self.seating.each(lambda learner, key: learner.new(key), keys[3:]),
        )

    @property
    def learners(self) -> tuple[SeatLearner, ...]:
        """How every seat plays and learns."""
        return self.seating.learners

    def seats(self, state: SelfPlayState) -> list[SeatState]:
        """What every seat has learned."""
        return self.seating.apart(state.seats)

    @property
    def batches(self) -> Mapping[str, int]:
        tally = {self.settings.replay.kind, self.settings.average.kind} == {"tally"}
        return {"tables": self.settings.tables} | ({} if tally else {"batch": self.settings.batch})

    def shared(self, state: SelfPlayState) -> SelfPlayState:
        tables = {name: shared(getattr(state, name)) for name in AT_TABLES}
        recalled = self.seating.each(lambda learner, recalled: shared(recalled), state.recalled)
        return state._replace(seats=whole(state.seats), recalled=recalled, **tables)

    def step(self, state: SelfPlayState) -> tuple[SelfPlayState, Metrics]:
        keys = jax.random.split(state.key, 2 + len(self.learners))
        after, transitions = self._play(state, keys[1])
        learn = partial(SeatLearner.learn, step=state.step)
        return after._replace(key=keys[0], seats=self.seating.each(learn, state.seats, transitions, keys[2:])), {}

    def _play(self, state: SelfPlayState, key: PRNGKeyArray) -> tuple[SelfPlayState, Any]:
        """One move at every table, and what came of it for every seat."""
        arena, players = self.arena, len(self.learners)
        words = random_words(key, arena.play_words + 1 + players, self.settings.tables)
        uniform = as_uniform(words[arena.play_words :])
        infostate, turn = arena.infostate(state.where), arena.turn(state.where)
        recalled = self.seating.each(
            lambda learner, seat, before: learner.recall(seat, learner.here.own(infostate), before),
            state.seats,
            state.recalled,
        )
        probabilities, legal = (
            self._probabilities(state._replace(recalled=recalled), infostate, turn),
            arena.legal(infostate),
        )
        move = draw(probabilities, uniform[0], legal if self.settings.masked else jnp.ones_like(legal))
        played = arena.play(state.where, self._legal_move(legal, move), words[: arena.play_words])
        seats = jnp.arange(players)
        acts, acts_next = turn[:, None] == seats, arena.turn(played.where)[:, None] == seats
        pending, done = state.pending.noted(acts, infostate, move), played.done[:, None]
        completed = pending.made & (done | acts_next)
        # With little exploration the likeliest move of a best response is its own.
        faithful = state.faithful & ~(acts & (move != probabilities.argmax(1))[:, None])

        def kept(learner: SeatLearner, number: Int[Array, ""], before: Any, now: Any) -> Any:
            here = acts[:, number, None]
            return jax.tree.map(lambda old, new: jnp.where(done, 0.0, jnp.where(here, new, old)), before, now)

        after = state._replace(
            step=state.step + 1.0,
            where=played.where,
            responding=jnp.where(done, self.roles.responding(uniform[1:].T), state.responding),
            straying=jnp.where(done, self.roles.straying(uniform[1:].T), state.straying),
            faithful=faithful | done,
            pending=pending._replace(made=pending.made & ~(completed | done)),
            recalled=self.seating.each(kept, seats, state.recalled, recalled),
            hands=state.hands + played.done.sum(),
        )
        enters = state.responding if self.settings.exploration.remembered else state.responding & faithful
        return after, self._happened(state.responding, enters, pending, completed, played)

    def _happened(
        self,
        responding: Bool[Array, "t p"],
        enters: Bool[Array, "t p"],
        pending: Pending,
        completed: Bool[Array, "t p"],
        played: Played,
    ) -> Any:
        """Every seat's transitions, and which of them enter its average."""
        learned, following = completed & self.roles.learning(responding), self.arena.infostate(played.where)
        clip = self.settings.values.reward_clip

        def happened(learner: SeatLearner, number: Int[Array, ""]) -> Transitions:
            return Transitions(
                learned[:, number],
                enters[:, number],
                learner.here.own(jax.tree.map(lambda leaf: leaf[:, number], pending.infostate)),
                pending.move[:, number],
                learner.here.own(following),
                played.done,
                jnp.clip(played.payoff[:, number] * self.scale, -clip, clip).astype(jnp.float32),
            )

        return self.seating.each(happened, jnp.arange(len(self.learners)))

    def _probabilities(self, state: SelfPlayState, infostate: InfoState, turn: Int[Array, " t"]) -> Float[Array, "t a"]:
        """What whoever is to act does, by the average, by the best response with a little exploration, or at random."""
        mine = partial(jnp.take_along_axis, indices=turn[:, None], axis=1)
        chosen = self.roles.play(
            partial(self.asking, self.seating, state.seats, state.recalled, infostate, turn),
            lambda learner, seat, *seen: learner.explored(seat, state.step, *seen),
            lambda learner, seat, *seen: learner.average(seat, *seen),
            mine(state.responding)[:, 0],
            infostate,
            turn,
        )
        if isinstance(self.settings.noise, float) and self.settings.noise == 0.0:  # unless it is told while running
            return chosen
        legal = self.arena.legal(infostate).astype(chosen.dtype)
        return jnp.where(mine(state.straying), legal / legal.sum(1, keepdims=True), chosen)

    def _legal_move(self, legal: Bool[Array, "t a"], move: Int[Array, " t"]) -> Int[Array, " t"]:
        """What a move is played as: itself, unless illegal ones are tried too."""
        if self.settings.masked:
            return move
        return jnp.take_along_axis(played_as(legal, self.call), move[:, None], 1)[:, 0]

    def strategy(self, state: SelfPlayState) -> Strategy:
        if self.learners[0].here.listing is None:
            return NetworkStrategy(self.fingerprint, self.policy(state))
        table = self.responses(state) if self.settings.greedy else self.averages(state, smooth=True)
        return TabularStrategy(self.fingerprint, table)

    def policy(self, state: SelfPlayState) -> Learned:
        """The same as networks play it."""
        return self.playing(self.networks(state))

    def networks(self, state: SelfPlayState) -> tuple[Network, ...]:
        """The networks that play, one for each seat."""
        return tuple(
            seat.values.network if seat.policy is None or self.settings.greedy else seat.smooth or seat.policy.network
            for seat in self.seats(state)
        )

    def playing(self, networks: tuple[Network, ...]) -> Learned:
        """Networks as `networks` gives them, playing."""
        return Learned(self.learners, networks, self.settings.greedy, self.call)

    def move_values(self, state: SelfPlayState) -> LearnedMoveValues:
        networks = tuple(seat.values.network for seat in self.seats(state))
        return LearnedMoveValues(self.learners, networks, self.scale)

    def read(self, arrays: Arrays) -> NetworkStrategy:
        """Networks as they were stored."""
        like = eqx.filter_eval_shape(lambda key: self.networks(self.init(key)), jax.random.key(0))
        return NetworkStrategy(self.fingerprint, self.playing(restored(arrays, like)))

    def averages(self, state: SelfPlayState, smooth: bool = False) -> Float[Array, "i a"]:
        """Every seat's average policy as one table."""
        return self._tabulated(state, lambda learner, seat: learner.average(seat, None, smooth=smooth))

    def responses(self, state: SelfPlayState) -> Float[Array, "i a"]:
        """Every seat's greedy best response as one table."""
        return self._tabulated(state, lambda learner, seat: learner.best(seat.values.network, None))

    def _tabulated(
        self, state: SelfPlayState, ask: Callable[[SeatLearner, SeatState], Float[Array, "i a"]]
    ) -> Float[Array, "i a"]:
        """A 64-bit table whose rows sum to 1, the mass of illegal moves put on what they are played as."""
        table = jnp.concatenate(self.seating.each(ask, state.seats)).astype(jnp.float64)
        legal = jnp.concatenate([learner.here.legal(None) for learner in self.learners])
        table = as_played(table, legal, self.call)
        return table / table.sum(1, keepdims=True)

    def hands(self, state: SelfPlayState) -> Int[Array, "*seeds"]:
        return state.hands

    def concern(self, row: Mapping[str, Any]) -> str | None:
        died = row.get("value_spread") == 0 and row["updates"] > 0  # as of those whose units all went silent
        return "a value network died: every situation is worth the same to it" if died else None

    def measure(self, state: SelfPlayState, form: SequenceForm | None) -> Metrics:
        """How exploitable each part is and how good the responses are, where that is known, and how things go on."""
        if form is None:
            return self._progress(state)
        average, greedy, players = self.averages(state), self.responses(state), len(self.learners)
        return {
            "average": nash_conv_of(form, average) / players,
            "greedy": nash_conv_of(form, greedy) / players,
            "response_gap": response_gap(form, average, greedy) / players,
        } | self._progress(state)

    def _progress(self, state: SelfPlayState) -> Metrics:
        seats, replay, history = self.seats(state), self.learners[0].replay, self.learners[0].history
        losses = jnp.stack([seat.losses for seat in seats]).mean(0)
        updates = sum(seat.values.updates + (seat.policy.updates if seat.policy else 0) for seat in seats)
        return {
            "value_loss": losses[0],
            "policy_loss": losses[1],
            "replay": jnp.asarray(sum(replay.size(seat.replay) for seat in seats)),
            "history": jnp.asarray(sum(history.size(seat.history) if history else 0.0 for seat in seats)),
            "decisions": state.step * self.settings.tables,
            "hands": state.hands,
            "updates": jnp.asarray(updates),
        } | self._spread(state)

    def _spread(self, state: SelfPlayState) -> Metrics:
        """How far apart in chips the values of a move lie, of the seat where that is least: 0 where its units died."""
        infostates = None
        if self.learners[0].here.listing is None:
            fresh = self.arena.deal(random_words(jax.random.key(0), self.arena.deal_words, ASKED))
            asked = self.arena.infostate(state.where), self.arena.infostate(fresh)
            infostates = jax.tree.map(lambda *parts: jnp.concatenate(parts), *asked)
        spreads = [
            learner.spread(seat, infostates)
            for learner, seat in zip(self.learners, self.seats(state), strict=True)
            if len(learner.here.legal(infostates)) > 1
        ]
        return {"value_spread": jnp.stack(spreads).min() / self.scale} if spreads else {}


def self_play(form: Form, settings: SelfPlaySettings, opponent: Callable[[Arena], Policy] | None = None) -> SelfPlay:
    """The engine on a game; with an opponent, every seat learns against that instead of against the others."""
    here = [form.situations(player, settings.encoding) for player in range(form.players)]
    size = sum(math.inf if each.listing is None else each.listing.shape[0] for each in here)
    if settings.counts and size == math.inf:
        raise BadInput(
            f"{form.name} is too large to keep a tally of; use --preset small on a few cores, --preset large on an "
            f"accelerator, or --set replay.kind=rows and --set average.kind=reservoir."
        )
    alike = all(each is here[0] for each in here) and jax.default_backend() != "cpu"
    return SelfPlay(
        arena=form.arena,
        seating=Seating(tuple(SeatLearner(each, settings) for each in here), alike),
        asking=Asking(everywhere=settings.counts or size <= FEW * settings.tables),
        roles=Roles(settings, opponent(form.arena) if opponent else None),
        call=form.actions.index("call") if "call" in form.actions else 0,
        scale=settings.values.reward_scale or 1.0 / form.largest,
        settings=settings,
        fingerprint=form.fingerprint,
    )


AT_TABLES = ("where", "responding", "straying", "faithful", "pending")
"""What of a state has a row for each table."""
ASKED = 256
"""Hands whose first decisions are asked about, beside those at the tables, to see whether values differ at all."""
FEW = 4
"""Up to this many information sets for each table, asking about all of them is cheaper than asking for each table."""
