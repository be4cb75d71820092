"""The studio, served to this machine."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from feint.cli.terminal import err, out
from feint.games.errors import BadInput

HERE = "127.0.0.1"
HTTP = 80
SWITCH = 0.0005
"""Seconds after which threads take turns: a table must not wait long for one at which somebody thinks."""


def studio(
    port: Annotated[int, typer.Option(help="Where it listens; 0 for any port that is free.", min=0, max=65535)] = 8077,
    runs: Annotated[Path, typer.Option(help="The folder of your runs; hands that you play are kept there too.")] = Path(
        "runs"
    ),
    browser: Annotated[bool, typer.Option(help="Open it in a browser.")] = True,
) -> None:
    """A page in the browser, for this machine alone: play, look at strategies, solve spots, train and compare."""
    try:
        import uvicorn

        from feint.studio.app import make_app
    except ImportError as error:
        raise BadInput(
            f"The studio needs {error.name}, which is not installed; install it with pip install 'feint[studio]'."
        ) from error
    kept, ready = runs / "hands.sqlite", threading.Event()
    with _listening(port) as listening:
        port = listening.getsockname()[1]
        hosts = HERE, "localhost"
        unsaid = hosts if port == HTTP else ()  # browsers leave that one out
        app = make_app(runs, kept, (*(f"{host}:{port}" for host in hosts), *unsaid), ready)
        out.print(address := f"http://{HERE}:{port}/")
        err.print("The studio is open at this address, to this machine alone; Ctrl-C closes it.")
        if browser:
            threading.Thread(target=lambda: ready.wait() and webbrowser.open(address), daemon=True).start()
        sys.setswitchinterval(SWITCH)
        config = uvicorn.Config(
            app, log_level="warning", ws="none", timeout_graceful_shutdown=2, limit_concurrency=2048
        )
        with suppress(KeyboardInterrupt):  # Ctrl-C is how it is closed
            uvicorn.Server(config).run(sockets=[listening])
    err.print(f"The studio is closed; hands that were played to their end are in {kept}.", soft_wrap=True)


def _listening(port: int) -> socket.socket:
    # Said to be TCP, answers leave at once; otherwise each of their packets waits 40 ms for the last one's receipt.
    listening = socket.socket(proto=socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HERE, port))
    except OSError as error:
        listening.close()
        raise BadInput(f"Port {port} cannot be used ({error.strerror}); choose another with --port, or 0.") from error
    return listening
