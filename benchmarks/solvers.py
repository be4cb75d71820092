"""Feint's solvers and judges next to OpenSpiel's and LiteEFG's: the same games, the same algorithms, one core.

Every block of ours is followed by one of each peer's, so that a noisy machine is noisy for all. Before any timing,
trees must have equal sizes and strategies equal NashConv; otherwise there is nothing to compare. Results are printed,
and kept in results/solvers.json and results/solvers.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, final

from racing import BLOCKS, PEERS_PYTHON, Racer, one_core, processor
from tables import markdown, show

AGREEMENT = 1e-9
"""How far the NashConv of two implementations of one algorithm may be apart, in chips per hand."""


@final
@dataclass(frozen=True)
class GamePair:
    """One game under both names. Their trees are checked to be of equal size."""

    label: str
    ours: str
    theirs: str


@final
@dataclass(frozen=True)
class Race:
    """A method of ours and what each peer calls it."""

    label: str
    ours: str
    peers: dict[str, str]
    """The peer's method, by the peer's name."""


GAMES = (
    GamePair("Kuhn", "kuhn", "kuhn_poker"),
    GamePair("Leduc, suits merged", "leduc", "leduc_poker(suit_isomorphism=True)"),
    GamePair("Leduc, suits apart", "leduc(suits=True)", "leduc_poker"),
    GamePair("Liar's dice", "open_spiel:liars_dice", "liars_dice"),
)
SPIEL, PYTHON, LITE = "OpenSpiel C++", "OpenSpiel Python", "LiteEFG"
RACES = (
    Race("CFR", "cfr", {SPIEL: "C++ cfr", PYTHON: "Python cfr"}),
    Race("CFR, both players at once", "cfr simultaneous", {LITE: "LiteEFG cfr"}),
    Race("CFR+", "cfr+", {SPIEL: "C++ cfr+", PYTHON: "Python cfr+", LITE: "LiteEFG cfr+"}),
    Race(
        "NashConv, one call",
        "nash_conv",
        {SPIEL: "C++ nash_conv", PYTHON: "Python nash_conv", LITE: "LiteEFG nash_conv"},
    ),
    Race("NashConv, tree kept", "nash_conv loop", {SPIEL: "C++ nash_conv kept", LITE: "LiteEFG nash_conv"}),
)
ALONE = (
    Race("Unroll the rules", "unroll", {}),
    Race("Arrange the sequence form", "arrange", {}),
    Race("Linear programme", "linear-program", {}),
)
TOO_SLOW = {("Liar's dice", "Python cfr"), ("Liar's dice", "Python cfr+"), ("Liar's dice", "linear-program")}
TARGETS = (
    ("CFR+", "Leduc", SPIEL, 100.0),
    ("CFR+", "Leduc", LITE, 20.0),
    ("NashConv, one call", "Leduc", SPIEL, 50.0),
    ("CFR+", "Liar's dice", SPIEL, 30.0),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="the least a timed block takes")
    seconds = parser.parse_args().seconds
    one_core()
    results: dict[str, Any] = {"processor": processor(), "blocks": BLOCKS, "least_seconds_a_block": seconds}
    results |= {"games": [], "rows": []}
    for pair in GAMES:
        _race_all(pair, seconds, results)
    results["targets"] = _targets(results["rows"])
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    (folder / "solvers.json").write_text(json.dumps(results, indent=1) + "\n")
    (folder / "solvers.md").write_text(markdown(results))
    show(results)


def _race_all(pair: GamePair, seconds: float, results: dict[str, Any]) -> None:
    """Every method on one game, in fresh processes."""
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        ours = stack.enter_context(Racer(Path(sys.executable), "ours.py", home))
        peers = stack.enter_context(Racer(PEERS_PYTHON, "peers.py", home))
        results["versions"] = ours.versions | peers.versions
        size, theirs = ours.ask("tree", pair.ours), peers.ask("tree", pair.theirs)
        if size != theirs:
            raise SystemExit(f"{pair.ours} and {pair.theirs} are different trees: {size} and {theirs}.")
        results["games"].append(asdict(pair) | size)
        for race in RACES + ALONE:
            if (pair.label, race.ours) not in TOO_SLOW:
                print(f"{pair.label}: {race.label}", file=sys.stderr)
                results["rows"].append(_race(race, pair, seconds, ours, peers))


def _race(race: Race, pair: GamePair, seconds: float, ours: Racer, peers: Racer) -> dict[str, Any]:
    """One row: ours and each peer in turn, block by block."""
    facts = ours.ask(race.ours, pair.ours)
    entered = {peer: method for peer, method in race.peers.items() if (pair.label, method) not in TOO_SLOW}
    apart = {}
    for peer, method in entered.items():
        mine = facts["nash_conv_later" if peer == LITE else "nash_conv"]
        theirs = peers.ask(method, pair.theirs)["nash_conv"]
        apart[peer] = abs(mine - theirs)
        if apart[peer] > AGREEMENT:
            raise SystemExit(f"{race.label} on {pair.label}: NashConv {mine} is ours, {theirs} is {peer}'s.")
    rates: dict[str, list[float]] = {name: [] for name in ("Feint", *entered)}
    for _ in range(BLOCKS):
        rates["Feint"].append(ours.ask(race.ours, pair.ours, seconds)["rate"])
        for peer, method in entered.items():
            rates[peer].append(peers.ask(method, pair.theirs, seconds)["rate"])
    middle = {name: median(blocks) for name, blocks in rates.items()}
    return {
        "method": race.label,
        "game": pair.label,
        "facts": facts,
        "rate": middle,
        "blocks": rates,
        "ratio": {peer: middle["Feint"] / middle[peer] for peer in entered},
        "nash_conv_apart": apart,
    }


def _targets(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"method": method, "game": row["game"], "peer": peer, "least": least, "ratio": row["ratio"][peer]}
        | {"met": row["ratio"][peer] >= least}
        for method, game, peer, least in TARGETS
        for row in rows
        if row["method"] == method and row["game"].startswith(game)
    ]


if __name__ == "__main__":
    main()
