"""What is said of anticipation, what was measured and the verdicts: of fictitious play, and of NFSP by its seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from textwrap import fill
from typing import Any

from feint.learners.nfsp import PAPER
from feint.papers.anticipation_lag import CAUSES, EXACT, PLAIN, ROUND
from feint.papers.records import Row

USUAL = PAPER.anticipation
"""The paper's η."""
UNSURE = (ROUND, "kuhn(players=3)")
"""Games that are not zero-sum for two, in which fictitious play need not come to an equilibrium."""
WAYS = (False, True)
"""Whether players respond one after the other."""
TEN = 10
"""Play settles where so many times the iterations, or steps, leave less than half of its exploitability."""


def claims(rows: Sequence[Row]) -> list[list[str]]:
    """What is said of anticipation in fictitious play, and what was seen."""
    games, around = names(rows), [of_kind(rows, game=ROUND, alternating=way) for way in WAYS]
    return [
        *(goes_round(of_kind(rows, game=game, alternating=way)) for game in games if game in UNSURE for way in WAYS),
        *(settled(some, f"With it play settles: {place(some[0])}") for some in around),
        *(limited(of_kind(rows, game=game, alternating=way)) for game in games if game != ROUND for way in WAYS),
    ]


def goes_round(some: Sequence[Row]) -> list[str]:
    """That plain fictitious play comes no nearer."""
    plain = some[0]
    verdict = "does not hold" if settles(plain) else "holds"
    return [f"Without it fictitious play goes round for ever: {place(plain)}", course(plain), verdict]


def settled(some: Sequence[Row], claim: str) -> list[str]:
    """That play settles with anticipation, and with how much."""
    which = [row for row in some if share_of(row) and settles(row)]
    if not which:
        return [claim, f"no η that was tried; {ends(some)}", "does not hold"]
    least, worst = share_of(which[0]), max(row["exploitability"][-1] for row in which)
    most = f"at most {worst:.2g} after {some[0]['iterations'][-1]:,}"
    if which != [row for row in some if share_of(row) >= least]:
        return [claim, f"η = {listed(map(share_of, which))}: {most}", "holds in part"]
    return [claim, f"η = {least:g} and above: {most}", f"holds from η = {least:g} on"]


def ends(some: Sequence[Row]) -> str:
    """From where to where play ends with anticipation, and the η of each."""
    some = [row for row in some if share_of(row)]
    first, last = (choose(some, key=lambda row: row["exploitability"][-1]) for choose in (min, max))
    parts = [f"{row['exploitability'][-1]:.2g} with η = {row['anticipation']:g}" for row in (first, last)]
    return f"after {some[0]['iterations'][-1]:,} from {' to '.join(parts)}"


def limited(some: Sequence[Row]) -> list[str]:
    """That a constant share of the paper's size sets a limit where plain play has none."""
    plain, usual = some[0], next(row for row in some if row["anticipation"] == USUAL)
    verdict = "holds" if settles(plain) and not settles(usual) else "does not hold"
    measured = f"{course(usual)}; without anticipation {plain['exploitability'][-1]:.2g}"
    return [f"η = {USUAL:g} sets a limit that more iterations do not pass: {place(usual)}", measured, verdict]


def limits(rows: Sequence[Row]) -> str:
    """From which η on games that settle without it do not settle, and which η is ahead of all others when."""
    return "\n".join(
        limit(of_kind(rows, game=game, alternating=way)) for game in names(rows) if game != ROUND for way in WAYS
    )


def limit(some: Sequence[Row]) -> str:
    """The same of one game and way to respond."""
    last = max((number for number, row in enumerate(some, 1) if settles(row)), default=0)
    ends = f"does not settle from η = {some[last]['anticipation']:g} on" if some[last:] else "settles with every η"
    first = [min(some, key=lambda row: row["exploitability"][at]) for at in range(len(some[0]["iterations"]))]
    when = zip(first, some[0]["iterations"], strict=True)
    ahead = ", ".join(f"{row['anticipation']:g} after {stop:,}" for row, stop in when)
    return fill(f"- {place(some[0])}: play {ends}. Nearest to equilibrium is η = {ahead}.", 120, subsequent_indent="  ")


def settles(row: Row) -> bool:
    """Whether ten times the iterations have halved exploitability at least."""
    return bool(row["exploitability"][-1] < row["exploitability"][-2] / 2)


def place(row: Row) -> str:
    return f"{row['game']}, {told(row)}"


def course(row: Row) -> str:
    """Exploitability, from one number of iterations to the next."""
    pairs = zip(row["exploitability"], row["iterations"], strict=True)
    return ", ".join(f"{value:.2g} after {stop:,}" for value, stop in pairs)


def told(what: Row) -> str:
    """Whether players respond one after the other."""
    return "in turn" if what["alternating"] else "all at once"


def learned_claims(rows: Sequence[Row]) -> list[list[str]]:
    """What is said of NFSP, and what was seen."""
    usual = [pair for pairs in spans(of_kind(rows, game=ROUND)) for pair in pairs if share_of(pair[0]) == USUAL]
    several = (pairs for pairs in spans(rows) if len(pairs) > 1)
    return [*map(learned_settles, several), *map(enough, usual)]


Pair = tuple[Row, Row]
"""NFSP after some steps and after ten times as many, all else alike."""


def spans(rows: Sequence[Row]) -> list[list[Pair]]:
    """Every tenfold of steps that was tried, by game and preset: a pair for each η that has both."""
    found = []
    for some in alike(rows):
        about = {key: some[0][key] for key in ("game", "preset")} | {"steps": TEN * some[0]["steps"]}
        later = {share_of(row): row for row in of_kind(rows, **about)}
        if pairs := [(row, later[share_of(row)]) for row in some if share_of(row) in later]:
            found.append(pairs)
    return found


def halved(pair: Pair) -> list[bool]:
    """Of each seed, whether it settles by the rule of the page."""
    before, after = (row["exploitability"] for row in pair)
    return [end < start / 2 for start, end in zip(before, after, strict=True)]


def learned_settles(pairs: Sequence[Pair]) -> list[str]:
    """With how much anticipation NFSP settles."""
    shares = {words: [share_of(pair[0]) for pair in pairs if which(halved(pair))] for words, which in SEEDS.items()}
    measured = "; ".join(f"{words} with η = {listed(some)}" for words, some in shares.items() if some)
    every, some, _ = shares.values()
    whole = bool(every) and every == [share_of(pair[0]) for pair in pairs if share_of(pair[0]) >= every[0]]
    partly = "holds in part" if every else "not decided" if some else "does not hold"
    verdict = f"holds from η = {every[0]:g} on" if whole else partly
    return [f"NFSP settles: {span(pairs[0])}", measured, verdict]


SEEDS = {
    "every seed": all,
    "some seeds": lambda seeds: any(seeds) and not all(seeds),
    "no seed": lambda seeds: not any(seeds),
}
"""How many seeds do something, in words."""


def enough(pair: Pair) -> list[str]:
    """That NFSP settles with the paper's share."""
    seeds = halved(pair)
    verdict = "holds" if all(seeds) else "not decided" if any(seeds) else "does not hold"
    return [f"NFSP settles with the paper's η = {USUAL:g}: {span(pair)}", courses(pair), verdict]


def courses(pair: Pair) -> str:
    """Where seeds are before and after."""
    return ", ".join(f"{spread(row['exploitability'])} after {row['steps']:,}" for row in pair)


def spread(values: Sequence[float]) -> str:
    """The median of seeds and from where to where they go, however small."""
    return f"{median(values):.3g} ({min(values):.3g} to {max(values):.3g})"


def span(pair: Pair) -> str:
    """From how many steps to how many."""
    before, after = pair
    return f"{before['game']}, `{before['preset']}`, {before['steps']:,} to {after['steps']:,} steps"


def listed(shares: Iterable[float]) -> str:
    return ", ".join(f"{share:g}" for share in shares)


def lag_claims(rows: Sequence[Row], plain: Sequence[Row], changed: Sequence[Row]) -> list[list[str]]:
    """That fictitious play settles with the memory of NFSP, and what slows both down with the paper's share."""
    claim = f"Fictitious play settles with NFSP's memory too: {ROUND}"
    tried = [(change, of_kind(rows, change=change)) for change in EXACT]
    slow = [(change, compared(change, rows, plain, changed)) for change in CAUSES]
    return [
        *(settled(some, f"{claim}, {change}") for change, some in tried if some),
        *(cause(change, plays) for change, plays in slow if "NFSP" in plays),
    ]


Ends = dict[int, list[float]]
"""What seeds, or play that has none, come to after so many steps."""
Sides = dict[str, list[tuple[int, list[float], list[float]]]]
"""By who plays: after how many steps, what play without a thing and play with it come to."""


def compared(change: str, exact: Sequence[Row], plain: Sequence[Row], changed: Sequence[Row]) -> Sides:
    """Play with the paper's share without a thing and with it, wherever there are both after as many steps."""
    played, learned = {"anticipation": USUAL}, {"game": ROUND, "preset": "fast", "anticipation": USUAL}
    without, whole = seeds_after(of_kind(changed, change=change, **learned)), seeds_after(of_kind(plain, **learned))
    alone, together = (play_after(of_kind(exact, change=which, **played)) for which in (change, PLAIN))
    sides = {"NFSP": (without, whole), "fictitious play": (alone, together)}
    both = {
        who: [(stop, one[stop], other[stop]) for stop in sorted(one.keys() & other.keys())]
        for who, (one, other) in sides.items()
    }
    return {who: ends for who, ends in both.items() if ends}


def seeds_after(rows: Sequence[Row]) -> Ends:
    """The ends of NFSP."""
    return {row["steps"]: row["exploitability"] for row in rows}


def play_after(rows: Sequence[Row]) -> Ends:
    """The ends of fictitious play."""
    pairs = (zip(row["iterations"], row["exploitability"], strict=True) for row in rows)
    return {stop: [value] for some in pairs for stop, value in some}


def cause(change: str, plays: Sides) -> list[str]:
    """That a thing slows play down with the paper's share: in NFSP, and in fictitious play if it has it."""
    found = [halves(*ends[-1][1:]) for ends in plays.values()]
    verdict = "does not hold" if "no" in found else "not decided" if "unclear" in found else "holds"
    words = (f"{who} without it and with it {beside(ends)}" for who, ends in plays.items())
    return [f"What slows η = {USUAL:g} down: {ROUND}, {CAUSES[change]}", "; ".join(words), verdict]


def halves(without: Sequence[float], whole: Sequence[float]) -> str:
    """Whether all that is without a thing lies below half of all that is with it."""
    if max(without) < min(whole) / 2:
        return "yes"
    return "no" if min(without) >= max(whole) / 2 else "unclear"


def beside(ends: Iterable[tuple[int, list[float], list[float]]]) -> str:
    """The ends of both, from one number of steps to the next."""
    return ", ".join(f"{end(without)} and {end(whole)} after {stop:,}" for stop, without, whole in ends)


def end(values: Sequence[float]) -> str:
    """Seeds, or play that has none."""
    return spread(values) if values[1:] else f"{values[0]:.2g}"


def alike(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows of NFSP that differ in η alone, by game, preset and steps."""
    kinds = sorted({(row["game"], row["preset"], row["steps"]) for row in rows})
    return [sorted(of_kind(rows, game=game, preset=preset, steps=steps), key=share_of) for game, preset, steps in kinds]


def share_of(row: Row) -> float:
    """Its η."""
    return float(row["anticipation"])


def of_kind(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    return [row for row in rows if wanted.items() <= row.items()]


def names(rows: Sequence[Row]) -> list[str]:
    """The games of rows."""
    return list(dict.fromkeys(row["game"] for row in rows))
