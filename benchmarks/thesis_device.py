"""The experiments of `feint reproduce leduc-thesis` side by side, each in a process of its own with one thread.

    python benchmarks/thesis_device.py FOLDER --processes 10 --seconds 530
    python benchmarks/thesis_device.py FOLDER --processes 2 --seconds 120 --share 0.001      a try

What takes longest begins first. Every process ends in time, with what it has; finished records are lines of
FOLDER/trials.jsonl, and what was said on the way is FOLDER/trials.log. Called again, it trains what is not there yet,
or has fewer seeds or was asked for fewer steps than now; what comes of that takes its line.
It needs no more than the packages from games/ to evaluate/, so it also runs where Feint's command line does not;
FEINT_COMMIT tells it the commit where there is no repository to ask.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from feint.papers.thesis_trials import EXPERIMENTS, KNOWN, Experiment, has_all, keep_record, records, run
from feint.runs.provenance import provenance

ONE_THREAD = {
    "JAX_PLATFORMS": "cpu",
    "NPROC": "1",
    "OMP_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}
LEAST = 40.0
"""Nothing begins with fewer seconds left: it would hardly have compiled."""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--processes", type=int, default=10)
    asked.add_argument("--seconds", type=float, default=530.0, help="after which everything has ended")
    asked.add_argument("--share", type=float, default=1.0, help="of each experiment's steps")
    asked.add_argument("--only", nargs="*", default=list(KNOWN), choices=list(KNOWN), metavar="NAME")
    asked.add_argument("--here", action="store_true", help="train the first of these in this process and print it")
    args = asked.parse_args()
    if args.here:
        print(json.dumps(trained(KNOWN[args.only[0]], args.share, time.time() + args.seconds)))
        return
    args.folder.mkdir(parents=True, exist_ok=True)
    kept, until, lock = records(args.folder), time.time() + args.seconds, threading.Lock()
    with ThreadPoolExecutor(args.processes) as crew:
        for experiment in sorted(EXPERIMENTS, key=lambda each: -each.cost):
            known = has_all(kept.get(experiment.name), experiment, steps_of(experiment, args.share))
            if experiment.name in args.only and not known:
                crew.submit(in_a_process, experiment, args, until, lock)


def trained(experiment: Experiment, share: float, until: float) -> dict[str, object]:
    """An experiment's record, with what it was made with."""
    steps = steps_of(experiment, share)
    record = run(experiment, steps, until, lambda words: print(words, file=sys.stderr, flush=True))
    return record | {"made_with": list(provenance())}


def steps_of(experiment: Experiment, share: float) -> int:
    return max(1, int(experiment.steps * share))


def in_a_process(experiment: Experiment, args: argparse.Namespace, until: float, lock: threading.Lock) -> None:
    """One process; its record and what it said are written down when it ends."""
    left = until - time.time()
    if left < min(LEAST, 0.5 * args.seconds):
        print(f"{experiment.name}: no time left", flush=True)
        return
    how = ["--seconds", f"{left:.0f}", "--share", str(args.share)]
    command = [sys.executable, __file__, str(args.folder), *how, "--here", "--only", experiment.name]
    ended = subprocess.run(command, env=os.environ | ONE_THREAD, capture_output=True, text=True, check=False)
    with lock:
        with (args.folder / "trials.log").open("a") as log:
            log.write(ended.stderr)
        if ended.returncode == 0:
            keep_record(args.folder, json.loads(ended.stdout.splitlines()[-1]))
        said = "done" if ended.returncode == 0 else "failed, see trials.log"
        print(f"{experiment.name}: {said}, {until - time.time():.0f} s left", flush=True)


if __name__ == "__main__":
    main()
