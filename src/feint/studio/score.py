"""How a person stands at a table, and the luck that can be taken out of that.

Where it is known what moves are worth, all of it can. Where it is not, that of cards can which came when all betting
was over and nobody had anything to decide any more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import mean, stdev
from typing import Any, final

import numpy as np

from feint.games.game import CHANCE, TERMINAL, Game
from feint.games.hand import Hand
from feint.games.poker import Poker
from feint.players.telling import ENOUGH

MOST = 2500
"""Ways in which the rest may be dealt: hold'em's turn and river are 1,980, and what is more takes too long."""


@final
@dataclass(frozen=True)
class Score:
    """How a person stands, in chips per hand."""

    hands: int = 0
    total: float = 0.0
    mean: float | None = None
    mbb: float | None = None
    """The same in thousandths of a big blind per hand."""
    luck: float | None = None
    """How uncertain luck makes that, about; nothing before ten hands."""
    fair: float | None = None
    """What the person's moves win on average with luck taken out: what can be won in the seat, less what moves cost."""
    fair_luck: float | None = None
    rest: float | None = None
    """The same with cards averaged over that came when all betting was over (exact); None if there were none."""
    rest_luck: float | None = None


@final
class Tally:
    """What a person has won, hand by hand."""

    def __init__(self) -> None:
        self._won: list[float] = []
        self._fair: list[float] = []
        self._rest: list[float] = []
        self._averaged = False
        """Whether any of these is not just what was won."""

    def add(self, won: float, fair: float | None, rest: float | None) -> None:
        """Count a hand: what was won, and that with luck taken out and with the rest of the cards averaged over."""
        self._won.append(won)
        self._fair += [] if fair is None else [fair]
        self._rest.append(won if rest is None else rest)
        self._averaged |= rest is not None

    def score(self, big_blind: float) -> Score:
        won, enough = self._won, len(self._won) >= ENOUGH
        if not won:
            return Score()
        return Score(
            hands=len(won),
            total=sum(won),
            mean=mean(won),
            mbb=mean(won) * 1000 / big_blind,
            luck=_uncertain(won) if enough else None,
            fair=mean(self._fair) if self._fair else None,
            fair_luck=_uncertain(self._fair) if len(self._fair) >= ENOUGH else None,
            rest=mean(self._rest) if self._averaged else None,
            rest_luck=_uncertain(self._rest) if self._averaged and enough else None,
        )


def _uncertain(won: list[float]) -> float:
    """How far luck goes in the mean of some winnings. No interval at a level: people stop when they like."""
    return 1.96 * stdev(won) / math.sqrt(len(won))


def over_the_rest(game: Game[Any], places: Sequence[float], moves: Sequence[int]) -> tuple[float, ...] | None:
    """What each player wins on average over all that was still to be dealt after the last move (exact).

    None where nothing was, or too much to go through: then what was won stands as it is, and a mean over hands of both
    kinds is as true as one of winnings, with less luck in it.
    """
    state = _after_the_last_move(game, places, moves)
    if game.actor(state) != CHANCE or (isinstance(game, Poker) and _ways(game, state) > MOST):
        return None
    ways = [(1.0, state)]
    while any(game.actor(each) == CHANCE for _, each in ways):
        dealt = (
            (chance * likely, after)
            for chance, each in ways
            for likely, after in (game.chance(each) if game.actor(each) == CHANCE else [(1.0, each)])
        )
        ways = list(islice(dealt, MOST + 1))
        if len(ways) > MOST or any(game.actor(each) not in (CHANCE, TERMINAL) for _, each in ways):
            return None
    won = np.sum([chance * np.asarray(game.payoffs(each), float) for chance, each in ways], axis=0)
    return tuple(won.tolist())


def _ways(game: Poker, state: Hand) -> int:
    """In how many orders the rest of the board may come, before any of them is looked at."""
    left = game.deck.kinds * game.deck.copies_of_kind - len(state.dealt)
    return math.perm(left, sum(each.board for each in game.rounds) - len(state.board))


def _after_the_last_move(game: Game[Any], places: Sequence[float], moves: Sequence[int]) -> Any:
    state, dealt, made = game.start(), iter(places), list(moves)
    while made:
        chance = game.actor(state) == CHANCE
        state = game.outcome(state, next(dealt)) if chance else game.play(state, made.pop(0))
    return state
