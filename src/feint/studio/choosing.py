"""One strategy out of a run: at its end, at a checkpoint that it keeps, or on its way, where that can be made again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import final

from feint.forms.strategy import TabularStrategy
from feint.games.errors import BadInput
from feint.runs.on_the_way import Replayed, replayable, steps_kept
from feint.studio.index import Index, Listed
from feint.studio.later import PATIENCE, Later
from feint.studio.strategies import Book, book_of, mark_of

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
    step: int | None = None
    """Which of them it is of; None for the end."""

    @property
    def reached(self) -> int | None:
        """The step that it is of, at the end too; None where the run tells none."""
        return _last(self.listed) if self.step is None else self.step

    @property
    def words(self) -> str:
        return self.listed.key + ("" if self.step is None else f" at step {self.step:,}")


def book_key(index: Index, key: str) -> Hashable:
    """What the work goes by that reads a run's strategy; of another run of that name it is another."""
    return "book", key, mark_of(index, key), None


def choose(index: Index, later: Later, key: str, step: int | None, patience: float | None = PATIENCE) -> Chosen | None:
    """A run's strategy at a step, or at its end; None while it is being worked out."""
    listed = index.finished(key)
    end = later.soon(book_key(index, key), lambda: book_of(index, key), patience)
    if end is None:
        return None
    made: dict[int, int] = {}
    if can_be_made_again(listed, end):
        again = made_again(later, listed, end, patience)
        if again is None:
            return None
        made = {stage.step: number for number, stage in enumerate(again.stages) if again.same}
    last = _last(listed)
    stops = tuple(sorted({*made, *steps_kept(listed.path)} - {last}))
    if step is None or step == last:
        return Chosen(listed, end, stops)
    if step not in stops:
        raise _not_there(key, step, stops)

    def at() -> Book:
        if step in made and end.again is not None:
            table = end.again.stages[made[step]].table
            return Book(key, end.form, TabularStrategy(end.form.fingerprint, table), end.mark)
        return book_of(index, key, step)

    book = later.soon(("book", key, end.mark, step), at, patience)
    return None if book is None else Chosen(listed, book, stops, step)


def _last(listed: Listed) -> int | None:
    """The step at which a run came to its end."""
    return listed.metrics[-1]["step"] if listed.metrics else None


def _not_there(key: str, step: int, stops: tuple[int, ...]) -> BadInput:
    """No other step is taken for one that cannot be had, or not any more."""
    known = f"{len(stops)} steps from {stops[0]:,} to {stops[-1]:,} and of its end" if stops else "its end alone"
    return BadInput(f"The strategy of {key} at step {step:,} cannot be had now; that of {known} can.")


def can_be_made_again(listed: Listed, book: Book) -> bool:
    return replayable(listed.config, book.form)


def made_again(later: Later, listed: Listed, book: Book, patience: float | None = PATIENCE) -> Replayed | None:
    """The way that a run went; None while it is being made again."""
    config, metrics = listed.config, listed.metrics
    return later.soon(("again", book), lambda: book.made_again(config, metrics, MAKE_AGAIN), patience)
