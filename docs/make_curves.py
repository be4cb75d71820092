"""How each algorithm gets better on Leduc, kept as records in docs/results/leduc_curves: python docs/make_curves.py

The site shows them (docs/_site/guides.py). Names of algorithms make only those; what is there is not made again.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import feint

HERE = Path(__file__).parent / "results" / "leduc_curves"
KEPT = ("config.json", "metrics.jsonl", "timings.jsonl", "provenance.json", "strategy.safetensors")
SOLVERS = ("cfr", "cfr+", "linear-cfr", "dcfr", "pcfr+", "xfp", "mccfr")
LEARNERS = ("nfsp", "linear-q", "fsp", "dqn", "drqn", "rnfsp")
STEPS = {"linear-program": 1} | dict.fromkeys((*SOLVERS, *LEARNERS), 2000) | {"elite-play": 30, "evolved": 30}


def main(names: list[str]) -> None:
    for name in names or STEPS:
        if (HERE / name).exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            run = feint.train(name, "leduc", steps=STEPS[name], out=Path(folder) / name)
            (HERE / name).mkdir(parents=True)
            for file in KEPT:
                shutil.copy(run.path / file, HERE / name / file)
            feint.compare([run], HERE / f"{name}.png")
    feint.compare([HERE / name for name in STEPS if name != "linear-program"], HERE / "all.png")


if __name__ == "__main__":
    main(sys.argv[1:])
