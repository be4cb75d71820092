"""Players who take their time think in a process of their own: what they work out and compile holds up no other table.

One such process serves all tables. It begins with the first table that needs it, gives way to whatever else the machine
does, is told what its players may see and nothing more, and ends with the studio. If it dies, the tables that it served
say so, and the next one begins another.
"""

from __future__ import annotations

import functools
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, final
from weakref import WeakSet

from feint.forms.form import Form
from feint.forms.library import form_of
from feint.forms.strategy import TabularStrategy
from feint.games.errors import BadInput
from feint.players.player import Observation, Player, Result
from feint.runs.lineup import players
from feint.tree.cache import keep_compiled

PATIENCE = 180.0
"""Seconds that one thought may take, what is compiled for it counted in."""
PATIENCE_FOR_ALL = 1800.0
"""Seconds in which a player writes down what it does everywhere, which is a thought at every decision of a game."""
MOST = 32
"""Players who may sit there at once."""
POLITE = 10
"""How much they give way to people who play meanwhile, as `nice` has it."""
MOST_FORMS = 4
"""Games that are held ready there."""

SAID, REFUSED, FAILED = "said", "refused", "failed"
Call = tuple[str, tuple[Any, ...]]
"""What a player is told or asked: the method's name and what goes with it."""


@final
class Gone(RuntimeError):
    """A player cannot be asked, or not any more. The message says why, and nothing that the player alone may know."""


@final
class Thinker(Player):
    """A player elsewhere. What it hears is passed on with the next question, and when a hand is over."""

    def __init__(self, process: _Process) -> None:
        self._process, self._line = process, process.connect()
        self._told: list[Call] = []
        self._asking, self.left = threading.Lock(), False

    def sit(self, key: str, game: str, seed: int | None = None) -> None:
        """Become a player by name at a game by name; `seed` is of all that it does at random."""
        self._ask("sit", key, game, seed)

    def written(self) -> TabularStrategy | None:
        """What it does everywhere, worked out there; None where it cannot say."""
        told: TabularStrategy | None = self._ask("written", patience=PATIENCE_FOR_ALL)
        return told

    def begin(self, player: int, told: str) -> None:
        self._told.append(("begin", (player, told)))

    def saw(self, seen: Observation) -> None:
        self._told.append(("saw", (seen,)))

    def heard(self, player: int, word: str) -> None:
        self._told.append(("heard", (player, word)))

    def move(self, seen: Observation) -> int:
        return int(self._ask("move", seen))

    def end(self, result: Result) -> None:
        self._told.append(("end", (result,)))
        with suppress(Gone):  # it is found out when there is something to ask
            self._send(False)

    def forget(self) -> None:
        self._told.append(("forget", ()))

    def close(self) -> None:
        """The table is no more; whatever it thinks about is for nobody."""
        self.left = True
        if self._asking.acquire(blocking=False):
            self._line.close()
            self._asking.release()

    def _ask(self, what: str, *more: Any, patience: float | None = None) -> Any:
        self._told.append((what, more))
        with self._asking:
            try:
                return self._answer(patience or PATIENCE)
            finally:
                if self.left:
                    self._line.close()

    def _answer(self, patience: float) -> Any:
        self._send(True)
        try:
            if not self._line.poll(patience):
                self._process.end()
                raise Gone(f"it thought for more than {patience:.0f} seconds")
            how, said = self._line.recv()
        except (EOFError, OSError) as error:
            raise Gone("the process in which it thinks has ended") from error
        if how != SAID:
            raise (BadInput if how == REFUSED else Gone)(said)
        return said

    def _send(self, wanted: bool) -> None:
        told, self._told = self._told, []
        try:
            self._line.send((told, wanted))
        except OSError as error:
            raise Gone("the process in which it thinks has ended") from error


@final
class Thinkers:
    """All of them, a bounded number."""

    def __init__(self) -> None:
        self._lock, self._closed = threading.Lock(), False
        self._process: _Process | None = None
        self._seated: WeakSet[Thinker] = WeakSet()

    def player(self, key: str, game: str, seed: int | None = None) -> Thinker:
        """A player by name at a game by name; the first one waits until the process has begun."""
        with self._lock:
            if self._closed:
                raise Gone("The studio is closing; nobody sits down any more.")
            if sum(not each.left for each in self._seated) >= MOST:
                raise Gone(f"{MOST} tables have somebody who searches, as many as can be; try again later.")
            if self._process is not None and not self._process.alive:
                self._process.end()
                self._process = None
            self._process = self._process or _Process()
            try:
                seated = Thinker(self._process)
            except Gone:  # it ended a moment ago, before that could be seen
                self._process.end()
                self._process = _Process()
                seated = Thinker(self._process)
            self._seated.add(seated)
        try:
            seated.sit(key, game, seed)
        except BadInput:
            seated.close()
            raise
        except Gone as error:
            seated.close()
            raise Gone(f"{key} cannot sit down ({error}); try again.") from error
        return seated

    def close(self) -> None:
        """End at once, whatever is being thought about."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.end()


@final
class _Process:
    """Where they think."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-P", "-m", "feint.studio.thinkers", str(theirs.fileno())]
            nothing, passed = subprocess.DEVNULL, (theirs.fileno(),)
            # Ctrl-C is for the studio, which then ends it; so it is in a session of its own.
            self.running = subprocess.Popen(
                command, stdin=nothing, stdout=nothing, pass_fds=passed, start_new_session=True
            )
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self.running.pid, POLITE)

    @property
    def alive(self) -> bool:
        return self.running.poll() is None

    def connect(self) -> Connection[Any, Any]:
        """A line to it for one more player, which it takes leave of when the line is closed."""
        mine, theirs = Pipe()
        with theirs:
            try:
                socket.send_fds(self._control, [b"+"], [theirs.fileno()])
            except OSError as error:
                raise Gone("The process in which players think has ended; sit down again.") from error
        return mine

    def end(self) -> None:
        """At once, and with nothing left of it."""
        self.running.kill()
        self.running.wait()
        self._control.close()


def main(control: socket.socket) -> None:
    """In the process: a thread for each player, until the studio is gone."""
    keep_compiled()
    while True:
        try:
            _, lines, _, _ = socket.recv_fds(control, 1, 1)
        except OSError:
            lines = []
        if not lines:
            os._exit(0)  # whatever is being thought about
        threading.Thread(target=_serve, args=(Connection(lines[0]),), daemon=True).start()


def _serve(line: Connection[Any, Any]) -> None:
    """One player, told and asked until the line is closed."""
    chair, answer = _Chair(), (SAID, None)
    with line, suppress(EOFError, OSError):
        while True:
            calls, wanted = line.recv()
            if answer[0] == SAID:  # who has failed once is not asked again
                answer = chair.take(calls)
            if wanted:
                line.send(answer)


@final
class _Chair:
    """Where one player sits, once there is one."""

    _form: Form
    _player: Player

    def take(self, calls: Sequence[Call]) -> tuple[str, Any]:
        """Tell and ask the player some things: how that went, and what was answered last."""
        said, playing = None, False
        try:
            for name, given in calls:
                playing = name not in ("sit", "written")
                said = getattr(self._player if playing else self, name)(*given)
        except Exception as error:  # a player that fails must not take others with it
            if playing:  # what it says may tell the cards that it sees
                return FAILED, type(error).__name__
            return REFUSED if isinstance(error, BadInput) else FAILED, str(error) or type(error).__name__
        return SAID, said

    def sit(self, key: str, game: str, seed: int | None) -> None:
        self._form = _form(game)
        self._player = players()[key].at(self._form, seed)

    def written(self) -> TabularStrategy | None:
        tree = self._form.tree
        strategy = None if tree is None else self._player.strategy
        if tree is None or strategy is None:
            return None
        return TabularStrategy(strategy.fingerprint, strategy.table(tree))


@functools.lru_cache(MOST_FORMS)
def _form(game: str) -> Form:
    return form_of(game)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
