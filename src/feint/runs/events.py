"""What TensorBoard shows of a run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import final

from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.summary import scalar

from feint.runs.files import Row


@final
class Events:
    """A file of events. Written at once, not behind the run's back, so that a full disk is told like any other."""

    def __init__(self, folder: Path, step: int) -> None:
        folder.mkdir(exist_ok=True)
        self._file = EventsWriter(str(folder / "events"))
        # What an earlier process has written from here on is to be forgotten.
        self._file.write_event(Event(wall_time=time.time(), step=step, session_log=SessionLog(status=SessionLog.START)))

    def add(self, row: Row) -> None:
        """Every number of an evaluation."""
        for name, value in row.items():
            if isinstance(value, float):
                self._file.write_event(Event(wall_time=time.time(), step=row["step"], summary=scalar(name, value)))
        self._file.flush()

    def close(self) -> None:
        self._file.close()
