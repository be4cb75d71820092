"""What a run was asked to do: found by name, checked, and written down in full."""

from __future__ import annotations

import ast
import inspect
import math
import re
import shlex
import textwrap
from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, fields, is_dataclass
from functools import reduce
from itertools import pairwise
from numbers import Real
from operator import getitem
from types import NoneType, UnionType
from typing import Any, ClassVar, Protocol, Self, TypeVar, Union, final, get_args, get_origin, get_type_hints

import pydantic

from feint.forms.form import Form
from feint.games.errors import BadInput, check_seed, nearest
from feint.games.names import declared
from feint.runs.rules import Rules
from feint.solvers.algorithm import Config, Entry

PACKAGES = ("feint.solvers", "feint.learners", "feint.search")
"""Where algorithms live: every file there that declares ALGORITHMS adds its own."""


MOST = 1e18
"""More than any run will ever count."""
COUNTS = ("steps", "hands", "seed", "seeds", "devices")
"""What of a run is a whole number."""


def check_positive(name: str, value: Any) -> None:
    """Refuse what nothing can stop after; None is for not at all."""
    number = isinstance(value, Real)
    if value is not None and not (number and 0 < value < MOST):
        raise BadInput(f"{name} must be a positive number below {MOST:g}, but {name}={value!r} was given.")


class HasFields(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


Settings = TypeVar("Settings", bound=HasFields)


def algorithms() -> dict[str, Entry]:
    """Every algorithm, by the name users call it."""
    return declared("ALGORITHMS", *PACKAGES)


def algorithms_for(form: Form) -> list[str]:
    """The names of those that take a game."""

    def takes(config: Config) -> bool:
        try:
            config.check(form)
        except BadInput:
            return False
        return config.takes(form)

    return [name for name, entry in algorithms().items() if takes(entry.config)]


def resolve(algorithm: str, settings: Mapping[str, Any], preset: str | None = None) -> Config:
    """The algorithm's hyper-parameters: a preset's or the defaults, then `settings`; strings are read as values.

    They have dotted names, or come in groups: {"network.hidden": (64, 64)} is {"network": {"hidden": (64, 64)}}.
    """
    known = algorithms()
    if algorithm not in known:
        raise BadInput(f"There is no algorithm called {algorithm!r}; {nearest(algorithm, known)}")
    default, presets = known[algorithm].config, known[algorithm].presets
    if preset is not None:
        if preset not in presets:
            hint = nearest(preset, presets) if presets else "it has none."
            raise BadInput(f"{algorithm} has no preset called {preset!r}; {hint}")
        default = presets[preset]
    return configured(algorithm, default, settings)


def configured(what: str, default: Settings, settings: Mapping[str, Any]) -> Settings:
    """The settings of an algorithm, a player or a judge, some changed by name; strings are read as values."""
    known, given = flat(asdict(default)), flat(settings)
    for name in given:
        if name not in known:
            hint = nearest(name, known) if known else "it has none."
            raise BadInput(f"{what} has no setting called {name!r}; {hint}")
    values = asdict(default)
    for name, value in given.items():
        *groups, last = name.split(".")
        hint = get_type_hints(type(reduce(getattr, groups, default)))[last]
        reduce(getitem, groups, values)[last] = _read(value, hint)
    try:
        return pydantic.TypeAdapter(type(default)).validate_python(values)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        name, cause = (
            ".".join(part for part in first["loc"] if isinstance(part, str)),
            first.get("ctx", {}).get("error"),
        )
        if isinstance(cause, BadInput):  # a group calls its settings by their last names
            raise BadInput(f"{name}.{cause}" if name else str(cause)) from error
        raise BadInput(f"{what} cannot take {name}={given.get(name)!r}: {first['msg']}.") from error


def flat(settings: Mapping[str, Any], group: str = "") -> dict[str, Any]:
    """Settings by their dotted names, such as `network.hidden`."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        found |= flat(value, f"{group}{name}.") if isinstance(value, Mapping) else {group + name: value}
    return found


def changes(settings: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that are not as before, by their dotted names."""
    old = flat(before)
    return {name: value for name, value in flat(settings).items() if name not in old or value != old[name]}


def explained(config: Any) -> dict[str, str]:
    """What each setting means, by its dotted name: the sentence under it, where it is declared."""
    said: dict[str, str] = {}
    for kind in filter(is_dataclass, reversed(type(config).__mro__)):
        (declared,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
        for pair in pairwise(getattr(declared, "body", ())):
            match pair:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                    said[name] = inspect.cleandoc(words).replace("\n", " ")
    told: dict[str, str] = {}
    for name, value in ((field.name, getattr(config, field.name)) for field in fields(config)):
        group = {f"{name}.{own}": words for own, words in explained(value).items()} if is_dataclass(value) else {}
        told |= group or {name: said[name]}
    return told


@final
@dataclass(frozen=True)
class RunConfig:
    """Everything that decides what a run does."""

    game: str
    algorithm: str
    settings: Mapping[str, Any]
    """The algorithm's hyper-parameters, all of them, in groups."""
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
    fingerprint: str = ""
    """Of the game as it was; empty before a run begins."""
    rules: Rules | None = None
    """A user's own, which are kept in the run."""
    devices: int = 1
    """How many shared it when it was trained last: what comes of it is the same up to rounding."""

    def __post_init__(self) -> None:
        for name in ("steps", "hands", "seconds", "until"):
            check_positive(name, getattr(self, name))
        if not (self.game + self.algorithm).isprintable():
            raise BadInput(f"The name of a game is plain text, but {self.game!r} was given; call it otherwise.")
        for name in COUNTS:
            object.__setattr__(self, name, _whole(name, getattr(self, name)))
        check_seed(self.seed)
        for name in ("seeds", "devices"):
            if (count := getattr(self, name)) < 1:
                raise BadInput(f"{name} must be 1 or more, but {name}={count} was given.")

    @property
    def words(self) -> dict[str, Any]:
        """All of it as JSON has it; numbers that JSON does not have, such as inf, are written as strings."""
        words: dict[str, Any] = plain(asdict(self))
        return words

    def command(self, last: Mapping[str, Any]) -> str:
        """The command that makes the same run again up to its last evaluation, from the preset that is nearest to it.

        A run that came to the hands asked for stops by them again, any other by its steps.
        """
        entry = algorithms()[self.algorithm]
        presets = {"": entry.config} | dict(entry.presets)
        changed = {preset: changes(self.settings, asdict(config)) for preset, config in presets.items()}
        preset = min(changed, key=lambda preset: len(changed[preset]))
        words = ["feint", "train", self.algorithm, self.game]
        words += ["--preset", preset] if preset else []
        for setting in written(changed[preset]).items():
            words += ["--set", "=".join(setting)]
        came = self.hands is not None and last["hands"] >= self.hands
        words += ["--hands", str(self.hands)] if came else ["--steps", str(last["step"])]
        words += ["--seed", str(self.seed)]
        words += ["--seeds", str(self.seeds)] if self.seeds > 1 else []
        return shlex.join(words + (["--devices", str(self.devices)] if self.devices > 1 else []))

    @classmethod
    def read(cls, words: Mapping[str, Any]) -> Self:
        """What was written as `words`."""
        if unknown := set(words) - {each.name for each in fields(cls)}:
            raise ValueError(f"{min(unknown)!r} is nothing that a run is asked")
        settings = asdict(resolve(words["algorithm"], words["settings"]))
        return pydantic.TypeAdapter(cls).validate_python(dict(words) | {"settings": settings})


def _whole(name: str, value: Any) -> int | None:
    """A whole number, however it was written, as JSON and commands have it."""
    if value is None:
        return None
    whole = isinstance(value, Real) and value % 1 == 0
    if not whole:
        raise BadInput(f"{name} must be a whole number, but {name}={value!r} was given; round it.")
    return int(value)


def _read(value: Any, hint: Any) -> Any:
    """What a user wrote for a setting: lists, in brackets or not, none as None, the rest left to the field's type.

    Of a list that there always is, none is one of nothing.
    """
    if not isinstance(value, str):
        return value
    kinds = get_args(hint) if isinstance(hint, UnionType) or get_origin(hint) is Union else (hint,)
    listed = any(get_origin(kind) is tuple for kind in kinds)
    if value.strip().lower() in {"none", "null"}:
        return () if listed and NoneType not in kinds else None
    return [item for item in re.split(r"[\s,]+", value.strip(" []()")) if item] if listed else value


def written(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings, by dotted names, as `--set` takes them."""
    lists = {name: value for name, value in settings.items() if isinstance(value, list | tuple)}
    return {
        name: ",".join(map(str, value)) or "[]" if name in lists else str(value) for name, value in settings.items()
    }


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
