"""Handing on what was learned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from feint.cli.terminal import GameName, RunName, Trust, err


def export(
    name: RunName,
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .csv, .json, .npz or .safetensors file, or a folder for it all.")
    ],
    game: GameName = None,
    trust: Trust = False,
) -> None:
    """Write a run's strategy to a file with labels, or the whole run to a folder as model hubs take it."""
    from feint.runs.export import export as handed_on
    from feint.runs.run import load_run

    with err.status("writing"):
        written = handed_on(load_run(name, game, trust), target)
    err.print(f"The strategy is in {written}.", soft_wrap=True)
