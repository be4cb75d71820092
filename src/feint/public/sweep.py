"""One sweep over a public tree for one player: down with how often hands come, up with what they are worth.

A sweep is told what both players do and what becomes of it at each of the player's decisions: regrets are updated, or
the best move is taken. All values are weighted with how often the other player and chance play along.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.public.lines import Close, Decision, Fold, Node
from feint.public.play import Moves, cut
from feint.public.tree import PublicTree, Round

Page = Any
"""What a player keeps for one decision: arrays with boards as their first axis."""
Book = tuple[tuple[Page, ...], ...]
"""A page for each decision of each round; None where nothing is kept."""


class Reach(NamedTuple):
    """How often hands come: by the player's own moves, where these are told, and by the other's."""

    mine: Float[Array, "b l h"]
    theirs: Float[Array, "b l h"]


class Sweep(eqx.Module):
    """What is done at decisions, for one player."""

    player: eqx.AbstractVar[int]

    def start(self, tree: PublicTree) -> Float[Array, " h"]:
        """How often the player comes with each hand, where that matters: plans begin with 1."""
        return jnp.ones_like(tree.ranges[self.player])

    @abstractmethod
    def theirs(self, number: int, decision: int, first: Int[Array, ""], boards: int) -> Moves:
        """What the other player does at a decision of a round, on `boards` boards from the first on."""

    @abstractmethod
    def mine(self, number: int, decision: int, first: Int[Array, ""], boards: int, page: Page) -> Moves | None:
        """What the player does; None where that does not matter."""

    @abstractmethod
    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        """What a decision is worth, given how often hands come to it, and the page as it is from now on."""


class Walked(NamedTuple):
    """A round on its way down."""

    reach: dict[int, Reach]
    """At each decision, by number."""
    play: dict[int, Moves | None]
    """What the player does there."""
    folds: dict[int, Float[Array, "b l h"]]
    """How often the other comes there …"""
    closes: dict[int, Reach]


def run(tree: PublicTree, sweep: Sweep, book: Book) -> tuple[Float[Array, " h"], Book]:
    """What each hand is worth to the player at the start, and the book after it."""
    reaches = [Reach(sweep.start(tree)[None, None], tree.ranges[1 - sweep.player][None, None])]
    for number in range(len(tree.rounds) - 1):
        reaches.append(_exits(tree, number, sweep, book[number], reaches[-1]))
    pages, values = list(book), None
    for number in reversed(range(len(tree.rounds))):
        values, pages[number] = _values(tree, number, sweep, book[number], reaches[number], values)
    assert values is not None
    return values[0, 0], tuple(pages)


def _exits(tree: PublicTree, number: int, sweep: Sweep, pages: tuple[Page, ...], reach: Reach) -> Reach:
    """How often hands come to the lines of the next round, on the boards of this one: [boards, lines, hands]."""
    stage, source = tree.rounds[number], np.array(tree.rounds[number + 1].betting.source)

    def piece(first: Int[Array, ""]) -> Reach:
        walked = _down(stage, number, sweep, first, _part(stage, pages, first), _enter(stage, reach, first))
        ordered = [walked.closes[close] for close in range(len(walked.closes))]
        mine, theirs = (_joined(part, source) for part in zip(*ordered, strict=True))
        return Reach(mine, theirs)

    if stage.pieces == 1:
        return piece(jnp.asarray(0))
    made: Reach = jax.lax.map(piece, jnp.arange(stage.pieces) * stage.piece)
    return Reach(*(part.reshape(stage.boards, *part.shape[2:]) for part in made))


def _values(
    tree: PublicTree, number: int, sweep: Sweep, pages: tuple[Page, ...], reach: Reach, below: Array | None
) -> tuple[Float[Array, "a l u"], tuple[Page, ...]]:
    """What lines that come to a round are worth to hands on the boards before it, and the pages as they are then."""
    stage = tree.rounds[number]

    def piece(first: Int[Array, ""], here: tuple[Page, ...]) -> tuple[Array, tuple[Page, ...]]:
        walked = _down(stage, number, sweep, first, here, _enter(stage, reach, first))
        closed = _closed(tree, number, sweep.player, walked, first, below)
        values, here = _up(stage, sweep, walked, closed, here)
        return _leave(stage, values, first, len(reach.theirs)), here

    if stage.pieces == 1:
        return piece(jnp.asarray(0), pages)

    def turn(total: Array, now: tuple[Array, tuple[Page, ...]]) -> tuple[Array, tuple[Page, ...]]:
        added, here = piece(*now)
        return total + added, here

    # New pages beside the old ones: written over them, compilers would copy the whole book for every piece.
    apart = jax.tree.map(lambda page: page.reshape(stage.pieces, stage.piece, *page.shape[1:]), pages)
    total = jnp.zeros((len(reach.theirs), stage.betting.lines, reach.theirs.shape[-1]))
    total, pages = jax.lax.scan(turn, total, (jnp.arange(stage.pieces) * stage.piece, apart))
    return total, jax.tree.map(lambda page: page.reshape(stage.boards, *page.shape[2:]), pages)


def _part(stage: Round, pages: Any, first: Int[Array, ""]) -> Any:
    return pages if stage.pieces == 1 else cut(pages, first, stage.piece)


def _joined(parts: Sequence[Array], source: np.ndarray) -> Array:
    """Lines one after the other, as the next round has them."""
    joined = jnp.concatenate(parts, 1)
    return joined if np.array_equal(source, np.arange(joined.shape[1])) else joined[:, source]


def _enter(stage: Round, reach: Reach, first: Int[Array, ""]) -> Reach:
    """How often the hands that boards leave come to them."""
    if stage.hand_before is None and stage.open is None and stage.pieces == 1:
        return Reach(reach.mine.astype(stage.dtype), reach.theirs.astype(stage.dtype))
    before = jax.lax.dynamic_slice_in_dim(stage.before, first, stage.piece)

    def enter(part: Array) -> Array:
        part = part.astype(stage.dtype)
        if stage.open is not None:
            left: Array = cut(stage.open, first, stage.piece)
            return part[before] * left[:, None]
        if stage.hand_before is None:
            return part[before]
        hands = jax.lax.dynamic_slice_in_dim(stage.hand_before, first, stage.piece)
        return jnp.moveaxis(jnp.moveaxis(part, 1, 2)[before[:, None], hands], 2, 1)

    return Reach(enter(reach.mine), enter(reach.theirs))


def _leave(stage: Round, values: Array, first: Int[Array, ""], above: int) -> Float[Array, "a l u"]:
    """What lines are worth on the boards before: the sum over the boards that come after each."""
    before = jax.lax.dynamic_slice_in_dim(stage.before, first, stage.piece)
    weight = jax.lax.dynamic_slice_in_dim(stage.weight, first, stage.piece)
    if stage.open is not None:
        values = values * cut(stage.open, first, stage.piece)[:, None]
    if stage.hand_after is not None:
        hands = jax.lax.dynamic_slice_in_dim(stage.hand_after, first, stage.piece)
        padded = jnp.concatenate([values, jnp.zeros_like(values[..., :1])], -1)
        values = jnp.take_along_axis(padded, hands[:, None, :], 2)
    if above == 1:
        return jnp.einsum("blu,b->lu", values.astype(jnp.float64), weight)[None]
    return jax.ops.segment_sum(
        values.astype(jnp.float64) * weight[:, None, None], before, above, indices_are_sorted=True
    )


def _down(
    stage: Round, number: int, sweep: Sweep, first: Int[Array, ""], pages: tuple[Page, ...], reach: Reach
) -> Walked:
    walked = Walked({}, {}, {}, {})

    def visit(node: Node, reach: Reach) -> None:
        match node:
            case Fold():
                walked.folds[node.number] = reach.theirs
            case Close():
                walked.closes[node.number] = reach
            case Decision():
                walked.reach[node.number] = reach
                for after, reached in zip(node.moves, moved(node, reach), strict=True):
                    visit(after, reached)

    def moved(node: Decision, reach: Reach) -> list[Reach]:
        if node.actor != sweep.player:
            play = sweep.theirs(number, node.number, first, stage.piece)
            return [reach._replace(theirs=reach.theirs * each) for each in play]
        own = walked.play[node.number] = sweep.mine(number, node.number, first, stage.piece, pages[node.number])
        if own is None:
            return [reach] * len(node.moves)
        return [reach._replace(mine=reach.mine * each) for each in own]

    for group in stage.betting.groups:
        lines = slice(group.start, group.start + group.lines)
        visit(group.root, Reach(reach.mine[:, lines], reach.theirs[:, lines]))
    return walked


def _closed(
    tree: PublicTree, number: int, player: int, walked: Walked, first: Int[Array, ""], below: Array | None
) -> list[Float[Array, "b l h"]]:
    """What the lines that close a round are worth."""
    stage = tree.rounds[number]
    closes = [walked.closes[close].theirs for close in range(len(walked.closes))]
    ends = np.cumsum([close.shape[1] for close in closes])[:-1]
    if stage.showdown is None:
        assert below is not None
        part = _averaged(stage, _part(stage, below, first), first).astype(stage.dtype)
        order = np.argsort(tree.rounds[number + 1].betting.source, kind="stable")
        part = part if np.array_equal(order, np.arange(len(order))) else part[:, order]
        return jnp.split(part, ends, 1)
    if not closes:
        return []
    joined = jnp.concatenate(closes, 1)
    worse, better = np.moveaxis(np.concatenate(stage.betting.shown)[:, player], 1, 0)
    half, middle = (better - worse) / 2, (better + worse) / 2
    values = _scaled(stage.showdown(joined, first, stage.piece), half)
    if middle.any():
        values = values + _scaled(stage.removal(joined), middle)
    return jnp.split(values, ends, 1)


def _scaled(values: Float[Array, "b l h"], scale: np.ndarray) -> Float[Array, "b l h"]:
    return values * jnp.asarray(scale, values.dtype)[:, None]


def _averaged(stage: Round, values: Float[Array, "b l h"], first: Int[Array, ""]) -> Float[Array, "b l h"]:
    """The mean over all renamings of suits that leave a board as it is."""
    if stage.same is None:
        return values
    same = jax.lax.dynamic_slice_in_dim(stage.same, first, stage.piece)
    total = jnp.zeros_like(values)
    for each in range(same.shape[1]):
        total = total + jnp.take_along_axis(values, same[:, each, None], 2)
    # Hands that are the same have the same number to the last bit: that of the first of them.
    return jnp.take_along_axis(total / same.shape[1], same.min(1)[:, None], 2)


def _up(
    stage: Round, sweep: Sweep, walked: Walked, closed: Sequence[Array], pages: tuple[Page, ...]
) -> tuple[Float[Array, "b l h"], tuple[Page, ...]]:
    """What the lines that come to a round are worth on its boards, and the pages as they are then."""
    written = list(pages)
    folds = [walked.folds[fold] for fold in range(len(walked.folds))]
    folded: Sequence[Array] = ()
    if folds:
        scale = np.concatenate(stage.betting.folds)[:, sweep.player]
        ends = np.cumsum([fold.shape[1] for fold in folds])[:-1]
        folded = jnp.split(_scaled(stage.removal(jnp.concatenate(folds, 1)), scale), ends, 1)

    def visit(node: Node) -> Array:
        match node:
            case Fold():
                return folded[node.number]
            case Close():
                return closed[node.number]
            case Decision():
                values = tuple(visit(after) for after in node.moves)
                if node.actor != sweep.player:
                    return sum(values[1:], values[0])
                value, written[node.number] = sweep.settle(
                    pages[node.number], walked.reach[node.number], walked.play[node.number], values
                )
                return value

    values = [visit(group.root) for group in stage.betting.groups]
    return jnp.concatenate(values, 1), tuple(written)
