"""Monte Carlo counterfactual regret minimisation by outcome sampling: regrets are estimated from hands played.

A step has one player learn, the players taking turns. So many hands are played side by side, by everybody's present
strategy but that whoever learns also tries moves at random, and each hand says something of the moves on its way
alone: what it says is divided by how likely the hand was, so that in the mean it is the regret that cfr would add.
Averages are added up in the same hands, for all players but the one who learns (Lanctot et al. 2009).

Baselines take noise out of that (Schmid et al. 2019): a move that was not made is worth what it was worth on average so
far, and one that was made is corrected by how far the hand was off. Any baseline leaves the mean as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import Arena, Where, as_uniform, draw, random_words
from feint.forms.form import Form
from feint.forms.strategy import TabularStrategy
from feint.solvers.algorithm import Algorithm, Config, Entry, Metrics, require
from feint.solvers.regrets import Rule
from feint.tree.arrays import on_device
from feint.tree.sequence_form import SequenceForm
from feint.tree.tree import Tree


@final
@dataclass(frozen=True)
class MonteCarloCFR(Config):
    """Outcome-sampling Monte Carlo counterfactual regret minimisation."""

    tables: int = 1024
    """Hands played side by side in a step, all by the same strategy; 1 is the paper's."""
    exploration: float = 0.6
    """The share of moves that the player who learns makes at random."""
    baselines: Literal["infosets", "states"] | None = "states"
    """For what moves' worths are averaged to take noise out: for nothing, as players see it, or as the game has it."""
    recency: float = 1.0
    """Step t weighs t^recency in these averages."""
    alpha: float = inf
    """Positive regret sums shrink by t^alpha / (t^alpha + 1); inf keeps them whole."""
    beta: float = inf
    """Negative regret sums shrink by t^beta / (t^beta + 1); inf keeps them whole, -inf forgets them."""
    gamma: float = 0.0
    """Each player's step t weighs t^gamma in the average strategy."""

    def __post_init__(self) -> None:
        require(
            self,
            tables=(self.tables >= 1, "at least 1"),
            exploration=(0 < self.exploration <= 1, "above 0, or some moves are never tried, and at most 1"),
            recency=(0 <= self.recency < inf, "0 or more"),
        )

    def on(self, form: Form) -> MonteCarloRegretMinimiser:
        tree = form.whole("mccfr")
        return MonteCarloRegretMinimiser(
            arena=form.arena,
            player=on_device(tree.player, jnp.int32),
            legal=on_device(tree.legal),
            longest=longest_hand(tree),
            states=int((tree.actor >= 0).sum()),
            settings=self,
            rule=Rule(self.alpha, self.beta, self.gamma, predictive=False),
            fingerprint=tree.fingerprint,
        )


ALGORITHMS = {
    "mccfr": Entry(
        "Monte Carlo CFR: regrets estimated from hands played, by outcome sampling (Lanctot et al. 2009).",
        MonteCarloCFR(),
        presets={
            "paper": MonteCarloCFR(tables=1, baselines=None),
            "plus": MonteCarloCFR(beta=-inf, gamma=1.0),
        },
    )
}


def longest_hand(tree: Tree) -> int:
    """How many moves players make in a hand at most."""
    at, moves = tree.terminal, np.zeros(len(tree.terminal), int)
    while (below := at > 0).any():
        at = np.where(below, tree.parent[at], 0)
        moves += below & (tree.actor[at] >= 0)
    return int(moves.max())


class Baselines(NamedTuple):
    """What moves were worth in the hands of each player who learned, added up; `k` counts infosets or states."""

    worth: Float[Array, "p k a"]
    weight: Float[Array, "p k a"]

    def of(self, player: Int[Array, ""], place: Int[Array, " t"]) -> Float[Array, "t a"]:
        """The means so far, 0 where there is nothing yet."""
        worth, weight = self.worth[player, place], self.weight[player, place]
        return jnp.where(weight > 0, worth / jnp.where(weight > 0, weight, 1.0), 0.0)


class MonteCarloState(NamedTuple):
    key: PRNGKeyArray
    step: Int[Array, ""]
    regrets: Float[Array, "i a"]
    averages: Float[Array, "i a"]
    """What moves were played in all steps, up to scale in each row."""
    baselines: Baselines | None


class Moves(NamedTuple):
    """The moves of hands, with an axis before all others for how many came before in the same hand."""

    where: Where
    infostate: Int[Array, "*m t"]
    move: Int[Array, "*m t"]
    strategy: Float[Array, "*m t a"]
    """What whoever was to move would have played …"""
    chance: Float[Array, "*m t"]
    """… and how likely this move was to be made, exploration included."""
    weight: Float[Array, "*m t"]
    """By how much all that it says counts; 0 where the hand was over before."""
    over: Bool[Array, "*m t"]
    """Whether the hand was over after it …"""
    won: Float[Array, "*m t"]
    """… and what the player who learns won then."""


class Hand(NamedTuple):
    """Where hands are."""

    where: Where
    over: Bool[Array, " t"]
    reach: Float[Array, "t p"]
    """How likely each player's moves so far were to be made."""


class Sampled(NamedTuple):
    """What the hands of a step say."""

    table: Float[Array, "i a"]
    """Regrets where whoever learns decides; elsewhere the strategy, weighted with how often its player comes there."""
    baselines: Baselines | None


@final
class MonteCarloRegretMinimiser(Algorithm[MonteCarloState]):
    """Outcome sampling on one game."""

    arena: Arena
    player: Int[Array, " i"]
    """Who decides at each information set."""
    legal: Bool[Array, "i a"]
    longest: int = eqx.field(static=True)
    """Moves of a hand at most."""
    states: int = eqx.field(static=True)
    """Decisions that the arena tells apart."""
    settings: MonteCarloCFR = eqx.field(static=True)
    rule: Rule = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> MonteCarloState:
        infosets, moves = self.legal.shape
        kinds = {None: 0, "infosets": infosets, "states": self.states}[self.settings.baselines]
        nothing = jnp.zeros((self.arena.players, kinds, moves))
        return MonteCarloState(
            key=key,
            step=jnp.zeros((), jnp.int64),
            regrets=jnp.zeros((infosets, moves)),
            averages=jnp.zeros((infosets, moves)),
            baselines=Baselines(nothing, jnp.zeros_like(nothing)) if kinds else None,
        )

    def step(self, state: MonteCarloState) -> tuple[MonteCarloState, Metrics]:
        key, playing = jax.random.split(state.key)
        learner, time = state.step % self.arena.players, state.step // self.arena.players + 1.0
        table, baselines = self.sampled(state, learner, playing)
        mine = (self.player == learner)[:, None]
        regrets = jnp.where(mine, self.rule.added(state.regrets, table, time), state.regrets)
        averages = state.averages + jnp.where(mine, 0.0, self.rule.weight(time) * table)
        return MonteCarloState(key, state.step + 1, regrets, averages, baselines), {}

    def sampled(self, state: MonteCarloState, learner: Int[Array, ""], key: PRNGKeyArray) -> Sampled:
        """Play a step's hands, and say what they say in the mean of one."""
        moves = self._played(state.regrets, learner, key)
        rows, worth = self._looked_back(state.baselines, learner, moves)
        table = jnp.zeros_like(state.regrets).at[moves.infostate].add(rows / self.settings.tables)
        if state.baselines is None:
            return Sampled(table, None)
        # However likely a hand was, the mean of what comes after a move is the same.
        weight = jnp.where(moves.weight > 0, (state.step + 1.0) ** self.settings.recency, 0.0)
        at = learner, self._place(moves), moves.move
        added = Baselines(state.baselines.worth.at[at].add(weight * worth), state.baselines.weight.at[at].add(weight))
        return Sampled(table, added)

    def _played(self, regrets: Float[Array, "i a"], learner: Int[Array, ""], key: PRNGKeyArray) -> Moves:
        """Every table's hand. Scans go on until the longest would be over; what is played on does not count."""
        arena, tables = self.arena, self.settings.tables
        dealing, playing = jax.random.split(key)
        seats = jnp.arange(arena.players)

        def move(hand: Hand, words: Array) -> tuple[Hand, Moves]:
            infostate, acts = arena.infostate(hand.where), arena.turn(hand.where)[:, None] == seats
            legal, learns = self.legal[infostate], acts[:, learner]
            strategy = self._matched(regrets[infostate], legal)
            share = jnp.where(learns, self.settings.exploration, 0.0)[:, None]
            chances = (1.0 - share) * strategy + share * legal / legal.sum(1, keepdims=True)
            chosen = draw(chances, as_uniform(words[-1]), legal)
            chance = jnp.take_along_axis(chances, chosen[:, None], 1)[:, 0]
            # Regrets are weighted with how often the others bring the game here, which is how often they did;
            # averages with how often their own player would. What else made the hand likely is divided out.
            likely = jnp.where(acts == learns[:, None], hand.reach, 1.0).prod(1)
            played = arena.play(hand.where, chosen, words[:-1])
            made = Moves(
                where=hand.where,
                infostate=infostate,
                move=chosen,
                strategy=strategy,
                chance=chance,
                weight=jnp.where(hand.over, 0.0, 1.0 / likely),
                over=played.done,
                won=played.payoff[:, learner].astype(jnp.float64),
            )
            reach = jnp.where(acts, hand.reach * chance[:, None], hand.reach)
            return Hand(played.where, hand.over | played.done, reach), made

        dealt = arena.deal(random_words(dealing, arena.deal_words, tables))
        start = Hand(dealt, jnp.zeros(tables, bool), jnp.ones((tables, arena.players)))
        words = random_words(playing, self.longest, arena.play_words + 1, tables)
        made: Moves = jax.lax.scan(move, start, words)[1]
        return made

    def _looked_back(
        self, baselines: Baselines | None, learner: Int[Array, ""], moves: Moves
    ) -> tuple[Float[Array, "m t a"], Float[Array, "m t"]]:
        """What every move says of the moves there, and what came after it was worth to whoever learns."""

        def back(after: Float[Array, " t"], now: Moves) -> tuple[Array, tuple[Array, Array]]:
            after = jnp.where(now.over, now.won, after)
            legal, learns = self.legal[now.infostate], self.player[now.infostate] == learner
            usual = jnp.zeros(legal.shape) if baselines is None else baselines.of(learner, self._place(now))
            made = now.move[:, None] == jnp.arange(legal.shape[1])
            worth = usual + jnp.where(made, (after[:, None] - usual) / now.chance[:, None], 0.0)
            here = (now.strategy * worth).sum(1)
            regret = jnp.where(legal, worth - here[:, None], 0.0)
            return here, (now.weight[:, None] * jnp.where(learns[:, None], regret, now.strategy), after)

        rows: tuple[Array, Array] = jax.lax.scan(back, jnp.zeros(self.settings.tables), moves, reverse=True)[1]
        return rows

    def _place(self, moves: Moves) -> Int[Array, "*m t"]:
        """Where a move's baseline stands."""
        place: Array = moves.where if self.settings.baselines == "states" else moves.infostate
        return place

    def _matched(self, regrets: Float[Array, "t a"], legal: Bool[Array, "t a"]) -> Float[Array, "t a"]:
        """Moves in proportion to regret."""
        return normalised(self.rule.hoped(regrets, None), legal)

    def strategy(self, state: MonteCarloState) -> TabularStrategy:
        return TabularStrategy(self.fingerprint, normalised(state.averages, self.legal))

    def latest(self, state: MonteCarloState) -> TabularStrategy:
        return TabularStrategy(self.fingerprint, self._matched(state.regrets, self.legal))

    def hands(self, state: MonteCarloState) -> Int[Array, "*seeds"]:
        return state.step * self.settings.tables

    def measure(self, state: MonteCarloState, form: SequenceForm | None) -> Metrics:
        return {"hands": self.hands(state)}


def normalised(weights: Float[Array, "t a"], legal: Bool[Array, "t a"]) -> Float[Array, "t a"]:
    """Non-negative weights as move probabilities; every legal move equally often where they are all zero."""
    chosen = jnp.where(weights.sum(1, keepdims=True) > 0, weights, legal)
    return chosen / chosen.sum(1, keepdims=True)
