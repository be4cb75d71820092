"""Plans of players and of their opponents together, without listing them: what `dominance` computes with."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, product
from typing import Literal, final

import numpy as np
import scipy.optimize
import scipy.sparse as sparse
from jaxtyping import Bool, Float, Int

from feint.games.errors import RunStopped
from feint.tree.tree import Tree

Kind = Literal["weak", "strict"]
Plan = tuple[int, ...]
"""The sequences that a plan plays."""

TOLERANCE = 1e-6
"""What payoffs are compared to."""
GONE = -2
"""Stands for the sequences at a node that the moves still kept do not lead to."""


@final
class Side:
    """One player's information sets and the moves kept there: what comes after what."""

    def __init__(self, tree: Tree, player: int, kept: Bool[np.ndarray, "i a"]) -> None:
        self.player = player
        self.moves: dict[int, list[int]] = {}
        """The sequences that each information set offers."""
        self._ends: dict[int, int] = {}
        self.after: dict[int, list[int]] = defaultdict(list)
        """The information sets after each sequence; after −1, the first ones."""
        for infoset in map(int, np.flatnonzero(tree.player == player)):
            self.moves[infoset] = [infoset * kept.shape[1] + int(move) for move in np.flatnonzero(kept[infoset])]
            self.after[int(tree.parent_sequence[infoset])].append(infoset)

    def count(self, infoset: int) -> int:
        """How many plans there are from an information set on."""
        return sum(math.prod(map(self.count, self.after[sequence])) for sequence in self.moves[infoset])

    def ends(self, sequence: int) -> int:
        """How many sequences that nothing follows on there are from a sequence on, itself among them."""
        if sequence not in self._ends:
            after = chain(*(self.moves[infoset] for infoset in self.after.get(sequence, ())))
            self._ends[sequence] = sum(map(self.ends, after)) or 1
        return self._ends[sequence]

    def plans(self, infoset: int, keep: Callable[[int, list[Plan]], list[Plan]] | None = None) -> list[Plan]:
        """The plans from an information set on; if `keep` is given, those it keeps, made of parts that it keeps."""
        plans = [
            (sequence, *rest)
            for sequence in self.moves[infoset]
            for rest in joined(self.plans(after, keep) for after in self.after[sequence])
        ]
        return keep(infoset, plans) if keep else plans

    def flow(self, infoset: int) -> tuple[list[int], Float[np.ndarray, "i s"]]:
        """The sequences from an information set on, and for each set there: what leaves it minus what enters it."""
        sets = [infoset]
        for reached in sets:  # it grows meanwhile
            sets += chain(*(self.after[sequence] for sequence in self.moves[reached]))
        sequences = list(chain(*(self.moves[reached] for reached in sets)))
        flow = [[(one in self.moves[i]) - (i in self.after[one]) for one in sequences] for i in sets]
        return sequences, np.array(flow, np.float64)


@final
class Rivals:
    """The others' joint plans, as an integer programme, and a player's plans from an information set on.

    Letters in shapes: `s` the player's sequences from there on, `v` the programme's variables. One tells how likely
    each combination of the others' last sequences is, and one, 0 or 1, whether each of their sequences is planned.
    What enters a decision of theirs leaves it, and only where the plan goes.
    """

    def __init__(
        self, tree: Tree, sides: Sequence[Side], player: int, infoset: int, played: Int[np.ndarray, "n p"]
    ) -> None:
        self._sequences, self._flow = sides[player].flow(infoset)
        self._number: dict[Plan | int, int] = {}
        """The variable of each combination, and of each sequence."""
        self._rows: dict[tuple[Plan, Plan], tuple[float, float]] = {}
        """The bounds of the sum of some variables minus the sum of others."""
        inside = np.isin(played[:, player], self._sequences)
        others: list[Plan] = list(map(tuple, np.delete(played, player, 1).tolist()))
        random: dict[Plan | int, float] = defaultdict(float, {others[0]: 1.0})
        self._bound([others[0]], [], 1.0, 1.0)
        for node in np.flatnonzero(_with_ancestors(tree, inside) & (tree.actor >= 0) & (tree.actor != player)):
            rival = sides[tree.actor[node]]
            children = tree.first_child[node] + np.arange(tree.children[node])
            plan = {
                others[child]: int(played[child, tree.actor[node]]) for child in children if others[child][0] != GONE
            }
            self._bound(list(plan), [others[node]], 0.0, 0.0)
            ends = sum(map(rival.ends, plan.values()))
            for combination, sequence in plan.items():
                self._bound([combination], [sequence], -np.inf, 0.0)
                # By what is to come, so that long ways do not become too rare to count.
                random[combination] = random[others[node]] * rival.ends(sequence) / ends
            before = int(tree.parent_sequence[tree.infoset[node]])
            self._bound(list(plan.values()), [before] * (before >= 0), before < 0, before < 0)
        over = np.flatnonzero(inside[tree.terminal])
        rows = [self._sequences.index(sequence) for sequence in tree.last_sequence[over, player]]
        columns = [self._number[others[node]] for node in tree.terminal[over]]
        payoff = scaled(tree.weighted_payoff[over, player])
        self._payoff = sparse.csr_array((payoff, (rows, columns)), shape=(len(self._sequences), len(self._number)))
        self._mean = scaled(self._payoff @ [random[key] for key in self._number])
        """What each sequence earns when the others move at random, so that every joint plan has a chance.

        Each of their last sequences has one of at least a share of as many as there are.
        """
        self._met = np.zeros((0, len(self._sequences)))
        """What each sequence earns against the joint plans met so far."""

    def dominated(self, kind: Kind, plan: Plan) -> bool:
        """Whether a mixture dominates a plan.

        One is sought that does against the joint plans met so far; then the joint plan it fares worst against is met.
        """
        given = np.isin(self._sequences, plan).astype(np.float64)
        while True:
            by, mixture = gain(kind, self._met, self._mean, given, self._flow)
            if by <= TOLERANCE:
                return False
            worst = self._worst(mixture - given)
            if (mixture - given) @ worst >= (-TOLERANCE if kind == "weak" else TOLERANCE / 2):
                return True
            self._met = np.vstack([self._met, worst])

    def _bound(self, plus: Sequence[Plan | int], minus: Sequence[Plan | int], least: float, most: float) -> None:
        first, second = (
            tuple(self._number.setdefault(key, len(self._number)) for key in keys) for keys in (plus, minus)
        )
        self._rows[first, second] = least, most

    def _worst(self, change: Float[np.ndarray, " s"]) -> Float[np.ndarray, " s"]:
        """What each sequence earns against the joint plan for which this change earns least."""
        terms = [(*plus, *minus) for plus, minus in self._rows]
        signs = [sign for plus, minus in self._rows for sign in [1.0] * len(plus) + [-1.0] * len(minus)]
        starts = np.cumsum([0, *map(len, terms)])
        shape = len(self._rows), len(self._number)
        matrix = sparse.csr_array((signs, list(chain(*terms)), starts), shape=shape)
        result = scipy.optimize.milp(
            1e3 * (self._payoff.T @ change),  # for the solver's tolerances are absolute
            constraints=scipy.optimize.LinearConstraint(matrix, *np.array(list(self._rows.values())).T),
            integrality=[isinstance(key, int) for key in self._number],
            bounds=scipy.optimize.Bounds(0.0, 1.0),
            options={"mip_rel_gap": 0.0},
        )
        if not result.success:
            raise _unsolved(result.message)
        return np.asarray(self._payoff @ np.round(result.x))


def gain(
    kind: Kind,
    worth: Float[np.ndarray, "o s"],
    mean: Float[np.ndarray, " s"],
    given: Float[np.ndarray, " s"],
    flow: Float[np.ndarray, "i s"],
) -> tuple[float, Float[np.ndarray, " s"]]:
    """The most by which a mixture beats the one given, and the mixture.

    Weakly: the most it earns more in the mean, earning no less against any `o`. Strictly: the most, up to 1, that it
    earns more against every `o`.
    """
    least, inflow = worth @ given, flow @ given
    if kind == "weak":
        mixture = _maximised(mean, worth, least, flow, inflow)
        return float(mean @ (mixture - given)), mixture
    # The margin that it keeps everywhere is one variable more, the last, and all that is maximised.
    margin = np.append(np.zeros(len(given)), 1.0)
    beside = np.column_stack([worth, -np.ones(len(worth))])
    solution = _maximised(margin, beside, least, np.column_stack([flow, np.zeros(len(flow))]), inflow)
    return float(solution[-1]), solution[:-1]


def _maximised(
    objective: Float[np.ndarray, " v"],
    worth: Float[np.ndarray, "o v"],
    least: Float[np.ndarray, " o"],
    flow: Float[np.ndarray, "i v"],
    inflow: Float[np.ndarray, " i"],
) -> Float[np.ndarray, " v"]:
    """The numbers from 0 to 1 that earn at least so much against every `o`, as a mixture flows, and most in all."""
    result = scipy.optimize.linprog(
        c=-objective,
        A_ub=-worth,
        b_ub=-least,
        A_eq=flow,
        b_eq=inflow,
        bounds=(0.0, 1.0),  # a mixture has no more anyway; only the margin needs a limit
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not result.success:
        raise _unsolved(result.message)
    return np.asarray(result.x)


def _unsolved(why: str) -> RunStopped:
    return RunStopped(
        f"Dominated moves were not found, because a linear programme was not solved ({why}); ask another judge."
    )


def last_sequences(tree: Tree, kept: Bool[np.ndarray, "i a"]) -> Int[np.ndarray, "n p"]:
    """Every player's last sequence at each node; `GONE` for all where a move on the way is not kept."""
    played = np.full((tree.nodes, tree.players), -1)
    for node in range(1, tree.nodes):
        before = tree.parent[node]
        played[node], actor = played[before], tree.actor[before]
        if actor >= 0:
            played[node, actor] = tree.infoset[before] * kept.shape[1] + tree.move[node]
    live = np.append(kept.ravel(), True)[played].all(1)  # a move is kept only with those of its player before it
    return np.where(live[:, None], played, GONE)


def _with_ancestors(tree: Tree, nodes: Bool[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    """The nodes and all those before them."""
    nodes = nodes.copy()
    for node in np.flatnonzero(nodes)[::-1]:
        while node > 0 and not nodes[tree.parent[node]]:
            node = tree.parent[node]
            nodes[node] = True
    return nodes


def scaled(payoff: Float[np.ndarray, " s"]) -> Float[np.ndarray, " s"]:
    return payoff / (np.abs(payoff).max(initial=0.0) or 1.0)


def joined(choices: Iterable[Sequence[Plan]]) -> list[Plan]:
    """Every way to take one of each."""
    return [tuple(chain(*parts)) for parts in product(*choices)]
