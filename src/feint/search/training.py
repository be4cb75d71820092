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
    alike: dict[Any, list[int]] = {}
    for place, values in enumerate(made):
        shapes = tuple(leaf.shape for leaf in jax.tree.leaves(values))
        alike.setdefault((jax.tree.structure(values), shapes), []).append(place)
    groups = {
        tuple(places): _Group([made[place] for place in places], [seeds[place] for place in places], schedule, lessons)
        for places in alike.values()
    }
    for number in range(1, schedule.epochs + 1):
        train_loss, test_loss = np.zeros(len(made)), np.zeros(len(made))
        # All are started before any is waited for.
        told = {places: group.epoch(number, lessons, tests) for places, group in groups.items()}
        for places, (trained, tested) in told.items():
            train_loss[list(places)], test_loss[list(places)] = np.asarray(trained), np.asarray(tested)
        if watch:
            watch(Epoch(number, train_loss, test_loss))
    best = {place: values for places, group in groups.items() for place, values in zip(places, group.best, strict=True)}
    return [best[place] for place in range(len(made))]


@final
class _Group:
    """Networks of one shape, trained as one."""

    def __init__(self, made: list[Values], seeds: list[int], schedule: Schedule, lessons: Situations) -> None:
        stacked = jax.tree.map(lambda *each: jnp.stack(each), *made)
        self._weights, self._rest = eqx.partition(stacked, eqx.is_inexact_array)
        self._keys = jnp.stack([jax.random.key(seed) for seed in seeds])
        steps, rate = len(lessons.paid) // schedule.batch, schedule.rate
        fall = optax.cosine_decay_schedule(rate, schedule.epochs * steps) if schedule.falls else rate
        self._optimiser = optax.adam(fall)
        self._state = jax.vmap(self._optimiser.init)(self._weights)
        self._best, self._least = self._weights, jnp.full(len(made), jnp.inf)
        one = jax.vmap(self._one(steps, schedule.batch), (0, 0, 0, 0, 0, 0, None, None))
        self._epoch = jax.jit(one)

    def epoch(
        self, number: int, lessons: Situations, tests: Situations
    ) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
        """Once through the lessons: the losses in training and in tests."""
        keys = jax.vmap(jax.random.fold_in, (0, None))(self._keys, number)
        self._weights, self._state, self._best, self._least, trained, tested = self._epoch(
            self._weights, self._rest, self._state, keys, self._best, self._least, lessons, tests
        )
        return trained, tested

    @property
    def best(self) -> list[Values]:
        whole = eqx.combine(self._best, self._rest)
        return [jax.tree.map(lambda leaf, place=place: leaf[place], whole) for place in range(len(self._least))]

    def _one(self, steps: int, batch: int) -> Callable[..., Any]:
        """An epoch of one network."""

        def epoch(
            weights: Any,
            rest: Any,
            state: Any,
            key: PRNGKeyArray,
            best: Any,
            least: Float[Array, ""],
            lessons: Situations,
            tests: Situations,
        ) -> Any:
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
            return weights, state, best, jnp.minimum(tested, least), losses.mean(), tested

        return epoch
