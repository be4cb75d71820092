"""Strategies as tables a person can read."""

from __future__ import annotations

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from feint.evaluate.exploitability import deviations
from feint.forms.strategy import Strategy
from feint.tree.tree import Tree

COLOURS = ("bright_black", "cyan", "yellow", "magenta", "green", "red", "blue")
"""Fold grey, check and call teal, raises gold; further moves follow."""
EIGHTHS = "▏▎▍▌▋▊▉█"
LONGEST = 8
"""Characters in a full bar, where there is room."""
MOST_MOVES = 6
"""With more moves than these there is no room for a column each …"""
MOST_WORDS = 2
"""What a move may be called at the head of its column."""
LIKELIEST = 3
"""… and only so many of a row's moves are shown."""


def strategy_table(tree: Tree, strategy: Strategy, width: int, most: int | None = None) -> Table:
    """Every information set with its probabilities as bars, and its share of the exploitability, in `width` characters.

    With `most`, only the information sets with the largest shares.
    """
    probabilities, given_away = strategy.table(tree), deviations(tree, strategy)
    rows = np.arange(len(tree.player))
    if most is not None and most < len(rows):
        rows = np.sort(np.argsort(-given_away.gain, kind="stable")[:most])
    words = min(max((len(tree.labels[row]) for row in rows), default=0), width // 2)
    length = max(0, min(LONGEST, (width - words - 21) // len(tree.actions) - 7))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("player", justify="right", no_wrap=True)
    table.add_column("sees", overflow="fold")  # the only one to give way
    wide = len(tree.actions) > MOST_MOVES
    for names in (["likeliest moves"],) if wide else called(tree):
        together = "/".join(names)
        table.add_column(together if len(together) <= length + 5 else "/\n".join(names), no_wrap=True)
    table.add_column("leak", justify="right", no_wrap=True)
    for row, following in zip(rows, [*rows[1:], rows[-1]], strict=True):
        cells: list[Text | str] = [
            _bar(probabilities[row, move], length, COLOURS[move % len(COLOURS)]) if tree.legal[row, move] else ""
            for move in range(len(tree.actions))
        ]
        if wide:
            best = np.argsort(-probabilities[row], kind="stable")[:LIKELIEST]
            shown = [
                f"{tree.spoken[row][move]} {probabilities[row, move]:.2f}" for move in best if tree.legal[row, move]
            ]
            cells = ["   ".join(shown)]
        share = given_away.share[row]
        last = tree.player[row] != tree.player[following]
        leak = f"{share:.0%}" if share >= 0.005 else ""
        table.add_row(str(tree.player[row] + 1), tree.labels[row], *cells, leak, end_section=bool(last))
    return table


def called(tree: Tree) -> list[list[str]]:
    """What each move is called where it is made, such as check or call; its name where that would be too many words."""
    columns = [list(dict.fromkeys(word for word in said if word)) for said in zip(*tree.spoken, strict=True)]
    return [said if len(said) <= MOST_WORDS else [name] for said, name in zip(columns, tree.actions, strict=True)]


def _bar(probability: float, length: int, colour: str) -> Text:
    """A number and a bar: readable without colour, and without the bar."""
    eighths = round(probability * length * 8)
    bar = "█" * (eighths // 8) + (EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")
    return Text(f"{probability:4.2f} ") + Text(bar.ljust(length), style=colour)
