"""The commands. Data goes to stdout, talk to stderr; exit code 0 is done, 1 failed, 2 bad input, 130 interrupted."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer
from rich.text import Text

from feint.cli import acpc, terminal
from feint.cli.ask import ask
from feint.cli.check import check
from feint.cli.compare import compare
from feint.cli.export import export
from feint.cli.judge import evaluate, play_match
from feint.cli.league import league
from feint.cli.lists import agents, algorithms, games, judges, players, runs
from feint.cli.play import play
from feint.cli.show import reproduce, show
from feint.cli.solve import solve
from feint.cli.studio import studio
from feint.cli.sweep import sweep
from feint.cli.terminal import err, out
from feint.cli.train import train
from feint.games.errors import BadInput, RunStopped

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    help="Find, judge and play strategies for games with hidden information.",
)


@app.callback()
def start(
    version: Annotated[bool, typer.Option("--version", help="Which Feint this is.", is_eager=True)] = False,
) -> None:
    if version:
        import feint

        out.print(f"feint {feint.__version__}")
        raise typer.Exit
    from feint.tree.cache import keep_compiled

    keep_compiled()


LISTS = (games, algorithms, agents, runs, players, judges)
for command in (
    *LISTS,
    check,
    train,
    sweep,
    evaluate,
    play_match,
    league,
    ask,
    solve,
    play,
    studio,
    show,
    export,
    compare,
    reproduce,
):
    app.command("match" if command is play_match else None)(command)
app.add_typer(acpc.app, name="acpc")


def main() -> None:
    """Run the command line; every refusal is one sentence."""
    if not os.isatty(2):
        err.no_color = True
    try:
        status = app(standalone_mode=False)
    except BadInput as error:
        _fail(str(error), 2)
    except RunStopped as error:
        _fail(str(error), error.code)
    except typer.TyperException as error:
        _fail(error.format_message(), 2)
    except OSError as error:
        what = f"{error.filename} cannot be used" if error.filename else "The output cannot be written"
        _fail(f"{what} ({error.strerror}); {'choose another folder with --out' if error.filename else 'make room'}.", 1)
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    if status == INTERRUPTED:
        _fail("Stopped; nothing new is kept.", INTERRUPTED)
    _leave(status if isinstance(status, int) else 0)


def _fail(message: str, code: int) -> NoReturn:
    if message:  # there is none where the help says it all
        err.print(Text.assemble(("feint: ", "bold red"), message), soft_wrap=True)
    _leave(code)


def _leave(code: int) -> NoReturn:
    if terminal.interrupted or code == INTERRUPTED:
        # What is still being computed must not find its memory gone: leave at once, with everything said.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
