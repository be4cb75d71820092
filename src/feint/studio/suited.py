"""What suits the games that can be trained on from a page."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import final

from feint.games.errors import BadInput
from feint.games.library import load_game
from feint.runs.config import algorithms_for
from feint.studio.index import Index

SOON = 1.5
"""Seconds that a page waits for a game to be unrolled before it says so."""
MOST = 32
"""Games whose algorithms are remembered."""


def players_of(index: Index, game: str) -> int:
    """How many play a game; two where that could be known from somebody's own program alone."""
    return load_game(game).players if game in index.trainable() else 2


@final
class Suited:
    """The algorithms for games, found out of the way of whoever asks."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "suited")
        self._asked: dict[str, Future[list[str]]] = {}

    def algorithms(self, index: Index, game: str, wait: float = SOON) -> list[str] | None:
        """Those that take a game; None while it is still being unrolled."""
        index.check_trainable(game)
        if game not in self._asked:
            while len(self._asked) >= MOST:
                self._asked.pop(next(iter(self._asked)), None)
            self._asked[game] = self._pool.submit(lambda: algorithms_for(index.form(game)))
        try:
            return self._asked[game].result(wait)
        except NotYet:
            return None
        except BadInput:  # whoever mends the run may ask again
            self._asked.pop(game, None)
            raise

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
