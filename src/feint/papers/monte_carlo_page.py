"""The page of Monte Carlo tree search, from records alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any

from feint.papers.monte_carlo_trials import CONSTANTS, FULL, GAMES, KINDS, SEATED, C
from feint.papers.records import Row, band, where
from feint.papers.trials import quick_look, table
from feint.players.monte_carlo import ENOUGH
from feint.report.canvas import COLOURS, INK, blank, keep

TITLE = "Monte Carlo tree search against exact exploitability"
CLIMBS = 1.1
"""A curve diverges that ends higher than this many times its lowest point."""
WIDTH = 120
"""Of lines of prose."""
WAYS = [(kind, c, False) for c in CONSTANTS for kind in KINDS] + [(kind, C, True) for kind in KINDS]


def trees(rows: Sequence[Row], game: str, way: tuple[str, float, bool]) -> list[Row]:
    """The seeds of one way to search."""
    wanted = ("trees", game, *way)
    return [row for row in rows if tuple(row.get(key) for key in ("what", "game", "kind", "c", "values")) == wanted]


def after(seeds: Sequence[Row], stop: int, number: str = "exploitability") -> list[float]:
    """A number of every seed after so many simulations."""
    return [row[number][row["simulations"].index(stop)] for row in seeds]


def draw(rows: Sequence[Row], path: Path) -> None:
    """Exploitability by simulations: the average of the trees, and players at a table as dots."""
    figure = blank(11.0, 4.6)
    for axes, game in zip(figure.subplots(1, len(GAMES)), GAMES, strict=True):
        for colour, way in zip(COLOURS, WAYS, strict=True):
            seeds = trees(rows, game, way)
            stops = seeds[0]["simulations"]
            values = [after(seeds, stop) for stop in stops]
            axes.plot(stops, list(map(median, values)), color=colour, label=called(way), linewidth=1.5)
            band_of = list(map(min, values)), list(map(max, values))
            axes.fill_between(stops, *band_of, color=colour, alpha=0.12, linewidth=0)
        for marker, kind in zip("os", SEATED, strict=True):
            for filled in (False, True):
                some = players(rows, game, kind, filled)
                style: dict[str, Any] = {"color": INK, "marker": marker, "linestyle": "", "markersize": 5}
                style |= {"markerfacecolor": INK if filled else "none", "label": seat(kind, filled)}
                axes.plot([row["simulations"] for row in some], [median(row["moves"]) for row in some], **style)
        axes.set(xscale="log", yscale="log", xlabel="simulations (at a table: at each move)")
        axes.set_ylabel("exploitability (chips per hand, exact)")
        axes.set_title(
            f"{game}: lines trees, dots players", color=INK, loc="left", fontweight="bold", fontsize="medium"
        )
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    keep(figure, path)


def called(way: tuple[str, float, bool]) -> str:
    kind, c, told = way
    return f"{kind}, c = {c:g}" + (", learned values" if told else "")


def seat(kind: str, told: bool) -> str:
    return f"{kind} at a table" + (", learned values" if told else "")


def players(rows: Sequence[Row], game: str, kind: str, told: bool) -> list[Row]:
    """What is known of a player at a table, by simulations."""
    wanted = ("player", game, kind, told)
    return [row for row in rows if tuple(row.get(key) for key in ("what", "game", "kind", "values")) == wanted]


def page_of(rows: Sequence[Row]) -> str:
    """The page, from records."""
    quick = short(rows)
    seconds = sum(row["seconds"][-1] if row["what"] == "trees" else row.get("seconds", 0.0) for row in rows)
    last = len(trees(rows, GAMES[0], WAYS[0])) - 1
    claims = [claim(rows, game, kind, c) for game in GAMES for c in CONSTANTS for kind in KINDS]
    return f"""# {TITLE}

{where(rows, lambda row: row["what"])}
Simulations took {seconds / 60:.2g} minutes of one core.
Of seeds 0 to {last} the median is given, and from where to where they go.
{quick_look("monte_carlo") if quick else ""}
`ismcts` and `smooth-uct` search games with hidden information by simulation: every player descends a tree of their
own, by what they see. *UCT* chooses moves there by upper confidence bounds, as information-set MCTS does; *smooth UCT*
(Heinrich & Silver 2015) does so with a probability of max(γ, η / (1 + d √N)), and otherwise makes every move as often
as it was made before; η = 0.9, γ = 0.1 and d = 0.001 are those of a public program that reimplements it, since we could
not read the paper itself. c is the constant of the bounds, as a multiple of the largest payoff (2 chips in Kuhn, 13 in
Leduc). Exploitability is NashConv / 2 in chips per hand, exact.

## The claims

Heinrich & Silver report of Kuhn and Leduc poker that "Smooth UCT approached a Nash equilibrium, whereas UCT diverged"
(their abstract). The curves themselves we could not read, so there are no numbers of theirs here. A curve approaches
equilibrium where every seed is nearer after the last simulation than after a tenth of them, and diverges where every
seed ends above {CLIMBS:g} times its lowest point; where seeds differ nothing is decided.

{table(["claim", "measured", "verdict"], claims)}

The two should be alike at first, while η / (1 + d √N) is near η, and part later:

{of_claims(rows)}

## The average of the trees

All simulations begin with the deal, and what is judged is the average strategy of the trees, the shares in which moves
were made. The likeliest moves alone are those of the trees at the end. Seconds are of one core, for all simulations.

![Exploitability by simulations](exploitability.png)

{searched(rows, [way for way in WAYS if not way[2]])}

{of_likeliest(rows)}

## With learned values

"Poker-RNN" (§5.1) would combine search with the Q values of its agents. Here a simulation ends at the first place that
a tree does not have yet, and is worth what a Q-learner says of it in place of playing on at random; for each seed one
is trained (`feint train dqn leduc --steps {steps(rows, "leduc")} --seed K`, and {steps(rows, "kuhn"):,} on Kuhn).

{table(["game", "Q-learning's greedy play", "its average"], [learner(rows, game) for game in GAMES])}

{searched(rows, [way for way in WAYS if way[2]])}

Beside playing on at random, by exploitability of the seeds:

{of_values(rows)}

Values are asked only where a tree lacks a place, and in games as small as these soon hardly any is lacking: from then
on both are the same search. So this is no verdict on games whose trees are never whole.

## Players as they sit at a table

At every decision a player that has just sat down searches with so many simulations (c = {C:g}), and what it does is
written down: `ismcts` begins every simulation at its decision, with what it does not see drawn anew, and makes the
likeliest move (several searches, each seed's frequencies judged, and those of all seeds together); `smooth-uct` begins
with the deal and moves as its average does. *As simulated* is `ismcts` if it moved as often as it was simulated.
Frequencies from few searches are purer than the player, so that exploitability is if anything too high; together there
are more of them, and that is one player and one number, which has no seeds to give it an interval.

{seated(rows)}

`ismcts` beside `smooth-uct`, both without learned values, by simulations at each move and exploitability of the seeds:

{of_kinds(rows)}

With learned values, beside the same player without, by simulations at each move and exploitability of the seeds:

{of_players(rows)}

`smooth-uct` that has just sat down answers what the searcher may hold only where simulations from the deal came by its
decision {ENOUGH} times; elsewhere it simulates from the decision on, as `ismcts` does. It keeps its trees from hand to
hand, so the longer it sits there the more it plays the average of trees above.

Every number is in `searches.jsonl`.

Made by `feint reproduce monte-carlo{" --quick" if quick else ""}`.
"""


def short(rows: Sequence[Row]) -> bool:
    """Whether records are of a quick look."""
    return bool(trees(rows, GAMES[0], WAYS[0])[0]["simulations"][-1] < FULL.stops[-1])


def steps(rows: Sequence[Row], game: str) -> int:
    return next(int(row["steps"]) for row in rows if (row["what"], row["game"]) == ("dqn", game))


def claim(rows: Sequence[Row], game: str, kind: str, c: float) -> list[str]:
    """What the paper says of a way to search, and what was seen."""
    seeds = trees(rows, game, (kind, c, False))
    last = seeds[0]["simulations"][-1]
    tenth = last // 10
    end, before = after(seeds, last), after(seeds, tenth)
    climbs = [value / min(row["exploitability"]) for value, row in zip(end, seeds, strict=True)]
    if KINDS[kind]:
        so = [now < then for now, then in zip(end, before, strict=True)]
        measured = f"{band(before)} after {tenth:,} simulations, {band(end)} after {last:,}"
    else:
        so = [climb > CLIMBS for climb in climbs]
        measured = f"ends at {band(end)}, {band(climbs)} times its lowest"
    words = "approaches an equilibrium" if KINDS[kind] else "diverges"
    verdict = "holds" if all(so) else "not decided" if any(so) else "does not hold"
    return [f"{kind}, c = {c:g}, {words} on {game}", measured, verdict]


def least_pure(rows: Sequence[Row], game: str) -> float:
    """How exploitable the likeliest moves alone are at least, by the last simulation of any way to search."""
    return float(min(row["likeliest"][-1] for row in rows if (row["what"], row["game"]) == ("trees", game)))


def of_likeliest(rows: Sequence[Row]) -> str:
    """What the likeliest moves alone are, and how exploitable."""
    pure = " and ".join(f"{least_pure(rows, game):.3f} on {game}" for game in GAMES)
    words = (
        f"The likeliest moves alone are what a player makes who always takes the most visited move; an equilibrium "
        f"mixes, and after the last simulation these are exploitable by {pure} at least. How players at a table fare "
        f"who move so, and who move as their average does, is compared below. We found no source for the paper's c "
        f"that we trust; another public program has 18 chips on Leduc, about 1.4 of the largest payoff."
    )
    return fill(words, WIDTH)


def powers(stops: Sequence[int]) -> list[int]:
    """The numbers of simulations that tables have."""
    return [stop for stop in stops if str(stop).strip("0") == "1"]


def searched(rows: Sequence[Row], ways: Sequence[tuple[str, float, bool]]) -> str:
    """Exploitability by simulations, a line for each game and way."""
    shown = powers(trees(rows, GAMES[0], WAYS[0])[0]["simulations"])
    lines = []
    for game in GAMES:
        for way in ways:
            seeds = trees(rows, game, way)
            cells = [band(after(seeds, stop)) for stop in shown]
            ends = band(after(seeds, shown[-1], "likeliest")), f"{median(after(seeds, shown[-1], 'seconds')):.2g}"
            lines.append([game, way[0], f"{way[1]:g}", *cells, *ends])
    head = ["game", "moves chosen by", "c", *(f"{stop:,}" for stop in shown), "likeliest moves alone", "seconds"]
    return table(head, lines)


def learner(rows: Sequence[Row], game: str) -> list[str]:
    seeds = [row for row in rows if (row["what"], row["game"]) == ("dqn", game)]
    return [game, *(band([row[number] for row in seeds]) for number in ("exploitability", "average"))]


def seated(rows: Sequence[Row]) -> str:
    """Players at a table, a line for each game, player and way to judge it."""
    lines = []
    for game in GAMES:
        for kind, smooth in SEATED.items():
            for told in (False, True):
                some = players(rows, game, kind, told)
                ways: list[tuple[str, Callable[[Row], str]]] = [("as it moves", lambda row: band(row["moves"]))]
                ways += [("the same, all seeds together", lambda row: f"{row['together']:.3f}")]
                if not smooth:
                    ways += [("as simulated", lambda row: band(row["shares"]))]
                for words, cell in ways:
                    lines.append([game, kind, "learned" if told else "", words, *map(cell, some)])
    counts = [(row["simulations"], row["searches"]) for row in players(rows, GAMES[0], "ismcts", False)]
    head = [f"{many:,} simulations (`ismcts` {searches} × a seed)" for many, searches in counts]
    return table(["game", "player", "values", "judged", *head], lines)


def of_claims(rows: Sequence[Row]) -> str:
    """How long the two ways are alike by game and c, and how they end."""
    found = []
    for game in GAMES:
        for c in CONSTANTS:
            plain, smooth = (trees(rows, game, (kind, c, False)) for kind in KINDS)
            *_, before, last = stops = plain[0]["simulations"]
            alike = [stop for stop in stops if beside(after(plain, stop), after(smooth, stop)) == OVERLAP]
            until = f"seeds overlap last after {alike[-1]:,} simulations" if alike else "seeds never overlap"
            end, theirs, earlier = (median(after(*of)) for of in ((plain, last), (smooth, last), (plain, before)))
            words = (
                f"- On {game}, c = {c:g}, {until}; after {last:,} UCT's median is {end / theirs:.1f} times that of "
                f"smooth UCT and {end / earlier:.2f} times its own after {before:,}."
            )
            found.append(fill(words, WIDTH, subsequent_indent="  "))
    return "\n".join(found)


LOWER, HIGHER, OVERLAP = "every seed is lower", "every seed is higher", "seeds overlap"


def beside(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """Whether seeds of one way to play lie apart from those of another."""
    return LOWER if max(ours) < min(theirs) else HIGHER if min(ours) > max(theirs) else OVERLAP


def of_values(rows: Sequence[Row]) -> str:
    """What learned values change in trees."""
    found = []
    for game in GAMES:
        for kind in KINDS:
            told, plain = (trees(rows, game, (kind, C, values)) for values in (True, False))
            ends = (told[0]["simulations"][0], told[0]["simulations"][-1])
            parts = (f"after {stop:,} simulations {beside(after(told, stop), after(plain, stop))}" for stop in ends)
            found.append(f"- {kind} on {game}: {', '.join(parts)}.")
    return "\n".join(found)


def of_kinds(rows: Sequence[Row]) -> str:
    """How whoever makes the likeliest move at a table stands beside whoever moves as the average does."""
    found = []
    for game in GAMES:
        pairs = zip(*(players(rows, game, kind, False) for kind in SEATED), strict=True)
        parts = (f"with {row['simulations']:,} {beside(row['moves'], other['moves'])}" for row, other in pairs)
        found.append(f"- On {game}: {', '.join(parts)}.")
    return "\n".join(found)


def of_players(rows: Sequence[Row]) -> str:
    """What they change at a table."""
    found = []
    for game in GAMES:
        for kind in SEATED:
            pairs = zip(*(players(rows, game, kind, told) for told in (True, False)), strict=True)
            parts = (f"with {row['simulations']:,} {beside(row['moves'], plain['moves'])}" for row, plain in pairs)
            found.append(f"- `{kind}` on {game}: {', '.join(parts)}.")
    return "\n".join(found)
