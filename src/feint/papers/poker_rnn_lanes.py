"""Many lanes of one learner, trained side by side: one compiled step for every variant and every seed of a trial.

Small networks leave an accelerator waiting for operations to begin, so thirty lanes take little longer than one. Lanes
differ in numbers alone, which are arguments here: a step is traced once, with settings that hold tracers.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.forms.dealt import CardForm
from feint.forms.form import Gauge, Measured
from feint.forms.library import form_of
from feint.learners.networks import Network
from feint.learners.seat import Learned, NetworkStrategy
from feint.learners.self_play import SelfPlay, SelfPlayState
from feint.papers.poker_rnn_variants import Trial
from feint.runs.checkpoint import checkpoints, load_checkpoint, save_checkpoint
from feint.runs.files import write_whole

Row = dict[str, float]
PIECE = 50
"""Steps between two looks at anything: a number known in advance, since accelerators would wait at every step else."""
States = Any
"""A `SelfPlayState` whose arrays have an axis for the lanes in front."""
Dials = Mapping[str, Float[Array, "..."]]


def dialled(settings: Any, dials: Mapping[str, Any]) -> Any:
    """Settings with other numbers, by dotted names, which need not be known yet; each was checked where declared."""
    changed = copy.copy(settings)
    for name, value in dials.items():
        head, _, rest = name.partition(".")
        part = dialled(getattr(changed, head), {rest: value}) if rest else value
        object.__setattr__(changed, head, part)
    return changed


def turned(solver: SelfPlay, dials: Dials) -> SelfPlay:
    """A learner with these numbers in all its parts."""
    settings = dialled(solver.settings, dials)
    learners = tuple(replace(learner, settings=settings) for learner in solver.learners)
    seating, roles = replace(solver.seating, learners=learners), replace(solver.roles, settings=settings)
    return replace(solver, settings=settings, seating=seating, roles=roles)


@eqx.filter_jit
def _begin(solver: SelfPlay, seeds: Int[Array, " n"], dials: Dials) -> States:
    return jax.vmap(lambda seed, own: turned(solver, own).init(jax.random.key(seed)))(seeds, dials)


@eqx.filter_jit(donate="all-except-first")
def _advance(fixed: tuple[SelfPlay, Dials], states: States) -> States:
    solver, dials = fixed

    def lane(state: SelfPlayState, own: Dials) -> SelfPlayState:
        learner = turned(solver, own)
        gone: SelfPlayState = jax.lax.fori_loop(0, PIECE, lambda _, now: learner.step(now)[0], state)
        return gone

    return jax.vmap(lane)(states, dials)


@eqx.filter_jit
def _look(solver: SelfPlay, states: States) -> tuple[Any, Any, Any]:
    """The networks that play and those of values, and how things go, of every lane."""

    def lane(state: SelfPlayState) -> tuple[Any, Any, Any]:
        values = tuple(seat.values.network for seat in solver.seats(state))
        return solver.networks(state), values, solver.measure(state, None)

    return jax.vmap(lane)(states)


@eqx.filter_jit
def _won(gauge: Gauge, strategy: NetworkStrategy, hands: Int[Array, ""]) -> Measured:
    return gauge(strategy, hands)


@final
class Lanes:
    """A trial under way: its lanes' states, and the curve of each so far."""

    def __init__(self, trial: Trial, folder: Path, say: Callable[[str], None]) -> None:
        form = cast("CardForm", form_of(trial.game))  # hold'em is too large for another
        self.trial, self.form, self._folder, self._say = trial, form, folder, say
        self.solver = trial.settings.on(form)
        self._dials = {name: jnp.asarray(values, jnp.float32) for name, values in trial.dials.items()}
        seeds = jnp.asarray([seed for _, seed in trial.lanes])
        self._states = _begin(self.solver, seeds, self._dials)
        self.step, self.seconds, self.curves = 0, 0.0, list[list[Row]]([] for _ in trial.lanes)
        if checkpoints(folder):
            self.step, self._states = load_checkpoint(folder, self._states, say)
            kept = json.loads((folder / f"{self.step}.json").read_text())
            self.curves, self.seconds = kept["curves"], kept["seconds"]
            say(f"goes on from step {self.step:,}")

    @property
    def hands(self) -> Int[np.ndarray, " n"]:
        return np.asarray(self._states.hands)

    @property
    def done(self) -> bool:
        trial = self.trial
        return self.step >= trial.steps if trial.steps else bool(self.hands.min() >= (trial.hands or 0))

    def advance(self, pieces: int) -> None:
        """So many pieces of every lane, with the time they take, compilation included."""
        begun = time.monotonic()
        for _ in range(pieces):
            self._states = _advance((self.solver, self._dials), self._states)
        jax.block_until_ready(self._states)
        self.step, self.seconds = self.step + PIECE * pieces, self.seconds + time.monotonic() - begun

    def evaluate(self) -> None:
        """One more point of each lane's curve."""
        playing, _, measured = _look(self.solver, self._states)
        gauge, numbers = self.form.gauge(written=False), {name: np.asarray(each) for name, each in measured.items()}
        for number, curve in enumerate(self.curves):
            strategy = NetworkStrategy(self.form.fingerprint, self.solver.playing(_lane(playing, number)))
            won = _won(gauge, strategy, jnp.asarray(self.hands[number]))
            kept = ("hands", "decisions", "updates", "value_loss", "value_spread")
            row = {"step": self.step} | {name: float(numbers[name][number]) for name in kept}
            curve.append(row | {name: float(each) for name, each in won.items()})

    def networks(self) -> list[tuple[tuple[Network, ...], tuple[Network, ...]]]:
        """Every lane's networks that play, and those of values."""
        playing, values, _ = _look(self.solver, self._states)
        return [(_lane(playing, number), _lane(values, number)) for number in range(len(self.curves))]

    def policy(self, networks: tuple[Network, ...]) -> Learned:
        return self.solver.playing(networks)

    def keep(self) -> None:
        """A checkpoint, with the curves so far, in place of the one before."""
        before = [path for _, path in checkpoints(self._folder)]
        self._folder.mkdir(parents=True, exist_ok=True)
        kept = json.dumps({"curves": self.curves, "seconds": self.seconds})
        write_whole(self._folder / f"{self.step}.json", kept.encode())
        made = save_checkpoint(self._folder, self.step, self._states, write_whole)
        for path in before:
            if path != made:
                path.unlink(missing_ok=True)


def _lane(tree: Any, number: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[number], tree)


def due(step: int, growth: float, first: int = 100) -> int:
    """The first step after this one at which an evaluation comes, between two pieces."""
    at = float(first)
    while (stop := PIECE * round(at / PIECE)) <= step:
        at *= growth
    return stop
