"""Situations at the start of a game's last round, drawn at random and solved: what values are learned from.

Ranges are drawn as in DeepStack: hands in order of strength, and what one half of them has of the whole is uniform,
again and again. Pots are uniform. How a round goes on depends on the pot; pots with which it goes on alike are a
`Shape`, and what its ends bring grows in a straight line with the pot, so nothing of the betting is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.arena.betting import unroll_betting
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.public.build import build_lookahead
from feint.public.lines import Betting, Decision, Run
from feint.public.showdown import Products
from feint.public.tree import PublicTree
from feint.search.lookahead import Lookahead, Method

EDGE = 1e-9
"""How near to the pot at which betting changes that is found, as a share of all pots."""
NEVER = 1e-4
"""Pots stay below the stack by this share of it: with nothing left to bet there is no betting."""


@final
class Situations(NamedTuple):
    """Some situations, solved. Hands are those that the board leaves, numbered as a public tree has them."""

    board: Int[Array, " n"]
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

    def amounts(self, paid: Float[np.ndarray, " n"]) -> tuple[Float[np.ndarray, "m p"], Float[np.ndarray, "k p o"]]:
        """What folds and showdowns bring with these pots, every line as often as there are pots."""
        betting = self.tree.rounds[0].betting
        way = (paid - self.low) / (self.high - self.low)
        folds, shown = (
            (low[:, None] + np.multiply.outer(way, high - low).swapaxes(0, 1)).reshape(-1, *low.shape[1:])
            for low, high in zip((betting.folds, betting.shown), self.ends, strict=True)
        )
        return folds, shown


@lru_cache(maxsize=8)
def shapes_of(game: Poker) -> tuple[Shape, ...]:
    """All shapes that the last round of a game can have, from the smallest pot to the largest."""
    if len(game.rounds) < 2:
        raise BadInput(f"{game.name} has no round after its first, so there are no situations to solve there.")
    coming = _coming(game)
    low, high = float(coming.min()), float(coming.max() if game.stack is None else game.stack * (1 - NEVER))
    near, found = EDGE * (high - low), []
    while True:
        edge = _edge(game, low, high, near)
        at_low, at_high = _last_round(game, low), _last_round(game, edge)
        ends = at_high.rounds[0].betting
        found.append(Shape(low, edge, at_low, (ends.folds, ends.shown)))
        if edge == high:
            return tuple(found)
        low = edge + 2 * near


def _coming(game: Poker) -> Float[np.ndarray, " k"]:
    """What each player can have put in when the last round begins."""
    betting = unroll_betting(game)
    first = [node for node, moves in enumerate(betting.moves) if len(moves) == len(game.rounds) and not moves[-1]]
    return np.unique(betting.stakes[first, 0])


def _edge(game: Poker, low: float, high: float, near: float) -> float:
    """The largest pot up to `high` with which the last round goes on as it does with `low`."""
    alike = _signature(game, low)
    if _signature(game, high) == alike:
        return high
    least, most = low, high
    while most - least > near:
        middle = (least + most) / 2
        least, most = (middle, most) if _signature(game, middle) == alike else (least, middle)
    return least


def _signature(game: Poker, paid: float) -> object:
    betting = _last_round(game, paid).rounds[0].betting
    return betting.entry, tuple((decision.actor, decision.moves) for decision in betting.decisions)


@lru_cache(maxsize=512)
def _last_round(game: Poker, paid: float) -> PublicTree:
    """The last round alone, as if what each player has put in were an ante."""
    smallest = max(game.ante, *game.blinds, 0.0) if game.least is None else game.least
    alone = replace(game, rounds=game.rounds[-1:], ante=paid, blinds=(), least=smallest if game.stack else None)
    return build_lookahead(alone, [0])[0]


@lru_cache(maxsize=32)
def _tiled(shape: Shape, count: int) -> PublicTree:
    """A shape's tree with so many lines in place of each."""
    stage = shape.tree.rounds[0]

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
    return replace(shape.tree, rounds=(replace(stage, betting=betting, exact=False),))


def draw(game: Poker, method: Method, seed: tuple[int, ...], lines: int, met: float = 0.0) -> Situations:
    """So many pots on every board, each with ranges of its own, solved. The same seed draws the same.

    met: the share of pots that are such as come up in the game; the others are uniform, as in DeepStack.
    """
    rng, shapes = np.random.default_rng(seed), shapes_of(game)
    coming = _coming(game)
    pots = [coming[(shape.low <= coming) & (coming <= shape.high)] for shape in shapes]
    uniform = _shares([shape.high - shape.low for shape in shapes], lines - round(met * lines))
    known = _shares([len(each) for each in pots], round(met * lines))
    parts = []
    for shape, each, *counts in zip(shapes, pots, uniform, known, strict=True):
        if sum(counts):
            drawn = rng.uniform(shape.low, shape.high, counts[0]), rng.choice(each, counts[1] if len(each) else 0)
            paid = np.sort(np.concatenate(drawn))
            parts.append(solve_all(shape, method, paid, _ranges(rng, shape.tree, len(paid))))
    return Situations(*map(jnp.concatenate, zip(*parts, strict=True)))


def _shares(weights: Sequence[float], count: int) -> list[int]:
    """Whole numbers in proportion to weights that sum to `count`."""
    ends = np.rint(np.cumsum(weights) / np.sum(weights) * count).astype(int)
    return [int(end - start) for start, end in pairwise([0, *ends])]


def solve_all(
    shape: Shape, method: Method, paid: Float[np.ndarray, " l"], ranges: Float[np.ndarray, "2 b l h"]
) -> Situations:
    """Situations of one shape, on every board, solved."""
    tree = _tiled(shape, len(paid))
    folds, shown = (jnp.asarray(each) for each in shape.amounts(paid))
    values = np.asarray(_values(Lookahead(tree, method), folds, shown, jnp.asarray(ranges)))
    _, boards, lines, hands = ranges.shape
    first = tree.rounds[0].betting.decisions[0].actor
    order = [0, 1] if first == 0 else [1, 0]
    share = values[order] / paid[:, None]
    return Situations(
        jnp.repeat(jnp.arange(boards, dtype=jnp.uint8), lines),
        jnp.tile(jnp.asarray(paid, jnp.float32), boards),
        *(jnp.moveaxis(jnp.asarray(part, jnp.float32), 0, 2).reshape(-1, 2, hands) for part in (ranges, share)),
    )


@eqx.filter_jit
def _values(
    lookahead: Lookahead, folds: Float[Array, "f p"], shown: Float[Array, "c p o"], ranges: Float[Array, "2 b l h"]
) -> Float[Array, "2 b l h"]:
    """What whoever moves first has, then the other."""
    stage = replace(lookahead.tree.rounds[0], folds=folds, shown=shown)
    ready = Lookahead(replace(lookahead.tree, rounds=(stage,)), lookahead.method)
    first = ready.player
    mine, theirs = ranges[first].astype(jnp.float32), ranges[1 - first].astype(jnp.float32)
    return jnp.stack(ready.values(mine, theirs))


def _ranges(rng: np.random.Generator, tree: PublicTree, count: int) -> Float[np.ndarray, "2 b l h"]:
    """Random ranges for both players, on every board."""
    showdown = tree.rounds[0].showdown
    assert isinstance(showdown, Products)
    order = np.argsort(np.asarray(showdown.strength), 1, kind="stable")  # [b, h]
    boards, hands = order.shape
    drawn = _split(rng, np.ones(2 * boards * count), hands).reshape(2, boards, count, hands)
    ranges = np.zeros_like(drawn)
    np.put_along_axis(ranges, np.broadcast_to(order[None, :, None], drawn.shape), drawn, 3)
    return ranges


def _split(rng: np.random.Generator, mass: Float[np.ndarray, " n"], hands: int) -> Float[np.ndarray, "n h"]:
    """Mass split among hands: a uniform share for one half of them, and so on; of an odd one, either half may be it."""
    if hands == 1:
        return mass[:, None]
    left = mass * rng.uniform(size=len(mass))
    half = hands // 2
    ways = [
        np.concatenate([_split(rng, left, first), _split(rng, mass - left, hands - first)], 1)
        for first in sorted({half, hands - half})
    ]
    return np.where(rng.uniform(size=len(mass))[:, None] < 0.5, ways[0], ways[-1])
