"""Hold'em hands: how fast Feint ranks them next to eval7 and phevaluator, and how fast others play them, one core.

Every block of ours is followed by one of each peer's. Results are printed, and kept in results/hands.json and
results/hands.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, final

from racing import BLOCKS, PEERS_PYTHON, Facts, Racer, one_core, processor
from tables import Cells, figure, markdown, show

EVAL7, PHEVALUATOR = "eval7.evaluate", "phevaluator.evaluate_cards"
EQUITY, RANGE = "eval7's Monte Carlo equity", "eval7's exact equity"
RLCARD, OPEN_SPIEL = "RLCard env.run", "OpenSpiel C++ states"


@final
@dataclass(frozen=True)
class Race:
    """A method of ours, and what each peer calls it."""

    label: str
    ours: str
    peers: dict[str, str]


TABLES = 1024
RANKING, PLAY = "Seven-card hands", "Random play of limit hold'em"
RACES = (
    Race(RANKING, "rank", {EVAL7: "eval7", PHEVALUATOR: "phevaluator", EQUITY: "eval7 equity"}),
    Race("Two hands on a board", "showdown", {EQUITY: "eval7 equity"}),
    Race("All holdings on a board", "holdings", {RANGE: "eval7 range"}),
    Race(PLAY, "play", {RLCARD: "rlcard play", OPEN_SPIEL: "open_spiel play"}),
)
TARGETS = ((RANKING, None, 2e7), (PLAY, RLCARD, 50.0), (PLAY, OPEN_SPIEL, 10.0))
"""How many times a peer's rate, or without a peer what rate, ours is to be."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="the least a timed block takes")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="a folder for the results")
    args = parser.parse_args()
    one_core()
    results: dict[str, Any] = {"processor": processor(), "blocks": BLOCKS, "least_seconds_a_block": args.seconds}
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        ours = stack.enter_context(Racer(Path(sys.executable), "ours_hands.py", home))
        peers = stack.enter_context(Racer(PEERS_PYTHON, "peers_hands.py", home))
        results |= {"versions": ours.versions | peers.versions, "rows": []}
        for race in RACES:
            print(race.label, file=sys.stderr)
            results["rows"].append(_race(race, ours, peers, args.seconds))
    results["targets"] = _targets(results["rows"])
    args.out.mkdir(exist_ok=True)
    (args.out / "hands.json").write_text(json.dumps(results, indent=1) + "\n")
    (args.out / "hands.md").write_text(markdown(results, SECTIONS, _notes))
    show(results, SECTIONS, _notes)


def _race(race: Race, ours: Racer, peers: Racer, seconds: float) -> dict[str, Any]:
    """One row: ours and each peer in turn, block by block."""
    entered = {"Feint": (ours, race.ours)}
    entered |= {peer: (peers, method) for peer, method in race.peers.items()}
    facts: dict[str, Facts] = {name: racer.ask(method, "") for name, (racer, method) in entered.items()}
    orders = [known.pop("order") for known in facts.values() if "order" in known]
    assert all(order == orders[0] for order in orders), f"{race.label}: the racers rank hands differently"
    blocks: dict[str, list[float]] = {name: [] for name in entered}
    for _ in range(BLOCKS):
        for name, (racer, method) in entered.items():
            answer = racer.ask(method, "", seconds)
            blocks[name].append(answer["rate"] * answer["hands"])
            facts[name] |= {"decisions": answer["decisions"]} if "decisions" in answer else {}
    rate = {name: median(made) for name, made in blocks.items()}
    ratio = {peer: rate["Feint"] / rate[peer] for peer in race.peers}
    return {"method": race.label, "facts": facts, "hands_a_second": rate, "blocks": blocks, "ratio": ratio}


def _targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for method, peer, least in TARGETS:
        row = next(row for row in rows if row["method"] == method)
        measured = row["ratio"][peer] if peer else row["hands_a_second"]["Feint"]
        found.append({"method": method, "peer": peer, "least": least, "measured": measured, "met": measured >= least})
    return found


def _raced(results: dict[str, Any]) -> Cells:
    return [
        (
            row["method"],
            figure(row["hands_a_second"]["Feint"]),
            f"{row['facts']['Feint']['compile_s']:.1f} s",
            peer,
            f"{figure(row['hands_a_second'][peer])} ({figure(ratio)}×)",
        )
        for row in results["rows"]
        for peer, ratio in row["ratio"].items()
    ]


def _aimed(results: dict[str, Any]) -> Cells:
    return [
        (t["method"], t["peer"] or "hands/s", *(f"{figure(t[key])}{unit}" for key in ("least", "measured")), met)
        for t in results["targets"]
        for unit in ["×" if t["peer"] else ""]
        for met in ["met" if t["met"] else "MISSED"]
    ]


def _notes(results: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    build = results["rows"][0]["facts"]["Feint"]["build_s"]
    return (
        f"On one core ({results['processor']}), and in brackets how many times the peer's: medians of "
        f"{results['blocks']} blocks of at least {results['least_seconds_a_block']:g} s, ours and peers' in turn. "
        f"{versions}. A hand is five cards chosen from seven and ranked, and all racers that are given the same hands "
        f"put them into the same order. Ours ranks batches of 65,536 hands in one call, compiled beforehand in the "
        f"seconds shown, with tables that were made in {build:.1f} s; eval7.evaluate and phevaluator.evaluate_cards "
        f"take one hand a call from Python. eval7's equities are loops in C: the Monte Carlo one also draws the "
        f"boards, the exact one takes 990 hands a call. Two hands on a board share its key, and so do all holdings. "
        f"Random play is uniform among legal moves, ours at {TABLES:,} tables at once; RLCard allows folding "
        f"for free, so that its hands are shorter."
    )


SECTIONS = (
    ("Side by side", ("", "Feint, hands/s", "compile", "Peer", "peer's"), _raced),
    ("Targets", ("", "", "At least", "Measured", ""), _aimed),
)


if __name__ == "__main__":
    main()
