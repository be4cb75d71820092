"""The agents of `feint reproduce poker-rnn` side by side on one accelerator, each in a process of its own.

    python benchmarks/poker_rnn_device.py FOLDER                            all ten, then the report
    python benchmarks/poker_rnn_device.py FOLDER as-published/rnfsp large/dqn --together 2
    python benchmarks/poker_rnn_device.py FOLDER --judge large              one stage, and no report

Small networks leave most of an accelerator idle, so those of the first stage take little longer together than alone.
What is finished is read back and what was cut off goes on, so it may be called again with the same folder.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from feint.papers.poker_rnn import play_stage, reproduce, train_agent
from feint.papers.poker_rnn_judge import AGENTS
from feint.papers.poker_rnn_stages import LARGE, PUBLISHED, limit_holdem

STAGES = {stage.name: stage for stage in (PUBLISHED, LARGE)}
ALL = [f"{stage}/{agent}" for stage in STAGES for agent in reversed(AGENTS)]


class Lines:
    """Progress as lines of a log."""

    def __init__(self, title: str) -> None:
        self._title, self._begun = title, time.monotonic()

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *error: object) -> None:
        self.stage("left")

    def stage(self, text: str) -> None:
        print(f"{time.monotonic() - self._begun:.0f} s, {self._title}: {text}", flush=True)

    warn = stage

    def row(self, row: dict[str, float], seconds: float) -> None:
        self.stage(
            f"{row['step']:,} steps, {row['hands']:,.0f} hands in {seconds:.0f} s, {row['winnings']:+,.0f} mbb/h"
        )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("out", type=Path)
    asked.add_argument("agents", nargs="*", default=ALL, help="stage/agent; all of them and the report if left out")
    asked.add_argument("--together", type=int, default=len(AGENTS), help="processes at once")
    asked.add_argument("--here", action="store_true", help="train in this process, one after the other")
    asked.add_argument("--judge", choices=STAGES, help="judge this stage's agents, here")
    args = asked.parse_args()
    if args.judge:
        play_stage(STAGES[args.judge], args.out, limit_holdem(), Lines)
        return
    if args.here:
        for name in args.agents:
            stage, _, agent = name.partition("/")
            train_agent(STAGES[stage], agent, args.out, Lines)
        return
    side_by_side(args.out, list(args.agents), args.together)
    if args.agents == ALL:
        reproduce(args.out, quick=False, watch=Lines)


def side_by_side(out: Path, names: list[str], together: int) -> None:
    """Train agents, so many at once, in this order; what each says goes to a log of its own."""
    out.mkdir(parents=True, exist_ok=True)
    apart = os.environ | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    running: dict[str, subprocess.Popen[bytes]] = {}
    while names or running:
        while names and len(running) < together:
            name = names.pop(0)
            with (out / f"{name.replace('/', '-')}.log").open("ab") as log:
                command = [sys.executable, __file__, str(out), name, "--here"]
                running[name] = subprocess.Popen(command, env=apart, stdout=log, stderr=log)
        time.sleep(1.0)
        for name in [name for name, process in running.items() if process.poll() is not None]:
            print(f"{name}: {'done' if running.pop(name).returncode == 0 else 'failed; see its log'}", flush=True)


if __name__ == "__main__":
    main()
