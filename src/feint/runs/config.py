"""What a run was asked to do: found by name, checked, and written down in full."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import math
import pkgutil
import shlex
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any, Self, final

import pydantic

from feint.games.errors import BadInput, check_seed, nearest
from feint.solvers.algorithm import Config, Method

PACKAGES = ("feint.solvers", "feint.learners")
"""Where algorithms live: every file there that declares ALGORITHMS adds its own."""


def algorithms() -> dict[str, Method]:
    """Every algorithm, by the name users call it."""
    found: dict[str, Method] = {}
    for package in PACKAGES:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            found |= getattr(importlib.import_module(f"{package}.{module.name}"), "ALGORITHMS", {})
    return found


def resolve(algorithm: str, settings: Mapping[str, Any], preset: str | None = None) -> Config:
    """The algorithm's hyper-parameters: a preset's or the defaults, then `settings`; strings are read as values."""
    known = algorithms()
    if algorithm not in known:
        raise BadInput(f"There is no algorithm called {algorithm!r}; {nearest(algorithm, known)}")
    default, presets = known[algorithm].config, known[algorithm].presets
    if preset is not None:
        if preset not in presets:
            hint = nearest(preset, presets) if presets else "it has none."
            raise BadInput(f"{algorithm} has no preset called {preset!r}; {hint}")
        default = presets[preset]
    names = [field.name for field in fields(default)]
    for key in settings:
        if key not in names:
            hint = nearest(key, names) if names else "it has none."
            raise BadInput(f"{algorithm} has no setting called {key!r}; {hint}")
    try:
        given = {key: _read(value) for key, value in settings.items()}
        return pydantic.TypeAdapter(type(default)).validate_python({**asdict(default), **given})
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        if "ctx" in first and isinstance(first["ctx"].get("error"), BadInput):
            raise first["ctx"]["error"] from error
        name = str(first["loc"][0])
        raise BadInput(f"{algorithm} cannot take {name}={settings.get(name)!r}: {first['msg']}.") from error


def explained(config: Config) -> dict[str, str]:
    """What each setting means: the sentence under it, where its algorithm declares it."""
    (declared,) = ast.parse(textwrap.dedent(inspect.getsource(type(config)))).body
    assert isinstance(declared, ast.ClassDef)
    return {
        field.target.id: inspect.cleandoc(words.value.value).replace("\n", " ")
        for field, words in pairwise(declared.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(words, ast.Expr)
        and isinstance(words.value, ast.Constant)
        and isinstance(words.value.value, str)
    }


@final
@dataclass(frozen=True)
class RunConfig:
    """Everything that decides what a run does."""

    game: str
    algorithm: str
    settings: Mapping[str, Any]
    """The algorithm's hyper-parameters, all of them."""
    seed: int = 0
    seeds: int = 1
    """How many runs are made at once, with this seed and the ones after it."""
    steps: int | None = None
    """Stop after this many steps."""
    hands: int | None = None
    """Stop after the first step by which this many hands were played; with many seeds, in the median."""
    seconds: float | None = None
    """Stop after this much time."""
    until: float | None = None
    """Stop when exploitability is this low."""
    rules: str = ""
    """The fingerprint of the game's rules as they were; older runs do not tell."""

    def __post_init__(self) -> None:
        for name in ("steps", "hands", "seconds", "until"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise BadInput(f"{name} must be a positive number, but {name}={value:g} was given.")
        check_seed(self.seed)
        if self.seeds < 1:
            raise BadInput(f"seeds must be 1 or more, but seeds={self.seeds} was given.")

    def to_json(self) -> str:
        """Readable JSON; numbers that JSON does not have, such as inf, are written as strings."""
        return json.dumps(_plain(asdict(self)), indent=2) + "\n"

    def command(self, last: Mapping[str, Any]) -> str:
        """The command that makes the same run again up to its last evaluation, from the preset that is nearest to it.

        A run that came to the hands asked for stops by them again, any other by its steps.
        """
        method = algorithms()[self.algorithm]
        presets = {"": method.config} | dict(method.presets)
        changes = {
            preset: {key: value for key, value in self.settings.items() if value != getattr(config, key)}
            for preset, config in presets.items()
        }
        nearest_preset = min(changes, key=lambda preset: len(changes[preset]))
        words = ["feint", "train", self.algorithm, self.game]
        words += ["--preset", nearest_preset] if nearest_preset else []
        for key, value in changes[nearest_preset].items():
            words += ["--set", f"{key}={_write(value)}"]
        came = self.hands is not None and last["hands"] >= self.hands
        words += ["--hands", str(self.hands)] if came else ["--steps", str(last["step"])]
        words += ["--seed", str(self.seed)]
        return shlex.join(words + (["--seeds", str(self.seeds)] if self.seeds > 1 else []))

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = json.loads(text)
        return cls(**values | {"settings": asdict(resolve(values["algorithm"], values["settings"]))})


def _read(value: Any) -> Any:
    """What a user wrote for a setting: lists as lists, none as None, the rest left to the field's type."""
    if isinstance(value, str) and value.strip().lower() in {"none", "null"}:
        return None
    if isinstance(value, str) and value.strip()[:1] in {"[", "("}:
        return [item.strip() for item in value.strip()[1:-1].split(",") if item.strip()]
    return value


def _write(value: Any) -> str:
    """A setting as `_read` takes it."""
    return f"[{','.join(map(str, value))}]" if isinstance(value, list | tuple) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
