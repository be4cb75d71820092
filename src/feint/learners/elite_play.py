"""Neural fictitious play by winnings: play yourself, keep the moves that won most, learn them, repeat.

One network plays every seat and knows nothing of the rules. In each step it plays some hands against itself. Its
decisions are grouped by situation and sorted by what the hand won for whoever decided, and the network is trained
on the best of each group. Nothing says that this finds a best response: a move that wins much now and then is
preferred to one that wins a little always. Its authors claim less: that dominated moves disappear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import as_uniform, draw, random_words
from feint.arena.tables import TreeArena, build_arena
from feint.forms.form import Form
from feint.forms.strategy import TabularStrategy
from feint.learners.networks import Design, Network, Trained, Training
from feint.learners.settings import FORBIDDEN
from feint.solvers.algorithm import Algorithm, Config, Entry, Metrics, require
from feint.tree.tree import Tree


@final
@dataclass(frozen=True)
class ElitePlay(Config):
    """Fictitious play by winnings."""

    hands: int = 100
    """Hands of self-play in each step (the paper's numHands)."""
    selection: float = 5.0
    """One decision in this many is learned from (the paper's learningRate)."""
    average: Literal["policy", "weights", "fictitious"] | None = "policy"
    """What the network's answer does to the strategy: it replaces it (none, the paper's first algorithm), is averaged
    with it (policy, its modification; weights averages the networks instead) or enters the mean of all answers so far
    (fictitious)."""
    uniform: bool = True
    """Whether all moves are equally likely to begin with, as in the paper; otherwise networks begin at random."""
    network: Design = Design((16,))
    """The shape of the network; the paper does not say."""
    policy: Training = Training(rate=0.02, updates=300)
    """How it is trained in each step, on all that was kept."""

    def __post_init__(self) -> None:
        require(
            self,
            hands=(self.hands >= 1, "at least 1"),
            selection=(self.selection >= 1, "at least 1"),
            **{"network.cell": (self.network.cell is None, "none: a decision is learned by itself")},
        )

    def on(self, form: Form) -> ElitePlayer:
        tree = form.whole("elite-play")
        return ElitePlayer(
            arena=build_arena(tree),
            features=jnp.asarray(tree.features, jnp.float32),
            legal=jnp.asarray(tree.legal),
            longest=longest_hand(tree),
            settings=self,
            fingerprint=tree.fingerprint,
        )


ALGORITHMS = {
    "elite-play": Entry(
        "Fictitious play by winnings: the moves of the hands that won most are learned; dominated ones should go.",
        ElitePlay(),
        presets={"plain": ElitePlay(average=None)},
    )
}


class EliteState(NamedTuple):
    key: PRNGKeyArray
    step: Float[Array, ""]
    network: Network
    """The last answer, from which the next one is trained."""
    policy: Float[Array, "i a"]
    """The strategy played. A mean of networks' outputs is no network, so it is kept in full: exact, and no refit."""


class Decisions(NamedTuple):
    """Every decision of a number of hands."""

    infoset: Int[Array, " d"]
    move: Int[Array, " d"]
    winnings: Float[Array, " d"]
    """What the hand won for the player who decided, in chips."""
    made: Bool[Array, " d"]
    """False for the rows that fill up hands which ended early."""


@final
class ElitePlayer(Algorithm[EliteState]):
    """Fictitious play by winnings on one game."""

    arena: TreeArena
    features: Float[Array, "i f"]
    legal: Bool[Array, "i a"]
    longest: int = eqx.field(static=True)
    settings: ElitePlay = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> EliteState:
        key, starting = jax.random.split(key)
        network = self.settings.network(
            self.features.shape[1], self.legal.shape[1], starting, flat=self.settings.uniform
        )
        return EliteState(key, jnp.zeros(()), network, self.outputs(network))

    def step(self, state: EliteState) -> tuple[EliteState, Metrics]:
        key, playing, ties = jax.random.split(state.key, 3)
        decisions = self._play(state.policy, playing)
        kept = elite_counts(decisions, self.legal, self.settings.selection, ties)
        answer = self._train(state.network, kept)
        time = state.step + 1.0
        share: Float[Array, ""] | float = 1.0
        if self.settings.average == "policy":
            share = 0.5
        elif self.settings.average == "fictitious":
            share = 1.0 / (time + 1.0)
        elif self.settings.average == "weights":
            answer = jax.tree.map(lambda old, new: (old + new) / 2, state.network, answer)
        policy = state.policy + share * (self.outputs(answer) - state.policy)
        return EliteState(key, time, answer, policy), {}

    def strategy(self, state: EliteState) -> TabularStrategy:
        return TabularStrategy(self.fingerprint, state.policy)

    def outputs(self, network: Network) -> Float[Array, "i a"]:
        """A network's move probabilities everywhere."""
        logits = jnp.where(self.legal, network(self.features), FORBIDDEN)
        return jax.nn.softmax(logits.astype(jnp.float64))

    def _play(self, policy: Float[Array, "i a"], key: PRNGKeyArray) -> Decisions:
        """Play one hand at each table, to its end."""
        dealing, key = jax.random.split(key)

        def move(table: tuple[Array, Array], key: PRNGKeyArray) -> tuple[tuple[Array, Array], tuple[Array, ...]]:
            decision, over = table
            words = random_words(key, 3, self.settings.hands)
            infoset = self.arena.infoset[decision]
            chosen = draw(policy[infoset], as_uniform(words[2]), self.legal[infoset])
            played = self.arena.play(decision, chosen, words[:2])
            won = jnp.where(over[:, None], 0.0, played.payoff)
            return (played.where, over | played.done), (infoset, chosen, self.arena.actor[decision], ~over, won)

        start = self.arena.deal(random_words(dealing, 1, self.settings.hands)), jnp.zeros(self.settings.hands, bool)
        _, (infoset, chosen, actor, made, won) = jax.lax.scan(move, start, jax.random.split(key, self.longest))
        winnings = jnp.take_along_axis(won.sum(0), actor.T, 1).T
        return Decisions(infoset.ravel(), chosen.ravel(), winnings.ravel(), made.ravel())

    def _train(self, network: Network, counts: Float[Array, "i a"]) -> Network:
        """Train a network further on the moves that were kept, all of them in every update."""
        training = self.settings.policy
        weights = (counts / jnp.maximum(counts.sum(), 1.0)).astype(jnp.float32)

        def loss(network: Network) -> Float[Array, ""]:
            logits = jnp.where(self.legal, network(self.features), FORBIDDEN)
            return -jnp.where(self.legal, weights * jax.nn.log_softmax(logits), 0.0).sum()

        update = lambda _, trained: training.update(trained, loss, counts.sum() > 0)[0]  # noqa: E731
        trained: Trained = jax.lax.fori_loop(0, training.updates, update, training.start(network))
        return trained.network


def elite_counts(
    decisions: Decisions, legal: Bool[Array, "i a"], selection: float, key: PRNGKeyArray
) -> Float[Array, "i a"]:
    """How often each move is among the best of its situation: of L decisions, those of rank j = 1, 2, … < L / selection
    by winnings, equal ones in random order. (A situation seen `selection` times or less teaches nothing.)"""
    infosets, moves = legal.shape
    group = jnp.where(decisions.made, decisions.infoset, infosets)
    order = jnp.lexsort((jax.random.uniform(key, group.shape), -decisions.winnings, group))
    group = group[order]
    size = jnp.bincount(group, length=infosets + 1)
    rank = jnp.arange(1, len(group) + 1) - (jnp.cumsum(size) - size)[group]
    kept = (rank < size[group] / selection) & (group < infosets)
    choice = jnp.where(kept, group * moves + decisions.move[order], infosets * moves)
    return jnp.zeros(infosets * moves).at[choice].add(1.0, mode="drop").reshape(legal.shape)


def longest_hand(tree: Tree) -> int:
    """The most decisions that one hand can take."""
    decisions = np.zeros(tree.nodes, int)
    for node in range(1, tree.nodes):
        parent = tree.parent[node]
        decisions[node] = decisions[parent] + (tree.actor[parent] >= 0)
    return int(decisions.max())
