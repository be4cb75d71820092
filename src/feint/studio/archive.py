"""Hands that people have played, kept in SQLite as soon as they are over."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, final

from feint.games.errors import BadInput
from feint.studio.visit import Decision, Finished

MAKE = "create table if not exists hands (number integer primary key, played text not null, hand text not null)"


@final
@dataclass(frozen=True)
class Kept:
    """A hand, and when it was played."""

    number: int
    played: str
    hand: Finished

    def as_json(self) -> dict[str, Any]:
        return {"number": self.number, "played": self.played} | asdict(self.hand)


@final
class Archive:
    """All hands that were played to their end."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, check_same_thread=False)
            self._begin()
        except (OSError, sqlite3.Error) as error:  # SQLite's are no OSErrors
            raise BadInput(
                f"{path} cannot keep the hands that are played ({error}); move it away if it is damaged, or choose "
                f"another folder with --runs."
            ) from error

    def keep(self, hand: Finished) -> int:
        """Keep a hand; its number."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        row = now, json.dumps(asdict(hand))
        with self._lock, self._file:
            written = self._file.execute("insert into hands (played, hand) values (?, ?)", row)
        return int(written.lastrowid or 0)

    def find(self, number: int) -> Kept | None:
        """A hand by its number."""
        with self._lock:
            row = self._file.execute("select number, played, hand from hands where number = ?", (number,)).fetchone()
        return _kept(row) if row else None

    def last(self, most: int, before: int | None = None) -> list[Kept]:
        """The last hands, or the last before one of them; the newest first."""
        where, given = ("where number < ?", (before,)) if before else ("", ())
        asked = f"select number, played, hand from hands {where} order by number desc limit ?"
        with self._lock:
            return [_kept(row) for row in self._file.execute(asked, (*given, most)).fetchall()]

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def _begin(self) -> None:
        try:
            self._file.execute("pragma journal_mode=wal")
            self._file.execute(MAKE)
            self._file.commit()
        except sqlite3.Error:
            self._file.close()
            raise


def _kept(row: tuple[int, str, str]) -> Kept:
    words: dict[str, Any] = json.loads(row[2])
    words |= {name: tuple(words[name]) for name in ("places", "moves", "won")}
    words["decisions"] = tuple(Decision(**each) for each in words["decisions"])
    return Kept(row[0], row[1], Finished(**words))
