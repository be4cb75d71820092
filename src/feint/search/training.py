"""Value networks learn from solved situations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from feint.search.situations import Situations
from feint.search.values import Values


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
    """How good networks are after an epoch, one entry for each seed."""

    number: int
    train: Float[np.ndarray, " s"]
    test: Float[np.ndarray, " s"]
    """The mean Huber loss over hands that there are."""


def loss_of(values: Values, seen: Situations) -> Float[Array, ""]:
    """The mean Huber loss over the hands that there are."""
    said = values(seen.board, seen.paid, seen.ranges)
    loss: Float[Array, ""] = optax.huber_loss(said, seen.values).mean()
    return loss


def train(
    start: Callable[[PRNGKeyArray], Values],
    seeds: list[int],
    lessons: Situations,
    tests: Situations,
    schedule: Schedule,
    watch: Callable[[Epoch], None] | None = None,
) -> list[Values]:
    """Networks of one kind, one for each seed, all at once: those of the epoch whose test loss is least."""
    made = [start(jax.random.key(seed)) for seed in seeds]
    _, rest = eqx.partition(made[0], eqx.is_inexact_array)
    # Encodings are tables of whole numbers, the same for all.
    weights = jax.tree.map(lambda *each: jnp.stack(each), *(eqx.filter(one, eqx.is_inexact_array) for one in made))
    steps = len(lessons.paid) // schedule.batch
    rate: Any = schedule.rate
    if schedule.falls:
        rate = optax.cosine_decay_schedule(schedule.rate, schedule.epochs * steps)
    optimiser = optax.adam(rate)

    def loss(weights: Any, seen: Situations) -> Float[Array, ""]:
        return loss_of(eqx.combine(weights, rest), seen)

    @jax.jit
    def epoch(weights: Any, state: Any, key: PRNGKeyArray, lessons: Situations) -> Any:
        order = jax.random.permutation(key, len(lessons.paid))[: steps * schedule.batch].reshape(steps, -1)

        def step(carry: Any, rows: Array) -> Any:
            weights, state = carry
            value, gradient = jax.value_and_grad(loss)(weights, jax.tree.map(lambda part: part[rows], lessons))
            change, state = optimiser.update(gradient, state)
            return (optax.apply_updates(weights, change), state), value

        (weights, state), losses = jax.lax.scan(step, (weights, state), order)
        return weights, state, losses.mean()

    each = jax.jit(jax.vmap(epoch, (0, 0, 0, None)))
    judge = jax.jit(jax.vmap(loss, (0, None)))
    state = jax.vmap(optimiser.init)(weights)
    best, least = weights, np.full(len(seeds), np.inf)
    for number in range(1, schedule.epochs + 1):
        keys = jnp.stack([jax.random.fold_in(jax.random.key(seed), number) for seed in seeds])
        weights, state, losses = each(weights, state, keys, lessons)
        tested = np.asarray(judge(weights, tests))
        best = jax.tree.map(partial(_better, jnp.asarray(tested < least)), weights, best)
        least = np.minimum(tested, least)
        if watch:
            watch(Epoch(number, np.asarray(losses), tested))
    return [eqx.combine(one, rest) for one in _apart(best, len(seeds))]


def _better(better: Bool[Array, " s"], new: Float[Array, "s ..."], old: Float[Array, "s ..."]) -> Float[Array, "s ..."]:
    """The new weights of those seeds that are better."""
    return jnp.where(better.reshape(-1, *(1,) * (new.ndim - 1)), new, old)


def _apart(weights: Any, count: int) -> Iterator[Any]:
    for number in range(count):
        yield jax.tree.map(lambda leaf, number=number: leaf[number], weights)
