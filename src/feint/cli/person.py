"""A person at a table, in the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from textwrap import wrap
from typing import ClassVar, final

import numpy as np
from rich.text import Text

from feint.cli.terminal import err, in_paragraphs, out
from feint.forms.form import Form
from feint.games.words import either, meant, priced
from feint.players.player import Adviser, Observation, Player, PlayerConfig, Result
from feint.players.telling import Teller


@final
class Person(Player):
    """Asked in the terminal, and told there what happens."""

    def __init__(self, form: Form, adviser: Adviser | None = None, name: str = "", confirm: bool = False) -> None:
        """With an adviser, called `name`, the person may ask what it would do, and is told what moves cost if known.

        With `confirm` a move counts once it is confirmed: later it cannot be taken back, for others have answered it.
        """
        strategy = adviser.strategy if adviser else None
        self._form, self._adviser, self._name, self._confirm = form, adviser, name, confirm
        self._teller = Teller(form, say, name, form.move_values(strategy) if strategy else None)

    @property
    def advised(self) -> bool:
        """Whether it is known what moves are worth."""
        return self._teller.knows_worth

    def begin(self, player: int, told: str) -> None:
        where = self._teller.begin(player, told)
        say(Text(f"\nHand {self._teller.begun}.", "bold").append(f" {where}", "not bold"))

    def saw(self, seen: Observation) -> None:
        self._teller.saw(seen)

    def heard(self, player: int, word: str) -> None:
        self._teller.heard(player, word)

    def move(self, seen: Observation) -> int:
        """A move, asked for until there is one; raises `EOFError` when the person has had enough."""
        worth = self._teller.worth(seen)
        say(seen.told)
        if len(seen.moves) == 1:
            (word,) = seen.moves
            say(f"you: {word}, the only move")
        else:
            word = self._chosen(seen, worth)
        self._teller.chose(word, seen.moves, worth)
        return seen.moves[word]

    def _chosen(self, seen: Observation, worth: np.ndarray | None) -> str:
        """The move that the person makes."""
        number, chosen = numbered(seen.moves), ""
        told = {word: priced(word, seen.prices.get(word)) for word in seen.moves}
        offered = ", ".join(f"{told[word]} [{key}]" for key, word in number.items()) or ", ".join(told.values())
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
            self._help(bool(seen.prices), bool(numbered(seen.moves)))
        elif said == "rules":
            say(in_paragraphs(self._form.game.rules) or "The rules say nothing of themselves.")
        elif said == "back":
            if not self._confirm:
                say("A move that was made stays, for others have answered it; feint play --confirm asks before.")
        else:
            return False
        return True

    def _help(self, prices: bool, numbers: bool) -> None:
        """What can be typed."""
        wins = " and, in brackets, what each move wins you against it if you play on perfectly" if self.advised else ""
        beside = ", by the number beside it," if numbers else ""
        say(f"A move goes by its name{beside} or by any part of its name that no other move has.")
        if prices:
            say("The chips in brackets are what it puts into the pot.")
        if self._confirm:
            say("Enter makes the move that you chose, and back takes it back.")
        if self._adviser:
            say(f"? tells what {self._name} would do in your place{wins}.")
        say("rules tells the rules, help this, and q stops.")

    def end(self, result: Result) -> None:
        self._teller.end(result)

    def leave(self) -> None:
        """What was won in all, how far luck goes, and what was given away, where that is known."""
        if self._teller.begun > len(self._teller.won):
            say("\nThe hand that is not over does not count.")
        say(f"\n{self._teller.summary()}")

    def _advise(self, adviser: Adviser, seen: Observation, worth: np.ndarray | None) -> None:
        told = adviser.chances(seen)
        wins = {move: "" if worth is None else f" ({worth[move]:+.2f})" for move in seen.moves.values()}
        likely = ", ".join(f"{word} {told[move]:.0%}{wins[move]}" for word, move in seen.moves.items())
        say(f"{self._name} would: {likely}")


@final
@dataclass(frozen=True)
class PersonConfig(PlayerConfig):
    """A person at this terminal."""

    about: ClassVar[str] = "You, at this terminal, in feint match; feint play seats you by itself."
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
