"""What Feint says when it is given something it cannot use: one sentence, and what to do about it."""

from __future__ import annotations

import difflib
import re
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import final


@final
class BadInput(ValueError):
    """The caller's input cannot be used. The message says what was wrong, what was given and what to do."""


@final
class IllegalMove(ValueError):
    """A move that the rules do not allow in this state."""


@final
class RunStopped(RuntimeError):
    """A run could not go on. The message says why, and what of it is safe."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code
        """What a command exits with."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error sentence: the names closest to `name`, or all of them when none is close.

    So are a.b and a:b to b, and what differs by capital letters alone.
    """
    known = sorted(known)
    close = [other for other in known if name in re.split("[.:]", other)]
    folded = {other.casefold(): other for other in known}
    close = close or [folded[each] for each in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)]
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"choose from {', '.join(known)}." if known else "there is nothing to choose from."


def told(error: BaseException, path: Path | None = None) -> str:
    """An error in a user's file in words, with the last of its lines that led there."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    return f"{type(error).__name__}: {error}" + (f", line {lines[-1]}" if lines else "")


def check_seed(seed: int) -> None:
    """Refuse what no random key can be made of, nor of the seeds after it."""
    if not 0 <= seed < 2**62:
        raise BadInput(f"seed must be 0 or more and below 2^62, but seed={seed} was given.")
