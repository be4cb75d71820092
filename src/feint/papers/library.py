"""Reproductions by name: `leduc-nfsp` is the file leduc_nfsp.py in this folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from feint.games.names import modules
from feint.report.curve import Published

Reproduce = Callable[[Path, bool, Callable[[str], Any]], Path]
"""From a folder, whether to be quick, and a maker of watchers, to the page that was written."""


def papers() -> dict[str, Reproduce]:
    """Every paper in this folder: its function `reproduce`, by name."""
    return {module.__name__.rpartition(".")[2].replace("_", "-"): module.reproduce for module in _modules()}


def published(algorithm: str, game: str) -> list[Published]:
    """The curves that papers published for an algorithm on a game."""
    return [
        curve
        for module in _modules()
        if hasattr(module, "published_curves") and (algorithm, game) == (module.ALGORITHM, module.GAME)
        for curve in module.published_curves()
    ]


def _modules() -> list[Any]:
    return [module for module in modules("feint.papers") if hasattr(module, "reproduce")]
