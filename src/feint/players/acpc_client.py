"""Our players at another's table: a client of the annual computer poker competition's (ACPC) dealer.

Where bets are not fixed, the dealer's game has every size and ours a few. What others bet is taken for the nearest
size that our game offers there, and our own bets are sent as the share of the pot that they are. Where the two games
have come apart so far that ours would be over, or have another to move, our player checks or calls.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, final

from feint.forms.form import Form
from feint.games.acpc import Notation, Told, over
from feint.games.errors import BadInput
from feint.games.hand import CALL, FOLD, Hand
from feint.games.poker import Poker
from feint.players.acpc import Lines
from feint.players.player import Player, Result
from feint.players.table import observation

VERSION = "VERSION:2.0.0"


@final
@dataclass
class _Followed:
    """A hand as far as it was told."""

    number: int
    player: int
    made: int = 0
    """Moves of which our player was told."""
    seen: int = 0
    """Cards on the board that it has seen."""
    begun: bool = field(default=False)


@final
class Client:
    """Follows what a dealer says, and asks our player for moves."""

    def __init__(self, form: Form, player: Player, lines: Lines, seconds: float) -> None:
        if not isinstance(form.game, Poker):
            raise BadInput(f"The ACPC's dealers deal poker, and {form.name} is none; choose another game.")
        self._game, self._notation, self._player = form.game, Notation(form.game), player
        self._lines, self._seconds = lines, seconds
        self._now: _Followed | None = None

    def play(self, hands: int | None, told: Callable[[float], None]) -> None:
        """Play until so many hands are over, or the dealer ends it; `told` what was won in each, in our chips."""
        self._lines.send(VERSION)
        played = 0
        while hands is None or played < hands:
            try:
                line = self._lines.receive(self._seconds)
            except BadInput:
                if hands is None and (self._now is None or not self._now.begun):
                    return  # between hands a dealer may leave
                raise
            won = self._follow(line)
            if won is not None:
                played += 1
                told(won)

    def _follow(self, line: str) -> float | None:
        """Answer a line, if it asks for a move; what was won, if it ends a hand."""
        said = self._notation.read(line)
        player = self._notation.position(said.position)
        if self._now is None or self._now.number != said.hand:
            self._now = _Followed(said.hand, player)
        hand, in_step = self._hand(said)
        self._tell(hand, player)
        betting = _betting(self._game, self._notation, said)
        if betting.folded is not None or all(said.holes):
            self._now.begun = False
            won = self._won(said, betting)
            self._player.end(Result(won, self._game.shown(hand, player), revealed=self._game.revealed(hand)))
            return won[player]
        if betting.to_move == player:
            self._lines.send(f"{line}:{self._answer(betting.paid, hand if in_step else None, player)}")
        return None

    def _hand(self, said: Told) -> tuple[Hand, bool]:
        """The hand in our game, and whether it has come as far there."""
        hand = self._notation.after(self._notation.dealt(said), said)
        for number, made in enumerate(said.betting):
            for action, amount in made:
                if hand.actor < 0 or len(hand.moves) - 1 != number:
                    return hand, False
                word = action if amount is None else f"r{amount}"
                move = self._notation.move(hand, word)
                hand = self._notation.after(self._game.play(hand, CALL if move is None else move), said)
        return hand, hand.actor >= 0 or over(hand)

    def _tell(self, hand: Hand, player: int) -> None:
        """Tell our player what has happened since it was last told."""
        now = self._now
        assert now is not None
        if not now.begun:
            now.begun = True
            self._player.begin(player, self._game.seated(hand, player))
            self._player.saw(observation(self._game, hand, player))
        made = sum(map(len, hand.moves))
        if made > now.made or len(hand.board) > now.seen:
            for actor, word in _heard(self._game, hand)[now.made :]:
                if actor != player:
                    self._player.heard(actor, word)
            self._player.saw(observation(self._game, hand, player))
        now.made, now.seen = made, len(hand.board)

    def _answer(self, paid: Sequence[float], hand: Hand | None, player: int) -> str:
        """What our player does, as it is written; `paid` in the dealer's game."""
        if hand is None or hand.actor != player:
            return "c"
        seen = observation(self._game, hand, player)
        move = self._player.move(seen)
        if move == FOLD:
            return "f"
        if move == CALL:
            return "c"
        return f"r{self._size(paid, hand, move)}" if self._game.pot_bets else "r"

    def _size(self, paid: Sequence[float], hand: Hand, move: int) -> str:
        """What to raise to: the same share of the pot that is there, or all-in."""
        game, notation = self._game, self._notation
        assert game.stack is not None
        after, actor = game.play(hand, move), hand.actor
        if after.paid[actor] == game.stack:
            return notation.chips(game.stack)
        top, least = max(paid), max(game.blinds, default=game.ante)
        share = (after.paid[actor] - max(hand.paid)) / (sum(hand.paid) + game.to_call(hand))
        by = max(share * (sum(paid) + top - paid[actor]), top - min(paid), least)
        return notation.chips(min(top + by, game.stack))

    def _won(self, said: Told, betting: _Betting) -> tuple[float, float]:
        """What both won, from what the dealer says was paid."""
        if betting.folded is not None:
            winners = [1 - betting.folded]
        else:
            board = tuple(self._notation.card(card) for street in said.board for card in street)
            known = [tuple(map(self._notation.card, said.holes[self._notation.position(each)])) for each in range(2)]
            strength = [self._game.showdown(self._game.deck, each, board) for each in known]
            winners = [each for each in range(2) if strength[each] == max(strength)]
        first, second = self._game.split(betting.paid, winners)
        return first, second


class _Betting(NamedTuple):
    """How the betting of the dealer's game stands."""

    paid: Sequence[float]
    """By both, in our chips."""
    folded: int | None
    """Who did; None where nobody."""
    to_move: int | None
    """Likewise."""


def _betting(game: Poker, notation: Notation, said: Told) -> _Betting:
    """How the betting stands in the dealer's game."""
    paid, to_move = list(game.seat(0).paid), None
    for number, made in enumerate(said.betting):
        mover, due = game.first_seats[number], 2
        for action, amount in made:
            if action == "f":
                return _Betting(paid, mover, None)
            if action == "c":
                paid[mover] = max(paid)
            elif amount is not None:
                paid[mover] = amount / notation.scale
            else:
                paid[mover] = max(paid) + game.rounds[number].raise_by
            mover, due = 1 - mover, 1 if action == "r" else due - 1
        all_in = game.stack is not None and min(paid) >= game.stack
        to_move = mover if due and not all_in else None
    return _Betting(paid, None, to_move)


def _heard(game: Poker, hand: Hand) -> list[tuple[int, str]]:
    """All moves of a hand by who made them and what they are called."""
    now, told = game.deal_until_a_turn(game.start()), list[tuple[int, str]]()
    for made in hand.moves:
        for move in made:
            told.append((now.actor, game.spoken(now, move)))
            now = game.deal_until_a_turn(game.play(now, move))
    return told


def connect(host: str, port: int, seconds: float) -> Lines:
    """A connection to a dealer."""
    try:
        connection = socket.create_connection((host, port), timeout=seconds)
    except (OSError, OverflowError) as error:
        raise BadInput(f"There is no dealer at {host}:{port} ({error}); start it, or name another port.") from error
    return Lines(connection, f"The dealer at {host}:{port}")
