"""Players: what sits at a table and decides, one hand at a time.

A player sees what a player may see, an `Observation`, and never the table's state. It is told when a hand begins and
ends and what happens between, may remember and may think for as long as it likes. Strategies are the special case that
can also be asked for thousands of hands at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.arena.arena import InfoState, playable
from feint.arena.policy import Policy
from feint.forms.form import Form
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.games.game import Game, Scene
from feint.tree.compiled import compiled


@final
@dataclass(frozen=True)
class Observation:
    """What a player may see."""

    player: int
    """Who sees it: a player of the game, from 0 on."""
    view: Hashable
    """All that the player knows, as the rules have it."""
    label: str
    """The same in words."""
    told: str
    """The same as it is told at a table."""
    upturned: str
    """What of it lies open for everyone, likewise."""
    scene: Scene | None
    """The same laid out, for those who draw it, where the rules can."""
    moves: dict[str, int]
    """The moves that the player may make now by what they are called here; none where another is to move."""
    going_on: bool
    """Whether anyone is still to move."""
    prices: Mapping[str, float] = field(default_factory=dict)
    """How many chips each of the moves puts into the pot, where the rules tell."""


@final
@dataclass(frozen=True)
class Result:
    """How a hand ended."""

    won: tuple[float, ...]
    """What each player won, in chips."""
    shown: str
    """What the rules show a player at the end, as it is told at a table."""
    moves: tuple[tuple[int, str], ...] = ()
    """Where moves are hidden, who made which of them: told when it is over."""
    saw: dict[int, str] = field(default_factory=dict)
    """There, what each player saw last before a move, in words."""
    revealed: Mapping[int, Hashable] = field(default_factory=dict)
    """What players held that the rules show to everyone, by player, as `Game.revealed` has it."""


class Player(ABC):
    """Whoever decides at a table.

    In games for more than two one player may sit in several seats: it begins, sees and moves in each of them, and hears
    of what others do, and that a hand is over, once.
    """

    @property
    def strategy(self) -> Strategy | None:
        """What it plays, where that is a strategy: then it can be asked for many hands at once, and judged."""
        return None

    def begin(self, player: int, told: str) -> None:  # noqa: B027  (most players need not be told)
        """A hand begins in which it sits in this seat; `told` says how that stands, as it is told at a table."""

    def saw(self, seen: Observation) -> None:  # noqa: B027
        """What it sees has changed, by its own move or somebody else's."""

    def heard(self, player: int, word: str) -> None:  # noqa: B027
        """Another player, who sits in this seat, made a move that everyone can see."""

    @abstractmethod
    def move(self, seen: Observation) -> int:
        """One of the moves it may make."""

    def end(self, result: Result) -> None:  # noqa: B027
        """The hand is over; what is shown is told as to the first of its seats."""

    def forget(self) -> None:  # noqa: B027
        """Others sit down with it from now on: whatever it has learned of those before it lets go."""

    def close(self) -> None:  # noqa: B027
        """No more hands are played: whatever it holds open may go."""


class Adviser(Player):
    """A player who can say, whatever seat is asked about, how often it makes each move."""

    @abstractmethod
    def chances(self, seen: Observation) -> Float[np.ndarray, " a"]:
        """How often it makes each move here, by the rules' own numbers of them."""


class PlayerConfig(ABC):
    """A player's settings: a frozen dataclass. A file joins Feint by declaring `PLAYERS`, its players by name."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    about: ClassVar[str]
    """One line: how it plays."""
    thinks: ClassVar[bool] = False
    """Whether it works something out at tables, or is somebody else's program: others should not wait for it."""
    remote: ClassVar[bool] = False
    """Whether it is a program that connects to a port, which a page must not open."""

    @property
    def called(self) -> str | None:
        """What it goes by at a table; None for the name that it was found by."""
        return None

    def check(self, game: Game[Any]) -> None:  # noqa: B027  (many sit down at any game)
        """Refuse a game that it is not for, in a sentence, by its rules alone: soon, and before anything is made."""

    @abstractmethod
    def at(self, form: Form, seed: int | None) -> Player:
        """The player at a game; `seed` is of all that it does at random."""


class TaughtConfig(PlayerConfig):
    """Settings of a player that can learn against another one before it sits down."""

    against: str | None
    """The other by name, as players are called everywhere; None for nobody."""

    @abstractmethod
    def after(self, form: Form, other: Player) -> Player:
        """The player at a game once it has learned against the other."""


@final
class StrategyPlayer(Adviser):
    """Plays a strategy."""

    def __init__(self, strategy: Strategy, form: Form, seed: int | None = None) -> None:
        self._strategy, self._form, self._random = strategy, form, np.random.default_rng(seed)
        self._policy = strategy.policy

    @property
    def strategy(self) -> Strategy:
        return self._strategy

    def chances(self, seen: Observation) -> Float[np.ndarray, " a"]:
        told = _asked(self._policy, self._form.sees(seen.player, seen.view), jnp.asarray(seen.player))
        chances = self._form.by_move(np.asarray(told, float)[0])
        legal = np.zeros(len(chances), bool)
        legal[list(seen.moves.values())] = True
        if not playable(chances[None], legal[None])[0]:
            raise BadInput(
                f"The strategy that is played gives no chances for the legal moves {list(seen.moves)} at "
                f"{seen.label!r}, but {chances.tolist()}; train it again, or choose another player."
            )
        chances = np.where(legal, chances, 0.0)
        return np.asarray(chances / chances.sum())

    def move(self, seen: Observation) -> int:
        chances = self.chances(seen)
        return int(self._random.choice(len(chances), p=chances))


@compiled
def _asked(policy: Policy, seen: InfoState, player: Int[Array, ""]) -> Float[Array, "1 a"]:
    return policy(seen, player)
