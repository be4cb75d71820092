"""Strategies as they are played: from what players see at many tables to the probabilities of their moves."""

from __future__ import annotations

from abc import abstractmethod
from functools import cache, partial
from itertools import chain, islice, permutations, product
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.arena.arena import Arena, InfoState
from feint.arena.betting import BettingTree
from feint.arena.cards import Seen
from feint.games.cards import Cards
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.tree.arrays import on_device
from feint.tree.tree import Tree

LARGEST_INDEX = 1 << 24
"""Entries of a card table's index, at most."""


class Policy(eqx.Module):
    """A strategy for every seat of one game, asked for many tables at once."""

    @abstractmethod
    def __call__(self, infostate: InfoState, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        """Move probabilities, given what whoever is to move sees and which seat that is, one for all or one each."""

    @property
    def symmetric(self) -> bool:
        """Whether cards that differ in the names of suits alone are sure to be played alike."""
        return False


@final
class Uniform(Policy):
    """Every legal move equally often."""

    arena: Arena

    def __call__(self, infostate: InfoState, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        legal = self.arena.legal(infostate).astype(jnp.float32)
        return legal / legal.sum(1, keepdims=True)

    @property
    def symmetric(self) -> bool:
        return True


@final
class Always(Policy):
    """One move wherever it is legal, another where it is not: the first that is, if none is named."""

    arena: Arena
    move: int = eqx.field(static=True)
    otherwise: int | None = eqx.field(static=True)

    def __call__(self, infostate: InfoState, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        legal = self.arena.legal(infostate)
        otherwise = legal.argmax(1) if self.otherwise is None else self.otherwise
        chosen = jnp.where(legal[:, self.move], self.move, otherwise)
        return (chosen[:, None] == jnp.arange(legal.shape[1])).astype(jnp.float32)

    @property
    def symmetric(self) -> bool:
        return True


@final
class TabularPolicy(Policy):
    """A strategy written down in full."""

    probabilities: Float[Array, "i a"]

    def __call__(self, infostate: Int[Array, " t"], turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        return self.probabilities[infostate].astype(jnp.float32)


@final
class TabularCardPolicy(Policy):
    """A strategy of an unrolled poker game, played in the card arena of the same game."""

    probabilities: Float[Array, "i a"]
    index: Int[Array, " x"]
    """The information set of each betting decision and cards seen, read as digits; 0 where there is none."""
    kinds: int = eqx.field(static=True)
    """Cards that can be told apart; a card still hidden is one more."""

    def __call__(self, infostate: Seen, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        place = infostate.node.astype(jnp.int32)
        for card in jnp.moveaxis(jnp.minimum(infostate.cards, self.kinds), -1, 0):
            place = place * (self.kinds + 1) + card
        return self.probabilities[self.index[place]].astype(jnp.float32)


def card_table(tree: Tree, betting: BettingTree, table: Float[np.ndarray, "i a"]) -> TabularCardPolicy:
    """A table for a tree, to be played where only the betting is unrolled."""
    game = betting.game
    base, cards = game.deck.kinds + 1, game.hole + sum(declared.board for declared in game.rounds)
    size = len(betting.actor) * base**cards
    if size > LARGEST_INDEX:
        raise BadInput(
            f"A strategy of {betting.name} would need an index of {size:,} entries to be played by its cards, but "
            f"{LARGEST_INDEX:,} is the most; choose a game with fewer cards."
        )
    same = tree.actions == betting.actions and len(tree.views) == game.size.infosets
    if not same or {moves for _, _, _, moves in tree.views} != set(betting.moves):
        raise BadInput(f"{tree!r} is not what {betting!r} is the betting of; unroll both from the same game.")
    index = np.zeros((len(betting.actor), base**cards), np.int32)
    node = {moves: number for number, moves in enumerate(betting.moves)}
    places = cache(partial(_places, game, cards))
    for infoset, (_, hole, board, moves) in enumerate(tree.views):
        index[node[moves], places(hole, board)] = infoset
    return TabularCardPolicy(on_device(table), on_device(index.reshape(-1)), game.deck.kinds)


def _places(game: Poker, cards: int, hole: Cards, board: Cards) -> list[int]:
    """Where in the index stands what a player sees, in every order in which its cards may come."""
    turned, hidden = iter(board), (game.deck.kinds,) * (cards - len(hole) - len(board))
    groups = [hole, *(tuple(islice(turned, declared.board)) for declared in game.rounds)]
    orders = product(*(set(permutations(group)) for group in groups))
    return [int(np.polyval((*chain(*order), *hidden), game.deck.kinds + 1)) for order in orders]
