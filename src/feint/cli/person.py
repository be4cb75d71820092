"""A person at a table, in the terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import mean, stdev
from textwrap import wrap
from typing import ClassVar, final

import numpy as np
from rich.text import Text

from feint.cli.terminal import err, in_paragraphs, out
from feint.forms.form import Form
from feint.games.words import either, meant
from feint.players.player import Observation, Player, PlayerConfig, Result, StrategyPlayer

ENOUGH = 10
"""Hands from which on winnings are told with an interval."""
LEAST = 0.005
"""Chips given away that are worth telling."""


@final
class Person(Player):
    """Asked in the terminal, and told there what happens."""

    def __init__(
        self, form: Form, adviser: StrategyPlayer | None = None, name: str = "", confirm: bool = False
    ) -> None:
        """With an adviser, called `name`, the person may ask what it would do and is told what each move costs.

        With `confirm` a move counts once it is confirmed: later it cannot be taken back, for others have answered it.
        """
        self._form, self._adviser, self._name, self._confirm = form, adviser, name, confirm
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
        if len(seen.moves) == 1:
            (word,) = seen.moves
            say(f"you: {word}, the only move")
        else:
            word = self._chosen(seen, worth)
        if worth is not None:
            self._judge(word, seen.moves, worth)
        return seen.moves[word]

    def _chosen(self, seen: Observation, worth: np.ndarray | None) -> str:
        """The move that the person makes."""
        number, chosen = numbered(seen.moves), ""
        offered = ", ".join(f"{word} [{key}]" for key, word in number.items()) or ", ".join(seen.moves)
        while True:
            said = _ask(f"{chosen}: Enter to make it, or another move, or back? " if chosen else f"{offered}? ")
            if chosen and not said:
                return chosen
            if said not in map(str.lower, seen.moves) and self._obeyed(said, seen, worth):
                chosen = "" if said == "back" else chosen
                continue
            found = [number[said]] if said in number else meant(said, seen.moves)
            if len(found) == 1 and not self._confirm:
                return found[0]
            chosen = found[0] if len(found) == 1 else ""
            if not chosen:
                wrong = f"may be {either(found)}; type more of it" if found else "is not a move here"
                which = "" if found else f"; type one of {', '.join(seen.moves)}"
                err.print(f"{said[:40]!r} {wrong}{which}, or help.", soft_wrap=True)

    def _obeyed(self, said: str, seen: Observation, worth: np.ndarray | None) -> bool:
        """Do what is no move; whether it was that. Raises `EOFError` when the person has had enough."""
        if said in ("q", "quit"):
            raise EOFError
        if said == "?" and self._adviser:
            self._advise(self._adviser, seen, worth)
        elif said == "help":
            self._help()
        elif said == "rules":
            say(in_paragraphs(self._form.game.rules) or "The rules say nothing of themselves.")
        elif said == "back":
            if not self._confirm:
                say("A move that was made stays, for others have answered it; feint play --confirm asks before.")
        else:
            return False
        return True

    def _help(self) -> None:
        """What can be typed."""
        wins = " and, in brackets, what each move wins you against it if you play on perfectly" if self.advised else ""
        say("A move goes by its name, by the number beside it, or by any part of its name that no other move has.")
        if self._confirm:
            say("Enter makes the move that you chose, and back takes it back.")
        if self._adviser:
            say(f"? tells what {self._name} would do in your place{wins}.")
        say("rules tells the rules, help this, and q stops.")

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
    confirm: bool = False
    """Whether moves count only once they are confirmed."""

    def at(self, form: Form, seed: int | None) -> Person:
        return Person(form, confirm=self.confirm)


PLAYERS = {"person": PersonConfig()}


def say(words: str | Text) -> None:
    """Print, red suits in red; in a window, between words."""
    text = words if isinstance(words, Text) else Text(words)
    text.highlight_regex(r"\S*[♥♦]", "red")
    out.print(text, soft_wrap=not out.is_terminal)


def _ask(words: str) -> str:
    """What the person types, in small letters; raises `EOFError` where nobody does."""
    if out.is_terminal:
        with suppress(ImportError):  # not everywhere; where it is, what is typed can be edited and had again
            import readline  # noqa: F401
        *above, last = wrap(words, out.width - 1, break_on_hyphens=False)
        for line in above:
            say(line)
        words = f"{last} "
    try:
        return input(words).strip().lower()
    except RuntimeError as error:  # there is no terminal, nor anything else
        raise EOFError from error


def numbered(words: Iterable[str]) -> dict[str, str]:
    """Moves by the numbers that stand beside them; none where a number might be part of what a move is called."""
    words = list(words)
    return {} if re.search(r"\d", "".join(words)) else {str(place): word for place, word in enumerate(words, 1)}


def _summary(won: Sequence[float], lost: Sequence[float] | None) -> str:
    if not won:
        return "No hand was played to its end."
    over = f"over {len(won)} hand{'' if len(won) == 1 else 's'}"
    what = f"{'lost' if sum(won) < 0 else 'won'} {_chips(abs(sum(won)))}" if sum(won) else "broke even"
    total = f"You {what} {over}, {mean(won):+.2f} a hand"
    if len(won) >= ENOUGH:
        # No interval at a level: people stop when they like.
        total += f" (luck makes that uncertain by about {1.96 * stdev(won) / math.sqrt(len(won)):.2f})"
    return f"{total}." if lost is None else f"{total}; your moves gave away {mean(lost[: len(won)]):.2f} a hand."


def _chips(number: float) -> str:
    return f"{number:g} chip{'' if number == 1 else 's'}"
