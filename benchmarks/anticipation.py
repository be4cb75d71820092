"""What anticipation does, exactly and learned: python benchmarks/anticipation.py exact|learned --game leduc.

`exact`: fictitious play in which players respond to the others' averages with a share η of their last responses, all
at once and in turn: a line of JSON for each η and each number of iterations, with exploitability in chips per hand.
`learned`: neural fictitious self-play (preset fast) with each η, judged exactly after so many steps, seed by seed.
Lines are gathered in results/anticipation.jsonl: pictures.py makes the picture and the tables of them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

import feint
from feint.forms.library import form_of
from feint.solvers.fictitious_play import ExtensiveFictitiousPlay, FictitiousPlayer, FictitiousState
from feint.tree.compiled import compiled

SHARES = (0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
STOPS = (100, 1000, 10_000)
LEARNED = (0.01, 0.03, 0.1, 0.3, 1.0)
STEPS = {"kuhn": 2000, "leduc": 5000}
SEEDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["exact", "learned"])
    parser.add_argument("--game", default="leduc")
    asked = parser.parse_args()
    for line in exact(asked.game) if asked.what == "exact" else learned(asked.game):
        print(json.dumps({"what": asked.what, "game": asked.game} | line), flush=True)


def exact(game: str) -> Iterator[dict[str, Any]]:
    form = form_of(game)
    for alternating in (False, True):
        for share in SHARES:
            solver = ExtensiveFictitiousPlay(alternating, share).on(form)
            state, done = solver.init(jax.random.key(0)), 0
            for stop in STOPS:
                state, done = _further(solver, state, jnp.asarray(stop - done)), stop
                found = feint.exploitability(form.whole("This benchmark"), solver.strategy(state))
                words = {"alternating": alternating, "anticipation": share, "iterations": stop}
                yield words | {"exploitability": _short(found)}


@compiled
def _further(solver: FictitiousPlayer, state: FictitiousState, steps: Int[Array, ""]) -> FictitiousState:
    return jax.lax.fori_loop(0, steps, lambda _, state: solver.step(state)[0], state)


def learned(game: str) -> Iterator[dict[str, Any]]:
    for share in LEARNED:
        with tempfile.TemporaryDirectory() as folder:
            how: dict[str, Any] = {"settings": {"anticipation": share}, "steps": STEPS[game], "seeds": SEEDS}
            last = feint.train("nfsp", game, out=Path(folder) / "run", **how).metrics[-1]
        yield {"anticipation": share, "steps": last["step"], "exploitability": [_short(each) for each in last["seeds"]]}


def _short(value: float) -> float:
    return float(f"{value:.4g}")


if __name__ == "__main__":
    main()
