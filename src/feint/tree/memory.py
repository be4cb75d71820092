"""How much memory is free, to be known before any is taken."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

CONTAINER = Path("/sys/fs/cgroup")


def gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB"


def memory() -> int | None:
    """Bytes that are free where arrays are kept; None where nobody says."""
    with jax.ensure_compile_time_eval():  # trees are made while code is compiled, too
        (device,) = jnp.zeros(()).devices()
    if device.platform != "cpu":
        told = device.memory_stats() or {}
        return told["bytes_limit"] - told.get("bytes_in_use", 0) if "bytes_limit" in told else None
    free = [each() for each in (_of_machine, _of_container)]
    return min((size for size in free if size is not None), default=None)


def _of_machine() -> int | None:
    """What Linux says is free; elsewhere, what there is."""
    lines = _read(Path("/proc/meminfo"), lambda text: dict(line.split(":") for line in text.splitlines()))
    if lines and "MemAvailable" in lines:
        return int(lines["MemAvailable"].split()[0]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not known there
        return None


def _of_container() -> int | None:
    """What is left of what a container may take. Files that lie in memory and are not in use make room."""
    limit, used = (_read(CONTAINER / name, int) for name in ("memory.max", "memory.current"))
    files = _read(CONTAINER / "memory.stat", lambda text: dict(line.split() for line in text.splitlines())) or {}
    return None if limit is None or used is None else limit - used + int(files.get("inactive_file", 0))


def _read(path: Path, read: Callable[[str], Any]) -> Any:
    try:
        return read(path.read_text())
    except (OSError, ValueError):  # there is no such file, or it says that there is no limit
        return None
