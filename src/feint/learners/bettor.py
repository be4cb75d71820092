"""How networks with three outputs, fold, call and raise, play poker: which moves they mean, and as which strategy."""

from __future__ import annotations

from typing import ClassVar, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from feint.arena.arena import InfoState
from feint.arena.policy import Policy
from feint.arena.situations import Situations
from feint.forms.form import Form
from feint.forms.leaves import leaves_of
from feint.forms.strategy import Arrays, Strategy
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.learners.networks import Network

OUTPUTS = ("fold", "call", "raise")
RAISES = OUTPUTS.index("raise")
SILENT = 1e-30
"""Outputs count as this at least, so that something is done where all that is legal has fallen silent."""
SIZES = 3
"""Raises are small, medium or large."""


@final
class Bettor(eqx.Module):
    """From a network's outputs, each from 0 to 1, to chances of the moves that a game offers.

    What is legal is done as often as its output is high. A raise is the larger the higher its own output is: at the
    levels of the bet-size table it is small, medium or large, and between them it is either by shares. The raises on
    offer at a decision, from the smallest to all-in, are divided evenly among the three sizes.
    """

    levels: tuple[float, ...] = eqx.field(static=True)
    """The bet-size table."""
    columns: tuple[int, ...] = eqx.field(static=True)
    """Which output each move comes from."""

    def __call__(self, outputs: Float[Array, "*b 3"], legal: Bool[Array, "*b a"]) -> Float[Array, "*b a"]:
        chances = jnp.where(legal, jnp.maximum(outputs[..., np.asarray(self.columns)], SILENT), 0.0)
        if self.columns.count(RAISES) > 1:
            raises = legal & (np.asarray(self.columns) == RAISES)
            chances = chances * jnp.where(raises, self._shares(outputs[..., RAISES], raises), 1.0)
        return chances / chances.sum(-1, keepdims=True)

    def _shares(self, strength: Float[Array, "*b"], raises: Bool[Array, "*b a"]) -> Float[Array, "*b a"]:
        """How often a raise is each of those on offer."""
        levels = jnp.asarray(self.levels, jnp.float32)
        sizes = [jnp.interp(strength, levels, jnp.asarray(size, jnp.float32)) for size in np.eye(SIZES)]
        # Raises and sizes each divide the way from 0 to 1 evenly; a raise is of a size as far as they overlap.
        each = 1 / jnp.maximum(raises.sum(-1, keepdims=True), 1).astype(jnp.float32)
        ends = jnp.cumsum(raises, -1) * each
        shares = jnp.zeros_like(ends)
        for number, size in enumerate(sizes):
            low, high = number / SIZES, (number + 1) / SIZES
            overlap = jnp.maximum(jnp.minimum(ends, high) - jnp.maximum(ends - each, low), 0.0)
            shares = shares + SIZES * overlap * size[..., None]
        return shares


def bettor_for(form: Form, levels: tuple[float, ...]) -> Bettor:
    """How networks play a game of poker."""
    if not isinstance(form.game, Poker):
        raise BadInput(f"Networks that fold, call and raise play poker, and {form.name} is none; use nfsp.")
    return Bettor(levels, tuple(OUTPUTS.index(name) if name in OUTPUTS else RAISES for name in form.actions))


@final
class NetworkPolicy(Policy):
    """One network in every seat."""

    here: Situations
    bettor: Bettor
    network: Network

    def __call__(self, infostate: InfoState, turn: Int[Array, "*t"]) -> Float[Array, "t a"]:
        return self.bettor(self.network(self.here.features(infostate)), self.here.legal(infostate))

    @property
    def symmetric(self) -> bool:
        return self.here.symmetric


@final
class BettorStrategy(Strategy):
    """What one network does in every seat."""

    holds: ClassVar[str] = "the network that chooses the moves"
    fingerprint: str = eqx.field(static=True)
    played: NetworkPolicy

    @property
    def policy(self) -> NetworkPolicy:
        return self.played

    def arrays(self) -> Arrays:
        return {name: np.asarray(leaf) for name, leaf in leaves_of(self.played.network).items()}
