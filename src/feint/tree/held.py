"""What a state holds, to tell whether rules that should return a new state change the old one instead."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from functools import cached_property
from types import NoneType
from typing import Any

from feint.games.game import Game

PLAIN = frozenset({NoneType, bool, int, float, complex, str, bytes})
"""Kinds of values that hold nothing that can change."""


def fixed(value: Any, known: Any) -> bool:
    """Whether nothing in a value can change: tuples, frozen dataclasses and the like, of plain values and of `known`.

    States that grow out of each other are long chains, so that nothing here recurses.
    """
    rest = [value]
    while rest:
        part = rest.pop()
        kind = type(part)
        if kind in PLAIN or part is known or isinstance(part, Enum):
            continue
        if isinstance(part, tuple | frozenset) and not kind.__dictoffset__:
            if not PLAIN.issuperset(map(type, part)):
                rest.extend(part)
        elif getattr(getattr(kind, "__dataclass_params__", None), "frozen", False):
            rest.extend(getattr(part, name) for name in kind.__dataclass_fields__)
        else:
            return False
    return True


def held(value: Any) -> list[Any]:
    """All that a value holds, flat, in a form that does not change when the value does.

    What a `cached_property` keeps counts for nothing: it is made of the rest.
    """
    found: list[Any] = []
    rest, seen = [value], set[int]()
    while rest:
        part = rest.pop()
        if type(part) in PLAIN:
            found.append(part if part == part else repr(part))  # nan is not equal to itself
        elif isinstance(part, tuple):
            found.append(len(part))
            rest.extend(part)
        elif callable(part) or isinstance(part, Game) or id(part) in seen:
            found.append(id(part))
        else:
            seen.add(id(part))  # for it may be a part of itself
            _open(part, found, rest)
    return found


def _open(value: Any, found: list[Any], rest: list[Any]) -> None:
    """Note what kind of thing a value is, and put its parts to the rest."""
    if hasattr(value, "tobytes"):
        found.append(value.tobytes())
        return
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        found.append(len(value))
        rest.extend(value.items() if isinstance(value, Mapping) else value)
        return
    kind = type(value)
    names = [
        *getattr(value, "__dict__", ()),
        *(name for each in kind.__mro__ for name in getattr(each, "__slots__", ())),
    ]
    names = [name for name in names if not isinstance(getattr(kind, name, None), cached_property)]
    found.append(tuple(names) or repr(value))
    rest.extend(getattr(value, name, None) for name in names)
