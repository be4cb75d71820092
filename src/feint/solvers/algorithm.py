"""What every solver and learner is: a start, a step and the strategy so far.

An algorithm is a pytree: the game's arrays are its leaves, so compiled code takes them as arguments. Its state is
a pytree that holds everything, so that stepping, repeating, resuming and running many seeds at once are written
once for all algorithms.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field
from operator import attrgetter
from typing import Any, ClassVar, Generic, TypeVar, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from feint.arena.arena import InfoState
from feint.forms.form import Form, Measured
from feint.forms.strategy import Arrays, Strategy, TabularStrategy
from feint.games.errors import BadInput
from feint.tree.sequence_form import SequenceForm

State = TypeVar("State")

Metrics = Measured
"""Numbers worth logging after a step, by name."""


class MoveValues(eqx.Module):
    """What moves are worth to players, as an algorithm has learned it; searchers ask it where they look no further."""

    @abstractmethod
    def best(self, infostate: InfoState, turn: Int[Array, ""]) -> Float[Array, " b"]:
        """What the best legal move is worth to whoever is to move, in chips."""


class Algorithm(eqx.Module, Generic[State]):
    """A method that finds strategies for one game."""

    growth: ClassVar[float] = 1.0
    """Evaluations come when the steps have grown by this factor, if the game's gauge does not ask for a larger one."""
    worst_of_seeds: ClassVar[frozenset[str]] = frozenset()
    """Numbers of which many seeds log the least, since what goes wrong in one is lost in the median of them all."""

    @abstractmethod
    def init(self, key: PRNGKeyArray) -> State:
        """The state before the first step."""

    @abstractmethod
    def step(self, state: State) -> tuple[State, Metrics]:
        """One iteration. Pure: it can be compiled, scanned and run for many seeds at once."""

    @abstractmethod
    def strategy(self, state: State) -> Strategy:
        """The strategy to be judged and played."""

    @property
    def batches(self) -> Mapping[str, int]:
        """What several devices can share, by the setting that says how much of it there is; nothing for most."""
        return {}

    def shared(self, state: State) -> State:
        """A state as devices share it, where they do (arena/devices.py)."""
        return state

    def latest(self, state: State) -> Strategy | None:
        """What the next iteration plays, where that is another strategy than the one to be judged; None elsewhere."""
        return None

    def move_values(self, state: State) -> MoveValues | None:
        """What it knows of the worth of moves; None for those that learn no such thing."""
        return None

    def measure(self, state: State, form: SequenceForm | None) -> Metrics:
        """Further numbers for the log, taken at evaluations only; without a form the game is too large to judge."""
        return {}

    def hands(self, state: State) -> Int[Array, "*seeds"] | None:
        """Hands played so far; None for those that play none."""
        return None

    def concern(self, row: Mapping[str, Any]) -> str | None:
        """What is wrong with how things go by an evaluation, in words that follow the algorithm's name."""
        return None


class Config(ABC):
    """An algorithm's hyper-parameters: a frozen dataclass that makes the algorithm for a game."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    needs_tree: ClassVar[bool] = True
    """Whether it takes games that are unrolled whole only …"""
    public: ClassVar[bool] = False
    """… or as public trees."""

    def takes(self, form: Form) -> bool:
        """Whether the game is in a form that it can work on."""
        return not self.needs_tree or form.tree is not None or (self.public and form.has_public)

    def alike(self, form: Form) -> bool:
        """Whether it plays all boards alike that differ in the names of suits alone: then one can stand for them."""
        return self.needs_tree

    def hint(self, form: Form) -> str | None:
        """What would do better on a game in the same time, in a sentence; None where there is nothing to say."""
        return None

    def check(self, form: Form) -> None:  # noqa: B027  (most take any game, or any that has a tree)
        """Refuse games that it is not for, in a sentence and before anything is computed."""

    @abstractmethod
    def on(self, form: Form) -> Algorithm[Any]:
        """The algorithm on this game, or `BadInput` where it does not apply."""

    def read(self, arrays: Arrays, fingerprint: str, form: Callable[[], Form]) -> Strategy:
        """A strategy of this algorithm as it was stored; `form` gives the game, for those who cannot read without."""
        return TabularStrategy(fingerprint, jnp.asarray(arrays["probabilities"]))


def require(config: object, **asked: tuple[bool, str]) -> None:
    """Refuse settings that make no sense: by (dotted) name, whether each is fine and, in words, what it must be."""
    for name, (fine, words) in asked.items():
        if not fine:
            raise BadInput(f"{name} must be {words}, but {attrgetter(name)(config)} was given.")


@final
@dataclass(frozen=True)
class Entry:
    """An algorithm as users find it. A file joins Feint by declaring `ALGORITHMS`, its methods by name."""

    about: str
    """One line: what it does, and whose it is."""
    config: Config
    """Its hyper-parameters unless the user says otherwise."""
    presets: Mapping[str, Config] = field(default_factory=dict)
    """Other settings worth a name, such as a paper's."""
