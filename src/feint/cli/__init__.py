"""The commands. Data goes to stdout, talk to stderr; exit code 0 is done, 1 failed, 2 bad input."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import typer
from rich.text import Text

from feint.cli.judge import evaluate, play_match
from feint.cli.lists import agents, algorithms, games
from feint.cli.show import reproduce, show
from feint.cli.terminal import err
from feint.cli.train import train
from feint.games.errors import BadInput, RunStopped

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Find, judge and play strategies for games with hidden information.",
)
for command in (games, algorithms, agents, train, evaluate, play_match, show, reproduce):
    app.command("match" if command is play_match else None)(command)


def main() -> None:
    """Run the command line; every refusal is one sentence."""
    if not os.isatty(2):
        err.no_color = True
    try:
        status = app(standalone_mode=False)
    except BadInput as error:
        _fail(str(error), 2)
    except RunStopped as error:
        _fail(str(error), 1)
    except typer.TyperException as error:
        _fail(error.format_message(), 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped before there was anything to keep.", 1)
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, code: int) -> NoReturn:
    err.print(Text.assemble(("feint: ", "bold red"), message), soft_wrap=True)
    sys.exit(code)
