"""Runs of games with a public tree: checkpoints, `until` and exact judgements, of solvers and of learners alike."""

from __future__ import annotations

import pytest

import feint
from feint.evaluate.exploitability import Exploitability
from feint.players.player import StrategyPlayer

GAME = "flop_holdem(ranks=3)"
"""Too large to unroll, and its public tree is small."""
SMALL = {"network.hidden": (8,), "tables": 16, "replay.capacity": 64}
ROWS = SMALL | {"replay.kind": "rows", "average.kind": "reservoir", "average.capacity": 64}


@pytest.mark.slow
def test_a_run_of_a_solver_goes_on_to_the_bit(tmp_path):
    feint.train("cfr+", GAME, steps=12, seed=1, out=tmp_path / "whole")
    feint.train("cfr+", GAME, steps=5, seed=1, out=tmp_path / "parts")
    feint.train("cfr+", GAME, steps=12, resume=True, out=tmp_path / "parts")
    for file in ("metrics.jsonl", "strategy.safetensors"):
        assert (tmp_path / "parts" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes(), file


@pytest.mark.slow
def test_a_run_of_a_solver_stops_at_an_exploitability(tmp_path):
    run = feint.train("dcfr", GAME, until=0.3, out=tmp_path / "run")
    last, before = run.metrics[-1], run.metrics[-2]
    assert last["exploitability"] <= 0.3 < before["exploitability"]
    assert float(judged(run).value) == pytest.approx(last["exploitability"], abs=1e-6)
    assert feint.exploitability(GAME, run.strategy) == pytest.approx(judged(run).value, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("nfsp", ROWS | {"encoding": "symmetric"}),
        ("nfsp", ROWS | {"encoding": "nfsp"}),
        ("rnfsp", SMALL | {"average.capacity": 64}),
        ("drqn", SMALL),
    ],
)
def test_learners_are_judged_on_their_way_as_they_are_when_asked(tmp_path, algorithm, settings):
    run = feint.train(algorithm, GAME, steps=3, settings=settings, out=tmp_path / "run")
    measure = judged(run)
    assert measure.kind == "exact"
    assert float(measure.value) == pytest.approx(run.metrics[-1]["exploitability"], abs=1e-5)
    assert feint.exploitability(run.form, run.strategy) == pytest.approx(measure.value, rel=1e-6)


def judged(run):
    player = StrategyPlayer(run.strategy, run.form)
    return Exploitability()(run.form, player, lambda words, verdict: None).measures[0]
