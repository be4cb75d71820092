"""A run on disk. This is the only code that writes or reads one.

config.json          what was asked for, in full
metrics.jsonl        one line for each evaluation; the truth, and the same whenever the run is repeated
timings.jsonl        how long each of those took to reach
strategy.safetensors the strategy at the end
README.md            a model card
curve.png            the picture
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from feint.games.errors import BadInput
from feint.runs.config import RunConfig
from feint.tree.strategy import Strategy, TabularStrategy
from feint.tree.tree import Tree

CONFIG, METRICS, TIMINGS, STRATEGY, CARD = (
    "config.json",
    "metrics.jsonl",
    "timings.jsonl",
    "strategy.safetensors",
    "README.md",
)

Row = dict[str, Any]


@final
@dataclass(frozen=True)
class Run:
    """A finished run."""

    path: Path
    config: RunConfig
    metrics: list[Row]
    """One row for each evaluation: `step`, `exploitability` and `nash_conv` in chips per hand, and more."""
    timings: list[Row]
    """For each of them, `step` and `seconds` of running time, compilation left out."""
    strategy: TabularStrategy


def load_run(path: Path | str) -> Run:
    """Read a run back. Raises `BadInput` when the folder is not one."""
    path = Path(path)
    if not (path / CONFIG).is_file():
        raise BadInput(f"{path} is not a run (it has no {CONFIG}); give a folder that feint train has written.")
    try:
        config = RunConfig.from_json((path / CONFIG).read_text())
        metrics, timings = (_rows(path / name) for name in (METRICS, TIMINGS))
        with safe_open(path / STRATEGY, framework="numpy") as file:
            strategy = TabularStrategy(
                jnp.asarray(file.get_tensor("probabilities")), json.loads(file.metadata()["feint"])["fingerprint"]
            )
    except FileNotFoundError as error:
        missing = Path(error.filename or STRATEGY).name
        raise BadInput(f"{path} is not a finished run (it has no {missing}); train it to the end first.") from error
    except (OSError, ValueError, TypeError, KeyError, SafetensorError) as error:
        raise BadInput(f"{path} holds a damaged run ({error}); train it again.") from error
    return Run(path, config, metrics, timings, strategy)


@final
class RunFolder:
    """A run being written."""

    def __init__(self, path: Path, config: RunConfig) -> None:
        """Make the folder; it must be new or empty."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise BadInput(f"{path} is not empty; choose another folder with --out, or remove it.")
            write_whole(path / CONFIG, config.to_json().encode())
        except OSError as error:
            raise BadInput(f"{path} cannot be written ({error.strerror}); choose another folder with --out.") from error
        self.path = path
        self.config = config
        self.metrics: list[Row] = []
        self.timings: list[Row] = []

    def log(self, row: Row, seconds: float) -> None:
        """Append one evaluation."""
        timing = {"step": row["step"], "seconds": seconds}
        self.metrics.append(row)
        self.timings.append(timing)
        for name, line in ((METRICS, row), (TIMINGS, timing)):
            with (self.path / name).open("a") as file:
                file.write(json.dumps(line) + "\n")

    def finish(self, strategy: Strategy, tree: Tree) -> Run:
        """Write the strategy, as a table, and the card."""
        table = TabularStrategy(jnp.asarray(strategy.table(tree)), tree.fingerprint)
        arrays = {"probabilities": np.asarray(table.probabilities)}
        # One entry only: safetensors writes several in no fixed order, and a run's bytes should repeat.
        words = {"game": tree.name, "fingerprint": tree.fingerprint, "moves": tree.actions}
        write_whole(self.path / STRATEGY, save(arrays, {"feint": json.dumps(words)}))
        write_whole(self.path / CARD, _card(self.config, self.metrics[-1]).encode())
        return Run(self.path, self.config, self.metrics, self.timings, table)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is either there in full or not at all, whatever happens meanwhile."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def free_folder(game: str, algorithm: str, root: Path = Path("runs")) -> Path:
    """A folder for a new run, named after what it does and not yet taken."""
    name = re.sub(r"[^\w+.=-]+", "-", f"{game}-{algorithm}").strip("-")
    number = 1
    while (path := root / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return path


def _rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _card(config: RunConfig, last: Mapping[str, Any]) -> str:
    """A model card: what this is, how good it is, how to use it and how it was made."""
    settings = "\n".join(f"| {key} | {value} |" for key, value in config.settings.items())
    return f"""---
library_name: feint
tags: [game-theory, {config.algorithm}]
model-index:
- name: {config.algorithm} on {config.game}
  results:
  - task: {{type: strategy, name: {config.game}}}
    metrics:
    - {{type: exploitability, value: {last["exploitability"]!r}, unit: chips per hand, kind: exact}}
---
# {config.algorithm} on {config.game}

Exploitability **{last["exploitability"]:.3g} chips per hand** (exact: NashConv divided by the number of players)
after {last["step"]:,} steps, seed {config.seed}.

    feint show .        the strategy and the curve
    feint evaluate .    judge it again

| setting | value |
|---|---|
{settings}
"""
