"""What hands win against many others at once: less those who share a card with them, which cannot be.

Two ways that come to the same. By *products*: whether each hand beats each other is a matrix, and what hands win is
that matrix times how often the others come; accelerators do this faster than anything else. By *sums*: hands in order
of strength, all weaker ones are a running sum, from which those are taken that share a card, running sums as well; on
processors that is less work.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

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

    def __call__(self, reach: Float[Array, "b t h"], first: Int[Array, ""], boards: int) -> Float[Array, "b t h"]:
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
    sign = jnp.clip(strength[:, None] - strength[:, :, None], -1.0, 1.0) * apart
    return jnp.matmul(reach, sign.astype(reach.dtype), precision=jax.lax.Precision.HIGHEST)


@final
class Sums(Showdown):
    """By running sums. Tables are of hands in order of strength, of all and of those with each card."""

    order: Int[Array, "*b h"]
    """All hands, the weakest first."""
    weaker: Int[Array, "*b h"]
    """How many are weaker than each …"""
    no_better: Int[Array, "*b h"]
    """… and how many are no better."""
    with_card: Int[Array, "*b m o"] | None
    """The hands with each card, the weakest first; None where hands have but one."""
    weaker_with: Int[Array, "*b k h"] | None
    """How many of those with each of a hand's own cards are weaker: their place among the running sums."""
    no_better_with: Int[Array, "*b k h"] | None

    def __call__(self, reach: Float[Array, "b t h"], first: Int[Array, ""], boards: int) -> Float[Array, "b t h"]:
        # Board by board, in a loop: compilers would work out what is used twice twice, and caches are small.
        won: Float[Array, "b t h"] = jax.lax.map(lambda each: each[0].won(each[1]), (cut(self, first, boards), reach))
        return won

    def won(self, reach: Float[Array, "t h"]) -> Float[Array, "t h"]:
        """The same on one board."""
        by_hand = reach.T  # numbers that go together lie together
        sums = _running(by_hand[self.order])
        won = sums[self.weaker] + sums[self.no_better] - sums[-1]
        if self.with_card is None or self.weaker_with is None or self.no_better_with is None:
            return won.T
        cards, others = self.with_card.shape
        sums = jax.vmap(_running)(by_hand.at[self.with_card].get(mode="fill", fill_value=0))
        whole, flat = sums[:, -1], sums.reshape(cards * (others + 1), -1)
        for weaker, no_better in zip(self.weaker_with, self.no_better_with, strict=True):
            won = won - flat[weaker] - flat[no_better] + whole[weaker // (others + 1)]
        return won.T


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


def showdown_of(strength: Int[np.ndarray, "b h"], hands: Int[np.ndarray, "h k"], cards: int, way: Way) -> Showdown:
    """From the strength of every hand, of so many cards, on every board; the greatest wins."""
    holds = _holds(hands, cards)
    if way == "products":
        return Products(on_device(strength, jnp.float32), on_device(~(holds.astype(int) @ holds.T).astype(bool)))
    order = np.argsort(strength, 1, kind="stable").astype(np.int32)
    ranked = np.take_along_axis(strength, order, 1)
    counts = [on_device(_counted(ranked, strength, side)) for side in ("left", "right")]
    if hands.shape[1] == 1:
        return Sums(on_device(order), counts[0], counts[1], None, None, None)
    # Cards that fewer hands hold are filled up with a hand that there is not, weaker than all.
    most, nobody = holds.sum(0).max(), len(hands)
    found = [np.flatnonzero(column) for column in holds.T]
    holders = np.array([np.pad(each, (0, most - len(each)), constant_values=nobody) for each in found])  # [m, o]
    held = np.pad(strength, ((0, 0), (0, 1)), constant_values=-1)[:, holders]
    by_strength = np.argsort(held, 2, kind="stable")
    with_card = holders[np.arange(cards)[:, None], by_strength].astype(np.int32)
    ranked = np.take_along_axis(held, by_strength, 2)
    others = holders.shape[1]
    cuts = [
        np.stack([card * (others + 1) + _among(ranked, strength, card, side) for card in hands.T], 1)
        for side in ("left", "right")
    ]
    return Sums(on_device(order), counts[0], counts[1], on_device(with_card), on_device(cuts[0]), on_device(cuts[1]))


def _holds(hands: Int[np.ndarray, "h k"], left: int) -> Bool[np.ndarray, "h m"]:
    return np.asarray((hands[..., None] == np.arange(left)).any(1))


def _counted(
    ranked: Int[np.ndarray, "b n"], strength: Int[np.ndarray, "b h"], side: Literal["left", "right"]
) -> np.ndarray:
    """How many of the ranked are weaker (left), or no better (right)."""
    found = [np.searchsorted(those, mine, side) for those, mine in zip(ranked, strength, strict=True)]
    return np.array(found, np.int32)


def _among(
    ranked: Int[np.ndarray, "b m o"], strength: Int[np.ndarray, "b h"], card: Int[np.ndarray, " h"], side: str
) -> np.ndarray:
    """The same among those that hold one of each hand's own cards."""
    counts = np.zeros(strength.shape, np.int32)
    for place in range(ranked.shape[2]):
        other = ranked[:, card, place]
        counts += other < strength if side == "left" else other <= strength
    return counts
