"""An algorithm on a game, compiled: it steps, is judged and gives its strategy, for one seed or for many at once."""

from __future__ import annotations

import math
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, Num

from feint.forms.form import Gauge
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.runs.config import RunConfig
from feint.runs.files import Row
from feint.runs.resources import check_steps
from feint.runs.sharing import Sharing
from feint.solvers.algorithm import Algorithm, Metrics
from feint.tree.cache import keep_compiled
from feint.tree.compiled import Compiled, compiled


@final
class Trainer:
    """An algorithm on a game with its state, for one seed or for many side by side.

    How many steps to take is an argument of the compiled code, so one compilation serves them all. Compiled
    code is kept on disk, so that the next run of the same kind starts at once.
    """

    def __init__(self, solver: Algorithm[Any], gauge: Gauge, config: RunConfig, sharing: Sharing | None = None) -> None:
        """Without `sharing` all of it is on one device."""
        keep_compiled()
        self._solver, self._gauge, self._seeds = solver, gauge, config.seeds
        self._sharing = sharing or Sharing(config.seeds > 1)
        keys = jax.vmap(jax.random.key)(config.seed + jnp.arange(config.seeds))
        self.step = 0
        self._goal = math.inf if config.hands is None else float(config.hands)
        with self._sharing.here():
            self.state = _first(solver, keys if self._sharing.many else keys[0], self._sharing)
        if config.hands is not None and solver.hands(self.state) is None:
            raise BadInput(
                f"{config.algorithm} counts no hands, so a run of it cannot stop after {config.hands:,}; "
                f"give --steps, --seconds or --until."
            )
        one, goal = jnp.asarray(1), jnp.asarray(self._goal)
        with self._sharing.here():
            needed = _forward.prepare(solver, self.state, one, goal, self._sharing)
        check_steps(needed, config)
        self.evaluate()  # compiles that too, before the clock starts

    def resume(self, step: int, state: Any) -> None:
        """Go on from there, whatever the devices were that came to it."""
        with self._sharing.here():
            self.step, self.state = step, _placed(self._solver, state, self._sharing)

    def concern(self, row: Row) -> str | None:
        """What the algorithm sees going wrong in an evaluation."""
        return self._solver.concern(row)

    @property
    def growth(self) -> float:
        return max(self._gauge.growth, self._solver.growth)

    @property
    def hands(self) -> float:
        """Hands played so far, the median of the seeds; 0 where none are counted."""
        return float(np.median(_played(self._solver, self.state)))

    @property
    def enough(self) -> bool:
        """Whether as many hands were played as the run was asked for."""
        return self.hands >= self._goal

    def advance(self, steps: int) -> int:
        """Take so many steps, or fewer where there are enough hands before; returns how many were taken."""
        goal = jnp.asarray(self._goal)
        with self._sharing.here():
            after = _forward(self._solver, self.state, jnp.asarray(steps), goal, self._sharing)
        taken, self.state = jax.block_until_ready(after)
        self.step += int(taken)
        return int(taken)

    @property
    def diverged(self) -> list[int]:
        """Which seeds, counted from 0, hold what is no number any more, as a rate too high makes of it."""
        return np.flatnonzero(~np.asarray(_sound(self.state, self._seeds))).tolist()

    def evaluate(self) -> Row:
        """How good the strategy is and whatever else is measured: medians, and every seed's number that matters."""
        with self._sharing.here():
            measured = _look(self._solver, self._gauge, self.state, self._sharing)
        seeds = np.asarray(measured[self._gauge.number])
        row: Row = {"step": self.step} | {
            name: float((np.min if name in self._solver.worst_of_seeds else np.median)(value))
            for name, value in measured.items()
        }
        return row | {"seeds": seeds.tolist()} if seeds.ndim else row

    def strategy(self) -> Strategy:
        """The best seed's strategy."""
        return _strategy(self._solver, self.best_state())

    def best_state(self) -> Any:
        """All that the best seed has come to."""
        if not self._sharing.many:
            return self.state
        seeds = self.evaluate()["seeds"]
        best = np.argmin(seeds) if self._gauge.low_is_good else np.argmax(seeds)
        return jax.tree.map(lambda leaf: leaf[best], self.state)


# Compiled code belongs to these functions and not to a trainer, so that the next run of the same kind uses it again.


@compiled
def _first(solver: Algorithm[Any], keys: Key[Array, "*seeds"], sharing: Sharing) -> Any:
    """The state before the first step."""
    # Copied, because parts of a first state may share memory, and advancing reuses the memory of every part.
    return jax.tree.map(jnp.copy, sharing.each(lambda key: solver.shared(solver.init(key)))(keys))


@compiled
def _placed(solver: Algorithm[Any], state: Any, sharing: Sharing) -> Any:
    """A state where devices have their parts of it."""
    return jax.tree.map(jnp.copy, sharing.each(solver.shared)(state))


def _steps(
    solver: Algorithm[Any], state: Any, steps: Int[Array, ""], hands: Float[Array, ""], sharing: Sharing
) -> tuple[Int[Array, ""], Any]:
    """So many steps, or fewer where there are enough hands before; how many were taken, and the state."""
    step = sharing.each(lambda state: solver.shared(solver.step(state)[0]))

    def short(now: tuple[Int[Array, ""], Any]) -> Bool[Array, ""]:
        taken, state = now
        return (taken < steps) & (jnp.median(_played(solver, state)) < hands)

    return jax.lax.while_loop(short, lambda now: (now[0] + 1, step(now[1])), (jnp.asarray(0), state))


_forward = Compiled(_steps, reused=(1,))


@compiled
def _look(solver: Algorithm[Any], gauge: Gauge, state: Any, sharing: Sharing) -> dict[str, Num[Array, "*seeds"]]:
    """All that is measured of a state."""

    def look(state: Any) -> Metrics:
        judged = gauge(solver.strategy(state), _played(solver, state))
        return judged | solver.measure(state, gauge.sequence_form)

    measured: dict[str, Num[Array, "*seeds"]] = sharing.each(look)(state)
    return measured


@compiled
def _strategy(solver: Algorithm[Any], state: Any) -> Strategy:
    return solver.strategy(state)


@compiled
def _sound(state: Any, seeds: int) -> Bool[Array, " s"]:
    """Whose state is all numbers: where it lies, since it may be gigabytes."""
    leaves = jax.tree.leaves(eqx.filter(state, eqx.is_inexact_array))
    sound = [jnp.isfinite(leaf).reshape(seeds, -1).all(1) for leaf in leaves]
    return jnp.stack([jnp.ones(seeds, bool), *sound]).all(0)


def _played(solver: Algorithm[Any], state: Any) -> Int[Array, "..."]:
    """Hands played so far; 0 where none are counted."""
    hands = solver.hands(state)
    return jnp.zeros((), jnp.int64) if hands is None else hands
