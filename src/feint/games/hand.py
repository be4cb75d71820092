"""A hand of poker: how a round is declared, what a state keeps, and who made which move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, final

from feint.games.cards import Cards

FOLD, CALL, RAISE = 0, 1, 2
"""Moves every poker game knows. CALL checks when there is nothing to call; no-limit sizes follow from RAISE on."""

Moves = tuple[tuple[int, ...], ...]
"""The moves made so far, by round."""


@final
@dataclass(frozen=True)
class Menu:
    """The bets that a player is offered in a round of a no-limit game, as fractions of the pot after calling."""

    bets: tuple[float, ...]
    """Where there is nothing to call …"""
    raises: tuple[float, ...]
    """… and where there is."""
    all_in: bool = True
    """Whether all-in is always offered; otherwise only where a fraction comes to as much."""


@final
@dataclass(frozen=True)
class Round:
    """One round of betting, and the board cards dealt before it."""

    raise_by: float = 0.0
    """The size of a bet or raise in a fixed-limit game; no-limit games leave it at 0."""
    cap: int | None = None
    """How many bets and raises the round allows; None for no limit but the stack."""
    board: int = 0
    """Cards turned face up before the betting."""
    first: int = 0
    """The seat, counted from the dealer, that acts first."""
    menus: tuple[Menu, ...] = ()
    """No-limit: what each seat, from the dealer on, may bet; all of `Poker.pot_bets` if left out."""


class Hand(NamedTuple):
    """A state of a poker game. Players are numbered absolutely; the dealer says where the seats start."""

    dealer: int
    holes: tuple[Cards, ...]
    board: Cards
    moves: Moves
    paid: tuple[float, ...]
    """Chips each player has put into the pot."""
    folded: tuple[bool, ...]
    actor: int
    waiting: int
    """How many players are still to act before the round closes."""
    raises: int
    """Bets and raises in this round so far."""

    @property
    def dealt(self) -> Cards:
        """The cards that are no longer in the deck."""
        return (*self.board, *(card for hole in self.holes for card in hole))


@lru_cache(maxsize=1 << 16)
def replay(players: int, first: tuple[int, ...], dealer: int, moves: Moves) -> Sequence[tuple[int, int, int, int]]:
    """Every move of a hand as (round, player, raises before it, move); `first` is the seat that opens each round."""
    replayed, folded = [], [False] * players
    for number, made in enumerate(moves):
        player, raises = (dealer + first[number]) % players, 0
        for move in made:
            while folded[player]:
                player = (player + 1) % players
            replayed.append((number, player, raises, move))
            folded[player] = move == FOLD
            raises += move >= RAISE
            player = (player + 1) % players
    return tuple(replayed)
