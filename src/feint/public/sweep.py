"""One sweep over a public tree for one player: down with how often hands come, up with what they are worth.

A sweep is told what both players do and what becomes of it at each of the player's decisions: regrets are updated, or
the best move is taken. All values are weighted with how often the other player and chance play along.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.public.lines import CLOSES, FOLDS, Run
from feint.public.play import Bound, Moves, cut
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

    def passed(self, page: Page, values: Moves) -> Page:
        """The page of a decision of the other's, given what its moves are worth to the player."""
        return page

    def came(self, pages: tuple[Page, ...], values: Float[Array, "b l h"]) -> tuple[Page, ...]:
        """The pages of a round that is only guessed at, given what lines that come to it are worth to the player."""
        return pages


class Walked(NamedTuple):
    """A round on its way down."""

    reach: tuple[Reach, ...]
    """At each decision."""
    play: tuple[Moves | None, ...]
    """What the player does there; None at the other's."""
    folds: Reach
    closes: Reach


def run(tree: PublicTree, sweep: Sweep, book: Book) -> tuple[Float[Array, " h"], Book]:
    """What each hand is worth to the player at the start, and the book after it."""
    start = Reach(sweep.start(tree)[None, None], tree.ranges[1 - sweep.player][None, None])
    values, pages = run_from(tree, sweep, book, start)
    return values[0, 0], pages


def run_from(tree: PublicTree, sweep: Sweep, book: Book, reach: Reach) -> tuple[Float[Array, "a l h"], Book]:
    """The same for all lines and boards that a tree begins with, given how often hands come there."""
    reaches = [reach]
    for number in range(len(tree.rounds) - 1):
        reaches.append(exits(tree, number, sweep, book[number], reaches[-1]))
    pages, values = list(book), None
    for number in reversed(range(len(tree.rounds))):
        values, pages[number] = _values(tree, number, sweep, book[number], reaches[number], values)
    assert values is not None
    return values, tuple(pages)


def shown(tree: PublicTree, number: int, theirs: Float[Array, "b h"]) -> Float[Array, "b h"]:
    """How often hands win less how often they lose on the boards of a round, if nobody bets any more.

    theirs: how often the other comes with each hand. Weighted likewise.
    """
    stage = tree.rounds[number]
    if (showdown := stage.showdown) is not None:

        def piece(first: Int[Array, ""]) -> Float[Array, "p h"]:
            return showdown(cut(theirs, first, stage.piece)[:, None], first, stage.piece)[:, 0]

        parts: Float[Array, "n p h"] = jax.lax.map(piece, jnp.arange(stage.pieces) * stage.piece)
        return parts.reshape(theirs.shape)
    below, above, first = tree.rounds[number + 1], len(theirs), jnp.asarray(0)
    whole = replace(below, piece=below.boards, parents=above)
    came = enter(whole, Reach(theirs[:, None], theirs[:, None]), first).theirs[:, 0]
    values = _leave(whole, shown(tree, number + 1, came)[:, None], first, above)
    return _averaged(replace(stage, piece=stage.boards), values, first)[:, 0]


def exits(tree: PublicTree, number: int, sweep: Sweep, pages: tuple[Page, ...], reach: Reach) -> Reach:
    """How often hands come to the lines of the next round, on the boards of this one: [boards, lines, hands]."""
    stage, source = tree.rounds[number], np.array(tree.rounds[number + 1].betting.source)

    def piece(first: Int[Array, ""]) -> Reach:
        walked = _down(stage, number, sweep, first, _part(stage, pages, first), enter(stage, reach, first))
        return Reach(*(_ordered(part, source) for part in walked.closes))

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
        entered = enter(stage, reach, first)
        if tree.beyond is not None and number == len(tree.rounds) - 1:
            values = tree.beyond(stage, sweep.player, *entered, first)
            return _leave(stage, values, first, len(reach.theirs)), sweep.came(here, values)
        walked = _down(stage, number, sweep, first, here, entered)
        closed = _closed(tree, number, sweep.player, walked, first, below)
        values, here = _up(stage, sweep, walked, closed, here, _part(stage, stage.bound, first))
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


def _ordered(lines: Float[Array, "b l h"], order: np.ndarray) -> Float[Array, "b l h"]:
    """Lines in another order."""
    return lines if np.array_equal(order, np.arange(lines.shape[1])) else lines[:, order]


def _joined(parts: Sequence[Float[Array, "b _ h"]]) -> Float[Array, "b l h"]:
    """Lines one after the other."""
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts, 1)


def _gathered(runs: Sequence[Run], places: Mapping[int, Float[Array, "b _ h"]]) -> Float[Array, "b l h"]:
    """Lines from where they went."""
    return _joined([places[place][:, start : start + lines] for place, start, lines in runs])


def enter(stage: Round, reach: Reach, first: Int[Array, ""]) -> Reach:
    """How often the hands that boards leave come to them."""
    if stage.hand_before is None and stage.open is None and stage.pieces == 1:
        return Reach(reach.mine.astype(stage.dtype), reach.theirs.astype(stage.dtype))
    before = jax.lax.dynamic_slice_in_dim(stage.before, first, stage.piece)

    def entered(part: Array) -> Array:
        part = part.astype(stage.dtype)
        if stage.open is not None:
            left: Array = cut(stage.open, first, stage.piece)
            return part[before] * left[:, None]
        if stage.hand_before is None:
            return part[before]
        hands = jax.lax.dynamic_slice_in_dim(stage.hand_before, first, stage.piece)
        return jnp.moveaxis(jnp.moveaxis(part, 1, 2)[before[:, None], hands], 2, 1)

    return Reach(entered(reach.mine), entered(reach.theirs))


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
    # By a product, since the boards of a piece come from few.
    start = jnp.minimum(before[0], above - stage.parents)
    share = jnp.where(before == start + jnp.arange(stage.parents)[:, None], weight, 0.0)
    part = jnp.einsum("ab,blu->alu", share, values.astype(jnp.float64))
    if stage.parents == above:
        return part
    return jax.lax.dynamic_update_slice_in_dim(jnp.zeros((above, *part.shape[1:])), part, start, 0)


def _down(
    stage: Round, number: int, sweep: Sweep, first: Int[Array, ""], pages: tuple[Page, ...], reach: Reach
) -> Walked:
    betting = stage.betting
    nobody = jax.tree.map(lambda part: part[:, :0], reach)
    places: dict[int, list[Reach]] = {FOLDS: [nobody], CLOSES: [nobody]}

    def put(runs: Sequence[Run], reach: Reach) -> None:
        ends = accumulate(lines for _, _, lines in runs)
        for (place, _, lines), end in zip(runs, ends, strict=True):
            went = Reach(reach.mine[:, end - lines : end], reach.theirs[:, end - lines : end])
            places.setdefault(place, []).append(went)

    def come(place: int) -> Reach:
        return Reach(*map(_joined, zip(*places[place], strict=True)))

    put(betting.entry, reach)
    reaches: list[Reach] = []
    plays: list[Moves | None] = []
    for decision in betting.decisions:
        here = come(decision.number)
        own, bound = None, _part(stage, stage.bound[decision.number], first)
        if decision.actor != sweep.player:
            theirs = sweep.theirs(number, decision.number, first, stage.piece)
            theirs = bound.over(theirs) if bound else theirs
            after = [here._replace(theirs=here.theirs * each) for each in theirs]
        else:
            own = sweep.mine(number, decision.number, first, stage.piece, pages[decision.number])
            own = bound.over(own) if own and bound else own
            after = [here._replace(mine=here.mine * each) for each in own] if own else [here] * len(decision.moves)
        reaches.append(here)
        plays.append(own)
        for runs, reached in zip(decision.moves, after, strict=True):
            put(runs, reached)
    return Walked(tuple(reaches), tuple(plays), come(FOLDS), come(CLOSES))


def _closed(
    tree: PublicTree, number: int, player: int, walked: Walked, first: Int[Array, ""], below: Array | None
) -> Float[Array, "b l h"]:
    """What the lines that close a round are worth."""
    stage, theirs = tree.rounds[number], walked.closes.theirs
    if stage.showdown is None:
        assert below is not None
        part = _averaged(stage, _part(stage, below, first), first).astype(stage.dtype)
        return _ordered(part, np.argsort(tree.rounds[number + 1].betting.source, kind="stable"))
    if not theirs.shape[1]:
        return theirs
    worse, better = stage.shown[:, player].T
    values = _scaled(stage.showdown(theirs, first, stage.piece), (better - worse) / 2)
    if not stage.betting.shown[:, player].sum(1).any():
        return values
    return values + _scaled(stage.removal(theirs), (better + worse) / 2)


def _scaled(values: Float[Array, "b l h"], scale: Float[Array, " l"]) -> Float[Array, "b l h"]:
    return values * scale.astype(values.dtype)[:, None]


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
    stage: Round,
    sweep: Sweep,
    walked: Walked,
    closed: Float[Array, "b _ h"],
    pages: tuple[Page, ...],
    bound: tuple[Bound | None, ...],
) -> tuple[Float[Array, "b l h"], tuple[Page, ...]]:
    """What the lines that come to a round are worth on its boards, and the pages as they are then."""
    betting, written = stage.betting, list(pages)
    values = {CLOSES: closed, FOLDS: _scaled(stage.removal(walked.folds.theirs), stage.folds[:, sweep.player])}
    for decision in reversed(betting.decisions):
        number = decision.number
        moves = tuple(_gathered(runs, values) for runs in decision.moves)
        if decision.actor != sweep.player:
            values[number], written[number] = sum(moves[1:], moves[0]), sweep.passed(pages[number], moves)
        else:
            moves = here.worth(moves) if (here := bound[number]) else moves
            values[number], written[number] = sweep.settle(
                pages[number], walked.reach[number], walked.play[number], moves
            )
    return _gathered(betting.entry, values), tuple(written)
