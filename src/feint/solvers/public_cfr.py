"""Counterfactual regret minimisation on public trees: all hands of a player at once."""

from __future__ import annotations

from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from feint.forms.public_strategy import PublicStrategy
from feint.public.play import Moves, cut, mean, normalised
from feint.public.sweep import Book, Reach, Sweep, run
from feint.public.tree import PublicTree
from feint.solvers.algorithm import Algorithm, Metrics
from feint.solvers.regrets import Rule


class Page(NamedTuple):
    """What is kept of one decision, for each of its moves."""

    regrets: Moves
    plan_sum: Moves
    """The weighted plans of all iterations: the average strategy, up to scale."""
    last: Moves | None
    """The regret of the last iteration, for those who expect it again."""


class PublicCFRState(NamedTuple):
    iteration: Float[Array, ""]
    book: tuple[tuple[Page, ...], ...]
    """By round and decision."""


@final
class RegretSweep(Sweep):
    """One player's regrets against what the other plays now."""

    player: int = eqx.field(static=True)
    rule: Rule = eqx.field(static=True)
    time: Float[Array, ""]
    theirs_: Book
    """The other player's pages."""

    def theirs(self, number: int, decision: int, first: Int[Array, ""], boards: int) -> Moves:
        return self.played(cut(self.theirs_[number][decision], first, boards))

    def mine(self, number: int, decision: int, first: Int[Array, ""], boards: int, page: Page) -> Moves:
        return self.played(page)

    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        assert play is not None
        value = mean(play, values)
        regret = tuple(worth - value for worth in values)
        plan = self.rule.weight(self.time).astype(reach.mine.dtype) * reach.mine
        return value, Page(
            tuple(self.rule.added(*each, self.time) for each in zip(page.regrets, regret, strict=True)),
            tuple(total + plan * chance for total, chance in zip(page.plan_sum, play, strict=True)),
            regret if self.rule.predictive else None,
        )

    def passed(self, page: Moves | None, values: Moves) -> Moves | None:
        return None if page is None else self.came(page, values)

    def came(self, pages: Moves, values: Float[Array, "b l h"] | Moves) -> Moves:
        """Sums of what is worth how much, iterations weighted as in the average."""
        weight = self.rule.weight(self.time)
        values = values if isinstance(values, tuple) else (values,) * len(pages)
        return tuple(total + (weight * value).astype(total.dtype) for total, value in zip(pages, values, strict=True))

    def played(self, page: Page) -> Moves:
        """What is done at a decision now."""
        last = page.last or (None,) * len(page.regrets)
        return normalised(tuple(self.rule.hoped(*each) for each in zip(page.regrets, last, strict=True)))


@final
class PublicRegretMinimiser(Algorithm[PublicCFRState]):
    """The CFR family on one game's public tree."""

    tree: PublicTree
    rule: Rule = eqx.field(static=True)
    alternating: bool = eqx.field(static=True)
    fingerprint: str = eqx.field(static=True)

    def init(self, key: PRNGKeyArray) -> PublicCFRState:
        return PublicCFRState(jnp.zeros(()), blank_book(self.tree, self.rule))

    def step(self, state: PublicCFRState) -> tuple[PublicCFRState, Metrics]:
        time, book = state.iteration + 1.0, state.book
        for player in (0, 1):
            theirs = pages_of(self.tree, 1 - player, book if self.alternating else state.book)
            sweep = RegretSweep(player, self.rule, time, theirs)
            book = merged(book, run(self.tree, sweep, pages_of(self.tree, player, book))[1])
        return PublicCFRState(time, book), {}

    def strategy(self, state: PublicCFRState) -> PublicStrategy:
        weights = tuple(tuple(page.plan_sum for page in pages) for pages in state.book)
        return PublicStrategy(self.fingerprint, self.tree, weights)


def blank_page(nothing: Moves, rule: Rule) -> Page:
    """Before the first iteration, given a zero for each move."""
    return Page(nothing, nothing, nothing if rule.predictive else None)


def blank_book(tree: PublicTree, rule: Rule) -> tuple[tuple[Page, ...], ...]:
    """The same for every decision."""
    return tuple(
        tuple(blank_page(stage.zeros(decision), rule) for decision in range(len(stage.moves))) for stage in tree.rounds
    )


def pages_of(tree: PublicTree, player: int, book: Book) -> Book:
    """A player's pages; nothing in place of the other's."""
    return tuple(
        tuple(
            page if decision.actor == player else None
            for decision, page in zip(stage.betting.decisions, pages, strict=True)
        )
        for stage, pages in zip(tree.rounds, book, strict=True)
    )


def merged(book: Book, mine: Book) -> Book:
    """A book with some pages in place of its own."""
    return tuple(
        tuple(page if own is None else own for page, own in zip(pages, owns, strict=True))
        for pages, owns in zip(book, mine, strict=True)
    )
