"""Whether a solver or learner is what `feint.solvers.algorithm` says that all of them are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from feint.forms.leaves import leaves_of, restored
from feint.forms.library import form_of
from feint.forms.strategy import tabulate
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.solvers.algorithm import Algorithm, Config
from feint.tree.compiled import compiled

STEPS = 5
SEEDS = 2
EXACT, SINGLE = 1e-9, 1e-2
"""By how much and by what share numbers may differ when a step computes in another order: 64-bit states, and others."""


def check_algorithm(algorithm: str | Config, game: Game[Any] | str) -> None:
    """Raise `BadInput` at the first promise of `Algorithm` that a method, by its name or as its settings, breaks.

    Strategies are sound. Steps can be compiled; they leave every array its place, shape and type; and they come to the
    same from a state that was saved and restored, to the bit, and for several seeds in a compiled loop, up to rounding.
    """
    from feint.runs.config import resolve  # needs more libraries than the rest, as runs do

    form = form_of(game)
    config = resolve(algorithm, {}) if isinstance(algorithm, str) else algorithm
    name = algorithm if isinstance(algorithm, str) else type(config).__name__
    solver = config.on(form)
    keys = jax.random.split(jax.random.key(0), SEEDS)
    runs = [_run(name, solver, key) for key in keys]
    for state in (runs[0][0], runs[0][-1]):
        strategy = solver.strategy(state)
        if form.tree is not None:
            tabulate(form.tree, strategy)
        with _at_work(name, "read back what it stored"):
            again = config.read(strategy.arrays(), form.fingerprint, lambda: form)
        _check_same(f"{name} reads another strategy than it stored", strategy.policy, again.policy)
    half = STEPS // 2
    saved = {place: np.array(leaf) for place, leaf in leaves_of(runs[0][half]).items()}
    resumed = _run(name, solver, restored(saved, runs[0][half]), STEPS - half)
    _check_same(f"{name} goes on otherwise from a state that was saved and restored", runs[0][-1], resumed[-1])
    with _at_work(name, "run for several seeds at once"):
        jax.eval_shape(jax.vmap(solver.init), keys)
        many = _scanned(solver, jax.tree.map(lambda *leaves: jnp.stack(leaves), *(run[-2] for run in runs)))
    single = any(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(runs[0][0]))
    rounding = SINGLE if single else EXACT
    for number, run in enumerate(runs):
        one = jax.tree.map(lambda leaf, at=number: leaf[0, at], many)
        _check_same(f"{name} steps otherwise for several seeds at once in a loop", run[-1], one, rounding)


@compiled
def _step(solver: Algorithm[Any], state: Any) -> Any:
    return solver.step(state)


@compiled
def _scanned(solver: Algorithm[Any], states: Any) -> Any:
    """What two steps of several seeds make of their states."""

    def step(states: Any, _: None) -> tuple[Any, Any]:
        after = jax.vmap(solver.step)(states)[0]
        return after, after

    return jax.lax.scan(step, states, length=2)[1]


def _run(name: str, solver: Algorithm[Any], start: Any, steps: int = STEPS) -> list[Any]:
    """The states of a run from a key, or from a state, on."""
    with _at_work(name, "start"):
        states = [solver.init(start) if isinstance(start, jax.Array) else start]
    before = _shapes(name, states[0])
    for _ in range(steps):
        with _at_work(name, "be compiled"):
            after, metrics = _step(solver, states[-1])
        states.append(after)
        for place in before | _shapes(name, after):
            was, now = before.get(place, "nothing"), _shapes(name, after).get(place, "nothing")
            if was != now:
                raise BadInput(f"{name}'s step makes {now} of {place}, which was {was}; leave it the same.")
        for key, value in metrics.items():
            if np.ndim(value):
                raise BadInput(f"{name}'s step measures {key} as {np.shape(value)} numbers; give one.")
    return states


def _shapes(name: str, state: Any) -> dict[str, str]:
    """The type and shape of every array of a state, by its place."""
    for place, leaf in jax.tree_util.tree_leaves_with_path(state):
        if not isinstance(leaf, jax.Array):
            where = jax.tree_util.keystr(place)
            raise BadInput(f"{name} has {leaf!r} for {where} in its state, which is no array of JAX's; make it one.")
    return {place: f"{leaf.dtype}{list(leaf.shape)}" for place, leaf in leaves_of(state).items()}


def _check_same(words: str, state: Any, other: Any, rounding: float = 0.0) -> None:
    one, two = leaves_of(state), leaves_of(other)
    for place in one | two:
        shapes = [str(np.shape(each[place])) if place in each else "not there" for each in (one, two)]
        if shapes[0] != shapes[1]:
            raise BadInput(f"{words} ({place} is {shapes[0]} in one and {shapes[1]} in the other); make them alike.")
        if not np.allclose(one[place], two[place], rounding, rounding, equal_nan=True):
            raise BadInput(f"{words} ({place} differs); let a step depend on its state and on nothing else.")


@contextmanager
def _at_work(name: str, doing: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        first = next(iter(str(error).splitlines()), "")
        raise BadInput(f"{name} cannot {doing} ({type(error).__name__}: {first}); mend it.") from error
