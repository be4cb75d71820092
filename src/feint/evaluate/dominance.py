"""Dominated strategies: iterated elimination by linear programme, with mixed dominators, for any number of players.

A *plan* is a pure strategy of the reduced normal form: a move at every information set that the player's own earlier
moves lead to. It is weakly dominated when some mixture of the player's plans never earns less and somewhere earns
more, whatever plans the others follow; strictly, when the mixture earns more everywhere. Equals do not dominate each
other. Every round removes from all players at once what is dominated by then: where weak elimination ends depends on
the order, and this is ours.

`eliminate` is the definition: it lists the plans and removes every dominated one, which takes a small game.

`eliminate_actions` removes in each round only the plans with a move that no undominated plan makes, so that what is
left is a game with fewer moves, and nobody's plans have to be listed. Each round is exact. A plan is undominated when
it is a best response to some belief about the others (weakly: to one that rules nothing out), and a best response is
put together from best responses after each of the player's first information sets. So a move survives exactly when
some plan *of such a subtree* makes it and is undominated there. Nor are the others' joint plans listed: an integer
programme finds the one that a would-be dominator fares worst against. In the first round both functions remove the
same moves; later they may differ, since `eliminate` has removed more plans.

Both are exact up to `TOLERANCE`, a share of the largest payoff times the probability that chance leads to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from typing import ClassVar, final, get_args

import numpy as np
from jaxtyping import ArrayLike, Bool, Float, Int

from feint.evaluate.measure import EXACT, Facts, Follow, Judge, Measure, Verdict, strategy_of
from feint.evaluate.plans import TOLERANCE, Kind, Plan, Rivals, Side, gain, joined, last_sequences, scaled
from feint.forms.form import Form
from feint.forms.strategy import Strategy, tabulate
from feint.games.errors import BadInput, nearest
from feint.players.player import Player
from feint.tree.tree import Tree

PROFILE_LIMIT = 100_000
"""`eliminate` lists this many combinations of the players' plans at most."""
SUBTREE_LIMIT = 5_000
"""`eliminate_actions` lists this many plans of one player's subtrees at most."""


@final
@dataclass(frozen=True)
class Action:
    """A move that no surviving plan of its player makes any more."""

    player: int
    infoset: int
    move: int
    """The column of a strategy table."""
    words: str
    reached: bool
    """Whether some surviving plan still leads to the information set: then the move itself was dominated; if not, the
    player's earlier moves that lead there were."""


@final
@dataclass(frozen=True)
class Round:
    """What one round of elimination removed."""

    strategies: tuple[tuple[int, str], ...]
    """The dominated plans, each as its player and its moves in words; none from `eliminate_actions`."""
    actions: tuple[Action, ...]
    """The moves that went with them. Plans may go while all their moves stay, in other plans."""


@final
@dataclass(frozen=True, eq=False)
class Eliminated:
    """What iterated elimination removed from a game, round by round."""

    kind: Kind
    rounds: tuple[Round, ...]
    round_of: Int[np.ndarray, "i a"]
    """The round, counted from 0, in which each move went; −1 where it survives or is not legal."""

    @property
    def mask(self) -> Bool[np.ndarray, "i a"]:
        """The moves that are gone."""
        return np.asarray(self.round_of >= 0)


@final
@dataclass(frozen=True, eq=False)
class Mass:
    """How much a strategy plays what was eliminated."""

    table: Float[np.ndarray, "i a"]
    """The probability of each eliminated move at its information set; 0 for all other moves."""
    total: float
    """The table's sum over the information sets to which a surviving plan leads. At others all moves are gone, so that
    their probabilities, always 1 in sum, say nothing."""
    hands: float
    """The probability that a hand has an eliminated move in it, all players following the strategy."""


def mass(tree: Tree, strategy: Strategy | ArrayLike, eliminated: Eliminated) -> Mass:
    """The probability that a strategy gives to eliminated moves: one by one, in total, and by hands."""
    played = tabulate(tree, strategy)
    table = np.where(eliminated.mask, played, 0.0)
    reached = (tree.legal & ~eliminated.mask).any(1)
    before = tree.parent
    moved = (before >= 0) & (tree.actor[before] >= 0)
    reach = np.where(moved, (played - table)[tree.infoset[before], np.where(moved, tree.move, 0)], tree.chance)
    while (before >= 0).any():  # each pass doubles how far up the product goes
        reach = np.where(before >= 0, reach * reach[before], reach)
        before = np.where(before >= 0, before[before], -1)
    return Mass(table, float(table[reached].sum()), float(np.clip(1.0 - reach[tree.terminal].sum(), 0.0, 1.0)))


@final
@dataclass(frozen=True)
class Dominance(Judge):
    """How much of a strategy iterated elimination removes."""

    about: ClassVar[str] = "How often dominated moves are played, exactly, and which moves those are; small games."
    kind: Kind = "weak"
    """Weak or strict."""

    def __call__(self, form: Form, player: Player, follow: Follow) -> Verdict:
        tree = form.whole("dominance")
        follow("looking for dominated moves", None)
        eliminated = eliminate_actions(tree, self.kind)
        found = mass(tree, strategy_of(player), eliminated)
        gone = [(number + 1, move) for number, part in enumerate(eliminated.rounds) for move in part.actions]
        rows = tuple(
            (number, move.player + 1, move.words, float(found.table[move.infoset, move.move]))
            for number, move in gone
            if move.reached
        )
        return Verdict(
            (
                Measure("dominated", found.hands, "of all hands have a dominated move", EXACT),
                Measure("dominated_mass", found.total, "probability, summed over information sets", EXACT),
            ),
            (Facts("moves", f"{self.kind}ly dominated moves:", ("round", "player", "move", "probability"), rows),),
        )


JUDGES = {"dominance": Dominance()}


def eliminate(tree: Tree, kind: Kind = "weak") -> Eliminated:
    """Iterated elimination of dominated plans. A game with more than `PROFILE_LIMIT` profiles is refused."""
    _check(kind)
    sides = [Side(tree, player, tree.legal) for player in range(tree.players)]
    sizes = [math.prod(map(side.count, side.after[-1])) for side in sides]
    if math.prod(sizes) > PROFILE_LIMIT:
        raise BadInput(
            f"{tree.name} has {' × '.join(f'{size:,}' for size in sizes)} reduced strategies, {math.prod(sizes):,} "
            f"profiles, but dominated strategies are looked for among {PROFILE_LIMIT:,} at most; use "
            f"eliminate_actions, which lists no profiles, or choose a smaller game."
        )
    plans = [joined(map(side.plans, side.after[-1])) for side in sides]
    rounds: list[Round] = []
    while True:
        dominated = [_dominated(kind, worth) for worth in _worths(tree, plans)]
        if not any(map(any, dominated)):
            return _eliminated(tree, kind, rounds)
        gone = [list(compress(*pair)) for pair in zip(plans, dominated, strict=True)]
        left = [[plan for plan in mine if plan not in out] for mine, out in zip(plans, map(set, gone), strict=True)]
        rounds.append(_round(tree, _moves(tree, chain(*plans)), _moves(tree, chain(*left)), gone))
        plans = left


def eliminate_actions(tree: Tree, kind: Kind = "weak") -> Eliminated:
    """Iterated elimination of the moves that no undominated plan makes.

    A game in which some player's subtrees have more than `SUBTREE_LIMIT` plans in all is refused.
    """
    _check(kind)
    for side in (Side(tree, player, tree.legal) for player in range(tree.players)):
        size = sum(map(side.count, side.after[-1]))
        if size > SUBTREE_LIMIT:
            raise BadInput(
                f"{tree.name} has {size:,} reduced strategies in the subtrees of player {side.player + 1}, but "
                f"dominated moves are looked for among {SUBTREE_LIMIT:,} at most; choose a smaller game."
            )
    rounds: list[Round] = []
    kept = tree.legal
    while True:
        left = _moves(tree, chain(*(_undominated(tree, kind, kept, player) for player in range(tree.players))))
        if (left == kept).all():
            return _eliminated(tree, kind, rounds)
        rounds.append(_round(tree, kept, left, ()))
        kept = left


def _undominated(tree: Tree, kind: Kind, kept: Bool[np.ndarray, "i a"], player: int) -> list[Plan]:
    """The undominated plans of each of a player's subtrees, in the game with the moves kept."""
    sides, played = [Side(tree, each, kept) for each in range(tree.players)], last_sequences(tree, kept)

    def keep(infoset: int, plans: list[Plan]) -> list[Plan]:
        rivals = Rivals(tree, sides, player, infoset, played)
        return [plan for plan in plans if not rivals.dominated(kind, plan)]

    return list(chain(*(sides[player].plans(first, keep) for first in sides[player].after[-1])))


def _dominated(kind: Kind, worth: Float[np.ndarray, "o k"]) -> list[bool]:
    """Which of a player's plans `k` are dominated, given what each earns against the others' joint plans `o`."""
    simplex, plans = np.ones((1, worth.shape[1])), np.eye(worth.shape[1])
    return [gain(kind, worth, worth.sum(0), plan, simplex)[0] > TOLERANCE for plan in plans]


def _worths(tree: Tree, plans: Sequence[Sequence[Plan]]) -> list[Float[np.ndarray, "o k"]]:
    """For each player, what each plan `k` earns against each joint plan `o` of the others, scaled."""
    reach = [
        np.array([np.isin(tree.last_sequence[:, player], [-1, *plan]) for plan in mine], np.float64)
        for player, mine in enumerate(plans)
    ]
    worths = []
    for player, mine in enumerate(reach):
        joint = scaled(tree.weighted_payoff[:, player])[None]
        for theirs in reach[:player] + reach[player + 1 :]:
            joint = (joint[:, None] * theirs).reshape(-1, joint.shape[1])
        worths.append(joint @ mine.T)
    return worths


def _moves(tree: Tree, plans: Iterable[Plan]) -> Bool[np.ndarray, "i a"]:
    """The moves that some plan makes."""
    moves = np.zeros(tree.legal.size, bool)
    moves[list(chain(*plans))] = True
    return moves.reshape(tree.legal.shape)


def _words(tree: Tree, *sequences: int) -> str:
    moves = (divmod(sequence, tree.legal.shape[1]) for sequence in sequences)
    return ", ".join(f"{tree.labels[infoset]} → {tree.actions[move]}" for infoset, move in moves)


def _round(
    tree: Tree, before: Bool[np.ndarray, "i a"], after: Bool[np.ndarray, "i a"], gone: Iterable[Sequence[Plan]]
) -> Round:
    """A round by the moves kept before and after it and every player's plans that went."""
    strategies = [(player, _words(tree, *plan)) for player, plans in enumerate(gone) for plan in plans]
    actions = [
        Action(int(tree.player[i]), i, a, _words(tree, i * before.shape[1] + a), bool(after[i].any()))
        for i, a in np.argwhere(before & ~after).tolist()
    ]
    return Round(tuple(strategies), tuple(actions))


def _eliminated(tree: Tree, kind: Kind, rounds: Sequence[Round]) -> Eliminated:
    round_of = np.full(tree.legal.shape, -1)
    for number, gone in enumerate(rounds):
        for action in gone.actions:
            round_of[action.infoset, action.move] = number
    return Eliminated(kind, tuple(rounds), round_of)


def _check(kind: str) -> None:
    if kind not in get_args(Kind):
        raise BadInput(f"Dominance is weak or strict, but {kind!r} was asked for; {nearest(kind, get_args(Kind))}")
