"""Spots of hold'em beside TexasSolver, in one run: python benchmarks/texas_solver.py FOLDER [--board QsJh2h5c].

FOLDER holds its program, `console_solver`, and its `resources`: the branch `console` of bupticybee/TexasSolver on
GitHub, built as its README says, with -O3. The spot is its own benchmark (spots/QsJh2h.json), from the flop on unless a
longer board is given. It solves to --accuracy percent of the pot, and ours to what it came to, on as many cores. One
line of JSON: for each how good, after how many iterations and seconds, what the first move is, and how far the two are
apart there, hand by hand.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from feint.games.postflop import Spot
from feint.runs.provenance import provenance
from feint.solvers.spots import Node, solve

SPOT = Path(__file__).parent / "spots" / "QsJh2h.json"
LOOK = re.compile(r"Iter: (\d+)\s.*?Total exploitability ([\d.]+) precent\s+time used: ([\d.]+)", re.DOTALL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--board", default="QsJh2h")
    parser.add_argument("--accuracy", type=float, default=0.3)
    asked = parser.parse_args()
    spot = Spot.read(json.loads(SPOT.read_text()) | {"board": asked.board})
    cores = len(os.sched_getaffinity(0))
    theirs, chances = _theirs(asked.folder.resolve(), spot, asked.accuracy, cores)
    started = time.perf_counter()
    solution = solve(spot, theirs["share"])
    ours = {"share": solution.share, "steps": solution.steps, "seconds": solution.seconds}
    ours["all_s"] = time.perf_counter() - started
    told = {"board": asked.board, "cores": cores, "made_with": list(provenance()), "theirs": theirs, "ours": ours}
    print(json.dumps(told | _compared(solution.at(), chances)))


def _theirs(folder: Path, spot: Spot, accuracy: float, cores: int) -> tuple[dict[str, float], dict[str, list[float]]]:
    """How TexasSolver fared, and how often it makes each move first, by hand."""
    with tempfile.TemporaryDirectory() as place:
        told, kept = Path(place) / "spot.txt", Path(place) / "solved.json"
        told.write_text("\n".join(_commands(spot, accuracy, cores, kept)) + "\n")
        started = time.perf_counter()
        resources = folder / "resources"
        program = [folder / "console_solver", "-i", told, "-r", resources, "-m", "holdem"]
        said = subprocess.run(program, check=True, capture_output=True, text=True, cwd=place).stdout
        spent = time.perf_counter() - started
        steps, share, seconds = LOOK.findall(said)[-1]
        chances: dict[str, list[float]] = json.loads(kept.read_text())["strategy"]["strategy"]
    fared = {"share": float(share) / 100, "steps": int(steps), "seconds": float(seconds), "all_s": spent}
    return fared, chances


def _commands(spot: Spot, accuracy: float, cores: int, kept: Path) -> list[str]:
    """The spot in TexasSolver's words."""
    cards = [spot.board[at : at + 2] for at in range(0, len(spot.board), 2)]
    lines = [f"set_pot {spot.pot:g}", f"set_effective_stack {spot.stack:g}", f"set_board {','.join(cards)}"]
    lines += [f"set_range_oop {spot.oop}", f"set_range_ip {spot.ip}"]
    for street in spot.streets:
        for seat in ("oop", "ip"):
            menu, here = spot.menu(street, seat), f"set_bet_sizes {seat},{street}"
            sizes = ",".join(f"{100 * bet:g}" for bet in menu.bets)
            lines += [f"{here},bet,{sizes}", f"{here},raise,{','.join(f'{100 * bet:g}' for bet in menu.raises)}"]
            lines += [f"{here},donk,{sizes}"] if seat == "oop" and street != "flop" else []
            lines += [f"{here},allin"] if menu.all_in else []
    lines += ["set_allin_threshold 1.0", "build_tree", f"set_thread_num {cores}", f"set_accuracy {accuracy:g}"]
    lines += ["set_max_iteration 1000", "set_print_interval 10", "set_use_isomorphism 1", "start_solve"]
    return [*lines, "set_dump_rounds 1", f"dump_result {kept}"]


def _compared(node: Node, theirs: dict[str, list[float]]) -> dict[str, Any]:
    """How often each move is made first, and by how much the two are apart: of both, with the hands they come with."""
    found = {frozenset((name[:2], name[2:])): chances for name, chances in theirs.items()}
    hands = node.by_hand()
    weights = np.array([hand["weight"] for hand in hands.values()])
    weights = weights / weights.sum()
    ours = np.array([[hand["moves"][move] for move in node.moves] for hand in hands.values()])
    them = np.array([found[frozenset((name[:2], name[2:]))] for name in hands])
    apart = np.abs(ours - them).sum(1) / 2
    return {
        "moves": list(node.moves),
        "first": {"theirs": (weights @ them).round(4).tolist(), "ours": (weights @ ours).round(4).tolist()},
        "apart_by_hand": float((weights @ apart).round(4)),
    }


if __name__ == "__main__":
    main()
