"""The experiments on Joos's thesis (2018) and what each one's record holds.

Nothing above evaluate/ is imported here but how files are written, which needs no more, so that
benchmarks/thesis_device.py trains them where the command line does not run. A record is a few seeds of one experiment:
its numbers at every evaluation, as `thesis_measures` has them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any, cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from feint.forms.unrolled import TreeForm
from feint.learners.nfsp import ALGORITHMS, NFSP
from feint.learners.self_play import SelfPlay, SelfPlayState
from feint.papers.thesis_measures import measured, snapshot
from feint.runs.files import write_whole
from feint.tree.sequence_form import SequenceForm
from feint.tree.unroll import unroll

RECORDS = "trials.jsonl"
"""The file that keeps records, one in each line."""
APART = 1.35
"""Evaluations are so many times as late as the one before."""
PIECE = 2_000
"""Steps between looks at the clock."""


MILLISECONDS = {"paper": 0.6, "author": 0.7, "thesis": 0.4, "fast": 0.5}
"""Milliseconds of one core that a step of a seed costs, about; with 16 units six tenths of it."""


@final
@dataclass(frozen=True)
class Experiment:
    """Settings of NFSP, trained with several seeds."""

    name: str
    label: str
    preset: str = "paper"
    settings: dict[str, Any] = field(default_factory=dict)
    game: str = "leduc"
    steps: int = 50_000
    seeds: int = 2

    @property
    def cost(self) -> float:
        """About how many seconds of one core it takes."""
        smaller = 0.6 if self.config().network.hidden == (16,) else 1.0
        return 1e-3 * self.seeds * self.steps * MILLISECONDS[self.preset] * smaller

    def config(self) -> NFSP:
        return changed(cast("NFSP", ALGORITHMS["nfsp"].presets[self.preset]), self.settings)


MORE = 4
"""Seeds where two would decide little, and more do not take long."""
THEIRS = "leduc_thesis"
RELU = {"network.output": "relu"}
SMALL = {"network.hidden": (16,)}
LONG = 600_000
PAPERS = 1_000_000
"""Steps of the paper's curve."""
CHIP = 1 / 26
"""What one chip is in the paper's rewards."""

EXPERIMENTS = (
    # Why 16 units stall: one thing changed at a time.
    Experiment("16-units", "16 units", settings=SMALL, steps=PAPERS, seeds=3),
    Experiment("16-author", "the author's whole program", "author", SMALL, steps=PAPERS, seeds=3),
    Experiment("16-values-64", "64 units for values", settings={"policy.hidden": (16,)}, steps=LONG, seeds=MORE),
    Experiment("16-policy-64", "64 units for the average", settings=SMALL | {"policy.hidden": (64,)}, steps=LONG),
    Experiment("16-tanh", "tanh: no unit can die", settings=SMALL | {"network.activation": "tanh"}, steps=LONG),
    Experiment("16-quick", "twice the values' rate", settings=SMALL | {"values.rate": 0.2}, steps=LONG),
    Experiment("16-unmasked", "no masks", settings=SMALL | {"masked": False}, steps=LONG),
    Experiment("16-slow", "half the values' rate", settings=SMALL | {"values.rate": 0.05}, steps=300_000),
    Experiment("16-keras", "Keras's initial weights", settings=SMALL | {"network.initial": "keras"}, steps=300_000),
    Experiment("16-direct", "no target network", settings=SMALL | {"values.target_every": 1}, steps=300_000),
    # The thesis's program on its own rules, and its parts; then the other presets there.
    Experiment("thesis", "as printed", "thesis", game=THEIRS, steps=100_000, seeds=MORE),
    Experiment("thesis-relu", "ReLU output", "thesis", RELU, game=THEIRS, seeds=MORE),
    Experiment(
        "thesis-power", "ε^(1/t) as people read it", "thesis", {"exploration.fall": "power"}, game=THEIRS, seeds=MORE
    ),
    Experiment("thesis-root", "the paper's ε", "thesis", {"exploration.fall": "root"}, game=THEIRS, seeds=MORE),
    Experiment(
        "thesis-epoch", "one epoch", "thesis", {"values.epochs": 1, "policy.epochs": 1}, game=THEIRS, seeds=MORE
    ),
    Experiment(
        "thesis-free", "moves not taken left alone", "thesis", {"values.anchored": False}, game=THEIRS, seeds=MORE
    ),
    Experiment(
        "thesis-scaled", "rewards divided by 26", "thesis", {"values.reward_scale": CHIP}, game=THEIRS, seeds=MORE
    ),
    Experiment("thesis-masked", "masks", "thesis", {"masked": True}, game=THEIRS, seeds=MORE),
    Experiment("thesis-softmax", "softmax of values", "thesis", {"policy.imitate": "values"}, game=THEIRS, seeds=MORE),
    Experiment("thesis-shares", "shares of values", "thesis", {"policy.imitate": "shares"}, game=THEIRS, seeds=MORE),
    Experiment(
        "thesis-greedy", "best of present values", "thesis", {"policy.imitate": "greedy"}, game=THEIRS, seeds=MORE
    ),
    Experiment("thesis-leduc", "as printed, the paper's rules", "thesis", steps=100_000, seeds=MORE),
    Experiment("rules-paper", "`paper`", "paper", game=THEIRS, steps=100_000, seeds=MORE),
    Experiment("rules-author", "`author`", "author", game=THEIRS, steps=100_000, seeds=MORE),
    Experiment("rules-fast", "`fast` (ours)", "fast", game=THEIRS, steps=10_000, seeds=MORE),
    # A ReLU output, codings of values as a distribution, and what its chapter on Q-learning names.
    Experiment("relu", "ReLU output, masks", settings=RELU, steps=100_000, seeds=MORE),
    Experiment("author-linear", "linear output", "author", steps=100_000, seeds=MORE),
    Experiment("author-relu", "ReLU output", "author", RELU, steps=100_000, seeds=MORE),
    Experiment("moves", "moves that were made (1 of k)", steps=100_000, seeds=MORE),
    Experiment("greedy", "present values, 1 of k", settings={"policy.imitate": "greedy"}, steps=100_000, seeds=MORE),
    Experiment(
        "softmax", "softmax of chips", settings={"policy.imitate": "values", "policy.temperature": CHIP}, seeds=MORE
    ),
    Experiment("shares", "shares above the least", settings={"policy.imitate": "shares"}, seeds=MORE),
    Experiment("fitted", "fitted Q iteration", settings={"values.target_every": 3000}, steps=100_000, seeds=MORE),
    Experiment(
        "clipped", "rewards clipped to a chip", settings={"values.reward_clip": CHIP}, steps=100_000, seeds=MORE
    ),
)
KNOWN = {experiment.name: experiment for experiment in EXPERIMENTS}


def changed(config: NFSP, settings: Mapping[str, Any]) -> NFSP:
    """Settings with some others in their place, named as on the command line."""
    for name, value in settings.items():
        group, _, inner = name.partition(".")
        whole = replace(getattr(config, group), **{inner: value}) if inner else value
        config = replace(config, **{group: whole})
    return config


def records(folder: Path) -> dict[str, dict[str, Any]]:
    """The records that a folder keeps, by name."""
    file = folder / RECORDS
    lines = file.read_text().splitlines() if file.is_file() else []
    return {record["name"]: record for record in map(json.loads, lines)}


def has_all(record: Mapping[str, Any] | None, experiment: Experiment, steps: int) -> bool:
    """Whether a folder's record of an experiment has all that training it for so many steps would bring.

    It does if it has every seed and was asked for as many steps; that the clock ended it earlier is told on the page.
    A look that is shorter than what is kept never takes its place, however few its seeds are.
    """
    if record is None:
        return False
    look = steps < min(record["asked"], experiment.steps)
    return look or (record["asked"] >= steps and set(record["seeds"]) >= set(range(experiment.seeds)))


def keep_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Write a record down, in the place of what there was of the same experiment."""
    kept = records(folder) | {record["name"]: record}
    write_whole(folder / RECORDS, "".join(json.dumps(each) + "\n" for each in kept.values()).encode())


def marks(steps: int) -> list[int]:
    """The steps after which a run is judged."""
    found = [steps]
    while found[-1] > 100:
        found.append(int(found[-1] / APART))
    return found[::-1]


def run(
    experiment: Experiment, steps: int, until: float = inf, tell: Callable[[str], None] = lambda words: None
) -> dict[str, Any]:
    """Train all seeds side by side for so many steps, or until `time.time()` says so: their record."""
    tree, seeds = unroll(experiment.game), range(experiment.seeds)
    learner, begun = experiment.config().on(TreeForm(tree)), time.perf_counter()
    state = jax.tree.map(jnp.copy, _begin(learner, jax.vmap(jax.random.key)(jnp.asarray(seeds))))
    chances = [np.random.default_rng(seed) for seed in seeds]
    done, rows, spent = 0, list[dict[str, Any]](), 0.0
    for mark in marks(steps):
        while done < mark and (time.time() < until or not done):
            piece, started = min(PIECE, mark - done), time.perf_counter()
            state = jax.block_until_ready(_advance(learner, state, jnp.asarray(piece)))
            done, spent = done + piece, spent + time.perf_counter() - started
        seen = jax.device_get(_look(learner, state, tree.form))
        each = [measured(tree, jax.tree.map(lambda leaf, k=k: leaf[k], seen), chances[k]) for k in range(len(seeds))]
        rows.append({"step": done} | {name: [numbers[name] for numbers in each] for name in each[0]})
        tell(f"{experiment.name}: {done:,} steps, {rows[-1]['exploitability']}")
        if time.time() >= until:
            break
    return {
        "name": experiment.name,
        "game": experiment.game,
        "preset": experiment.preset,
        "settings": experiment.settings,
        "seeds": list(seeds),
        "steps": done,
        "asked": steps,
        "seconds": round(time.perf_counter() - begun, 1),
        "training_seconds": round(spent, 1),
        "rows": rows,
    }


@eqx.filter_jit
def _begin(learner: SelfPlay, keys: Array) -> SelfPlayState:
    state: SelfPlayState = jax.vmap(learner.init)(keys)
    return state


@eqx.filter_jit(donate="all-except-first")
def _advance(learner: SelfPlay, state: SelfPlayState, steps: Int[Array, ""]) -> SelfPlayState:
    step = jax.vmap(lambda state: learner.step(state)[0])
    after: SelfPlayState = jax.lax.fori_loop(0, steps, lambda _, state: step(state), state)
    return after


@eqx.filter_jit
def _look(learner: SelfPlay, state: SelfPlayState, form: SequenceForm) -> Any:
    return jax.vmap(lambda state: snapshot(learner, state, form))(state)
