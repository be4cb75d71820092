"""What every solver and learner is: a start, a step and the strategy so far.

An algorithm is a pytree: the game's arrays are its leaves, so compiled code takes them as arguments. Its state is
a pytree that holds everything, so that stepping, repeating, resuming and running many seeds at once are written
once for all algorithms.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar, final

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from feint.games.errors import BadInput
from feint.tree.sequence_form import SequenceForm
from feint.tree.strategy import TabularStrategy
from feint.tree.tree import Tree

State = TypeVar("State")

Metrics = dict[str, Float[Array, ""]]
"""Numbers worth logging after a step, by name."""


class Algorithm(eqx.Module, Generic[State]):
    """A method that finds strategies for one game."""

    @abstractmethod
    def init(self, key: PRNGKeyArray) -> State:
        """The state before the first step."""

    @abstractmethod
    def step(self, state: State) -> tuple[State, Metrics]:
        """One iteration. Pure: it can be compiled, scanned and run for many seeds at once."""

    @abstractmethod
    def strategy(self, state: State) -> TabularStrategy:
        """The strategy to be judged and played."""

    def measure(self, state: State, form: SequenceForm | None) -> Metrics:
        """Further numbers for the log, taken at evaluations only; without a form the game is too large to judge."""
        return {}


class Config(Protocol):
    """An algorithm's hyper-parameters: a frozen dataclass that makes the algorithm for a game."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def on(self, tree: Tree) -> Algorithm[Any]:
        """The algorithm on this game, or `BadInput` where it does not apply."""


def require(config: object, **asked: tuple[bool, str]) -> None:
    """Refuse settings that make no sense: by name, whether each is fine and, in words, what it must be."""
    for name, (fine, words) in asked.items():
        if not fine:
            raise BadInput(f"{name} must be {words}, but {name}={getattr(config, name)} was given.")


@final
@dataclass(frozen=True)
class Method:
    """An algorithm as users find it. A file joins Feint by declaring `ALGORITHMS`, its methods by name."""

    about: str
    """One line: what it does, and whose it is."""
    config: Config
    """Its hyper-parameters unless the user says otherwise."""
    presets: Mapping[str, Config] = field(default_factory=dict)
    """Other settings worth a name, such as a paper's."""
    large: bool = False
    """Whether it also plays games too large to unroll: then its config takes a `BettingTree` as well."""
