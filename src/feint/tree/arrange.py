"""From a tree's arrays to the sequence form's blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import jax.numpy as jnp
import numpy as np

from feint.tree.arrays import on_device
from feint.tree.sequence_form import Block, SequenceForm, Side, Stretch

if TYPE_CHECKING:
    from feint.tree.tree import Tree


DEEP = 16
"""A player with more depths has them looped over: what is compiled depth by depth takes ever longer to compile."""
STRETCHES = 8
"""In how many loops at most."""


def arrange(tree: Tree) -> SequenceForm:
    """Number every player's sequences block by block, then fill the blocks."""
    infosets, moves = tree.legal.shape
    place = np.zeros(infosets * moves, np.int64)
    depth = _depths(tree)
    plots = [_plot(tree, depth, player, place) for player in range(tree.players)]
    sizes = [
        sum(plot.cells.size for stretch in stretches for level in stretch for plot in level) for stretches in plots
    ]
    sides = [_side(tree, player, plots[player], place, sizes) for player in range(tree.players)]
    return SequenceForm(tuple(sides), infosets, moves)


@final
@dataclass(frozen=True)
class _Plot:
    """Where a block's sequences at one depth will stand."""

    start: int
    rows: np.ndarray
    """Its information sets; −1 for those that only fill up."""
    cells: np.ndarray
    """Its sequences, [moves, rows]; those that only fill up stand beyond the end of a table."""


_Level = list[_Plot]
"""The blocks of one depth."""


def _depths(tree: Tree) -> np.ndarray:
    """How many moves its player has made before each information set."""
    parent = tree.parent_sequence // tree.legal.shape[1]
    depth, before = np.zeros(len(parent), np.int64), None
    while before is None or not np.array_equal(depth, before):
        before, depth = depth, np.where(parent >= 0, depth[parent] + 1, 0)
    return depth


def _plot(tree: Tree, depth: np.ndarray, player: int, place: np.ndarray) -> list[list[_Level]]:
    """Lay out one player's sequences, stretch by stretch and block by block, noting each one's place."""
    moves = tree.legal.sum(1)
    mine = np.flatnonzero(tree.player == player)
    mine = mine[np.argsort(depth[mine], kind="stable")]
    levels = [
        {int(width): rows[moves[rows] == width] for width in np.unique(moves[rows])}
        for rows in np.split(mine, np.flatnonzero(np.diff(depth[mine])) + 1)
        if len(rows)
    ]
    start, filling, stretches = 0, len(moves), list[list[_Level]]()
    for stretch in _stretches([{width: len(rows) for width, rows in level.items()} for level in levels]):
        plots: list[_Level] = [[] for _ in stretch]
        for width in sorted({width for number in stretch for width in levels[number]}):
            found = [levels[number].get(width, mine[:0]) for number in stretch]
            count = max(map(len, found))
            for level, rows in zip(plots, found, strict=True):
                columns = np.nonzero(tree.legal[rows])[1].reshape(len(rows), width)
                filled = np.arange(filling, filling := filling + count - len(rows))
                cells = np.concatenate([rows[:, None] * tree.legal.shape[1] + columns, _row(filled, width, tree)]).T
                real = cells[:, : len(rows)]
                place[real] = start + np.arange(cells.size).reshape(cells.shape)[:, : len(rows)]
                level.append(_Plot(start, np.concatenate([rows, np.full(count - len(rows), -1)]), cells))
                start += cells.size
        stretches.append(plots)
    return stretches


def _row(infosets: np.ndarray, width: int, tree: Tree) -> np.ndarray:
    """Sequences for information sets beyond the tree's own."""
    return np.asarray(infosets[:, None] * tree.legal.shape[1] + np.arange(width))


def _stretches(levels: list[dict[int, int]]) -> list[range]:
    """Depths, by how many information sets they have of how many moves, each by itself unless they are many.

    Then those after each other that fill up to few times their size are taken together.
    """
    if len(levels) <= DEEP:
        return [range(number, number + 1) for number in range(len(levels))]
    waste = 1.0
    while True:
        waste *= 2
        found, widest, size = [range(1)], dict(levels[0]), _sequences(levels[0])
        for number, level in enumerate(levels[1:], 1):
            wider = {width: max(widest.get(width, 0), level.get(width, 0)) for width in {*widest, *level}}
            size += _sequences(level)
            if (number + 1 - found[-1].start) * _sequences(wider) <= waste * size:
                found[-1], widest = range(found[-1].start, number + 1), wider
            else:
                found.append(range(number, number + 1))
                widest, size = dict(level), _sequences(level)
        if len(found) <= STRETCHES:
            return found


def _infosets(level: _Level) -> int:
    return sum(len(plot.rows) for plot in level)


def _sequences(level: dict[int, int]) -> int:
    return sum(width * rows for width, rows in level.items())


def _side(tree: Tree, player: int, stretches: list[list[_Level]], place: np.ndarray, sizes: list[int]) -> Side:
    last, payoff, stake = _merged(tree, player)
    others = [other for other in range(tree.players) if other != player]
    after = np.zeros((len(others), len(last)), np.int64)
    for number, other in enumerate(others):
        after[number] = np.where(last[:, other] < 0, sizes[other], place[last[:, other]])
    idle = last[:, player] < 0
    terminal_at = np.where(idle, sizes[player], place[last[:, player]])

    levels = [level for stretch in stretches for level in stretch]
    row, spot = np.zeros(len(tree.player), np.int64), np.zeros(len(place), np.int64)
    for level in levels:  # the number of each information set and of each sequence within its depth
        rows = np.concatenate([plot.rows for plot in level])
        row[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
        cells = np.concatenate([plot.cells.ravel() for plot in level])
        spot[cells[cells < len(spot)]] = np.flatnonzero(cells < len(spot))
    children = np.flatnonzero((tree.player == player) & (tree.parent_sequence >= 0))
    around = _Around(
        parent=np.where(tree.parent_sequence >= 0, spot[tree.parent_sequence], 0),
        terminal_at=terminal_at,
        payoff=payoff,
        stake=stake,
        others=after,
        child_at=place[tree.parent_sequence[children]],
        child=row[children],
    )
    made, above = [], 1
    for number, stretch in enumerate(stretches):
        width = sum(plot.cells.size for plot in stretch[0])
        room = _infosets(stretches[number + 1][0]) if number + 1 < len(stretches) else 0
        room = max(room, _infosets(stretch[0])) if len(stretch) > 1 else room
        blocks = tuple(_block(plots, around, room) for plots in zip(*stretch, strict=True))
        made.append(Stretch(len(stretch), room, max(above, width), blocks))
        above = width
    placed = [plot.cells.ravel() for stretch in stretches for plots in zip(*stretch, strict=True) for plot in plots]
    return Side(
        stretches=tuple(made),
        cells=_index(np.concatenate(placed) if placed else np.zeros(0)),
        idle_payoff=on_device(payoff[idle]),
        idle_others=_index(after[:, idle]),
    )


@final
@dataclass(frozen=True)
class _Around:
    """What comes before and after a player's information sets and sequences."""

    parent: np.ndarray
    """Of each information set, the number within its depth of the player's sequence before it."""
    terminal_at: np.ndarray
    """Of each terminal, the place of the player's last sequence …"""
    payoff: np.ndarray
    stake: np.ndarray
    others: np.ndarray
    """… and the others' places."""
    child_at: np.ndarray
    """Of each information set but the first, the place of the sequence before it …"""
    child: np.ndarray
    """… and the number within its depth."""


def _block(plots: tuple[_Plot, ...], around: _Around, room: int) -> Block:
    """What is at one depth, or at each of several; `room` stands for no child."""
    worths = [_stacked(plot, around.terminal_at, (around.payoff, around.stake, *around.others), 0.0) for plot in plots]
    children = [_stacked(plot, around.child_at, (around.child,), room)[0] for plot in plots]
    payoff, stake, *others = (_together(lists, 0.0) for lists in zip(*worths, strict=True))
    shape = plots[0].cells.shape
    parents = [np.where(plot.rows >= 0, around.parent[plot.rows], 0) for plot in plots]
    return Block(
        start=plots[0].start,
        shape=shape if len(plots) == 1 else (len(plots), *shape),
        parent=_index(_together(parents, 0)),
        payoff=on_device(payoff, jnp.float64),
        stake=on_device(stake, jnp.float64),
        others=_index(np.stack(others, -4) if others else np.zeros((*payoff.shape[:-3], 0, *payoff.shape[-3:]))),
        child=_index(_together(children, room)),
    )


def _together(depths: Sequence[np.ndarray], blank: float) -> np.ndarray:
    """Arrays of several depths as one, their lists filled up to the longest; of one depth, as it is."""
    if len(depths) == 1:
        return depths[0]
    longest = max(map(len, depths))
    return np.stack([np.concatenate([each, np.full((longest - len(each), *each.shape[1:]), blank)]) for each in depths])


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
    return on_device(values, jnp.int32)
