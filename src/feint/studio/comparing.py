"""Two strategies of one game beside each other: where they differ, and by how much that matters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, final

import numpy as np

from feint.games.errors import BadInput
from feint.studio.combinations import Combinations
from feint.studio.strategies import Book, Pages


class Difference(NamedTuple):
    """An information set at which two strategies differ."""

    row: int
    player: int
    sees: str
    first: dict[str, float]
    second: dict[str, float]
    apart: float
    """How much probability lies elsewhere: half the sum of differences, from 0 to 1."""
    reach: float
    """How often a hand comes to this, the mean of both."""

    @property
    def weight(self) -> float:
        """How often a hand is played otherwise because of it, about."""
        return self.apart * self.reach


@final
class Comparison:
    """Two strategies of one unrolled game."""

    def __init__(self, first: Pages, second: Pages) -> None:
        if first.tree.fingerprint != second.tree.fingerprint:
            raise BadInput("These are strategies of different games; choose two of one game.")
        self.first, self.second = first, second
        self.apart = np.abs(first.table - second.table).sum(1) / 2
        self.reach = (first.reach + second.reach) / 2
        self.order = np.argsort(-self.apart * self.reach, kind="stable")

    def found(self, words: str) -> list[int]:
        """The information sets whose labels have all of these words, by how much the strategies differ there."""
        wanted, labels = words.casefold().split(), self.first.tree.labels
        return [row for row in self.order.tolist() if all(word in labels[row].casefold() for word in wanted)]

    def difference(self, row: int) -> Difference:
        one, other = self.first.spot(row), self.second.spot(row)
        apart, reach = float(self.apart[row]), float(self.reach[row])
        return Difference(row, one.player, one.sees, one.moves, other.moves, apart, reach)

    def rows(self) -> Iterator[tuple[object, ...]]:
        """All of it, a row for each move, what matters most first."""
        for row in self.order.tolist():
            each = self.difference(row)
            for move, often in each.first.items():
                change = each.second[move] - often
                told = each.apart, each.reach, each.weight
                yield each.player + 1, each.sees, move, often, each.second[move], change, *told


HEADS = ("player", "sees", "move", "first", "second", "difference", "apart", "reach", "apart_times_reach")


class KindApart(NamedTuple):
    """A kind of starting hand that two strategies play otherwise."""

    name: str
    row: int
    column: int
    left: int
    first: dict[str, float]
    second: dict[str, float]

    @property
    def apart(self) -> float:
        return sum(abs(self.second[move] - often) for move, often in self.first.items()) / 2

    def rows(self) -> Iterator[tuple[object, ...]]:
        """A row for each move."""
        for move, often in self.first.items():
            yield self.name, self.left, move, often, self.second[move], self.second[move] - often, self.apart


KIND_HEADS = ("hand", "combinations", "move", "first", "second", "difference", "apart")
STEPS = ("first_step", "second_step")
"""Of which the strategies are that lie beside each other."""


def kinds_apart(first: Combinations, second: Combinations) -> list[KindApart]:
    """Every kind of starting hand at a decision, those that differ most, combinations counted, first."""
    pairs = zip(first.kinds(), second.kinds(), strict=True)
    found = [
        KindApart(one.name, one.row, one.column, one.left, first.told(one.chances), second.told(other.chances))
        for one, other in pairs
        if one.left
    ]
    return sorted(found, key=lambda each: -each.apart * each.left)


def same_game(first: Book, second: Book) -> None:
    """Refuse strategies of different games."""
    if first.form.fingerprint != second.form.fingerprint:
        raise BadInput(
            f"{first.name} plays {first.form.name} and {second.name} plays {second.form.name}; choose two of one game."
        )
