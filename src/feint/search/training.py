"""Value networks learn from solved situations: as many at once as there are, whatever their shapes and activations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PRNGKeyArray

from feint.search.situations import Situations
from feint.search.values import Values

ROWS = 1 << 14
"""How many situations networks are tested on at once."""


@final
@dataclass(frozen=True)
class Schedule:
    """How long and how fast networks learn."""

    epochs: int = 10
    batch: int = 100
    rate: float = 1e-3
    falls: bool = False
    """Whether the rate falls to nothing, as half a cosine."""


class Epoch(NamedTuple):
    """How good networks are after an epoch, one entry for each."""

    number: int
    train: Float[np.ndarray, " n"]
    test: Float[np.ndarray, " n"]
    """The mean Huber loss over hands that there are."""


def loss_of(values: Values, seen: Situations) -> Float[Array, ""]:
    """The mean Huber loss over the hands that there are."""
    said = values(seen.board, seen.paid, seen.ranges)
    loss: Float[Array, ""] = optax.huber_loss(said, seen.values).mean()
    return loss


def train(
    made: Sequence[Values],
    seeds: Sequence[int],
    lessons: Situations,
    tests: Situations,
    schedule: Schedule,
    watch: Callable[[Epoch], None] | None = None,
) -> list[Values]:
    """Train networks, each with the seed of its batches: as they were after the epoch with the least loss in tests."""
    trainer = Trainer(made, seeds, lessons, tests, schedule)
    for number in range(1, schedule.epochs + 1):
        told = trainer.epoch(number)
        if watch:
            watch(told)
    return trainer.best


@final
class Trainer:
    """Trains networks epoch by epoch; what it has come to can be kept, and gone on with."""

    def __init__(
        self,
        made: Sequence[Values],
        seeds: Sequence[int],
        lessons: Situations,
        tests: Situations,
        schedule: Schedule,
    ) -> None:
        alike: dict[Any, list[int]] = {}
        for place, values in enumerate(made):
            shapes = tuple(leaf.shape for leaf in jax.tree.leaves(values))
            alike.setdefault((jax.tree.structure(values), shapes), []).append(place)
        self._count, self._lessons, self._tests = len(made), lessons, tests
        self._groups = {
            tuple(places): _Group(
                [made[place] for place in places], [seeds[place] for place in places], schedule, lessons
            )
            for places in alike.values()
        }

    def epoch(self, number: int) -> Epoch:
        """Once through the lessons, for all of them; epochs count from 1, and each has an order of its own."""
        trained, tested = np.zeros(self._count), np.zeros(self._count)
        # All are started before any is waited for.
        told = {places: group.epoch(number, self._lessons, self._tests) for places, group in self._groups.items()}
        for places, (in_training, in_tests) in told.items():
            trained[list(places)], tested[list(places)] = np.asarray(in_training), np.asarray(in_tests)
        return Epoch(number, trained, tested)

    @property
    def best(self) -> list[Values]:
        """Each as it was after the epoch with the least loss in tests."""
        found = {
            place: values
            for places, group in self._groups.items()
            for place, values in zip(places, group.best, strict=True)
        }
        return [found[place] for place in range(self._count)]

    @property
    def state(self) -> tuple[Progress, ...]:
        """All that the next epoch needs to know of those before it."""
        return tuple(group.progress for group in self._groups.values())

    @state.setter
    def state(self, state: tuple[Progress, ...]) -> None:
        for group, progress in zip(self._groups.values(), state, strict=True):
            group.progress = progress


class Progress(NamedTuple):
    """How far networks of one shape have come."""

    weights: Any
    optimiser: Any
    best: Any
    """Their weights after the epoch with the least loss in tests …"""
    least: Float[Array, " n"]
    """… and that loss."""


@final
class _Group:
    """Networks of one shape, trained as one."""

    def __init__(self, made: list[Values], seeds: list[int], schedule: Schedule, lessons: Situations) -> None:
        stacked = jax.tree.map(lambda *each: jnp.stack(each), *made)
        weights, self._rest = eqx.partition(stacked, eqx.is_inexact_array)
        self._keys = jnp.stack([jax.random.key(seed) for seed in seeds])
        steps, rate = len(lessons.paid) // schedule.batch, schedule.rate
        fall = optax.cosine_decay_schedule(rate, schedule.epochs * steps) if schedule.falls else rate
        self._optimiser = optax.adam(fall)
        start = jax.vmap(self._optimiser.init)(weights)
        self.progress = Progress(weights, start, weights, jnp.full(len(made), jnp.inf, jnp.float32))
        one = jax.vmap(self._one(steps, schedule.batch), (0, 0, 0, None, None))
        self._epoch = jax.jit(one)

    def epoch(
        self, number: int, lessons: Situations, tests: Situations
    ) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
        """Once through the lessons: the losses in training and in tests."""
        keys = jax.vmap(jax.random.fold_in, (0, None))(self._keys, number)
        self.progress, trained, tested = self._epoch(self.progress, self._rest, keys, lessons, tests)
        return trained, tested

    @property
    def best(self) -> list[Values]:
        whole, count = eqx.combine(self.progress.best, self._rest), len(self.progress.least)
        return [jax.tree.map(lambda leaf, place=place: leaf[place], whole) for place in range(count)]

    def _one(self, steps: int, batch: int) -> Callable[..., Any]:
        """An epoch of one network."""

        def epoch(progress: Progress, rest: Any, key: PRNGKeyArray, lessons: Situations, tests: Situations) -> Any:
            weights, state, best, least = progress

            def loss(weights: Any, seen: Situations) -> Float[Array, ""]:
                return loss_of(eqx.combine(weights, rest), seen)

            def step(carry: Any, rows: Array) -> Any:
                weights, state = carry
                seen = jax.tree.map(lambda part: part[rows], lessons)
                value, gradient = jax.value_and_grad(loss)(weights, seen)
                change, state = self._optimiser.update(gradient, state)
                return (optax.apply_updates(weights, change), state), value

            order = jax.random.permutation(key, len(lessons.paid))[: steps * batch].reshape(steps, -1)
            (weights, state), losses = jax.lax.scan(step, (weights, state), order)
            alone = jax.tree.map(lambda part: part[:, None], tests)
            tested = jax.lax.map(lambda row: loss(weights, row), alone, batch_size=min(ROWS, len(tests.paid))).mean()
            best = jax.tree.map(lambda new, old: jnp.where(tested < least, new, old), weights, best)
            return Progress(weights, state, best, jnp.minimum(tested, least)), losses.mean(), tested

        return epoch
