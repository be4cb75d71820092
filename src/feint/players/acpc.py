"""Programs of the annual computer poker competition (ACPC) as players: whatever connects over TCP sits at our table.

So a table with such a player is the competition's dealer, and a program plays matches on duplicate deals, leagues and
whatever else players do. Version 2 of the protocol: the program says `VERSION:2.0.0`, is sent a MATCHSTATE line
whenever something has changed, and answers with the line, a colon and f, c or r. As the competition's own dealer
does, comments and answers to other states are passed over, and what is no legal action counts as a call.
"""

from __future__ import annotations

import re
import socket
import time
from dataclasses import dataclass
from typing import ClassVar, Self, final

from feint.forms.form import Form
from feint.games.acpc import Notation
from feint.games.errors import BadInput
from feint.games.hand import CALL
from feint.games.poker import Poker
from feint.players.player import Observation, Player, PlayerConfig, Result

VERSION = re.compile(r"VERSION:2\.(\d{1,4})\.(\d{1,4})")
LONGEST = 1024
"""Characters of a line."""
MOST_WRONG = 100
"""Lines that answer nothing, or actions that are not legal, before a match is ended."""


@final
class Lines:
    """Lines over TCP, with a time by which they must have come."""

    def __init__(self, connection: socket.socket, whom: str) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self._whom, self._read = connection, whom, b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def send(self, line: str) -> None:
        try:
            self._connection.sendall(f"{line}\r\n".encode())
        except OSError as error:
            raise self._gone() from error

    def receive(self, seconds: float) -> str:
        """The next line that is no comment."""
        ends = time.monotonic() + seconds
        while True:
            line = self._line(ends, seconds)
            if line and line[0] not in "#;":
                return line

    def _line(self, ends: float, seconds: float) -> str:
        while b"\n" not in self._read:
            if len(self._read) > LONGEST:
                raise BadInput(f"{self._whom} sent a line of more than {LONGEST} characters; mend the program.")
            left = ends - time.monotonic()
            try:
                self._connection.settimeout(max(left, 1e-3))
                more = self._connection.recv(4096)
            except TimeoutError as error:
                raise BadInput(
                    f"{self._whom} said nothing for {seconds:g} s; give it more time, or mend it."
                ) from error
            except OSError as error:
                raise self._gone() from error
            if not more:
                raise self._gone()
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line.decode("ascii", "replace").strip()

    def _gone(self) -> BadInput:
        return BadInput(f"{self._whom} is gone: the connection was closed before the match was over.")

    def close(self) -> None:
        self._connection.close()


@final
class AcpcPlayer(Player):
    """A program that is waited for at a port, and then asked for every move."""

    def __init__(self, game: Poker, listening: socket.socket, seconds: float, start_seconds: float) -> None:
        self._notation, self._listening = Notation(game), listening
        self._seconds, self._start_seconds = seconds, start_seconds
        self._lines: Lines | None = None
        self._hand, self._player, self._wrong, self._sent = -1, 0, 0, ""
        self._view: object = None

    @property
    def port(self) -> int:
        """Where it is waited for."""
        return int(self._listening.getsockname()[1])

    def begin(self, player: int, told: str) -> None:
        self._hand, self._player = self._hand + 1, player
        if self._lines is None:
            self._meet()

    def saw(self, seen: Observation) -> None:
        self._view = seen.view
        if seen.going_on:
            self._tell(self._notation.line(self._player, self._hand, seen.view))

    def move(self, seen: Observation) -> int:
        assert self._lines is not None
        ends = time.monotonic() + self._seconds
        while True:
            line = self._lines.receive(max(ends - time.monotonic(), 0.0))
            state, _, action = line.rpartition(":")
            if state == self._sent:
                break
            self._count_wrong(f"{line[:80]!r} answers something else than {self._sent}")
        notation = self._notation
        move = notation.move(notation.seen(seen.view), action)
        if move is None:
            self._count_wrong(f"{action[:20]!r} is not legal after {self._sent}")
            return CALL
        return move

    def end(self, result: Result) -> None:
        shown = {who: cards for who, cards in result.revealed.items() if isinstance(cards, tuple)}
        self._tell(self._notation.line(self._player, self._hand, self._view, shown))

    def close(self) -> None:
        """Let the program go: it learns that the match is over by the end of the connection."""
        if self._lines is not None:
            self._lines.close()
        self._listening.close()

    def _tell(self, line: str) -> None:
        assert self._lines is not None
        self._sent = line
        self._lines.send(line)

    def _count_wrong(self, what: str) -> None:
        self._wrong += 1
        if self._wrong > MOST_WRONG:
            raise BadInput(f"The program at port {self.port} was wrong {MOST_WRONG} times, at last: {what}; mend it.")

    def _meet(self) -> None:
        where = "{}:{}".format(*self._listening.getsockname())
        self._listening.settimeout(self._start_seconds)
        try:
            connection, _ = self._listening.accept()
        except TimeoutError as error:
            raise BadInput(
                f"No program came to {where} in {self._start_seconds:g} s; start it there, or wait longer."
            ) from error
        self._lines = Lines(connection, f"The program at {where}")
        version = self._lines.receive(self._start_seconds)
        if not VERSION.fullmatch(version):
            raise BadInput(
                f"The program at {where} began with {version[:40]!r}, but VERSION:2.0.0 opens this protocol."
            )


@final
@dataclass(frozen=True)
class AcpcConfig(PlayerConfig):
    """A program of the ACPC."""

    about: ClassVar[str] = "Whatever program connects to a port and speaks the ACPC's protocol."
    remote: ClassVar[bool] = True
    port: int = 18_791
    """Where the program is waited for; 0 for any port that is free."""
    host: str = "127.0.0.1"
    """The address that is listened at. Nobody is asked who they are there: leave it to this machine, or to a tunnel."""
    seconds: float = 60.0
    """How long a move may take."""
    start_seconds: float = 60.0
    """How long the program is waited for."""

    def at(self, form: Form, seed: int | None) -> AcpcPlayer:
        if not isinstance(form.game, Poker):
            raise BadInput(f"The ACPC's programs play poker, and {form.name} is none; choose another game.")
        Notation(form.game)
        try:
            listening = socket.create_server((self.host, self.port))
        except (OSError, OverflowError) as error:
            raise BadInput(f"{self.host}:{self.port} cannot be listened at ({error}); choose another port.") from error
        return AcpcPlayer(form.game, listening, self.seconds, self.start_seconds)


PLAYERS = {"acpc": AcpcConfig()}
