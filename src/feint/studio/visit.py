"""One person at one table: a hand under way, one move at a time, and what the person may be told of it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import SystemRandom
from typing import final

from feint.games.errors import BadInput
from feint.games.game import TERMINAL, Scene
from feint.games.words import priced
from feint.players.player import Observation, Player, Result
from feint.players.table import Chance, HandInPlay
from feint.players.telling import Teller
from feint.studio.index import Opponent
from feint.studio.score import Score, Tally, over_the_rest
from feint.studio.thinkers import Gone

PATIENCE = 0.15
"""Seconds that a request waits for an opponent before it says that they are thinking."""


@final
class Late(ValueError):
    """What was asked for is not possible now. The message is a sentence."""


@final
@dataclass(frozen=True)
class Decision:
    """One decision of a hand, as it is told when the hand is over."""

    player: int
    sees: str
    """What the player saw, in words."""
    chosen: str
    chances: dict[str, float] | None
    """How often the opponent makes each move there, for them and in the person's place; None where nobody knows."""
    wins: dict[str, float] | None = None
    """What each move would have won the person on average against the opponent, played on perfectly: exact."""
    pot: float | None = None
    """Chips that were in the pot before it …"""
    price: float | None = None
    """… and that it put there; None where the rules do not tell."""

    @staticmethod
    def at(seen: Observation, word: str, chances: dict[str, float] | None, wins: dict[str, float] | None) -> Decision:
        """A decision by what was seen there."""
        pot = sum(seen.scene.paid) if seen.scene else None
        return Decision(seen.player, seen.label, word, chances, wins, pot, seen.prices.get(word))

    @property
    def saw(self) -> str:
        """What the player saw, with the pot."""
        return self.sees if self.pot is None else f"{self.sees}, {self.pot:g} in the pot,"

    @property
    def chose(self) -> str:
        """The move, with what it put into the pot."""
        return priced(self.chosen, self.price)


@final
@dataclass(frozen=True)
class Finished:
    """A hand that is over, as it is kept."""

    game: str
    opponent: str
    seat: int
    places: tuple[float, ...]
    """All that chance did …"""
    moves: tuple[int, ...]
    """… and all moves: together they are the hand."""
    won: tuple[float, ...]
    decisions: tuple[Decision, ...]


@final
class _Visitor(Player):
    """The person: told what happens, and asked through the page."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self.where = ""

    def begin(self, player: int, told: str) -> None:
        self.where = self._teller.begin(player, told)

    def saw(self, seen: Observation) -> None:
        self._teller.saw(seen)

    def heard(self, player: int, word: str) -> None:
        self._teller.heard(player, word)

    def move(self, seen: Observation) -> int:
        raise AssertionError("a person is asked through the page")

    def end(self, result: Result) -> None:
        self._teller.end(result)


@final
class Visit:
    """One person at one table."""

    def __init__(
        self,
        opponent: Opponent,
        seat: int | None,
        keep: Callable[[Finished], int | None],
        pool: ThreadPoolExecutor,
        chance: Chance | None = None,
    ) -> None:
        form = opponent.form
        if seat is not None and not 0 <= seat < form.players:
            raise BadInput(f"{form.name} has seats 1 to {form.players}, but {seat + 1} was given.")
        self.token, self.touched = secrets.token_urlsafe(24), time.monotonic()
        self.opponent, self.form = opponent, form
        self._chosen, self._keep, self._pool, self._chance = seat, keep, pool, chance or SystemRandom()
        self.lock = threading.Condition(threading.RLock())
        """Held by whoever looks or changes something; told of when the opponent has moved."""
        self.thinking = False
        """Whether the opponent is."""
        self._other = opponent.player()
        self._teller = Teller(form, lambda line: self.lines.append(line), opponent.name, opponent.worth)
        self._visitor = _Visitor(self._teller)
        self.lines: list[str] = []
        """What has happened in this hand, in words."""
        self.decisions: list[Decision] = []
        self.kept: int | None = None
        """The number under which the last hand is kept."""
        self.failed: str | None = None
        """Why the opponent cannot go on, in a sentence."""
        self._tally = Tally()
        self.turn = 0
        """Counts up with every decision of the person's, so that none is taken twice."""
        self._begin()

    @property
    def seat(self) -> int:
        """Where the person sits in this hand, from 0 on."""
        return self._teller.seat

    @property
    def number(self) -> int:
        """Which hand this is."""
        return self._teller.begun

    @property
    def over(self) -> bool:
        """Whether the hand is, and kept."""
        return self._ended and not self.thinking

    @property
    def _ended(self) -> bool:
        return self._hand.actor == TERMINAL

    @property
    def seen(self) -> Observation:
        """What the person sees now."""
        return self._hand.observation(self.seat)

    @property
    def where(self) -> str:
        """How the hand began for the person, in words."""
        return self._visitor.where

    @property
    def won(self) -> tuple[float, ...]:
        """What everyone has won, when the hand is over."""
        return self._hand.won

    def called(self, player: int) -> str:
        """What a player goes by."""
        return self._teller.called(player)

    def offered(self) -> dict[str, int]:
        """The moves that the person may make now."""
        return {} if self.thinking or self.over or self.failed else self.seen.moves

    def move(self, word: str, turn: int) -> None:
        """Make a move of the person's, if it is their turn still."""
        with self.lock:
            if turn != self.turn or word not in (moves := self.offered()):
                raise Late(f"{word[:40]!r} cannot be played here now; look at the table again.")
            self._make(word, moves)
            self._go_on()

    def next(self) -> None:
        """Begin another hand, when this one is over."""
        with self.lock:
            if not self.over:
                raise Late("This hand is not over; play it to its end first.")
            self._begin()

    def advice(self) -> Decision | None:
        """What the opponent would do in the person's place, and what moves win there, where either is known."""
        with self.lock:
            if self.opponent.adviser is None or not self.offered():
                return None
            return self._decision(self.seen, "")

    def shown(self) -> dict[int, Scene]:
        """When the hand is over: what everyone saw."""
        return {
            player: scene
            for player in range(self.form.players)
            if self.over and (scene := self._hand.observation(player).scene) is not None
        }

    def score(self) -> Score:
        """How the person stands."""
        return self._tally.score(self.form.big_blind)

    def wait(self, seconds: float = PATIENCE) -> None:
        """Give the opponent a moment."""
        with self.lock:
            self.lock.wait_for(lambda: not self.thinking, seconds)

    def leave(self) -> None:
        """Nobody sits here any more."""
        self._other.close()

    def _begin(self) -> None:
        self.lines, self.decisions, self.kept = [], [], None
        seat = self._teller.begun % self.form.players if self._chosen is None else self._chosen
        others = [self._visitor if player == seat else self._other for player in range(self.form.players)]
        self._hand = HandInPlay(self.form.game, others, self._chance)
        self.turn += 1
        self._go_on()

    def _go_on(self) -> None:
        """Let the others move until it is the person's turn, somewhere else than in this request."""
        if self._ended:
            self._finish()
        elif self._hand.actor != self.seat:
            self.thinking = True
            self._pool.submit(self._others)
        elif len(self.seen.moves) == 1:  # nothing to decide
            (word,) = self.seen.moves
            self.lines.append(f"you: {word}, the only move")
            self._make(word, self.seen.moves)
            self._go_on()

    def _others(self) -> None:
        """Their moves until it is the person's turn. While they think nobody is kept from looking."""
        try:
            while not self._ended and self._hand.actor != self.seat:
                seen = self._hand.observation(self._hand.actor)
                move, chances = self._other.move(seen), self._chances(seen)
                with self.lock:
                    self._hand.make(move)
                    self.decisions.append(Decision.at(seen, self._hand.made[-1][2], chances, None))
        except Gone as error:
            self._fail(str(error))
        except Exception as error:  # a player that fails must not take the table with it
            self._fail(type(error).__name__)  # what it says may tell the cards that it sees
        with self.lock:
            self.thinking = False
            if not self.failed:
                self._go_on()
            self.lock.notify_all()

    def _fail(self, why: str) -> None:
        """Say that the opponent cannot go on, and nothing that they alone may know."""
        self.failed = f"{self.opponent.name} cannot go on ({why}); leave the table and choose anew."

    def _make(self, word: str, moves: dict[str, int]) -> None:
        seen = self.seen
        self.decisions.append(self._decision(seen, word))
        self._teller.chose(word, moves, self._teller.worth(seen))
        if len(moves) > 1 and self.form.game.open_moves:
            self.lines.append(f"you: {priced(word, seen.prices.get(word))}")
        self.turn += 1
        self._hand.make(moves[word])

    def _decision(self, seen: Observation, word: str) -> Decision:
        worth = self._teller.worth(seen)
        wins = None if worth is None else {name: float(worth[move]) for name, move in seen.moves.items()}
        return Decision.at(seen, word, self._chances(seen), wins)

    def _chances(self, seen: Observation) -> dict[str, float] | None:
        if (adviser := self.opponent.adviser) is None:
            return None
        chances = adviser.chances(seen)
        return {name: float(chances[move]) for name, move in seen.moves.items()}

    def _finish(self) -> None:
        moves, places = tuple(move for _, move, _ in self._hand.made), tuple(self._hand.places)
        best, rest = self.opponent.best, over_the_rest(self.form.game, places, moves)
        fair = None if best is None else best[self.seat] - self._teller.lost[-1]
        self._tally.add(self._hand.won[self.seat], fair, None if rest is None else rest[self.seat])
        told = tuple(self.decisions)
        hand = Finished(self.form.name, self.opponent.name, self.seat, places, moves, self._hand.won, told)
        self.kept = self._keep(hand)
