"""The figures of the reproduction of "Poker-RNN": learning curves, the cross table, starting hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.arena.betting import BettingTree
from feint.arena.cards import Seen
from feint.papers.poker_rnn_hands import FIRST, Estimate
from feint.papers.poker_rnn_judge import AGENTS, RANDOM, starting_values
from feint.report.canvas import COLOURS, INK, blank, keep
from feint.report.starting_hands import ask_starting_hands, draw_chart, draw_heat_map
from feint.runs.files import Row
from feint.runs.run import Run


def draw_starting_hands(run: Run, betting: BettingTree, label: str, path: Path) -> None:
    """An agent's values of every two cards, and the chart of what it does with them; `path` has no ending yet."""
    policy = run.strategy.policy

    def shares(seen: Seen) -> Float[Array, "b a"]:
        told: Float[Array, "b a"] = policy(seen, jnp.full(seen.node.shape, int(betting.actor[FIRST])))
        return told

    values = starting_values(run, betting)
    draw_heat_map(betting, values, path.with_name(f"{path.name}-values.png"), f"{label}: values", "big blinds")
    chart = ask_starting_hands(betting, shares, FIRST)
    draw_chart(betting, chart, path.with_name(f"{path.name}-chart.png"), f"{label}: first move", FIRST)


def draw_curves(curves: Mapping[str, Sequence[Row]], path: Path) -> None:
    """Winnings off random play against hands played: a hundred hands a point as in the paper, and many."""
    figure = blank(10.8, 4.6)
    few, many = figure.subplots(1, 2, sharey=True)
    for (name, rows), colour in zip(curves.items(), COLOURS, strict=False):
        played = [row for row in rows if row["hands"] > 0]
        hands = [row["hands"] for row in played]
        won, error, noisy = (
            np.array([row[metric] for row in played]) / 1000
            for metric in ("winnings", "winnings_error", "winnings_100")
        )
        few.plot(hands, noisy, color=colour, linewidth=1.2, label=AGENTS[name])
        many.plot(hands, won, color=colour, linewidth=1.6)
        many.fill_between(hands, won - error, won + error, color=colour, alpha=0.2, linewidth=0)
    for axes, title in ((few, "100 hands a point, as in the paper"), (many, "8,192 hands a point, 95% intervals")):
        axes.set(xscale="log", xlabel="hands played")
        axes.set_title(title, color=INK, loc="left", fontweight="bold", fontsize=10)
        axes.axhline(0, color="0.6", linewidth=0.8)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    few.set_ylabel("won off random play (big blinds per hand)")
    figure.legend(loc="outside lower center", ncols=len(curves), frameon=False, fontsize=9)
    keep(figure, path)


def draw_cross(table: Mapping[tuple[str, str], Estimate], path: Path, title: str) -> None:
    """What the player of each row wins off that of each column, in big blinds per hand; 0 off itself."""
    names = [*AGENTS, RANDOM]
    won = np.array([[table[one, other].value if one != other else 0.0 for other in names] for one in names]) / 1000
    figure = blank(6.6, 5.4)
    axes = figure.subplots()
    most = float(np.abs(won).max())
    image = axes.imshow(won, cmap="PuOr", vmin=-most, vmax=most)
    for row, column in np.ndindex(won.shape):
        cell = round(float(won[row, column]), 2) + 0.0  # no negative zeros
        colour = "white" if abs(cell) > 0.6 * most else INK
        words = f"{cell:+.2f}" if row != column else "0"
        axes.text(column, row, words, ha="center", va="center", fontsize=9, color=colour)
    labels = [AGENTS.get(name, name) for name in names]
    axes.set_xticks(range(len(names)), labels)
    axes.set_yticks(range(len(names)), labels)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, color=INK, loc="left", fontweight="bold", fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.8, label="won by the row (big blinds per hand)")
    keep(figure, path)


def draw_seeds(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Winnings off random play against hands played, every seed of an agent in its colour."""
    figure = blank(7.2, 4.6)
    axes, shown = figure.subplots(), set[str]()
    colours = dict(zip(AGENTS, COLOURS, strict=False))
    for row in rows:
        name, played = row["agent"], [point for point in row["curve"] if point["hands"] > 0]
        label = None if name in shown else AGENTS[name]
        hands, won = ([point[metric] for point in played] for metric in ("hands", "winnings"))
        axes.plot(hands, np.array(won) / 1000, color=colours[name], linewidth=1.2, alpha=0.8, label=label)
        shown.add(name)
    axes.set(xscale="log", xlabel="hands played", ylabel="won off random play (big blinds per hand)")
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=len(shown), frameon=False, fontsize=9)
    keep(figure, path)
