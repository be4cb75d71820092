"""Heads-up hold'em (Texas hold'em for two): with fixed bets, shorter games on the way to that, and no-limit."""

from __future__ import annotations

import math

from feint.games.cards import Deck, best_five
from feint.games.errors import BadInput, nearest
from feint.games.library import playable, pot_fractions, within
from feint.games.poker import Poker, Round

VARIANTS = ("acpc", "rlcard")
FLOP_RULES = {"deep-cfr": (1, 4), "dream": (2, 4), "open-spiel": (1, 3)}
"""Games that papers call flop hold'em: bets on the flop in big blinds, and how many of them in a row.

Single Deep CFR's is not among them (PokerRL's Flop5Holdem: five cards on the board, one bet of the pot a round),
since whoever opens it may not call, which `Poker` cannot declare.
"""
RANKS = "23456789TJQKA"
BOARD = (0, 3, 1, 1)
"""Cards turned up before the betting of each round: none, the flop, the turn, the river."""
FIRST = (0, 1, 1, 1)
"""Who opens each round: before the flop the dealer, from then on the other player."""
BLINDS = (1, 2)


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
    declared = zip((2, 2, 4, 4), caps, BOARD, FIRST, strict=True)
    return _limit(ranks, tuple(Round(*each) for each in declared)[:rounds], free_folds=variant == "rlcard")


@playable
def flop_holdem(rules: str = "deep-cfr", ranks: int = 13) -> Poker:
    """Flop hold'em: limit hold'em that ends after the betting on the flop, blinds 1 and 2, three raises before it.

    The benchmark of Deep CFR and those after it: small enough to be solved and judged exactly as a public tree. Each
    player's two cards and the three on the board make a hand; equal hands share the pot.

    rules: deep-cfr (raises of 2, on the flop a bet and three raises), dream (4 on the flop), or open-spiel (on the flop
    a bet and two raises, which is also how Deep CFR's appendix tells it).
    ranks: 2 to 13, from the ace down; 13 is the full deck of 52.
    """
    if rules not in FLOP_RULES:
        raise BadInput(f"flop_holdem has no rules called {rules!r}; {nearest(rules, FLOP_RULES)}")
    within("flop_holdem", "ranks", ranks, 2, len(RANKS))
    bets, cap = FLOP_RULES[rules]
    return _limit(ranks, (Round(2, 3), Round(2 * bets, cap, 3, 1)))


@playable
def turn_holdem(ranks: int = 13) -> Poker:
    """Limit hold'em that ends after the betting on the turn: holdem(rounds=3).

    ranks: 2 to 13, from the ace down; 13 is the full deck of 52.
    """
    return holdem(ranks=ranks, rounds=3)


@playable
def river_holdem(ranks: int = 13) -> Poker:
    """Limit hold'em dealt out at once: five cards on the board, then one round of betting, blinds 1 and 2, raises of 4.

    ranks: 3 to 13, from the ace down; 13 is the full deck of 52.
    """
    within("river_holdem", "ranks", ranks, 3, len(RANKS))
    return _limit(ranks, (Round(4, 4, 5, 0),))


@playable
def holdem_no_limit(
    stack: float = 100, bets: tuple[float, ...] = (0.5, 1.0), ranks: int = 13, rounds: int = 4
) -> Poker:
    """Heads-up no-limit hold'em: blinds 1 and 2, stacks of 100, bets of half the pot, the pot or all-in.

    The dealer posts the small blind and acts first before the flop, the other player from then on. A raise is at least
    as large as the one before it and as the big blind. The best five of seven cards win; equal hands share the pot.

    stack: chips each player brings, the blind included.
    bets: raise sizes as fractions of the pot once the caller has called, ascending; all-in is always offered too.
    ranks: 2 to 13, from the ace down, and at least 3 for four rounds; 13 is the full deck of 52.
    rounds: 2 to 4; 2 ends after the betting on the flop.
    """
    if not BLINDS[1] < stack < math.inf:
        raise BadInput(f"holdem_no_limit needs a stack above the big blind of 2 chips, but stack={stack:g} was given.")
    within("holdem_no_limit", "rounds", rounds, 2, len(BOARD))
    within("holdem_no_limit", "ranks", ranks, 3 if rounds == 4 else 2, len(RANKS))
    return Poker(
        deck=Deck(RANKS[-ranks:], copies=4, suits=True),
        hole=2,
        blinds=BLINDS,
        stack=stack,
        pot_bets=pot_fractions("holdem_no_limit", bets),
        rounds=tuple(Round(board=board, first=first) for board, first in zip(BOARD, FIRST, strict=True))[:rounds],
        showdown=best_five,
    )


def _limit(ranks: int, rounds: tuple[Round, ...], free_folds: bool = False) -> Poker:
    return Poker(
        deck=Deck(RANKS[-ranks:], copies=4, suits=True),
        hole=2,
        blinds=BLINDS,
        rounds=rounds,
        showdown=best_five,
        free_folds=free_folds,
    )
