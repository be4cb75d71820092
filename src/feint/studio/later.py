"""Work that may take long, done aside: a page waits a moment for it, and else shows itself anew until it is there."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar, final

from feint.studio.visit import Late
from feint.tree.cache import keep_compiled

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds that a page waits before it says that the work goes on."""
THREADS = 6
"""So many that a few long pieces do not hold up the short ones."""
MOST = 32
"""Pieces of work under way or not yet fetched."""


@final
class Later:
    """A few threads for work that is asked for by name, so that asking again does not begin it again."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, "later", initializer=keep_compiled)
        self._work: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def soon(self, key: Hashable, make: Callable[[], T], patience: float | None = PATIENCE) -> T | None:
        """What `make` makes, or None while that goes on; with no patience given, however long it takes.

        What it made is handed over once: whoever asks again has it made again, so `make` should look where it keeps it.
        """
        with self._lock:
            if key not in self._work:
                self._make_room()
                self._work[key] = self._pool.submit(make)
            work: Future[T] = self._work[key]
        wait([work], patience)
        if not work.done():
            return None
        with self._lock:
            if self._work.get(key) is work:
                del self._work[key]
        return work.result()

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _make_room(self) -> None:
        if len(self._work) < MOST:
            return
        done = next((key for key, work in self._work.items() if work.done()), None)
        if done is None:
            raise Late(f"{MOST} things are being worked out already; try again in a moment.")
        del self._work[done]
