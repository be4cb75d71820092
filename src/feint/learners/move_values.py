"""What moves are worth to seats that learned it in self-play, taken out of what they have learned."""

from __future__ import annotations

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from feint.arena.arena import InfoState
from feint.learners.networks import Network
from feint.learners.seat import SeatLearner
from feint.learners.settings import FORBIDDEN
from feint.solvers.algorithm import MoveValues


@final
class LearnedMoveValues(MoveValues):
    """The value networks of all seats."""

    learners: tuple[SeatLearner, ...]
    networks: tuple[Network, ...]
    scale: float = eqx.field(static=True)
    """What rewards were multiplied by."""

    def best(self, infostate: InfoState, turn: Int[Array, ""]) -> Float[Array, " b"]:
        def ask(learner: SeatLearner, network: Network) -> Float[Array, " b"]:
            own = learner.here.own(infostate)
            values = learner.here.by_move(network.at(learner.here, own, None), own)
            return jnp.where(learner.here.legal(own), values, FORBIDDEN).max(-1) / self.scale

        seats = [jax.tree_util.Partial(ask, *seat) for seat in zip(self.learners, self.networks, strict=True)]
        answers: Float[Array, " b"] = jax.lax.switch(turn, seats)
        return answers
