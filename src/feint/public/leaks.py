"""What a strategy of a whole game gives away, and where: by betting, and by betting, board and hand."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from feint.public.judge import Kept, worth_of
from feint.public.play import Moves, Tables, Written, mean
from feint.public.policy import numbered, tell_copies
from feint.public.sweep import Page, Reach, run
from feint.public.tree import PublicTree


class Worst(NamedTuple):
    """Places where a strategy gives most away, the worst first. Those that the tree takes as one are one."""

    gain: Float[Array, " k"]
    """Chips per hand."""
    node: Int[Array, " k"]
    """The betting decision."""
    board: Int[Array, " k"]
    """Among those of its round."""
    hand: Int[Array, " k"]
    """Among all that a player may begin with."""


class Leaks(NamedTuple):
    """What a strategy gives away, in chips per hand."""

    best: Float[Array, "2"]
    """What each player can win at most against the other's part of it."""
    betting: Float[Array, " n"]
    """What is given away at each betting decision: together it is NashConv."""
    worst: Worst


class Like(NamedTuple):
    """For each board and hand of a round the first that differ from it in suits alone."""

    board: Int[Array, " b"]
    hand: Int[Array, "b h"]


@final
class Leaking(Kept):
    """A best response that notes what the player's own strategy gives away with each hand."""

    def start(self, tree: PublicTree) -> Float[Array, " h"]:
        return tree.ranges[self.player]

    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        assert play is not None
        best = reduce(jnp.maximum, values)
        return best, reach.mine * (best - mean(play, values))


def leaks_of(tree: PublicTree, tables: Tables, most: int) -> Leaks:
    """What a strategy gives away by betting, and the so many places where it gives most away."""
    betting = jnp.zeros(len(tree.betting.actor))
    best, places = [], list[Worst]()
    blank = tuple((jnp.zeros(stage.boards),) * len(stage.moves) for stage in tree.rounds)
    alike = [like(tree, number) for number in range(len(tree.rounds))]
    for player in (0, 1):
        by_hand, pages = run(tree, Leaking(player, Written(tables)), blank)
        best.append(worth_of(tree, player, by_hand))
        weight = 1 / tree.deals[None]
        for stage, same, noted in zip(tree.rounds, alike, pages, strict=True):
            weight = weight[stage.before] * stage.weight
            for decision, page in zip(stage.betting.decisions, noted, strict=True):
                if decision.actor == player:
                    gains = jnp.einsum("b,blh->blh", weight, page.astype(weight.dtype))
                    betting = betting.at[decision.nodes].add(gains.sum((0, 2)))
                    places.append(_worst(gains, same, len(tree.held), jnp.asarray(decision.nodes), most))
    every = Worst(*map(jnp.concatenate, zip(*places, strict=True)))
    return Leaks(jnp.stack(best), betting, _first(every, most))


def _worst(gains: Float[Array, "b l h"], same: Like, hands: int, nodes: Int[Array, " l"], most: int) -> Worst:
    """The worst places of one decision, given what is given away there."""
    boards, lines, _ = gains.shape
    total = jnp.zeros((boards, lines, hands), gains.dtype)
    total = total.at[same.board[:, None, None], jnp.arange(lines)[:, None], same.hand[:, None]].add(gains)
    # Of each line first: devices are quick at choosing few of few, many times over.
    _, hand = jax.lax.top_k(total.astype(jnp.float32), min(most, hands))
    found = Worst(
        jnp.take_along_axis(total, hand, 2).ravel(),
        jnp.broadcast_to(nodes[:, None], hand.shape).ravel(),
        jnp.broadcast_to(jnp.arange(boards)[:, None, None], hand.shape).ravel(),
        hand.ravel(),
    )
    return _first(found, most)


def _first(found: Worst, most: int) -> Worst:
    """The worst of some."""
    gain, which = jax.lax.top_k(found.gain, min(most, len(found.gain)))
    return Worst(gain, found.node[which], found.board[which], found.hand[which])


def like(tree: PublicTree, number: int) -> Like:
    """What is the same in a round but for suits, in compiled code; in games without suits but for copies of a rank."""
    stage, deck = tree.rounds[number], tree.betting.game.deck
    kinds = tree.renamings.shape[1]
    held = stage.rest[:, stage.removal.cards]  # [b, h, k]
    board = jnp.arange(stage.boards)
    if not deck.suits:
        shown = stage.cards // deck.copies
        codes = (shown * deck.kinds ** jnp.arange(shown.shape[1])).sum(1)
        _, first, same = jnp.unique(codes, return_index=True, return_inverse=True, size=len(codes))
        return Like(first[same], numbered(tell_copies(held // deck.copies, deck.copies), kinds))
    own, renamed = numbered(held, kinds), numbered(tree.renamings[:, tree.held], kinds)  # [b, h], [g, all hands]

    def turn(least: Int[Array, "b h"], way: tuple[Array, Array]) -> tuple[Int[Array, "b h"], None]:
        cards, hands = way
        keeps = _kept(tree, number, cards)
        return jnp.where(keeps[:, None], jnp.minimum(least, hands[own]), least), None

    hand, _ = jax.lax.scan(turn, own, (tree.renamings, renamed))
    return Like(board, hand)


def _kept(tree: PublicTree, number: int, renaming: Int[Array, " n"]) -> Bool[Array, " b"]:
    """Which boards of a round a renaming of suits leaves as they are: each round's cards are dealt together."""
    cards = tree.rounds[number].cards
    kept, begin = jnp.ones(len(cards), bool), 0
    for stage in tree.rounds[: number + 1]:
        group, begin = cards[:, begin : stage.cards.shape[1]], stage.cards.shape[1]
        kept &= (jnp.sort(renaming[group], 1) == jnp.sort(group, 1)).all(1)
    return kept
