"""Spots in a hand of poker, found by the cards, the board and the betting in the game's own words."""

from __future__ import annotations

import re
from collections import Counter

from feint.games.cards import Cards, Deck
from feint.games.errors import BadInput
from feint.games.game import TERMINAL
from feint.games.hand import Hand
from feint.games.poker import Poker
from feint.games.poker_talk import SUITS
from feint.games.poker_views import betting_in_words
from feint.games.ranges import hands_of, kind_of
from feint.games.words import either, meant, names_of


def spot_of(game: Poker, cards: str, board: str = "", betting: str = "", player: int | None = None) -> Hand:
    """The hand after this betting, in which whoever is to move holds these cards; it must be `player`, if one is given.

    Before any lies on the board the cards may be a kind of hand, such as AKs, AKo or 99, and are then one of these. The
    others hold whatever is left. Where the dealer is drawn, it is the first one with whom it is that player's turn.
    """
    dealers = range(game.players) if game.rotating_dealer else range(1)
    hands = [bet(game, betting, dealer) for dealer in dealers]
    mine = [hand for hand in hands if player in (None, hand.actor)]
    if not mine:
        whose = f"{game.name} has players 1 to {game.players}"
        if player in range(game.players):
            whose = f"player {hands[0].actor + 1} is to move {_after(game, hands[0])}"
        raise BadInput(f"Player {(player or 0) + 1} was asked for, but {whose}; tell of another spot.")
    hand = mine[0]
    turned = read_cards(game.name, game.deck, board, "board")
    hole = _one_of(game, hand, cards) or read_cards(game.name, game.deck, cards, "cards")
    _check(game, hand, hole, turned)
    left = Counter(dict.fromkeys(range(game.deck.kinds), game.deck.copies_of_kind)) - Counter((*hole, *turned))
    others = iter(sorted(left.elements()))
    holes = [
        tuple(sorted(hole)) if other == hand.actor else tuple(next(others) for _ in range(game.hole))
        for other in range(game.players)
    ]
    # Betting is the same whatever is dealt: it was followed with some cards, and these now take their place.
    return hand._replace(holes=tuple(holes), board=_as_turned(game, turned))


def bet(game: Poker, betting: str, dealer: int = 0) -> Hand:
    """A hand after betting such as `raise call / check bet`, dealt whatever comes first, with somebody to move.

    Slashes between rounds may be left out, all of them.
    """
    words = betting.replace("/", " / ").replace(",", " ").split()
    hand, slashes, apart = game.deal_until_a_turn(game.seat(dealer)), 0, "/" in words
    while words:
        if words[0] == "/":
            slashes, words = slashes + 1, words[1:]
            continue
        if hand.actor == TERMINAL:
            break
        if apart and slashes != len(hand.moves) - 1:
            raise _misplaced(game, hand)
        move, taken = _move(game, hand, words)
        hand, words = game.deal_until_a_turn(game.play(hand, move)), words[taken:]
    if hand.actor == TERMINAL:
        over = betting_in_words(game, hand.dealer, hand.moves)
        raise BadInput(f"A hand of {game.name} is over after {over}, but {betting!r} was given; leave out its end.")
    if slashes > len(hand.moves) - 1:
        raise _misplaced(game, hand)
    return hand


def _move(game: Poker, hand: Hand, words: list[str]) -> tuple[int, int]:
    """The move that the next words stand for, and how many words it takes: `0.5 pot` is one move."""
    offered = {game.spoken(hand, move): move for move in game.legal(hand)}
    longest = max(len(name.split()) for names in names_of(offered).values() for name in names)
    found: list[str] = []
    for taken in range(min(longest, len(words)), 0, -1):
        found = meant(" ".join(words[:taken]), offered)
        if len(found) == 1:
            return offered[found[0]], taken
    wrong = f"may be {either(found)}" if found else "is not a move"
    raise BadInput(
        f"{words[0]!r} {wrong} {_after(game, hand)} in {game.name}; the moves there are {either(offered, 'and')}."
    )


def _misplaced(game: Poker, hand: Hand) -> BadInput:
    return BadInput(
        f"{game.name} is in round {len(hand.moves)} of its betting {_after(game, hand)}, which is not where the "
        f"slashes have it; put one / wherever a round is over, or none at all."
    )


def _after(game: Poker, hand: Hand) -> str:
    betting = betting_in_words(game, hand.dealer, hand.moves)
    return f"after {betting}" if betting else "at the start"


def _one_of(game: Poker, hand: Hand, kind: str) -> Cards:
    """A hand of a kind such as AKs, AKo or 99, all of which are played alike; none where it is no kind's name."""
    kind = kind.strip().replace("10", "T")
    if not (game.deck.suits and game.hole == 2 and (hands := hands_of(kind, game.deck))):
        return ()
    named = "".join(map(game.deck.name, hands[0][::-1]))
    if hand.board:
        raise BadInput(
            f"{kind!r} is {len(hands)} hands, which are not played alike once cards lie on the board; name one, such "
            f"as {named}."
        )
    if len(found := sorted({kind_of(each, game.deck) for each in hands})) > 1:
        raise BadInput(f"{kind!r} may be {either(found)}, which are not played alike; say which.")
    return hands[0]


def _check(game: Poker, hand: Hand, hole: Cards, board: Cards) -> None:
    """Refuse cards that nobody can hold there."""
    if len(hole) != game.hole:
        held = f"{game.hole} card{'' if game.hole == 1 else 's'}"
        raise BadInput(f"A player of {game.name} holds {held}, but {_named(game.deck, hole)} given; name {game.hole}.")
    if len(board) != len(hand.board):
        what = "leave it out" if not hand.board else f"name {len(hand.board)}"
        there = f"{len(hand.board) or 'no'} card{'' if len(hand.board) == 1 else 's'} on the board"
        raise BadInput(
            f"{game.name} has {there} {_after(game, hand)}, but {_named(game.deck, board)} given; {what}, or tell of "
            f"other betting, with a / between rounds."
        )
    for card, copies in Counter((*hole, *board)).items():
        if copies > game.deck.copies_of_kind:
            there = {1: "once", 2: "twice"}.get(game.deck.copies_of_kind, f"{game.deck.copies_of_kind} times")
            name = game.deck.name(card)
            raise BadInput(f"{name} is in the deck of {game.name} {there}, but was given {copies} times; change one.")


def _named(deck: Deck, cards: Cards) -> str:
    return f"{' '.join(map(deck.name, cards)) or 'none'} {'was' if len(cards) < 2 else 'were'}"


def read_cards(name: str, deck: Deck, text: str, what: str) -> Cards:
    """Cards by name, such as `AhKh`, `A♥ K♥` or `10h kh`; in a deck without suits `Q`."""
    known = {deck.name(card).lower(): card for card in range(deck.kinds)}
    for letter, symbol in SUITS.items():
        text = text.replace(symbol, letter)
    if "T" in deck.ranks:
        text = text.replace("10", "T")
    size, plain = (2 if deck.suits else 1), re.sub(r"[\s,]", "", text).lower()
    names = [plain[first : first + size] for first in range(0, len(plain), size)]
    for card in names:
        if card not in known:
            suits = f"{either(deck.ranks)} and a suit, {either('shdc'[: deck.copies])}"
            those = (
                f"a card is {suits}" if deck.suits else f"it is played with {either(deck.ranks, 'and')}, without suits"
            )
            raise BadInput(f"{card!r}, in the {what} {text!r}, is no card of {name}; {those}.")
    return tuple(known[card] for card in names)


def _as_turned(game: Poker, board: Cards) -> Cards:
    """The board as the rules keep it: the cards of a round in order."""
    turned, left = Cards(), board
    for declared in game.rounds:
        turned, left = (*turned, *sorted(left[: declared.board])), left[declared.board :]
    return turned
