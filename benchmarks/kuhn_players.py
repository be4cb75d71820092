"""Kuhn poker for 2 to 10 players: how far each method goes, and what stops it.

    python benchmarks/kuhn_players.py --limit 1200 > docs/results/kuhn_fictitious_play/players.jsonl
    python benchmarks/kuhn_players.py --players 3 --methods cfr+ xfp
    python benchmarks/kuhn_players.py --far --limit 3600 >> docs/results/kuhn_fictitious_play/players.jsonl

Every method on every number of players is a process of its own with one thread, ended after `--limit` seconds: a line
of JSON with the game's size, how long the first step took (the game's unrolling and compilation with it) and each after
that, the memory it held, NashConv where that is known exactly, and why it stopped where it did. With `--far`, what is
random goes further, for three seeds, wherever it is judged exactly: lines of NashConv alone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import equinox as eqx
import jax

from feint.evaluate.dominance import eliminate_actions
from feint.forms.form import Form
from feint.forms.library import form_of
from feint.games.errors import BadInput
from feint.games.kuhn import kuhn
from feint.games.library import load_game
from feint.learners.elite_play import ElitePlay
from feint.learners.nfsp import ALGORITHMS as NFSP
from feint.papers.kuhn_baselines import gaps_after
from feint.papers.records import short
from feint.runs.provenance import provenance
from feint.solvers.algorithm import Config
from feint.solvers.cfr import ALGORITHMS as CFR
from feint.solvers.fictitious_play import ALGORITHMS as FICTITIOUS_PLAY
from feint.solvers.linear_program import ALGORITHMS as LINEAR_PROGRAM
from feint.solvers.linear_program import solve
from feint.tree.best_response import nash_conv_of
from feint.tree.unroll import NODE_LIMIT
from thesis_device import ONE_THREAD

STEPS = {"xfp": 100, "cfr+": 100, "elite-play": 9, "nfsp": 100}
FAR = {"elite-play": (0, 9, 99), "nfsp": (2_000, 20_000)}
"""Steps after which what is random is judged, and for how many seeds."""
SEEDS = 3
METHODS = ("linear-program", "dominance", *STEPS)
PLAYERS = range(2, 11)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--players", type=int, nargs="+", default=list(PLAYERS), choices=PLAYERS)
    asked.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    asked.add_argument("--processes", type=int, default=1)
    asked.add_argument("--limit", type=float, default=120.0, help="seconds for each")
    asked.add_argument("--far", action="store_true", help="how near an equilibrium what is random comes")
    asked.add_argument("--here", action="store_true", help="the first of these in this process")
    args = asked.parse_args()
    if args.here:
        print(json.dumps((far if args.far else tried)(args.methods[0], args.players[0])))
        return
    made = {"made_with": list(provenance())}
    tasks = [
        (method, players)
        for players in sorted(args.players, reverse=True)
        for method in args.methods
        if not args.far or (method in FAR and kuhn(players=players).size.nodes <= NODE_LIMIT)
    ]
    with ThreadPoolExecutor(args.processes) as crew:
        for line in crew.map(lambda task: in_a_process(*task, args.limit, args.far), tasks):
            print(json.dumps(line | made), flush=True)


def in_a_process(method: str, players: int, limit: float, go_far: bool) -> dict[str, Any]:
    """What comes of a method in the time that it is given."""
    command = [sys.executable, __file__, "--here", "--methods", method, "--players", str(players)]
    command += ["--far"] if go_far else []
    try:
        ended = subprocess.run(
            command, env=os.environ | ONE_THREAD, capture_output=True, text=True, check=False, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return cut_off(method, players, go_far, f"not done in {limit:.0f} s")
    if ended.returncode:
        return cut_off(method, players, go_far, ended.stderr.strip().splitlines()[-1][:200])
    line: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return line


def cut_off(method: str, players: int, go_far: bool, why: str) -> dict[str, Any]:
    """What is left of a method that came to no end; nothing `far` tells it from the line of its first steps."""
    return known(method, players) | {"stopped": why} | ({"far": {}} if go_far else {})


def known(method: str, players: int) -> dict[str, Any]:
    """What is known before anything is done: the game's size."""
    size = kuhn(players=players).size
    return {"method": method, "players": players, "nodes": size.nodes, "infosets": size.infosets}


def tried(method: str, players: int) -> dict[str, Any]:
    """A method on the game for so many players, for a few steps."""
    begun, line = time.perf_counter(), known(method, players)
    try:
        form = form_of(load_game(f"kuhn(players={players})"))
        line |= {"form": type(form).__name__}
        line |= stepped(method, form, begun) if method in STEPS else solved(method, form)
    except BadInput as refused:
        line |= {"stopped": str(refused)}
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return line | {"seconds": round(time.perf_counter() - begun, 2), "megabytes": round(held)}


def far(method: str, players: int) -> dict[str, Any]:
    """NashConv of a method that is random, seed by seed after so many steps."""
    form = form_of(load_game(f"kuhn(players={players})"))
    solver, tree = config_of(method, form).on(form), form.whole(method)
    found = [gaps_after(solver, tree, FAR[method], seed) for seed in range(SEEDS)]
    gaps = [[short(players * gap) for gap in each] for each in zip(*found, strict=True)]
    return known(method, players) | {"far": dict(zip(map(str, FAR[method]), gaps, strict=True))}


def config_of(method: str, form: Form) -> Config:
    """A method's settings on a game."""
    exact = {"xfp": FICTITIOUS_PLAY["xfp"].config, "cfr+": CFR["cfr+"].config, "elite-play": ElitePlay()}
    return exact.get(method) or NFSP["nfsp"].presets["fast" if form.tree else "small"]


def solved(method: str, form: Form) -> dict[str, Any]:
    """Methods that are done at once."""
    tree = form.whole(method)
    if method == "dominance":
        return {"dominated": int(eliminate_actions(tree).mask.sum())}
    LINEAR_PROGRAM["linear-program"].config.check(form)  # which refuses more than two players
    return {"nash_conv": float(f"{float(nash_conv_of(tree.form, solve(tree))):.4g}")}


def stepped(method: str, form: Form, begun: float) -> dict[str, Any]:
    """Methods that go step by step; those that play need no tree."""
    solver = config_of(method, form).on(form)
    step = eqx.filter_jit(lambda solver, state: solver.step(state)[0])
    state = eqx.filter_jit(lambda solver, key: solver.init(key))(solver, jax.random.key(0))
    state = jax.block_until_ready(step(solver, state))
    first, started = time.perf_counter() - begun, time.perf_counter()
    for _ in range(STEPS[method] - 1):
        state = step(solver, state)
    jax.block_until_ready(state)
    each = (time.perf_counter() - started) / (STEPS[method] - 1)
    line = {"steps": STEPS[method], "first_seconds": round(first, 2), "step_seconds": float(f"{each:.3g}")}
    if form.tree is None:
        return line
    gap = eqx.filter_jit(nash_conv_of)(form.tree.form, solver.strategy(state).probabilities)
    return line | {"nash_conv": float(f"{float(gap):.4g}")}


if __name__ == "__main__":
    main()
