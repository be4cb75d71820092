"""Feint finds, judges and plays strategies for games with hidden information.

import feint
tree = feint.unroll("leduc")
run = feint.train("cfr+", "leduc", until=1e-4)
feint.exploitability(tree, run.strategy)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax

# Solving and judging are exact work: they need 64-bit floats, which JAX only has when told before it starts.
jax.config.update("jax_enable_x64", True)

from feint.evaluate.exploitability import (  # noqa: E402
    best_response,
    deviations,
    expected_values,
    exploitability,
    move_values,
    nash_conv,
)
from feint.forms.strategy import Strategy, TabularStrategy  # noqa: E402
from feint.games.errors import BadInput, IllegalMove  # noqa: E402
from feint.games.game import CHANCE, TERMINAL, Game  # noqa: E402
from feint.games.library import load_game  # noqa: E402
from feint.tree.tree import Tree  # noqa: E402
from feint.tree.unroll import unroll  # noqa: E402

if TYPE_CHECKING:
    from feint.runs.asking import ask
    from feint.runs.run import Run, load_run
    from feint.runs.train import train

__version__ = "0.1.0"

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
    "deviations",
    "expected_values",
    "exploitability",
    "load_game",
    "load_run",
    "move_values",
    "nash_conv",
    "train",
    "unroll",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Runs need more libraries than rules, trees, solvers and judges do, so they are imported when asked for."""
    if name in {"Run", "load_run"}:
        from feint.runs import folder

        return getattr(folder, name)
    if name == "ask":
        from feint.runs.asking import ask

        return ask
    if name == "train":
        from feint.runs.train import train

        return train
    raise AttributeError(f"module 'feint' has no attribute {name!r}")
