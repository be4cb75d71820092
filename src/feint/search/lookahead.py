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
from jaxtyping import Array, Float, Int

from feint.public.judge import Expectation
from feint.public.play import Moves, Written, normalised
from feint.public.sweep import Book, Reach, enter, exits, run_from
from feint.public.tree import PublicTree
from feint.solvers.public_cfr import Page, RegretSweep, blank_book, blank_page, merged, pages_of
from feint.solvers.regrets import Rule


@final
class Method(eqx.Module):
    """How lookaheads are solved."""

    rule: Rule = eqx.field(static=True)
    alternating: bool = eqx.field(static=True)
    iterations: int | Int[Array, ""]
    """A number is part of compiled code; an array is not, so that one compilation serves all."""


RARE = 1e-12
"""Hands that never come count as if they came so often: what they would do, and have, is then known too."""
TOOL = Method(Rule(alpha=float("inf"), beta=float("-inf"), gamma=0.0, predictive=False, skip=500), False, 1000)
"""As the public DeepStack-Leduc program does it: regret matching⁺, the second half averaged."""


class Found(NamedTuple):
    """What came of a lookahead: means over its iterations, for each unit of the others' range that is met."""

    strategy: Moves
    """What the searching player does, for each move: [boards, lines, hands]."""
    values: Float[Array, "b l h"]
    """What it is worth to the searching player …"""
    others: Float[Array, "b l h"]
    """… and to the other …"""
    after: Moves
    """… who has this after each move."""
    arrived: Reach | None
    """How often hands come to the boards and lines of the next round, the other's and the searching player's …"""
    beyond: Float[Array, "c k g"] | None
    """… and what the other has there."""


class Sums(NamedTuple):
    """What the iterations of a lookahead add up to, weighted as the average weighs them."""

    book: tuple[tuple[Page, ...], ...]
    gate: Page | None
    """Of the decision by which the other comes."""
    weight: Float[Array, ""]
    """Of all of them together."""
    met: Float[Array, "b l h"]
    """How often the other came with each hand."""
    values: Float[Array, "b l h"]
    others: Float[Array, "b l h"]
    after: Moves
    beyond: tuple[Float[Array, "c k g"], ...]
    """One, or none where no round comes after."""


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
        mine = jnp.maximum(mine, RARE)[:, order]
        found = self._found(self._sums(mine, theirs[:, order], bounded), mine)
        back = np.argsort(order)
        lines: Found = jax.tree.map(lambda part: part[:, back], found._replace(arrived=None, beyond=None))
        return lines._replace(arrived=found.arrived, beyond=found.beyond)

    def values(
        self, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"]
    ) -> tuple[Float[Array, "b l h"], Float[Array, "b l h"]]:
        """What both have, given their ranges. Lines may begin with decisions of any kind, of one player."""
        order = np.array(self.tree.rounds[0].betting.source)
        mine, theirs, back = jnp.maximum(mine, RARE)[:, order], theirs[:, order], np.argsort(order)
        sums = self._sums(mine, theirs, bounded=False)
        ours, others = self._means(sums, mine)
        return ours[:, back], others[:, back]

    def _sums(self, mine: Float[Array, "b l h"], theirs: Float[Array, "b l h"], bounded: bool) -> Sums:
        rule, tree, me, other = self.method.rule, self.tree, self.player, 1 - self.player
        first, nothing = tree.rounds[0], jnp.zeros_like(theirs)

        def step(number: Array, sums: Sums) -> Sums:
            time, before, gate = number + 1.0, sums.book, sums.gate
            against = RegretSweep(other, rule, time, pages_of(tree, me, before))
            gate_play = None if gate is None else against.played(gate)
            coming = jnp.maximum(theirs if gate_play is None else gate_play[0], RARE)
            noting = _noting(pages_of(tree, other, before), sums)
            others, pages = run_from(tree, against, noting, Reach(coming, mine))
            if gate is not None:
                _, gate = against.settle(gate, Reach(jnp.ones_like(theirs), mine), gate_play, (others, theirs))
                if self.method.alternating:
                    coming = jnp.maximum(against.played(gate)[0], RARE)
            (after, *rest), *more = pages
            book = merged(before, ((None, *rest), *(() for _ in more)))
            sweep = RegretSweep(me, rule, time, pages_of(tree, other, book if self.method.alternating else before))
            values, pages = run_from(tree, sweep, pages_of(tree, me, book), Reach(mine, coming))
            met, values, others = sweep.came((sums.met, sums.values, sums.others), (coming, values, others))
            weight = sums.weight + rule.weight(time)
            return Sums(merged(book, pages), gate, weight, met, values, others, after, more[0] if more else ())

        start = Sums(
            blank_book(tree, rule),
            blank_page((nothing,) * 2, rule) if bounded else None,
            jnp.zeros(()),
            nothing,
            nothing,
            nothing,
            first.zeros(0),
            tuple(jnp.zeros((stage.boards, stage.betting.lines, stage.hands)) for stage in tree.rounds[1:]),
        )
        sums: Sums = jax.lax.fori_loop(0, self.method.iterations, step, start)
        return sums

    def _means(self, sums: Sums, mine: Float[Array, "b l h"]) -> tuple[Float[Array, "b l h"], Float[Array, "b l h"]]:
        """What both have."""
        return _each(sums.values, sums.met), _each(sums.others, sums.weight * mine)

    def _found(self, sums: Sums, mine: Float[Array, "b l h"]) -> Found:
        tree, plans = self.tree, sums.book[0][0].plan_sum
        values, others = self._means(sums, mine)
        arrived = beyond = None
        if tree.beyond is not None:
            tables = tuple(tuple(page.plan_sum for page in pages) for pages in sums.book)
            keeping = Expectation(1 - self.player, Written(tables))
            blank: Book = tuple((None,) * len(stage.moves) for stage in tree.rounds)
            left = exits(tree, 0, keeping, blank[0], Reach(sums.met / sums.weight, mine))
            arrived = enter(tree.rounds[1], left, jnp.asarray(0))
            beyond = _each(sums.beyond[0], sums.weight * arrived.theirs)
        return Found(
            strategy=normalised(plans),
            values=values,
            others=others,
            after=tuple(_each(*pair) for pair in zip(sums.after, plans, strict=True)),
            arrived=arrived,
            beyond=beyond,
        )


def _noting(book: Book, sums: Sums) -> Book:
    """The other's pages, and in place of the first decision, which is not theirs, what its moves are worth to them."""
    return ((sums.after, *book[0][1:]), *((part,) for part in sums.beyond))


def _each(values: Float[Array, "b l h"], met: Float[Array, "b l h"]) -> Float[Array, "b l h"]:
    """Values for each unit of a range that is met; 0 where none is."""
    total = met.sum(-1, keepdims=True)
    return jnp.where(total > 0, values / jnp.where(total > 0, total, 1.0), 0.0)
