"""Runs beside each other."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.table import Table

from feint.cli.terminal import AsJson, err, out, print_json


def compare(
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="Folders of runs, or agents.")],
    across: Annotated[str, typer.Option(help="What to draw them against: steps, hands, moves or seconds.")] = "steps",
    metric: Annotated[str | None, typer.Option(help="What to draw; by default the number that matters.")] = None,
    picture: Annotated[Path, typer.Option("--out", help="The picture: .png, .svg or .pdf.")] = Path("comparison.png"),
    as_json: AsJson = False,
) -> None:
    """Runs in one picture and one table; those that differ only by their seeds are one line, with a band."""
    from feint.report.compare import compare as draw
    from feint.report.compare import curves_of

    with err.status("reading"):
        curves = curves_of(runs, metric)
        drawn = draw([run for curve in curves for run in curve.runs], picture, across, metric)
    rows = []
    for curve in curves:
        place, values = curve.points(across)[-1]
        row = {"what": curve.label, "runs": len(curve.runs), "seeds": len(values), across: place}
        rows.append(row | {"metric": curve.metric, "median": median(values), "low": min(values), "high": max(values)})
    if as_json:
        print_json({"picture": str(drawn), "runs": rows})
        return
    table = Table("run", "seeds", across, curves[0].metric.replace("_", " "), "from", "to", box=None, pad_edge=False)
    for row in rows:
        spread = (f"{row[name]:.4g}" for name in ("median", "low", "high"))
        table.add_row(str(row["what"]), str(row["seeds"]), f"{row[across]:,.6g}", *spread)
    out.print(table)
    for curve, row in zip(curves, rows, strict=True):
        if curve.cut:
            far = f"{row[across]:,.6g} {across}, the last evaluation that all {row['runs']} runs have"
            err.print(f"{row['what']} is told up to {far}.", soft_wrap=True)
    err.print(f"The picture is {drawn}.", soft_wrap=True)
