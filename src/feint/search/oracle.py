"""Lines that go on after a lookahead, played out: solved anew whenever somebody asks what they are worth."""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.games.poker import Poker
from feint.public.build import Arrivals, build_lookahead
from feint.search.bets import considered
from feint.search.beyond import CheckedDown, Guess, shares
from feint.search.lookahead import Lookahead, Method
from feint.solvers.regrets import DISCOUNTED

NEARLY = Method(DISCOUNTED, alternating=True, iterations=100)
"""Enough for values about as good as the public program's: benchmarks/situations.py."""


@final
class PlayedOut(Guess):
    """The next round solved for the ranges that come to it: what a perfect guess would be, in time that nobody has."""

    lookahead: Lookahead
    going: tuple[int, ...] = eqx.field(static=True)
    """The lines that go on."""

    @classmethod
    def on(cls, game: Poker, arrivals: Arrivals, method: Method = NEARLY, bets: tuple[str, ...] | None = None) -> Guess:
        """bets: the raises that are considered there, by name; all if left out."""
        going = np.flatnonzero(arrivals.nodes >= 0)
        if not len(going):
            return CheckedDown.of(arrivals)
        tree, _ = build_lookahead(game, arrivals.nodes[going].tolist(), considered(game, bets))
        over = tuple((arrivals.nodes < 0).tolist())
        return cls(jnp.asarray(arrivals.paid), over, Lookahead(tree, method), tuple(going.tolist()))

    def guess(
        self, player: int, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"], shown: Float[Array, "b l h"]
    ) -> Float[Array, "b l h"]:
        lines = np.array(self.going)
        mine, theirs = mine[:, lines], theirs[:, lines]
        own, met = shares(mine), shares(theirs)
        first = player == self.lookahead.player
        each = self.lookahead.values(own, met)[0] if first else self.lookahead.values(met, own)[1]
        each = each / self.paid[lines][:, None]
        return shown.at[:, lines].set(each * theirs.sum(-1, keepdims=True))
