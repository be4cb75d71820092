"""With what runs are made here: the machine, the libraries that decide their numbers, and this program."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

import jax

import feint


@cache
def provenance(devices: int = 1) -> tuple[str, ...]:
    """The machine, with its devices where several were used, and then the programs, this one last, with its commit.

    A checkout knows its commit; a copy without a repository is told it by FEINT_COMMIT.
    """
    file, root, device = Path("/proc/cpuinfo"), Path(__file__).parents[3], jax.devices()[0]
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    machine = names[0] if names else platform.machine()
    commit = os.environ.get("FEINT_COMMIT", "")
    if (root / ".git").exists() and shutil.which("git"):
        describe = ["git", "-C", str(root), "describe", "--always", "--exclude=*", "--dirty= with changes"]
        commit = subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip() or commit
    count = f"{devices} × " if devices > 1 else ""
    return (
        f"{count}{machine}" if device.platform == "cpu" else f"{count}{device.device_kind} beside {machine}",
        f"jax {jax.__version__}",
        f"feint {feint.__version__}" + (f" (commit {commit})" if commit else ""),
    )
