"""What the opponent modeller wins, and how long it takes, by hands seen: python benchmarks/modeller.py won|time.

`won`: a line of JSON for each opponent, each kind of modeller, each seed and each number of hands: what it wins off the
opponent if it is frozen there, the most that anyone could win, and its exploitability: exact, in chips per hand.
`time`: a line for each number of hands: milliseconds for looking a move up, for a lesson from all that was seen, ends
counted, for what of that is the network's share, for the same share with every hand told by itself, and for the search.
Lines are gathered in results/modeller.jsonl: pictures.py makes the picture and the tables of them.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

import feint
from feint.evaluate.match import expected_winnings
from feint.forms.form import Form
from feint.forms.library import form_of
from feint.forms.strategy import Strategy, tabulate
from feint.players.modeller import Learner, Modeller, study
from feint.players.opponent_model import ROUNDS, by_decision, fit, inferred
from feint.players.player import Observation
from feint.runs.lineup import line_up
from feint.tree.best_response import judge_of
from racing import processor

STOPS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
OPPONENTS = {
    "leduc_no_limit": ("random", "call", "always(move='all-in')", "cfr 10", "cfr 100", "cfr 1000"),
    "leduc": ("random", "call", "raise", "cfr 10", "cfr 100", "feint:leduc"),
    "kuhn": ("random", "call", "raise", "cfr 10", "feint:kuhn"),
}
"""By name; `cfr 10` is CFR's average after ten iterations."""
KINDS: dict[str, dict[str, Any]] = {
    "": {},
    "folded=ignored": {"folded": "ignored"},
    "curious=0": {"curious": 0.0},
    "model=counts": {"model": "counts"},
}
REPEATS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["won", "time"])
    parser.add_argument("--game", choices=list(OPPONENTS), default="leduc_no_limit")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    asked = parser.parse_args()
    form = form_of(asked.game)
    lines = won(form, asked.seeds, asked.kinds) if asked.what == "won" else times(form)
    for line in lines:
        print(json.dumps({"what": asked.what, "game": asked.game} | line), flush=True)


def opponent(form: Form, name: str) -> Strategy:
    if name.startswith("cfr "):
        with tempfile.TemporaryDirectory() as folder:
            return feint.train("cfr", form.game, steps=int(name[4:]), out=Path(folder) / "run").strategy
    strategy = line_up((name,), form.game).players[0].strategy
    assert strategy is not None
    return strategy


def won(form: Form, seeds: int, kinds: list[str]) -> Iterator[dict[str, Any]]:
    tree = form.whole("This benchmark")
    for name in OPPONENTS[form.name]:
        other = opponent(form, name)
        judged = form.judged(other, 0)
        assert judged is not None
        for kind in kinds:
            for seed in range(seeds):
                frozen = study(Modeller(seed=seed, **KINDS[kind]), form, other, STOPS)
                for hands, strategy in zip(STOPS, frozen, strict=True):
                    chips = expected_winnings(form, strategy, other)
                    assert chips is not None
                    yield {
                        "opponent": name,
                        "kind": kind,
                        "seed": seed,
                        "hands": hands,
                        "won": _short(chips),
                        "most": _short(judged.best.mean()),
                        "exploitability": _short(feint.exploitability(tree, strategy)),
                    }


def times(form: Form) -> Iterator[dict[str, Any]]:
    """Against CFR's tenth average, which makes every move somewhere."""
    tree = form.whole("This benchmark")
    other = tabulate(tree, opponent(form, "cfr 10"))
    player = Modeller(curious=0.0).at(form, 0)
    learner = player.learner
    seen = _first_decision(form)
    for hands in STOPS:
        learner.play(other, hands)
        told, rows = _rows(learner, merged=True), _rows(learner, merged=False)
        table = learner.model.table(learner.watched.decisions)
        yield {
            "hands": hands,
            "between": learner.due - hands,
            "ends": int(sum((counts > 0).sum() for counts in learner.seen)),
            "rows": len(rows[0]),
            "move_ms": _least(lambda: player.move(seen)),
            "lesson_ms": _least(learner.learn),
            "search_ms": _least(lambda table=table: jax.block_until_ready(judge_of(tree).judged(table))),
            "network_ms": ROUNDS * _least(lambda told=told: _taught(learner, told)),
            "network_rows_ms": ROUNDS * _least(lambda rows=rows: _taught(learner, rows)),
            "processor": processor(),
            "cores": len(os.sched_getaffinity(0)),
        }


def _first_decision(form: Form) -> Observation:
    """What the first player sees who is to move."""
    tree = form.whole("This benchmark")
    row = int(np.flatnonzero(tree.player == 0)[0])
    moves = {word: tree.game.actions.index(tree.actions[column]) for word, column in tree.offered(row).items()}
    return Observation(0, tree.views[row], tree.labels[row], "", "", None, moves, True)


def _rows(learner: Learner, merged: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the network is taught: a row for each public decision, or one for each time that it was met."""
    decisions = learner.watched.decisions
    table = learner.model.table(decisions)
    held = by_decision(decisions, inferred(learner.watched, table, learner.seen))
    if merged:
        return decisions.features, decisions.dealt, held
    met = np.round(held.sum((1, 2))).astype(int)
    each = held / np.maximum(met, 1)[:, None, None]
    return np.repeat(decisions.features, met, 0), np.repeat(decisions.dealt, met, 0), np.repeat(each, met, 0)


def _taught(learner: Learner, rows: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Any:
    return jax.block_until_ready(fit(learner.model.trained, *rows))


def _least(work: Callable[[], object]) -> float:
    """The least milliseconds of a few, the first aside, in which code may be compiled."""
    work()
    took = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        took.append(time.perf_counter() - begun)
    return _short(1000 * min(took))


def _short(value: float) -> float:
    return float(f"{value:.6g}")


if __name__ == "__main__":
    main()
