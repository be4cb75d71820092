"""Feint's self-play next to OpenSpiel's: neural fictitious self-play and random play on Leduc poker, one core.

Every block of ours is followed by one of each peer's, after all have played for a while, so that their memories hold
something and every network is learning. Results are printed, and kept in results/learners.json and
results/learners.md.
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

COUNTED = ("decisions", "updates")
MERGED = ("leduc", "leduc_poker(suit_isomorphism=True)")
APART = ("leduc(suits=True)", "leduc_poker")
NFSP, SMALLER = "OpenSpiel NFSP", "OpenSpiel NFSP, 64 units"
ENVIRONMENT, STATES = "OpenSpiel rl_environment", "OpenSpiel C++ states"


@final
@dataclass(frozen=True)
class Race:
    """A method of ours, what each peer calls it, and the game under both names."""

    label: str
    ours: str
    peers: dict[str, str]
    games: tuple[str, str] = MERGED


RACES = (
    Race("NFSP, preset paper", "paper", {NFSP: "nfsp", SMALLER: "nfsp 64"}),
    Race("NFSP, preset paper, 128 units", "paper 128", {NFSP: "nfsp"}),
    Race("NFSP, preset fast", "fast", {NFSP: "nfsp"}),
    Race("NFSP, preset paper, 128 units, suits apart", "paper 128", {NFSP: "nfsp"}, APART),
    Race("Random play", "random", {ENVIRONMENT: "environment", STATES: "states"}),
)
TARGETS = (
    ("NFSP, preset paper", "decisions", NFSP, 50.0),
    ("NFSP, preset paper", "updates", NFSP, 50.0),
    ("Random play", "decisions", None, 1.5e6),
)
"""How many times a peer's rate, or without a peer what rate, ours is to be."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="the least a timed block takes")
    parser.add_argument("--warm", type=float, default=10.0, help="how long every racer plays before it is timed")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="a folder for the results")
    args = parser.parse_args()
    one_core()
    results: dict[str, Any] = {"processor": processor(), "blocks": BLOCKS, "least_seconds_a_block": args.seconds}
    results |= {"least_seconds_of_warm_up": args.warm, "rows": []}
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        ours = stack.enter_context(Racer(Path(sys.executable), "ours_learners.py", home))
        peers = stack.enter_context(Racer(PEERS_PYTHON, "peers_learners.py", home))
        results["versions"] = ours.versions | peers.versions
        for race in RACES:
            print(race.label, file=sys.stderr)
            results["rows"].append(_race(race, ours, peers, args.seconds, args.warm))
    results["targets"] = _targets(results["rows"])
    args.out.mkdir(exist_ok=True)
    (args.out / "learners.json").write_text(json.dumps(results, indent=1) + "\n")
    (args.out / "learners.md").write_text(markdown(results, SECTIONS, _notes))
    show(results, SECTIONS, _notes)


def _race(race: Race, ours: Racer, peers: Racer, seconds: float, warm: float) -> dict[str, Any]:
    """One row: ours and each peer in turn, block by block."""
    entered = {"Feint": (ours, race.ours, race.games[0])}
    entered |= {peer: (peers, method, race.games[1]) for peer, method in race.peers.items()}
    for racer, method, game in entered.values():
        _warm_up(racer, method, game, seconds, warm)
    blocks: dict[str, list[dict[str, float]]] = {name: [] for name in entered}
    facts: dict[str, Facts] = {}
    for _ in range(BLOCKS):
        for name, (racer, method, game) in entered.items():
            facts[name] = racer.ask(method, game, seconds)
            rate = facts[name]["rate"]
            blocks[name].append({what: rate * facts[name][what] for what in COUNTED if what in facts[name]})
    middle = {name: {what: median(block[what] for block in made) for what in made[0]} for name, made in blocks.items()}
    return {
        "method": race.label,
        "games": race.games,
        "compile_s": facts["Feint"]["compile_s"],
        "rate": middle,
        "blocks": blocks,
        "ratio": {
            peer: {what: middle["Feint"][what] / rate for what, rate in middle[peer].items()} for peer in race.peers
        },
    }


def _warm_up(racer: Racer, method: str, game: str, seconds: float, warm: float) -> None:
    """Play, in blocks as long as the timed ones, for long enough and until every network learns."""
    played, learning = 0.0, False
    while played < warm or not learning:
        learning = racer.ask(method, game, seconds).get("learning", True)
        played += seconds


def _targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for method, what, peer, least in TARGETS:
        row = next(row for row in rows if row["method"] == method)
        measured = row["ratio"][peer][what] if peer else row["rate"]["Feint"][what]
        found.append({"method": method, "what": what, "peer": peer, "least": least, "measured": measured})
        found[-1]["met"] = measured >= least
    return found


def _raced(results: dict[str, Any]) -> Cells:
    cells = []
    for row in results["rows"]:
        for peer, ratios in row["ratio"].items():
            theirs = row["rate"][peer]
            mine = [figure(row["rate"]["Feint"][what]) if what in ratios else "–" for what in COUNTED]
            other = [f"{figure(theirs[w])} ({figure(ratios[w])}×)" if w in ratios else "–" for w in COUNTED]
            cells.append((row["method"], f"{row['compile_s']:.1f} s", peer, mine[0], other[0], mine[1], other[1]))
    return cells


def _aimed(results: dict[str, Any]) -> Cells:
    return [
        (t["method"], f"{t['what']}/s", *(f"{figure(t[key])}{unit}" for key in ("least", "measured")), met)
        for t in results["targets"]
        for unit in ["×" if t["peer"] else ""]
        for met in ["met" if t["met"] else "MISSED"]
    ]


def _notes(results: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    return (
        f"On one core ({results['processor']}), and in brackets how many times the peer's: medians of "
        f"{results['blocks']} blocks of at least {results['least_seconds_a_block']:g} s, ours and peers' in turn, "
        f"after {results['least_seconds_of_warm_up']:g} s of play or more, until every network learns. {versions}. "
        f"A decision is one move by one player; an update is one gradient step of one network, and both networks "
        f"of both players count. OpenSpiel's NFSP is its PyTorch one with the settings of its example "
        f"nfsp_leduc_pytorch: 128 hidden units (64 where said), minibatches of 128, learning every 64 steps. The "
        f"preset paper has 64 hidden units (128 where said), minibatches of 128, and 128 hands going at once; fast "
        f"has 1,024, and its updates learn from tallies of everything remembered in place of minibatches. Judging "
        f"is left out on both sides. Our steps run in one loop, compiled beforehand in the seconds shown. Suits "
        f"are merged in both libraries unless they are said to be apart. Random play is uniform among legal moves: "
        f"ours at 1,024 tables in a compiled loop, OpenSpiel's called from Python."
    )


SECTIONS = (
    (
        "Side by side",
        ("", "compile", "Peer", "Feint, decisions/s", "peer's", "Feint, updates/s", "peer's"),
        _raced,
    ),
    ("Targets", ("", "", "At least", "Measured", ""), _aimed),
)


if __name__ == "__main__":
    main()
