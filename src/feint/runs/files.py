"""The files of a run: what they are called, and how they are written and read.

config.json          what was asked for, in full
metrics.jsonl        one line for each evaluation; the truth, and the same whenever the run is repeated
timings.jsonl        how long it took to reach each of those, and each checkpoint
strategy.safetensors the strategy at the end
README.md            a model card
provenance.json      the machine and the programs that made it, and digests; there only while the run is finished, and
                     telling of an interrupt if one ended it
bound.json           what is known of the exploitability of a strategy too large to judge exactly, if anything
rules/               the source of a user's own game
running              who is writing the run, while someone is
curve.png            the picture

Nothing is believed that was changed. What is JSON ends with its own digest; every line of metrics and timings ends
with a digest of itself and all before it; and a finished run's provenance has the digests of its files.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from feint.games.errors import BadInput

CONFIG, METRICS, TIMINGS = "config.json", "metrics.jsonl", "timings.jsonl"
STRATEGY, CARD, PROVENANCE, BOUND = "strategy.safetensors", "README.md", "provenance.json", "bound.json"
CUT_SHORT = "cut_short"
"""In the provenance of a run that an interrupt ended before anything it was asked for did."""
CHECKPOINTS, EVENTS, RULES, RUNNING = "checkpoints", "tensorboard", "rules", "running"

Row = dict[str, Any]

DAMAGE = (OSError, LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError, SafetensorError)
"""What comes of reading a file that is not as it was written."""
PART = re.compile(r".+\.\d+-[0-9a-f]{8}\.part")
"""What a file is called until it is there in full."""
WRITER = re.compile(r"process (\d{1,9}) on (.+)")
"""What `running` says."""
LINE = re.compile(r'(\{.*), "check": "([0-9a-f]{16})"\}')


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Tell of anything that goes wrong while a run is read in a sentence."""
    try:
        yield
    except BadInput:
        raise
    except FileNotFoundError as error:
        missing = Path(error.filename or STRATEGY).name
        raise BadInput(f"{path} is not a finished run (it has no {missing}); train it to the end first.") from error
    except DAMAGE as error:
        why = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise BadInput(f"{path} holds a damaged run ({why[:200]}); train it again in another folder.") from error


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is either there in full or not at all, whatever happens meanwhile.

    A link of its name is replaced, never followed. Of several who write it at once one is the last.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        with suppress(OSError):  # where nothing can be written, there is nothing to remove
            part.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def sweep_parts(folder: Path) -> None:
    """Remove what was cut off while being written; for who alone writes there."""
    for each in folder.iterdir():
        if PART.fullmatch(each.name):
            each.unlink()


def sealed(words: Mapping[str, Any]) -> bytes:
    """Words as readable JSON that ends with their own digest."""
    return (json.dumps({**words, "sha256": _digest(words)}, indent=2) + "\n").encode()


def unsealed(path: Path) -> dict[str, Any]:
    """The words that were `sealed` in a file; raises `ValueError` where they were changed since."""
    data = path.read_bytes()
    words = json.loads(data)
    if "sha256" not in words:
        raise ValueError(f"{path.name} has no digest, as if made by an older version")
    del words["sha256"]
    if sealed(words) != data:  # to the byte, though spaces mean nothing in JSON
        raise ValueError(f"{path.name} was changed")
    return dict(words)


def _digest(words: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()


def chained(rows: Iterable[Row], before: str = "") -> tuple[str, str]:
    """Rows as lines that each end with a check of themselves and of all before them, and the last of these checks."""
    lines = []
    for row in rows:
        body = json.dumps(row)[:-1]
        before = _check(before, body)
        lines.append(f'{body}, "check": "{before}"}}\n')
    return "".join(lines), before


def rows_of(path: Path) -> tuple[list[Row], str]:
    """A file's whole lines and its last check; a line that was cut off while being written does not count."""
    rows: list[Row] = []
    before = ""
    for line in path.read_text().split("\n")[:-1]:
        match = LINE.fullmatch(line)
        if match is None or match[2] != (before := _check(before, match[1])):
            raise ValueError(f"line {len(rows) + 1} of {path.name} was changed")
        row = json.loads(match[1] + "}")
        if not isinstance(row["step"], int):
            raise ValueError(f"line {len(rows) + 1} of {path.name} has no step")
        rows.append(row)
    return rows, before


def _check(before: str, body: str) -> str:
    return hashlib.sha256((before + body).encode()).hexdigest()[:16]


def append(path: Path, text: str) -> None:
    """Add to a file, which is never a link to another."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o666)
    with os.fdopen(file, "w") as opened:
        opened.write(text)


def settle(path: Path) -> None:
    """See to it that what was added to a file outlasts the machine."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def writer_of(path: Path) -> str | None:
    """Who is writing a run just now, in words; None where nobody is.

    A process that was killed leaves its word behind, but neither itself nor its lock.
    """
    try:
        who = (path / RUNNING).read_text()[:200].strip()
        lock = os.open(path, os.O_RDONLY)
    except (OSError, ValueError):
        return None
    try:
        if _is_gone(who):  # so that a lock is hardly ever tried that someone else wants in this moment
            return None
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except OSError:
        return who
    finally:
        os.close(lock)


def is_of_others(running: Path) -> bool:
    """Whether a file of this name is there that no writer of a run has left."""
    try:
        return WRITER.fullmatch(running.read_text().strip()) is None
    except FileNotFoundError:
        return running.is_symlink()
    except (OSError, ValueError):
        return True


def _is_gone(who: str) -> bool:
    """Whether a process of this machine is no more."""
    told = WRITER.fullmatch(who)
    if told is None or told[2] != socket.gethostname():
        return False
    try:
        os.kill(int(told[1]), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it is another user's
        return False
    return False


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; never where no file can have that name."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def new_folder(game: str, algorithm: str, root: Path = Path("runs")) -> Path:
    """A new folder for a run, named after what it does and numbered after the last of that name."""
    path = root / _name(game, algorithm)
    while True:
        last = max(_taken(path), default=0)
        mine = path.with_name(f"{path.name}-{last + 1}") if last else path
        with suppress(FileExistsError):  # another run was quicker
            mine.mkdir(parents=True)
            return mine


def last_folder(game: str, algorithm: str, root: Path = Path("runs")) -> Path:
    """The latest folder that `new_folder` gave for this."""
    taken = _taken(root / _name(game, algorithm))
    if not taken:
        others = [str(path.parent) for path in sorted(root.glob(f"*/{CONFIG}")) if _asks_for(path, game, algorithm)]
        if others:
            choices = " or ".join(f"--out {other}" for other in others[:3])
            raise BadInput(f"Runs of {algorithm} on {game} in {root} have names of their own; say which: {choices}.")
        raise BadInput(f"There is no run of {algorithm} on {game} in {root} to go on with; name one with --out.")
    return taken[max(taken)]


def _asks_for(path: Path, game: str, algorithm: str) -> bool:
    """Whether a run's configuration is of this algorithm on this game."""
    try:
        words = unsealed(path)
    except DAMAGE:
        return False
    return (words.get("game"), words.get("algorithm")) == (game, algorithm)


def _name(game: str, algorithm: str) -> str:
    return re.sub(r"[^\w+.=-]+", "-", f"{game}-{algorithm}").strip("-")


def _taken(path: Path) -> dict[int, Path]:
    """The folders there are of this name by their numbers: the name itself is 1, then come -2 and so on."""
    found = path.parent.iterdir() if path.parent.is_dir() else ()
    numbered = re.compile(rf"{re.escape(path.name)}(?:-([2-9]|[1-9]\d+))?")
    return {int(match[1] or 1): other for other in found if (match := numbered.fullmatch(other.name))}
