"""What was measured of anticipation, as a page: claims and their verdicts, tables, a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any

from feint.learners.nfsp import NFSP, PAPER
from feint.papers.anticipation_claims import (
    USUAL,
    WAYS,
    alike,
    claims,
    lag_claims,
    learned_claims,
    limits,
    listed,
    names,
    of_kind,
    share_of,
    spread,
    told,
)
from feint.papers.anticipation_lag import CHANGES, PLAIN, ROUND
from feint.papers.records import UNNOTED, Row, where
from feint.papers.trials import quick_look, table
from feint.report.canvas import COLOURS, INK, blank, keep
from feint.runs.files import write_whole

TITLE = "Anticipation"
RECORDS = "shares.jsonl"
"""In the folder of the reproduction: all that was measured."""
FEW = 1000
"""Iterations up to which a curve is hardly begun."""
SETTINGS = {"fast": "our settings", "paper": "the paper's settings"}
"""What presets of NFSP have, but for η."""


def write_report(out: Path, rows: Sequence[Row]) -> Path:
    """The picture and the page, from records alone."""
    draw(rows, out / "anticipation.png")
    page = out / "README.md"
    write_whole(page, page_of(rows).encode())
    return page


def draw(rows: Sequence[Row], path: Path) -> None:
    """Exploitability against η: fictitious play all at once and in turn, and NFSP with its seeds as bands."""
    figure = blank(13.0, 4.2)
    panels = figure.subplots(1, 3)
    solved, trained_ones = of_kind(rows, what="exact"), of_kind(rows, what="learned")
    colours = dict(zip(names(solved), COLOURS, strict=False))
    for axes, alternating in zip(panels, WAYS, strict=False):
        for game, colour in colours.items():
            some = of_kind(solved, game=game, alternating=alternating)
            ends = [row["exploitability"][-1] for row in some]
            style: dict[str, Any] = {"color": colour, "marker": "o", "markersize": 4, "label": game}
            axes.plot([row["anticipation"] for row in some], ends, **style)
        title = f"Fictitious play, {solved[0]['iterations'][-1]:,} iterations, {told({'alternating': alternating})}"
        axes.set_title(title, color=INK, loc="left", fontweight="bold", fontsize="medium")
    for some in drawn(trained_ones):
        shares, values = [row["anticipation"] for row in some], [row["exploitability"] for row in some]
        game, preset, steps = (some[0][key] for key in ("game", "preset", "steps"))
        usual, colour = preset == "fast", colours[game]
        style = {"color": colour, "linestyle": "-" if usual else "--", "marker": "o", "markersize": 4}
        label = f"{game}, {steps:,}" + ("" if usual else f", {preset}")
        panels[2].plot(shares, list(map(median, values)), label=label, **style)
        panels[2].fill_between(shares, list(map(min, values)), list(map(max, values)), color=colour, alpha=0.12)
    panels[2].set_title("NFSP, after so many steps", color=INK, loc="left", fontweight="bold", fontsize="medium")
    panels[0].set(ylabel="exploitability (chips per hand, exact)")
    for axes in panels:
        axes.set(yscale="log", xlabel="η")
        axes.set_xscale("symlog", linthresh=0.01)
        axes.set_xlim(-0.002, 1.1)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="best", fontsize="small")
    keep(figure, path)


def drawn(rows: Sequence[Row]) -> list[list[Row]]:
    """Of each game and preset the longest runs of NFSP, but for those with few η."""
    some = alike(rows)
    many = max(map(len, some)) / 2
    return list({(each[0]["game"], each[0]["preset"]): each for each in some if len(each) > many}.values())


def page_of(rows: Sequence[Row]) -> str:
    """The page, from records."""
    solved, trained_ones = of_kind(rows, what="exact"), of_kind(rows, what="learned")
    remembered, changed = of_kind(rows, what="lagged"), of_kind(rows, what="changed")
    answers = [*claims(solved), *learned_claims(trained_ones), *lag_claims(remembered, trained_ones, changed)]
    quick = solved[0]["iterations"][-1] <= FEW
    return f"""# {TITLE}

{where(rows, labels(rows))}
{quick_look("anticipation") if quick else ""}
In fictitious play everyone answers the others' average so far. In *anticipatory* play they answer where it is going: a
share η of the others' last response mixed into it (Shamma & Arslan 2005). NFSP is that with networks, where η is the
share of hands in which the best response plays (Heinrich & Silver 2016). Exploitability is exact, in chips per hand.

## The claims

Anticipation was proposed for games that are not zero-sum, to settle what goes round without it; NFSP takes a constant η
on zero-sum games, where it is not needed for that.

{rules(changed)}

{table(["claim", "measured", "verdict"], answers)}

{limits(solved)}

![Exploitability by anticipation](anticipation.png)

## Fictitious play

Nothing here is random, so there are no seeds.

{exactly(solved)}

## Neural fictitious self-play

{judged(trained_ones)}

{by_share(trained_ones)}

{quickest(trained_ones)}
{why(remembered, trained_ones, changed) if remembered else ""}
Every number is in `{RECORDS}`. To two million steps, with the paper's own settings, η = 0.5 is beside η = 0.1 on
[the paper's page](../leduc_nfsp/README.md).

Made by `feint reproduce anticipation{" --quick" if quick else ""}`.
"""


def quickest(rows: Sequence[Row]) -> str:
    """Which η NFSP is best with, by game, preset and steps."""
    found = []
    for some in alike(rows):
        best, *others = sorted(some, key=middle)
        if not others:
            continue
        where = f"- {best['game']}, `{best['preset']}`, after {best['steps']:,} steps"
        if middle(best) == middle(others[0]):
            found.append(f"{where}: none that was tried is ahead.")
            continue
        apart = all(max(best["exploitability"]) < min(row["exploitability"]) for row in others)
        words = "every seed ahead of all others" if apart else "by the median of seeds that overlap"
        found.append(f"{where}: η = {best['anticipation']:g} is best of those tried, {words}.")
    return "\n".join(found)


def middle(row: Row) -> float:
    """The median of its seeds."""
    return float(median(row["exploitability"]))


def rules(changed: Sequence[Row]) -> str:
    """How claims are judged."""
    words = (
        "A run settles where ten times the iterations, or steps of NFSP, leave less than half of its exploitability; "
        "of NFSP every seed has to, and where only some do nothing is decided. That play settles holds in part where "
        "it, or every seed of NFSP, settles with some η but not with all larger ones."
    )
    slow = (
        " A thing slows play down where every seed without it lies below half of every seed with it after the most "
        "steps that both were tried for, in NFSP and, where it was tried there, in fictitious play. That does not hold "
        "where no seed lies below half of any with it in one of them, and is not decided where only some do."
    )
    return fill(words + (slow if changed else ""), 120)


def labels(rows: Sequence[Row]) -> Callable[[Mapping[str, Any]], str]:
    """What tells rows apart that were made in several places: what they are about, and with which η if need be."""
    places: dict[str, dict[tuple[str, ...], list[float]]] = {}
    for row in rows:
        places.setdefault(about(row), {}).setdefault(made_by(row), []).append(share_of(row))

    def label(row: Mapping[str, Any]) -> str:
        made = places[about(row)]
        return f"{about(row)}, η = {listed(sorted(made[made_by(row)]))}" if len(made) > 1 else about(row)

    return label


def made_by(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What a row was made with."""
    return tuple(row.get("made_with", UNNOTED))


def about(row: Mapping[str, Any]) -> str:
    """What a row is about, whatever its η."""
    if row["what"] == "exact":
        return f"fictitious play in {row['game']}"
    if row["what"] == "lagged":
        return f"fictitious play with NFSP's memory in {row['game']}"
    if row["what"] == "changed":
        return f"NFSP in {row['game']}, tried without something"
    return f"NFSP in {row['game']}, `{row['preset']}`, {row['steps']:,} steps"


def exactly(rows: Sequence[Row]) -> str:
    """Exploitability by η, a line for each game, way to respond and number of iterations."""
    shares = sorted({share_of(row) for row in rows})
    head = ["game", "players respond", "iterations", *heads(shares)]
    lines = []
    for game in names(rows):
        for alternating in WAYS:
            some = sorted(of_kind(rows, game=game, alternating=alternating), key=share_of)
            for place, stop in enumerate(some[0]["iterations"]):
                values = [f"{row['exploitability'][place]:.2g}" for row in some]
                lines.append([game, told(some[0]), f"{stop:,}", *values])
    return table(head, lines)


def judged(rows: Sequence[Row]) -> str:
    """What is judged of NFSP, and what the presets are that were tried."""
    presets = dict.fromkeys(row["preset"] for row in rows)
    settings = " and ".join(f"`{preset}` has {SETTINGS[preset]}" for preset in presets)
    words = (
        f"The median of seeds 0 to {rows[0]['seeds'] - 1} and from where to where they go. Judged is the average, "
        f"which learns from the best response's hands alone, and these are the fewer the smaller η is; the best "
        f"response is learned from all hands. But for η, {settings}. The paper's η is {USUAL:g}, "
        f"and that of `fast` by itself {NFSP().anticipation:g}."
    )
    return fill(words, 120)


def by_share(rows: Sequence[Row]) -> str:
    """Exploitability of NFSP by η, a line for each game, preset and number of steps."""
    shares = sorted({share_of(row) for row in rows})
    head = ["NFSP on", "preset", "steps", *heads(shares)]
    lines = [
        [some[0]["game"], f"`{some[0]['preset']}`", f"{some[0]['steps']:,}", *cells(some, shares)]
        for some in alike(rows)
    ]
    return table(head, lines)


def heads(shares: Sequence[float]) -> list[str]:
    """The heads of columns, one for each η."""
    return [f"η: {shares[0]:g}", *(f"{share:g}" for share in shares[1:])]


def cells(some: Sequence[Row], shares: Sequence[float]) -> list[str]:
    """The seeds of NFSP by η, and nothing where none was tried."""
    found = {share_of(row): spread(row["exploitability"]) for row in some}
    return [found.get(share, "") for share in shares]


def why(remembered: Sequence[Row], plain: Sequence[Row], changed: Sequence[Row]) -> str:
    """What NFSP and fictitious play with a memory like its own come to, thing by thing."""
    window, power = NFSP().replay, NFSP().average.growth
    words = (
        f"The best response of NFSP answers what others did as far back as its memory goes, so it learns late where "
        f"they are going. In `fast` the memory fades over {window.share:.0%} of all steps so far and {window.least:g} "
        f"more, and step t counts t^{power:g} times in the average, which so moves on {power + 1:g} times as fast. "
        f"Here fictitious play, all at once and exact, has such a memory and such an average; and NFSP is tried "
        f"without each of them, and without exploration. *A memory that does not grow* fades over {window.least:g} "
        f"steps for ever (`replay.share=0`), *an average of all alike* counts every step once (`average.growth=0`), "
        f"and *no exploration* is `exploration.epsilon=0`. `paper` keeps the latest {PAPER.replay.capacity:,} moves of "
        f"each seat: a memory that does not grow either once it is full, and an average of all alike."
    )
    return f"""
## Why NFSP with a small share is slower on Shapley's game

{fill(words, 120)}

{lagging(remembered, plain, changed)}
"""


def lagging(remembered: Sequence[Row], plain: Sequence[Row], changed: Sequence[Row]) -> str:
    """Fictitious play with a memory and NFSP, by what each is tried without."""
    shares = sorted({share_of(row) for row in remembered})
    lines = []
    for change in CHANGES:
        exact = sorted(of_kind(remembered, change=change), key=share_of)
        for at, stop in enumerate(exact[0]["iterations"] if exact else ()):
            values = [f"{row['exploitability'][at]:.2g}" for row in exact]
            lines.append([change, "fictitious play", f"{stop:,}", *values])
        tried = of_kind(plain, game=ROUND, preset="fast") if change == PLAIN else of_kind(changed, change=change)
        lines += [[change, "NFSP", f"{some[0]['steps']:,}", *cells(some, shares)] for some in alike(tried)]
    return table(["tried", "play", "iterations", *heads(shares)], lines)
