"""A person's hands told in words, at a terminal and on a page alike: what happens, what was won, what moves cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import mean, stdev
from typing import final

import numpy as np

from feint.forms.form import Form
from feint.games.words import chips, priced
from feint.players.player import Observation, Result

ENOUGH = 10
"""Hands from which on winnings are told with an interval."""
LEAST = 0.005
"""Chips given away that are worth telling."""

Worth = Callable[..., np.ndarray]
"""What moves win at a place, as `Form.move_values` gives it."""


@final
class Teller:
    """Tells one person of their hands, and keeps the score."""

    def __init__(self, form: Form, say: Callable[[str], None], name: str = "", worth: Worth | None = None) -> None:
        """The others go by `name`; `worth` says what moves win against them, where that is known."""
        self._form, self._say, self._name, self._worth = form, say, name, worth
        self.seat, self._board = 0, ""
        self._paid: tuple[float, ...] | None = None
        """What everyone had put into the pot when that was seen last, where it can be."""
        self._heard: tuple[int, str] | None = None
        """Who has made which move, until it is seen what that cost them."""
        self.begun = 0
        self._slips: list[str] = []
        """The moves of this hand that gave something away, in words."""
        self.won: list[float] = []
        self.lost: list[float] = []
        """In each hand, what the best moves would have won more on average."""

    @property
    def knows_worth(self) -> bool:
        """Whether it is known what moves win."""
        return self._worth is not None

    def begin(self, player: int, told: str) -> str:
        """How a hand begins for the person; nothing is said yet."""
        self.seat, self._board, self._slips, self._paid = player, "", [], None
        self.begun += 1
        self.lost.append(0.0)
        return f"You are player {player + 1} of {self._form.players}{f', {told}' if told else ''}."

    def saw(self, seen: Observation) -> None:
        paid = seen.scene.paid if seen.scene else None
        self._tell_heard(paid)
        self._paid = paid
        if seen.upturned != self._board and seen.going_on:
            self._say(seen.upturned)
        self._board = seen.upturned

    def heard(self, player: int, word: str) -> None:
        self._tell_heard(None)
        self._heard = player, word
        if self._paid is None:
            self._tell_heard(None)

    def _tell_heard(self, paid: Sequence[float] | None) -> None:
        """Tell a move that was heard, with what it put into the pot if that is seen by now."""
        if self._heard is None:
            return
        player, word = self._heard
        self._heard = None
        price = paid[player] - self._paid[player] if paid and self._paid else None
        self._say(f"{self.called(player)}: {priced(word, price)}")

    def worth(self, seen: Observation) -> np.ndarray | None:
        """What each move wins against the others, by the rules' own numbers of them."""
        return self._form.by_move(self._worth(self._form.sees(seen.player, seen.view))) if self._worth else None

    def chose(self, word: str, moves: Mapping[str, int], worth: np.ndarray | None) -> None:
        """Count what a move of the person's gives away."""
        if worth is None:
            return
        best = max(moves, key=lambda other: float(worth[moves[other]]))
        lost = float(worth[moves[best]] - worth[moves[word]])
        self.lost[-1] += lost
        if lost >= LEAST:
            values = f"{word} {worth[moves[word]]:+.2f}, {best} {worth[moves[best]]:+.2f}"
            self._slips.append(f"Your {word} gave away {lost:.2f} ({values}).")

    def end(self, result: Result) -> None:
        self._tell_heard(None)
        if result.moves:
            made = [f"{self.called(player)}: {word}" for player, word in result.moves]
            hidden = {player: label for player, label in result.saw.items() if label != result.saw.get(self.seat)}
            self._say(", ".join([*made, *(f"{self.called(player)} saw {label}" for player, label in hidden.items())]))
        shown = result.shown
        for other in range(self._form.players):
            shown = shown.replace(f"player {other + 1} ", f"{self.called(other)} ")
        if shown:
            self._say(shown)
        mine = result.won[self.seat]
        self.won.append(mine)
        what = f"You {'win' if mine > 0 else 'lose'} {chips(abs(mine))}" if mine else "You break even"
        self._say(" ".join([f"{what}, {sum(self.won):+g} so far.", *self._slips]))

    def called(self, player: int) -> str:
        """What a player goes by."""
        if player == self.seat:
            return "you"
        if not self._name:
            return f"player {player + 1}"
        return self._name if self._form.players == 2 else f"{self._name} (player {player + 1})"

    def summary(self) -> str:
        """What was won in all, how far luck goes, and what was given away, where that is known."""
        return _summary(self.won, self.lost if self.knows_worth else None)


def _summary(won: Sequence[float], lost: Sequence[float] | None) -> str:
    if not won:
        return "No hand was played to its end."
    over = f"over {len(won)} hand{'' if len(won) == 1 else 's'}"
    what = f"{'lost' if sum(won) < 0 else 'won'} {chips(abs(sum(won)))}" if sum(won) else "broke even"
    total = f"You {what} {over}, {mean(won):+.2f} a hand"
    if len(won) >= ENOUGH:
        # No interval at a level: people stop when they like.
        total += f" (luck makes that uncertain by about {1.96 * stdev(won) / math.sqrt(len(won)):.2f})"
    return f"{total}." if lost is None else f"{total}; your moves gave away {mean(lost[: len(won)]):.2f} a hand."
