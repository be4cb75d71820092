"""Game trees as pictures: moves with their probabilities, information sets, and what everyone wins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from feint.games.game import TERMINAL
from feint.report.canvas import COLOURS, INK, blank, keep
from feint.tree.tree import Tree


class Branch(NamedTuple):
    """A part of a tree to draw: everything below one node."""

    title: str
    root: int


def draw_tree(
    tree: Tree, branches: Sequence[Branch], path: Path, table: Float[np.ndarray, "i a"] | None = None
) -> Path:
    """Draw branches side by side. With a strategy's table, moves carry their probabilities and rare ones fade."""
    every = [_places(tree, branch.root) for branch in branches]
    leaves = [1 + max(across for across, _ in places.values()) for places in every]
    figure = blank(0.85 * sum(leaves), 3.8)
    boxes = np.atleast_1d(figure.subplots(1, len(branches), width_ratios=leaves))
    for branch, places, axes in zip(branches, every, boxes, strict=True):
        axes.set_title(branch.title, fontsize=10, fontweight="bold", color=INK, loc="left")
        axes.set_axis_off()
        for node in places:
            _node(axes, tree, node, places)
            for child in _children(tree, node):
                _edge(axes, tree, child, places, table)
        _information_sets(axes, tree, places)
        axes.margins(0.12)
    return keep(figure, path)


Places = dict[int, tuple[float, float]]


def _children(tree: Tree, node: int) -> range:
    return range(tree.first_child[node], tree.first_child[node] + tree.children[node])


def _places(tree: Tree, root: int) -> Places:
    """Leaves at equal distances, every other node above the middle of its children."""
    places: Places = {}
    leaves = 0

    def place(node: int, depth: int) -> float:
        nonlocal leaves
        below = [place(child, depth + 1) for child in _children(tree, node)]
        across = float(np.mean(below)) if below else float(leaves)
        leaves += not below
        places[node] = (across, -float(depth))
        return across

    place(root, 0)
    return places


def _node(axes: Any, tree: Tree, node: int, places: Places) -> None:
    across, down = places[node]
    if tree.actor[node] == TERMINAL:
        won = ", ".join(f"{payoff:g}" for payoff in tree.payoff[node])
        axes.text(across, down - 0.08, won, ha="center", va="top", fontsize=7, color=INK)
        return
    actor = int(tree.actor[node])
    axes.plot(across, down, "o", color=COLOURS[actor] if actor >= 0 else INK, markersize=9, zorder=3)
    name = str(actor + 1) if actor >= 0 else "?"
    axes.text(across, down, name, ha="center", va="center", fontsize=6.5, color="white", zorder=4)


def _edge(axes: Any, tree: Tree, child: int, places: Places, table: Float[np.ndarray, "i a"] | None) -> None:
    parent = int(tree.parent[child])
    (left, top), (right, bottom) = places[parent], places[child]
    infoset, move = tree.infoset[parent], tree.move[child]
    chance = float(tree.chance[child]) if infoset < 0 else 1.0 if table is None else float(table[infoset, move])
    word = "" if infoset < 0 else tree.spoken[infoset][move]
    told = word if table is None else f"{word} {chance:.2f}"
    shade = 0.25 + 0.75 * chance
    axes.plot((left, right), (top, bottom), color=INK, alpha=shade, linewidth=0.8 + 1.4 * chance * (table is not None))
    middle = 0.35 * left + 0.65 * right, 0.35 * top + 0.65 * bottom
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    axes.text(*middle, told, fontsize=7, ha="center", va="center", color=INK, alpha=shade, bbox=behind)


def _information_sets(axes: Any, tree: Tree, places: Places) -> None:
    """A dashed line through nodes that their player cannot tell apart."""
    for infoset in {int(tree.infoset[node]) for node in places} - {-1}:
        nodes = [places[node] for node in places if tree.infoset[node] == infoset]
        if len(nodes) > 1:
            axes.plot(*zip(*nodes, strict=True), "--", color=COLOURS[3], linewidth=1.2, zorder=2)
