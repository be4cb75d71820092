"""Betting round by round, lines of betting that go on alike as one.

A *line* is what was bet before a round. In fixed-limit games all lines that come to a round go on the same way, with
more or less in the pot; in no-limit games those do that have as much left to bet. Lines that go on alike are a *group*:
one small tree of decisions, each standing for as many betting decisions as there are lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float, Int

from feint.arena.betting import ILLEGAL, BettingTree
from feint.games.errors import BadInput

SHOWDOWN = -1
"""A line with nothing left to bet: all cards are dealt, and hands are shown."""


@final
@dataclass(frozen=True)
class Decision:
    """Where somebody moves, in every line of a group."""

    number: int
    """Among all decisions of the round."""
    actor: int
    moves: "tuple[Decision | Fold | Close, ...]"


@final
@dataclass(frozen=True)
class Fold:
    """Where somebody has folded."""

    number: int
    """Among all folds of the round."""


@final
@dataclass(frozen=True)
class Close:
    """Where the betting of the round is over."""

    number: int
    """Among all closes of the round."""


Node = Decision | Fold | Close


@final
@dataclass(frozen=True)
class Group:
    """Lines that go on alike."""

    root: Node
    start: int
    """The number of its first line among all that come to the round."""
    lines: int


@final
@dataclass(frozen=True, eq=False)
class Betting:
    """The betting of one round."""

    groups: tuple[Group, ...]
    source: tuple[int, ...]
    """Each line by its number among those that close the round before."""
    nodes: tuple[Int[np.ndarray, " l"], ...]
    """For each decision, the betting decisions that it stands for, line by line."""
    folds: tuple[Float[np.ndarray, "l p"], ...]
    """For each fold, what each player wins, line by line."""
    shown: tuple[Float[np.ndarray, "l p o"], ...]
    """For each close of the last round, what each player wins with the worse and with the better hand, line by line."""

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions, by number."""
        found = (node for group in self.groups for node in _decisions(group.root))
        return tuple(sorted(found, key=lambda decision: decision.number))

    @property
    def lines(self) -> int:
        return sum(group.lines for group in self.groups)


def _decisions(node: Node) -> Iterator[Decision]:
    if isinstance(node, Decision):
        yield node
        for after in node.moves:
            yield from _decisions(after)


Entry = tuple[int, int]
"""A line that comes to a round: the betting decision, or `SHOWDOWN` and the number of the end."""


def rounds_of(betting: BettingTree, root: int = 0) -> tuple[Betting, ...]:
    """The betting of every round from a betting decision on. The first line is that decision."""
    if betting.players != 2:
        raise BadInput(f"{betting.name} has {betting.players} players, and public trees are for two.")
    entries: list[Entry] = [(root, 0)]
    found = []
    for number in range(int(betting.round[root]), len(betting.game.rounds)):
        last = number == len(betting.game.rounds) - 1
        made, entries = _Round(betting, number, last).of(entries)
        found.append(made)
    return tuple(found)


class _Round:
    """Betting in the making: one walk for each group of lines, all of its lines abreast."""

    def __init__(self, betting: BettingTree, number: int, last: bool) -> None:
        self.betting, self.number, self.last = betting, number, last
        self.nodes: list[Int[np.ndarray, " l"]] = []
        self.folds: list[Float[np.ndarray, "l p"]] = []
        self.closes: list[list[Entry]] = []

    def of(self, entries: Sequence[Entry]) -> tuple[Betting, list[Entry]]:
        """The round's betting, and the lines that close it."""
        alike: dict[object, list[int]] = {}
        for place, entry in enumerate(entries):
            alike.setdefault(self._shape(entry), []).append(place)
        groups: list[Group] = []
        source: list[int] = []
        for places in alike.values():
            root = self._walk([entries[place] for place in places])
            groups.append(Group(root, len(source), len(places)))
            source += places
        shown = [np.array([self._shown(end) for _, end in lines]) for lines in self.closes] if self.last else []
        made = Betting(tuple(groups), tuple(source), tuple(self.nodes), tuple(self.folds), tuple(shown))
        return made, [entry for lines in self.closes for entry in lines]

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

    def _walk(self, lines: list[Entry]) -> Node:
        kind = self._kind(lines[0])
        if kind == "fold":
            self.folds.append(np.array([self._folded(end) for _, end in lines]))
            return Fold(len(self.folds) - 1)
        if kind == "close":
            self.closes.append(lines)
            return Close(len(self.closes) - 1)
        number = len(self.nodes)
        self.nodes.append(np.array([node for node, _ in lines]))
        after = zip(*(self._after(node) for node, _ in lines), strict=True)
        moves = tuple(self._walk(list(each)) for each in after)
        return Decision(number, int(self.betting.actor[lines[0][0]]), moves)

    def _folded(self, end: int) -> list[float]:
        """What each player wins when one has folded."""
        (winner,) = np.flatnonzero(~self.betting.folded[end])
        return list(self.betting.game.split(self.betting.paid[end].tolist(), [int(winner)]))

    def _shown(self, end: int) -> list[tuple[float, float]]:
        """What each player wins with the worse and with the better hand; what a tie brings is half way between."""
        paid = self.betting.paid[end].tolist()
        by_winner = [self.betting.game.split(paid, [winner]) for winner in (0, 1)]
        return [(by_winner[1 - player][player], by_winner[player][player]) for player in (0, 1)]
