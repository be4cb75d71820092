"""Hands of hold'em as PHH has them, the poker hand history format, which PokerKit and others read.

A file is TOML: blinds and stacks, then every card that was dealt and every move in order. Heads-up, p1 posts the big
blind and p2, the dealer, the small one, as PokerKit has it; here player 1 is the dealer.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar, final

from feint.games.cards import Cards, best_five
from feint.games.errors import BadInput, IllegalMove
from feint.games.game import CHANCE, TERMINAL
from feint.games.hand import CALL, FOLD, RAISE, Hand
from feint.games.holdem import BOARD, FIRST, RANKS
from feint.games.poker import Poker
from feint.games.poker_spots import read_cards
from feint.games.words import either

LIMIT, NO_LIMIT = "FT", "NT"
"""What the format calls the two games of hold'em."""
MOVES = {FOLD: "f", CALL: "cc"}
DIGITS = 6
"""Behind the point, of amounts that are written; totals are rounded, so that all bets together are what they were."""
MOST_CHIPS = 10**15
"""Beyond that floats do not tell one chip from two, and decimals come to have too many digits."""
TOLERANCE = 1e-5
"""Amounts that differ by less are the same."""


@final
@dataclass(frozen=True)
class Record:
    """A hand as it was read: what was dealt and played, in the rules' own numbers."""

    deals: tuple[Cards, ...]
    """What each player holds, then what each street turned up."""
    moves: tuple[int, ...]
    end: Hand
    """The hand at its end, or as far as it goes."""


def to_phh(game: Poker, deals: Sequence[Cards], moves: Sequence[int], about: Mapping[str, Any] | None = None) -> str:
    """A hand of limit or no-limit hold'em, from what was dealt and the moves, as a PHH file has it.

    deals: what each player holds, then what each street turned up.
    about: more to write into the file: author, players (p1 first) …; `_` begins what the format has no name for.
    """
    check_game(game)
    stack = game.stack or 2 * _most(game)
    words = {
        "variant": NO_LIMIT if game.pot_bets else LIMIT,
        "ante_trimming_status": True,
        "antes": [game.ante] * game.players,
        "blinds_or_straddles": list(game.blinds),
        **_bets(game),
        "starting_stacks": [stack] * game.players,
        "actions": list(_actions(game, deals, moves)),
    }
    return "".join(f"{name} = {_toml(value)}\n" for name, value in (words | dict(about or {})).items())


def read_phh(game: Poker, text: str) -> Record:
    """A hand as a PHH file has it, as one of this game. What the game would not allow is refused in a sentence."""
    check_game(game)
    try:
        words = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"This is no PHH file, which is written in TOML ({error}); check it.") from error
    _check_same(game, words)
    actions = words.get("actions")
    if not isinstance(actions, list) or not all(isinstance(each, str) for each in actions):
        raise BadInput("A PHH file has a list of actions such as 'd dh p1 AcAd' and 'p1 cc'; this one has none.")
    return _Reader(game).read(actions)


def check_game(game: Poker) -> None:
    """Refuse what the format has no name for."""
    rounds = [(declared.board, declared.first) for declared in game.rounds]
    known = (
        game.players == 2 and game.hole == 2 and len(game.blinds) == 2 and not game.rotating_dealer and not game.rake
    )
    if not known or rounds != list(zip(BOARD, FIRST, strict=True)) or game.showdown is not best_five:
        raise BadInput(f"PHH is written for hold'em for two with all four streets, which {game.name} is not.")
    if game.deck.ranks != RANKS or not game.deck.suits:
        raise BadInput(f"PHH is written for hold'em with 52 cards, but {game.name} has {game.deck.kinds}.")


def _bets(game: Poker) -> dict[str, float]:
    if game.pot_bets:
        return {"min_bet": game.big_blind}
    return {"small_bet": game.rounds[0].raise_by, "big_bet": game.rounds[-1].raise_by}


def _most(game: Poker) -> float:
    """The most that a player can pay where bets are fixed."""
    return game.ante + game.big_blind + sum(declared.raise_by * (declared.cap or 0) for declared in game.rounds)


def _named(player: int) -> str:
    """What a player goes by: the dealer comes last."""
    return f"p{2 - player}"


def _cards(game: Poker, cards: Cards) -> str:
    return "".join(map(game.deck.name, cards))


def _actions(game: Poker, deals: Sequence[Cards], moves: Sequence[int]) -> Iterator[str]:
    """All that happens in a hand, in order."""
    hand, began, shown = game.start(), game.ante, False
    to_deal, to_play = iter(deals), iter(moves)
    while hand.actor != TERMINAL:
        if hand.actor == CHANCE:
            if max(hand.paid) == game.stack and not shown:  # all-in: hands are shown before the rest is dealt
                yield from _showing(game, hand)
                shown = True
            cards = _next(to_deal, "deals")
            hand, on_board = game.deal(hand, cards), len(hand.holes) == game.players
            if on_board:
                began = max(hand.paid)
                yield f"d db {_cards(game, cards)}"
            elif len(hand.holes) == game.players:
                yield from (f"d dh {_named(player)} {_cards(game, hand.holes[player])}" for player in (1, 0))
        else:
            before, move = hand, _next(to_play, "moves")
            hand = game.play(hand, move)
            raised = f"cbr {_number(_rounded(hand.paid[before.actor]) - _rounded(began))}"
            yield f"{_named(before.actor)} {MOVES.get(move, raised)}"
    if next(to_play, None) is not None:
        raise BadInput(f"The hand is over before its {len(moves)} moves are; leave out those after its end.")
    if not any(hand.folded) and not shown:
        yield from _showing(game, hand)


T = TypeVar("T")


def _next(given: Iterator[T], what: str) -> T:
    for each in given:
        return each
    raise BadInput(f"The hand goes on, but no more {what} were given; give all of them.")


def _showing(game: Poker, hand: Hand) -> list[str]:
    return [f"{_named(player)} sm {_cards(game, hand.holes[player])}" for player in (1, 0)]


def _rounded(value: float) -> Decimal:
    if not abs(value) < MOST_CHIPS:
        raise BadInput(f"A PHH file has amounts below {MOST_CHIPS:,} chips, but {value:g} was given; count in others.")
    return round(Decimal(value), DIGITS)


def _number(value: float | Decimal) -> str:
    return f"{_rounded(float(value)).normalize():f}"


def _toml(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return _number(value)


def _check_same(game: Poker, words: Mapping[str, Any]) -> None:
    """Refuse a hand of other rules."""
    expected: dict[str, Any] = {
        "variant": NO_LIMIT if game.pot_bets else LIMIT,
        "antes": [game.ante] * game.players,
        "blinds_or_straddles": list(game.blinds),
        **_bets(game),
    }
    if game.stack is not None:
        expected["starting_stacks"] = [game.stack] * game.players
    for name, value in expected.items():
        if words.get(name) != value:
            raise BadInput(
                f"This hand has {name} {words.get(name)!r}, but {game.name} has {value!r}; read it as a game that fits."
            )


@final
class _Reader:
    """Follows the actions of a file by the rules."""

    def __init__(self, game: Poker) -> None:
        self._game, self._hand, self._began = game, game.start(), game.ante
        self._holes: dict[str, Cards] = {}
        self._deals: list[Cards] = []
        self._moves: list[int] = []

    def read(self, actions: Sequence[str]) -> Record:
        for number, action in enumerate(actions, 1):
            try:
                self._one(action.partition("#")[0].split())
            except (BadInput, IllegalMove) as error:
                raise BadInput(f"Action {number} of this hand, {action!r}, cannot be followed: {error}") from error
        return Record(tuple(self._deals), tuple(self._moves), self._hand)

    def _one(self, words: list[str]) -> None:
        match words:
            case [] | [_, "sm"] | [_, "sm", _]:  # what is shown was dealt before
                pass
            case ["d", "dh", player, cards]:
                self._holes[player] = self._read(cards)
                if set(self._holes) == {_named(0), _named(1)} and not self._deals:
                    for dealt in (0, 1):
                        self._deal(self._holes[_named(dealt)])
            case ["d", "db", cards]:
                self._deal(self._read(cards))
                self._began = max(self._hand.paid)
            case [player, "f" | "cc" | "cbr" as what, *amount] if len(amount) == (what == "cbr"):
                self._play(player, what, amount)
            case _:
                raise BadInput("it is no action of hold'em; write such as p1 cc, p2 cbr 6, d db 2c3d4h.")

    def _read(self, cards: str) -> Cards:
        return tuple(sorted(read_cards(self._game.name, self._game.deck, cards, "cards")))

    def _deal(self, cards: Cards) -> None:
        self._hand = self._game.deal(self._hand, cards)
        self._deals.append(cards)

    def _play(self, player: str, what: str, amount: Sequence[str]) -> None:
        game, hand = self._game, self._hand
        if hand.actor < 0 or _named(hand.actor) != player:
            turn = _named(hand.actor) if hand.actor >= 0 else "nobody"
            raise BadInput(f"{turn} is to move there, not {player}.")
        legal = game.legal(hand)
        if what != "cbr":
            move = FOLD if what == "f" else CALL
        else:
            move = self._raise(_amount(amount[0]), [each for each in legal if each >= RAISE])
        self._hand = game.play(hand, move)
        self._moves.append(move)

    def _raise(self, amount: float, offered: Sequence[int]) -> int:
        """The raise to an amount that is paid on this street."""
        hand = self._hand
        to = {move: self._game.play(hand, move).paid[hand.actor] - self._began for move in offered}
        for move, paid in to.items():
            if abs(paid - amount) < TOLERANCE:
                return move
        sizes = either(map(_number, to.values())) if to else "nothing"
        raise BadInput(f"raises to {sizes} are offered there, not to {_number(amount)}.")


def _amount(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise BadInput(f"{text!r} is no number of chips.") from error
