"""Sweeps: many runs at one command."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from feint.cli.terminal import AsJson, Waiting, err, judged_best, out, print_json
from feint.games.errors import BadInput, RunStopped

if TYPE_CHECKING:
    from feint.runs.sweep import Sweep
    from feint.runs.sweeping import Outcome

OR = "|"
"""Between the values that a setting is to have."""


def sweep(
    file: Annotated[Path | None, typer.Argument(metavar="FILE.toml", help="What is tried; flags come on top.")] = None,
    algorithm: Annotated[list[str] | None, typer.Option(help="One to try; give it again for more.")] = None,
    game: Annotated[list[str] | None, typer.Option(help="One to try; give it again for more.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=A|B|…", help="A setting, and all that it is to be.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help="A named set of settings; see feint algorithms.")] = None,
    seed: Annotated[int | None, typer.Option(help="The first seed; by default 0.")] = None,
    seeds: Annotated[int | None, typer.Option(help="How many seeds of each; by default 1.")] = None,
    apart: Annotated[
        bool, typer.Option("--apart", help="A run for every seed, rather than one in which they are side by side.")
    ] = False,
    steps: Annotated[int | None, typer.Option(help="Stop after this many steps.")] = None,
    hands: Annotated[int | None, typer.Option(help="Stop once this many hands were played.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this much time.")] = None,
    until: Annotated[float | None, typer.Option(help="Stop at this exploitability, in chips per hand.")] = None,
    folder: Annotated[Path, typer.Option("--out", help="The sweep's folder, in which every trial is a run.")] = Path(
        "sweep"
    ),
    workers: Annotated[int, typer.Option(help="Processes that train at once.")] = 1,
    ray: Annotated[
        str | None, typer.Option(help="A Ray cluster's address, such as 10.0.0.1:6379; local starts one here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train every combination of algorithms, games, settings and seeds; the same command goes on with what is left."""
    from feint.runs.sweep import read_sweep, results, sweep_file
    from feint.runs.sweeping import run_sweep

    words = sweep_file(file) if file else {}
    flags: dict[str, Any] = {
        "algorithms": algorithm, "games": game, "preset": preset, "seed": seed, "seeds": seeds,
        "apart": apart or None, "steps": steps, "hands": hands, "seconds": seconds, "until": until,
    }  # fmt: skip
    words |= {name: value for name, value in flags.items() if value is not None}
    before = words.get("settings", {})
    if settings and isinstance(before, Mapping):  # what is none is refused below
        words["settings"] = {**before, **dict(map(_setting, settings))}
    asked = read_sweep(words)
    with Waiting(f"training {len(asked.trials)} trials") as status:

        def told(outcome: Outcome, left: int) -> None:
            trial, why = outcome
            status.update(
                f"{trial.name} {'failed' if why else 'is done'}, {left} left; Ctrl-C stops, to be gone on with"
            )

        failed = run_sweep(asked, folder, workers, ray, told)
    rows = results(asked.trials, folder)
    if as_json:
        print_json({"sweep": str(folder), "trials": [_trial(row) for row in rows], "failed": failed})
    else:
        _tell(asked, rows, failed, folder)
    if failed:
        raise RunStopped(f"{len(failed)} of {len(asked.trials)} trials failed; the others are kept in {folder}.")


def _setting(text: str) -> tuple[str, list[str]]:
    key, equals, values = text.partition("=")
    if not equals:
        raise BadInput(f"--set takes key=value|value|…, but {text!r} was given.")
    return key.strip(), [value.strip() for value in values.split(OR)]


def _trial(row: dict[str, Any]) -> dict[str, Any]:
    """What came of a trial, for machines; its strategy is judged as lists of runs judge it."""
    rest = {"steps" if name == "step" else name: value for name, value in row.items()}
    return rest | judged_best(row, None)


def _tell(asked: Sweep, rows: list[dict[str, Any]], failed: dict[str, str], folder: Path) -> None:
    from feint.runs.summary import band, headline, of_strategy

    table = Table("trial", "steps", "how good it is", box=None, pad_edge=False)
    for row in rows:
        last = of_strategy(row)
        table.add_row(row["trial"], f"{last['step']:,}", f"{' '.join(headline(last))}{band(row)}")
    for name, why in failed.items():
        table.add_row(name, "", why)
    out.print(table)
    err.print(f"\nEvery trial is a run in {folder}: feint compare {folder}/*/ draws them.", soft_wrap=True)
