"""The page on seeds and readings of "Poker-RNN", made of what benchmarks/poker_rnn_trials.py kept.

Intervals over seeds are Student's: they say what another seed would have learned, and are wide with three.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from feint.papers.poker_rnn_claims import FAILS, HOLDS, OPEN, OURS, THEIRS, Claim, Finding, above
from feint.papers.poker_rnn_hands import Estimate, connected, over_neighbours, sense
from feint.papers.poker_rnn_judge import Judged
from feint.papers.poker_rnn_variants import BASE, LABELS, PAPERS_HANDS, WORDS

Record = Mapping[str, Any]
CLEARER = 0.1
"""By how much a rank correlation must exceed another for a pattern to be clearer."""


class Seed(NamedTuple):
    """All agents of one seed at the paper's length."""

    number: int
    judged: Judged
    charts: Mapping[str, np.ndarray]


def read_records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def seeds_of(records: Sequence[Record]) -> list[Seed]:
    """The seeds of which all five agents were trained, judged and matched with each other."""
    published = {(row["seed"], row["agent"]): row for row in records if row.get("kind") == "published"}
    cross: dict[int, dict[tuple[str, str], Estimate]] = defaultdict(dict)
    for row in records:
        if row["trial"] == "cross":
            won, pair = Estimate(*row["won"][:2]), (row["one"], row["other"])
            cross[row["seed"]] |= {pair: won, pair[::-1]: Estimate(-won.value, won.reach)}
    found = []
    for seed in sorted({seed for seed, _ in published}):
        rows = {agent: published[seed, agent] for agent in LABELS if "bound" in published.get((seed, agent), {})}
        if len(rows) == len(LABELS) and len(cross[seed]) == 30:
            found.append(_seed(seed, rows, cross[seed]))
    return found


def _seed(number: int, rows: Mapping[str, Record], cross: Mapping[tuple[str, str], Estimate]) -> Seed:
    charts = {agent: np.array(row["chart"]) for agent, row in rows.items()}
    unknown = Estimate(nan, nan)
    judged = Judged(
        hands=min(row["curve"][-1]["hands"] for row in rows.values()),
        curves={agent: row["curve"] for agent, row in rows.items()},
        short=cross,
        cross=cross,
        bounds={agent: Estimate(*row["bound"][:2]) for agent, row in rows.items()},
        raising=(unknown, unknown),
        sense={agent: sense(chart) for agent, chart in charts.items()},
    )
    return Seed(number, judged, charts)


def straight_potential(seed: Seed) -> Finding:
    named, found = over_neighbours(seed.charts["dqn"]), connected(seed.charts["dqn"])
    words = ", ".join(f"{words} {gain:+.2f} BB" for words, gain in named.items())
    verdict = HOLDS if min(named.values()) > 0 and found.low > 0 else FAILS if max(named.values()) <= 0 else OPEN
    return Finding(verdict, f"{words}; all such hands {found.value:+.2f} ± {found.reach:.2f}")


def clearer(one: str, other: str) -> Callable[[Seed], Finding]:
    def answer(seed: Seed) -> Finding:
        ours, theirs = (seed.judged.sense[name].high for name in (one, other))
        verdict = HOLDS if ours >= theirs + CLEARER else FAILS if ours <= theirs else OPEN
        return Finding(verdict, f"rank correlation {ours:.2f} against {theirs:.2f}")

    return answer


def largest_fall(values: Sequence[float]) -> float:
    """How far a curve falls at most below what it was at before."""
    highest = np.maximum.accumulate(np.asarray(values, float))
    return float((highest - np.asarray(values)).max()) if len(values) else 0.0


def rises_first(name: str) -> Callable[[Seed], Finding]:
    """Whether a curve falls half as far at most on its way to 80% of its best as it does afterwards."""

    def answer(seed: Seed) -> Finding:
        won = [row["winnings"] for row in seed.judged.curves[name]]
        reached = next(at for at, value in enumerate(won) if value >= 0.8 * max(won))
        before, after = largest_fall(won[: reached + 1]), largest_fall(won[reached:])
        verdict = HOLDS if 2 * before <= after and reached else FAILS if before >= after else OPEN
        return Finding(verdict, f"it falls {before:,.0f} mbb/h on its way up and {after:,.0f} later")

    return answer


def lower_peak(seed: Seed) -> Finding:
    peaks = []
    for name in ("nfsp", "rnfsp"):
        best = max(seed.judged.curves[name], key=lambda row: float(row["winnings"]))
        peaks.append(Estimate(best["winnings"], best["winnings_error"]))
    return Finding(above(peaks[0].less(peaks[1]), 0.0), f"{peaks[1]} against {peaks[0]} mbb/h")


class More(NamedTuple):
    """A claim that is answered seed by seed alone."""

    words: str
    answer: Callable[[Seed], Finding]


MORE = (
    More("DQN's values show straight potential: QJ and JT above hands as high but further apart", straight_potential),
    More("RNFSP's patterns are clearer than NFSP's", clearer("rnfsp", "nfsp")),
    More("DRQN's patterns are clearer than DQN's", clearer("drqn", "dqn")),
    More("DQN's curve rises before it swings", rises_first("dqn")),
    More("DRQN's curve rises before it swings", rises_first("drqn")),
    More("RNFSP's peak is lower than NFSP's", lower_peak),
)


def overall(verdicts: Sequence[str]) -> str:
    """What seeds say together: only what all of them say is decided."""
    return verdicts[0] if len(set(verdicts)) == 1 else "not decided"


def claims_table(seeds: Sequence[Seed]) -> str:
    """Every claim, by every seed."""
    rows = []
    for claim in (*THEIRS, *OURS, *MORE):
        found = [claim.answer(each.judged) if isinstance(claim, Claim) else claim.answer(each) for each in seeds]
        counts = {verdict: [each.verdict for each in found].count(verdict) for verdict in (HOLDS, OPEN, FAILS)}
        told = ", ".join(f"{verdict} in {count}" for verdict, count in counts.items() if count)
        rows.append(
            [claim.words, f"**{overall([each.verdict for each in found])}**: {told}", *(e.measured for e in found)]
        )
    return _table(["claim", "by seeds", *(f"seed {each.number}" for each in seeds)], rows)


def over_seeds(values: Iterable[float]) -> Estimate:
    """The mean of some seeds, and how far it reaches by how they differ; no interval for one."""
    known = [value for value in values if isfinite(value)]
    if len(known) < 2:
        return Estimate(known[0] if known else nan, nan)
    reach = stats.t.ppf(0.975, len(known) - 1) * np.std(known, ddof=1) / len(known) ** 0.5
    return Estimate(float(np.mean(known)), float(reach))


def readings_table(records: Sequence[Record]) -> str:
    """Every reading of every agent: what it wins off random play, loses at least, and wins off the base."""
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for row in records:
        if row.get("kind") not in (None, "published"):
            words = row["variant"] if row["kind"] == "readings" else WORDS[row["kind"]]
            groups[row["agent"], words].append(row)
    rows = []
    for (agent, words), lanes in groups.items():
        cells = [_cell(lanes, name) for name in ("random", "bound", "base")]
        last = [lane["curve"][-1] for lane in lanes]
        died = sum(row["value_spread"] == 0 for row in last)
        high = over_seeds(sense(np.array(lane["chart"])).high for lane in lanes if "chart" in lane)
        hands = np.mean([row["hands"] for row in last])
        rows.append(
            [
                LABELS[agent],
                words,
                str(len(lanes)),
                f"{hands:,.0f}",
                *cells,
                f"{high.value:.2f} ± {high.reach:.2f}",
                str(died),
            ]
        )
    heads = ["agent", "reading", "seeds", "hands", "won off random play", "lost at least", f"won off “{BASE}”"]
    return _table([*heads, "rank correlation", "seeds whose values died"], rows)


def _cell(lanes: Sequence[Record], name: str) -> str:
    known = [lane[name][0] for lane in lanes if name in lane]
    return str(over_seeds(known)) if known else "–"


def search_table(records: Sequence[Record]) -> str:
    """What searchers win off the agents."""
    rows = [
        [
            row["one"],
            LABELS[row["other"]],
            f"{row['simulations']:,}",
            f"{row['won'][2]:,}",
            str(Estimate(*row["won"][:2])),
        ]
        for row in records
        if row["trial"].startswith("mcts/")
    ]
    return _table(["searcher", "agent", "simulations a move", "hands", "won (mbb/h)"], rows)


def published_table(records: Sequence[Record]) -> str:
    """Every agent and seed at the paper's length, or as far as it came."""
    rows = []
    for row in records:
        if row.get("kind") == "published":
            last = row["curve"][-1]
            found = [str(Estimate(*row[name][:2])) if name in row else "–" for name in ("random", "bound")]
            enough = "" if last["hands"] >= PAPERS_HANDS else " (cut off)"
            minutes = f"{row['seconds'] / 60:.1f} min"
            rows.append([LABELS[row["agent"]], str(row["seed"]), f"{last['hands']:,.0f}{enough}", *found, minutes])
    return _table(
        ["agent", "seed", "hands", "won off random play", "lost at least", "time of all seeds together"], rows
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))


def write_seeds_page(records: Sequence[Record]) -> str:
    """The page; what is not known yet is left out."""
    seeds, parts = seeds_of(records), [_HEAD]
    if any(row.get("kind") == "published" for row in records):
        parts.append(f"## At the paper's length\n\n{published_table(records)}\n\n{_PICTURES}")
    if seeds:
        parts.append(f"## The claims, seed by seed\n\n{claims_table(seeds)}\n\n{_RULES}")
    if any(row.get("kind") == "readings" for row in records):
        parts.append(f"## Read otherwise\n\n{_READINGS}\n\n{readings_table(records)}")
    if any(row["trial"].startswith("mcts/") for row in records):
        parts.append(f"## Against Monte Carlo tree search\n\n{_SEARCH}\n\n{search_table(records)}")
    machines = sorted({f"{row['machine']}, jax {row['jax']}" for row in records if "jax" in row})
    return "\n\n".join([*parts, f"Made on {'; '.join(machines)}.", _MADE]) + "\n"


_HEAD = """# Five learners of limit hold'em: seeds and readings

What [the reproduction](README.md) of "Poker-RNN" leaves open: what other seeds learn, and what the paper's settings do
where they are read otherwise. Winnings are in mbb/h. *Lost at least* is what a local best response wins."""
_PICTURES = """Intervals here are about luck with the cards, one seed a row.

![learning curves of all seeds](seeds-curves.png)

![DRQN's values of two cards](seeds-drqn-values.png)"""
_RULES = """A claim is decided where all seeds say the same, and each by the rules of [the reproduction](README.md).
Hands as high but further apart: KT for QJ, Q9 for JT. A pattern is clearer at a rank correlation 0.1 higher. A curve
rises before it swings if on its way to 80% of its best it falls at most half as far as it does later."""
_READINGS = """The paper's settings, one of them read or set otherwise at a time, for the same number of updates: three
seeds each, and intervals over these. *Won off “as published”* is a match with the settings as we read them, of the same
seed. A target every 300 moves is one in 30 updates. RLCard's rules have other raises, so there is no such match."""
_SEARCH = """What searchers win off the agents of the first seed, at so many simulations a move. Matches ended with the
time there was, and intervals allow for that."""
_MADE = "Made by `python benchmarks/poker_rnn_pages.py` of [the records](trials/records.jsonl)."
