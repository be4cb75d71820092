"""A person at a table, in the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import ClassVar, final

import numpy as np
from rich.text import Text

from feint.cli.terminal import err, out
from feint.forms.form import Form
from feint.players.player import Observation, Player, PlayerConfig, Result, StrategyPlayer

ENOUGH = 10
"""Hands from which on winnings are told with an interval."""
LEAST = 0.005
"""Chips given away that are worth telling."""


@final
class Person(Player):
    """Asked in the terminal, and told there what happens."""

    def __init__(self, form: Form, adviser: StrategyPlayer | None = None, name: str = "") -> None:
        """With an adviser, called `name`, the person may ask what it would do and is told what each move costs."""
        self._form, self._adviser, self._name = form, adviser, name
        self._worth: Callable[..., np.ndarray] | None = form.move_values(adviser.strategy) if adviser else None
        self._seat, self._board = 0, ""
        self._begun = 0
        self._slips: list[str] = []
        """The moves of this hand that gave something away, in words."""
        self._won: list[float] = []
        self._lost: list[float] = []
        """In each hand, what the best moves against the adviser would have won more on average."""

    @property
    def advised(self) -> bool:
        """Whether it is known what moves are worth."""
        return self._worth is not None

    def begin(self, player: int, told: str) -> None:
        self._seat, self._board, self._slips = player, "", []
        self._begun += 1
        self._lost.append(0.0)
        where = f" You are player {player + 1} of {self._form.players}{f', {told}' if told else ''}."
        say(Text(f"\nHand {self._begun}.", "bold").append(where, "not bold"))

    def saw(self, seen: Observation) -> None:
        if seen.upturned != self._board and not seen.moves and seen.going_on:
            say(seen.upturned)
        self._board = seen.upturned

    def heard(self, player: int, word: str) -> None:
        say(f"{self._called(player)}: {word}")

    def move(self, seen: Observation) -> int:
        """A move, asked for until there is one; raises `EOFError` when the person has had enough."""
        worth = self._form.by_move(self._worth(self._form.sees(seen.player, seen.view))) if self._worth else None
        say(seen.told)
        while True:
            said = _ask(f"{', '.join(seen.moves)}? ")
            if said in ("q", "quit"):
                raise EOFError
            if said == "?" and self._adviser:
                self._advise(self._adviser, seen, worth)
                continue
            meant = _meant(said, seen.moves, self._form.game.actions)
            if len(meant) == 1:
                if worth is not None:
                    self._judge(meant[0], seen.moves, worth)
                return seen.moves[meant[0]]
            wrong = f"{said[:40]!r} may be {' or '.join(meant)}" if meant else f"{said[:40]!r} is not a move here"
            err.print(f"{wrong}; type one of {', '.join(seen.moves)}, or ? or q.", soft_wrap=True)

    def end(self, result: Result) -> None:
        if result.moves:
            made = [f"{self._called(player)}: {word}" for player, word in result.moves]
            hidden = {player: label for player, label in result.saw.items() if label != result.saw.get(self._seat)}
            say(", ".join([*made, *(f"{self._called(player)} saw {label}" for player, label in hidden.items())]))
        shown = result.shown
        for other in range(self._form.players):
            shown = shown.replace(f"player {other + 1} ", f"{self._called(other)} ")
        if shown:
            say(shown)
        chips = result.won[self._seat]
        self._won.append(chips)
        what = f"You {'win' if chips > 0 else 'lose'} {_chips(abs(chips))}" if chips else "You break even"
        say(" ".join([f"{what}, {sum(self._won):+g} so far.", *self._slips]))

    def leave(self) -> None:
        """What was won in all, how far luck goes, and what was given away, where that is known."""
        if self._begun > len(self._won):
            say("\nThe hand that is not over does not count.")
        say(f"\n{_summary(self._won, self._lost if self._worth else None)}")

    def _called(self, player: int) -> str:
        """What a player goes by."""
        if player == self._seat:
            return "you"
        if not self._name:
            return f"player {player + 1}"
        return self._name if self._form.players == 2 else f"{self._name} (player {player + 1})"

    def _advise(self, adviser: StrategyPlayer, seen: Observation, worth: np.ndarray | None) -> None:
        told = adviser.chances(seen)
        wins = {move: "" if worth is None else f" ({worth[move]:+.2f})" for move in seen.moves.values()}
        likely = ", ".join(f"{word} {told[move]:.0%}{wins[move]}" for word, move in seen.moves.items())
        say(f"{self._name} would: {likely}")

    def _judge(self, word: str, moves: Mapping[str, int], worth: np.ndarray) -> None:
        """What a move gives away."""
        best = max(moves, key=lambda other: float(worth[moves[other]]))
        lost = float(worth[moves[best]] - worth[moves[word]])
        self._lost[-1] += lost
        if lost >= LEAST:
            values = f"{word} {worth[moves[word]]:+.2f}, {best} {worth[moves[best]]:+.2f}"
            self._slips.append(f"Your {word} gave away {lost:.2f} ({values}).")


@final
@dataclass(frozen=True)
class PersonConfig(PlayerConfig):
    """A person at this terminal."""

    about: ClassVar[str] = "You, at this terminal."

    def at(self, form: Form, seed: int | None) -> Person:
        return Person(form)


PLAYERS = {"person": PersonConfig()}


def say(words: str | Text) -> None:
    """Print, red suits in red."""
    text = words if isinstance(words, Text) else Text(words)
    text.highlight_regex(r"\S*[♥♦]", "red")
    out.print(text, soft_wrap=True)


def _ask(words: str) -> str:
    """What the person types, in small letters; raises `EOFError` where nobody does."""
    try:
        return out.input(words).strip().lower()
    except RuntimeError as error:  # there is no terminal, nor anything else
        raise EOFError from error


def _meant(said: str, moves: Mapping[str, int], names: Sequence[str]) -> list[str]:
    """The moves that go by this word or, where none does, begin with it. A raise may be called a bet everywhere."""
    called = {
        word: {word.lower(), names[move].lower(), *(["bet"] if names[move] == "raise" else [])}
        for word, move in moves.items()
    }
    exact = [word for word, known in called.items() if said in known]
    return exact or [word for word, known in called.items() if said and any(name.startswith(said) for name in known)]


def _summary(won: Sequence[float], lost: Sequence[float] | None) -> str:
    if not won:
        return "No hand was played to its end."
    over = f"over {len(won)} hand{'' if len(won) == 1 else 's'}"
    what = f"{'lost' if sum(won) < 0 else 'won'} {_chips(abs(sum(won)))}" if sum(won) else "broke even"
    total = f"You {what} {over}, {mean(won):+.2f} a hand"
    if len(won) >= ENOUGH:
        total += f" (± {1.96 * stdev(won) / math.sqrt(len(won)):.2f}, 95%)"
    return f"{total}." if lost is None else f"{total}; your moves gave away {mean(lost[: len(won)]):.2f} a hand."


def _chips(number: float) -> str:
    return f"{number:g} chip{'' if number == 1 else 's'}"
