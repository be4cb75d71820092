"""Records of a reproduction: a line of JSON for each thing that was measured, so that it is measured once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeVar, final

from feint.papers.trials import made_with
from feint.runs.files import write_whole
from feint.runs.provenance import provenance

Row = dict[str, Any]
Number = TypeVar("Number")
UNNOTED = ["Machine not noted"]
"""Rows from before each had its own note."""


@final
class Records:
    """Rows in a file, which is whole after every one that comes."""

    def __init__(self, path: Path) -> None:
        self._path, self.rows = path, rows_in(path)

    def row(self, what: Row, find: Callable[[], Row]) -> Row:
        """The row that is this, or what is found now, beside what it was made with."""
        kept = [row for row in self.rows if what.items() <= row.items()]
        if not kept:
            kept = [what | find() | {"made_with": list(provenance())}]
            self.rows += kept
            write_whole(self._path, "".join(json.dumps(row) + "\n" for row in self.rows).encode())
        return kept[0]

    def note(self, what: str, find: Callable[[], Number]) -> Number:
        """What is noted under this name, or what is found now; anything that JSON can hold."""
        number: Number = self.row({"what": what}, lambda: {"found": find()})["found"]
        return number


def rows_in(path: Path) -> list[Row]:
    """The rows of a file; none where there is no such file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def where(rows: Iterable[Mapping[str, Any]], label: Callable[[Mapping[str, Any]], str]) -> str:
    """On what machine and by what program rows were made, the labels of those made elsewhere than most beside it."""
    return made_with((label(row), row.get("made_with", UNNOTED)) for row in rows)


def band(values: Sequence[float], form: str = ".3f") -> str:
    """The median of seeds and from where to where they go; of one seed itself."""
    if len(values) == 1:
        return f"{values[0]:{form}}"
    return f"{median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def short(value: float) -> float:
    """Four figures."""
    return float(f"{value:.4g}")
