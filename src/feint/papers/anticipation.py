"""What anticipation does: the η of NFSP (Heinrich & Silver 2016), exactly and learned, and in Shapley's game (1964).

In anticipatory play (Shamma & Arslan 2005) everyone answers where the others' averages are going: a share η of their
last response mixed into them. Fictitious play with every η, on games where it goes round for ever without and on games
where it converges anyway, judged exactly; and neural fictitious self-play, where η is the share of hands in which the
best response plays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import final

from feint.forms.library import form_of
from feint.papers.anticipation_claims import told
from feint.papers.anticipation_lag import CHANGES, EXACT, PLAIN, ROUND, lagged
from feint.papers.anticipation_page import RECORDS, write_report
from feint.papers.kuhn_baselines import gaps_after
from feint.papers.records import Records, Row, short
from feint.papers.trials import Trial, trained
from feint.runs.loop import Watcher
from feint.solvers.fictitious_play import ExtensiveFictitiousPlay


@final
@dataclass(frozen=True)
class Size:
    """How much is tried."""

    games: tuple[str, ...]
    shares: tuple[float, ...]
    """Every η of fictitious play, …"""
    stops: tuple[int, ...]
    """… and the iterations after which it is judged."""
    runs: tuple[tuple[str, str, int, tuple[float, ...]], ...]
    """Games, presets, steps and every η of NFSP."""
    lagged: tuple[int, ...]
    """The iterations after which fictitious play with a memory is judged, …"""
    changed: tuple[tuple[str, int, tuple[float, ...]], ...]
    """… and what NFSP is tried without: changes, steps and every η."""
    seeds: int


LEARNED = (0.01, 0.03, 0.1, 0.3, 0.5, 1.0)
"""Most η of NFSP, …"""
FIRST = (0.01, 0.03, 0.1, 0.3, 1.0)
"""… those of its longest runs on Leduc, …"""
AROUND = (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0)
"""… and those on Shapley's game."""
FULL = Size(
    games=("shapley", "kuhn(players=3)", "kuhn", "leduc"),
    shares=(0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
    stops=(100, 1000, 10_000),
    runs=(
        ("shapley", "fast", 2000, AROUND),
        ("shapley", "fast", 20_000, AROUND),
        ("shapley", "fast", 200_000, (0.1, 0.3)),
        ("shapley", "paper", 20_000, (0.1,)),
        ("shapley", "paper", 200_000, (0.1,)),
        ("kuhn(players=3)", "fast", 2000, LEARNED),
        ("kuhn(players=3)", "fast", 20_000, LEARNED),
        ("kuhn", "fast", 2000, LEARNED),
        ("kuhn", "fast", 20_000, LEARNED),
        ("leduc", "fast", 5000, LEARNED),
        ("leduc", "fast", 50_000, FIRST),
        ("leduc", "paper", 100_000, FIRST),
    ),
    lagged=(2000, 20_000, 200_000, 2_000_000),
    changed=(
        ("no exploration", 2000, (0.1, 0.3)),
        ("no exploration", 20_000, (0.1, 0.3)),
        ("an average of all alike", 2000, (0.1, 0.3)),
        ("an average of all alike", 20_000, (0.1, 0.3)),
        ("a memory that does not grow", 2000, (0.03, 0.1, 0.3)),
        ("a memory that does not grow", 20_000, (0.03, 0.1, 0.3)),
        ("a memory that does not grow", 200_000, (0.1,)),
    ),
    seeds=3,
)
QUICK = Size(
    games=("shapley", "kuhn"),
    shares=(0.0, 0.1, 0.5),
    stops=(100, 1000),
    runs=(("kuhn", "fast", 100, (0.1, 1.0)),),
    lagged=(200, 2000),
    changed=(),
    seeds=2,
)


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Measure all that `out` does not hold yet, draw the picture and write the report."""
    size, records, found = QUICK if quick else FULL, Records(out / RECORDS), list[Row]()
    with watch("fictitious play") as watcher:
        for what in played(size):
            watcher.stage(f"{what['game']}, η = {what['anticipation']:g}, {told(what)}")
            found.append(records.row(what, lambda what=what: exact(what)))  # type: ignore[misc]
        for what in remembered(size):
            watcher.stage(f"{what['game']}, η = {what['anticipation']:g}, {what['change']}")
            found.append(records.row(what, lambda what=what: lagged(what)))  # type: ignore[misc]
    for what in taught(size):
        found.append(records.row(what, lambda what=what: learned(out, what, watch)))  # type: ignore[misc]
    return write_report(out, found)


def played(size: Size) -> list[Row]:
    """What is asked of fictitious play, by what tells it from all else."""
    return [
        {
            "what": "exact",
            "game": game,
            "alternating": alternating,
            "anticipation": share,
            "iterations": list(size.stops),
        }
        for game in size.games
        for alternating in (False, True)
        for share in size.shares
    ]


def remembered(size: Size) -> list[Row]:
    """What is asked of fictitious play with a memory."""
    kinds = ((change, share) for change in EXACT for share in size.shares if size.lagged)
    about = {"what": "lagged", "game": ROUND, "iterations": list(size.lagged)}
    return [about | {"change": change, "anticipation": share} for change, share in kinds]


def taught(size: Size) -> list[Row]:
    """What is asked of NFSP."""
    plain = [({"what": "learned"}, *run) for run in size.runs]
    changed = [
        ({"what": "changed", "change": change}, ROUND, "fast", steps, shares) for change, steps, shares in size.changed
    ]
    return [
        what | {"game": game, "preset": preset, "anticipation": share, "steps": steps, "seeds": size.seeds}
        for what, game, preset, steps, shares in plain + changed
        for share in shares
    ]


def exact(what: Row) -> Row:
    """Exploitability of fictitious play after so many iterations."""
    form = form_of(what["game"])
    solver = ExtensiveFictitiousPlay(what["alternating"], what["anticipation"]).on(form)
    found = gaps_after(solver, form.whole("This reproduction"), what["iterations"])
    return {"exploitability": list(map(short, found))}


def learned(out: Path, what: Row, watch: Callable[[str], Watcher]) -> Row:
    """Exploitability of NFSP's average after so many steps, seed by seed."""
    game, preset, share, steps, found = what["game"], what["preset"], what["anticipation"], what["steps"], []
    change = what.get("change", PLAIN)
    name = "-".join(
        ["nfsp", game, preset, f"{steps}", f"{share:g}", *([change.replace(" ", "-")] if CHANGES[change] else [])]
    )
    for seed in range(what["seeds"]):
        title, settings = (
            f"NFSP ({preset}) on {game}, η = {share:g}, {change}",
            CHANGES[change] | {"anticipation": share},
        )
        trial = Trial(out / name / f"seed-{seed}", title, "nfsp", game, preset, settings, seed, steps)
        found.append(short(trained(trial, watch(f"{title}, seed {seed}")).metrics[-1]["exploitability"]))
    return {"exploitability": found}
