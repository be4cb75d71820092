"""Kuhn poker (Kuhn 1950): one card each, one bet. The smallest game in which bluffing pays."""

from __future__ import annotations

from feint.games.cards import Deck, high_card
from feint.games.library import playable, within
from feint.games.poker import Poker, Round


@playable
def kuhn(players: int = 2) -> Poker:
    """One card each from a deck one card larger than the table, ante 1, a single bet of 1.

    Players check or bet in turn, the first seat first; a bet is called or folded to, never raised. The highest card
    wins.

    players: 2 to 10.
    """
    within("kuhn", "players", players, 2, 10)
    return Poker(
        deck=Deck(ranks="456789TJQKA"[-(players + 1) :] if players > 2 else "JQK"),
        players=players,
        ante=1,
        rounds=(Round(raise_by=1, cap=1),),
        showdown=high_card,
    )
