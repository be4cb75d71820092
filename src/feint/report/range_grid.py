"""What is done with every kind of hand at a spot, as the grid that card players read."""

from __future__ import annotations

from pathlib import Path

from feint.games.postflop import DECK
from feint.report.canvas import INK, blank, keep
from feint.report.grid import colours_of
from feint.solvers.spots import Node


def draw_range(node: Node, path: Path, title: str = "") -> Path:
    """Every kind of hand filled from the left by how often each move is made, and as high as it often comes."""
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.patheffects import withStroke

    names = DECK.ranks[::-1]
    colours = dict(zip(node.moves, colours_of(node.moves), strict=True))
    figure = blank(6.4, 7.1)
    axes = figure.subplots()
    for row in range(len(names)):
        for column in range(len(names)):
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor="#f1f3f5", edgecolor="white", linewidth=1.2))
    for kind, weight, chances, _, _ in node.kinds():
        high, low = names.index(kind[0]), names.index(kind[1])
        row, column = (high, low) if kind.endswith("s") or high == low else (low, high)
        most = {"s": 4, "o": 12}.get(kind[2:], 6)
        height, left = min(weight / most, 1.0), float(column)
        for move, chance in reversed(list(zip(node.moves, chances, strict=True))):
            box = Rectangle((left, row + 1 - height), float(chance), height, facecolor=colours[move], linewidth=0)
            axes.add_patch(box)
            left += float(chance)
        axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor="white", linewidth=1.2))
        outline = [withStroke(linewidth=2, foreground=INK)]
        place = column + 0.5, row + 0.5
        axes.text(*place, kind, ha="center", va="center", fontsize=7.5, color="white", path_effects=outline)
    axes.set(xlim=(0, len(names)), ylim=(len(names), 0), xticks=(), yticks=(), aspect="equal")
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left", color=INK, fontsize=10, fontweight="bold")
    shown = [
        Patch(color=colours[move], label=f"{move} {share:.0%}")
        for move, share in zip(node.moves, node.overall, strict=True)
    ]
    figure.legend(handles=shown[::-1], loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return keep(figure, path)
