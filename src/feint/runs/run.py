"""A run that was made, read back from its folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import final

from safetensors import SafetensorError, safe_open

from feint.evaluate.measure import Measure
from feint.forms.form import Form
from feint.forms.library import form_of
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.runs.agents import find_run
from feint.runs.config import RunConfig, resolve
from feint.runs.files import BOUND, CONFIG, METRICS, PROVENANCE, STRATEGY, TIMINGS, Row, digest_of, rows_of
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

    def __repr__(self) -> str:
        last = of_strategy(self.metrics[-1])
        words = f"{self.config.algorithm} on {self.config.game}, {length(last)}: {' '.join(headline(last, self.bound))}"
        return f"Run({str(self.path)!r}: {words}{band(self.metrics[-1])})"


def load_run(path: Path | str) -> Run:
    """Read a run back, from its folder or by the name of an agent that comes with Feint, such as `feint:leduc`.

    Raises `BadInput` when there is none.
    """
    path = find_run(path)
    config = config_of(path)
    try:
        metrics, timings = metrics_of(path), rows_of(path / TIMINGS)
        if not metrics or not timings:
            raise ValueError("it was never judged")
        strategy = _strategy_of(path, config)
        return Run(path, config, metrics, timings, strategy, provenance_of(path), bound_of(path))
    except FileNotFoundError as error:
        missing = Path(error.filename or STRATEGY).name
        raise BadInput(f"{path} is not a finished run (it has no {missing}); train it to the end first.") from error
    except BadInput:
        raise
    except (OSError, ValueError, TypeError, KeyError, SafetensorError) as error:
        raise BadInput(f"{path} holds a damaged run ({error}); train it again.") from error


def _strategy_of(path: Path, config: RunConfig) -> Strategy:
    """The strategy, as the algorithm's settings read it back."""
    with safe_open(path / STRATEGY, framework="numpy") as file:
        fingerprint = json.loads(file.metadata()["feint"])["fingerprint"]
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118

    def form() -> Form:
        form = form_of(config.game)
        if form.fingerprint != fingerprint:
            raise BadInput(f"The strategy is for other rules than {config.game} has now; train it again.")
        return form

    return resolve(config.algorithm, config.settings).read(arrays, fingerprint, form)


def config_of(path: Path) -> RunConfig:
    """What a run was asked to do."""
    if not (path / CONFIG).is_file():
        raise BadInput(f"{path} is not a run (it has no {CONFIG}); give a folder that feint train has written.")
    try:
        return RunConfig.from_json((path / CONFIG).read_text())
    except BadInput as error:
        raise BadInput(
            f"{path} holds a run with settings that this version of Feint does not take ({error}); train it again."
        ) from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadInput(f"{path} holds a damaged run ({error}); train it again.") from error


def metrics_of(path: Path) -> list[Row]:
    """A run's evaluations, without its strategy."""
    return rows_of(path / METRICS)


def provenance_of(path: Path) -> tuple[str, ...]:
    """The machine and the programs that made a run; nothing where it is not finished or does not say."""
    return tuple(json.loads((path / PROVENANCE).read_text())) if (path / PROVENANCE).is_file() else ()


def bound_of(path: Path) -> Measure | None:
    """The bound that is kept for a run's strategy; one for another strategy, or a damaged one, is not believed."""
    try:
        kept = json.loads((path / BOUND).read_text())
        words = {"name": "exploitability"} | {name: value for name, value in kept.items() if name != STRATEGY}
        return Measure(**words) if kept[STRATEGY] == digest_of(path) else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
