"""The command line, `feint` or `python -m feint`: Ctrl-C is heard from the first moment, while libraries are read."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any


def stop(number: int, frame: Any) -> None:
    """Leave at once: there is nothing to keep yet, and a library half read tells the user nothing."""
    sys.stderr.write("feint: Stopped; nothing new is kept.\n")
    sys.stderr.flush()
    os._exit(128 + number)


def main() -> None:
    # Shells have what goes on in the background ignore it.
    heard = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    if heard:
        signal.signal(signal.SIGINT, stop)
    from feint.cli import main as command

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        command()
    finally:  # all is said; an interrupt while libraries are put away would only be told by a traceback
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
