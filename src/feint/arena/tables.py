"""Play by look-up in the unrolled tree.

A table's state is the number of the decision it is at. A move leads to a *lottery*: every decision or end of the
hand that chance can lead to from there, in one draw, however many chance moves lie between. Draws use Walker's
alias method, so each costs two look-ups whatever the number of outcomes. Hands restart as they end.
"""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from feint.arena.arena import Arena, Played
from feint.games.errors import BadInput
from feint.games.game import CHANCE, TERMINAL
from feint.tree.arrays import on_device
from feint.tree.tree import Tree


@final
class TreeArena(Arena):
    """Look-up tables for playing a game. `d` counts decisions, `o` outcomes of lotteries, `e` ends of the game."""

    players: int = eqx.field(static=True)
    actor: Int[Array, " d"]
    infoset: Int[Array, " d"]
    allowed: Bool[Array, "i a"]
    """The legal moves at each information set."""
    lottery: Int[Array, "d a"]
    """The lottery that each move leads to; 0, the deal, at illegal ones."""
    first: Int[Array, " l"]
    """Where each lottery's outcomes begin."""
    outcomes: Int[Array, " l"]
    """How many it has."""
    threshold: UInt32[Array, " o"]
    """An outcome is kept when a random word is at most this …"""
    alias: Int[Array, " o"]
    """… and exchanged for this one otherwise."""
    result: Int[Array, " o"]
    """The decision an outcome leads to, or −1 − the number of an end."""
    ends: Float[Array, "e p"]
    """What each player wins at each end, in chips."""
    dealt: Float[Array, ""]
    """How many of all hands are dealt: those in which somebody decides something."""
    undealt: Float[Array, " p"]
    """What each player wins in the others, as a share of all hands."""

    @property
    def zero_sum(self) -> bool:
        return bool((jnp.abs(self.ends.sum(1)) <= 1e-6 * jnp.abs(self.ends).max(initial=0.0)).all())

    @property
    def deal_words(self) -> int:
        return 1

    @property
    def play_words(self) -> int:
        return 2

    def deal(self, words: UInt32[Array, "1 t"]) -> Int[Array, " t"]:
        """The first decision of a new hand at each table. Hands that end without any decision are not dealt."""
        return self._draw(jnp.zeros(words.shape[1:], jnp.int32), words[0])

    def play(self, where: Int[Array, " t"], move: Int[Array, " t"], words: UInt32[Array, "2 t"]) -> Played:
        """Make a move at every table: one word is for chance, one for the next deal."""
        result = self._draw(self.lottery[where, move], words[0])
        done = result < 0
        payoff = jnp.where(done[:, None], self.ends[jnp.where(done, -1 - result, 0)], 0.0)
        return Played(jnp.where(done, self.deal(words[1:]), result), done, payoff)

    def per_hand(self, won: Float[Array, "t p"]) -> Float[Array, "t p"]:
        return self.dealt * won + self.undealt

    def turn(self, where: Int[Array, " t"]) -> Int[Array, " t"]:
        return self.actor[where]

    def infostate(self, where: Int[Array, " t"]) -> Int[Array, " t"]:
        """The number of the information set."""
        return self.infoset[where]

    def legal(self, infostate: Int[Array, " t"]) -> Bool[Array, "t a"]:
        return self.allowed[infostate]

    def _draw(self, lottery: Int[Array, " t"], words: UInt32[Array, " t"]) -> Int[Array, " t"]:
        """The high half of word × outcomes picks an outcome, the low half decides between it and its alias."""
        product = words.astype(jnp.uint64) * self.outcomes[lottery].astype(jnp.uint64)
        picked = self.first[lottery] + (product >> 32).astype(jnp.int32)
        kept = (product & 0xFFFFFFFF).astype(jnp.uint32) <= self.threshold[picked]
        return self.result[jnp.where(kept, picked, self.alias[picked])]


def build_arena(tree: Tree) -> TreeArena:
    """Look-up tables for a game, from its tree."""
    decisions = np.flatnonzero(tree.actor >= 0)
    if not len(decisions):
        raise BadInput(f"{tree.name} has no decisions to play; choose another game.")
    number = np.full(tree.nodes, -1)
    number[decisions] = np.arange(len(decisions))
    ends = np.flatnonzero(tree.actor == TERMINAL)
    number[ends] = -1 - np.arange(len(ends))
    deal, dealt, undealt = _deal(tree, number)
    lotteries = [deal]
    lottery = np.zeros((len(decisions), tree.legal.shape[1]), np.int32)
    for row, node in enumerate(decisions):
        first = tree.first_child[node]
        for child in range(first, first + tree.children[node]):
            lottery[row, tree.move[child]] = len(lotteries)
            lotteries.append(_lottery(tree, number, child))
    counts = np.array([len(chances) for chances, _ in lotteries])
    first = np.cumsum(counts) - counts
    tables = [_alias(chances) for chances, _ in lotteries]
    return TreeArena(
        players=tree.players,
        actor=on_device(tree.actor[decisions], jnp.int32),
        infoset=on_device(tree.infoset[decisions], jnp.int32),
        allowed=on_device(tree.legal),
        lottery=on_device(lottery),
        first=on_device(first, jnp.int32),
        outcomes=on_device(counts, jnp.int32),
        threshold=on_device(np.concatenate([threshold for threshold, _ in tables])),
        alias=on_device(
            np.concatenate([alias + start for (_, alias), start in zip(tables, first, strict=True)]), jnp.int32
        ),
        result=on_device(np.concatenate([results for _, results in lotteries]), jnp.int32),
        ends=on_device(tree.payoff[ends], jnp.float32),
        dealt=on_device(dealt, jnp.float32),
        undealt=on_device(undealt, jnp.float32),
    )


def _lottery(tree: Tree, number: np.ndarray, node: int) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities and results of everything chance can do from a node on."""
    chances, results, stack = [], [], [(node, 1.0)]
    while stack:
        node, chance = stack.pop()
        if tree.actor[node] != CHANCE:
            chances.append(chance)
            results.append(number[node])
            continue
        first = tree.first_child[node]
        children = range(first, first + tree.children[node])
        stack += [(child, chance * tree.chance[child]) for child in children if tree.chance[child] > 0]
    return np.array(chances), np.array(results)


def _deal(tree: Tree, number: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], float, np.ndarray]:
    """The lottery at the root among the hands in which someone decides something, their share, and what others pay."""
    chances, results = _lottery(tree, number, 0)
    decided = results >= 0
    dealt = chances[decided].sum()
    ends = tree.payoff[np.flatnonzero(tree.actor == TERMINAL)[-1 - results[~decided]]]
    return (chances[decided] / dealt, results[decided]), dealt, chances[~decided] @ ends


def _alias(chances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Walker's alias table: each outcome's chance of being kept, as a 32-bit threshold, and its alias."""
    scaled = chances * len(chances)
    alias = np.arange(len(chances))
    kept = np.ones(len(chances))
    small = [outcome for outcome in range(len(chances)) if scaled[outcome] < 1]
    large = [outcome for outcome in range(len(chances)) if scaled[outcome] >= 1]
    while small and large:
        low, high = small.pop(), large[-1]
        kept[low], alias[low] = scaled[low], high
        scaled[high] -= 1 - scaled[low]
        if scaled[high] < 1:
            small.append(large.pop())
    return np.clip(np.round(kept * 2**32) - 1, 0, 2**32 - 1).astype(np.uint32), alias
