"""Feint finds, judges and plays strategies for games with hidden information.

import feint
tree = feint.unroll("leduc")
run = feint.train("cfr+", "leduc", until=1e-4)
feint.exploitability(tree, run.strategy)
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from feint.evaluate.exploitability import (
        best_response,
        deviations,
        expected_values,
        exploitability,
        move_values,
        nash_conv,
    )
    from feint.forms.strategy import Strategy, TabularStrategy
    from feint.games.errors import BadInput, IllegalMove
    from feint.games.game import CHANCE, TERMINAL, Game
    from feint.games.library import load_game
    from feint.report.compare import compare
    from feint.runs.asking import ask
    from feint.runs.export import export
    from feint.runs.judging import judge
    from feint.runs.matching import match
    from feint.runs.run import Run, load_run
    from feint.runs.solving import solve
    from feint.runs.strategy_files import load_strategy, save_strategy
    from feint.runs.train import train
    from feint.tree.tree import Tree
    from feint.tree.unroll import unroll

__version__ = "0.1.0"

# Solving and judging are exact work: they need 64-bit floats, which JAX only has when told before it starts.
if "jax" in sys.modules:
    sys.modules["jax"].config.update("jax_enable_x64", True)
else:
    os.environ["JAX_ENABLE_X64"] = "1"

_HOME = {
    "feint.evaluate.exploitability": (
        "best_response",
        "deviations",
        "expected_values",
        "exploitability",
        "move_values",
        "nash_conv",
    ),
    "feint.forms.strategy": ("Strategy", "TabularStrategy"),
    "feint.games.errors": ("BadInput", "IllegalMove"),
    "feint.games.game": ("CHANCE", "TERMINAL", "Game"),
    "feint.games.library": ("load_game",),
    "feint.report.compare": ("compare",),
    "feint.runs.asking": ("ask",),
    "feint.runs.export": ("export",),
    "feint.runs.judging": ("judge",),
    "feint.runs.matching": ("match",),
    "feint.runs.run": ("Run", "load_run"),
    "feint.runs.solving": ("solve",),
    "feint.runs.strategy_files": ("load_strategy", "save_strategy"),
    "feint.runs.train": ("train",),
    "feint.tree.tree": ("Tree",),
    "feint.tree.unroll": ("unroll",),
}
"""Where everything public comes from. It is imported when asked for: so commands start at once, rules can be written
where JAX takes long to start, and runs, which need more libraries than the rest, only where those are."""

__all__ = [
    "CHANCE",
    "TERMINAL",
    "BadInput",
    "Game",
    "IllegalMove",
    "Run",
    "Strategy",
    "TabularStrategy",
    "Tree",
    "ask",
    "best_response",
    "compare",
    "deviations",
    "expected_values",
    "exploitability",
    "export",
    "judge",
    "load_game",
    "load_run",
    "load_strategy",
    "match",
    "move_values",
    "nash_conv",
    "save_strategy",
    "solve",
    "train",
    "unroll",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module 'feint' has no attribute {name!r}")
