"""One strategy out of a run: at its end, at a checkpoint that it keeps, or on its way, where that can be made again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from feint.forms.strategy import TabularStrategy
from feint.runs.on_the_way import Replayed, replayable, steps_kept
from feint.studio.index import Index, Listed
from feint.studio.later import PATIENCE, Later
from feint.studio.strategies import Book, book_of

MAKE_AGAIN = 4.0
"""Seconds for which a run is made again, to see the way it went."""


@final
@dataclass(frozen=True)
class Chosen:
    """A strategy, and which of a run's it is."""

    listed: Listed
    book: Book
    stops: tuple[int, ...]
    """The steps on the way of which the strategy can be had."""
    stop: int
    """Which of them it is; their number means the end."""

    @property
    def step(self) -> int | None:
        """None for the end."""
        return self.stops[self.stop] if self.stop < len(self.stops) else None

    @property
    def words(self) -> str:
        return self.listed.key + ("" if self.step is None else f" at step {self.step:,}")


def choose(index: Index, later: Later, key: str, stop: int | None, patience: float | None = PATIENCE) -> Chosen | None:
    """A run's strategy at a stop, or at its end; None while it is being worked out."""
    listed = index.finished(key)
    end = later.soon(("book", key, None), lambda: book_of(index, key), patience)
    if end is None:
        return None
    made: dict[int, int] = {}
    if can_be_made_again(listed, end):
        again = made_again(later, listed, end, patience)
        if again is None:
            return None
        made = {stage.step: number for number, stage in enumerate(again.stages) if again.same}
    last = listed.metrics[-1]["step"]
    stops = tuple(sorted({*made, *steps_kept(listed.path)} - {last}))
    stop = len(stops) if stop is None else min(stop, len(stops))
    if stop == len(stops):
        return Chosen(listed, end, stops, stop)
    step = stops[stop]

    def at() -> Book:
        if step in made and end.again is not None:
            table = end.again.stages[made[step]].table
            return Book(key, end.form, TabularStrategy(end.form.fingerprint, table))
        return book_of(index, key, step)

    book = later.soon(("book", key, step), at, patience)
    return None if book is None else Chosen(listed, book, stops, stop)


def can_be_made_again(listed: Listed, book: Book) -> bool:
    return replayable(listed.config, book.form)


def made_again(later: Later, listed: Listed, book: Book, patience: float | None = PATIENCE) -> Replayed | None:
    """The way that a run went; None while it is being made again."""
    config, metrics = listed.config, listed.metrics
    return later.soon(("again", book), lambda: book.made_again(config, metrics, MAKE_AGAIN), patience)
