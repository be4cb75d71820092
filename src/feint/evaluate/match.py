"""Matches: what one player wins off another, with an interval that can be trusted.

Every deal is played once for each seat, the players changing seats in between, so that good cards come to both
(*duplicate* deals). What is won on a deal is then one number, independent of all other deals', and their mean has a
plain interval; told on the way, one that holds wherever the match is stopped. Thousands of deals are played at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, final

import jax
import numpy as np
from jaxtyping import Float

from feint.arena.arena import Arena, for_device
from feint.arena.hands import play_deals
from feint.arena.policy import Policy
from feint.evaluate.interval import reach
from feint.evaluate.measure import CHIPS, ESTIMATE, Follow, Judge, Measure, Pace, Verdict, played_fair
from feint.forms.form import Form
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput, check_seed
from feint.players.player import Player
from feint.players.simple import Random
from feint.players.table import Table
from feint.tree.compiled import compiled

DEALS = {"cpu": 1 << 14, "gpu": 1 << 16}
"""Deals played at once."""
LEAST_CHIPS = 1e-12
"""Winnings below that, in chips per hand, are rounding."""


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
    asked: int | None = None
    """How many deals are to be played, where anyone may look on and stop before; None where nobody does."""
    exact: float | None = None
    """What it wins luck aside, where that was asked for and can be worked out."""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean; without end where too few deals are played to tell one on the way."""
        off = reach(self.error, self.deals, self.asked)
        return self.mean - off, self.mean + off

    @property
    def winnings(self) -> Measure:
        """The same as a judge says it."""
        asked = self.asked * self.hands // self.deals if self.asked and self.deals < self.asked else None
        return Measure("winnings", self.mean, CHIPS, ESTIMATE, *self.interval, self.hands, asked)


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
    deals = deals_for(hands, arena.players)
    scores = Scores.of(np.zeros((0, arena.players)), deals if progress else None)
    key, parts = jax.random.key(seed), math.ceil(deals / for_device(DEALS))
    batch = math.ceil(deals / parts)
    for part in range(parts):
        key, playing = jax.random.split(key)
        won = played_fair(np.asarray(_play_deals(arena, (first, second), batch, playing), float))
        scores = scores.and_then(Scores.of(won[: deals - batch * part]))
        if progress and scores.deals > 1:
            progress(scores.match())
    return scores.match()


def deals_for(hands: int, players: int) -> int:
    deals = math.ceil(hands / players)
    if deals < 2:
        raise BadInput(f"A match needs at least {2 * players} hands to judge its error, but got {hands}.")
    return deals


def play_players(
    form: Form,
    players: Sequence[Player],
    hands: int,
    seed: int = 0,
    progress: Callable[[Match], None] | None = None,
) -> Match:
    """Play the first of two players against the second, who takes all other seats, for at least so many hands.

    Strategies are played thousands of hands at once, and whoever decides hand by hand at a table.
    """
    one, other = (player.strategy for player in players)
    if one is not None and other is not None:
        return match(form.arena, one.policy, other.policy, hands, seed, progress)
    table, deals = Table(form.game), deals_for(hands, form.players)
    scores = Scores.of(np.zeros((0, form.players)), deals if progress else None)
    for deal in range(deals):
        won = []
        for seat in range(form.players):
            sitting = [players[0] if number == seat else players[1] for number in range(form.players)]
            won.append(table.hand(sitting, (seed, deal))[seat])
        scores = scores.and_then(Scores.of(np.array([won])))
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
    asked: int | None = None
    """How many deals are to be played, where anyone may look on."""

    @classmethod
    def of(cls, won: Float[np.ndarray, "d p"], asked: int | None = None) -> Scores:
        each = np.column_stack([won, won.mean(1)])
        mean = each.sum(0) / max(len(each), 1)
        return cls(len(each), mean, ((each - mean) ** 2).sum(0), asked)

    def and_then(self, more: Scores) -> Scores:
        """Both together."""
        deals, off = self.deals + more.deals, more.mean - self.mean
        share = more.deals / max(deals, 1)
        squares = self.squares + more.squares + off**2 * self.deals * share
        return Scores(deals, self.mean + off * share, squares, self.asked)

    def match(self, least: float = 0.0) -> Match:
        """What they come to; `least` is by how much deals are known to differ, a standard deviation in chips."""
        hands, variance = self.deals * (len(self.mean) - 1), self.squares / (self.deals - 1)
        error = max(math.sqrt(variance[-1]), least) / math.sqrt(self.deals)
        # Hands on separate deals, half in each seat: the variance left within each seat, none of it shared.
        apart = float(variance[:-1].mean()) / hands
        saved = apart / error**2 if error else math.inf
        return Match(hands, without_rounding(float(self.mean[-1])), error, self.deals, saved, self.asked)


_play_deals = compiled(play_deals)


def without_rounding(chips: float) -> float:
    """Winnings, in chips per hand, where what is left by rounding is nothing."""
    return chips if abs(chips) >= LEAST_CHIPS else 0.0


def exact_winnings(form: Form, players: Sequence[Player]) -> float | None:
    """What the first player wins off the second, who takes all other seats, in chips per hand and the mean over seats.

    Exact; None where the game is too large for that, or a player decides hand by hand.
    """
    one, other = (player.strategy for player in players)
    return None if one is None or other is None else expected_winnings(form, one, other)


def expected_winnings(form: Form, first: Strategy, second: Strategy) -> float | None:
    """The same of strategies."""
    won = []
    for seat in range(form.players):
        values = form.values([first if player == seat else second for player in range(form.players)])
        if values is None:
            return None
        won.append(values[seat])
    return without_rounding(float(np.mean(won)))


@final
@dataclass(frozen=True)
class Winnings(Judge):
    """Winnings against random play."""

    about: ClassVar[str] = "What is won off random play, by playing: an estimate, and weak evidence."
    hands: int = 20_000
    """Hands to play."""
    seed: int = 0
    """The seed of the deals."""

    def __post_init__(self) -> None:
        check_seed(self.seed)

    def __call__(self, form: Form, player: Player, follow: Follow) -> Verdict:
        def verdict(played: Match) -> Verdict:
            won = played.winnings.in_big_blinds(form.big_blind)
            return Verdict((replace(won, kind=f"{ESTIMATE} against random play"),))

        def told(so_far: Match) -> None:
            known = verdict(so_far) if math.isfinite(so_far.interval[0]) else None
            left = pace.left(so_far.hands, self.hands)
            follow(f"{so_far.hands:,} of {self.hands:,} hands against random play{left}", known)

        pace = Pace()
        return verdict(play_players(form, (player, Random().at(form, self.seed)), self.hands, self.seed, told))


JUDGES = {"winnings": Winnings()}
