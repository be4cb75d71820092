"""What judges say: numbers that know their unit and kind, to be rendered by a terminal, a card or a page alike."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import Field, asdict, dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from jaxtyping import Float
from numpy import ndarray

from feint.evaluate.interval import reach
from feint.forms.form import Form
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.players.player import Player

CHIPS = "chips per hand"
EXACT, LOWER_BOUND, ESTIMATE = "exact", "lower bound", "estimate"
NAMES = {"nash_conv": "NashConv", "exploitability_mbb": "exploitability"}
"""What people call some measures."""
MOST_DECIMALS = 4
"""Of a number in mbb/h."""


@final
@dataclass(frozen=True)
class Measure:
    """A number, and what it is."""

    name: str
    value: float
    unit: str
    kind: str
    """Exact, a lower bound or an estimate: of what is said besides."""
    low: float | None = None
    """Where its 95% interval begins …"""
    high: float | None = None
    """… and ends; None where luck plays no part."""
    hands: int | None = None
    """How many hands it comes from."""
    asked: int | None = None
    """How many were asked for, where it was left on the way: the interval is one that holds wherever one stops."""
    response: str | None = None
    """Whose winnings a lower bound is: those of a local or a learned best response; None where that is not said."""

    @property
    def half(self) -> float | None:
        """Half the width of its interval, which is what stands behind the ±; None where luck plays no part."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def decimals(self) -> int:
        """How many of a number in mbb/h are told: none, or as many as show how narrow its interval is."""
        return 0 if not self.half or self.half >= 1 else min(-math.floor(math.log10(self.half)), MOST_DECIMALS)

    def times(self, scale: float) -> Measure:
        low, high = (None if each is None else each * scale for each in (self.low, self.high))
        return replace(self, value=self.value * scale, low=low, high=high)

    def in_big_blinds(self, big_blind: float) -> Measure:
        """The same in thousandths of a big blind per hand."""
        return replace(self.times(1000 / big_blind), unit="mbb/h")

    @property
    def words(self) -> str:
        """The number in words."""
        if self.low is None or self.high is None or self.half is None:
            return f"{self.value:.6g} {self.unit} ({self.kind})"
        digits = f",.{self.decimals}f" if self.unit == "mbb/h" else ".4g"
        value, low, high = (f"{each:{digits}}" for each in (self.value, self.low, self.high))
        if self.kind == LOWER_BOUND:  # what is sure, but for bad luck with the cards, and what was won
            return f"at least {max(self.low, 0.0):{digits}} {self.unit} (a best response won {value}, {low} to {high})"
        return f"{value} ± {self.half:{digits}} {self.unit}{self.kind.removeprefix(ESTIMATE)}"

    def __str__(self) -> str:
        kind = f": a {self.kind}" if self.kind == LOWER_BOUND else ""
        of = f" of {self.asked:,}" if self.asked else ""
        over = f", over {self.hands:,}{of} hands{kind}" if self.hands else ""
        return f"{NAMES.get(self.name, self.name)} {self.words}{over}"


@final
@dataclass(frozen=True)
class Facts:
    """Further facts, as a table: in the terminal one row a line, in JSON one object each."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@final
@dataclass(frozen=True)
class Verdict:
    """All that a judge has to say."""

    measures: tuple[Measure, ...]
    """The one that matters first."""
    facts: tuple[Facts, ...] = ()
    note: str = ""
    """What must be said beside them."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.measures))

    def as_json(self) -> dict[str, Any]:
        """Everything by name; numbers that are not there are left out."""
        told = {
            measure.name: {key: value for key, value in asdict(measure).items() if key != "name" and value is not None}
            for measure in self.measures
        }
        tables = {
            facts.name: [dict(zip(facts.columns, row, strict=True)) for row in facts.rows] for facts in self.facts
        }
        return told | tables | ({"note": self.note} if self.note else {})


Follow = Callable[[str, Verdict | None], None]
"""Told what is being done and, where there is something to tell already, how it stands."""


@final
class Pace:
    """How long something still takes. What comes before the first part is done, compiling above all, does not count."""

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None

    def left(self, done: int, of: int) -> str:
        """In words that follow how much is done, `of` all; none before anything is known."""
        now = time.monotonic()
        begun, before = self._first = self._first or (now, done)
        if not before < done < of:
            return ""
        seconds = (now - begun) / (done - before) * (of - done)
        return f", about {seconds:.0f} s left" if seconds < 100 else f", about {seconds / 60:.0f} min left"


class Judge(ABC):
    """A judge with its settings: a frozen dataclass. A file joins Feint by declaring `JUDGES`, its judges by name."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    about: ClassVar[str]
    """One line: what it says, and of what kind that is."""

    @abstractmethod
    def __call__(self, form: Form, player: Player, follow: Follow) -> Verdict:
        """Judge a player at a game, or raise `BadInput` where that cannot be done."""


def strategy_of(player: Player) -> Strategy:
    """What a player plays, for judges who have to know it."""
    if player.strategy is None:
        raise BadInput(
            "This player decides hand by hand and has no strategy to be looked at; ask the judge winnings, or play a "
            "match with it."
        )
    return player.strategy


def played_fair(won: Float[ndarray, "..."]) -> Float[ndarray, "..."]:
    """What was won, refused where a strategy had no answer: winnings are nan there."""
    if not np.isfinite(won).all():
        raise BadInput(
            "A strategy that was played gives no chances for its legal moves in some situations (its numbers are "
            "missing, negative or on illegal moves); train it again, or choose another player."
        )
    return won


def bound_by_play(won: Float[ndarray, "d p"], asked: int | None = None) -> Measure:
    """What an opponent who knows a strategy wins off it: exploitability is at least that, but for luck with the cards.

    From what was won on each of many independent deals in each seat, in chips. In a zero-sum game no opponent wins
    more, in the mean over the seats, than exploitability, which is NashConv / players. `asked` is how many deals are to
    be played, where anyone may look on and stop before.
    """
    by_deal, (deals, players) = won.mean(1), won.shape
    value, error = float(by_deal.mean()), float(by_deal.std(ddof=1)) / math.sqrt(deals)
    off, left = reach(error, deals, asked), asked is not None and deals < asked
    hands = won.size, asked * players if asked and left else None
    return Measure("exploitability", value, CHIPS, LOWER_BOUND, value - off, value + off, *hands)
