"""AIVAT where a game is unrolled whole: what every end of a hand counts for is a table, made once.

Nodes that the others cannot tell apart, and have come to by the same moves of theirs, are a *group*: which of its
nodes a hand is at depends on chance and on the player who is known alone, so it is known how often it is each of
them. A hand counts what its last group is worth on average, and for each step that chance or the known player made,
what was to be expected of it less what came of it. All of that is a number for each group.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, final

import numpy as np
from jaxtyping import Float, Int, PRNGKeyArray

from feint.arena.arena import for_device
from feint.arena.hands import play_deals
from feint.arena.policy import Policy
from feint.arena.tables import build_arena
from feint.evaluate.luck import LuckOut, replayed
from feint.games.game import CHANCE, TERMINAL, outcome_at
from feint.players.table import HandInPlay
from feint.tree.compiled import compiled
from feint.tree.move_values import levels_of
from feint.tree.tree import Tree

DEALS = {"cpu": 1 << 14, "gpu": 1 << 16}
"""Deals played at once."""
KNOWN = -3
"""Who moves at nodes where that is chance or the player who is known."""


@final
class TreeLuck(LuckOut):
    """What hands of an unrolled game count for, given the table by which one of the players plays."""

    def __init__(self, tree: Tree, table: Float[np.ndarray, "i a"], mirrored: bool) -> None:
        """`mirrored` if it is the second player's table: the first wins what the second loses."""
        self.deals = for_device(DEALS)
        self._tree, known = tree, counts(tree, table)
        self.least = spread(tree, table, known)
        self.counts = -known[:, ::-1] if mirrored else known
        payoff = np.zeros_like(tree.payoff)
        payoff[tree.terminal] = self.counts
        self._arenas = build_arena(tree), build_arena(replace(tree, payoff=payoff))

    def play(
        self, policies: tuple[Policy, Policy], deals: int, key: PRNGKeyArray
    ) -> tuple[Float[np.ndarray, "d p"], Float[np.ndarray, "d p"]]:
        # By the same key the same hands are played: only what they pay differs.
        won, counted = (np.asarray(_play_deals(arena, policies, deals, key), float) for arena in self._arenas)
        return won, counted

    def counted(self, hand: HandInPlay, seat: int, seed: tuple[int, ...]) -> float:
        tree, node = self._tree, 0
        for step in replayed(hand):
            if step.move is not None:
                move = tree.actions.index(hand.rules.actions[step.move])
            else:  # by where chance fell: states need not know whether they are the same
                assert step.place is not None
                move = outcome_at(hand.rules.chance(step.before), step.place)
            children = range(tree.first_child[node], tree.first_child[node] + tree.children[node])
            node = next(child for child in children if tree.move[child] == move)
        return float(self.counts[np.searchsorted(tree.terminal, node), seat])


_play_deals = compiled(play_deals)


def counts(tree: Tree, table: Float[np.ndarray, "i a"]) -> Float[np.ndarray, "t p"]:
    """What each end counts for each player, in chips, if that player's moves are those of the table.

    Values on the way are those of hands in which everyone keeps to the table: it is all that is known. Of an opponent
    who plays like that nothing but its own moves is left of luck; of any other the mean is right all the same.
    """
    levels, views, chance = levels_of(tree), _views(tree), _chances(tree, table)
    worth = tree.payoff.copy()
    for before, level in reversed(list(pairwise(levels))):
        np.add.at(worth[before], tree.parent[level] - before.start, chance[level, None] * worth[level])
    return np.column_stack(
        [_counts(tree, views, levels, chance, worth[:, seat], seat)[tree.terminal] for seat in range(tree.players)]
    )


def spread(tree: Tree, table: Float[np.ndarray, "i a"], counted: Float[np.ndarray, "t p"]) -> float:
    """By how much deals differ where everyone keeps to the table, a standard deviation in chips.

    Exact for each seat; what the hands of one deal still have in common is left out.
    """
    reach = _chances(tree, table)
    for level in levels_of(tree)[1:]:
        reach[level] *= reach[tree.parent[level]]
    often = reach[tree.terminal]
    variance = often @ (counted - often @ counted) ** 2
    return float(np.sqrt(variance.sum()) / tree.players)


def _chances(tree: Tree, table: Float[np.ndarray, "i a"]) -> Float[np.ndarray, " n"]:
    """How often each node follows on the one before it, if everyone keeps to the table."""
    inner = tree.actor[tree.parent] >= 0
    chosen = table[tree.infoset[tree.parent], np.where(inner, tree.move, 0)]
    chance = np.where(inner, chosen, tree.chance)
    chance[0] = 1.0
    return chance


def _counts(
    tree: Tree,
    views: list[tuple[Any, ...]],
    levels: list[slice],
    chance: Float[np.ndarray, " n"],
    worth: Float[np.ndarray, " n"],
    seat: int,
) -> Float[np.ndarray, " n"]:
    """What it comes to that a hand ends at a node, for whom it is known who sits at `seat`; means nothing elsewhere."""
    mover = np.where((tree.actor == CHANCE) | (tree.actor == seat), KNOWN, tree.actor)
    group = _groups(tree, views, mover, seat)
    by_known = mover[tree.parent] == KNOWN
    by_known[0] = False  # nothing leads to the root
    reach = np.where(by_known, chance, 1.0)
    for level in levels[1:]:
        reach[level] *= reach[tree.parent[level]]
    often = np.bincount(group, reach)
    mean = np.bincount(group, reach * worth) / np.where(often > 0, often, 1.0)
    number, first = np.unique(group, return_index=True)  # groups are numbered in order of their first nodes
    before = group[tree.parent[first]]
    step = by_known[first]
    expected = np.bincount(before[step], (often * mean)[step], len(number)) / np.where(often > 0, often, 1.0)
    corrected = np.zeros(len(number))
    for each in range(1, len(number)):
        surprise = expected[before[each]] - mean[each] if step[each] else 0.0
        corrected[each] = corrected[before[each]] + surprise
    return np.asarray((mean + corrected)[group])


def _groups(tree: Tree, views: list[tuple[Any, ...]], mover: Int[np.ndarray, " n"], seat: int) -> Int[np.ndarray, " n"]:
    """The number of each node's group: nodes to which the others have come by the same views and moves."""
    known = dict[Any, int]()
    group = np.zeros(tree.nodes, np.int64)
    parents, movers, moves = tree.parent.tolist(), mover.tolist(), tree.move.tolist()
    for node in range(1, tree.nodes):
        parent = parents[node]
        theirs = moves[node] if movers[parent] != KNOWN else None
        seen = tuple(view for player, view in enumerate(views[node]) if player != seat)
        group[node] = known.setdefault((group[parent], theirs, movers[node], seen), len(known) + 1)
    return group


def _views(tree: Tree) -> list[tuple[Any, ...]]:
    """What each player sees at each node, by the rules; nothing where chance moves, for nobody is asked there."""
    rules, states = tree.game, [tree.game.start()]
    column = [rules.actions.index(name) for name in tree.actions]
    views = []
    for node in range(tree.nodes):
        state = states[node]
        looking = () if tree.actor[node] == CHANCE else range(tree.players)
        views.append(tuple(rules.view(state, player) for player in looking))
        if tree.actor[node] == TERMINAL:
            continue
        outcomes = rules.chance(state) if tree.actor[node] == CHANCE else None
        for child in range(tree.first_child[node], tree.first_child[node] + tree.children[node]):
            move = int(tree.move[child])
            states.append(rules.play(state, column[move]) if outcomes is None else outcomes[move][1])
    return views
