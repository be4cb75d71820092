"""All tables at which people sit: a bounded number of them, each there for whoever has its token."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import final

from feint.players.table import Chance
from feint.studio.index import NotHere, Opponent
from feint.studio.visit import Finished, Late, Visit

MOST_TABLES = 256
IDLE = 3600.0
"""Seconds after which a table that nobody touches is cleared, where room is needed or not."""
QUICK, SLOW = 4, 2
"""Threads for opponents that only look their move up, and for others: so many of them may think at the same time."""


@final
@dataclass
class Room:
    """All tables, a bounded number of them."""

    keep: Callable[[Finished], int | None]
    most: int = MOST_TABLES
    _visits: dict[str, Visit] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _quick: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(QUICK, "quick"))
    _slow: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(SLOW, "slow"))

    def __len__(self) -> int:
        return len(self._visits)

    def open(self, opponent: Opponent, seat: int | None, chance: Chance | None = None) -> tuple[str, Visit]:
        """A new table, and what it goes by."""
        with self._lock:
            now = time.monotonic()
            for key in [key for key, visit in self._visits.items() if now - visit.touched > IDLE]:
                self._visits.pop(key).leave()
            if len(self._visits) >= self.most:
                raise Late(f"All {self.most} tables are taken; try again when somebody has left.")
        pool = self._slow if opponent.strategy is None else self._quick
        visit = Visit(opponent, seat, self.keep, pool, chance)
        name = secrets.token_urlsafe(9)
        with self._lock:
            self._visits[name] = visit
        return name, visit

    def find(self, name: str, token: str | None) -> Visit:
        """A table, for whoever sits there; to anybody else there is none."""
        visit = self._visits.get(name)
        if visit is None or token is None or not secrets.compare_digest(token.encode(), visit.token.encode()):
            raise NotHere("There is no such table, or it is not yours; sit down at a new one.")
        visit.touched = time.monotonic()
        return visit

    def leave(self, name: str, token: str | None) -> None:
        """Whoever sits at a table goes, and it is cleared; a hand that is not over is nobody's."""
        self.find(name, token)
        with self._lock:
            visit = self._visits.pop(name, None)
        if visit is not None:
            visit.leave()

    def close(self) -> None:
        for pool in (self._quick, self._slow):
            pool.shutdown(wait=False, cancel_futures=True)
