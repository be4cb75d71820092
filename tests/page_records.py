"""Pages made again from the records in the repository, line by line, for tests/test_pages.py to compare."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, final

from feint.papers import (
    anticipation_page,
    deepstack_leduc,
    deepstack_page,
    kuhn_training_sets,
    leduc_nfsp,
    leduc_thesis,
    monte_carlo,
    monte_carlo_page,
    poker_rnn,
    thesis_trials,
)
from feint.papers.deepstack_networks import Size
from feint.papers.kuhn_fictitious_play import sections_of
from feint.papers.kuhn_page import page_of
from feint.papers.poker_rnn_hands import Estimate, Sense
from feint.papers.poker_rnn_judge import RANDOM, SENSE, VALUED, Judged, OnLeduc
from feint.papers.poker_rnn_seeds import read_records, reproduced
from feint.papers.poker_rnn_seeds_page import write_seeds_page
from feint.papers.records import Row, rows_in
from feint.runs.config import RunConfig
from feint.runs.files import METRICS, PROVENANCE, TIMINGS, rows_of, unsealed
from feint.runs.run import Run

ROOT = Path(__file__).parents[1]
RESULTS, BENCHMARKS = ROOT / "docs" / "results", ROOT / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))  # whose programs are no package

UNKNOWN = float("nan")
"""In place of a number that the records do not have: lines with it are not compared."""


@cache
def record(path: str) -> Any:
    """A record as JSON, by its path in the repository; of many lines, a list."""
    text = (ROOT / path).read_text()
    return [json.loads(line) for line in text.splitlines()] if path.endswith(".jsonl") else json.loads(text)


def races() -> dict[str, str]:
    """The pages of `make bench`."""
    import hands
    import learners
    import tables

    pages = {"solvers": (), "learners": (learners.SECTIONS, learners._notes), "hands": (hands.SECTIONS, hands._notes)}
    return {name: tables.markdown(record(f"benchmarks/results/{name}.json"), *how) for name, how in pages.items()}


PICTURED = ("bounds", "evolution", "modeller")
"""Records with pictures, and pages of the same name that have their tables."""


def pictured(name: str, monkeypatch: Any, capsys: Any) -> str:
    """The tables that benchmarks/pictures.py prints of a record."""
    import pictures

    monkeypatch.setattr(pictures, "keep", lambda figure, path: None)
    getattr(pictures, name)()
    return str(capsys.readouterr().out)


def leduc_nfsp_page() -> str:
    """The page of NFSP on Leduc, by the curves of its seeds."""
    return leduc_nfsp._page(leduc_runs())


@cache
def leduc_runs() -> dict[str, list[Run]]:
    """Every experiment of that page: a run for each seed, of which no more is known than its curve."""
    return {
        name: [_of_curve(name, curve["step"], curve[f"seed {seed}"], seed) for seed in range(leduc_nfsp.SEEDS)]
        for name, curve in record("docs/results/leduc_nfsp/curves.json").items()
    }


def _of_curve(name: str, steps: list[int], values: list[float], seed: int) -> Run:
    rows = [{"step": step, "exploitability": value} for step, value in zip(steps, values, strict=True)]
    timings = [{"step": steps[-1], "seconds": UNKNOWN}]
    config = RunConfig("leduc", leduc_nfsp.KNOWN[name].algorithm, {}, seed)
    return Run(Path("nowhere"), config, rows, timings, None, ("nan",), find_form=lambda: None)


def kuhn_page() -> str:
    """The page of fictitious play by winnings in Kuhn poker, by its records and those of two benchmarks."""
    folder = RESULTS / "kuhn_fictitious_play"
    sections = sections_of(folder, rows_in(folder / kuhn_training_sets.RECORDS))
    return page_of(record("docs/results/kuhn_fictitious_play/numbers.json"), sections)


def leduc_thesis_page() -> str:
    """The page of the thesis on it, by the records of its experiments."""
    return leduc_thesis.page_of(thesis_trials.records(RESULTS / "leduc_thesis"))


def searches_page() -> str:
    """The page of Monte Carlo tree search, by the records of its searches."""
    return monte_carlo_page.page_of(record(f"docs/results/monte_carlo/{monte_carlo.RECORDS}"))


def shares_page() -> str:
    """The page of anticipation, by the records of its runs."""
    return anticipation_page.page_of(record(f"docs/results/anticipation/{anticipation_page.RECORDS}"))


@final
@dataclass(frozen=True)
class Stage:
    """What is known of the learners of hold'em at one length."""

    runs: dict[str, Run]
    judged: Judged

    def __getattr__(self, name: str) -> Any:
        return getattr(self.judged, name)


@cache
def stages() -> dict[str, Stage]:
    """The learners of hold'em, by their runs' logs and what was noted of them."""
    found = {}
    for stage in (poker_rnn.PUBLISHED, poker_rnn.LARGE):
        folder = RESULTS / "poker_rnn" / stage.name
        runs, noted = {name: _logged(folder / name) for name in poker_rnn.AGENTS}, rows_in(folder / poker_rnn.JUDGED)
        seen = {row["what"].split()[3].strip(","): row["found"] for row in noted if row["what"].startswith(SENSE)}
        notes = _estimates(row for row in noted if not row["what"].startswith(SENSE))
        short, cross = (dict(_matches(notes, hands)) for hands in stage.matches)
        bound = f"a local best response to {{}}, {stage.bounds:,} hands"
        judged = Judged(
            hands=min(run.metrics[-1]["hands"] for run in runs.values()),
            curves={name: run.metrics for name, run in runs.items()},
            short=short,
            cross=cross,
            bounds={name: notes[bound.format(name)] for name in runs},
            raising=(notes[f"raising against random, {stage.matches[1]:,} hands"], notes[bound.format("raising")]),
            sense={name: Sense.of(seen[name]) for name in VALUED},
        )
        found[stage.name] = Stage(runs, judged)
    return found


def poker_rnn_page(folder: Path = RESULTS / "poker_rnn") -> str:
    """The page of these five, as it is written in a folder."""
    both = (poker_rnn.PUBLISHED, poker_rnn.LARGE)
    played = [
        poker_rnn.Played(
            stage,
            stages()[stage.name].runs,
            stages()[stage.name].judged,
            rows_in(RESULTS / "poker_rnn" / stage.name / poker_rnn.JUDGED),
        )
        for stage in both
    ]
    (leduc,) = rows_in(RESULTS / "poker_rnn" / poker_rnn.LEDUC)
    return poker_rnn.write_page(played, OnLeduc(*leduc["found"]), folder)


def seeds_page() -> str:
    """The page of their other seeds."""
    folder = RESULTS / "poker_rnn"
    return write_seeds_page(read_records(folder / "trials"), reproduced(folder / "as-published"))


def _logged(path: Path) -> Run:
    """A run without its strategy, which is too large to keep."""
    metrics, timings = (rows_of(path / name)[0] for name in (METRICS, TIMINGS))
    made = tuple(unsealed(path / PROVENANCE)["made_with"])
    return Run(path, RunConfig("holdem", path.name, {}), metrics, timings, None, made, find_form=lambda: None)


def _estimates(noted: Iterable[Row]) -> dict[str, Estimate]:
    """Matches and bounds, without the digests of those they were noted of."""
    return {row["what"].partition(" hands")[0] + " hands": Estimate(*row["found"]) for row in noted}


def _matches(notes: dict[str, Estimate], hands: int) -> Any:
    names = [*poker_rnn.AGENTS, RANDOM]
    for number, one in enumerate(names):
        for other in names[number + 1 :]:
            won = notes[f"{one} against {other}, {hands:,} hands"]
            yield (one, other), won
            yield (other, one), Estimate(-won.value, won.reach)


def deepstack_page_again() -> str:
    """The page of DeepStack's networks, by all that was noted."""
    facts = deepstack_leduc.facts_of(RESULTS / "deepstack_leduc", Size())
    return deepstack_page.page_of(facts, quick=False)
