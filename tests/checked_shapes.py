"""Shapes that annotations promise are checked while tests run, as Equinox does. Imported before all of Feint is."""

from __future__ import annotations

from typing import Any, get_args

import beartype
import jaxtyping

# Where arrays are computed with. Rules and their walk are left out: they have none, and would take longer.
PACKAGES = ("arena", "evaluate", "forms", "learners", "papers", "players", "public", "runs", "search", "solvers")
MODULES = ("tree.arrange", "tree.best_response", "tree.move_values", "tree.sequence_form", "tree.tree")


def arrays_only(function: Any) -> Any:
    """Check the annotations that tell of arrays; mypy has seen to all others, and beartype cannot take each of them."""
    told = function.__annotations__
    function.__annotations__ = {name: hint for name, hint in told.items() if _tells_of_arrays(hint)}
    return beartype.beartype(function) if function.__annotations__ else function


def _tells_of_arrays(hint: Any) -> bool:
    if isinstance(hint, type) and issubclass(hint, jaxtyping.AbstractArray):
        return True
    return any(map(_tells_of_arrays, get_args(hint)))


jaxtyping.install_import_hook([f"feint.{package}" for package in PACKAGES + MODULES], "checked_shapes.arrays_only")
