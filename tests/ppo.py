"""An outside learner: proximal policy optimisation with masked moves, one file as CleanRL's are.

It knows nothing of games. It is given tables that can be reset and stepped, all of them at once, and what it learns is
a network from what is seen to how much it likes each move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Tables(Protocol):
    def reset(self) -> tuple[np.ndarray, np.ndarray]:
        """What is seen at each table, and the legal moves."""

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The same after a move, with what it brought and whether the episode is over; over ones begin anew."""


@dataclass(frozen=True)
class Settings:
    updates: int = 100
    steps: int = 16
    epochs: int = 4
    batches: int = 4
    rate: float = 3e-3
    trace: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    scale: float = 1.0
    """Rewards are divided by this."""
    hidden: int = 64


class Network(eqx.Module):
    actor: eqx.nn.MLP
    critic: eqx.nn.MLP

    def __init__(self, inputs: int, moves: int, hidden: int, key: jax.Array) -> None:
        one, two = jax.random.split(key)
        self.actor = eqx.nn.MLP(inputs, moves, hidden, 2, key=one)
        self.critic = eqx.nn.MLP(inputs, "scalar", hidden, 2, key=two)

    def likes(self, seen: jax.Array, mask: jax.Array) -> jax.Array:
        """The logarithm of each legal move's chance."""
        return jax.nn.log_softmax(jnp.where(mask > 0, jax.vmap(self.actor)(seen), -1e9))


class Step(NamedTuple):
    seen: np.ndarray
    mask: np.ndarray
    action: np.ndarray
    chance: np.ndarray
    value: np.ndarray
    reward: np.ndarray
    over: np.ndarray


def learn(tables: Tables, settings: Settings, seed: int = 0) -> Network:
    """Play and learn so many times."""
    key = jax.random.key(seed)
    seen, mask = tables.reset()
    network = Network(seen.shape[1], mask.shape[1], settings.hidden, key)
    total = settings.updates * settings.epochs * settings.batches
    optimiser = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(optax.linear_schedule(settings.rate, 0, total)))
    memory = optimiser.init(eqx.filter(network, eqx.is_array))
    for update in range(settings.updates):
        steps = []
        for number in range(settings.steps):
            drawing = jax.random.fold_in(key, update * settings.steps + number)
            action, chance, value = map(np.asarray, _act(network, seen, mask, drawing))
            after, allowed, reward, over = tables.step(action)
            steps.append(Step(seen, mask, action, chance, value, reward / settings.scale, over))
            seen, mask = after, allowed
        rollout = Step(*map(np.stack, zip(*steps, strict=True)))
        last = _act(network, seen, mask, key)[2]
        network, memory = _improve(network, memory, optimiser, rollout, last, settings, jax.random.fold_in(key, update))
    return network


@eqx.filter_jit
def _act(network, seen, mask, key):
    likes = network.likes(jnp.asarray(seen), jnp.asarray(mask))
    action = jax.random.categorical(key, likes)
    chance = jnp.take_along_axis(likes, action[:, None], 1)[:, 0]
    return action, chance, jax.vmap(network.critic)(jnp.asarray(seen))


@eqx.filter_jit
def _improve(network, memory, optimiser, rollout, last, settings, key):
    """Several times over all that was played, in small batches."""
    gains = _gains(rollout, last, settings.trace)
    flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), (rollout, gains, gains + rollout.value))
    rows = flat[1].shape[0]
    arrays, static = eqx.partition(network, eqx.is_array)

    def batch(state, chosen):
        arrays, memory = state
        part = jax.tree.map(lambda leaf: leaf[chosen], flat)
        slope = eqx.filter_grad(_loss)(eqx.combine(arrays, static), part, settings)
        change, memory = optimiser.update(slope, memory, arrays)
        return (eqx.apply_updates(arrays, change), memory), None

    orders = jax.vmap(lambda each: jax.random.permutation(each, rows))(jax.random.split(key, settings.epochs))
    chosen = orders.reshape(settings.epochs * settings.batches, -1)
    (arrays, memory), _ = jax.lax.scan(batch, (arrays, memory), chosen)
    return eqx.combine(arrays, static), memory


def _gains(rollout, last, trace):
    """How much better each move did than was expected (generalised advantages)."""

    def back(state, step):
        gain, after = state
        going_on = 1.0 - step.over
        gain = step.reward + going_on * after - step.value + trace * going_on * gain
        return (gain, step.value), gain

    start = jnp.zeros_like(last), last
    return jax.lax.scan(back, start, rollout, reverse=True)[1]


def _loss(network, part, settings):
    step, gain, goal = part
    likes = network.likes(step.seen, step.mask)
    ratio = jnp.exp(jnp.take_along_axis(likes, step.action[:, None], 1)[:, 0] - step.chance)
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    held = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    spread = -(jnp.exp(likes) * jnp.where(step.mask > 0, likes, 0)).sum(1).mean()
    off = jnp.square(jax.vmap(network.critic)(step.seen) - goal).mean()
    return -jnp.minimum(ratio * gain, held * gain).mean() + 0.5 * off - settings.entropy * spread
