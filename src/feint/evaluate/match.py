"""Matches: what one player wins off another, with an interval that can be trusted.

Every deal is played once for each seat, the players changing seats in between, so that good cards come to both
(*duplicate* deals). What is won on a deal is then one number, independent of all other deals', and their mean has a
plain interval. Thousands of deals are played at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray
from scipy import stats

from feint.arena.arena import Arena, Sight, Where, as_uniform, draw, for_device, random_words
from feint.arena.policy import Policy
from feint.evaluate.exploitability import expected_values
from feint.games.errors import BadInput
from feint.tree.tree import Tree

DEALS = {"cpu": 1 << 14, "gpu": 1 << 16}
"""Deals played at once …"""
ROWS = {"cpu": 1 << 12, "gpu": 1 << 15}
"""… and tables at which a move is made at once."""


@final
@dataclass(frozen=True)
class Match:
    """What the first player won, in chips per hand."""

    hands: int
    mean: float
    error: float
    """The standard error of the mean."""
    deals: int
    saved: float
    """How many times as many hands on separate deals would give the same error."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean."""
        reach = float(stats.t.ppf(0.975, self.deals - 1)) * self.error
        return self.mean - reach, self.mean + reach

    def in_big_blinds(self, big_blind: float) -> tuple[float, float]:
        """The mean and half the width of its 95% interval, in thousandths of a big blind per hand."""
        low, high = self.interval
        return 1000 * self.mean / big_blind, 500 * (high - low) / big_blind


def match(
    arena: Arena,
    first: Policy,
    second: Policy,
    hands: int,
    seed: int = 0,
    progress: Callable[[Match], None] | None = None,
) -> Match:
    """Play `first` against `second`, who takes all other seats, for at least so many hands.

    `progress` is told how the match stands.
    """
    deals = math.ceil(hands / arena.players)
    if deals < 2:
        raise BadInput(f"A match needs at least {2 * arena.players} hands to judge its error, but got {hands}.")
    scores = Scores.of(np.zeros((0, arena.players)))
    key, parts = jax.random.key(seed), math.ceil(deals / for_device(DEALS))
    batch = math.ceil(deals / parts)
    for part in range(parts):
        key, playing = jax.random.split(key)
        won = np.asarray(_play_deals(arena, (first, second), batch, playing), float)
        scores = scores.and_then(Scores.of(won[: deals - batch * part]))
        if progress and scores.deals > 1:
            progress(scores.match())
    return scores.match()


@final
@dataclass(frozen=True)
class Scores:
    """What was won on so many deals, in each seat and (last) in the mean of the seats; not kept one by one."""

    deals: int
    mean: Float[np.ndarray, " s"]
    squares: Float[np.ndarray, " s"]
    """The sum of the squares of what each deal was off the mean."""

    @classmethod
    def of(cls, won: Float[np.ndarray, "d p"]) -> Scores:
        each = np.column_stack([won, won.mean(1)])
        mean = each.sum(0) / max(len(each), 1)
        return cls(len(each), mean, ((each - mean) ** 2).sum(0))

    def and_then(self, more: Scores) -> Scores:
        """Both together."""
        deals, off = self.deals + more.deals, more.mean - self.mean
        share = more.deals / max(deals, 1)
        return Scores(deals, self.mean + off * share, self.squares + more.squares + off**2 * self.deals * share)

    def match(self) -> Match:
        hands, variance = self.deals * (len(self.mean) - 1), self.squares / (self.deals - 1)
        error = math.sqrt(variance[-1] / self.deals)
        # Hands on separate deals, half in each seat: the variance left within each seat, none of it shared.
        apart = float(variance[:-1].mean()) / hands
        return Match(hands, float(self.mean[-1]), error, self.deals, apart / error**2 if error else math.inf)


def play_deals(arena: Arena, policies: tuple[Policy, Policy], deals: int, key: PRNGKeyArray) -> Float[Array, "d p"]:
    """What the first policy wins on each of so many deals in each seat, in chips."""
    dealing, playing = jax.random.split(key)
    players = arena.players
    dealt = arena.deal(random_words(dealing, arena.deal_words, deals))
    where = jax.tree.map(lambda leaf: jnp.repeat(leaf, players, 0), dealt)
    seat = jnp.tile(jnp.arange(players), deals)
    payoff = play_out(arena, policies, (jnp.arange(players) != seat[:, None]).astype(jnp.int32), where, playing)
    return jnp.take_along_axis(arena.per_hand(payoff), seat[:, None], 1).reshape(deals, players)


_play_deals = eqx.filter_jit(play_deals)


class Tables(NamedTuple):
    """Hands being played, each at a table of its own."""

    where: Where
    waits: Int[Array, " t"]
    """Whom each table waits for: policy · players + seat, and past all of these where the hand is over."""
    won: Float[Array, "t p"]
    key: PRNGKeyArray


def play_out(
    arena: Arena, policies: tuple[Policy, ...], seated: Int[Array, "t p"], where: Where, key: PRNGKeyArray
) -> Float[Array, "t p"]:
    """Play hands to their end; `seated` says which policy sits where. What each seat wins, in chips.

    One policy is asked at a time, in one seat: that for which most tables wait, for as many of them as are taken at
    once. So nobody is asked what another decides, and the longest hands keep no one waiting.
    """
    tables, players = seated.shape
    askable = len(policies) * players
    rows = min(for_device(ROWS), math.ceil(tables / (2 * askable)))

    def waiting_for(where: Where, seated: Int[Array, "b p"]) -> Int[Array, " b"]:
        turn = arena.turn(where)
        return jnp.take_along_axis(seated, turn[:, None], 1)[:, 0] * players + turn

    def move(state: Tables) -> Tables:
        key, drawing = jax.random.split(state.key)
        words = random_words(drawing, arena.play_words + 1, rows)
        asked = (state.waits[:, None] == jnp.arange(askable)).sum(0).argmax()
        places = jnp.nonzero(state.waits == asked, size=rows, fill_value=tables)[0]
        here, chairs = jax.tree.map(lambda leaf: leaf.at[places].get(mode="clip"), (state.where, seated))
        answers = [partial(_ask, policy) for policy in policies]
        told = jax.lax.switch(asked // players, answers, arena.sight(here), asked % players)
        played = arena.play(here, draw(told, as_uniform(words[-1])), words[:-1])
        waits = jnp.where(played.done, askable, waiting_for(played.where, chairs))
        return Tables(
            jax.tree.map(lambda leaf, new: leaf.at[places].set(new, mode="drop"), state.where, played.where),
            state.waits.at[places].set(waits.astype(state.waits.dtype), mode="drop"),
            state.won.at[places].add(played.payoff, mode="drop"),
            key,
        )

    start = Tables(where, waiting_for(where, seated), jnp.zeros((tables, players), jnp.float32), key)
    won: Float[Array, "t p"] = jax.lax.while_loop(lambda state: (state.waits < askable).any(), move, start).won
    return won


def _ask(policy: Policy, sight: Sight, seat: Int[Array, ""]) -> Float[Array, "b a"]:
    return policy(sight, seat)


def expected_winnings(tree: Tree, first: Float[np.ndarray, "i a"], second: Float[np.ndarray, "i a"]) -> float:
    """What `first` wins off `second`, who takes all other seats, in chips per hand and the mean over seats: exact."""
    seats = [np.where((tree.player == seat)[:, None], first, second) for seat in range(tree.players)]
    return float(np.mean([expected_values(tree, table)[seat] for seat, table in enumerate(seats)]))


def cross_table(
    arena: Arena,
    players: Mapping[str, Policy],
    hands: int,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> dict[tuple[str, str], Match]:
    """Everyone against everyone: what each named player wins off each other one, who takes all other seats."""
    table: dict[tuple[str, str], Match] = {}
    names = list(players)
    for number, name in enumerate(names):
        for other in names[number + 1 :]:
            if progress:
                progress(f"{name} against {other}")
            played = table[name, other] = match(arena, players[name], players[other], hands, seed)
            table[other, name] = (
                replace(played, mean=-played.mean)
                if arena.players == 2 and arena.zero_sum
                else match(arena, players[other], players[name], hands, seed)
            )
    return table
