"""How fast public trees are solved and judged: python benchmarks/public_trees.py [GAME] [--algorithm A] [--steps 1,10].

One line of JSON for each number of steps: milliseconds an iteration, exploitability in thousandths of a big blind, and
seconds for a judgement. Nothing but the packages up to evaluate/ is needed, so that it runs on bare machines too.
"""

from __future__ import annotations

import argparse
import json
import time

import equinox as eqx
import jax
import jax.numpy as jnp

from feint.games.library import load_game
from feint.public.build import build_public_tree
from feint.public.judge import judge
from feint.public.play import Tables
from feint.public.start import start_of
from feint.public.tree import PublicTree
from feint.runs.provenance import provenance
from feint.solvers.cfr import ALGORITHMS
from feint.solvers.public_cfr import PublicRegretMinimiser
from feint.solvers.regrets import Rule


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="flop_holdem")
    parser.add_argument("--algorithm", default="cfr+")
    parser.add_argument("--steps", default="1,20,50", help="judge after so many steps, in turn")
    parser.add_argument("--way", choices=["sums", "products"], help="how showdowns are computed")
    parser.add_argument("--piece", type=int, help="how many boards are looked at together")
    parser.add_argument("--exact", action="store_true", help="in float64")
    parser.add_argument("--single", action="store_true", help="in float32, however small, and judged in float64")
    asked = parser.parse_args()
    game, config, clock = load_game(asked.game), ALGORITHMS[asked.algorithm].config, time.perf_counter
    size, started = start_of(game).size, clock()
    exact = True if asked.exact else False if asked.single else None
    tree = build_public_tree(game, way=asked.way, piece=asked.piece, exact=exact)
    judging = build_public_tree(game, way=asked.way, piece=asked.piece, exact=True) if asked.single else tree
    rule = Rule(config.alpha, config.beta, config.gamma, config.predictive)
    solver = PublicRegretMinimiser(jax.block_until_ready(tree), rule, config.alternating, "")
    told = {"game": asked.game, "algorithm": asked.algorithm, "made_with": list(provenance())}
    told |= {"way": asked.way, "exact": exact}
    told |= {"infosets": size.infosets, "cells": sum(size.cells), "built_s": clock() - started}
    state = eqx.filter_jit(lambda solver: jax.tree.map(jnp.copy, solver.init(jax.random.key(0))))(solver)
    started, count = clock(), jnp.asarray(1)
    forward = eqx.filter_jit(_forward, donate="all-except-first").lower(solver, state, count).compile()
    look = eqx.filter_jit(lambda solver, state, tree: judge(tree, _as_in(tree, solver.strategy(state).weights)))
    jax.block_until_ready(look(solver, state, judging))
    told["compiled_s"] = clock() - started
    done, spent, scale = 0, 0.0, 1000 / game.big_blind
    for step in map(int, asked.steps.split(",")):
        started = clock()
        state = jax.block_until_ready(forward(solver, state, jnp.asarray(step - done)))
        took = clock() - started
        started = clock()
        judged = jax.block_until_ready(look(solver, state, judging))
        row = told | {
            "step": step,
            "ms": 1000 * took / max(step - done, 1),
            "spent_s": (spent := spent + took),
            "exploitability_mbb": float(judged.nash_conv) / 2 * scale,
            "value_mbb": float(judged.values[0]) * scale,
            "judged_s": clock() - started,
        }
        print(json.dumps({key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()}))
        done = step


def _forward(solver: PublicRegretMinimiser, state: object, steps: jax.Array) -> object:
    return jax.lax.fori_loop(0, steps, lambda _, state: solver.step(state)[0], state)


def _as_in(tree: PublicTree, weights: Tables) -> Tables:
    """As precise as the tables of a tree."""
    return tuple(
        tuple(tuple(move.astype(stage.dtype) for move in decision) for decision in part)
        for stage, part in zip(tree.rounds, weights, strict=True)
    )


if __name__ == "__main__":
    main()
