"""What sweeps cost beside a plain loop of feint.train: python benchmarks/sweeps.py [--steps N] [--ray].

The same 16 trials in each way, after one run of their kind, so that nothing is compiled for the first time but where a
process is new. Prints a line of JSON for each; lines are gathered in results/sweeps.jsonl.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import feint
from feint.runs.sweep import Sweep, read_sweep
from feint.runs.sweeping import run_sweep
from racing import processor

ASKED = {"algorithms": ["cfr+", "cfr"], "games": ["kuhn"], "seeds": 8, "apart": True}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--ray", action="store_true", help="also on a cluster of one node that is started for it")
    asked = parser.parse_args()
    sweep = read_sweep(ASKED | {"steps": asked.steps})
    ways: dict[str, Callable[[Path], object]] = {
        "loop": lambda folder: loop(sweep, folder),
        "sweep": lambda folder: run_sweep(sweep, folder),
        "workers=2": lambda folder: run_sweep(sweep, folder, workers=2),
    }
    if asked.ray:
        ways["ray"] = lambda folder: run_sweep(sweep, folder, ray="local")
    with tempfile.TemporaryDirectory() as temporary:
        loop(sweep, Path(temporary) / "before")
        for name, way in ways.items():
            start = time.perf_counter()
            way(Path(temporary) / name)
            seconds = time.perf_counter() - start
            facts = {"way": name, "trials": len(sweep.trials), "steps": asked.steps, "seconds": round(seconds, 2)}
            load = [round(each, 1) for each in os.getloadavg()]
            print(json.dumps(facts | {"cores": os.cpu_count(), "load": load, "machine": processor()}), flush=True)


def loop(sweep: Sweep, folder: Path) -> None:
    """What a user would write without sweeps."""
    for trial in sweep.trials:
        feint.train(trial.algorithm, trial.game, steps=trial.steps, seed=trial.seed, out=folder / trial.name)


if __name__ == "__main__":
    main()
