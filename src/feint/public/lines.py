"""Betting round by round, whatever can be looked at together as one decision.

A *line* is what was bet before a decision. Betting decisions of a round that are as far from its start, are made by the
same player and offer as many moves are one `Decision` here, with a line for each. In fixed-limit games lines that come
to a round all go on alike; in no-limit games those do that have as much left to bet, and the others part ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float, Int

from feint.arena.betting import ILLEGAL, BettingTree
from feint.games.errors import BadInput
from feint.tree.compiled import ByValue

SHOWDOWN = -1
"""A line with nothing left to bet: all cards are dealt, and hands are shown."""
FOLDS, CLOSES = -1, -2
"""Where lines go that come to no other decision of a round: somebody has folded, or its betting is over."""


class Run(NamedTuple):
    """Lines next to each other that go to lines next to each other."""

    place: int
    """The number of a decision, `FOLDS` or `CLOSES`."""
    start: int
    """The first of them there."""
    lines: int


@final
@dataclass(frozen=True, eq=False)
class Decision(ByValue):
    """Where somebody moves, in every line."""

    number: int
    """Among all decisions of the round; moves lead to later ones."""
    actor: int
    nodes: Int[np.ndarray, " l"]
    """The betting decisions that it stands for."""
    moves: tuple[tuple[Run, ...], ...]
    """Where each move leads, line after line."""


@final
@dataclass(frozen=True, eq=False)
class Betting(ByValue):
    """The betting of one round. Places are filled in the order of decisions, of their moves, and of their lines."""

    source: tuple[int, ...]
    """Each line that comes to the round by its number among those that close the round before …"""
    entry: tuple[Run, ...]
    """… and where they go."""
    decisions: tuple[Decision, ...]
    folds: Float[np.ndarray, "f p"]
    """What each player wins, for every line that ends with a fold."""
    shown: Float[np.ndarray, "c p o"]
    """What each player wins with the worse and with the better hand, for every line that closes the last round."""

    @property
    def lines(self) -> int:
        """How many come to the round."""
        return len(self.source)

    @property
    def count(self) -> int:
        """Betting decisions."""
        return sum(len(decision.nodes) for decision in self.decisions)


Entry = tuple[int, int]
"""A line: the betting decision it is at, or `SHOWDOWN` and the number of the end."""


def rounds_of(betting: BettingTree, root: int = 0) -> tuple[Betting, ...]:
    """The betting of every round from a betting decision on. The first line is that decision."""
    entries: list[Entry] = [(root, 0)]
    found = []
    for number in range(int(betting.round[root]), len(betting.game.rounds)):
        made, entries = round_from(betting, number, entries)
        found.append(made)
    return tuple(found)


def round_from(betting: BettingTree, number: int, entries: Sequence[Entry]) -> tuple[Betting, list[Entry]]:
    """The betting of a round from some of its decisions on, each a line, and the lines that close it."""
    if betting.players != 2:
        raise BadInput(f"{betting.name} has {betting.players} players, and public trees are for two.")
    return _Round(betting, number, number == len(betting.game.rounds) - 1).of(entries)


@final
class _Round:
    """Betting in the making."""

    def __init__(self, betting: BettingTree, number: int, last: bool) -> None:
        self.betting, self.number, self.last = betting, number, last
        self.folds: list[int] = []
        self.closes: list[Entry] = []
        self.decisions: list[list[int]] = []
        """For each decision, the betting decisions that it stands for."""

    def of(self, entries: Sequence[Entry]) -> tuple[Betting, list[Entry]]:
        """The round's betting, and the lines that close it."""
        alike: dict[object, list[int]] = {}
        for place, entry in enumerate(entries):
            alike.setdefault(self._shape(entry), []).append(place)
        source = [place for places in alike.values() for place in places]
        level: dict[tuple[int, int], int] = {}
        begun = self._runs([entries[place] for place in source], level)
        made: list[Decision] = []
        while len(made) < len(self.decisions):
            here, level = range(len(made), len(self.decisions)), {}
            for number in here:
                nodes = self.decisions[number]
                after = zip(*map(self._after, nodes), strict=True)
                moves = tuple(self._runs(list(lines), level) for lines in after)
                made.append(Decision(number, int(self.betting.actor[nodes[0]]), np.array(nodes), moves))
        folds = np.array([self._folded(end) for end in self.folds]).reshape(-1, 2)
        shown = np.array([self._shown(end) for _, end in self.closes] if self.last else []).reshape(-1, 2, 2)
        return Betting(tuple(source), begun, tuple(made), folds, shown), self.closes

    def _runs(self, lines: list[Entry], level: dict[tuple[int, int], int]) -> tuple[Run, ...]:
        """Put lines where they go, among others the decisions of the next level, and say where that is."""
        runs: list[Run] = []
        for line in lines:
            place, start = self._put(line, level)
            if runs and runs[-1].place == place:
                runs[-1] = runs[-1]._replace(lines=runs[-1].lines + 1)
            else:
                runs.append(Run(place, start, 1))
        return tuple(runs)

    def _put(self, line: Entry, level: dict[tuple[int, int], int]) -> tuple[int, int]:
        node, end = line
        kind = self._kind(line)
        if kind == "fold":
            self.folds.append(end)
            return FOLDS, len(self.folds) - 1
        if kind == "close":
            self.closes.append(line)
            return CLOSES, len(self.closes) - 1
        number = level.setdefault((int(self.betting.actor[node]), len(self._after(node))), len(self.decisions))
        if number == len(self.decisions):
            self.decisions.append([])
        self.decisions[number].append(node)
        return number, len(self.decisions[number]) - 1

    def _after(self, node: int) -> list[Entry]:
        """What each legal move leads to: a decision, or an end."""
        return [
            (SHOWDOWN, -2 - child) if child < 0 else (child, 0)
            for child in self.betting.child[node]
            if child != ILLEGAL
        ]

    def _kind(self, entry: Entry) -> str:
        node, end = entry
        if node == SHOWDOWN:
            return "fold" if self.betting.folded[end].any() else "close"
        return "close" if self.betting.round[node] > self.number else "decision"

    def _shape(self, entry: Entry) -> object:
        """All that decides how a line goes on in this round."""
        node, end = entry
        kind = self._kind(entry)
        if kind == "fold":
            return bool(self.betting.folded[end, 0])
        return kind if kind == "close" else (self.betting.actor[node], *map(self._shape, self._after(node)))

    def _folded(self, end: int) -> list[float]:
        """What each player wins when one has folded."""
        (winner,) = np.flatnonzero(~self.betting.folded[end])
        return list(self.betting.game.split(self.betting.paid[end].tolist(), [int(winner)]))

    def _shown(self, end: int) -> list[tuple[float, float]]:
        """What each player wins with the worse and with the better hand; what a tie brings is half way between."""
        paid = self.betting.paid[end].tolist()
        by_winner = [self.betting.game.split(paid, [winner]) for winner in (0, 1)]
        return [(by_winner[1 - player][player], by_winner[player][player]) for player in (0, 1)]
