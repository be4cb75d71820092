"""The README's pictures, made by the code: python docs/make_pictures.py"""

from __future__ import annotations

import tempfile
from pathlib import Path

import feint
from feint.report.curve import draw_curve

HERE = Path(__file__).parent


def solvers() -> None:
    """Every iterative solver on Leduc for 10,000 iterations."""
    with tempfile.TemporaryDirectory() as folder:
        names = ["cfr", "xfp", "linear-cfr", "cfr+", "dcfr", "pcfr+"]
        runs = [feint.train(name, "leduc", steps=10_000, out=Path(folder) / name) for name in names]
        draw_curve(runs, HERE / "solvers.png")


if __name__ == "__main__":
    solvers()
