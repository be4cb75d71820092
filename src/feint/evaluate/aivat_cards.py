"""AIVAT for hold'em for two that is too large to unroll: hand by hand, over all cards that the known player might hold.

A situation is guessed to be worth `base + slope · (2s − 1)`: two numbers for each betting decision, fitted to hands
that the known player plays against itself (aivat_guess.py), and s, the share of all boards still to come on which its
cards beat those that the other holds. Before a card is turned up s is what it will be on average, whatever follows,
so that what was to be expected of cards takes no more than s. Where there are too many boards to go through, some are
drawn anew for each hand: what is expected is then right on average, which is all that is asked of it.
"""

from __future__ import annotations

from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, UInt8

from feint.arena.arena import Arena, Played, for_device, random_words
from feint.arena.betting import BettingTree
from feint.arena.cards import HIDDEN, CardArena, Deal, Seen
from feint.arena.hands import play_out
from feint.arena.policy import Policy
from feint.evaluate.aivat_guess import Guess, fitted
from feint.evaluate.aivat_holdings import Holdings, Paths, holdings_of, paths_of
from feint.evaluate.luck import LuckOut, replayed
from feint.evaluate.measure import played_fair
from feint.games.errors import BadInput
from feint.players.table import HandInPlay
from feint.tree.compiled import compiled

DEALS = {"cpu": 16, "gpu": 2048}
"""Deals counted at once …"""
TOGETHER = {"cpu": 1, "gpu": 128}
"""… and hands of them side by side."""
GUESSED_FROM = 1 << 14
"""Hands that the known player plays against itself for a guess of what situations are worth."""


@final
class EndArena(Arena):
    """Plays like another one, and pays the number of the end of the betting in place of chips."""

    players: int = eqx.field(static=True)
    inner: CardArena

    @property
    def zero_sum(self) -> bool:
        return False

    @property
    def deal_words(self) -> int:
        return self.inner.deal_words

    @property
    def play_words(self) -> int:
        return self.inner.play_words

    def deal(self, words: Array) -> Deal:
        return self.inner.deal(words)

    def play(self, where: Deal, move: Int[Array, " t"], words: Array) -> Played:
        played, node = self.inner.play(where, move, words), self.inner.child[where.node, move]
        end = jnp.where(node < 0, -2 - node, 0).astype(jnp.float32)
        return Played(played.where, played.done, jnp.broadcast_to(end[:, None], played.payoff.shape))

    def per_hand(self, won: Float[Array, "t p"]) -> Float[Array, "t p"]:
        return won

    def turn(self, where: Deal) -> Int[Array, " t"]:
        return self.inner.turn(where)

    def infostate(self, where: Deal) -> Seen:
        return self.inner.infostate(where)

    def legal(self, infostate: Seen) -> Bool[Array, "t a"]:
        return self.inner.legal(infostate)


class Ended(NamedTuple):
    """Hands that are over."""

    cards: UInt8[Array, "t c"]
    end: Int[Array, " t"]
    seat: Int[Array, " t"]
    """Where the first player sat."""


@compiled
def _played(
    arena: EndArena, policies: tuple[Policy, Policy], deals: int, key: PRNGKeyArray
) -> tuple[Array, Array, Array]:
    """So many deals from each seat: the cards, the ends as floating-point numbers, and where the first player sat."""
    dealing, playing = jax.random.split(key)
    dealt = arena.deal(random_words(dealing, arena.deal_words, deals))
    where = jax.tree.map(lambda leaf: jnp.repeat(leaf, 2, 0), dealt)
    seat = jnp.tile(jnp.arange(2), deals)
    seated = (jnp.arange(2) != seat[:, None]).astype(jnp.int32)
    return where.cards, play_out(arena, policies, seated, where, playing)[:, 0], seat


@final
class CardLuck(LuckOut):
    """What hands of hold'em count for, given the policy by which one of two players plays."""

    def __init__(self, arena: Arena, betting: BettingTree, policy: Policy, mirrored: bool) -> None:
        """`mirrored` if it is the second player's policy: the first wins what the second loses."""
        if not isinstance(arena, CardArena) or arena.players != 2 or arena.strength.ranks is None:
            raise BadInput(
                f"AIVAT knows unrolled games and hold'em for two, and {betting.name} is neither; play without it."
            )
        self.deals, self._arena, self._betting, self._policy = for_device(DEALS), arena, betting, policy
        self._mirrored, self._paths = mirrored, paths_of(betting)
        self._holdings = holdings_of(arena, betting)
        self._guess = self._guessed()

    def play(
        self, policies: tuple[Policy, Policy], deals: int, key: PRNGKeyArray
    ) -> tuple[Float[np.ndarray, "d p"], Float[np.ndarray, "d p"]]:
        key, counting = jax.random.split(key)
        ended = self._ended(policies, deals, key)
        won = np.asarray(_won(self._arena, ended), float)
        return won.reshape(-1, 2), self._counted(ended, counting).reshape(-1, 2)

    def counted(self, hand: HandInPlay, seat: int, seed: tuple[int, ...]) -> float:
        node, state = 0, hand.rules.start()
        for step in replayed(hand):
            node, state = node if step.move is None else int(self._betting.child[node, step.move]), step.after
        cards = np.full((1, self._arena.dealt), HIDDEN, np.uint8)
        shown = [card for group in (*state.holes, state.board) for card in group]
        cards[0, : len(shown)] = shown
        one = Ended(jnp.asarray(cards), jnp.asarray([-2 - node]), jnp.asarray([seat]))
        word = int(np.random.SeedSequence(seed).generate_state(1)[0])
        return float(self._counted(one, jax.random.key(word))[0])

    def _counted(self, ended: Ended, key: PRNGKeyArray) -> Float[np.ndarray, " t"]:
        seat = 1 - ended.seat if self._mirrored else ended.seat
        known = _count(self._holdings, self._paths, self._guess, self._policy, ended._replace(seat=seat), key)
        return np.asarray(-known if self._mirrored else known, float)

    def _ended(self, policies: tuple[Policy, Policy], deals: int, key: PRNGKeyArray) -> Ended:
        cards, end, seat = _played(EndArena(2, self._arena), policies, deals, key)
        return Ended(cards, jnp.asarray(played_fair(np.asarray(end)), jnp.int32), seat)

    def _guessed(self) -> Guess:
        """What situations are worth where both play like the known player, as far as some of its hands tell."""
        playing, looking = jax.random.split(jax.random.key(0))
        ended = self._ended((self._policy, self._policy), GUESSED_FROM // 2, playing)
        share = np.asarray(_shares(self._holdings, ended, looking), float)
        won = np.asarray(_won(self._arena, ended._replace(seat=jnp.zeros_like(ended.seat))), float)
        node, length = np.asarray(self._paths.node)[ended.end], np.asarray(self._paths.length)[ended.end]
        return fitted(self._betting, node, length, share, won)


@compiled
def _won(arena: CardArena, ended: Ended) -> Float[Array, " t"]:
    return jnp.take_along_axis(arena.payoffs(ended.end, ended.cards), ended.seat[:, None], 1)[:, 0]


@compiled
def _shares(holdings: Holdings, ended: Ended, key: PRNGKeyArray) -> Float[Array, "t r"]:
    """How often the first seat's cards win on the boards still to come, in each round."""
    hole = holdings.arena.hole

    def one(hand: tuple[Array, PRNGKeyArray]) -> Float[Array, " r"]:
        cards, key = hand
        own = holdings.ranks.key(cards[:hole].astype(jnp.int32))
        theirs, board = cards[hole : 2 * hole], cards[2 * hole :]
        each = [
            holdings.chances(own, theirs, board, number, jax.random.fold_in(key, number))
            for number in range(len(holdings.turned))
        ]
        return jnp.stack(each)

    keys = jax.random.split(key, len(ended.end))
    shares: Float[Array, "t r"] = jax.lax.map(one, (ended.cards, keys), batch_size=256)
    return shares


@compiled
def _count(
    holdings: Holdings, paths: Paths, guess: Guess, policy: Policy, ended: Ended, key: PRNGKeyArray
) -> Float[Array, " t"]:
    """What each hand counts for the known player, who sits in `ended.seat`."""

    def one(hand: tuple[Ended, PRNGKeyArray]) -> Float[Array, ""]:
        return _count_one(holdings, paths, guess, policy, *hand)

    keys = jax.random.split(key, len(ended.end))
    together = for_device(TOGETHER)
    counted: Float[Array, " t"] = jax.lax.map(one, (ended, keys), batch_size=together if together > 1 else None)
    return counted


def _count_one(
    holdings: Holdings, paths: Paths, guess: Guess, policy: Policy, ended: Ended, key: PRNGKeyArray
) -> Float[Array, ""]:
    arena, seat, hole = holdings.arena, ended.seat, holdings.arena.hole
    theirs = jax.lax.dynamic_slice(ended.cards, ((1 - seat) * hole,), (hole,))
    board = ended.cards[2 * hole :]
    nodes, moves, length = paths.node[ended.end], paths.move[ended.end], paths.length[ended.end]
    last = paths.round[nodes[length - 1]]
    shares, possible = _by_round(holdings, theirs, board, last, key)

    def worth(child: Int[Array, " a"], share: Float[Array, " h"]) -> Float[Array, "h a"]:
        """What moves lead to, as guessed; at ends of the betting, as it is."""
        open_ = guess.base[child] * (1 - 2 * seat) + guess.slope[child] * (2 * share[:, None] - 1)
        end = jnp.where(child < 0, -2 - child, 0)
        paid, pot = arena.paid[end, seat], arena.won[end]
        part = jnp.where(arena.folded[end, seat], 0.0, jnp.where(arena.folded[end, 1 - seat], 1.0, share[:, None]))
        return jnp.where(child >= 0, open_, part * pot - paid)

    def asked(node: Int[Array, ""]) -> Float[Array, "h a"]:
        """How often the known player makes each move with each holding."""
        held = jnp.concatenate([holdings.cards, jnp.broadcast_to(board, (len(holdings.cards), len(board)))], 1)
        seen = arena.up_to(jnp.broadcast_to(node, (len(held),)), held)
        told = policy(seen, seat).astype(jnp.float64)
        chances = jnp.where(arena.legal(seen) & (told > 0), told, 0.0)
        return chances / chances.sum(1, keepdims=True)

    def own(node: Array, move: Array, reach: Array, share: Array) -> tuple[Array, Array]:
        chances, child = asked(node), arena.child[node]
        values = jnp.where(child == -1, 0.0, worth(child, share))
        expected = (reach[:, None] * chances * values).sum() / reach.sum()
        after = reach * chances[:, move]
        return expected - _mean(after, values[:, move]), after / after.sum()

    def step(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        place, reach, total = state
        node, move = nodes[place], moves[place]
        now, before = paths.round[node], paths.round[nodes[jnp.maximum(place - 1, 0)]]
        there = reach * possible[now]
        total += 2 * guess.slope[node] * (_mean(reach, shares[before]) - _mean(there, shares[now]))
        surprise, there = jax.lax.cond(
            arena.actor[node] == seat, own, lambda node, move, reach, share: (0.0 * share[0], reach),
            node, move, there, shares[now],
        )  # fmt: skip
        return place + 1, there, total + surprise

    reach = possible[0].astype(jnp.float64)
    # What a player is dealt is worth as much to the one as to the other: s is a half on average.
    dealt = -guess.slope[nodes[0]] * (2 * _mean(reach, shares[0]) - 1)
    start = jnp.asarray(0), reach, dealt
    _, reach, total = jax.lax.while_loop(lambda state: state[0] < length, step, start)
    final = arena.child[nodes[length - 1], moves[length - 1]]
    return total + _mean(reach, worth(final[None], shares[last])[:, 0])


def _by_round(
    holdings: Holdings, theirs: Array, board: Array, last: Int[Array, ""], key: PRNGKeyArray
) -> tuple[Float[Array, "r h"], Bool[Array, "r h"]]:
    """How often each holding wins, and which are possible, in each round that the hand came to."""
    shares, possible = [], []
    for number in range(len(holdings.turned)):
        drawing = jax.random.fold_in(key, number)
        look = lambda number=number, drawing=drawing: holdings.chances(holdings.key, theirs, board, number, drawing)  # noqa: E731
        shares.append(jax.lax.cond(number <= last, look, lambda: jnp.zeros(len(holdings.cards))))
        possible.append(holdings.possible(theirs, board, number))
    return jnp.stack(shares), jnp.stack(possible)


def _mean(weight: Float[Array, " h"], value: Float[Array, " h"]) -> Float[Array, ""]:
    return (weight * value).sum() / weight.sum()
