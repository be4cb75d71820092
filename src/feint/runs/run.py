"""A run that was made, read back from its folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np
from safetensors import safe_open

from feint.evaluate.measure import Measure
from feint.evaluate.share_found import LOCAL
from feint.forms.form import Form
from feint.forms.library import form_of
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.runs.agents import called, find_run
from feint.runs.config import RunConfig, resolve
from feint.runs.files import (
    BOUND,
    CONFIG,
    CUT_SHORT,
    METRICS,
    PROVENANCE,
    STRATEGY,
    TIMINGS,
    Row,
    digest_of,
    is_there,
    reading,
    rows_of,
    unsealed,
)
from feint.runs.rules import read_rules
from feint.runs.summary import band, headline, length, of_strategy


@final
@dataclass(frozen=True, repr=False)
class Run:
    """A finished run."""

    path: Path
    config: RunConfig
    metrics: list[Row]
    """One row for each evaluation: `step`, `exploitability` and `nash_conv` in chips per hand, and more. Games too
    large to judge exactly have `winnings` against random play instead, in thousandths of a big blind per hand."""
    timings: list[Row]
    """For each of them, `step` and `seconds` of running time, compilation left out."""
    strategy: Strategy
    provenance: tuple[str, ...] = ()
    """The machine and the programs that made it; nothing where an older run does not say."""
    bound: Measure | None = None
    """The best known lower bound on its exploitability, where it is too large to judge exactly."""
    digest: str = field(default="", kw_only=True)
    """SHA-256 of the file that the strategy is in: another may be there by now."""
    find_form: Callable[[], Form] = field(kw_only=True, compare=False)

    @property
    def name(self) -> str:
        """What it goes by: feint:NAME where it came with Feint, else its folder."""
        return called(self.path)

    @cached_property
    def form(self) -> Form:
        """The game that it is for, in the form that tells most. Raises `BadInput` where its rules are not trusted."""
        return self.find_form()

    def __repr__(self) -> str:
        last = of_strategy(self.metrics[-1])
        words = f"{self.config.algorithm} on {self.config.game}, {length(last)}: {' '.join(headline(last, self.bound))}"
        return f"Run({str(self.path)!r}: {words}{band(self.metrics[-1])})"


def load_run(path: Path | str, game: str | Game[Any] | None = None, trust: bool = False) -> Run:
    """Read a run back, from its folder or by the name of an agent that comes with Feint, such as `feint:leduc`.

    A run of a game of someone's own brings its rules along, which are a program: it is started where this machine has
    trained on the same rules before, or with `trust`; or give the `game` itself. Raises `BadInput` when there is no
    run, or one that was damaged or changed.
    """
    path = find_run(path)
    config = config_of(path)

    def find_form() -> Form:
        with reading(path):
            return _form_for(path, config, read_rules(path, config.game, config.rules, trust) if game is None else game)

    if not (path / PROVENANCE).is_file():
        raise BadInput(f"{path} is not a finished run (it has no {PROVENANCE}); train it to the end first.")
    with reading(path):
        provenance, metrics, (timings, _) = provenance_of(path), metrics_of(path), rows_of(path / TIMINGS)
        if not metrics or not timings:
            raise ValueError("it was never judged")
        digest = digest_of(path / STRATEGY)
        strategy = _strategy_of(path, config, find_form)
        bound = bound_of(path)
        return Run(path, config, metrics, timings, strategy, provenance, bound, digest=digest, find_form=find_form)


def run_at(run: Run, game: str | Game[Any]) -> Run:
    """The same run, with the strategy that it has here, at rules that are given."""
    return replace(run, find_form=lambda: _form_for(run.path, run.config, game))


def _form_for(path: Path, config: RunConfig, game: str | Game[Any]) -> Form:
    """The form of a game, if a run is for these rules."""
    form = form_of(game)
    if form.fingerprint != config.fingerprint:
        raise BadInput(
            f"{called(path)} was trained on {config.game} with other rules than {form.name} has; "
            f"choose the game that it is for, or train it again."
        )
    return form


def _strategy_of(path: Path, config: RunConfig, form: Callable[[], Form]) -> Strategy:
    """The strategy, as the algorithm's settings read it back."""
    with safe_open(path / STRATEGY, framework="numpy") as file:
        fingerprint = json.loads(file.metadata()["feint"])["fingerprint"]
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    for name, values in arrays.items():
        if not np.isfinite(values).all():
            raise ValueError(f"{name} in {STRATEGY} has values that are no numbers")
    return resolve(config.algorithm, config.settings).read(arrays, fingerprint, form)


def config_of(path: Path) -> RunConfig:
    """What a run was asked to do."""
    if not is_there(path / CONFIG):
        raise BadInput(f"{path} is not a run (it has no {CONFIG}); give a folder that feint train has written.")
    with reading(path):
        words = unsealed(path / CONFIG)
        try:
            return RunConfig.read(words)
        except BadInput as error:
            raise BadInput(
                f"{path} holds a run with settings that this version of Feint does not take ({error}); train it again."
            ) from error


def metrics_of(path: Path) -> list[Row]:
    """A run's evaluations, without its strategy; of one that goes on, those so far."""
    with reading(path):
        rows = rows_of(path / METRICS)[0] if (path / METRICS).is_file() else []
        for row in rows:
            headline(of_strategy(row))  # they can be told
        return rows


def provenance_of(path: Path) -> tuple[str, ...]:
    """The machine and programs that made a run, nothing where it is not finished; raises where it was changed since."""
    if not (path / PROVENANCE).is_file():
        return ()
    with reading(path):
        words = unsealed(path / PROVENANCE)
        for name, digest in words["files"].items():
            if digest_of(path / name) != digest:
                raise ValueError(f"{name} was changed")
        return tuple(words["made_with"])


def was_cut_short(path: Path) -> bool:
    """Whether an interrupt ended a finished run before anything that it was asked for did."""
    with reading(path):
        return CUT_SHORT in unsealed(path / PROVENANCE)


def bound_of(path: Path) -> Measure | None:
    """The bound that is kept for a run's strategy, if any; one for another strategy does not count."""
    if not (path / BOUND).is_file():
        return None
    with reading(path):
        kept = {"response": LOCAL} | unsealed(path / BOUND)  # older ones do not say
        return Measure(**kept) if kept.pop(STRATEGY) == digest_of(path / STRATEGY) else None
