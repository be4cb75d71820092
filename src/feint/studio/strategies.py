"""A strategy written down and judged: all the numbers that pages show of it, worked out once."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float

from feint.evaluate.exploitability import Deviations, deviations
from feint.evaluate.measure import CHIPS, EXACT, Measure
from feint.forms.form import Form
from feint.forms.strategy import Strategy, tabulate
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.players.player import StrategyPlayer
from feint.players.spots import Answer, answer, find_spot
from feint.report.starting_hands import has_starting_hands
from feint.runs.config import RunConfig
from feint.runs.files import PROVENANCE, Row
from feint.runs.on_the_way import Replayed, replayed, strategy_at
from feint.studio.combinations import Asked, Combinations, ask_all
from feint.studio.index import Index, changed
from feint.tree.move_values import levels_of, move_values_of
from feint.tree.tree import Tree

MOST_CHARTS = 32
"""Answers about many hands at once that are kept."""


class Spot(NamedTuple):
    """An information set, and what there is to say of it."""

    row: int
    player: int
    sees: str
    moves: dict[str, float]
    """How often each move is made, by what it is called there."""
    values: dict[str, float]
    """What each move wins, in chips per hand; nothing (nan) where the others never let it come to this."""
    reach: float
    """How often a hand comes to this when all keep to the strategy."""
    gain: float
    """Chips per hand given away here …"""
    share: float
    """… and as a share of all that is."""
    best: str
    """The move of a best response."""


@final
class Pages:
    """A strategy of an unrolled game, written down."""

    def __init__(self, tree: Tree, table: Float[np.ndarray, "i a"]) -> None:
        self.tree, self.table = tree, table
        self.leaks: Deviations = deviations(tree, table)
        self.values = move_values_of(tree, table)
        self.reach = reach_of(tree, table)
        self.order = np.argsort(-self.leaks.gain, kind="stable")
        """Information sets by what is given away there, the worst first."""

    @property
    def exploitability(self) -> Measure:
        return Measure("exploitability", float(self.leaks.gain.sum()) / self.tree.players, CHIPS, EXACT)

    def spot(self, row: int) -> Spot:
        tree, offered = self.tree, self.tree.offered(row)
        best = int(self.leaks.best_move[row])
        return Spot(
            row,
            int(tree.player[row]),
            tree.labels[row],
            {word: float(self.table[row, column]) for word, column in offered.items()},
            {word: float(self.values[row, column]) for word, column in offered.items()},
            float(self.reach[row]),
            float(self.leaks.gain[row]),
            float(self.leaks.share[row]),
            next((word for word, column in offered.items() if column == best), ""),
        )

    def found(self, words: str) -> list[int]:
        """The information sets whose labels have all of these words, by what is given away there."""
        wanted = words.casefold().split()
        return [row for row in self.order.tolist() if all(word in self.tree.labels[row].casefold() for word in wanted)]

    def rows(self) -> Iterator[tuple[object, ...]]:
        """All of it, a row for each move."""
        for row in range(len(self.tree.player)):
            spot = self.spot(row)
            for move, often in spot.moves.items():
                value = "" if math.isnan(spot.values[move]) else spot.values[move]
                told = spot.reach, spot.gain, spot.share, spot.best
                yield spot.player + 1, spot.sees, move, often, value, *told

    @cached_property
    def number(self) -> dict[tuple[int, object], int]:
        """Information sets by who sees them, and what."""
        keys = zip(self.tree.player.tolist(), self.tree.views, strict=True)
        return {key: row for row, key in enumerate(keys)}


HEADS = (
    "player", "sees", "move", "probability", "value_chips_per_hand", "reach", "given_away_chips_per_hand", "share",
    "best_response",
)  # fmt: skip
"""Of the rows of a strategy's pages."""


@final
class Book:
    """A strategy of a game, ready to be looked at."""

    def __init__(self, name: str, form: Form, strategy: Strategy, mark: int = 0) -> None:
        self.name, self.form, self.strategy = name, form, strategy
        self.mark = mark
        """Of its run, by which that is told from another one that has taken its place."""
        self.pages = None if form.tree is None else Pages(form.tree, tabulate(form.tree, strategy))
        self._player = StrategyPlayer(strategy, form)
        self._charts: OrderedDict[tuple[str, str], Combinations] = OrderedDict()
        self._lock, self._going_again = threading.Lock(), threading.Lock()
        self.again: Replayed | None = None
        """The way that its run went, once it was made again."""

    def answer(self, spot: str, board: str = "", betting: str = "", player: int | None = None) -> Answer:
        """What is done at one spot, and what that is worth."""
        seen = find_spot(self.form, spot, board, betting, player)
        if self.pages is None:
            return answer(self.form, self._player, seen)
        row = self.pages.number.get((seen.player, seen.view))
        if row is None:
            raise BadInput(f"{seen.label!r} never comes up in {self.form.name}; choose another spot.")
        told = self.pages.spot(row)
        return Answer(told.player, told.sees, told.moves, told.values)

    def made_again(self, config: RunConfig, logged: list[Row], seconds: float) -> Replayed:
        """The way that its run went, made again from its seed, once."""
        with self._going_again:
            if self.again is None:
                self.again = replayed(config, self.form, logged, seconds)
            return self.again

    @property
    def has_combinations(self) -> bool:
        """Whether there is a chart of starting hands, and what is done can be asked for all of them at once."""
        game = self.form.game
        return isinstance(game, Poker) and self.form.tree is None and has_starting_hands(game)

    def combinations(self, betting: str, board: str) -> Combinations:
        """What is done with every two cards after some betting, on a board."""
        asked = Asked.read(self.form, betting, board)
        key = asked.betting, asked.board_words
        with self._lock:
            if key in self._charts:
                self._charts.move_to_end(key)
                return self._charts[key]
        told = ask_all(self.form, self.strategy, asked)
        with self._lock:
            self._charts[key] = told
            while len(self._charts) > MOST_CHARTS:
                self._charts.popitem(last=False)
        return told


def mark_of(index: Index, key: str) -> int:
    """What tells a run from another one of the same name that takes its place."""
    return changed(index.one(key).path / PROVENANCE)


def book_of(index: Index, key: str, step: int | None = None) -> Book:
    """The strategy of a run or an agent, or what it was at one of its checkpoints; the same again is at hand."""
    mark = mark_of(index, key)  # before it is read: a book is never older than its mark
    run = index.run(key)

    def make() -> Book:
        strategy = run.strategy if step is None else strategy_at(run.path, step, run.form)
        return Book(key, run.form, strategy, mark)

    return index.ready(("book", key, mark, step), make)


def reach_of(tree: Tree, table: Float[np.ndarray, "i a"]) -> Float[np.ndarray, " i"]:
    """How often a hand comes to each information set when all keep to a table."""
    inner = tree.actor[tree.parent] >= 0
    infoset, move = tree.infoset[tree.parent], np.where(inner, tree.move, 0)
    reach = np.where(inner, table[infoset, move], tree.chance)
    reach[0] = 1.0  # nothing comes before the root
    for level in levels_of(tree)[1:]:
        reach[level] *= reach[tree.parent[level]]
    decided = tree.actor >= 0
    return np.bincount(tree.infoset[decided], reach[decided], len(tree.player))
