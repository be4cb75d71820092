"""Tables as CSV, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from starlette.responses import Response


def sheet(name: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    """A table as a file to keep."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    plain = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in name)[:80]
    headers = {"content-disposition": f'attachment; filename="{plain}.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
