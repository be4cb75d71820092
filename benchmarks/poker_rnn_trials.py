"""Seeds and readings of the agents of "Poker-RNN", many lanes at once, then matches of all with all and with searchers.

    python benchmarks/poker_rnn_trials.py OUT --state FOLDER --seconds 500 --gpu 3 --cpu 4 TRIAL …

TRIAL is AGENT/KIND as papers/poker_rnn_variants.py lists them, such as nfsp/published or dqn/readings; or `cross`, the
agents of all published trials against each other, seed by seed, and cross/AGENT for one against the others; or
mcts/AGENT, Monte Carlo tree search against one. An agent of which only what was trained again is in FOLDER is that one.
Each is a process: searchers on a processor, so many at once, all others on the accelerator. FOLDER
holds what is needed to go on (checkpoints of published trials, networks); OUT what is worth keeping: records.jsonl,
maps.safetensors (what agents make of starting hands) and networks of one seed. What is cut off leaves what was known,
and the same command goes on. Nothing here needs more than the packages from games/ to evaluate/ do.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import numpy as np
from safetensors.numpy import load, save

from feint.learners.networks import Design
from feint.learners.settings import Average, Replay
from feint.papers.poker_rnn_lanes import Lanes
from feint.papers.poker_rnn_records import Keeper
from feint.papers.poker_rnn_variants import LABELS, SEEDS, TRIALS, Trial
from feint.runs.files import write_whole
from poker_rnn_matches import TEACHERS, Size, cross, is_there, search

LARGEST = 15 << 20
"""Bytes of a file that comes back, at most."""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("out", type=Path)
    asked.add_argument("trials", nargs="+", help="what to do, the most important first")
    asked.add_argument("--state", type=Path, required=True, help="what is needed to go on; it may be large")
    asked.add_argument("--seconds", type=float, default=500.0, help="when all must have ended")
    asked.add_argument("--judging", type=float, default=100.0, help="seconds of these for judging")
    asked.add_argument("--gpu", type=int, default=3, help="processes at once on the accelerator")
    asked.add_argument("--cpu", type=int, default=4, help="processes at once on processors")
    asked.add_argument("--simulations", type=int, default=500, help="of a searcher, for each of its moves")
    asked.add_argument("--hands", type=int, default=4_000, help="of a match with a searcher, at most")
    asked.add_argument("--matches", type=int, default=200_000, help="hands of a match of two agents")
    asked.add_argument("--seeds", type=int, nargs="+", help="these alone, with a state of their own")
    asked.add_argument("--tiny", action="store_true", help="small networks and few steps, to see that all of it runs")
    asked.add_argument("--here", type=float, help="do one trial in this process until then, by the clock")
    args = asked.parse_args()
    if args.here:
        one(args.trials[0], args.state, args.here, args)
    else:
        side_by_side(args)


def one(name: str, state: Path, until: float, args: argparse.Namespace) -> None:
    """One trial, in this process."""
    tiny = args.tiny
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begun:.0f} s, {name}: {text}", flush=True)

    trials = {each: tried(trial) if tiny else trial for each, trial in TRIALS.items()}
    if args.seeds:
        trials = {each: replace(trial, seeds=tuple(args.seeds)) for each, trial in trials.items()}
    if name.startswith("cross"):
        cross(state, trials, name.removeprefix("cross").strip("/"), until, 512 if tiny else args.matches, say)
    elif name.startswith("mcts/"):
        size = Size(20, 16) if tiny else Size(args.simulations, args.hands)
        search(state, trials, name.removeprefix("mcts/"), until, size, say)
    else:
        trial = trials[name]
        lanes = Lanes(trial, state / "checkpoints" / name.replace("/", "-"), say)
        keeper = Keeper(lanes, state, say)
        keeper.train(until - args.judging)
        if trial.hands is not None:
            lanes.keep()
        keeper.judge(until)


def tried(trial: Trial) -> Trial:
    """A trial so small that it takes seconds."""
    network = trial.settings.network
    changes: dict[str, Any] = {"replay": Replay("rows", 500), "batch": 8, "warmup": 50}
    if network.hidden or network.recurrent:
        changes["network"] = Design((16,), cell=network.cell, cell_units=8)
    if trial.agent.endswith("nfsp"):
        changes["average"] = Average("reservoir", 500)
    short = {"hands": 400} if trial.hands else {"steps": 100}
    return replace(trial, changes=dict(trial.changes) | changes, bounds=16, growth=3.0, **short)


def side_by_side(args: argparse.Namespace) -> None:
    """All trials, each a process, as many at once as there is room for; what is known is gathered all the while."""
    end, waiting, running = time.time() + args.seconds, list(args.trials), dict[str, subprocess.Popen[bytes]]()
    logs = args.state / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    gathered = 0.0
    while (waiting or running) and time.time() < end + 20:
        for name in [name for name, process in running.items() if process.poll() is not None]:
            print(f"{name}: {'done' if running.pop(name).returncode == 0 else 'failed; see its log'}", flush=True)
        for name in startable(waiting, list(running), args):
            waiting.remove(name)
            command = [sys.executable, __file__, str(args.out), name, "--state", str(args.state), "--here", str(end)]
            for option in ("judging", "simulations", "hands", "matches"):
                command += [f"--{option}", str(getattr(args, option))]
            command += ["--tiny"] if args.tiny else []
            command += ["--seeds", *map(str, args.seeds)] if args.seeds else []
            with (logs / f"{name.replace('/', '-')}.log").open("ab") as log:
                running[name] = subprocess.Popen(command, env=surroundings(name), stdout=log, stderr=log)
        if time.time() - gathered > 15:
            gather(args)
            gathered = time.time()
        time.sleep(0.5)
    for name, process in running.items():
        process.kill()
        print(f"{name}: out of time", flush=True)
    gather(args)
    print("not begun: " + (", ".join(waiting) or "none"), flush=True)


def startable(waiting: list[str], running: list[str], args: argparse.Namespace) -> list[str]:
    """The trials that can begin now: where there is room, and what they need is there."""
    room, found = {True: args.cpu, False: args.gpu}, []
    for name in running:
        room[on_processor(name)] -= 1
    busy = [name for name in (*running, *waiting) if name.endswith("/published")]
    for name in waiting:
        ready = not name.startswith("cross") or not busy
        if name.startswith("mcts/"):
            there = [agent for agent in LABELS if is_there(args.state, agent)]
            ready = name.removeprefix("mcts/") in there and not {*there}.isdisjoint(TEACHERS)
        if ready and room[on_processor(name)] > 0:
            room[on_processor(name)] -= 1
            found.append(name)
    return found


def on_processor(name: str) -> bool:
    return name.startswith("mcts/")


def surroundings(name: str) -> dict[str, str]:
    """A process leaves room for the others: memory as it needs it, and one core of a processor."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false"
    alone = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags, "OMP_NUM_THREADS": "1"}
    return os.environ | (alone if on_processor(name) else {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"})


def gather(args: argparse.Namespace) -> None:
    """Everything known so far as few small files."""
    state, out, seed = args.state, args.out, (args.seeds or SEEDS)[0]
    out.mkdir(parents=True, exist_ok=True)
    records = b"".join(path.read_bytes() for path in sorted((state / "records").glob("*.jsonl")))
    write_whole(out / "records.jsonl", records)
    maps: dict[str, np.ndarray] = {}
    for path in sorted((state / "maps").glob("*.safetensors")):
        maps |= load(path.read_bytes())
    if maps:
        write_whole(out / "maps.safetensors", save(maps))
    for agent in LABELS:
        path = state / "networks" / f"{agent}-published.safetensors"
        if path.is_file():
            kept = {name: array.astype(np.float16) for name, array in load(path.read_bytes()).items()}
            first = save({name: array for name, array in kept.items() if name.startswith(f"{seed}/playing/")})
            if len(first) <= LARGEST:
                write_whole(out / f"{agent}.safetensors", first)


if __name__ == "__main__":
    main()
