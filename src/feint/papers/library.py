"""Reproductions by name: `leduc-nfsp` is the file leduc_nfsp.py in this folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

Reproduce = Callable[[Path, bool, Callable[[str], Any]], Path]
"""From a folder, whether to be quick, and a maker of watchers, to the page that was written."""


def papers() -> dict[str, Reproduce]:
    """Every file in this folder with a function `reproduce`."""
    package = importlib.import_module("feint.papers")
    found: dict[str, Reproduce] = {}
    for module in pkgutil.iter_modules(package.__path__):
        function = getattr(importlib.import_module(f"feint.papers.{module.name}"), "reproduce", None)
        if function is not None:
            found[module.name.replace("_", "-")] = function
    return found
