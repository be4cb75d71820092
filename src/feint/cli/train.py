"""Training."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from feint.cli import terminal
from feint.cli.show import print_strategy
from feint.cli.terminal import AsJson, err, judged_best, print_json
from feint.games.errors import BadInput

if TYPE_CHECKING:
    from feint.runs.run import Run


def train(
    algorithm: Annotated[str, typer.Argument(help="See feint algorithms.")],
    game: Annotated[str, typer.Argument(help="See feint games.")],
    steps: Annotated[int | None, typer.Option(help="Stop after this many steps.")] = None,
    hands: Annotated[int | None, typer.Option(help="Stop once this many hands were played.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this much time.")] = None,
    until: Annotated[float | None, typer.Option(help="Stop at this exploitability, in chips per hand.")] = None,
    preset: Annotated[str | None, typer.Option(help="A named set of settings; see feint algorithms.")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of everything random; by default 0.")] = None,
    seeds: Annotated[
        int | None,
        typer.Option(help="Train this many seeds at once, from --seed on; each is what it is alone, up to rounding."),
    ] = None,
    devices: Annotated[
        int, typer.Option(help="Share the seeds, or the tables and minibatches of one, among so many devices.")
    ] = 1,
    folder: Annotated[
        Path | None, typer.Option("--out", help="The run's folder; by default a new one in runs/.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from a run's last checkpoint.")] = False,
    save_every: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Train until told to stop; not told when, for a minute, or to exploitability 1e-4 where that is known."""
    from feint.report.live import LiveLine
    from feint.runs.config import check_positive
    from feint.runs.train import train as run_training

    if save_every != 0:  # which is at every evaluation
        check_positive("save_every", save_every)
    run = run_training(
        algorithm,
        game,
        steps=steps,
        hands=hands,
        seconds=seconds,
        until=until,
        settings=dict(_setting(text) for text in settings or ()),
        preset=preset,
        seed=seed,
        seeds=seeds,
        devices=devices,
        out=folder,
        resume=resume,
        save_every=save_every,
        watcher=LiveLine(err, f"{algorithm} on {game}"),
    )
    try:
        _tell(run, game, as_json)
    except KeyboardInterrupt:
        terminal.interrupted = True
        err.print(f"Stopped; the run is finished and kept in {run.path}.", soft_wrap=True)


def _tell(run: Run, game: str, as_json: bool) -> None:
    """Draw the curve of a finished run and say how good it is."""
    from feint.papers.library import published
    from feint.report.curve import draw_curve
    from feint.runs.config import resolve

    algorithm = run.config.algorithm
    picture = draw_curve([run], run.path / "curve.png", published(run.config.algorithm, run.config.game))
    last = run.metrics[-1]
    if as_json:
        done = {"run": str(run.path), "game": run.config.game, "algorithm": algorithm, "steps": last["step"]}
        done |= {"hands": int(last["hands"])} if "hands" in last else {}
        print_json(done | {"seconds": run.timings[-1]["seconds"]} | judged_best(last, run.bound))
        return
    print_strategy(run, run.form)
    where = shlex.quote(str(run.path))
    err.print(
        f"\nThe curve is {picture}. Go on with:\n  feint show {where}\n  feint evaluate {where}\n  feint play {where}"
        f"\n  feint train {algorithm} {shlex.quote(game)} --resume --out {where} --seconds 60",
        soft_wrap=True,
    )
    if words := resolve(algorithm, run.config.settings).hint(run.form):
        err.print(words, soft_wrap=True)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise BadInput(f"--set takes key=value, but {text!r} was given.")
    return key.strip(), value.strip()
