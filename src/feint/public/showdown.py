"""What hands win against many others at once: less those who share a card with them, which cannot be.

Two ways that come to the same. By *products*: whether each hand beats each other is a matrix, and what hands win is
that matrix times how often the others come; accelerators do this faster than anything else. By *sums*: hands in order
of strength, all weaker ones are a running sum, from which those are taken that share a card, by products once more but
small ones; on processors that is less work.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int8, Num

from feint.public.play import cut
from feint.public.showdown_kernel import won_less_lost
from feint.tree.arrays import on_device

Way = Literal["products", "sums"]


@final
class Removal(eqx.Module):
    """How much of the others' hands is left once a hand's own cards are out of the deck."""

    cards: Int[Array, "h k"]
    """The cards of each hand, numbered among those left."""
    holds: Bool[Array, "h m"]
    """Which hands hold each card."""

    def __call__(self, reach: Float[Array, "b t h"]) -> Float[Array, "b t h"]:
        """For each hand, the sum over all others that share no card with it: inclusion and exclusion."""
        if self.cards.shape[1] == 1:
            return reach.sum(-1, keepdims=True) - reach
        by_card = jnp.matmul(reach, self.holds.astype(reach.dtype), precision=jax.lax.Precision.HIGHEST)
        first, second = (by_card[..., self.cards[:, place]] for place in (0, 1))
        return by_card.sum(-1, keepdims=True) / 2 - first - second + reach


class Showdown(eqx.Module):
    """Who beats whom on every board of the last round."""

    @abstractmethod
    def __call__(self, reach: Float[Array, "b t h"], first: Int[Array, ""], boards: int) -> Float[Array, "b t h"]:
        """How often each hand wins less how often it loses, against others that come as often as `reach` says.

        `boards` of them are meant, from the first on.
        """


@final
class Products(Showdown):
    """By matrix products."""

    strength: Float[Array, "b h"]
    apart: Bool[Array, "h h"]
    """Which hands share no card."""
    sign: Int8[Array, "b h h"] | None = None
    """The matrix itself, by who loses and who wins; None where it is worked out anew whenever it is asked for."""

    def __call__(self, reach: Float[Array, "b t h"], first: Int[Array, ""], boards: int) -> Float[Array, "b t h"]:
        if self.sign is not None:
            return _product(reach, cut(self.sign, first, boards))
        mine = cut(self.strength, first, boards)
        if reach.dtype != jnp.float32:
            return _multiplied(reach, mine, self.apart)
        won: Float[Array, "b t h"] = jax.lax.platform_dependent(
            reach, mine, self.apart, cuda=won_less_lost, default=_multiplied
        )
        return won


def _multiplied(
    reach: Float[Array, "b t h"], strength: Float[Array, "b h"], apart: Bool[Array, "h h"]
) -> Float[Array, "b t h"]:
    """The same in so many words."""
    return _product(reach, jnp.clip(strength[:, None] - strength[:, :, None], -1.0, 1.0) * apart)


def _product(reach: Float[Array, "b t h"], sign: Num[Array, "b h h"]) -> Float[Array, "b t h"]:
    return jnp.matmul(reach, sign.astype(reach.dtype), precision=jax.lax.Precision.HIGHEST)


@final
class Sums(Showdown):
    """By running sums over hands in order of strength, less what those come to that share a card."""

    strength: Float[Array, "b h"]
    order: Int[Array, "b h"]
    """All hands, the weakest first."""
    weaker: Int[Array, "b h"]
    """How many are weaker than each …"""
    no_better: Int[Array, "b h"]
    """… and how many are no better."""
    holders: Int[Array, "m o"]
    """The hands with each card; where fewer have it, a hand that there is not."""
    place: Int[Array, "k h"]
    """Where a hand is among the holders of its own cards, of all cards one after the other."""

    def __call__(self, reach: Float[Array, "b t h"], first: Int[Array, ""], boards: int) -> Float[Array, "b t h"]:
        tables = cut((self.strength, self.order, self.weaker, self.no_better), first, boards)
        # Board by board, in a loop: caches are small.
        won: Float[Array, "b t h"] = jax.lax.map(lambda each: self._won(*each), (reach, *tables))
        return won

    def _won(
        self,
        reach: Float[Array, "t h"],
        strength: Float[Array, " h"],
        order: Int[Array, " h"],
        weaker: Int[Array, " h"],
        no_better: Int[Array, " h"],
    ) -> Float[Array, "t h"]:
        """The same on one board."""
        by_hand = once(reach.T)  # numbers that go together lie together
        sums = once(_running(once(by_hand[order])))
        won = sums[weaker] + sums[no_better] - sums[-1]
        if len(self.place) == 1:
            return won.T
        held = once(by_hand.at[self.holders].get(mode="fill", fill_value=0))
        theirs = strength.at[self.holders].get(mode="fill", fill_value=0)
        sign = jnp.clip(theirs[:, :, None] - theirs[:, None, :], -1.0, 1.0).astype(reach.dtype)
        sharing = jnp.einsum("mij,mjt->mit", sign, held, precision=jax.lax.Precision.HIGHEST)
        sharing = once(sharing.reshape(self.holders.size, -1))
        return once(won - sharing[self.place[0]] - sharing[self.place[1]]).T


def once(array: Array) -> Array:
    """Worked out once and written down: compilers would do it again wherever a number of it is used."""
    written: Array = jax.lax.optimization_barrier(array)
    return written


def _running(rows: Float[Array, "n t"]) -> Float[Array, "n+1 t"]:
    """Sums of all rows before each, and of all.

    Some rows at a time by a product with a triangle, then what came before them: less work than it looks like.
    """
    count, lines = rows.shape
    some = max(1, round(count**0.5))
    parts = jnp.pad(rows, ((0, -count % some), (0, 0))).reshape(-1, some, lines)
    triangle = jnp.tril(jnp.ones((some, some), rows.dtype))
    within = jnp.einsum("ij,gjt->git", triangle, parts, precision=jax.lax.Precision.HIGHEST)
    before = jnp.cumsum(within[:, -1], 0) - within[:, -1]
    sums = (within + before[:, None]).reshape(-1, lines)[:count]
    return jnp.concatenate([jnp.zeros_like(sums[:1]), sums])


def removal_of(hands: Int[np.ndarray, "h k"], cards: int) -> Removal:
    """For hands of so many cards."""
    return Removal(on_device(hands), on_device(_holds(hands, cards)))


def showdown_of(
    strength: Int[np.ndarray, "b h"],
    hands: Int[np.ndarray, "h k"],
    cards: int,
    way: Way,
    filled: int = 1,
    written: bool = False,
) -> Showdown:
    """From the strength of every hand, of so many cards, on every board; the greatest wins.

    filled: there is room for so many holders of a card, or twice so many and so on: then shapes differ less.
    written: matrices of products are written down once for all.
    """
    holds = _holds(hands, cards)
    if way == "products":
        apart = ~(holds.astype(int) @ holds.T).astype(bool)
        sign = on_device(_signs(strength, apart)) if written else None
        return Products(on_device(strength, jnp.float32), on_device(apart), sign)
    order = np.argsort(strength, 1, kind="stable").astype(np.int32)
    ranked = np.take_along_axis(strength, order, 1)
    weaker, no_better = (on_device(_counted(ranked, strength, side)) for side in ("left", "right"))
    most, nobody = -(-holds.sum(0).max() // filled) * filled, len(hands)
    found = [np.flatnonzero(column) for column in holds.T]
    holders = np.array([np.pad(each, (0, most - len(each)), constant_values=nobody) for each in found], np.int32)
    number = holds.cumsum(0) - 1
    place = np.array([card * most + number[np.arange(len(hands)), card] for card in hands.T], np.int32)
    return Sums(
        strength=on_device(strength, jnp.float32),
        order=on_device(order),
        weaker=weaker,
        no_better=no_better,
        holders=on_device(holders),
        place=on_device(place),
    )


def _holds(hands: Int[np.ndarray, "h k"], left: int) -> Bool[np.ndarray, "h m"]:
    return np.asarray((hands[..., None] == np.arange(left)).any(1))


def _signs(strength: Int[np.ndarray, "b h"], apart: Bool[np.ndarray, "h h"]) -> Int8[np.ndarray, "b h h"]:
    """On each board whether a hand (the first axis) loses to another or beats it."""
    signs = np.empty((len(strength), *apart.shape), np.int8)
    for sign, mine in zip(signs, strength, strict=True):
        np.subtract(mine > mine[:, None], mine < mine[:, None], out=sign, dtype=np.int8)
        sign *= apart
    return signs


def _counted(
    ranked: Int[np.ndarray, "b n"], strength: Int[np.ndarray, "b h"], side: Literal["left", "right"]
) -> np.ndarray:
    """How many of the ranked are weaker (left), or no better (right)."""
    found = [np.searchsorted(those, mine, side) for those, mine in zip(ranked, strength, strict=True)]
    return np.array(found, np.int32)
