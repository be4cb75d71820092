"""What takes luck out of hands: given how one player plays, what a hand counts for instead of what was won in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from feint.arena.policy import Policy
from feint.games.game import CHANCE, TERMINAL
from feint.players.table import HandInPlay


class LuckOut(ABC):
    """Counts the hands of the first of two players with luck taken out, given how one of the two plays."""

    deals: int
    """How many deals are played at once."""
    least: float = 0.0
    """By how much deals are taken to differ at least, a standard deviation in chips; 0 where that is not known.

    Where hardly any luck is left, it is in moves that hardly ever come: most matches have not met them, and hands that
    were played say too little of how far they may differ.
    """

    @abstractmethod
    def play(
        self, policies: tuple[Policy, Policy], deals: int, key: PRNGKeyArray
    ) -> tuple[Float[np.ndarray, "d p"], Float[np.ndarray, "d p"]]:
        """What the first policy wins on each of so many deals in each seat, and what that counts for, in chips."""

    @abstractmethod
    def counted(self, hand: HandInPlay, seat: int, seed: tuple[int, ...]) -> float:
        """What a hand at a table counts for the first player, who sat in this seat, in chips, now that it is over.

        `seed` is of what is drawn on the way, where that is too much to be listed.
        """


class Step(NamedTuple):
    """A step of a hand: somebody's move, or where chance fell, from 0 to below 1."""

    before: Any
    after: Any
    move: int | None
    place: float | None


def replayed(hand: HandInPlay) -> Iterator[Step]:
    """A hand step by step."""
    rules, places, moves = hand.rules, iter(hand.places), iter(hand.made)
    state = rules.start()
    while (actor := rules.actor(state)) != TERMINAL:
        if actor == CHANCE:
            place = next(places)
            step = Step(state, rules.outcome(state, place), None, place)
        else:
            move = next(moves)[1]
            step = Step(state, rules.play(state, move), move, None)
        yield step
        state = step.after
