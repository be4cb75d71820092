"""Heads-up limit hold'em (Texas hold'em for two with fixed bets), and shorter games on the way to it."""

from __future__ import annotations

from feint.games.cards import Deck, best_five
from feint.games.errors import BadInput, nearest
from feint.games.library import playable, within
from feint.games.poker import Poker, Round

VARIANTS = ("acpc", "rlcard")
RANKS = "23456789TJQKA"
BOARD = (0, 3, 1, 1)
"""Cards turned up before the betting of each round: none, the flop, the turn, the river."""


@playable
def holdem(variant: str = "acpc", ranks: int = 13, rounds: int = 4) -> Poker:
    """Heads-up limit hold'em: two cards each, five on the board, blinds 1 and 2, raises of 2 2 4 4.

    The dealer posts the small blind and acts first before the flop, the other player from then on. The best five of
    seven cards win; equal hands share the pot.

    variant: acpc (the poker competition's: three raises before the flop, four later, no folding for free) or rlcard.
    ranks: 2 to 13, from the ace down, and at least 3 for four rounds; 13 is the full deck of 52.
    rounds: 2 to 4; 2 is flop hold'em, which ends after the betting on the flop.
    """
    if variant not in VARIANTS:
        raise BadInput(f"holdem has no variant called {variant!r}; {nearest(variant, VARIANTS)}")
    within("holdem", "rounds", rounds, 2, len(BOARD))
    within("holdem", "ranks", ranks, 3 if rounds == 4 else 2, len(RANKS))
    # The dealer posts the small blind and opens before the flop; from the flop on the big blind opens. RLCard allows
    # four raises in every round, and free folds. In its program whoever follows the last to act opens a round: a slip
    # that is not repeated here. It also draws the dealer anew every hand; here those who play change seats.
    caps = (3, 4, 4, 4) if variant == "acpc" else (4, 4, 4, 4)
    declared = zip((2, 2, 4, 4), caps, BOARD, (0, 1, 1, 1), strict=True)
    return Poker(
        deck=Deck(RANKS[-ranks:], copies=4, suits=True),
        hole=2,
        blinds=(1, 2),
        rounds=tuple(Round(*each) for each in declared)[:rounds],
        showdown=best_five,
        free_folds=variant == "rlcard",
    )
