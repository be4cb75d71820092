"""Situations at the start of a game's last round, drawn at random and solved: what values are learned from.

Ranges are drawn as in DeepStack: hands in order of strength, and what one half of them has of the whole is uniform,
again and again. Pots are uniform. In the game itself only few pots come up, and hands that differ in suits alone come
equally often: some situations, or all, may be such as are met. How a round goes on depends on the pot; pots with which
it goes on alike are a `Shape`, and what its ends bring grows in a straight line with the pot, so nothing of the betting
is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Integer, PRNGKeyArray

from feint.arena.betting import unroll_betting
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.public.build import build_lookahead
from feint.public.lines import Betting, Decision, Run, round_from
from feint.public.showdown import Products
from feint.public.tree import PublicTree
from feint.search.lookahead import Lookahead, Method
from feint.tree.compiled import compiled

EDGE = 1e-9
"""How near to the pot at which betting changes that is found, as a share of all pots."""
GRID = 65
"""How many pots betting is looked at with, next to those that come up."""
FAR = 4.0
"""How near ranges lie to those where players were: what is random of them is a uniform number to this power."""
NEVER = 1e-4
"""Pots stay below the stack by this share of it: with nothing left to bet there is no betting."""


@final
class Situations(NamedTuple):
    """Some situations, solved. Hands are those that the board leaves, numbered as a public tree has them."""

    board: Integer[Array, " n"]
    paid: Float[Array, " n"]
    """What each player has put into the pot, in chips."""
    ranges: Float[Array, "n 2 h"]
    """Each player's; sum to 1."""
    values: Float[Array, "n 2 h"]
    """What each hand of each player wins, as a share of what each has put in, for each unit of the other's range."""


@final
@dataclass(frozen=True, eq=False)
class Shape:
    """Pots with which a round goes on alike."""

    low: float
    high: float
    tree: PublicTree
    """At the low end: one line, on every board …"""
    ends: tuple[Float[np.ndarray, "f p"], Float[np.ndarray, "c p o"]]
    """… and what folds and showdowns bring at the high end."""


@lru_cache(maxsize=8)
def shapes_of(game: Poker) -> tuple[Shape, ...]:
    """All shapes that the last round of a game can have, from the smallest pot to the largest.

    Every pot that comes to that round in the game is one of some shape.
    """
    if len(game.rounds) < 2:
        raise BadInput(f"{game.name} has no round after its first, so there are no situations to solve there.")
    coming = _coming(game)
    low, high = float(coming.min()), float(max(coming.max(), 0 if game.stack is None else game.stack * (1 - NEVER)))
    near, looked_at, found = EDGE * (high - low), _looked_at(game, coming, low, high), list[Shape]()
    while True:
        edge = _edge(game, low, looked_at, near)
        at_low, at_high = last_round(game, low), last_round(game, edge)
        ends = at_high.rounds[0].betting
        found.append(Shape(low, edge, at_low, (ends.folds, ends.shown)))
        if edge == high:
            return tuple(found)
        low = _next_low(coming, edge, min(edge + 2 * near, high))


def _next_low(coming: Float[np.ndarray, " k"], edge: float, beyond: float) -> float:
    """Where the next shape begins: safely beyond the edge, or at a pot that comes up before.

    Betting changes at round numbers, which is where the pots of a game are: none may be lost between two shapes.
    """
    between = coming[(coming > edge) & (coming <= beyond)]
    return float(between[0]) if len(between) else beyond


def _coming(game: Poker) -> Float[np.ndarray, " k"]:
    """What each player can have put in when the last round begins."""
    betting = unroll_betting(game)
    first = [node for node, moves in enumerate(betting.moves) if len(moves) == len(game.rounds) and not moves[-1]]
    return np.unique(betting.stakes[first, 0])


def _looked_at(game: Poker, coming: Float[np.ndarray, " k"], low: float, high: float) -> list[float]:
    """Pots at which betting is looked at, up to the highest: those that come up, and a grid.

    Moves can come and go between two pots with which a round goes on alike. Without stacks nothing depends on the pot.
    """
    return [high] if game.stack is None else sorted({*coming.tolist(), *np.linspace(low, high, GRID).tolist()})


def _edge(game: Poker, low: float, looked_at: Sequence[float], near: float) -> float:
    """The largest pot with which the last round goes on as it does with `low`, up to the last that is looked at."""
    alike, same, high = _signature(game, low), low, looked_at[-1]
    for pot in looked_at:
        if pot > low and _signature(game, pot) != alike:
            return _between(game, low, high, near, (same, pot))
        same = max(low, pot)
    return high


def _between(game: Poker, low: float, high: float, near: float, found: tuple[float, float]) -> float:
    """Where betting changes between two pots that were found.

    All pots from the lowest are halved, so that no edge moves, not even by rounding, where more pots are looked at.
    """
    alike, (same, other) = _signature(game, low), found
    while high - low > near:
        middle = (low + high) / 2
        as_before = middle <= same or (middle < other and _signature(game, middle) == alike)
        low, high = (middle, high) if as_before else (low, middle)
    return max(low, same)


@lru_cache(maxsize=512)
def _signature(game: Poker, paid: float) -> object:
    """All that decides how the last round goes on: which moves there are, and where each leads."""
    alone = _alone(game, paid)
    betting = unroll_betting(alone)
    lines, _ = round_from(betting, 0, [(0, 0)])
    legal = tuple(betting.legal[decision.nodes].tobytes() for decision in lines.decisions)
    return lines.entry, legal, tuple((decision.actor, decision.moves) for decision in lines.decisions)


@lru_cache(maxsize=512)
def last_round(game: Poker, paid: float) -> PublicTree:
    """The last round alone, as if what each player has put in were an ante."""
    return build_lookahead(_alone(game, paid), [0])[0]


def _alone(game: Poker, paid: float) -> Poker:
    smallest = max(game.ante, *game.blinds, 0.0) if game.least is None else game.least
    return replace(game, rounds=game.rounds[-1:], ante=paid, blinds=(), least=smallest if game.stack else None)


@final
class Near(NamedTuple):
    """Where players were when they came to the last round."""

    paid: Float[np.ndarray, " k"]
    """What each had put into the pot."""
    ranges: Float[Array, "2 b k h"]
    """Each player's, on every board."""


@final
class Lines(eqx.Module):
    """So many pots of one shape on every board, each with ranges of its own."""

    lookahead: Lookahead
    """As many lines as pots, all as at the low end …"""
    high: tuple[Float[Array, "f p"], Float[Array, "c p o"]]
    """… and what folds and showdowns bring at the high end."""
    ends: tuple[float, float] = eqx.field(static=True)
    coming: Float[Array, " k"]
    """The pots that come up in the game."""
    order: Int[Array, "b h"]
    """Hands from the weakest to the strongest, on every board …"""
    alike: Float[Array, "b h h"]
    """… and the mean over those of equal strength."""
    uniform: int = eqx.field(static=True)
    """How many pots are uniform …"""
    met: int = eqx.field(static=True)
    """… and how many are such as come up; these are the last."""

    def __call__(self, key: PRNGKeyArray, near: Near | None = None) -> Situations:
        """Draw and solve them. The same key draws the same.

        near: where ranges of those that are met are to lie near some, these.
        """
        for_ranges, for_places = jax.random.split(key)
        paid, ranges = self.drawn(for_ranges)
        return self.solve(*(self._near(for_places, paid, ranges, near) if near and self.met else (paid, ranges)))

    def drawn(self, key: PRNGKeyArray) -> tuple[Float[Array, " l"], Float[Array, "2 b l h"]]:
        """Pots and ranges."""
        for_pots, for_choices, for_ranges = jax.random.split(key, 3)
        low, high = self.ends
        paid = jax.random.uniform(for_pots, (self.uniform,), minval=low, maxval=high)
        if self.met:
            paid = jnp.concatenate([paid, jax.random.choice(for_choices, self.coming, (self.met,))])
        boards, hands = self.order.shape
        split = _split(for_ranges, jnp.ones(2 * boards * len(paid)), hands).reshape(2, boards, len(paid), hands)
        places = jnp.broadcast_to(self.order[None, :, None], split.shape)
        ranges = jnp.put_along_axis(jnp.zeros_like(split), places, split, 3, inplace=False)
        even = jnp.einsum("pblh,bhg->pblg", ranges[:, :, self.uniform :], self.alike)
        return paid, ranges.at[:, :, self.uniform :].set(even)

    def _near(
        self, key: PRNGKeyArray, paid: Float[Array, " l"], ranges: Float[Array, "2 b l h"], near: Near
    ) -> tuple[Float[Array, " l"], Float[Array, "2 b l h"]]:
        """Half of those that are met moved to where players were, nearer or farther off."""
        low, high = self.ends
        count, here = self.met // 2, np.flatnonzero((low <= near.paid) & (near.paid <= high))
        if not count or not len(here):
            return paid, ranges
        for_which, for_far = jax.random.split(key)
        which = jnp.asarray(here)[jax.random.randint(for_which, (count,), 0, len(here))]
        far = jax.random.uniform(for_far, (count, 1)) ** FAR
        moved = far * ranges[:, :, -count:] + (1 - far) * near.ranges[:, :, which]
        return paid.at[-count:].set(jnp.asarray(near.paid)[which]), ranges.at[:, :, -count:].set(moved)

    def solve(self, paid: Float[Array, " l"], ranges: Float[Array, "2 b l h"]) -> Situations:
        """What hands are worth with these pots and ranges."""
        tree, first = self.lookahead.tree, self.lookahead.player
        folds, shown = self.amounts(paid)
        stage = replace(tree.rounds[0], folds=folds, shown=shown)
        ready = Lookahead(replace(tree, rounds=(stage,)), self.lookahead.method)
        both = ready.values(*(ranges[player].astype(stage.dtype) for player in (first, 1 - first)))
        values = jnp.stack(both if first == 0 else both[::-1]) / paid[:, None]
        _, boards, lines, hands = ranges.shape
        return Situations(
            jnp.repeat(jnp.arange(boards, dtype=np.min_scalar_type(boards - 1)), lines),
            jnp.tile(paid.astype(jnp.float32), boards),
            *(jnp.moveaxis(part.astype(jnp.float32), 0, 2).reshape(-1, 2, hands) for part in (ranges, values)),
        )

    def amounts(self, paid: Float[Array, " l"]) -> tuple[Float[Array, "m p"], Float[Array, "k p o"]]:
        """What folds and showdowns bring with these pots."""
        low, high = self.ends
        way = (paid - low) / ((high - low) or 1.0)  # one pot alone is at the low end
        stage = self.lookahead.tree.rounds[0]

        def between(at_low: Array, at_high: Array) -> Array:
            each = at_low.reshape(-1, len(paid), *at_low.shape[1:])  # lines of one kind are next to each other
            return (each + way.reshape(-1, *(1,) * (each.ndim - 2)) * (at_high[:, None] - each)).reshape(at_low.shape)

        return between(stage.folds, self.high[0]), between(stage.shown, self.high[1])


@final
class Drawing(eqx.Module):
    """Situations of all shapes that a game's last round can have."""

    parts: tuple[Lines, ...]

    def __call__(self, key: PRNGKeyArray, near: Near | None = None) -> Situations:
        """Draw and solve them, some of them near those where players were. The same key draws the same."""
        keys = jax.random.split(key, len(self.parts))
        drawn = (part(key, near) for part, key in zip(self.parts, keys, strict=True))
        return Situations(*map(jnp.concatenate, zip(*drawn, strict=True)))


def drawing_of(game: Poker, method: Method, lines: int, met: float = 0.0) -> Drawing:
    """So many pots on every board of a game's last round; that share of them, and of ranges, are such as are met."""
    shapes, coming = shapes_of(game), _coming(game)
    pots = [coming[(shape.low <= coming) & (coming <= shape.high)] for shape in shapes]
    uniform = _shares([shape.high - shape.low for shape in shapes], lines - round(met * lines))
    known = _shares([len(each) for each in pots], round(met * lines))
    counted = zip(shapes, pots, uniform, known, strict=True)
    return Drawing(tuple(lines_of(*each, method) for each in counted if sum(each[2:])))


@compiled
def drawn(drawing: Drawing, key: PRNGKeyArray) -> Situations:
    """Situations, drawn and solved in compiled code."""
    return drawing(key)


def lines_of(shape: Shape, coming: Float[np.ndarray, " k"], uniform: int, met: int, method: Method) -> Lines:
    """So many pots of one shape."""
    showdown = shape.tree.rounds[0].showdown
    assert isinstance(showdown, Products)
    strength = np.asarray(showdown.strength)
    alike = (strength[:, :, None] == strength[:, None]).astype(np.float64)
    return Lines(
        lookahead=Lookahead(_tiled(shape.tree, uniform + met), method),
        high=(jnp.asarray(shape.ends[0]), jnp.asarray(shape.ends[1])),
        ends=(shape.low, shape.high),
        coming=jnp.asarray(coming),
        order=jnp.asarray(np.argsort(strength, 1, kind="stable")),
        alike=jnp.asarray(alike / alike.sum(2, keepdims=True)),
        uniform=uniform,
        met=met,
    )


def _tiled(tree: PublicTree, count: int) -> PublicTree:
    """A tree of one line with so many in its place, in single precision."""
    stage = tree.rounds[0]

    def more(runs: tuple[Run, ...]) -> tuple[Run, ...]:
        return tuple(Run(place, start * count, lines * count) for place, start, lines in runs)

    betting = Betting(
        tuple(range(count)),
        more(stage.betting.entry),
        tuple(
            Decision(each.number, each.actor, np.repeat(each.nodes, count), tuple(map(more, each.moves)))
            for each in stage.betting.decisions
        ),
        np.repeat(stage.betting.folds, count, 0),
        np.repeat(stage.betting.shown, count, 0),
    )
    folds, shown = jnp.asarray(betting.folds), jnp.asarray(betting.shown)
    return replace(tree, rounds=(replace(stage, betting=betting, exact=False, folds=folds, shown=shown),))


def _shares(weights: Sequence[float], count: int) -> list[int]:
    """Whole numbers in proportion to weights that sum to `count`; alike where nothing has any weight."""
    each = np.array(weights if any(weights) else [1.0] * len(weights))
    ends = np.rint(np.cumsum(each) / each.sum() * count).astype(int)
    return [int(end - start) for start, end in pairwise([0, *ends])]


def _split(key: PRNGKeyArray, mass: Float[Array, " n"], hands: int) -> Float[Array, "n h"]:
    """Mass split among hands: a uniform share for one half of them, and so on; of an odd one, either half may be it."""
    if hands == 1:
        return mass[:, None]
    for_share, for_side, *for_parts = jax.random.split(key, 6)
    left = mass * jax.random.uniform(for_share, mass.shape)
    half = hands // 2
    ways = [
        jnp.concatenate([_split(one, left, first), _split(other, mass - left, hands - first)], 1)
        for first, one, other in zip(sorted({half, hands - half}), for_parts[::2], for_parts[1::2], strict=False)
    ]
    return jnp.where(jax.random.uniform(for_side, mass.shape)[:, None] < 0.5, ways[0], ways[-1])
