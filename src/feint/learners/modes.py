"""How seats are held, how they are asked what to do, and who plays: what the engine can do in two ways each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from feint.arena.arena import InfoState
from feint.arena.policy import Policy
from feint.learners.networks import Recalled
from feint.learners.seat import SeatLearner, SeatState
from feint.learners.settings import SelfPlaySettings

Ask = Callable[[SeatLearner, SeatState, InfoState, tuple[Recalled, ...]], Float[Array, "b a"]]
"""What a seat does in some situations (all that are listed, if None), given what its networks recall."""
Answers = tuple[Float[Array, "n a"], Int[Array, " t"]]
"""What seats say, and which row of it is for each table."""


@final
class Seating(eqx.Module):
    """How seats are held: in a tuple, or where they are alike as one, its arrays with an axis for the seats in front.

    That is half the operations for two. Accelerators wait for operations to begin; processors are quicker in turn.
    """

    learners: tuple[SeatLearner, ...]
    """One for each seat."""
    alike: bool = eqx.field(static=True)

    def each(self, do: Callable[..., Any], *of_seats: Any) -> Any:
        """`do` for every seat with its learner and its part of each argument; what comes of it is kept as seats are."""
        if self.alike:
            return jax.vmap(partial(do, self.learners[0]))(*of_seats)
        return tuple(do(*parts) for parts in zip(self.learners, *of_seats, strict=True))

    def apart(self, seats: Any) -> list[SeatState]:
        """Seats one by one."""
        if not self.alike:
            return list(seats)
        return [jax.tree.map(lambda leaf, seat=seat: leaf[seat], seats) for seat in range(len(self.learners))]


@final
class Asking(eqx.Module):
    """How seats are asked: about every situation there is, to look answers up, or about those at the tables alone."""

    everywhere: bool = eqx.field(static=True)

    def recalls(self, learner: SeatLearner) -> tuple[Recalled, ...]:
        """What a seat's networks recall before a hand at every table where they are asked there."""
        return () if self.everywhere else learner.recalls()

    def __call__(
        self, seating: Seating, seats: Any, recalled: Any, infostate: InfoState, turn: Int[Array, " t"], ask: Ask
    ) -> Answers:
        if self.everywhere:
            return jnp.concatenate(seating.each(lambda learner, seat: ask(learner, seat, None, ()), seats)), infostate

        def here(learner: SeatLearner, seat: SeatState, recalled: tuple[Recalled, ...]) -> Float[Array, "t a"]:
            return ask(learner, seat, learner.here.own(infostate), recalled)

        answers = jnp.asarray(seating.each(here, seats, recalled))
        return answers.reshape(-1, answers.shape[-1]), turn * len(turn) + jnp.arange(len(turn))


@final
class Roles(eqx.Module):
    """Who plays: all seats their best response in a share of the hands and their average in the rest, or, against a
    fixed opponent, one seat its best response in each hand and the opponent all others. Some move at random."""

    settings: SelfPlaySettings = eqx.field(static=True)
    opponent: Policy | None

    def responding(self, uniform: Float[Array, "t p"]) -> Bool[Array, "t p"]:
        """Which seats play their best response in a new hand."""
        if self.opponent is not None:
            return uniform == uniform.max(1, keepdims=True)
        return (uniform < self.settings.anticipation) & ~self.straying(uniform)

    def straying(self, uniform: Float[Array, "t p"]) -> Bool[Array, "t p"]:
        """Which seats move at random in a new hand."""
        return uniform >= 1.0 - self.settings.noise

    def learning(self, responding: Bool[Array, "t p"]) -> Bool[Array, "t p"] | bool:
        """Which seats learn from a hand."""
        return True if self.opponent is None else responding

    def play(
        self, ask: Callable[[Ask], Answers], response: Ask, average: Ask, responding: Bool[Array, " t"], *seen: Any
    ) -> Float[Array, "t a"]:
        """What whoever is to act does, where opponents are told what it has `seen`."""
        responses, place = ask(response)
        if self.opponent is not None:
            return jnp.where(responding[:, None], responses[place], self.opponent(*seen))
        if self.settings.greedy:
            return responses[place]
        averages, _ = ask(average)
        return jnp.concatenate([averages, responses])[place + len(averages) * responding]
