"""Leduc hold'em (Southey et al. 2005) and the two other games that papers call by its name."""

from __future__ import annotations

from feint.games.cards import Deck, pair_then_rank
from feint.games.errors import BadInput
from feint.games.library import playable, pot_fractions, within
from feint.games.poker import Poker, Round


@playable
def leduc(players: int = 2, suits: bool = False) -> Poker:
    """One card each, one on the board, ante 1, raises of 2 then 4, two a round.

    Two players use J, Q and K, two of each. The first seat opens both rounds, and the board is turned before the
    second. A pair with the board wins, else the higher card; equal hands share the pot.

    players: 2 or 3 (one more rank than players, two cards of each).
    suits: keep the two cards of a rank apart, as OpenSpiel does; the game is the same, three times the size.
    """
    within("leduc", "players", players, 2, 3)
    return Poker(
        deck=Deck(ranks="JQK" if players == 2 else "JQKA", copies=2, suits=suits),
        players=players,
        ante=1,
        rounds=(Round(raise_by=2, cap=2), Round(raise_by=4, cap=2, board=1)),
        showdown=pair_then_rank,
    )


@playable
def leduc_thesis() -> Poker:
    """Leduc as in Joos's thesis (2018): blinds 1/2 and 1, raises of one big blind, the dealer changes every hand.

    The dealer posts the small blind and opens both rounds; each player may raise once a round. Two players who
    take turns at raising make one raise each exactly when the round is capped at two.
    """
    return Poker(
        deck=Deck(ranks="JQK", copies=2),
        blinds=(0.5, 1.0),
        rounds=(Round(raise_by=1, cap=2), Round(raise_by=1, cap=2, board=1)),
        showdown=pair_then_rank,
        rotating_dealer=True,
    )


@playable
def leduc_no_limit(
    ante: float = 100,
    stack: float = 1200,
    bets: tuple[float, ...] = (1.0,),
    free_folds: bool = False,
    suits: bool = False,
) -> Poker:
    """DeepStack's no-limit Leduc: ante 100, stacks of 1200, bets of the pot or all-in.

    ante: chips each player posts.
    stack: chips each player brings, the ante included.
    bets: raise sizes as fractions of the pot, ascending; all-in is always offered too.
    free_folds: allow folding with nothing to call, as the DeepStack-Leduc program does.
    suits: keep the two cards of a rank apart, as that program does; the game is the same, three times the size.
    """
    if not 0 < ante < stack:
        raise BadInput(f"leduc_no_limit needs 0 < ante < stack, but got ante={ante:g} and stack={stack:g}.")
    return Poker(
        deck=Deck(ranks="QKA", copies=2, suits=suits),
        ante=ante,
        stack=stack,
        pot_bets=pot_fractions("leduc_no_limit", bets),
        rounds=(Round(), Round(board=1)),
        showdown=pair_then_rank,
        free_folds=free_folds,
    )
