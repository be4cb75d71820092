"""Reproductions run from start to end."""

from __future__ import annotations

import pytest

import feint
from feint.papers import leduc_nfsp
from feint.papers.library import papers, published
from feint.runs.train import Unwatched


def test_papers_are_found_by_name():
    assert "leduc-nfsp" in papers()
    assert [curve.label for curve in published("nfsp", "leduc")] == [
        "paper, 16 units",
        "paper, 64 units",
        "paper, 128 units",
    ]
    assert published("cfr", "leduc") == []


def test_published_curves_are_read_as_printed():
    curve = dict(leduc_nfsp.published_curves()[1].points)
    assert curve[1_000.0] == 1.88
    assert min(curve.values()) == 0.075


@pytest.mark.slow
def test_the_leduc_report_is_written_from_its_runs(tmp_path, monkeypatch):
    """All experiments, tiny: the page has every one of them, the pictures are there, and nothing is run twice."""
    monkeypatch.setattr(leduc_nfsp, "QUICK", (3, 1))
    page = leduc_nfsp.reproduce(tmp_path, True, lambda _: Unwatched())
    text = page.read_text()
    assert all(experiment.label in text for experiment in leduc_nfsp.EXPERIMENTS)
    assert {path.name for path in tmp_path.glob("*.png")} == {
        "curves.png",
        "q-learning.png",
        "ablations.png",
        "thesis.png",
    }
    monkeypatch.setattr(leduc_nfsp, "train", lambda *_, **__: pytest.fail("ran again"))
    assert leduc_nfsp.reproduce(tmp_path, True, lambda _: Unwatched()).read_text() == text


@pytest.mark.slow
def test_a_relu_output_makes_the_agent_fold(tmp_path):
    """The thesis's finding: values that cannot be negative make folding as good as anything."""
    tree = feint.unroll("leduc")
    folds = []
    for output in ("linear", "relu"):
        run = feint.train(
            "nfsp", "leduc", preset="paper", settings={"output": output}, steps=10_000, out=tmp_path / output
        )
        facing_a_bet = tree.legal[:, tree.actions.index("fold")]
        folds.append(run.strategy.table(tree)[facing_a_bet, tree.actions.index("fold")].mean())
    assert folds[1] > 2 * folds[0]
