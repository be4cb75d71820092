"""What seeds of "Poker-RNN" say of its claims, by what benchmarks/poker_rnn_trials.py kept, however far each came.

A claim is decided by seeds that have played as many hands as the paper's agents and all agree, three at least; what
others say is told beside it. Intervals over seeds are Student's: they say what another seed would have learned, and are
wide with three.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, final

import numpy as np
from scipy import stats

from feint.papers.poker_rnn_claims import FAILS, HOLDS, OPEN, Claim, Finding, above
from feint.papers.poker_rnn_hands import Estimate, Sense, connected, over_neighbours, sense
from feint.papers.poker_rnn_judge import RANDOM, SENSE, Judged
from feint.papers.poker_rnn_stages import JUDGED, PUBLISHED
from feint.papers.poker_rnn_variants import AGAIN, LABELS, PAPERS_HANDS
from feint.papers.records import rows_in
from feint.papers.trials import table
from feint.runs.files import METRICS, rows_of

Record = Mapping[str, Any]
CLEARER = 0.1
"""By how much a rank correlation must exceed another for a pattern to be clearer."""
ENOUGH = 3
"""Seeds at the paper's length that decide a claim."""


class NotKnown(Exception):
    """No record has this; the words say what is missing."""


@final
class Kept(dict[Any, Any]):
    """What is known of agents, or of two together: it notes whose numbers are asked for, and says what is missing."""

    def __init__(self, known: Mapping[Any, Any], what: str, asked: set[Any]) -> None:
        super().__init__(known)
        self._what, self._asked = what, asked

    def __getitem__(self, key: Any) -> Any:
        self._asked.update({key} if isinstance(key, str) else {key, *key})
        return super().__getitem__(key)

    def __missing__(self, key: Any) -> Any:
        names = [key] if isinstance(key, str) else key
        raise NotKnown(f"no {self._what} {' and '.join(LABELS.get(name, name) for name in names)}")


class Seed(NamedTuple):
    """The agents of one seed, as far as they came."""

    number: int
    judged: Judged
    charts: Mapping[str, np.ndarray]
    hands: Mapping[str, float]
    """What each agent has played."""
    asked: set[Any]
    """Whose numbers were asked for, and which matches."""
    again: Mapping[tuple[str, str], Mapping[str, float]]
    """Matches of agents that were trained again, with what these had played."""


def read_records(folder: Path) -> list[Record]:
    """All that was kept: of training in one file, of matches in another."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def published(records: Sequence[Record]) -> list[Record]:
    """Agents with the paper's settings that have played at all, in the order of the paper."""
    names = list(LABELS)
    rows = [row for row in records if row.get("kind") == "published" and played(row)]
    return sorted(rows, key=lambda row: (names.index(row["agent"]), row["seed"]))


def played(row: Record) -> float:
    """The hands that a lane has played."""
    return float(row["curve"][-1]["hands"]) if row["curve"] else 0.0


def seeds_of(records: Sequence[Record]) -> list[Seed]:
    """Every seed that was trained, with whatever is known of it."""
    cross: dict[int, dict[tuple[str, str], Estimate]] = defaultdict(dict)
    again: dict[int, dict[tuple[str, str], Mapping[str, float]]] = defaultdict(dict)
    rows: dict[int, dict[str, Record]] = defaultdict(dict)
    later = {(row["agent"], row["seed"]): played(row) for row in records if row.get("kind") == AGAIN}
    for row in published(records):
        rows[row["seed"]][row["agent"]] = row
        if "random" in row:
            cross[row["seed"]][row["agent"], RANDOM] = Estimate(*row["random"][:2])
    for row in sorted(records, key=lambda row: AGAIN in row):  # these stand in where there is no match else
        if row["trial"] == "cross":
            won, pair, seed = Estimate(*row["won"][:2]), (row["one"], row["other"]), row["seed"]
            if AGAIN in row and pair in cross[seed]:
                continue
            cross[seed] |= {pair: won, pair[::-1]: Estimate(-won.value, won.reach)}
            if AGAIN in row:
                hands = {name: later[name, seed] for name in row[AGAIN]}
                again[seed] |= {pair: hands, pair[::-1]: hands}
    return [_seed(number, rows[number], cross[number], again[number]) for number in sorted(rows)]


def reproduced(folder: Path) -> Seed:
    """The seed of the reproduction's own runs, at the paper's length: all that is noted of these."""
    rows: dict[str, dict[str, Any]] = {agent: {"curve": rows_of(folder / agent / METRICS)[0]} for agent in LABELS}
    cross: dict[tuple[str, str], Estimate] = {}
    for words, numbers in ((row["what"], row["found"]) for row in rows_in(folder / JUDGED)):
        if (found := re.match(r"a local best response to (\S+), ", words)) and found[1] in rows:
            rows[found[1]]["bound"] = numbers
        elif found := re.match(rf"{SENSE}([^ ,]+)", words):
            rows[found[1]]["sense"] = Sense.of(numbers)
        elif found := re.match(rf"(\S+) against (\S+), {PUBLISHED.matches[1]:,} hands", words):
            cross[found[1], found[2]] = Estimate(*numbers)
            cross[found[2], found[1]] = Estimate(-numbers[0], numbers[1])
    return _seed(0, rows, cross)


def _seed(
    number: int,
    rows: Mapping[str, Record],
    cross: Mapping[tuple[str, str], Estimate],
    again: Mapping[tuple[str, str], Mapping[str, float]] = MappingProxyType({}),
) -> Seed:
    asked, unknown = set[Any](), Estimate(nan, nan)
    charts = {agent: np.array(row["chart"]) for agent, row in rows.items() if "chart" in row}
    bounds = {agent: Estimate(*row["bound"][:2]) for agent, row in rows.items() if "bound" in row}
    seen = {agent: sense(chart) for agent, chart in charts.items()}
    seen |= {agent: row["sense"] for agent, row in rows.items() if "sense" in row}
    matches = Kept(cross, "match of", asked)
    judged = Judged(
        hands=min(played(row) for row in rows.values()),
        curves=Kept({agent: row["curve"] for agent, row in rows.items()}, "curve of", asked),
        short=matches,
        cross=matches,
        bounds=Kept(bounds, "bound of", asked),
        raising=(unknown, unknown),
        sense=Kept(seen, "kept values of", asked),
    )
    hands = {agent: played(row) for agent, row in rows.items()}
    return Seed(number, judged, Kept(charts, "kept values of", asked), hands, asked, again)


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
        words = f"it falls {before:,.0f} mbb/h on its way up and {after:,.0f} later"
        return Finding(verdict, words if reached else f"{words}: it was there at the first evaluation")

    return answer


def lower_peak(seed: Seed) -> Finding:
    """Whether one curve is lower at its best than another, as far as both go."""
    curves = [seed.judged.curves[name] for name in ("nfsp", "rnfsp")]
    both = min(curve[-1]["hands"] for curve in curves)
    peaks = []
    for curve in curves:
        best = max((row for row in curve if row["hands"] <= both), key=lambda row: float(row["winnings"]))
        peaks.append(Estimate(best["winnings"], best["winnings_error"]))
    words = f"{peaks[1]} against {peaks[0]} mbb/h in {both:,.0f} hands"
    return Finding(above(peaks[0].less(peaks[1]), 0.0), words)


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


class Answer(NamedTuple):
    """What a seed says of a claim."""

    verdict: str | None
    """None where it says nothing."""
    measured: str
    hands: Mapping[str, float]
    """What the agents have played whose numbers it comes from."""

    @property
    def whole(self) -> bool:
        """Whether all of these played as much as in the paper."""
        return min(self.hands.values()) >= PAPERS_HANDS


def answer(claim: Claim | More, seed: Seed) -> Answer:
    """A seed's answer, with the hands that those it is about have played."""
    seed.asked.clear()
    try:
        found = claim.answer(seed.judged) if isinstance(claim, Claim) else claim.answer(seed)
    except NotKnown as why:
        return Answer(None, str(why), {})
    hands = {name: seed.hands[name] for name in LABELS if name in seed.asked}
    others = {name: hands for pair in seed.asked & seed.again.keys() for name, hands in seed.again[pair].items()}
    words = f" ({', '.join(LABELS[name] for name in others)} trained again)" if others else ""
    return Answer(found.verdict, f"{found.measured}{words}", hands | others)


def verdict(answers: Sequence[Answer]) -> str:
    """What seeds say together: decided is what enough of them say at the paper's length, all of them the same."""
    known = [each for each in answers if each.verdict is not None]
    whole, short = ([each for each in known if each.whole is wanted] for wanted in (True, False))
    agreed = len(whole) >= ENOUGH and len({each.verdict for each in whole}) == 1
    both = {"at the paper's length": whole, "after fewer hands": short}
    told = [f"{words}: {_counted(some)}" for words, some in both.items() if some]
    return f"**{whole[0].verdict if agreed else OPEN}**; {'; '.join(told) or answers[0].measured}"


def _counted(answers: Sequence[Answer]) -> str:
    verdicts = [each.verdict for each in answers]
    counts = {words: verdicts.count(words) for words in (HOLDS, FAILS, OPEN)}
    return ", ".join(f"{words} in {count}" for words, count in counts.items() if count)


def claims_table(claims: Sequence[Claim | More], seeds: Sequence[Seed]) -> str:
    """Every claim, by every seed."""
    rows = []
    for claim in claims:
        found = [answer(claim, each) for each in seeds]
        known = any(each.verdict for each in found)
        rows.append([claim.words, verdict(found), _fewest(found), *(each.measured if known else "–" for each in found)])
    return table(["claim", "by seeds", "fewest hands", *(f"seed {each.number}" for each in seeds)], rows)


def _fewest(answers: Sequence[Answer]) -> str:
    fewest: dict[str, float] = {}
    for each in answers:
        fewest |= {name: min(hands, fewest.get(name, hands)) for name, hands in each.hands.items()}
    return ", ".join(f"{LABELS[name]} {fewest[name]:,.0f}" for name in LABELS if name in fewest) or "–"


def over_seeds(values: Iterable[float]) -> Estimate:
    """The mean of some seeds, and how far it reaches by how they differ; no interval for one."""
    known = [value for value in values if isfinite(value)]
    if len(known) < 2:
        return Estimate(known[0] if known else nan, nan)
    reach = stats.t.ppf(0.975, len(known) - 1) * np.std(known, ddof=1) / len(known) ** 0.5
    return Estimate(float(np.mean(known)), float(reach))


def cell(lanes: Iterable[Record], name: str) -> str:
    """A number of some seeds as tables have it, told by those that have it."""
    known = [lane[name][0] for lane in lanes if name in lane]
    return str(over_seeds(known)) if known else "–"
