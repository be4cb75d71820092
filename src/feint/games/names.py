"""Things found by name, such as `kuhn(players=3)` or `winnings(hands=1000)`: files declare what they add."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from feint.games.errors import BadInput

CALL = re.compile(r"\s*([\w.+:/-]+?)\s*(?:\((.*)\))?\s*", re.DOTALL)
WORD = re.compile(r"=\s*(?!(?:True|False|None)\b)((?:[A-Za-z_/~]|\.+/)[\w.+:/-]*)\s*(?=,|$)")
"""A value that is a bare word, or a folder or an agent; some words Python keeps for itself."""


def modules(*packages: str) -> Iterator[ModuleType]:
    """Every file of some packages, imported."""
    for package in packages:
        for found in pkgutil.iter_modules(importlib.import_module(package).__path__):
            yield importlib.import_module(f"{package}.{found.name}")


def declared(attribute: str, *packages: str) -> dict[str, Any]:
    """What the files of some packages declare under an attribute, by name."""
    return {name: thing for module in modules(*packages) for name, thing in getattr(module, attribute, {}).items()}


def parse(text: str, what: str, like: str) -> tuple[str, dict[str, Any]]:
    """Split `name(key=value, …)`. Values are Python literals; a bare word is a string."""
    call = CALL.fullmatch(text)
    try:
        if call is None:
            raise SyntaxError
        quoted = WORD.sub(r"='\1'", call[2] or "")
        words = ast.parse(f"_({quoted})", mode="eval").body
        if not isinstance(words, ast.Call) or words.args or any(word.arg is None for word in words.keywords):
            raise SyntaxError
        return call[1], {str(word.arg): _literal(word.value) for word in words.keywords}
    except (SyntaxError, ValueError, TypeError) as error:
        raise BadInput(f"{text!r} does not read as a {what}; write it like {like}, parameters by name.") from error


def _literal(node: ast.expr) -> Any:
    value = ast.literal_eval(node)
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
