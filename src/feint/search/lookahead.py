"""One round of betting solved from where a game stands, with a guess for what comes after it.

Whoever searches knows their own range and keeps what the other could have had instead: at the start of a lookahead the
other may take that, hand by hand, or play on (the gadget of Burch, Johanson & Bowling 2014). What the other's range is
need not be known. Many situations that go on alike are solved at once: each is a line, on all boards of its round.
"""

from __future__ import annotations

from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.public.judge import Expectation, Kept
from feint.public.play import Moves, Tables, Written, mean, normalised
from feint.public.sweep import Page, Reach, enter, exits, run_from
from feint.public.tree import PublicTree
from feint.solvers.public_cfr import RegretSweep, blank_book, blank_page, merged, pages_of
from feint.solvers.regrets import Rule


@final
class Method(eqx.Module):
    """How lookaheads are solved."""

    rule: Rule = eqx.field(static=True)
    alternating: bool = eqx.field(static=True)
    iterations: int = eqx.field(static=True)


RARE = 1e-12
"""Hands that never come count as if they came so often: what they would do, and have, is then known too."""
TOOL = Method(Rule(alpha=float("inf"), beta=float("-inf"), gamma=0.0, predictive=False, skip=500), False, 1000)
"""As the public DeepStack-Leduc program does it: regret matching⁺, the second half averaged."""


class Found(NamedTuple):
    """What came of a lookahead. Values are for each unit of the others' range that is met."""

    strategy: Moves
    """What the searching player does, for each move: [boards, lines, hands]."""
    values: Float[Array, "b l h"]
    """What it is worth to the searching player …"""
    others: Float[Array, "b l h"]
    """… and to the other …"""
    after: Moves
    """… who has this after each move."""
    arrived: Reach | None
    """How often hands come to the boards and lines of the next round: the other's, and the searching player's …"""
    beyond: Float[Array, "c k g"] | None
    """… and what the other has there."""


@final
class Lookahead(eqx.Module):
    """One round of betting, from decisions of one player on."""

    tree: PublicTree
    method: Method

    @property
    def player(self) -> int:
        """Who searches."""
        return self.tree.rounds[0].betting.decisions[0].actor

    def solve(self, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"], bounded: bool) -> Found:
        """Given the searching player's range, and the other's or, where `bounded`, what the other can have instead.

        All lines begin with decisions of one kind.
        """
        order = np.array(self.tree.rounds[0].betting.source)
        mine = mine[:, order]
        found = self._found(*self._tables(mine, theirs[:, order], bounded), mine)
        back = np.argsort(order)
        lines: Found = jax.tree.map(lambda part: part[:, back], found._replace(arrived=None, beyond=None))
        return lines._replace(arrived=found.arrived, beyond=found.beyond)

    def values(
        self, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"]
    ) -> tuple[Float[Array, "b l h"], Float[Array, "b l h"]]:
        """What both have, given their ranges. Lines may begin with decisions of any kind, of one player."""
        order = np.array(self.tree.rounds[0].betting.source)
        mine, theirs, back = mine[:, order], theirs[:, order], np.argsort(order)
        tables, _ = self._tables(mine, theirs, bounded=False)
        ours, others = self._expected(tables, mine, theirs)
        return ours[:, back], others[:, back]

    def _tables(
        self, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"], bounded: bool
    ) -> tuple[Tables, Float[Array, "b l h"]]:
        """What both do in the average, and the range with which the other comes."""
        rule, tree, me, other = self.method.rule, self.tree, self.player, 1 - self.player
        mine = jnp.maximum(mine, RARE)
        gate = blank_page((jnp.zeros_like(theirs),) * 2, rule) if bounded else None

        def step(number: Array, state: tuple[Page, Page]) -> tuple[Page, Page]:
            book, gate = state
            time, before = number + 1.0, book
            against = RegretSweep(other, rule, time, pages_of(tree, me, before))
            gate_play = None if gate is None else against.played(gate)
            coming = jnp.maximum(theirs if gate_play is None else gate_play[0], RARE)
            values, pages = run_from(tree, against, pages_of(tree, other, book), Reach(coming, mine))
            if gate is not None:
                _, gate = against.settle(gate, Reach(jnp.ones_like(theirs), mine), gate_play, (values, theirs))
            book = merged(book, pages)
            if self.method.alternating and gate is not None:
                coming = jnp.maximum(against.played(gate)[0], RARE)
            sweep = RegretSweep(me, rule, time, pages_of(tree, other, book if self.method.alternating else before))
            _, pages = run_from(tree, sweep, pages_of(tree, me, book), Reach(mine, coming))
            return merged(book, pages), gate

        book, gate = jax.lax.fori_loop(0, self.method.iterations, step, (blank_book(tree, rule), gate))
        tables = tuple(tuple(page.plan_sum for page in pages) for pages in book)
        return tables, jnp.maximum(theirs if gate is None else normalised(gate.plan_sum)[0], RARE)

    def _expected(
        self, tables: Tables, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"]
    ) -> tuple[Float[Array, "b l h"], Float[Array, "b l h"]]:
        """What both have when they keep to what was found."""
        ranges, nothing = (mine, theirs), tuple((None,) * len(stage.moves) for stage in self.tree.rounds)
        both = []
        for own, met, player in ((*ranges, self.player), (*ranges[::-1], 1 - self.player)):
            values, _ = run_from(self.tree, Expectation(player, Written(tables)), nothing, Reach(own, met))
            both.append(_each(values, met))
        return both[0], both[1]

    def _found(self, tables: Tables, theirs: Float[Array, "b l h"], mine: Float[Array, "b l h"]) -> Found:
        tree, other = self.tree, 1 - self.player
        nothing = tuple((None,) * len(stage.moves) for stage in tree.rounds)
        values, others = self._expected(tables, mine, theirs)
        strategy = normalised(tables[0][0])
        noting, start = Passing(other, Written(tables)), Reach(theirs, mine)
        book = ((strategy, *nothing[0][1:]), *nothing[1:])
        _, noted = run_from(tree, noting, book, start)
        arrived = beyond = None
        if tree.beyond is not None:
            stage = tree.rounds[1]
            arrived = enter(stage, exits(tree, 0, noting, book[0], start), jnp.asarray(0))
            beyond = _each(tree.beyond(stage, other, *arrived, jnp.asarray(0)), arrived.theirs)
        return Found(
            strategy=strategy,
            values=values,
            others=others,
            after=tuple(_each(*pair) for pair in zip(noted[0][0], (mine * move for move in strategy), strict=True)),
            arrived=arrived,
            beyond=beyond,
        )


@final
class Passing(Kept):
    """Both keep to a strategy, and it is noted what the other's moves are worth to the player."""

    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        assert play is not None
        return mean(play, values), page

    def passed(self, page: Page, values: Moves) -> Page:
        return None if page is None else values


def _each(values: Float[Array, "b l h"], met: Float[Array, "b l h"]) -> Float[Array, "b l h"]:
    """Values for each unit of a range that is met; 0 where none is."""
    total = met.sum(-1, keepdims=True)
    return jnp.where(total > 0, values / jnp.where(total > 0, total, 1.0), 0.0)
