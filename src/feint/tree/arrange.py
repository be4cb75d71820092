"""From a tree's arrays to the sequence form's blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import jax.numpy as jnp
import numpy as np

from feint.tree.sequence_form import Block, SequenceForm, Side

if TYPE_CHECKING:
    from feint.tree.tree import Tree


def arrange(tree: Tree) -> SequenceForm:
    """Number every player's sequences block by block, then fill the blocks."""
    infosets, moves = tree.legal.shape
    place = np.zeros(infosets * moves, np.int64)
    depth = _depths(tree)
    plots = [_plot(tree, depth, player, place) for player in range(tree.players)]
    sizes = [sum(plot.cells.size for level in levels for plot in level) for levels in plots]
    sides = [_side(tree, player, plots[player], place, sizes) for player in range(tree.players)]
    return SequenceForm(tuple(sides), infosets, moves)


@final
@dataclass(frozen=True)
class _Plot:
    """Where a block's sequences will stand."""

    start: int
    rows: np.ndarray
    """Its information sets."""
    cells: np.ndarray
    """Its sequences, [moves, rows]."""


def _depths(tree: Tree) -> np.ndarray:
    """How many moves its player has made before each information set."""
    parent = tree.parent_sequence // tree.legal.shape[1]
    depth, before = np.zeros(len(parent), np.int64), None
    while before is None or not np.array_equal(depth, before):
        before, depth = depth, np.where(parent >= 0, depth[parent] + 1, 0)
    return depth


def _plot(tree: Tree, depth: np.ndarray, player: int, place: np.ndarray) -> list[list[_Plot]]:
    """Lay out one player's sequences, depth by depth and block by block, noting each one's place."""
    mine, moves, start = tree.player == player, tree.legal.sum(1), 0
    levels: list[list[_Plot]] = []
    for level in range(depth[mine].max(initial=-1) + 1):
        here = mine & (depth == level)
        levels.append([])
        for width in np.unique(moves[here]):
            rows = np.flatnonzero(here & (moves == width))
            columns = np.nonzero(tree.legal[rows])[1].reshape(len(rows), width)
            cells = (rows[:, None] * tree.legal.shape[1] + columns).T
            place[cells] = start + np.arange(cells.size).reshape(cells.shape)
            levels[-1].append(_Plot(start, rows, cells))
            start += cells.size
    return levels


def _side(tree: Tree, player: int, levels: list[list[_Plot]], place: np.ndarray, sizes: list[int]) -> Side:
    last, payoff, stake = _merged(tree, player)
    others = [other for other in range(tree.players) if other != player]
    after = np.zeros((len(others), len(last)), np.int64)
    for number, other in enumerate(others):
        after[number] = np.where(last[:, other] < 0, sizes[other], place[last[:, other]])
    idle = last[:, player] < 0
    terminal_at = np.where(idle, sizes[player], place[last[:, player]])

    row = np.zeros(len(tree.player), np.int64)
    for level in levels:
        for number, infoset in enumerate(np.concatenate([plot.rows for plot in level])):
            row[infoset] = number
    children = np.flatnonzero((tree.player == player) & (tree.parent_sequence >= 0))
    child_at = place[tree.parent_sequence[children]]

    depths = []
    for number, level in enumerate(levels):
        below = sum(len(plot.rows) for plot in levels[number + 1]) if number + 1 < len(levels) else 0
        above = levels[number - 1][0].start if number else 0
        blocks = []
        for plot in level:
            worth, gains = _stacked(plot, terminal_at, (payoff, stake), 0.0)
            blocks.append(
                Block(
                    start=plot.start,
                    moves=len(plot.cells),
                    rows=len(plot.rows),
                    parent=_index(np.where(number, place[tree.parent_sequence[plot.rows]] - above, 0)),
                    payoff=jnp.asarray(worth, jnp.float64),
                    stake=jnp.asarray(gains, jnp.float64),
                    others=_index(
                        np.array(_stacked(plot, terminal_at, tuple(after), 0)).reshape(len(others), *worth.shape)
                    ),
                    child=_index(_stacked(plot, child_at, (row[children],), below)[0]),
                )
            )
        depths.append(tuple(blocks))
    cells = [plot.cells.ravel() for level in levels for plot in level]
    return Side(
        depths=tuple(depths),
        cells=_index(np.concatenate(cells) if cells else np.zeros(0)),
        idle_payoff=jnp.asarray(payoff[idle]),
        idle_others=_index(after[:, idle]),
    )


def _merged(tree: Tree, player: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Terminals that every player reaches by the same sequences are one, with their payoffs added up, and as gains."""
    last, which = np.unique(tree.last_sequence, axis=0, return_inverse=True)
    payoffs = tree.weighted_payoff[:, player]
    payoff, stake = (np.bincount(which.ravel(), each, len(last)) for each in (payoffs, np.abs(payoffs)))
    worth = payoff != 0
    return last[worth], payoff[worth], stake[worth]


def _stacked(plot: _Plot, at: np.ndarray, values: tuple[np.ndarray, ...], blank: float) -> list[np.ndarray]:
    """Lists of values by sequence as arrays [longest list, moves, rows], filled up with `blank`."""
    end = plot.start + plot.cells.size
    chosen = np.flatnonzero((at >= plot.start) & (at < end))
    chosen = chosen[np.argsort(at[chosen], kind="stable")]
    column = at[chosen] - plot.start
    counts = np.bincount(column, minlength=plot.cells.size)
    rank = np.arange(len(chosen)) - np.repeat(np.cumsum(counts) - counts, counts)
    stacks = []
    for value in values:
        stack = np.full((counts.max(initial=0), plot.cells.size), blank)
        stack[rank, column] = value[chosen]
        stacks.append(stack.reshape(-1, *plot.cells.shape))
    return stacks


def _index(values: np.ndarray) -> jnp.ndarray:
    return jnp.asarray(values, jnp.int32)
