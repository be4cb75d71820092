"""What lines are worth that go on after a lookahead: nothing, what they would be if nobody bet, or what was learned."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.public.build import Arrivals
from feint.public.tree import Beyond, Round


class Guess(Beyond):
    """A guess for lines that go on; hands are shown in those with nothing left to bet."""

    paid: Float[Array, " l"]
    """What each player has put into the pot, in every line."""
    over: tuple[bool, ...] = eqx.field(static=True)
    """In which of them nothing is left to bet."""

    @classmethod
    def of(cls, arrivals: Arrivals) -> Self:
        return cls(jnp.asarray(arrivals.paid), tuple((arrivals.nodes < 0).tolist()))

    def __call__(
        self,
        stage: Round,
        player: int,
        mine: Float[Array, "b l h"],
        theirs: Float[Array, "b l h"],
        first: Int[Array, ""],
    ) -> Float[Array, "b l h"]:
        assert stage.showdown is not None
        shown = stage.showdown(theirs, first, stage.piece)
        guessed = self.guess(player, mine, theirs, shown)
        worth = jnp.where(np.array(self.over)[:, None], shown, guessed)
        return worth * self.paid.astype(worth.dtype)[:, None]

    @abstractmethod
    def guess(
        self,
        player: int,
        mine: Float[Array, "b l h"],
        theirs: Float[Array, "b l h"],
        shown: Float[Array, "b l h"],
    ) -> Float[Array, "b l h"]:
        """What hands win, as a share of what each player has put in; `shown` is that if nobody bets any more."""


@final
class Nothing(Guess):
    """Lines that go on are worth nothing."""

    def guess(
        self, player: int, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"], shown: Float[Array, "b l h"]
    ) -> Float[Array, "b l h"]:
        return jnp.zeros_like(shown)


@final
class CheckedDown(Guess):
    """Nobody bets any more."""

    def guess(
        self, player: int, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"], shown: Float[Array, "b l h"]
    ) -> Float[Array, "b l h"]:
        return shown


def shares(weights: Float[Array, "... h"]) -> Float[Array, "... h"]:
    """Weights as ranges; all hands equally often where none comes."""
    total = weights.sum(-1, keepdims=True)
    return jnp.where(total > 0, weights / jnp.where(total > 0, total, 1.0), 1.0 / weights.shape[-1])
