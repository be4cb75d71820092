"""What the commands share: where they print, and how they tell machines how good a run is."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Self, final

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

CONTROL = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
"""Characters that would steer a terminal, and what is shown for them."""


@final
class Plain(Console):
    """Names of runs and games are printed as they are, but nothing in them steers the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else text.translate(CONTROL), style, control)


out = Plain(highlight=False, markup=False, emoji=False)
err = Plain(stderr=True, highlight=False, markup=False, emoji=False)

interrupted = False
"""Whether Ctrl-C has cut something off whose result so far was kept."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
PLAYER = "A run's folder, an agent (see feint agents),"
PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help=f"{PLAYER} random, call, raise or fold.")]
GameName = Annotated[str | None, typer.Option("--game", help="The game, where no run says it or holds its rules.")]
Trust = Annotated[bool, typer.Option("--trust", help="Start the rules that come with a run: they are a program.")]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, or an agent: see feint agents.")]


EVERY = 10.0
"""Seconds between lines where there is no terminal."""


@final
class Waiting:
    """What is being done, on a line that changes in a terminal; elsewhere a line now and then, if it takes long."""

    def __init__(self, text: str) -> None:
        self._status = err.status(text)
        self._told = time.monotonic()

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._status.stop()

    def update(self, text: str) -> None:
        self._status.update(text)
        if not err.is_terminal and time.monotonic() - self._told >= EVERY:
            err.print(text, soft_wrap=True)
            self._told = time.monotonic()


@final
class Interruptible:
    """While there is `something` to show, Ctrl-C or a person's q ends what is being done and no more."""

    something = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        global interrupted
        interrupted = interrupted or (isinstance(error, KeyboardInterrupt) and self.something)
        return isinstance(error, (KeyboardInterrupt, EOFError)) and self.something


def in_paragraphs(text: str) -> str:
    """Documentation with no line breaks but those between paragraphs and parameters, to be wrapped anew."""
    return re.sub(r"(?<!\n)\n(?!\n|\w+: )", " ", text)


def short(game: str) -> str:
    """A game's name without the folders that its file is in."""
    file, python, call = game.rpartition(".py:")
    return f"{Path(file).name}{python}{call}" if python else game


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def judged_best(row: dict[str, Any], bound: Any) -> dict[str, Any]:
    """An evaluation of the strategy that is kept, for machines; where it is the best of many seeds, that is said."""
    from feint.runs.summary import measured, of_strategy

    seeds = row.get("seeds")
    several = {"best_of_seeds": len(seeds), "median": measured(row).value} if seeds else {}
    return several | judged(of_strategy(row), bound)


def judged(row: dict[str, Any], bound: Any) -> dict[str, Any]:
    """An evaluation for machines, with its unit and kind."""
    from feint.runs.summary import measured

    number, more = measured(row), "nash_conv" if "exploitability" in row else "winnings_error"
    told = {number.name: number.value, more: row[more], "unit": number.unit, "kind": number.kind}
    return told | ({"bound": asdict(bound)} if bound else {})
