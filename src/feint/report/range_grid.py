"""What is done with every kind of hand at a spot, as the grid that card players read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jaxtyping import Float
from numpy import ndarray

from feint.games.postflop import DECK
from feint.games.ranges import hands_of, kinds
from feint.report.canvas import INK, blank, keep
from feint.report.grid import colours_of
from feint.solvers.spots import Node

EMPTY, TRACK, LINE, FAINT = "#fafafa", "#e4e4e4", "#cccccc", "#808080"
"""A kind that never comes, what a bar leaves free, the frames, and the names of what never comes."""
TOP, HEIGHT = 0.42, 0.52
"""Where in its cell a bar begins, under the name, and how high it is at most."""


def draw_range(node: Node, path: Path, title: str = "") -> Path:
    """Every kind of hand by name, with a bar that is filled from the left by how often each move is made.

    A bar is as high as the kind often comes, of the combinations that the board leaves.
    """
    from matplotlib.patches import Patch

    names = DECK.ranks[::-1]
    colours = dict(zip(node.moves, colours_of(node.moves), strict=True))
    heights, chances = bars(node), {kind: chances for kind, _, chances, _, _ in node.kinds()}
    figure = blank(7.6, 8.4)
    axes = figure.subplots()
    for row, column, kind in kinds(DECK):
        _cell(axes, row, column, kind, used=kind in heights)
        if kind in heights:
            _bar(axes, row, column, heights[kind], chances[kind], list(colours.values()))
    axes.set(xlim=(0, len(names)), ylim=(len(names), 0), xticks=(), yticks=(), aspect="equal")
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left", color=INK, fontsize=11, fontweight="bold")
    axes.set_xlabel(
        "A bar fills its box where a hand always comes here; half as high, it comes half of the time.",
        loc="left",
        color=INK,
        fontsize=9,
    )
    shown = [
        Patch(color=colours[move], label=f"{move} {share:.0%}")
        for move, share in zip(node.moves, node.overall, strict=True)
    ]
    figure.legend(handles=shown[::-1], loc="outside lower center", ncols=4, frameon=False, fontsize=10)
    return keep(figure, path)


def bars(node: Node) -> dict[str, float]:
    """How often each kind of hand comes, of the combinations that the board leaves."""
    left = {
        kind: [hand for hand in hands_of(kind, DECK) if not set(hand) & set(node.board)] for *_, kind in kinds(DECK)
    }
    return {kind: min(weight / len(left[kind]), 1.0) for kind, weight, *_ in node.kinds()}


def _cell(axes: Any, row: int, column: int, kind: str, used: bool) -> None:
    """The frame of a cell, with its name."""
    from matplotlib.patches import Rectangle

    face = "white" if used else EMPTY
    axes.add_patch(Rectangle((column, row), 1, 1, facecolor=face, edgecolor=LINE, linewidth=0.6))
    look = {"color": INK, "fontweight": "bold"} if used else {"color": FAINT}
    axes.text(column + 0.5, row + 0.22, kind, ha="center", va="center", fontsize=8.5, **look)


def _bar(axes: Any, row: int, column: int, often: float, chances: Float[ndarray, " m"], colours: list[Any]) -> None:
    """The moves of a kind, the largest bet first, as high as it often comes."""
    from matplotlib.patches import Rectangle

    left, width = column + 0.04, 0.92
    axes.add_patch(Rectangle((left, row + TOP), width, HEIGHT, facecolor=TRACK, linewidth=0))
    for chance, colour in reversed(list(zip(chances, colours, strict=True))):
        corner = left, row + TOP + HEIGHT * (1 - often)
        axes.add_patch(Rectangle(corner, width * chance, HEIGHT * often, facecolor=colour, linewidth=0))
        left += width * chance
