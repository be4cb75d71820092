"""Forms of a game: what everyone who trains, judges or plays needs of it, whatever its size.

A small game is unrolled whole (unrolled.py), of a larger card game the public tree (public.py) or the betting alone
(dealt.py). Callers ask the form for what they need, a tree or a public tree where it has one among that, and never
which kind it is; what a form cannot give it refuses in a sentence. A form joins Feint as a file of this folder that
declares `FORMS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float, Int, Num

from feint.arena.arena import Arena, InfoState
from feint.arena.betting import BettingTree
from feint.arena.policy import Policy
from feint.arena.situations import Situations
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.public.tree import PublicTree
from feint.tree.sequence_form import SequenceForm
from feint.tree.tree import Tree

Measured = dict[str, Num[Array, ""]]
"""Numbers by name."""


class Leak(NamedTuple):
    """Where a strategy gives something away."""

    gain: float
    """Chips per hand. Over all places these add up to NashConv."""
    player: int
    sees: str
    """What the player sees there, in words."""


class Judged(NamedTuple):
    """What is exactly known of a strategy, in chips per hand."""

    values: Float[np.ndarray, " p"]
    """What each player wins when all keep to it."""
    best: Float[np.ndarray, " p"]
    """What each can win at most while the others keep to it."""
    leaks: tuple[Leak, ...]
    """The largest first."""
    betting: tuple[Leak, ...] | None = None
    """The same by betting alone, whatever the cards, where these are too many to tell much one by one."""
    alike: bool = False
    """Whether a place stands for all that differ from it in suits alone."""


class Gauge(eqx.Module):
    """What a run is judged by on its way, in compiled code."""

    number: eqx.AbstractClassVar[str]
    """The number that matters."""
    low_is_good: eqx.AbstractClassVar[bool]
    growth: eqx.AbstractClassVar[float]
    """Evaluations come when the steps have grown by this factor: evenly spaced on a logarithmic axis."""

    @abstractmethod
    def __call__(self, strategy: Strategy, hands: Int[Array, ""]) -> Measured:
        """That number and what else there is to tell of a strategy that was learned in so many hands."""

    @property
    def sequence_form(self) -> SequenceForm | None:
        """With what algorithms may judge exactly what else they have."""
        return None


class Form(ABC):
    """A game in a form that can be computed with."""

    order: ClassVar[int]
    """Forms that tell more of a game come first."""
    exact: ClassVar[bool]
    """Whether strategies are judged exactly; otherwise only bounds and estimates are known."""
    has_public: ClassVar[bool] = False
    """Whether there is a public tree."""
    judges: tuple[str, ...]
    """The judges who say how good a strategy is unless others are asked for, the one that matters last."""

    game: Game[Any]
    players: int
    actions: tuple[str, ...]
    """The name of each move, one for each column of a strategy."""
    size: str
    """How large it is, in words."""
    largest: float
    """The largest payoff, in chips."""
    forfeit: float | None = None
    """What always folding loses, in thousandths of a big blind per hand, where that says something."""
    smaller: str = "choose a smaller game"
    """What to do for those for whom it is too large."""
    tree: Tree | None = None
    """Every node and information set, where they can be listed."""

    @property
    def name(self) -> str:
        """The game's name, as `load_game` takes it."""
        return self.game.name

    @property
    def big_blind(self) -> float:
        """What winnings are measured in: the big blind in poker, a chip elsewhere."""
        return getattr(self.game, "big_blind", 0.0) or 1.0

    @classmethod
    @abstractmethod
    def of(cls, game: Game[Any], report: Callable[[int], None] | None) -> Form | None:
        """The game in this form, or None where it is not for this game; `report` is told of progress in nodes."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """SHA-256 of all that decides what a strategy means here; the name plays no part."""

    @property
    @abstractmethod
    def zero_sum(self) -> bool:
        """Whether what one wins the others lose."""

    @property
    @abstractmethod
    def arena(self) -> Arena:
        """The game to be played at many tables."""

    @abstractmethod
    def situations(self, player: int, encoding: str) -> Situations:
        """What a player can be faced with, and how networks are told of it."""

    def gauged_exactly(self, written: bool, alike: bool = False) -> bool:
        """Whether runs are judged exactly on their way.

        written: where they write strategies down in full; alike: where these play suits alike.
        """
        return self.exact

    @abstractmethod
    def gauge(self, written: bool, alike: bool = False) -> Gauge:
        """What runs are judged by on their way."""

    @abstractmethod
    def sees(self, player: int, view: Hashable) -> InfoState:
        """What the rules show a player, packed as strategies are asked (a batch of one)."""

    @property
    def excess(self) -> str:
        """Why there is neither a tree of it nor a public one, in words."""
        return f"{self.name} is too large to unroll"

    def whole(self, who: str, instead: str = "choose a smaller game") -> Tree:
        """The tree, for those who cannot do without it."""
        if self.tree is None:
            raise too_large_for(who, self.name, instead)
        return self.tree

    def public(self, symmetric: bool = True) -> PublicTree:
        """The public tree of a card game; if `symmetric`, boards that differ in the names of suits alone are one."""
        raise BadInput(f"{self.name} has no public tree, or one too large to hold; choose a smaller game.")

    def judged(self, strategy: Strategy, leaks: int) -> Judged | None:
        """Judge a strategy exactly, with so many places where it gives most away; None where that cannot be done."""
        return None

    def nash_conv(self, strategy: Strategy) -> float | None:
        """NashConv of a strategy, exactly, in chips per hand; None where that cannot be done."""
        judged = self.judged(strategy, 0)
        return None if judged is None else float((judged.best - judged.values).sum())

    def by_move(self, row: Float[np.ndarray, " c"]) -> Float[np.ndarray, " a"]:
        """A strategy's row by the rules' own numbers of the moves; 0 for those that are never legal."""
        told = np.zeros(len(self.game.actions))
        told[[self.game.actions.index(name) for name in self.actions]] = row
        return told

    def by_cards(self, strategy: Strategy) -> tuple[BettingTree, Policy] | None:
        """The betting of a poker game, and a strategy as it is played where only that is unrolled."""
        return None

    def values(self, strategies: Sequence[Strategy]) -> Float[np.ndarray, " p"] | None:
        """What each player wins on average when each follows their own strategy, in chips per hand: exact, or None."""
        return None

    def move_values(self, strategy: Strategy) -> Callable[[InfoState], Float[np.ndarray, " a"]] | None:
        """What moves are worth to whoever makes them while the others keep to a strategy, where it is known exactly.

        In chips per hand, played on as well as can be; asked for what the player to move sees (a batch of one).
        """
        return None


def too_large_for(who: str, name: str, instead: str) -> BadInput:
    """What is said to those who cannot do without a tree that there is not."""
    return BadInput(f"{who} needs the whole tree, and {name} is too large to unroll; {instead}.")
