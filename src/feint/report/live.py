"""The line that shows how a run is going."""

from __future__ import annotations

import time
from typing import Any, Self, final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from feint.runs.summary import headline, length

EVERY = 2.0
"""Seconds between lines where there is no terminal."""


@final
class LiveLine:
    """One line that changes in a terminal; elsewhere a new line now and then, and the last one at the end."""

    def __init__(self, console: Console, title: str) -> None:
        self._console = console
        self._title = title
        self._live = Live(console=console, refresh_per_second=10) if console.is_terminal else None
        self._printed = time.monotonic()
        self._pending: str | None = None

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()
        elif self._pending:
            self._console.print(self._pending, soft_wrap=True)

    def stage(self, text: str) -> None:
        self._show(f"{text} …")
        self._pending = None

    def warn(self, text: str) -> None:
        self._console.print(f"feint: {text}", soft_wrap=True)

    def row(self, row: dict[str, Any], seconds: float) -> None:
        rate = row["step"] / seconds if seconds else 0.0
        self._show(f"{length(row)} in {seconds:.1f} s ({rate:,.0f} steps/s)  " + " ".join(headline(row)))

    def _show(self, text: str) -> None:
        self._pending = f"{self._title}: {text}"
        if self._live:
            self._live.update(Text(self._pending))
        elif time.monotonic() - self._printed >= EVERY:
            self._console.print(self._pending, soft_wrap=True)
            self._printed, self._pending = time.monotonic(), None
