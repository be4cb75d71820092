"""A learned best response: deep Q-learning against a strategy that stays as it is, a lower bound on what that loses.

Against a frozen opponent a game is an ordinary decision problem, and Q-learning looks for its solution: in every hand
one seat learns and the strategy plays the others. However well that goes, what the greedy response wins in fresh
hands, averaged over the seats, is no more than a best response would. So it works on every game that can be played,
for any number of players, and how tight it is depends on how long it learns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, PRNGKeyArray

from feint.arena.betting import Playground
from feint.arena.policy import Policy
from feint.evaluate.bound import Bound
from feint.evaluate.match import match
from feint.games.errors import BadInput
from feint.learners.q_learning import QLearning
from feint.learners.self_play import SelfPlay
from feint.tree.tree import Tree

RESPONSE = QLearning(
    tables=256, epsilon=0.2, hidden=(128,), optimiser="adam", rate=1e-3, decay=10_000, batch=512, target_every=100
)
"""How the response learns unless told otherwise."""
REPORTS = 50
"""How often progress is told while learning."""


def learned_best_response(
    game: Playground,
    policy: Policy,
    steps: int = 20_000,
    hands: int = 200_000,
    settings: QLearning | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Bound:
    """What Q-learning, after so many steps, wins off a strategy over at least so many hands, as many in each seat.

    `policy` plays in the arena of this game; whom `settings` say to learn against does not matter. `progress` is told
    the steps made.
    """
    if isinstance(game, Tree) and not game.zero_sum:
        raise BadInput(f"{game.name} is not zero-sum, so that what an opponent wins bounds nothing; judge it exactly.")
    learner = replace((settings or RESPONSE).on(game), opponent=policy)
    learning, playing = jax.random.split(jax.random.key(seed))
    state = _begin(learner, learning)
    for made in range(0, steps, span := max(1, steps // REPORTS)):
        more = min(span, steps - made)
        state = _advance(learner, state, jnp.asarray(more))
        if progress:
            jax.block_until_ready(state)
            progress(made + more)
    fresh = int(jax.random.randint(playing, (), 0, jnp.iinfo(jnp.int32).max))
    played = match(learner.arena, learner.policy(state), policy, hands, fresh)
    low, high = played.interval
    return Bound(played.mean, low, high, played.hands)


@eqx.filter_jit
def _begin(learner: SelfPlay, key: PRNGKeyArray) -> Any:
    return learner.init(key)


@eqx.filter_jit
def _advance(learner: SelfPlay, state: Any, steps: Int[Array, ""]) -> Any:
    return jax.lax.fori_loop(0, steps, lambda _, now: learner.step(now)[0], state)
