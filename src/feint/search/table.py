"""What a player who searches does everywhere, as a table for an unrolled game."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.arena.betting import ILLEGAL, unroll_betting
from feint.arena.cards import HIDDEN, Seen
from feint.games.poker import Poker
from feint.public.play import Tables
from feint.public.policy import PublicPolicy
from feint.public.tree import PublicTree
from feint.search.lookahead import Method
from feint.search.resolving import Guesses, Searches, written_out
from feint.tree.tree import Tree


def seen_in(tree: Tree, game: Poker) -> Seen:
    """What players see at the information sets of a poker game's tree."""
    node = {moves: number for number, moves in enumerate(unroll_betting(game).moves)}
    width = game.hole + sum(declared.board for declared in game.rounds)
    cards = np.full((len(tree.views), width), HIDDEN, np.uint8)
    for row, (_, hole, board, _) in enumerate(tree.views):
        cards[row, : len(hole) + len(board)] = (*hole, *board)
    return Seen(jnp.asarray([node[moves] for _, _, _, moves in tree.views]), jnp.asarray(cards))


def table_of(searches: Searches, method: Method, guesses: Guesses, seen: Seen) -> Float[Array, "i a"]:
    """The probability of every move at every information set."""
    return tabulated(searches.tree, written_out(searches, method, guesses), seen)


def tabulated(tree: PublicTree, tables: Tables, seen: Seen) -> Float[Array, "i a"]:
    """The same, of a strategy that is written out on the public tree.

    As in unrolled games there is no column for moves that are never legal.
    """
    used = (tree.betting.child != ILLEGAL).any(0)
    rows = PublicPolicy(tree, tables)(seen, jnp.asarray(0)).astype(jnp.float64)[:, used]
    return rows / rows.sum(1, keepdims=True)
