"""Environments of Leduc for others' learners: steps a second next to PettingZoo's and OpenSpiel's, one core.

Every block of ours is followed by one of each peer's. Results are printed, and kept in results/environments.json and
results/environments.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from racing import BLOCKS, PEERS_PYTHON, Racer, one_core, processor
from tables import Cells, figure, markdown, show

OURS = {
    "TablesEnv, 1,024 tables": "few",
    "TablesEnv, 16,384 tables": "many",
    "SeatEnv, one table": "table",
    "aec_env, one table": "agents",
}
PEERS = {"PettingZoo's RLCard Leduc": "pettingzoo", "OpenSpiel's rl_environment": "open_spiel"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="the least a timed block takes")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="a folder for the results")
    args = parser.parse_args()
    one_core()
    results: dict[str, Any] = {"processor": processor(), "blocks": BLOCKS, "least_seconds_a_block": args.seconds}
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        ours = stack.enter_context(Racer(Path(sys.executable), "ours_environments.py", home))
        peers = stack.enter_context(Racer(PEERS_PYTHON, "peers_environments.py", home))
        entered = {name: (ours, method) for name, method in OURS.items()}
        entered |= {name: (peers, method) for name, method in PEERS.items()}
        facts = {name: racer.ask(method, "") for name, (racer, method) in entered.items()}
        blocks: dict[str, list[float]] = {name: [] for name in entered}
        waiting = []
        for _ in range(BLOCKS):
            for name, (racer, method) in entered.items():
                answer = racer.ask(method, "", args.seconds)
                blocks[name].append(answer["rate"] * answer["steps"])
                waiting.append(os.getloadavg()[0])
        results |= {"versions": ours.versions | peers.versions, "facts": facts, "load": max(waiting)}
    results |= {"blocks_of": blocks, "steps_a_second": {name: median(made) for name, made in blocks.items()}}
    args.out.mkdir(exist_ok=True)
    (args.out / "environments.json").write_text(json.dumps(results, indent=1) + "\n")
    (args.out / "environments.md").write_text(markdown(results, SECTIONS, _notes))
    show(results, SECTIONS, _notes)


def _raced(results: dict[str, Any]) -> Cells:
    rate = results["steps_a_second"]
    return [
        (name, figure(rate[name]), *(f"{figure(rate[peer])} ({figure(rate[name] / rate[peer])}×)" for peer in PEERS))
        for name in OURS
    ]


def _notes(results: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    busy = (
        f" The machine was busy (load {results['load']:.0f}), with ours and the peers alike: the ratios say more than "
        f"the rates."
        if results["load"] > 2 * len(os.sched_getaffinity(0)) + 1
        else ""
    )
    return (
        f"Steps a second on one core ({results['processor']}), and in brackets how many times the peer's: medians of "
        f"{results['blocks']} blocks of at least {results['least_seconds_a_block']:g} s, ours and peers' in turn. "
        f"{versions}. A step is one move that is given from outside, drawn among the legal ones in the same loop; the "
        f"opponent's moves at our tables come on top and are not counted. TablesEnv was compiled beforehand, in "
        f"{results['facts'][next(iter(OURS))]['compile_s']:.1f} s.{busy}"
    )


SECTIONS = (("Side by side", ("Leduc", "steps/s", *PEERS), _raced),)


if __name__ == "__main__":
    main()
