"""Continual re-solving (Moravčík et al. 2017): a strategy that is worked out decision by decision, and as a whole.

At each of their decisions a player solves a lookahead, given their own range and what the other could have had. Both
are functions of what everybody has seen, so what such a player does in the whole game can be written down and judged
exactly: `written_out` searches at every decision, those of one kind and round at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from feint.games.poker import Poker
from feint.public.build import Arrivals, build_lookahead
from feint.public.lines import Decision
from feint.public.play import Tables
from feint.public.tree import Beyond, PublicTree
from feint.search.beyond import shares
from feint.search.lookahead import Found, Lookahead, Method

Guesses = Callable[[Arrivals], Beyond]
"""What makes a guess for the lines that come to the next round."""


class Standing(NamedTuple):
    """What a player keeps of a hand, on every board: [boards, hands]."""

    range: Float[np.ndarray, "b h"]
    """How often they would be there with each hand; sums to 1."""
    bound: Float[np.ndarray, "b h"] | None
    """What the other could have had with each hand; None at the start of the game, where nothing is known yet."""


@final
@dataclass(frozen=True)
class Resolver:
    """How a player searches in one game."""

    game: Poker
    method: Method
    guesses: Guesses

    def lookahead(self, nodes: tuple[int, ...]) -> tuple[Lookahead, Arrivals | None]:
        """From some betting decisions of one kind on."""
        tree, arrivals = _lookahead(self.game, nodes)
        beyond = None if arrivals is None else self.guesses(arrivals)
        return Lookahead(replace(tree, beyond=beyond), self.method), arrivals

    def search(self, nodes: tuple[int, ...], standings: list[Standing]) -> tuple[Found, Arrivals | None]:
        """What comes of the lookaheads at some betting decisions of one kind, given how their player stands at each."""
        lookahead, arrivals = self.lookahead(nodes)
        mine = jnp.asarray(np.stack([standing.range for standing in standings], 1))
        bounds = [standing.bound for standing in standings if standing.bound is not None]
        theirs = jnp.asarray(np.stack(bounds, 1)) if bounds else jnp.full_like(mine, 1.0 / mine.shape[-1])
        found: Found = jax.tree.map(np.asarray, _solved(lookahead, mine, theirs, bool(bounds)))
        return found, arrivals


@lru_cache(maxsize=256)
def _lookahead(game: Poker, nodes: tuple[int, ...]) -> tuple[PublicTree, Arrivals | None]:
    return build_lookahead(game, nodes)


@eqx.filter_jit
def _solved(
    lookahead: Lookahead, mine: Float[jax.Array, "b l h"], theirs: Float[jax.Array, "b l h"], bounded: bool
) -> Found:
    return lookahead.solve(mine, theirs, bounded)


def written_out(resolver: Resolver, tree: PublicTree) -> Tables:
    """What two such players do in the whole game, on its public tree, suits kept apart."""
    both = [_Written(resolver, tree, player).out() for player in (0, 1)]
    return tuple(
        tuple(both[decision.actor][number, decision.number] for decision in stage.betting.decisions)
        for number, stage in enumerate(tree.rounds)
    )


@final
@dataclass
class _Written:
    """One player's strategy in the making."""

    resolver: Resolver
    tree: PublicTree
    player: int
    standings: dict[int, Standing] = field(default_factory=dict)
    """At every betting decision that was come to, the other's too."""

    def out(self) -> dict[tuple[int, int], tuple[jax.Array, ...]]:
        """What is done at each decision, by round and number."""
        betting, moves = self.tree.betting, {}
        self.standings[0] = self._first()
        for number, stage in enumerate(self.tree.rounds):
            for decision in stage.betting.decisions:
                if decision.actor == self.player:
                    moves[number, decision.number] = self._search(decision)
                    continue
                for node in decision.nodes.tolist():
                    for child in betting.child[node]:
                        if child >= 0 and betting.round[child] == number:
                            self.standings[int(child)] = self.standings[node]
        return moves

    def _first(self) -> Standing:
        """All hands come equally often; who moves later has what the first search says as a bound."""
        hands = len(self.tree.held)
        even = np.full((1, hands), 1.0 / hands)
        if self.tree.betting.actor[0] == self.player:
            return Standing(even, None)
        found, _ = self.resolver.search((0,), [Standing(even, None)])
        return Standing(even, np.asarray(found.values)[:, 0])

    def _search(self, decision: Decision) -> tuple[jax.Array, ...]:
        """Search at all betting decisions of one kind, and keep how the player stands after each move."""
        betting, nodes = self.tree.betting, tuple(decision.nodes.tolist())
        found, arrivals = self.resolver.search(nodes, [self.standings[node] for node in nodes])
        for line, node in enumerate(nodes):
            legal = [int(child) for child in betting.child[node] if child != -1]
            for child, move, after in zip(legal, found.strategy, found.after, strict=True):
                if child >= 0 and betting.round[child] == betting.round[node]:
                    mine = _range(self.standings[node].range * move[:, line])
                    self.standings[child] = Standing(mine, np.asarray(after)[:, line])
        if arrivals is not None and found.arrived is not None and found.beyond is not None:
            for line, child in enumerate(arrivals.nodes.tolist()):
                if child >= 0:
                    # A later search on the way writes over what an earlier one said.
                    mine = _range(found.arrived.theirs[:, line])
                    self.standings[child] = Standing(mine, np.asarray(found.beyond)[:, line])
        return tuple(map(jnp.asarray, found.strategy))


def _range(weights: Float[np.ndarray | jax.Array, "b h"]) -> Float[np.ndarray, "b h"]:
    """Weights as a range."""
    return np.asarray(shares(jnp.asarray(weights)))
