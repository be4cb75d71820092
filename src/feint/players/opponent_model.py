"""What an opponent at poker holds and does, learned from hands as they look from the other side of the table.

A network is told the board and the betting, and says with which hands the opponent makes each of its moves: a
distribution over hands for each move. How often it makes each move everybody sees. By Bayes' rule the two give what it
does with each hand, P(move | hand) ∝ P(move) · P(hand | move): the fold, call and raise that are expected of it.

The network learns from the hands that are shown. Those that end by a fold are not, and they are not like the others:
who folds is weak. Learned from shown hands alone, weak hands would seem rarer than they are before every move that a
fold may follow, and a fold might be anything. So hands that nobody saw are not left out, but count as every hand that
they can have been, as likely as the model has it by now, given the betting and one's own cards (expectation
maximisation). Whether a hand is shown depends on nothing but the moves, which are seen, so that leaves no bias.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from feint.arena.arena import AnyArray
from feint.games.errors import BadInput
from feint.games.game import CHANCE, Game
from feint.games.poker import Poker
from feint.learners.networks import Design, Trained, Training
from feint.tree.compiled import compiled
from feint.tree.move_values import levels_of
from feint.tree.tree import Tree

TRAINING = Training(rate=0.003)
UPDATES = 10
"""Of the network, each time that hands nobody saw are inferred …"""
ROUNDS = 2
"""… and how often that is done before the model is used."""
PRIOR = 1.0
"""How many hands the model starts from at every decision: dealt by chance, played as the opponent plays elsewhere."""
NEVER = -1e9
"""The logarithm of a chance that there is none."""


@final
@dataclass(frozen=True, eq=False)
class Endings:
    """How hands may end, as whoever sits in one seat sees it; `e` counts the ends that can be told apart."""

    number: Mapping[tuple[Hashable, Hashable], int]
    """By one's own last view, and what the other showed; None for nothing."""
    of: Int[np.ndarray, " t"]
    """What is seen at each terminal of the tree."""
    shown: Bool[np.ndarray, " e"]
    """Whether the other's hand is."""


@final
@dataclass(frozen=True, eq=False)
class Decisions:
    """Decisions as everybody sees them; `s` counts them, `h` the hands that can be held."""

    of: Int[np.ndarray, " i"]
    """The public decision of each information set …"""
    hand: Int[np.ndarray, " i"]
    """… and the hand that is held there."""
    legal: Bool[np.ndarray, "s a"]
    features: Float[np.ndarray, "s f"]
    """The board, the betting and who is to move."""
    dealt: Float[np.ndarray, "s h"]
    """How likely each hand is there if only chance has a say."""


@final
@dataclass(frozen=True, eq=False)
class Watched:
    """A game of poker for two as one watches an opponent in it."""

    tree: Tree
    levels: tuple[slice, ...]
    endings: tuple[Endings, Endings]
    """By the seat of whoever watches."""

    @cached_property
    def decisions(self) -> Decisions:
        return _decisions(self)

    def reached(self, table: Float[np.ndarray, "i a"], players: Sequence[int]) -> Float[np.ndarray, " n"]:
        """How likely chance and some players, who keep to a table, let it come to each node."""
        tree, moved = self.tree, self._moved
        chances = np.where(moved, 1.0, tree.chance)
        theirs = moved & np.isin(tree.actor[tree.parent], players)
        chances[theirs] = table[tree.infoset[tree.parent[theirs]], tree.move[theirs]]
        for level in self.levels[1:]:
            chances[level] *= chances[tree.parent[level]]
        return chances

    def made(self, ends: Float[np.ndarray, " t"]) -> Float[np.ndarray, "i a"]:
        """How often each move was made, given how often hands ended at each terminal."""
        tree, moved = self.tree, self._moved
        counts = np.zeros(tree.nodes)
        counts[tree.terminal] = ends
        for before, level in reversed(list(pairwise(self.levels))):
            counts[before] += np.bincount(tree.parent[level] - before.start, counts[level], before.stop - before.start)
        cells = tree.infoset[tree.parent[moved]] * tree.legal.shape[1] + tree.move[moved]
        return np.bincount(cells, counts[moved], tree.legal.size).reshape(tree.legal.shape)

    @cached_property
    def _moved(self) -> Bool[np.ndarray, " n"]:
        """Whether a player's move leads to each node."""
        return np.asarray((self.tree.parent >= 0) & (self.tree.actor[self.tree.parent] >= 0))


def check_poker_for_two(game: Game[Any]) -> None:
    """Refuse what is not poker for two."""
    if not isinstance(game, Poker) or game.players != 2:
        raise BadInput(
            f"An opponent's hand is modelled at poker for two, and {game.name} is none; choose a game such as leduc."
        )


def watch(tree: Tree) -> Watched:
    """A game as one watches an opponent in it; refused where that is not poker for two."""
    game = tree.game
    check_poker_for_two(game)
    states = [game.start()]
    for state in states:  # which grow on the way, in the order in which the tree has its nodes
        if game.actor(state) == CHANCE:
            states += [after for _, after in game.chance(state)]
        elif game.actor(state) >= 0:
            states += [game.play(state, move) for move in game.legal(state)]
    ends = [states[node] for node in tree.terminal]
    endings = []
    for seat in range(2):
        seen = [(game.view(state, seat), game.revealed(state).get(1 - seat)) for state in ends]
        number: dict[tuple[Hashable, Hashable], int] = {key: place for place, key in enumerate(dict.fromkeys(seen))}
        shown = np.array([hand is not None for _, hand in number])
        endings.append(Endings(number, np.array([number[key] for key in seen]), shown))
    return Watched(tree, tuple(levels_of(tree)), (endings[0], endings[1]))


def _decisions(watched: Watched) -> Decisions:
    tree, game = watched.tree, watched.tree.game
    assert isinstance(game, Poker)
    public: dict[Any, int] = {}
    hands: dict[Any, int] = {}
    rows = [
        (public.setdefault((player, dealer, board, moves), len(public)), hands.setdefault(hole, len(hands)))
        for player, (dealer, hole, board, moves) in zip(tree.player.tolist(), tree.views, strict=True)
    ]
    of, hand = np.array(rows).T
    cards = len(game.rounds) * game.deck.kinds  # which come before the betting, and tell of the player's own
    betting = np.zeros((len(public), tree.features.shape[1] - cards), np.float32)
    betting[of] = tree.features[:, cards:]
    table = np.array([[board.count(card) for card in range(game.deck.kinds)] for _, _, board, _ in public])
    places = np.array([[player, dealer] for player, dealer, _, _ in public])
    legal = np.zeros((len(public), tree.legal.shape[1]), bool)
    legal[of] = tree.legal
    decided = np.flatnonzero(tree.infoset >= 0)
    dealt = np.zeros((len(public), len(hands)))
    reached = watched.reached(tree.uniform(), ())[decided]
    np.add.at(dealt, (of[tree.infoset[decided]], hand[tree.infoset[decided]]), reached)
    return Decisions(
        of=of,
        hand=hand,
        legal=legal,
        features=np.concatenate([table, places, betting], 1).astype(np.float32),
        dealt=dealt / dealt.sum(1, keepdims=True),
    )


class Model(NamedTuple):
    """What is believed of an opponent, in either seat."""

    trained: Trained
    hands: Float[np.ndarray, "s a h"]
    """What it holds where it makes each move at each public decision: what the network says."""
    moves: Float[np.ndarray, "s a"]
    """How often it makes each move there, whatever it holds."""

    def triples(self) -> Float[np.ndarray, "s a h"]:
        """How often it makes each move with each hand; nothing where the hand cannot be held."""
        joint = self.moves[:, :, None] * self.hands
        total = joint.sum(1, keepdims=True)
        return np.asarray(np.divide(joint, total, out=np.zeros_like(joint), where=total > 0))

    def table(self, decisions: Decisions) -> Float[np.ndarray, "i a"]:
        """The same as a strategy table."""
        return np.asarray(self.triples()[decisions.of, :, decisions.hand])


@final
@dataclass(frozen=True, eq=False)
class Counts:
    """What is believed of an opponent by how often it did what, at each information set by itself: no network."""

    shares: Float[np.ndarray, "i a"]
    """How often it makes each move."""

    def table(self, decisions: Decisions) -> Float[np.ndarray, "i a"]:
        """The same as a strategy table."""
        return self.shares

    def counted(self, watched: Watched, seen: Sequence[Float[np.ndarray, " _"]], infer: bool) -> Counts:
        """What is believed once hands have ended so often; those not shown count as they are likely, or not at all."""
        told = seen if infer else [ends * ending.shown for ends, ending in zip(seen, watched.endings, strict=True)]
        shares, before = self.shares, PRIOR * watched.tree.uniform()
        for _ in range(ROUNDS):
            made = inferred(watched, shares, told) + before
            shares = made / made.sum(1, keepdims=True)
        return Counts(shares)


def new_model(decisions: Decisions, hidden: tuple[int, ...], seed: int) -> Model:
    """Of an opponent that nothing is known of: as if it moved at random, whatever it holds."""
    outputs = decisions.legal.shape[1] * decisions.dealt.shape[1]
    network = Design(hidden)(decisions.features.shape[1], outputs, jax.random.key(seed), flat=True)
    hands = np.repeat(decisions.dealt[:, None], decisions.legal.shape[1], 1)
    return Model(TRAINING.start(network), hands, decisions.legal / decisions.legal.sum(1, keepdims=True))


def learned(
    watched: Watched,
    model: Model,
    seen: tuple[Float[np.ndarray, " e"], Float[np.ndarray, " f"]],
    infer: bool,
) -> Model:
    """What is believed once hands have ended so often as each seat can tell; without `infer` only by those shown."""
    decisions = watched.decisions
    for _ in range(ROUNDS):
        table = model.table(decisions)
        made = by_decision(decisions, inferred(watched, table, seen))
        counts = made.sum(2)
        usual = decisions.legal * (counts.sum(0) + PRIOR)
        usual = usual / usual.sum(1, keepdims=True)
        if not infer:
            only = tuple(counts * ending.shown for counts, ending in zip(seen, watched.endings, strict=True))
            made = by_decision(decisions, inferred(watched, table, only))
        before = PRIOR * usual[:, :, None] * decisions.dealt[:, None]
        trained, hands = fit(model.trained, decisions.features, decisions.dealt, made + before)
        moves = counts + PRIOR * usual
        model = Model(trained, np.asarray(hands, float), moves / moves.sum(1, keepdims=True))
    return model


def inferred(
    watched: Watched, table: Float[np.ndarray, "i a"], seen: Sequence[Float[np.ndarray, " _"]]
) -> Float[np.ndarray, "i a"]:
    """How often the opponent has made each move with each hand: where none was shown, by how likely they were."""
    made = np.zeros(table.shape)
    for seat, (ending, counts) in enumerate(zip(watched.endings, seen, strict=True)):
        likely = watched.reached(table, [1 - seat])[watched.tree.terminal]
        total = np.bincount(ending.of, likely, len(counts))
        share = np.divide(counts, total, out=np.zeros_like(total), where=total > 0)
        theirs = watched.tree.player == 1 - seat
        made[theirs] = watched.made(likely * share[ending.of])[theirs]
    return made


def by_decision(decisions: Decisions, made: Float[np.ndarray, "i a"]) -> Float[np.ndarray, "s a h"]:
    """Moves by public decision and hand."""
    told = np.zeros((*decisions.legal.shape, decisions.dealt.shape[1]))
    told[decisions.of, :, decisions.hand] = made
    return told


@compiled
def fit(
    trained: Trained,
    features: Float[AnyArray, "r f"],
    dealt: Float[AnyArray, "r h"],
    held: Float[AnyArray, "r a h"],
) -> tuple[Trained, Float[Array, "r a h"]]:
    """Teach the network which hands were held where each move was made; then what it says of that."""
    rows, target = jnp.asarray(features), jnp.asarray(held, jnp.float32)
    usual = jnp.where(dealt > 0, jnp.log(jnp.where(dealt > 0, dealt, 1.0)), NEVER).astype(jnp.float32)

    def said(network: Any) -> Float[Array, "r a h"]:
        # A network that says nothing leaves hands as they are dealt.
        return jax.nn.log_softmax(network(rows).reshape(target.shape) + usual[:, None], 2)

    def loss(network: Any) -> Float[Array, ""]:
        return -(target * said(network)).sum() / target.sum()

    def update(_: Array, trained: Trained) -> Trained:
        return TRAINING.update(trained, loss, jnp.asarray(True))[0]

    trained = jax.lax.fori_loop(0, UPDATES, update, trained)
    return trained, jnp.exp(said(trained.network))
