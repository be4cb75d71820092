"""Which games can be trained on from a page, and what suits them.

A game's rules may be somebody's own program. The studio starts none: it takes games that come with Feint, and those of
runs that are made of them.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import final

from feint.forms.form import Form
from feint.forms.library import form_of
from feint.games.errors import BadInput
from feint.games.library import load_game
from feint.runs.config import algorithms_for
from feint.studio.index import Index, NotHere

SOON = 1.5
"""Seconds that a page waits for a game to be unrolled before it says so."""
MOST = 32
"""Games whose algorithms are remembered."""


def trainable(index: Index) -> dict[str, str]:
    """The games there are to train on, with a line about each: the library's, and others that runs are for."""
    runs = {each.config.game: "" for each in index.listed() if not (each.config.rules or ".py:" in each.config.game)}
    return index.games() | {game: "" for game in runs if game not in index.games()}


def check_trainable(index: Index, game: str) -> None:
    """Refuse games that are not among these."""
    if game in trainable(index):
        return
    if any(each.config.game == game for each in index.listed()):
        raise BadInput(f"{game[:80]} has rules of somebody's own, which pages start no programs for; use feint train.")
    raise NotHere(f"There is no game called {game[:60]!r}; choose one from the list.")


def players_of(index: Index, game: str) -> int:
    """How many play a game; two where that could be known from somebody's own program alone."""
    return load_game(game).players if game in trainable(index) else 2


def form_for(index: Index, game: str) -> Form:
    """A game in its form: the library's, or one that a run is for, whose rules are then trusted or refused."""
    if game in index.games():
        return index.form(game)
    for each in index.listed():
        if each.config.game == game and each.finished:
            return index.run(each.key).form
    check_trainable(index, game)
    return index.ready(("form", game), lambda: form_of(game))


@final
class Suited:
    """The algorithms for games, found out of the way of whoever asks."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "suited")
        self._asked: dict[str, Future[list[str]]] = {}

    def algorithms(self, index: Index, game: str, wait: float = SOON) -> list[str] | None:
        """Those that take a game; None while it is still being unrolled."""
        check_trainable(index, game)
        if game not in self._asked:
            while len(self._asked) >= MOST:
                self._asked.pop(next(iter(self._asked)), None)
            self._asked[game] = self._pool.submit(lambda: algorithms_for(form_for(index, game)))
        try:
            return self._asked[game].result(wait)
        except NotYet:
            return None

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
