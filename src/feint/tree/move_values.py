"""What each move is worth against a table, exactly."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from jaxtyping import Float

from feint.tree.best_response import judge_of
from feint.tree.tree import Tree


def move_values_of(tree: Tree, table: Float[np.ndarray, "i a"]) -> Float[np.ndarray, "i a"]:
    """What each move is worth to whoever makes it, in chips per hand, while the others keep to the table."""
    responses = np.asarray(judge_of(tree).judged(table).responses)
    infoset, inner = tree.infoset[tree.parent], tree.actor[tree.parent] >= 0
    values, levels = np.full(table.shape, np.nan), levels_of(tree)
    for player in range(tree.players):
        own = tree.player == player
        followed = np.where(own[:, None], responses, table)
        chance = np.where(inner, followed[infoset, np.where(inner, tree.move, 0)], tree.chance)
        mine = inner & own[infoset]
        mine[0], chance[0] = False, 1.0  # nothing comes before the root
        reach, worth = np.where(mine, 1.0, chance), tree.payoff[:, player].copy()
        for level in levels[1:]:
            reach[level] *= reach[tree.parent[level]]
        for before, level in reversed(list(pairwise(levels))):
            worth[before] += np.bincount(
                tree.parent[level] - before.start, chance[level] * worth[level], before.stop - before.start
            )
        cells = infoset[mine] * table.shape[1] + tree.move[mine]
        weight, total = (
            np.bincount(cells, weights, table.size).reshape(table.shape)
            for weights in (reach[mine], reach[mine] * worth[mine])
        )
        np.divide(total, weight, out=values, where=weight > 0)
    return values


def levels_of(tree: Tree) -> list[slice]:
    """The nodes of each depth: a child comes after its parent, and nodes of one depth are next to each other."""
    first, levels = 0, [slice(0, 1)]
    while tree.children[levels[-1]].any():
        first = levels[-1].stop
        levels.append(slice(first, first + int(tree.children[levels[-1]].sum())))
    return levels
