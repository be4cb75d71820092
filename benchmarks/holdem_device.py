"""Limit hold'em on an accelerator: agents trained to a number of hands, and how good they are then, as JSON.

    python benchmarks/holdem_device.py --agents nfsp dqn --hands 1e6 1e8 --seconds 200 --out FOLDER

It needs no more than the packages from games/ to evaluate/ and runs/checkpoint.py, so it also runs where Feint's
command line does not.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import save_file

import feint
from feint.arena.betting import unroll_betting
from feint.arena.policy import Uniform
from feint.evaluate.league import round_robin
from feint.evaluate.local_best_response import local_best_response
from feint.evaluate.match import match
from feint.forms.dealt import CardForm
from feint.learners import nfsp, q_learning
from feint.players.player import StrategyPlayer
from feint.players.simple import Random
from feint.runs.provenance import provenance

METHODS = nfsp.ALGORITHMS | q_learning.ALGORITHMS
AGENTS = ("linear-q", "dqn", "drqn", "nfsp", "rnfsp")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--agents", nargs="+", default=AGENTS)
    asked.add_argument("--hands", nargs="+", type=float, default=[1e6, 1e8], help="judge at these numbers of hands")
    asked.add_argument("--seconds", type=float, default=120.0, help="the most that each agent trains")
    asked.add_argument("--matches", type=int, default=100_000, help="hands of a match")
    asked.add_argument("--bounds", type=int, default=4096, help="hands of a local best response")
    asked.add_argument("--preset", default="large")
    asked.add_argument("--tables", type=int, help="hands played at once")
    asked.add_argument("--game", default="holdem")
    asked.add_argument("--out", type=Path, required=True)
    args = asked.parse_args()
    betting = unroll_betting(feint.load_game(args.game))
    results = {"made_with": list(provenance()), "game": args.game, "agents": {}}
    form, players = CardForm(betting), {}
    for name in args.agents:
        config = METHODS[name].presets[args.preset]
        config = replace(config, tables=args.tables) if args.tables else config
        learner = config.on(form)
        results["agents"][name] = {"config": asdict(config), "rows": []}
        state, rows = train(learner, betting, args, name)
        results["agents"][name]["rows"] = rows
        players[name] = StrategyPlayer(learner.strategy(state), form)
        save_file(players[name].strategy.arrays(), args.out / f"{name}.safetensors")
        (args.out / "holdem.json").write_text(json.dumps(results, indent=1, default=str) + "\n")
    players["random"] = Random().at(form, 0)
    table = round_robin(form, players, args.matches, 0, lambda *_: None)
    cross = {pair: won.in_big_blinds(form.big_blind) for both in table for pair, won in both.items()}
    results["cross"] = {f"{a} / {b}": [won.value, won.half] for (a, b), won in cross.items()}
    for (one, other), won in cross.items():
        print(f"{one} / {other}: {won.words}", flush=True)
    (args.out / "holdem.json").write_text(json.dumps(results, indent=1, default=str) + "\n")


def train(learner, betting, args, name):
    """Train to each number of hands in turn, or for as long as there is, and judge there."""
    start = time.perf_counter()
    state = eqx.filter_jit(lambda learner, key: learner.init(key))(learner, jax.random.key(0))
    state = advance(learner, jax.tree.map(jnp.copy, state), jnp.asarray(1))
    compiling = time.perf_counter() - start
    rows, steps, piece, running = [], 1, 10, 0.0
    goals = sorted(args.hands)
    while goals:
        start = time.perf_counter()
        state = jax.block_until_ready(advance(learner, state, jnp.asarray(piece)))
        taken = time.perf_counter() - start
        steps, running = steps + piece, running + taken
        hands = int(state.hands)
        if hands >= goals[0] or running >= args.seconds:
            goals = [goal for goal in goals if goal > hands] if running < args.seconds else []
            rows.append(judge(learner, betting, state, args) | {"steps": steps, "hands": hands, "seconds": running})
            rows[-1] |= {"compile_seconds": compiling, "decisions_a_second": steps * learner.settings.tables / running}
            print(name, json.dumps(rows[-1]), flush=True)
        rate = piece / max(taken, 1e-4)
        left = (goals[0] - hands) / (hands / steps) if goals else 1
        piece = max(1, min(int(rate * 1.0), 10 * piece, int(left) + 1))
    return state, rows


def judge(learner, betting, state, args):
    """Winnings against random play and a local best response's winnings, in mbb/h."""
    policy = learner.policy(state)
    begun = time.perf_counter()
    won = match(learner.arena, policy, Uniform(learner.arena), args.matches).winnings.in_big_blinds(betting.big_blind)
    played = time.perf_counter()
    bound = local_best_response(betting, policy, args.bounds).in_big_blinds(betting.big_blind)
    return {
        "winnings": won.value,
        "error": won.half,
        "bound": [bound.low, bound.value, bound.high],
        "match_seconds": played - begun,
        "bound_seconds": time.perf_counter() - played,
        "losses": [np.asarray(seat.losses).tolist() for seat in learner.seats(state)],
    }


@eqx.filter_jit(donate="all-except-first")
def advance(learner, state, steps):
    return jax.lax.fori_loop(0, steps, lambda _, state: learner.step(state)[0], state)


if __name__ == "__main__":
    main()
