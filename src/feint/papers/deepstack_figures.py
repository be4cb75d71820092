"""The figures of the reproduction of DeepStack for Leduc."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from feint.games.leduc import leduc_no_limit
from feint.papers.deepstack_bets import draw_bets
from feint.papers.deepstack_networks import EIGHT, THEIRS, Kind
from feint.report.canvas import COLOURS, INK, blank, keep, plain
from feint.search.resolving import searches_of
from feint.search.values import ACTIVATIONS, BENDS, SLOPE

if TYPE_CHECKING:
    from feint.papers.deepstack_leduc import Facts

MBB = 10.0
"""Thousandths of an ante in a chip."""
STYLES = {2: "-", 4: "--"}


def draw_figures(out: Path, facts: Facts) -> None:
    """All of them."""
    draw_lookahead(out / "lookahead.png")
    draw_activations(out / "activations.png")
    draw_learning(facts.losses, out / "learning.png")
    draw_table(facts.scores, out / "table-3.png")
    draw_iterations(facts.inside, facts.controls, facts.size.iterations[0], out / "iterations.png")
    if facts.bets:
        draw_bets(facts.bets, out / "bets.png")
    draw_programs(facts.programs, out / "figure-9.png")
    draw_cross(facts.cross, out / "cross.png")


def _axes(width: float, height: float, title: str) -> tuple[Any, Any]:
    figure = blank(width, height)
    axes = figure.subplots()
    plain(axes, title)
    axes.grid(alpha=0.25)
    return figure, axes


def draw_lookahead(path: Path) -> None:
    """What is solved at the first decision: the betting of the round, and where a network stands in for the rest."""
    search = searches_of(leduc_no_limit()).searches[0][0][0]
    betting, arrivals = search.tree.betting, search.arrivals
    assert arrivals is not None
    waiting = {int(node) for node in arrivals.nodes if node >= 0}
    figure, axes = _axes(9.6, 5.2, "The lookahead at the first decision: betting of one round, then a network")
    rows = {"next": 0.0}

    def place(node: int, depth: int) -> float:
        heights = []
        for move in np.flatnonzero(betting.legal[node]).tolist():
            child, word = int(betting.child[node, move]), betting.spoken[node][move]
            inside = child >= 0 and betting.round[child] == 0
            if inside:
                height = place(child, depth + 1)
            else:
                height, rows["next"] = rows["next"], rows["next"] - 1
                network = child in waiting
                paid = betting.stakes[child, 0] if child >= 0 else betting.paid[-2 - child].min()
                words = (
                    f"network, {paid:g} each" if network else ("fold" if word == "fold" else f"cards, {paid:g} each")
                )
                axes.text(depth + 1.05, height, words, va="center", fontsize=8, color=COLOURS[0] if network else INK)
            heights.append((height, word))
        middle = float(np.mean([height for height, _ in heights]))
        for height, word in heights:
            axes.plot([depth, depth + 1], [middle, height], color="0.6", linewidth=1, zorder=1)
            if word != "fold":  # that stands at the end
                box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
                across, up = depth + 0.7, middle + 0.7 * (height - middle)
                axes.text(across, up, word, fontsize=7, color=INK, ha="center", va="center", bbox=box)
        axes.scatter([depth], [middle], s=60, color=COLOURS[1 + int(betting.actor[node])], zorder=2)
        return middle

    place(0, 0)
    axes.set_axis_off()
    keep(figure, path)


def draw_activations(path: Path) -> None:
    """Figures 5 to 8: what layers do with what they add up."""
    figure = blank(10.4, 2.8)
    rows = jnp.linspace(-3, 3, 121)[None]
    for name, bend, axes in zip(ACTIVATIONS, BENDS, figure.subplots(1, len(ACTIVATIONS), sharey=True), strict=True):
        axes.plot(rows[0], bend(rows, jnp.asarray(SLOPE))[0], color=COLOURS[0])
        plain(axes, name)
        axes.grid(alpha=0.25)
    keep(figure, path)


def _look(kind: Kind) -> dict[str, Any]:
    return {"color": COLOURS[ACTIVATIONS.index(kind.activation)], "linestyle": STYLES[kind.depth], "label": kind.name}


def draw_learning(losses: Float[np.ndarray, "e s k"], path: Path) -> None:
    """Held-out losses of the paper's networks as they learn: the median of the seeds."""
    figure, axes = _axes(7.2, 4.4, "Learning: Huber loss on situations not learned from")
    for number, kind in enumerate(EIGHT):
        axes.plot(1 + np.arange(len(losses)), np.median(losses[:, :, number], 1), linewidth=1.4, **_look(kind))
    axes.set(xscale="log", yscale="log", xlabel="epochs", ylabel="Huber loss (share of what each has put in)")
    axes.legend(frameon=False, fontsize=8, ncols=2)
    keep(figure, path)


def draw_table(scores: Mapping[int, Float[np.ndarray, "s k"]], path: Path) -> None:
    """Table 3, theirs beside ours: every seed a dot."""
    figure, axes = _axes(8.4, 4.4, "Exploitability by network: theirs (one run) and ours (every seed)")
    places = np.arange(len(EIGHT))
    axes.scatter(places - 0.25, [THEIRS[kind.name] for kind in EIGHT], marker="D", color=INK, label="paper")
    for shift, (iterations, each), colour in zip((0.0, 0.25), scores.items(), COLOURS, strict=False):
        for seed in each:
            axes.scatter(places + shift, seed[: len(EIGHT)] * MBB, s=18, color=colour, alpha=0.7)
        axes.scatter([], [], s=18, color=colour, label=f"ours, {iterations:,} iterations")
    axes.set_xticks(places, [kind.name for kind in EIGHT], rotation=20)
    axes.set(ylabel="mbb/h (thousandths of an ante)", ylim=(0, None))
    axes.legend(frameon=False, fontsize=8)
    keep(figure, path)


def draw_iterations(
    inside: Mapping[str, Mapping[int, float]], controls: Mapping[str, float], at: int, path: Path
) -> None:
    """Exploitability against iterations, by solver inside the search, and with other values."""
    figure, axes = _axes(7.2, 4.4, "The same network searched with by different solvers")
    for (solver, each), colour in zip(inside.items(), COLOURS, strict=False):
        axes.plot(list(each), list(each.values()), color=colour, marker="o", label=solver)
    for (name, value), marker in zip(controls.items(), "v^s", strict=False):
        axes.scatter([at], [value], marker=marker, color=INK, label=f"tool, values: {name}")
    axes.set(xscale="log", yscale="log", xlabel="iterations of each search", ylabel="exploitability (chips per hand)")
    axes.legend(frameon=False, fontsize=8)
    keep(figure, path)


def draw_programs(programs: Mapping[str, float], path: Path) -> None:
    """Figure 9: every program's exploitability."""
    ordered = sorted(programs.items(), key=lambda each: -each[1])
    figure, axes = _axes(8.4, 0.36 * len(ordered) + 1.2, "How much every program can lose, at most")
    axes.barh(range(len(ordered)), [value for _, value in ordered], color=COLOURS[0])
    for row, (_, value) in enumerate(ordered):
        axes.text(value * 1.1, row, f"{value:.3g}", va="center", fontsize=8, color=INK)
    axes.set_yticks(range(len(ordered)), [name for name, _ in ordered], fontsize=8)
    axes.set(xscale="log", xlabel="exploitability (chips per hand)")
    axes.set_xlim(right=2.5 * ordered[0][1])
    keep(figure, path)


def draw_cross(cross: Mapping[str, Mapping[str, float]], path: Path) -> None:
    """What the program of each row wins off that of each column, exactly; white where that was not judged."""
    names: Sequence[str] = list(cross)
    won = np.array([[cross[one][other] for other in names] for one in names])
    figure, axes = _axes(
        0.7 * len(names) + 3, 0.5 * len(names) + 2.6, "What the row wins off the column (chips per hand)"
    )
    axes.grid(visible=False)
    shown = np.sign(won) * np.log1p(np.abs(won))
    most = float(np.nanmax(np.abs(shown)))
    axes.imshow(shown, cmap="PuOr", vmin=-most, vmax=most, aspect="auto")
    for row, column in np.ndindex(won.shape):
        colour = "white" if abs(shown[row, column]) > 0.6 * most else INK
        words = "" if np.isnan(won[row, column]) else f"{won[row, column]:+.1f}" if row != column else "0"
        axes.text(column, row, words, ha="center", va="center", fontsize=7, color=colour)
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right", fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    keep(figure, path)
