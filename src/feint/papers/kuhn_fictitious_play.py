"""Training agents by their winnings in Kuhn poker, and whether dominated play disappears.

An agent plays itself, keeps the moves of the hands that won most and trains its network on them. The paper's claims
rest on one run: that this removes part of the dominated strategies but gets stuck, and that averaging with the old
strategy removes all of them. Here are hundreds of runs, each judged exactly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from feint.evaluate.dominance import eliminate
from feint.learners.elite_play import ElitePlay
from feint.learners.networks import Design
from feint.papers.kuhn_baselines import baselines
from feint.papers.kuhn_claims import STEPS
from feint.papers.kuhn_counter import counter_section
from feint.papers.kuhn_crowds import CROWDS, Crowd, crowd_of
from feint.papers.kuhn_figures import draw_exploitability, draw_figures
from feint.papers.kuhn_page import NUMBERS, Sections, noted, page_of
from feint.papers.kuhn_players import players_section
from feint.papers.kuhn_seeds import Played, play
from feint.papers.kuhn_spoilers import spoilers_section, spoilt
from feint.papers.kuhn_training_sets import measured, sets_section
from feint.papers.records import Row
from feint.runs.files import write_whole
from feint.runs.loop import Watcher
from feint.runs.provenance import provenance
from feint.tree.tree import Tree
from feint.tree.unroll import unroll

QUICK, FULL = 50, 200
"""Seeds of a quick look and of the whole."""


@final
@dataclass(frozen=True)
class Variant:
    name: str
    label: str
    settings: ElitePlay
    updates: int = STEPS - 1
    sure: float = 1.0
    """By how much larger what the first network says of moves is made."""


VARIANTS = (
    Variant("plain", "plain (Code 1)", ElitePlay(average=None)),
    Variant("modified", "modified (mean of strategies)", ElitePlay(average="policy")),
    Variant("weights", "mean of networks' weights", ElitePlay(average="weights")),
    Variant("fictitious", "mean of all answers, 1/(t+1)", ElitePlay(average="fictitious")),
    Variant("more-hands", "modified, 2,000 hands a step", ElitePlay(average="policy", hands=2_000)),
    Variant("more-steps", "modified, 100 steps", ElitePlay(average="policy"), updates=99),
)


WIDE = Design((16,), initial="keras")
RANDOM_STARTS = (
    Variant("plain-random", "plain, at random", ElitePlay(average=None, uniform=False)),
    Variant(
        "plain-random-wide", "plain, at random, Glorot's way", ElitePlay(average=None, uniform=False, network=WIDE)
    ),
    Variant("modified-random", "modified, at random", ElitePlay(average="policy", uniform=False)),
    Variant("modified-random-wide", "modified, at random, Glorot's way", ElitePlay(uniform=False, network=WIDE)),
    Variant(
        "plain-random-sure", "plain, at random, ten times as sure", ElitePlay(average=None, uniform=False), sure=10.0
    ),
    Variant("modified-random-sure", "modified, at random, ten times as sure", ElitePlay(uniform=False), sure=10.0),
)
"""What the paper warns of."""


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Play every variant for many seeds, draw the figures, note what came of it and write the page from that."""
    seeds, everyone = QUICK if quick else FULL, (*VARIANTS, *RANDOM_STARTS)
    tree, played, crowds = unroll("kuhn"), dict[str, Played](), list[Crowd]()
    with watch("Kuhn poker") as watcher:
        for number, variant in enumerate(everyone, 1):
            watcher.stage(f"{number}/{len(everyone)} {variant.label}, {seeds} seeds")
            played[variant.name] = play(tree, variant.settings, variant.updates, seeds, variant.sure)
        watcher.stage("drawing")
        draw_figures(out, tree, played["plain"].tables, played["modified"].tables, eliminate(tree))
        gaps = {each.label: played[each.name].nash_conv / 2 for each in VARIANTS if each.updates == STEPS - 1}
        draw_exploitability(gaps, out / "exploitability.png")
        for players in CROWDS:
            watcher.stage(f"{players} players, {seeds} seeds")
            crowd = unroll(f"kuhn(players={players})")
            crowds.append(crowd_of(crowd, *play(crowd, ElitePlay(), STEPS - 1, seeds)))
    kept = {
        "made_with": ", ".join(provenance()),
        "quick": quick,
        "variants": {each.name: numbers(tree, each, played[each.name]) for each in everyone},
        "second": noted(tree, played["plain"].tables[1]),
        "baselines": baselines(tree),
        "crowds": [crowd._asdict() for crowd in crowds],
    }
    write_whole(out / NUMBERS, (json.dumps(kept) + "\n").encode())
    sets = measured(out, quick, watch)
    spoilt(out, quick, watch)
    return write_report(out, sets)


def write_report(out: Path, sets: Sequence[Row]) -> Path:
    """The page, from records alone: those of `sets` and all others that the folder holds."""
    kept, page = json.loads((out / NUMBERS).read_text()), out / "README.md"
    write_whole(page, page_of(kept, sections_of(out, sets)).encode())
    return page


def sections_of(folder: Path, sets: Sequence[Row]) -> Sections:
    """What the page has from other records, those of training sets among them."""
    return Sections(sets_section(sets), counter_section(folder), spoilers_section(folder), players_section(folder))


def numbers(tree: Tree, variant: Variant, played: Played) -> dict[str, Any]:
    """What is kept of a variant: exploitability, seed by seed in the end, and every seed's strategy by then.

    Of networks that begin at random their first strategies, too.
    """
    first = {} if variant.settings.uniform else {"first": noted(tree, played.tables[0])}
    return {
        "label": variant.label,
        "mean": (played.nash_conv / 2).mean(1).round(4).tolist(),
        "last": (played.nash_conv[-1] / 2).round(4).tolist(),
        "strategies": noted(tree, played.last),
    } | first
