"""Continual re-solving (Moravčík et al. 2017): a strategy that is worked out decision by decision, and as a whole.

At each of their decisions a player solves a lookahead, given their own range and what the other could have had. Both
are functions of what everybody has seen, so what such a player does in the whole game can be written down and judged
exactly: `written_out` searches at every decision, those of one kind and round at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.arena.betting import ILLEGAL
from feint.games.game import Game
from feint.games.poker import Poker
from feint.public.build import Arrivals, build_lookahead, build_public_tree
from feint.public.lines import Decision
from feint.public.play import Moves, Tables
from feint.public.tree import Beyond, PublicTree
from feint.search.bets import Bets, by_moves, considered, places
from feint.search.beyond import shares
from feint.search.lookahead import Found, Lookahead, Method
from feint.tree.compiled import compiled

Guesses = Callable[[Arrivals], Beyond]
"""What makes a guess for the lines that come to the next round."""


def searchable(game: Game[Any]) -> Poker | None:
    """The game, if its rules can be re-solved: the gadget, and guesses of what comes later, are zero-sum.

    What players have at the start is the same on every board, as there is none yet.
    """
    fits = isinstance(game, Poker) and game.players == 2 and game.hole == 1 and len(game.rounds) <= 2
    return game if isinstance(game, Poker) and fits and not game.rake and not game.rounds[0].board else None


class Carried(NamedTuple):
    """What a player carries from one search of a hand to the next, on every board: [boards, hands]."""

    range: Float[Array, "b h"]
    """How often they would be there with each hand; sums to 1."""
    bound: Float[Array, "b h"] | None
    """What the other could have had with each hand; None at the start of the game, where nothing is known yet."""


@final
class Search(eqx.Module):
    """A lookahead from some betting decisions of one kind on."""

    tree: PublicTree
    nodes: tuple[int, ...] = eqx.field(static=True)
    arrivals: Arrivals | None = eqx.field(static=True)

    @classmethod
    def at(cls, game: Poker, nodes: Sequence[int], bets: Bets = None) -> Search:
        tree, arrivals = build_lookahead(game, nodes, considered(game, bets))
        return cls(tree, tuple(nodes), arrivals)

    @property
    def round(self) -> int:
        return int(self.tree.betting.round[self.nodes[0]])

    def __call__(self, method: Method, guesses: Guesses, carried: Sequence[Carried]) -> Found:
        """What comes of it, given how the player stands at each decision."""
        beyond = None if self.arrivals is None else guesses(self.arrivals)
        mine = jnp.stack([each.range for each in carried], 1)
        bounds = [each.bound for each in carried if each.bound is not None]
        theirs = jnp.stack(bounds, 1) if bounds else jnp.full_like(mine, 1.0 / mine.shape[-1])
        return _solved(Lookahead(replace(self.tree, beyond=beyond), method), mine, theirs, bool(bounds))

    def after(self, found: Found, carried: Sequence[Carried]) -> dict[int, Carried]:
        """How the player stands at the betting decisions that moves and the end of the round lead to."""
        betting, after = self.tree.betting, dict[int, Carried]()
        for line, (node, before) in enumerate(zip(self.nodes, carried, strict=True)):
            legal = [int(child) for child in betting.child[node] if child != ILLEGAL]
            for child, move, worth in zip(legal, found.strategy, found.after, strict=True):
                if child >= 0 and betting.round[child] == self.round:
                    after[child] = Carried(shares(before.range * move[:, line]), worth[:, line])
        if self.arrivals is not None and found.arrived is not None and found.beyond is not None:
            for line, child in enumerate(self.arrivals.nodes.tolist()):
                if child >= 0:
                    after[child] = Carried(shares(found.arrived.theirs[:, line]), found.beyond[:, line])
        return after


@compiled
def _solved(lookahead: Lookahead, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"], bounded: bool) -> Found:
    return lookahead.solve(mine, theirs, bounded)


@final
class Searches(eqx.Module):
    """All searches of a game, by round and decision of its public tree, suits kept apart."""

    tree: PublicTree
    searches: tuple[tuple[tuple[Search, ...], ...], ...]
    """One for each decision; where not all bets are considered, one for each number of moves that are."""

    @property
    def paid(self) -> Float[np.ndarray, " k"]:
        """What each player has put into the pot where searches of the first round come to the second."""
        all_arrivals = (search.arrivals for each in self.searches[0] for search in each)
        return np.concatenate([arrivals.paid[arrivals.nodes >= 0] for arrivals in all_arrivals if arrivals])


@lru_cache(maxsize=8)
def searches_of(game: Poker, bets: Bets = None) -> Searches:
    """All searches of a game by a player who considers some bets, and may be met with any."""
    tree = build_public_tree(game, symmetric=False, exact=True)
    rounds = (stage.betting.decisions for stage in tree.rounds)
    return Searches(
        tree,
        tuple(
            tuple(
                tuple(Search.at(game, nodes, bets) for nodes in by_moves(game, bets, decision.nodes))
                for decision in each
            )
            for each in rounds
        ),
    )


def written_out(searches: Searches, method: Method, guesses: Guesses) -> Tables:
    """What two such players do in the whole game."""
    tree = searches.tree
    both = [_found(searches, method, guesses, player, len(tree.rounds)) for player in (0, 1)]
    return tuple(
        tuple(
            _everywhere(tree, number, decision, [(search, both[decision.actor][search.nodes]) for search in each])
            for decision, each in zip(tree.rounds[number].betting.decisions, those, strict=True)
        )
        for number, those in enumerate(searches.searches)
    )


def _everywhere(tree: PublicTree, number: int, decision: Decision, found: Sequence[tuple[Search, Found]]) -> Moves:
    """What searches say of betting decisions of one kind, for every move that is legal there.

    A player never comes to those without a search, for they lie behind moves that it does not consider: all moves are
    equally likely there.
    """
    stage, nodes = tree.rounds[number], decision.nodes.tolist()
    if [search.nodes for search, _ in found] == [tuple(nodes)] and len(found[0][1].strategy) == len(decision.moves):
        return found[0][1].strategy
    moves = jnp.full((len(decision.moves), stage.boards, len(nodes), stage.hands), 1.0 / len(decision.moves))
    for search, each in found:
        lines = np.array([nodes.index(node) for node in search.nodes])
        strategy = jnp.stack([*each.strategy, jnp.zeros_like(each.strategy[0])])
        rows = strategy[places(tree.betting, search.tree.betting, search.nodes), :, np.arange(len(lines))]
        moves = moves.at[:, :, lines].set(jnp.moveaxis(rows, 1, 2))
    return tuple(moves)


def visited(searches: Searches, method: Method, guesses: Guesses) -> Float[Array, "2 b k h"]:
    """The ranges of both players that come to the second round by the searches of the first, on every board.

    In the order of `Searches.paid`.
    """
    found, visits = [_found(searches, method, guesses, player, 1) for player in (0, 1)], []
    for decision, each in zip(searches.tree.rounds[0].betting.decisions, searches.searches[0], strict=True):
        for search in each:
            arrived = found[decision.actor][search.nodes].arrived
            assert search.arrivals is not None
            assert arrived is not None
            both = (arrived.theirs, arrived.mine)[:: 1 if decision.actor == 0 else -1]
            visits.append(jnp.stack([shares(part[:, search.arrivals.nodes >= 0]) for part in both]))
    return jnp.concatenate(visits, 2)


def _found(
    searches: Searches, method: Method, guesses: Guesses, player: int, rounds: int
) -> dict[tuple[int, ...], Found]:
    """What one player finds at each decision of so many rounds."""
    betting, all_found = searches.tree.betting, dict[tuple[int, ...], Found]()
    carried = {0: first_carried(searches.searches[0][0][0], method, guesses, player)}
    for number, stage in enumerate(searches.tree.rounds[:rounds]):
        for decision, each in zip(stage.betting.decisions, searches.searches[number], strict=True):
            for search in each if decision.actor == player else ():
                here = [carried[node] for node in search.nodes]
                found = search(method, guesses, here)
                all_found[search.nodes] = found
                # Of what two searches say of the next round, the later one counts.
                carried |= search.after(found, here)
            for node in decision.nodes.tolist() if decision.actor != player else ():
                if node in carried:
                    after = (child for child in betting.child[node] if child >= 0 and betting.round[child] == number)
                    carried |= dict.fromkeys(map(int, after), carried[node])
    return all_found


def first_carried(first: Search, method: Method, guesses: Guesses, player: int) -> Carried:
    """What a player has at the start, given the search at the first decision of the game.

    All hands come equally often; who moves later has what that search says as a bound.
    """
    hands = len(first.tree.held)
    even = jnp.full((1, hands), 1.0 / hands)
    if first.tree.betting.actor[0] == player:
        return Carried(even, None)
    return Carried(even, first(method, guesses, [Carried(even, None)]).values[:, 0])
