"""Local best response (Lisý & Bowling 2017): a lower bound on how much a poker strategy of any size loses.

An opponent who knows the strategy keeps its *range*: how likely each holding is, given the cards seen and what the
strategy would have done with it so far. At each of its own decisions it takes the move that is worth most if everyone
only checks and calls from then on; after a raise, those of the range fold who would. That is a poor guess of the
future, which costs winnings and never makes the bound wrong: what counts is what such play wins.

What it wins is measured with little luck in it, in three ways that leave the mean as it is:

- The strategy is never dealt a holding. The opponent's cards and the whole board are dealt, the strategy's moves are
  drawn from the mixture of what its range does, and a showdown is worth its mean over the range that is left. Given the
  cards dealt, these moves have the chances that they have when a holding is dealt first, and the range is how
  that holding is distributed after them. (Moves are drawn from the range on the whole board. The opponent sees no
  more of the board than lies open, and decides by the range on that.)
- How lucky a move of the strategy is for the opponent is what it is worth, if all is checked and called after it, less
  the mean of that over the moves it might have made: 0 in the mean, by how moves are drawn.
- How lucky the deal is is how good the opponent's cards are on the whole board less how good others might be that the
  strategy could hold: 0 in the mean, since these might as well be the opponent's.

Multiples of all this luck are taken off what was won: those that fit the other half of the deals, so that they know
nothing of those that they are used on. (The first is from Lisý and Bowling; the second is what AIVAT does, Burch and
others 2018.)

Every card is told apart here, even where the rules make copies one card: then holdings are equally likely.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from feint.arena.arena import for_device
from feint.arena.betting import BettingTree
from feint.arena.policy import Policy
from feint.evaluate.local_deals import POWERS
from feint.evaluate.local_response import build_local_response, opening_of, play
from feint.evaluate.measure import Follow, Judge, Measure, Pace, Verdict, bound_by_play, played_fair, strategy_of
from feint.evaluate.share_found import LOCAL, share_found
from feint.forms.form import Form
from feint.games.errors import BadInput, check_seed
from feint.players.player import Player

ROWS = {"cpu": 1 << 13, "gpu": 1 << 18}
"""How many situations the strategy is asked about at once, about: hands are played at as many tables as that takes."""
HANDS = 20
"""Hands at each table, on average, before all wait for the last."""


def local_best_response(
    betting: BettingTree,
    policy: Policy,
    hands: int,
    seed: int = 0,
    runouts: int = 32,
    progress: Callable[[Measure], None] | None = None,
) -> Measure:
    """What a local best response wins off a strategy for two, over at least so many hands, half of them in each seat.

    `policy` plays in the card arena of this betting. While board cards are to come, showdowns are foreseen over all
    boards there can be if they are at most `runouts`, else over so many of them. `progress` is told
    the bound so far, again and again, once there is one: whoever looks on may stop there.
    """
    if betting.players != 2:
        raise BadInput(f"A local best response has one opponent, but {betting.name} has {betting.players} players.")
    if betting.game.rake:
        raise BadInput(f"{betting.name} takes rake, so that what an opponent wins bounds nothing; leave the rake out.")
    if hands < 8 or runouts < 1:
        raise BadInput(
            f"A local best response needs at least 8 hands to judge its error and 1 run-out to foresee showdowns, "
            f"but got hands={hands} and runouts={runouts}."
        )
    response, key = build_local_response(betting, runouts), jax.random.key(seed)
    tables, deals = max(1, for_device(ROWS) // len(response.deals.bits)), math.ceil(hands / 2)
    parts = math.ceil(deals / (HANDS * tables))
    batch, won, luck = math.ceil(deals / parts), np.zeros((0, 2)), np.zeros((0, 2, POWERS + 1))
    openings = [opening_of(response, policy, 1 - seat) for seat in jnp.arange(2)]
    for part in range(parts):
        dealing = jax.random.fold_in(key, part)
        seats = [
            play(response, policy, opening, seat, tables, batch, dealing)
            for seat, opening in zip(jnp.arange(2), openings, strict=True)
        ]
        won, luck = (
            np.concatenate([before, np.stack(each, 1)])
            for before, each in zip((won, luck), zip(*seats, strict=True), strict=True)
        )
        played_fair(np.append(won, luck))
        found = bound_by_play(without_luck(won, luck), batch * parts if progress else None)
        bound = replace(found, response=LOCAL)
        if progress and math.isfinite(bound.value - (bound.low or 0.0)):
            progress(bound)
    return bound


@final
@dataclass(frozen=True)
class LocalBestResponse(Judge):
    """What a local best response wins."""

    about: ClassVar[str] = "What a local best response wins off it in poker for two: a lower bound on exploitability."
    hands: int = 2_000
    """Hands to play, half of them in each seat."""
    runouts: int = 32
    """Boards over which showdowns are foreseen."""
    seed: int = 0
    """The seed of the deals."""

    def __post_init__(self) -> None:
        check_seed(self.seed)

    def __call__(self, form: Form, player: Player, follow: Follow) -> Verdict:
        def verdict(found: Measure) -> Verdict:
            return Verdict((found.in_big_blinds(form.big_blind),), note="" if form.exact else share_found(LOCAL))

        def told(found: Measure) -> None:
            left = pace.left(found.hands or 0, self.hands)
            follow(f"{found.hands:,} of {self.hands:,} hands of a local best response{left}", verdict(found))

        pace = Pace()
        by_cards = form.by_cards(strategy_of(player))
        if by_cards is None:
            raise BadInput(f"A local best response goes by betting, and {form.name} is no poker; ask another judge.")
        return verdict(local_best_response(*by_cards, self.hands, self.seed, self.runouts, told))


JUDGES = {"local-best-response": LocalBestResponse()}


def without_luck(won: Float[np.ndarray, "d p"], luck: Float[np.ndarray, "d p k"]) -> Float[np.ndarray, "d p"]:
    """Winnings less what luck, whose mean is 0, explains of them: each half by what fits the other."""
    halves = np.array_split(np.arange(len(won)), 2)
    rest = won.copy()
    for half, other in zip(halves, halves[::-1], strict=True):
        for seat in range(won.shape[1]):
            shares = np.linalg.lstsq(luck[other, seat], won[other, seat] - won[other, seat].mean(), 1e-6)[0]
            rest[half, seat] -= luck[half, seat] @ shares
    return rest
