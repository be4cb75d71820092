"""Leagues: everyone against everyone, exact where winnings can be worked out, and played where they cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from feint.evaluate.match import Match, exact_winnings, play_players
from feint.evaluate.measure import CHIPS, EXACT, Measure
from feint.forms.form import Form
from feint.players.player import Player

Told = Callable[[str, str, Match | None], None]
"""Told who meets whom, and how that stands where it is being played."""


def round_robin(
    form: Form, players: Mapping[str, Player], hands: int, seed: int, told: Told, by_hand: int | None = None
) -> Iterator[dict[tuple[str, str], Measure]]:
    """What each named player wins off each other one, who takes all other seats, in chips per hand; pair by pair.

    Where one of them decides hand by hand, `by_hand` hands are played at most. Who learns at the table begins anew with
    each opponent; programs of others remember what they will.
    """
    names, mirrored = list(players), form.players == 2 and form.zero_sum

    def winnings(one: str, two: str) -> Measure:
        told(one, two, None)
        both = players[one], players[two]
        if (exact := exact_winnings(form, both)) is not None:
            return Measure("winnings", exact, CHIPS, EXACT)
        for player in both:
            player.forget()
        most = min(hands, by_hand) if by_hand and any(player.strategy is None for player in both) else hands
        return play_players(form, both, most, seed, lambda so_far: told(one, two, so_far)).winnings

    for number, one in enumerate(names):
        for two in names[number + 1 :]:
            won = winnings(one, two)
            yield {(one, two): won, (two, one): other_side(won) if mirrored else winnings(two, one)}


def other_side(won: Measure) -> Measure:
    """The same for whom it was won off, where one wins what the other loses."""
    low = None if won.high is None else -won.high
    return replace(won, value=0.0 - won.value, low=low, high=None if won.low is None else -won.low)
