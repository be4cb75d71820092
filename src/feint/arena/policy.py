"""Strategies as they are played: from what players see at many tables to the probabilities of their moves."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations, product
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Int

from feint.arena.arena import Arena, Sight
from feint.arena.betting import BettingTree
from feint.arena.cards import Seen
from feint.games.cards import Cards
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.tree.strategy import Strategy, tabulate
from feint.tree.tree import Tree

LARGEST_INDEX = 1 << 24
"""Entries of a card table's index, at most."""


class Policy(eqx.Module):
    """A strategy for every seat of one game, asked for many tables at once."""

    @abstractmethod
    def __call__(self, sight: Sight, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        """Move probabilities, given what whoever is to move sees and which seat that is, one for all or one each."""


@final
class Uniform(Policy):
    """Every legal move equally often."""

    arena: Arena

    def __call__(self, sight: Sight, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        legal = self.arena.legal(sight).astype(jnp.float32)
        return legal / legal.sum(1, keepdims=True)


@final
class Always(Policy):
    """One move wherever it is legal, another where it is not."""

    arena: Arena
    move: int = eqx.field(static=True)
    otherwise: int = eqx.field(static=True)

    def __call__(self, sight: Sight, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        legal = self.arena.legal(sight)
        chosen = jnp.where(legal[:, self.move], self.move, self.otherwise)
        return (chosen[:, None] == jnp.arange(legal.shape[1])).astype(jnp.float32)


@final
class PlayedStrategy(Strategy):
    """A strategy of a game too large to write it down: it can only be played."""

    policy: Policy

    def table(self, tree: Tree) -> Float[np.ndarray, "i a"]:
        raise BadInput(
            f"This strategy is for a game too large to unroll and cannot be tabulated for {tree.name}; "
            f"play matches with its `policy` instead."
        )


@final
class Table(Policy):
    """A strategy written down in full."""

    probabilities: Float[Array, "i a"]

    def __call__(self, sight: Int[Array, " t"], turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        return self.probabilities[sight].astype(jnp.float32)


@final
class CardTable(Policy):
    """A strategy of an unrolled poker game, played in the card arena of the same game."""

    probabilities: Float[Array, "i a"]
    index: Int[Array, " x"]
    """The information set of each betting decision and cards seen, read as digits; 0 where there is none."""
    kinds: int = eqx.field(static=True)
    """Cards that can be told apart; a card still hidden is one more."""

    def __call__(self, sight: Seen, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        place = sight.node.astype(jnp.int32)
        for card in jnp.moveaxis(jnp.minimum(sight.cards, self.kinds), -1, 0):
            place = place * (self.kinds + 1) + card
        return self.probabilities[self.index[place]].astype(jnp.float32)


def card_table(tree: Tree, betting: BettingTree, strategy: Strategy | ArrayLike) -> CardTable:
    """A strategy for a tree, or its table, to be played where only the betting is unrolled. Labels say what is what."""
    game, table = betting.game, tabulate(tree, strategy)
    base, cards = game.deck.kinds + 1, game.hole + sum(declared.board for declared in game.rounds)
    size = len(betting.actor) * base**cards
    if size > LARGEST_INDEX:
        raise BadInput(
            f"A strategy of {betting.name} would need an index of {size:,} entries to be played by its cards, but "
            f"{LARGEST_INDEX:,} is the most; choose a game with fewer cards."
        )
    number = {key: infoset for infoset, key in enumerate(zip(tree.player.tolist(), tree.labels, strict=True))}
    index, found = np.zeros((len(betting.actor), base**cards), np.int32), set()
    seen = [_seen_by(game, through) for through in range(len(game.rounds))]
    for node, (actor, round_, words) in enumerate(
        zip(betting.actor.tolist(), betting.round.tolist(), betting.labels, strict=True)
    ):
        for names, places in seen[round_]:
            infoset = number.get((actor, f"{names}: {words}" if words else names))
            if infoset is not None:
                index[node, places] = infoset
                found.add(infoset)
    if len(found) < len(tree.labels):
        raise BadInput(f"{tree!r} is not what {betting!r} is the betting of; unroll both from the same game.")
    return CardTable(jnp.asarray(table), jnp.asarray(index.reshape(-1)), game.deck.kinds)


def _seen_by(game: Poker, through: int) -> list[tuple[str, list[int]]]:
    """All that a player can see in a round: the names of the cards, and their places in the index, in any order."""
    sizes = [game.hole, *(declared.board for declared in game.rounds)]
    shown, base = through + 2, game.deck.kinds + 1
    hidden = (game.deck.kinds,) * sum(sizes[shown:])
    gap = " " if game.hole > 1 else ""
    seen = []
    for groups in _groups(game, sizes[:shown]):
        hole, *board = ("".join(game.deck.name(card) for card in group) for group in groups)
        orders = product(*(set(permutations(group)) for group in groups))
        places = [int(np.polyval((*(card for group in order for card in group), *hidden), base)) for order in orders]
        seen.append((gap.join(names for names in (hole, "".join(board)) if names), places))
    return seen


def _groups(game: Poker, sizes: list[int]) -> Iterator[tuple[Cards, ...]]:
    """Every way to deal groups of cards of these sizes; the order within a group does not matter."""
    for groups in product(*(combinations_with_replacement(range(game.deck.kinds), size) for size in sizes)):
        dealt = Counter(card for group in groups for card in group)
        if max(dealt.values()) <= game.deck.copies_of_kind:
            yield groups
