"""What a game answers. Write these few methods once, in plain Python; everything else is derived."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import accumulate
from typing import Any, ClassVar, Generic, TypeVar, final

CHANCE = -1
"""The actor when the dealer or the dice move."""

TERMINAL = -2
"""The actor when the game is over."""

State = TypeVar("State")


@final
@dataclass(frozen=True)
class Scene:
    """What a player sees on a table of cards and chips."""

    cards: tuple[str, ...]
    """The player's own, by name."""
    board: tuple[str, ...]
    """Those that lie open."""
    paid: tuple[float, ...]
    """What each player has put into the pot, in chips."""
    left: tuple[float, ...] = ()
    """What each has behind, in chips; nothing where stacks do not count."""


class Game(ABC, Generic[State]):
    """The rules of a game with hidden information for `players` players, numbered from 0.

    States are immutable values of the game's own choosing. A move is an index into `actions`, the names of
    every move the game knows. Nothing here is random and nothing is an array: `feint.unroll` walks the rules
    once and turns them into arrays.

    Players must remember what they saw and did (perfect recall): two states may share a `view` only if the
    player who has it made the same moves, from the same views, on the way to both.
    """

    name: str
    players: int
    actions: tuple[str, ...]
    about: str = ""
    """All that is said of it where it is made; parameters have a paragraph each, `name: what it is`."""
    open_moves: ClassVar[bool] = False
    """Whether everyone sees every move."""

    @abstractmethod
    def start(self) -> State:
        """The state before anything has happened."""

    @abstractmethod
    def actor(self, state: State) -> int:
        """The player to move, or `CHANCE`, or `TERMINAL`."""

    @abstractmethod
    def legal(self, state: State) -> Sequence[int]:
        """The moves the actor may make, ascending. Only asked where a player is to move."""

    @abstractmethod
    def chance(self, state: State) -> Sequence[tuple[float, State]]:
        """Every outcome of a chance move as (probability, next state). Only asked where chance moves."""

    def outcome(self, state: State, place: float) -> State:
        """The outcome of a chance move at `place`, from 0 to below 1, where all lie end to end, each as wide as likely.

        Games with too many of them to list in every hand find it without.
        """
        outcomes = self.chance(state)
        return outcomes[outcome_at(outcomes, place)][1]

    @abstractmethod
    def play(self, state: State, action: int) -> State:
        """The state after the actor's move. Raises `IllegalMove` when the rules do not allow it."""

    @abstractmethod
    def view(self, state: State, player: int) -> Hashable:
        """All that `player` knows in this state: equal for two states exactly if the player cannot tell them apart."""

    @abstractmethod
    def payoffs(self, state: State) -> Sequence[float]:
        """What each player wins, in chips. Only asked of terminal states."""

    def label(self, state: State, player: int) -> str:
        """The player's view in words, for tables and pictures."""
        return str(self.view(state, player))

    def spoken(self, state: State, action: int) -> str:
        """A move of the actor as it is called in this state; by default as `actions` has it."""
        return self.actions[action]

    def price(self, state: State, action: int) -> float | None:
        """How many chips a move of the actor puts into the pot; None where there is no pot to tell of."""
        return None

    def seated(self, state: State, player: int) -> str:
        """How a hand begins for a player, as it is told at a table; by default there is nothing to tell."""
        return ""

    def told(self, state: State, player: int) -> str:
        """What a player sees, as it is told at a table."""
        return f"you see: {self.label(state, player)}"

    def upturned(self, state: State) -> str:
        """What of it lies open for everyone, such as a board."""
        return ""

    def scene(self, state: State, player: int) -> Scene | None:
        """What a player sees, laid out to be drawn; None where words have to do."""
        return None

    def shown(self, state: State, player: int) -> str:
        """What a player is shown when the game is over, others being called `player 2` and so on."""
        return ""

    def revealed(self, state: State) -> Mapping[int, Hashable]:
        """What players held that everyone is shown when the game is over, by player, for those who compute with it."""
        return {}

    def features(self, state: State, player: int) -> Sequence[float] | None:
        """The player's view as numbers for a network; None asks for one indicator for each information set."""
        return None

    def unrolled_size(self) -> tuple[int, int] | None:
        """How many nodes and information sets the game unrolls to; None where only unrolling tells."""
        return None

    @property
    def rules(self) -> str:
        """What is said of the rules, parameters aside."""
        return "\n\n".join(each for each in self.about.split("\n\n") if not re.match(r"\w+: ", each))

    def declaration(self) -> str:
        """A text that differs when the rules do. With the code's own text it names the tree in the cache."""
        values = {field.name: getattr(self, field.name) for field in fields(self)} if is_dataclass(self) else vars(self)
        return f"{type(self).__qualname__}({', '.join(f'{key}={_spelt(value)}' for key, value in values.items())})"


def outcome_at(outcomes: Sequence[tuple[float, Any]], place: float) -> int:
    """The number of the outcome of a chance move at `place`, as `Game.outcome` has it."""
    *ends, whole = accumulate(chance for chance, _ in outcomes)
    return bisect_right(ends, place * whole)


def _spelt(value: Any) -> str:
    """A value in words that stay the same from one process to the next."""
    return f"{value.__module__}.{value.__qualname__}" if inspect.isroutine(value) else repr(value)
