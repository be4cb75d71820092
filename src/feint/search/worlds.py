"""A game as simulations go through it, one move at a time: what may be the case, who moves, and how it ends.

A searcher knows what its player sees and no more. `World.like` draws a state that the player cannot tell from the true
one, out of the rules and what is seen alone: hidden cards as likely as they are dealt, hidden moves all equally likely.
What others do with which cards is no part of that: it is what searches find out.

Moves are counted here by their place among the legal ones, which are in the rules' order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import accumulate
from random import Random
from typing import Any, NamedTuple, final

import numpy as np

from feint.arena.betting import BettingTree, unroll_betting
from feint.forms.form import Form
from feint.games.cards import Cards
from feint.games.errors import BadInput
from feint.games.game import CHANCE
from feint.games.poker import Poker
from feint.tree.move_values import levels_of
from feint.tree.tree import Tree

OVER = -2
"""Who is to move when nobody is."""


class World(ABC):
    """What simulations ask of a game. In its states, of its own choosing, somebody is to move or all is over."""

    players: int
    largest: float
    """The largest payoff, in chips."""

    @abstractmethod
    def fresh(self, random: Random) -> Any:
        """A state before the first move, all that chance does until then drawn."""

    @abstractmethod
    def like(self, player: int, view: Hashable, random: Random) -> Any:
        """A state in which the player, who is to move, has this view."""

    @abstractmethod
    def actor(self, state: Any) -> int:
        """Who is to move; below 0 when it is over."""

    @abstractmethod
    def seen(self, state: Any) -> Hashable:
        """What whoever is to move sees: equal for no two players, and for two states exactly if they look the same."""

    @abstractmethod
    def asked(self, player: int, view: Hashable) -> Hashable:
        """The same, by the rules' own view of it."""

    @abstractmethod
    def view(self, state: Any) -> Hashable:
        """The rules' own view of whoever is to move."""

    @abstractmethod
    def moves(self, state: Any) -> int:
        """How many are legal."""

    @abstractmethod
    def after(self, state: Any, place: int, random: Random) -> Any:
        """The state after the move at this place, and after all that chance then does."""

    @abstractmethod
    def payoffs(self, state: Any) -> Sequence[float]:
        """What each player wins, in chips, once it is over."""


@final
class Unrolled(World):
    """A game that is unrolled whole: a state is a node of its tree."""

    def __init__(self, tree: Tree) -> None:
        self.players, self.largest = tree.players, float(np.abs(tree.payoff).max()) or 1.0
        self._tree = tree
        self._actor: list[int] = tree.actor.tolist()
        self._infoset: list[int] = tree.infoset.tolist()
        self._first: list[int] = tree.first_child.tolist()
        self._children: list[int] = tree.children.tolist()
        self._payoff: list[list[float]] = tree.payoff.tolist()
        players: list[int] = tree.player.tolist()
        self._number = {(player, view): row for row, (player, view) in enumerate(zip(players, tree.views, strict=True))}
        chance = np.flatnonzero(tree.actor == CHANCE).tolist()
        self._ends = {node: list(accumulate(tree.chance[self._after(node)].tolist())) for node in chance}
        self._worlds: dict[int, tuple[list[int], list[float]]] = {}
        self._reach = _chance_reach(tree)

    def _after(self, node: int) -> slice:
        return slice(self._first[node], self._first[node] + self._children[node])

    def fresh(self, random: Random) -> int:
        return self._settled(0, random)

    def like(self, player: int, view: Hashable, random: Random) -> int:
        infoset = self._number[player, view]
        if infoset not in self._worlds:
            those = np.flatnonzero(self._tree.infoset == infoset)
            self._worlds[infoset] = those.tolist(), list(accumulate(self._reach[those].tolist()))
        nodes, ends = self._worlds[infoset]
        return nodes[_drawn(ends, random)]

    def actor(self, state: int) -> int:
        return self._actor[state]

    def seen(self, state: int) -> int:
        return self._infoset[state]

    def asked(self, player: int, view: Hashable) -> int:
        return self._number[player, view]

    def view(self, state: int) -> Hashable:
        view: Hashable = self._tree.views[self._infoset[state]]
        return view

    def moves(self, state: int) -> int:
        return self._children[state]

    def after(self, state: int, place: int, random: Random) -> int:
        return self._settled(self._first[state] + place, random)

    def _settled(self, node: int, random: Random) -> int:
        """The node once chance has done all that it does next."""
        while self._actor[node] == CHANCE:
            node = self._first[node] + _drawn(self._ends[node], random)
        return node

    def payoffs(self, state: int) -> Sequence[float]:
        return self._payoff[state]


def _drawn(ends: list[float], random: Random) -> int:
    """A place among weights, given where each ends when they lie end to end."""
    return min(bisect_right(ends, random.random() * ends[-1]), len(ends) - 1)


def _chance_reach(tree: Tree) -> np.ndarray:
    """How likely chance lets it come to each node."""
    reach = tree.chance.copy()
    for level in levels_of(tree)[1:]:
        reach[level] *= reach[tree.parent[level]]
    return reach


class Deal(NamedTuple):
    """All cards of a hand, those to come as well."""

    holes: tuple[Cards, ...]
    boards: tuple[Cards, ...]
    """The board in each round."""


@final
class Dealt(World):
    """A poker game too large to unroll: a state is a betting decision, or below 0 an end, and all cards of the hand."""

    def __init__(self, betting: BettingTree) -> None:
        game = betting.game
        self.players, self.largest, self._game = game.players, float(betting.paid.max()), game
        self._betting, self._actor, self._round = betting, betting.actor.tolist(), betting.round.tolist()
        legal = betting.legal
        self._child = [row[mask].tolist() for row, mask in zip(betting.child, legal, strict=True)]
        self._paid, self._folded = betting.paid.tolist(), betting.folded.tolist()
        self._node = {moves: node for node, moves in enumerate(betting.moves)}
        self._deck = [card for card in range(game.deck.kinds) for _ in range(game.deck.copies_of_kind)]

    def fresh(self, random: Random) -> tuple[int, Deal]:
        return 0, self._deal({}, (), random)

    def like(self, player: int, view: Hashable, random: Random) -> tuple[int, Deal]:
        _, hole, board, moves = _poker_view(view)
        return self._node[moves], self._deal({player: hole}, board, random)

    def _deal(self, held: dict[int, Cards], board: Cards, random: Random) -> Deal:
        """Deal all cards that are not known."""
        game, known = self._game, Counter([*board, *(card for hole in held.values() for card in hole)])
        left = list((Counter(self._deck) - known).elements()) if known else self._deck
        turned = sum(declared.board for declared in game.rounds)
        hidden = game.hole * (game.players - len(held))
        drawn = random.sample(left, hidden + turned - len(board))
        cards, coming = iter(drawn[:hidden]), list(drawn[hidden:])
        holes = [
            held.get(player) or tuple(sorted(next(cards) for _ in range(game.hole))) for player in range(self.players)
        ]
        boards, lies, known_board = [], Cards(), list(board)
        for declared in game.rounds:
            source = known_board if known_board else coming
            lies = (*lies, *sorted(source[: declared.board]))
            del source[: declared.board]
            boards.append(lies)
        return Deal(tuple(holes), tuple(boards))

    def actor(self, state: tuple[int, Deal]) -> int:
        return self._actor[state[0]] if state[0] >= 0 else OVER

    def seen(self, state: tuple[int, Deal]) -> Hashable:
        node, deal = state
        return node, deal.holes[self._actor[node]], deal.boards[self._round[node]]

    def asked(self, player: int, view: Hashable) -> Hashable:
        _, hole, board, moves = _poker_view(view)
        return self._node[moves], hole, board

    def view(self, state: tuple[int, Deal]) -> Hashable:
        node, hole, board = _key(self.seen(state))
        return 0, hole, board, self._betting.moves[node]

    def moves(self, state: tuple[int, Deal]) -> int:
        return len(self._child[state[0]])

    def after(self, state: tuple[int, Deal], place: int, random: Random) -> tuple[int, Deal]:
        return self._child[state[0]][place], state[1]

    def payoffs(self, state: tuple[int, Deal]) -> Sequence[float]:
        end, deal = -2 - state[0], state[1]
        live = [player for player in range(self.players) if not self._folded[end][player]]
        if len(live) > 1:
            strengths = [self._game.showdown(self._game.deck, deal.holes[player], deal.boards[-1]) for player in live]
            best = max(strengths)
            live = [player for player, strength in zip(live, strengths, strict=True) if strength == best]
        return self._game.split(self._paid[end], live)


def _poker_view(view: Any) -> tuple[int, Cards, Cards, Any]:
    """A poker game's view: the dealer, the player's cards, the board and the betting."""
    dealer, hole, board, moves = view
    return dealer, hole, board, moves


def _key(seen: Any) -> tuple[int, Cards, Cards]:
    node, hole, board = seen
    return node, hole, board


def world_of(form: Form) -> World:
    """A game for simulations, in the way that suits its form."""
    if form.tree is not None:
        return Unrolled(form.tree)
    if isinstance(form.game, Poker):
        return Dealt(unroll_betting(form.game))
    raise BadInput(f"{form.name} is neither unrolled nor poker, so it cannot be simulated; choose a smaller game.")
