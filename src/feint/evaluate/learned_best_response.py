"""A learned best response: deep Q-learning against a strategy that stays as it is, a lower bound on what that loses.

Against a frozen opponent a game is an ordinary decision problem, and Q-learning looks for its solution: in every hand
one seat learns and the strategy plays the others. However well that goes, what the greedy response wins in fresh
hands, averaged over the seats, is no more than a best response would. So it works on every game that can be played,
for any number of players, and how tight it is depends on how long it learns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, PRNGKeyArray

from feint.arena.policy import Policy
from feint.evaluate.match import match
from feint.evaluate.measure import LOWER_BOUND, Follow, Judge, Measure, Verdict, strategy_of
from feint.evaluate.share_found import LEARNED, share_found
from feint.forms.form import Form
from feint.games.errors import BadInput, check_seed
from feint.learners.networks import Design
from feint.learners.q_learning import QLearning
from feint.learners.self_play import SelfPlay
from feint.learners.settings import Exploration, ValueTraining
from feint.players.player import Player
from feint.tree.compiled import compiled

RESPONSE = QLearning(
    tables=256,
    exploration=Exploration(0.2),
    values=ValueTraining(rate=1e-3, decay=10_000.0, updates=2, target_every=100),
    batch=512,
    network=Design((128,)),
)
"""How the response learns unless told otherwise."""
REPORTS = 50
"""How often progress is told while learning."""


def learned_best_response(
    form: Form,
    policy: Policy,
    steps: int = 20_000,
    hands: int = 200_000,
    settings: QLearning | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Measure:
    """What Q-learning, after so many steps, wins off a strategy over at least so many hands, as many in each seat.

    `policy` plays in the arena of this game; whom `settings` say to learn against does not matter. `progress` is told
    the steps made.
    """
    if not form.zero_sum:
        raise BadInput(f"{form.name} is not zero-sum, so that what an opponent wins bounds nothing; judge it exactly.")
    learner = (settings or RESPONSE).on(form)
    learner = replace(learner, roles=replace(learner.roles, opponent=policy))
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
    return replace(played.winnings, name="exploitability", kind=LOWER_BOUND, response=LEARNED)


@final
@dataclass(frozen=True)
class LearnedBestResponse(Judge):
    """What Q-learning against the strategy wins off it."""

    about: ClassVar[str] = "What deep Q-learning against the strategy wins off it: a lower bound on exploitability."
    steps: int = 20_000
    """Steps of learning."""
    hands: int = 200_000
    """Hands to judge the result by."""
    seed: int = 0
    """The seed of everything random."""

    def __post_init__(self) -> None:
        check_seed(self.seed)

    def __call__(self, form: Form, player: Player, follow: Follow) -> Verdict:
        def told(steps: int) -> None:
            follow(f"{steps:,} of {self.steps:,} steps of learning a response", None)

        policy = strategy_of(player).policy
        found = learned_best_response(form, policy, self.steps, self.hands, seed=self.seed, progress=told)
        bound = found if form.exact else found.in_big_blinds(form.big_blind)
        return Verdict((bound,), note="" if form.exact else share_found(LEARNED))


JUDGES = {"learned-best-response": LearnedBestResponse()}


@compiled
def _begin(learner: SelfPlay, key: PRNGKeyArray) -> Any:
    return learner.init(key)


@compiled
def _advance(learner: SelfPlay, state: Any, steps: Int[Array, ""]) -> Any:
    return jax.lax.fori_loop(0, steps, lambda _, now: learner.step(now)[0], state)
