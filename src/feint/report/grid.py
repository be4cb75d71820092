"""A small poker strategy at a glance: rows are cards, columns situations, bars the moves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from feint.games.poker import Poker
from feint.games.poker_views import betting_in_words
from feint.report.canvas import INK, blank, keep
from feint.tree.tree import Tree

FOLD, PASSIVE, AGGRESSIVE, GONE = "#9a9a9a", "#00796b", "#c88719", "#a23b3b"
"""Folds grey, checks and calls teal, bets and raises gold, as in the tables; what is dominated red."""
SMALLEST, LARGEST = "#f3d68f", "#6e2c0e"
"""Of several bets, which differ in how light they are, for whoever sees no colours too."""
WIDEST = 6
"""Situations side by side; more go on below."""
LONGEST = 26
"""Characters side by side in the heading of a situation."""


class Panel(NamedTuple):
    """One strategy, or the same of many seeds."""

    title: str
    tables: Float[np.ndarray, "s i a"]


class Layout(NamedTuple):
    """Where each information set is drawn."""

    cards: list[str]
    """The rows, highest first."""
    situations: list[tuple[int, str]]
    """The columns: who is to move, and the betting so far."""
    infoset: Int[np.ndarray, "r c"]


def layout(tree: Tree) -> Layout | None:
    """Cards by situations, or None where a game's information sets do not form such a grid (one card, one round)."""
    game = tree.game
    if not isinstance(game, Poker) or game.hole > 1 or game.deck.suits or game.rotating_dealer:
        return None
    if [declared.board for declared in game.rounds] != [0] or tree.actions != ("fold", "call", "raise"):
        return None
    found = {(card, moves): row for row, (_, (card,), _, moves) in enumerate(tree.views)}
    told = {moves: (int(tree.player[row]), betting_in_words(game, 0, moves)) for (_, moves), row in found.items()}
    situations = sorted(told, key=lambda moves: (len(moves[0]), *told[moves]))
    cards = range(game.deck.kinds - 1, -1, -1)
    infoset = np.array([[found[card, moves] for moves in situations] for card in cards])
    return Layout([game.deck.name(card) for card in cards], [told[moves] for moves in situations], infoset)


def draw_grid(
    tree: Tree, found: Layout, panels: Sequence[Panel], path: Path, dominated: Bool[np.ndarray, "i a"] | None = None
) -> Path:
    """Draw strategies one below the other. Of many seeds: means as bars, the middle 80% of seeds as lines."""
    every = range(len(found.situations))
    bands = [every[first : first + WIDEST] for first in every[::WIDEST]]
    columns, rows = len(bands[0]), len(found.cards)
    parts = [(panel, band, band is bands[0]) for panel in panels for band in bands]
    figure = blank(1.0 + 1.75 * columns, 0.5 + (0.75 + 0.62 * rows) * len(parts))
    marks = np.zeros_like(tree.legal) if dominated is None else dominated
    for (panel, band, first), box in zip(parts, figure.subfigures(len(parts), 1, squeeze=False)[:, 0], strict=True):
        if panel.title and first:
            box.suptitle(panel.title, color=INK, fontsize=10, fontweight="bold", x=0.01, ha="left")
        axes = box.subplots(rows, columns, squeeze=False, sharex=True)
        for (row, card), (column, situation) in product(enumerate(found.cards), enumerate(band)):
            infoset, cell = found.infoset[row, situation], axes[row][column]
            _cell(cell, panel.tables[:, infoset], tree.spoken[infoset], marks[infoset])
            if row == 0:
                cell.set_title(_heading(*found.situations[situation]), fontsize=8, color=INK, pad=3)
            if column == 0:
                cell.set_ylabel(card, rotation=0, fontsize=13, fontweight="bold", color=INK, labelpad=8, va="center")
        for unused in axes[:, len(band) :].flat:
            unused.set_axis_off()
    if dominated is not None and dominated.any():
        figure.supxlabel("red, hatched: dominated moves", fontsize=8, color=GONE)
    return keep(figure, path)


def colours_of(moves: Sequence[str]) -> list[Any]:
    """The colour of each move at a decision: folds, checks and calls as everywhere, bets the darker the larger."""
    from matplotlib.colors import LinearSegmentedColormap

    ramp = LinearSegmentedColormap.from_list("bets", (SMALLEST, AGGRESSIVE, LARGEST))
    bets = [move for move in moves if move not in ("fold", "call", "check")]
    place = {bet: number / (len(bets) - 1) if len(bets) > 1 else 0.5 for number, bet in enumerate(bets)}
    return [ramp(place[move])[:3] if move in place else FOLD if move == "fold" else PASSIVE for move in moves]


def _heading(player: int, betting: str) -> str:
    return f"player {player + 1}\n{fill('after ' + betting, LONGEST) if betting else 'to open'}"


def _cell(cell: Any, tables: Float[np.ndarray, "s a"], names: Sequence[str], marks: Bool[np.ndarray, " a"]) -> None:
    """One situation: a bar for each legal move, its name and its probability."""
    moves = [move for move, name in enumerate(names) if name][::-1]
    for place, move in enumerate(moves):
        mean = tables[:, move].mean()
        colour = GONE if marks[move] else (FOLD, PASSIVE, AGGRESSIVE)[move]
        face = "white" if marks[move] else colour
        cell.barh(place, 1.0, 0.8, color="#f2f2f2")
        cell.barh(place, mean, 0.8, color=face, edgecolor=colour, hatch="////" if marks[move] else None, linewidth=1)
        if len(tables) > 1:
            low, high = np.quantile(tables[:, move], (0.1, 0.9))
            cell.plot((low, high), (place, place), color=INK, linewidth=1)
        cell.text(1.04, place, f"{mean:.2f} {names[move]}", va="center", fontsize=7.5, color=colour)
    cell.set(xlim=(0, 1.75), ylim=(-0.6, len(moves) - 0.4), xticks=(), yticks=())
    cell.spines[["top", "right", "bottom"]].set_visible(False)
    cell.spines["left"].set_color("#cccccc")
