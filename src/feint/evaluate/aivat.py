"""AIVAT: matches with luck taken out, against any opponent (Burch, Schmid, Moravčík, Morrill & Bowling, AAAI 2018).

It has to be known how one of two players plays; of the other nothing is. A hand then counts, in place of what was
won:

- for all cards that the known player might have held, playing as it did, what would have been won, each as often as it
  would have come to that;
- for each card that was dealt and each move that the known player drew, what was to be expected before it, less what
  was to be expected after it, by any guess at all of what situations are worth.

What is added is nothing on average, whatever the guess and whatever the opponent does, so the mean is that of the
winnings; the better the guess, the less is left of luck. The guess is what situations are worth where both play like
the known player: exact on unrolled games (aivat_tree.py), elsewhere fitted to hands that it plays against itself,
given how often its cards would win (aivat_cards.py).

Against an opponent who does play like that, nearly all of what is left is in moves that hardly ever come, and a match
that has not met them would think itself nearly certain. So on unrolled games, where it is known how far hands differ
then, they are taken to differ at least as far.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import final

import jax
import numpy as np

from feint.evaluate.aivat_cards import CardLuck
from feint.evaluate.aivat_tree import TreeLuck
from feint.evaluate.luck import LuckOut
from feint.evaluate.match import Match, Scores, deals_for
from feint.evaluate.measure import played_fair
from feint.forms.form import Form
from feint.forms.strategy import tabulate
from feint.games.errors import BadInput
from feint.games.game import TERMINAL
from feint.players.player import Player
from feint.players.table import HandInPlay


@final
@dataclass(frozen=True)
class CountedMatch:
    """A match, by what its hands count for and by what was won in them."""

    counted: Match
    won: Match

    @property
    def gain(self) -> float:
        """How many times as many hands, of the same duplicate deals, would give the same error without it."""
        return (self.won.error / self.counted.error) ** 2 if self.counted.error else math.inf


def match_without_luck(
    form: Form,
    players: Sequence[Player],
    hands: int,
    seed: int = 0,
    progress: Callable[[CountedMatch], None] | None = None,
) -> CountedMatch:
    """Play the first of two players against the second, who takes all other seats, and take luck out.

    One of the two must have a strategy. The hands are those of `play_players` but for how many are played at once.
    """
    luck, deals = luck_out(form, players), deals_for(hands, form.players)
    asked = deals if progress else None
    won, counted = (Scores.of(np.zeros((0, form.players)), asked) for _ in range(2))
    for part in _parts(form, luck, players, deals, seed):
        won, counted = (scores.and_then(Scores.of(each)) for scores, each in zip((won, counted), part, strict=True))
        if progress and won.deals > 1:
            progress(CountedMatch(counted.match(luck.least), won.match()))
    return CountedMatch(counted.match(luck.least), won.match())


def luck_out(form: Form, players: Sequence[Player]) -> LuckOut:
    """What takes luck out of the first player's hands, from what is known of one of the two."""
    one, other = (player.strategy for player in players)
    mirrored = one is None
    if mirrored and form.players > 2:
        raise BadInput("Among more than two, luck is taken out of the hands of a strategy; name it first.")
    known = other if one is None else one
    if known is None:
        raise BadInput(
            "AIVAT needs to know how one of the players plays, and both decide hand by hand; name a run, an agent or "
            "another strategy among them."
        )
    if mirrored and not form.zero_sum:
        raise BadInput(
            f"{form.name} is not zero-sum, so that what one loses the other need not win; name the run first."
        )
    if form.tree is not None:
        return TreeLuck(form.tree, tabulate(form.tree, known), mirrored)
    by_cards = form.by_cards(known)
    if by_cards is None:
        raise BadInput(f"{form.name} is neither unrolled nor a card game, and AIVAT knows these; play without it.")
    return CardLuck(form.arena, *by_cards, mirrored)


def _parts(
    form: Form, luck: LuckOut, players: Sequence[Player], deals: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """What is won and what that counts for, [deals, seats], a few deals at a time."""
    one, other = (player.strategy for player in players)
    if one is None or other is None:
        for deal in range(deals):
            yield _at_table(form, luck, players, seed, deal)
        return
    key, parts = jax.random.key(seed), math.ceil(deals / luck.deals)
    batch = math.ceil(deals / parts)
    for part in range(parts):
        key, playing = jax.random.split(key)
        won, counted = (played_fair(each) for each in luck.play((one.policy, other.policy), batch, playing))
        left = deals - batch * part
        yield won[:left], counted[:left]


def _at_table(
    form: Form, luck: LuckOut, players: Sequence[Player], seed: int, deal: int
) -> tuple[np.ndarray, np.ndarray]:
    """One deal at a table, the first player in every seat in turn."""
    won, counted = [], []
    for seat in range(form.players):
        sitting = [players[0] if number == seat else players[1] for number in range(form.players)]
        hand = HandInPlay(form.game, sitting, np.random.default_rng((seed, deal)))
        while hand.actor != TERMINAL:
            hand.step()
        won.append(hand.won[seat])
        counted.append(luck.counted(hand, seat, (seed, deal, seat)))
    return np.array([won]), np.array([counted])
