"""What was measured of anticipation, as a page: claims and their verdicts, tables, a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any

from feint.papers.records import Row, band, where
from feint.papers.trials import quick_look, table
from feint.report.canvas import COLOURS, INK, blank, keep
from feint.runs.files import write_whole

TITLE = "Anticipation"
RECORDS = "shares.jsonl"
"""In the folder of the reproduction: all that was measured."""
USUAL = 0.1
"""NFSP's η."""
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


def of_kind(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    return [row for row in rows if wanted.items() <= row.items()]


def draw(rows: Sequence[Row], path: Path) -> None:
    """Exploitability against η: fictitious play all at once and in turn, and NFSP with its seeds as bands."""
    figure = blank(13.0, 4.2)
    panels = figure.subplots(1, 3)
    solved, trained_ones = of_kind(rows, what="exact"), of_kind(rows, what="learned")
    for axes, alternating in zip(panels, (False, True), strict=False):
        for colour, game in zip(COLOURS, names(solved), strict=False):
            some = of_kind(solved, game=game, alternating=alternating)
            ends = [row["exploitability"][-1] for row in some]
            style: dict[str, Any] = {"color": colour, "marker": "o", "markersize": 4, "label": game}
            axes.plot([row["anticipation"] for row in some], ends, **style)
        title = f"Fictitious play, {solved[0]['iterations'][-1]:,} iterations, {told({'alternating': alternating})}"
        axes.set_title(title, color=INK, loc="left", fontweight="bold", fontsize="medium")
    for colour, some in zip(COLOURS, alike(trained_ones), strict=False):
        shares, values = [row["anticipation"] for row in some], [row["exploitability"] for row in some]
        label = f"{some[0]['game']}, {some[0]['preset']}, {some[0]['steps']:,} steps"
        panels[2].plot(shares, list(map(median, values)), color=colour, marker="o", markersize=4, label=label)
        panels[2].fill_between(shares, list(map(min, values)), list(map(max, values)), color=colour, alpha=0.12)
    panels[2].set_title("NFSP", color=INK, loc="left", fontweight="bold", fontsize="medium")
    panels[0].set(ylabel="exploitability (chips per hand, exact)")
    for axes in panels:
        axes.set(yscale="log", xlabel="η")
        axes.set_xscale("symlog", linthresh=0.01)
        axes.set_xlim(-0.002, 1.1)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="best", fontsize="small")
    keep(figure, path)


def names(rows: Sequence[Row]) -> list[str]:
    """The games of rows."""
    return list(dict.fromkeys(row["game"] for row in rows))


def alike(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows of NFSP that differ in η alone."""
    kinds = dict.fromkeys((row["game"], row["preset"], row["steps"]) for row in rows)
    return [of_kind(rows, game=game, preset=preset, steps=steps) for game, preset, steps in kinds]


def page_of(rows: Sequence[Row]) -> str:
    """The page, from records."""
    solved, trained_ones = of_kind(rows, what="exact"), of_kind(rows, what="learned")
    quick = solved[0]["iterations"][-1] <= FEW
    return f"""# {TITLE}

{where(rows, about)}
{quick_look("anticipation") if quick else ""}
In fictitious play everyone answers the others' average so far. In *anticipatory* play they answer where it is going: a
share η of the others' last response mixed into it (Shamma & Arslan 2005). NFSP is that with networks, where η is the
share of hands in which the best response plays (Heinrich & Silver 2016). Exploitability is exact, in chips per hand.

## The claims

Anticipation was proposed for games that are not zero-sum, to settle what goes round without it; NFSP takes a constant η
on zero-sum games, where it is not needed for that. A run settles where ten times the iterations leave less than half
of its exploitability.

{table(["claim", "measured", "verdict"], claims(solved))}

{limits(solved)}

![Exploitability by anticipation](anticipation.png)

## Fictitious play

Nothing here is random, so there are no seeds.

{exactly(solved)}

## Neural fictitious self-play

{judged(trained_ones)}

{by_share(trained_ones)}

{quickest(trained_ones)}

Every number is in `{RECORDS}`. To two million steps, with the paper's own settings, η = 0.5 is beside η = 0.1 on
[the paper's page](../leduc_nfsp/README.md).

Made by `feint reproduce anticipation{" --quick" if quick else ""}`.
"""


def claims(rows: Sequence[Row]) -> list[list[str]]:
    """What is said of anticipation, and what was seen."""
    shapley, others = names(rows)[:1], names(rows)[1:]
    ways = (False, True)
    return [
        *(goes_round(of_kind(rows, game=game, alternating=way)) for game in shapley for way in ways),
        *(settled(of_kind(rows, game=game, alternating=way)) for game in shapley for way in ways),
        *(limited(of_kind(rows, game=game, alternating=way)) for game in others for way in ways),
    ]


def goes_round(some: Sequence[Row]) -> list[str]:
    """That plain fictitious play comes no nearer."""
    plain = some[0]
    verdict = "does not hold" if settles(plain) else "holds"
    return [f"Without it fictitious play goes round for ever: {place(plain)}", course(plain), verdict]


def settled(some: Sequence[Row]) -> list[str]:
    """That play settles with anticipation, and with how much."""
    which = [row for row in some if row["anticipation"] and settles(row)]
    claim = f"With it play settles: {place(some[0])}"
    if not which:
        return [claim, "no η that was tried", "does not hold"]
    least, worst = which[0]["anticipation"], max(row["exploitability"][-1] for row in which)
    most = f"at most {worst:.2g} after {some[0]['iterations'][-1]:,}"
    whole = which == [row for row in some if row["anticipation"] >= least]
    return [claim, f"η = {least:g} and above: {most}", f"holds from η = {least:g} on" if whole else "holds in part"]


def limited(some: Sequence[Row]) -> list[str]:
    """That a constant share of NFSP's size sets a limit where plain play has none."""
    plain, usual = some[0], next(row for row in some if row["anticipation"] == USUAL)
    verdict = "holds" if settles(plain) and not settles(usual) else "does not hold"
    measured = f"{course(usual)}; without anticipation {plain['exploitability'][-1]:.2g}"
    return [f"η = {USUAL:g} sets a limit that more iterations do not pass: {place(usual)}", measured, verdict]


def limits(rows: Sequence[Row]) -> str:
    """From which η on games that are zero-sum do not settle, and which η is ahead of all others when."""
    return "\n".join(
        limit(of_kind(rows, game=game, alternating=way)) for game in names(rows)[1:] for way in (False, True)
    )


def limit(some: Sequence[Row]) -> str:
    """The same of one game and way to respond."""
    last = max((number for number, row in enumerate(some, 1) if settles(row)), default=0)
    ends = f"does not settle from η = {some[last]['anticipation']:g} on" if some[last:] else "settles with every η"
    first = [min(some, key=lambda row: row["exploitability"][at]) for at in range(len(some[0]["iterations"]))]
    when = zip(first, some[0]["iterations"], strict=True)
    ahead = ", ".join(f"{row['anticipation']:g} after {stop:,}" for row, stop in when)
    return fill(f"- {place(some[0])}: play {ends}. Nearest to equilibrium is η = {ahead}.", 120, subsequent_indent="  ")


def place(row: Row) -> str:
    return f"{row['game']}, {told(row)}"


def course(row: Row) -> str:
    """Exploitability, from one number of iterations to the next."""
    pairs = zip(row["exploitability"], row["iterations"], strict=True)
    return ", ".join(f"{value:.2g} after {stop:,}" for value, stop in pairs)


def settles(row: Row) -> bool:
    """Whether ten times the iterations have halved exploitability at least."""
    return bool(row["exploitability"][-1] < row["exploitability"][-2] / 2)


def quickest(rows: Sequence[Row]) -> str:
    """Which η NFSP is best with, by game, preset and steps."""
    found = []
    for some in alike(rows):
        best, *others = sorted(some, key=lambda row: median(row["exploitability"]))
        apart = all(max(best["exploitability"]) < min(row["exploitability"]) for row in others)
        words = "every seed ahead of all others" if apart else "by the median of seeds that overlap"
        where = f"{best['game']}, `{best['preset']}`, after {best['steps']:,} steps"
        found.append(f"- {where}: η = {best['anticipation']:g} is best, {words}.")
    return "\n".join(found)


def about(row: Mapping[str, Any]) -> str:
    """What a row is about, whatever its η."""
    if row["what"] == "exact":
        return f"fictitious play in {row['game']}"
    return f"NFSP in {row['game']}, `{row['preset']}`, {row['steps']:,} steps"


def exactly(rows: Sequence[Row]) -> str:
    """Exploitability by η, a line for each game, way to respond and number of iterations."""
    shares = sorted({row["anticipation"] for row in rows})
    head = ["game", "players respond", "iterations", f"η: {shares[0]:g}", *(f"{share:g}" for share in shares[1:])]
    lines = []
    for game in names(rows):
        for alternating in (False, True):
            some = sorted(of_kind(rows, game=game, alternating=alternating), key=lambda row: float(row["anticipation"]))
            for place, stop in enumerate(some[0]["iterations"]):
                cells = [f"{row['exploitability'][place]:.2g}" for row in some]
                lines.append([game, told(some[0]), f"{stop:,}", *cells])
    return table(head, lines)


def judged(rows: Sequence[Row]) -> str:
    """What is judged of NFSP, and what the presets are that were tried."""
    presets = dict.fromkeys(row["preset"] for row in rows)
    settings = " and ".join(f"`{preset}` has {SETTINGS[preset]}" for preset in presets)
    words = (
        f"The median of seeds 0 to {rows[0]['seeds'] - 1} and from where to where they go. Judged is the average, "
        f"which learns from the best response's hands alone, and these are the fewer the smaller η is; the best "
        f"response is learned from all hands. But for η, {settings}."
    )
    return fill(words, 120)


def by_share(rows: Sequence[Row]) -> str:
    """Exploitability of NFSP by η, a line for each game, preset and number of steps."""
    shares = sorted({row["anticipation"] for row in rows})
    head = ["NFSP on", "preset", "steps", f"η: {shares[0]:g}", *(f"{share:g}" for share in shares[1:])]
    lines = [
        [
            some[0]["game"],
            f"`{some[0]['preset']}`",
            f"{some[0]['steps']:,}",
            *(band(row["exploitability"]) for row in sorted(some, key=lambda row: float(row["anticipation"]))),
        ]
        for some in alike(rows)
    ]
    return table(head, lines)


def told(what: Row) -> str:
    """Whether players respond one after the other."""
    return "in turn" if what["alternating"] else "all at once"
