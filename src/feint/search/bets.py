"""The bets that a search considers: DeepStack looks at few sizes, and may be met with any.

A move of the other's that was not considered needs no translation: the next search begins with it. What is left out is
left out below a search's first decision for both players, and at that decision for the one who searches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Int

from feint.arena.betting import ILLEGAL, BettingTree, unroll_betting
from feint.games.errors import BadInput
from feint.games.poker import RAISE, Poker

Bets = tuple[str, ...] | None
"""The raises that are considered, by name; None for all."""


def considered(game: Poker, bets: Bets) -> BettingTree:
    """A game's betting with those raises alone; decisions keep their numbers."""
    return unroll_betting(game) if bets is None else _considered(game, bets)


@lru_cache(maxsize=32)
def _considered(game: Poker, bets: tuple[str, ...]) -> BettingTree:
    betting, raises = unroll_betting(game), game.actions[RAISE:]
    if unknown := [bet for bet in bets if bet not in raises]:
        raise BadInput(f"{game.name} has no raise called {unknown[0]!r} to consider; it has {', '.join(raises)}.")
    kept = [move < RAISE or name in bets for move, name in enumerate(game.actions)]
    return replace(betting, child=np.where(kept, betting.child, ILLEGAL))


def by_moves(game: Poker, bets: Bets, nodes: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    """Betting decisions of one player by how many moves are considered there; those they never come to left out."""
    betting, alike = considered(game, bets), dict[int, list[int]]()
    for node in nodes:
        if _reached(game, bets)[betting.actor[node], node]:
            alike.setdefault(int(betting.legal[node].sum()), []).append(int(node))
    return tuple(map(tuple, alike.values()))


@lru_cache(maxsize=32)
def _reached(game: Poker, bets: Bets) -> Bool[np.ndarray, "p n"]:
    """The betting decisions that each player comes to who makes no move but those considered, whatever others do."""
    whole, some = unroll_betting(game), considered(game, bets)
    reached = np.zeros((whole.players, len(whole.actor)), bool)
    reached[:, 0] = True
    for node, actor in enumerate(whole.actor):  # before all that come after them
        for player in range(whole.players):
            after = (some if player == actor else whole).child[node]
            reached[player, after[after >= 0]] |= reached[player, node]
    return reached


def places(whole: BettingTree, some: BettingTree, nodes: tuple[int, ...]) -> Int[np.ndarray, "m l"]:
    """For each legal move of decisions of one kind, its place among those considered there; −1 where it is not."""
    kept = some.legal[list(nodes)]
    place = np.where(kept, np.cumsum(kept, 1) - 1, -1)
    return np.array([row[legal] for row, legal in zip(place, whole.legal[list(nodes)], strict=True)]).T
