"""What a hand of poker comes to in 35 numbers: the pot, what a call costs, who sits where, and how good the cards are.

It is what Nicolai and Hilderman (2009) told their networks, as far as it is known. They play at tables of ten, so that
five numbers of the table and three of each seat make the 35 of which there is word. Seats that nobody takes are 0.
Their players remember other hands; here a player sees one hand, and aggressiveness is what it has been in that.
"""

from __future__ import annotations

from itertools import product
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, UInt8

from feint.arena.betting import BettingTree
from feint.arena.hand_strength import HOLE, HandStrength, build_hand_strength
from feint.games.cards import Cards, best_five
from feint.games.errors import BadInput
from feint.games.hand import CALL, FOLD, Moves, replay
from feint.games.poker import Poker
from feint.tree.compiled import compiled

SEATS = 10
"""Seats at their tables."""
LARGEST_TABLE = 1 << 16
"""Entries of a table of what cards win, for games without a quicker way."""
BOARDS = 8192
"""Boards on which hold'em's starting hands are compared: on all that there are it would take hours."""


@final
class Winning(eqx.Module):
    """The share of other hands that a hand beats, those that tie by half."""

    table: Float[Array, "..."]
    """By the first of the cards that a player sees, an axis each; a card still hidden is one more than there are."""
    strength: HandStrength | None
    """Who says it where boards are too many for a table."""

    def __call__(self, cards: UInt8[Array, "... v"], upturned: Int[Array, "..."]) -> Float[Array, "..."]:
        """A player's own cards and the board's, hidden ones included. What may still come is counted in where there is
        a table; on hold'em's boards hands are compared as they are."""
        known = jnp.minimum(cards[..., : self.table.ndim], self.table.shape[-1] - 1).astype(jnp.int32)
        dealt_out = self.table[tuple(jnp.moveaxis(known, -1, 0))]
        if self.strength is None:
            return dealt_out
        as_it_is = self.strength.share(cards[..., :HOLE], cards[..., HOLE:])
        return jnp.where(upturned >= self.strength.boards[0], as_it_is, dealt_out)


def build_winning(game: Poker) -> Winning:
    """What hands of a game win."""
    if game.showdown is best_five:
        strength = build_hand_strength(game)
        return Winning(_starting_hands(game, strength), strength)
    kinds, ups = game.deck.kinds, np.cumsum([declared.board for declared in game.rounds]).tolist()
    shape = (kinds + 1,) * (game.hole + ups[-1])
    if np.prod(shape, dtype=float) > LARGEST_TABLE:
        raise BadInput(f"{game.name} has too many cards for a table of what they win; use encoding=nfsp.")
    table = np.zeros(shape, np.float32)
    for up in sorted(set(ups)):
        for cards in product(range(kinds), repeat=game.hole + up):
            if all(cards.count(card) <= game.deck.copies_of_kind for card in cards):
                hidden = (kinds,) * (ups[-1] - up)
                table[(*cards, *hidden)] = _chance(game, cards[: game.hole], cards[game.hole :], len(hidden))
    return Winning(jnp.asarray(table), None)


def _chance(game: Poker, hole: Cards, board: Cards, missing: int) -> float:
    """How often a hand wins against another once the board is dealt out, a tie counting by half."""
    won = 0.0
    for likely, rest in game.deck.draws((*hole, *board), missing):
        whole = (*board, *rest)
        mine = game.showdown(game.deck, hole, whole)
        for chance, theirs in game.deck.draws((*hole, *whole), game.hole):
            other = game.showdown(game.deck, theirs, whole)
            won += likely * chance * (0.5 * (mine >= other) + 0.5 * (mine > other))
    return won


def _starting_hands(game: Poker, strength: HandStrength) -> Float[Array, "k k"]:
    """What two cards win, on the same boards for all of them; hands that differ in the names of suits win the same."""
    deck, rng = game.deck, np.random.default_rng(0)
    boards = np.stack([rng.permutation(deck.kinds)[: strength.boards[-1]] for _ in range(BOARDS)])
    pairs = np.stack(np.meshgrid(*[np.arange(deck.kinds)] * HOLE, indexing="ij"), -1).reshape(-1, HOLE)
    ranks, suits = np.sort(pairs // deck.copies), pairs % deck.copies
    kinds = np.column_stack([ranks, suits[:, 0] == suits[:, 1]])
    _, first, kind = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    won = np.asarray(_mean_share(strength, jnp.asarray(pairs[first], jnp.uint8), jnp.asarray(boards, jnp.uint8)))
    return jnp.asarray(won[kind].reshape(deck.kinds, deck.kinds))


@compiled
def _mean_share(strength: HandStrength, hands: UInt8[Array, "h 2"], boards: UInt8[Array, "b v"]) -> Float[Array, " h"]:
    """What each hand wins on the boards that have none of its cards."""

    def share(hand: UInt8[Array, "2"]) -> Float[Array, ""]:
        key = strength.ranks.key
        there = ~key(boards.astype(jnp.int32)).shares_card_with(key(hand.astype(jnp.int32)))
        shares = strength.share(jnp.broadcast_to(hand, (len(boards), HOLE)), boards)
        return jnp.where(there, shares, 0.0).sum() / there.sum()

    won: Float[Array, " h"] = jax.lax.map(share, hands)
    return won


def summarised(betting: BettingTree) -> Float[np.ndarray, "n 34"]:
    """All but the cards, at each betting decision: the pot, the call, opponents, how far it is to the dealer; then seat
    by seat, from the actor's own on, chips left, aggressiveness in the hand and in the round. Chips are shares of a
    stack, or of the most that anyone can lose where there are none; numbers of players are shares of those at a full
    table."""
    game = betting.game
    if game.players > SEATS:
        raise BadInput(f"{game.name} has {game.players} players, but hands of at most {SEATS} are summed up.")
    chips = game.stack or float(betting.paid.max())
    rows = np.zeros((len(betting.actor), 4 + 3 * SEATS), np.float32)
    for row, actor, moves, stakes in zip(rows, betting.actor.tolist(), betting.moves, betting.stakes, strict=True):
        whole, late = (_aggressiveness(game, moves, first) for first in (0, len(moves) - 1))
        folded = sum(move == FOLD for made in moves for move in made)
        row[:2] = stakes.sum() / (game.players * chips), (stakes.max() - stakes[actor]) / chips
        row[2:4] = np.array([game.players - 1 - folded, actor]) / (SEATS - 1)
        for seat in range(game.players):
            player = (actor + seat) % game.players
            row[4 + seat :: SEATS] = 1 - stakes[player] / chips, whole[player], late[player]
    return rows


def _aggressiveness(game: Poker, moves: Moves, first: int) -> list[float]:
    """Everyone's mean move from a round on: a fold is 0, a raise 1, and a call, or none at all, a half."""
    made: list[list[float]] = [[] for _ in range(game.players)]
    for number, player, _, move in replay(game.players, game.first_seats, 0, moves):
        if number >= first:
            made[player].append({FOLD: 0.0, CALL: 0.5}.get(move, 1.0))
    return [sum(each) / len(each) if each else 0.5 for each in made]
