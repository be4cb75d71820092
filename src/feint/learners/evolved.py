"""Evolved networks (Nicolai & Hilderman 2009): poker players without gradients, from tournaments and their winners.

A generation of small networks plays a tournament. The best live on as parents, and all others of the next generation
are their children. The next best go to a hall of fame: later generations meet them as opponents, so that what was
learned against them is not forgotten, and now and then have an ancestor there. The winner of the last tournament is
the strategy that is judged and kept. It answers those that it met, as a best response does, and nothing makes it safe
against others. docs/learners.md says what is known of the original and what is our reading.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from feint.forms.form import Form
from feint.forms.leaves import restored
from feint.forms.strategy import Arrays, Strategy, TabularStrategy
from feint.learners.bettor import OUTPUTS, SIZES, BettorStrategy, NetworkPolicy, bettor_for
from feint.learners.breeding import Genes, Hall, as_network, crossed, mutated
from feint.learners.networks import Design, Network
from feint.learners.settings import played_alike
from feint.learners.tournament import Many, Tournament
from feint.solvers.algorithm import Algorithm, Config, Entry, Metrics, require
from feint.tree.best_response import nash_conv_of
from feint.tree.sequence_form import Plan, SequenceForm

ENCODING = "summary"
"""What networks are told."""
AT_ONCE = 50
"""Members of a hall of fame that are written out as tables at once, at most."""


@final
@dataclass(frozen=True)
class Breeding:
    """How a generation comes of the last."""

    parents: int = 10
    """The best of a tournament, who live on and have all the children."""
    rate: float = 0.06
    """The share of a child's weights that mutate: they are drawn anew."""
    spread: float = 2.0
    """The standard deviation of weights that are drawn, in the first generation and later."""

    def __post_init__(self) -> None:
        require(
            self,
            parents=(self.parents >= 1, "at least 1"),
            rate=(0 < self.rate <= 1, "above 0 and at most 1"),
            spread=(self.spread > 0, "above 0"),
        )


@final
@dataclass(frozen=True)
class Fame:
    """The hall of fame."""

    places: int = 1000
    """How many it holds; 0 for none. Who enters a full one takes anyone's place."""
    entering: int = 10
    """How many enter after a tournament: the next best after the parents."""
    opponents: float = 0.5
    """The share of opponents in a tournament that come from it, the others being of the generation itself."""
    ancestors: float = 0.1
    """The share of children that have one of their two parents in it."""

    def __post_init__(self) -> None:
        require(
            self,
            places=(self.places >= 0, "0 or more"),
            entering=(
                not self.places or 1 <= self.entering <= self.places,
                f"from 1 to as many as places, {self.places}",
            ),
            opponents=(0 <= self.opponents <= 1, "from 0 to 1"),
            ancestors=(0 <= self.ancestors <= 1, "from 0 to 1"),
        )


@final
@dataclass(frozen=True)
class Evolved(Config):
    """Evolved networks."""

    population: int = 100
    """Networks in a generation."""
    games: int | None = 1000
    """Hands that each of them plays in a tournament, filled up to whole deals in every seat; none for what it would
    win on average, exactly, in games that are unrolled."""
    opponents: int = 25
    """How many opponents it plays them against, the same for all."""
    breeding: Breeding = Breeding()
    """How a generation comes of the last."""
    fame: Fame = Fame()
    """The hall of fame."""
    hidden: tuple[int, ...] = (20,)
    """Units in each layer of a network between 35 inputs and three outputs: fold, call and raise. All are sigmoids."""
    bets: tuple[float, ...] = (0.0, 0.5, 1.0)
    """The bet-size table: how high the output for raises is where they are small, medium and large."""

    needs_tree: ClassVar[bool] = False

    def __post_init__(self) -> None:
        table = len(self.bets) == SIZES and list(self.bets) == sorted({min(max(bet, 0.0), 1.0) for bet in self.bets})
        least = self.breeding.parents + (self.fame.entering if self.fame.places else 0)
        require(
            self,
            population=(self.population >= least, f"at least as many as become parents or famous, {least}"),
            games=(self.games is None or self.games >= 1, "none or at least 1"),
            opponents=(1 <= self.opponents <= self.population, f"from 1 to the population, {self.population}"),
            bets=(table, "three ascending numbers from 0 to 1"),
            hidden=(all(units >= 1 for units in self.hidden), "at least 1 in each layer"),
        )

    def alike(self, form: Form) -> bool:
        return played_alike(form, ENCODING)

    def check(self, form: Form) -> None:
        bettor_for(form, self.bets)
        for player in range(form.players if form.tree else 0):
            form.situations(player, "")  # which refuses players who never decide

    def on(self, form: Form) -> Evolution:
        self.check(form)
        seats = tuple(form.situations(player, ENCODING) for player in range(form.players))
        tournament = Tournament(form.arena, seats, bettor_for(form, self.bets))
        exact = form.whole("evolved with games=none").form if self.games is None else None
        return Evolution(tournament, exact, self, form.fingerprint)

    def read(self, arrays: Arrays, fingerprint: str, form: Callable[[], Form]) -> Strategy:
        """A table, or the network where the game is too large for one."""
        listed = "probabilities" in arrays
        return super().read(arrays, fingerprint, form) if listed else self.on(form()).read(arrays)


ALGORITHMS = {
    "evolved": Entry(
        "Networks that play tournaments, whose winners have children (Nicolai & Hilderman 2009).",
        Evolved(),
        presets={
            "plain": Evolved(fame=Fame(places=0)),
            "exact": Evolved(games=None),
            "large": Evolved(1000, 1000, 100, Breeding(100), Fame(10_000, 100)),
        },
    )
}


class EvolutionState(NamedTuple):
    """A generation that is about to play."""

    key: PRNGKeyArray
    population: Genes
    """The best of the last tournament first."""
    hall: Hall | None
    won: Float[Array, " n"]
    """What came of the last tournament, in chips a hand, in the order of its ranks."""
    hands: Int[Array, ""]


@final
class Evolution(Algorithm[EvolutionState]):
    """Networks that evolve on one game."""

    tournament: Tournament
    exact: SequenceForm | None
    """By what tournaments are worked out rather than played."""
    settings: Evolved = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> EvolutionState:
        key, drawing = jax.random.split(key)
        weights = sum(leaf.size for leaf in jax.tree.leaves(self.shape))
        size, places = self.settings.population, self.settings.fame.places
        return EvolutionState(
            key,
            mutated(jnp.zeros((size, weights), jnp.float32), 1.0, self.settings.breeding.spread, drawing),
            Hall(jnp.zeros((places, weights), jnp.float32), jnp.zeros((), jnp.int32)) if places else None,
            jnp.zeros(size, jnp.float32),
            jnp.zeros((), jnp.int64),
        )

    @property
    def shape(self) -> Network:
        """A network of which nothing is there but its shape."""
        inputs, design = self.tournament.seats[0].inputs, Design(self.settings.hidden, "sigmoid")
        made: Network = eqx.filter_eval_shape(
            lambda key: design(inputs, len(OUTPUTS), key, "sigmoid"), jax.random.key(0)
        )
        return made

    def networks(self, genes: Genes) -> Many:
        """Networks of their weights."""
        shape = self.shape
        return jax.vmap(lambda row: as_network(row, shape))(genes)

    def step(self, state: EvolutionState) -> tuple[EvolutionState, Metrics]:
        parents, players = self.settings.breeding.parents, self.tournament.arena.players
        key, meeting, playing, breeding, entering = jax.random.split(state.key, 5)
        entrants, opponents = self.networks(state.population), self.networks(self.opponents(state, meeting))
        if self.exact is not None:
            won = self.tournament.expected(entrants, opponents, self.exact)
        else:
            won = self.tournament(entrants, opponents, self.deals, playing)
        order = jnp.argsort(-won)
        ranked, hall = state.population[order], state.hall
        if hall is not None:
            hall = hall.after(ranked[parents : parents + self.settings.fame.entering], entering)
        population = jnp.concatenate([ranked[:parents], self._children(ranked[:parents], state.hall, breeding)])
        hands = state.hands + len(population) * self.settings.opponents * players * self.deals
        return EvolutionState(key, population, hall, won[order], hands), {}

    @property
    def deals(self) -> int:
        """Deals on which a network meets an opponent in each seat."""
        return math.ceil((self.settings.games or 0) / (self.settings.opponents * self.tournament.arena.players))

    def opponents(self, state: EvolutionState, key: PRNGKeyArray) -> Genes:
        """Some of the hall of fame, once there are any, and some of the generation."""
        drawing, remembering = jax.random.split(key)
        number = self.settings.opponents
        peers = state.population[jax.random.randint(drawing, (number,), 0, len(state.population))]
        if state.hall is None:
            return peers
        famous = (jnp.arange(number) < self.settings.fame.opponents * number) & (state.hall.entered > 0)
        return jnp.where(famous[:, None], state.hall.some(number, remembering), peers)

    def _children(self, parents: Genes, hall: Hall | None, key: PRNGKeyArray) -> Genes:
        """The rest of a generation: each lies somewhere between two parents, and some of its weights mutate."""
        breeding, number = self.settings.breeding, self.settings.population - len(parents)
        choosing, descending, remembering, crossing, mutating = jax.random.split(key, 5)
        one, other = parents[jax.random.randint(choosing, (2, number), 0, len(parents))]
        if hall is not None:
            drawn = jax.random.uniform(descending, (number,), jnp.float32)
            descends = (drawn < self.settings.fame.ancestors) & (hall.entered > 0)
            other = jnp.where(descends[:, None], hall.some(number, remembering), other)
        return mutated(crossed(one, other, crossing), breeding.rate, breeding.spread, mutating)

    def strategy(self, state: EvolutionState) -> Strategy:
        best, here = as_network(state.population[0], self.shape), self.tournament.seats[0]
        if here.listing is None:
            return BettorStrategy(self.fingerprint, NetworkPolicy(here, self.tournament.bettor, best))
        return TabularStrategy(self.fingerprint, self.tournament.table(best))

    def read(self, arrays: Arrays) -> BettorStrategy:
        """A network as it was stored."""
        policy = NetworkPolicy(self.tournament.seats[0], self.tournament.bettor, restored(arrays, self.shape))
        return BettorStrategy(self.fingerprint, policy)

    def hands(self, state: EvolutionState) -> Int[Array, "*seeds"] | None:
        return state.hands if self.exact is None else None

    def measure(self, state: EvolutionState, form: SequenceForm | None) -> Metrics:
        """What the last tournament's winner won and its median entrant, and how exploitable all together are."""
        told: Metrics = {"won": state.won[0], "won_median": jnp.median(state.won)}
        if self.exact is None:
            told["hands"] = state.hands
        if form is not None:
            told["average"] = nash_conv_of(form, self.mixture(state, form)) / len(form.sides)
        return told

    def mixture(self, state: EvolutionState, form: SequenceForm) -> Float[Array, "i a"]:
        """The strategy of an unrolled game that is anyone of the hall of fame in each hand, or where there is none
        anyone of the generation: the mean of their plans. Uniform while nobody has entered."""
        members = state.population if state.hall is None else state.hall.genes
        taken = jnp.asarray(len(members)) if state.hall is None else state.hall.taken
        some = math.gcd(len(members), AT_ONCE)

        def plans_of(network: Network) -> tuple[Plan, ...]:
            return form.plans(form.vectors(self.tournament.table(network)))

        def add(number: Int[Array, ""], total: tuple[Plan, ...]) -> tuple[Plan, ...]:
            which = number * some + jnp.arange(some)
            plans = jax.vmap(plans_of)(self.networks(members[which]))
            there = (which < taken)[:, None]
            return tuple(before + (there * plan).sum(0) for before, plan in zip(total, plans, strict=True))

        nothing = tuple(jnp.zeros(len(side.cells) + 1) for side in form.sides)
        total = jax.lax.fori_loop(0, -(-taken // some), add, nothing)
        return form.table([side.normalise(plan[:-1]) for side, plan in zip(form.sides, total, strict=True)])
