"""A table in the terminal: a person against a strategy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import count
from statistics import mean, stdev
from typing import TYPE_CHECKING, Annotated, final

import typer
from rich.text import Text

from feint.cli.terminal import err, in_paragraphs, out
from feint.games.cards import CATEGORIES, Cards, Deck, best_five
from feint.games.errors import BadInput, check_seed
from feint.games.game import TERMINAL
from feint.games.poker import Hand, Poker

if TYPE_CHECKING:
    import numpy as np

    from feint.players.table import Player, StrategyPlayer, Table

SUITS = {"s": ("♠", ""), "h": ("♥", "red"), "d": ("♦", "red"), "c": ("♣", "")}
ENOUGH = 10
"""Hands from which on winnings are told with an interval."""
LEAST = 0.005
"""Chips given away that are worth telling."""


def play(
    opponent: Annotated[
        str,
        typer.Argument(
            metavar="OPPONENT", help="A run's folder, an agent (see feint agents), random, call, raise or fold."
        ),
    ],
    game: Annotated[str | None, typer.Option(help="The game, where the opponent is no run.")] = None,
    seat: Annotated[int | None, typer.Option(help="Your seat, from 1 on; by default it changes every hand.")] = None,
    hands: Annotated[int | None, typer.Option(help="Stop after so many hands; by default when you do.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of the cards and of the opponent's moves.")] = None,
) -> None:
    """Play against a strategy, hand after hand: it sits in every seat but yours."""
    from feint.evaluate.exploitability import move_values
    from feint.games.library import load_game, rules_of
    from feint.players.table import StrategyPlayer, Table
    from feint.runs.seats import name_of
    from feint.runs.seats import seat as seat_players
    from feint.tree.tree import Tree

    with err.status("reading"):
        seated = seat_players((opponent,), game)
        ground, rules, name = seated.ground, load_game(seated.ground.name), name_of(opponent)
        if seat is not None and not 1 <= seat <= rules.players:
            raise BadInput(f"{rules.name} has seats 1 to {rules.players}, but --seat {seat} was given.")
        if hands is not None and hands < 1:
            raise BadInput(f"hands must be a positive number, but hands={hands} was given.")
        check_seed(seed or 0)
        table = Table(rules, ground, seated.arena, seed)
        other = StrategyPlayer(seated.policies[0])
        other.chances(table)  # compiled before anyone waits for it
        worths = move_values(ground, other.written(ground)) if isinstance(ground, Tree) else None
    if about := rules_of(rules.name):
        out.print(f"{in_paragraphs(about)}\n")
    wins = " and, in brackets, what each move wins you against it if you play on perfectly"
    _say(
        f"{rules.name} against {name}. Type a move or its first letters; ? for what {name} would do in your place"
        f"{wins if worths is not None else ''}; q to stop."
    )
    person, won = Person(other, name, worths), list[float]()
    try:
        for number in count() if hands is None else range(hands):
            person.sit(seat - 1 if seat else number % rules.players)
            _hand(table, person, other, name, won)
    except (EOFError, KeyboardInterrupt):
        _say("\nThe hand that is not over does not count." if len(person.lost) > len(won) else "")
    _say(f"\n{_summary(won, None if worths is None else person.lost)}")


def _hand(table: Table, person: Person, other: Player, opponent: str, won: list[float]) -> None:
    """One hand, and what the person won with it."""
    rules, you = table.rules, person.seat
    table.deal()
    _say(Text(f"\nHand {len(won) + 1}.", "bold").append(f" {_seat(table, you)}", "not bold"))
    made, saw = list[str](), dict[int, str]()
    while not table.over:
        actor, board = table.actor, _board(table)
        saw[actor] = rules.label(table.state, actor)
        move = (person if actor == you else other).move(table)
        name = "you" if actor == you else _named(opponent, actor, rules.players)
        made.append(f"{name}: {rules.spoken(table.state, move)}")
        if isinstance(rules, Poker) and actor != you:  # in other games a move may be hidden
            _say(made[-1])
        table.play(move)
        if isinstance(rules, Poker) and _board(table) != board and table.actor not in (you, TERMINAL):
            _say(Text("on the board ").append_text(_cards(rules.deck, _board(table))))
    if not isinstance(rules, Poker):
        hidden = {player: seen for player, seen in saw.items() if seen != saw.get(you)}
        _say(
            ", ".join(
                [*made, *(f"{_named(opponent, player, rules.players)} saw {hidden[player]}" for player in hidden)]
            )
        )
    elif table.state.folded.count(False) > 1:
        _say(_showdown(rules, table.state, you, opponent))
    chips = float(rules.payoffs(table.state)[you])
    won.append(chips)
    what = f"You {'win' if chips > 0 else 'lose'} {_chips(abs(chips))}" if chips else "You break even"
    _say(" ".join([f"{what}, {sum(won):+g} so far.", *person.slips]))


@final
class Person:
    """Asked in the terminal."""

    seat: int

    def __init__(self, adviser: StrategyPlayer, name: str, worths: np.ndarray | None) -> None:
        self._adviser, self._name, self._worths = adviser, name, worths
        self.lost: list[float] = []
        """In each hand, what the best moves against the adviser would have won more on average; 0 if unknown."""
        self.slips: list[str] = []
        """The moves of this hand that gave something away, in words."""

    def sit(self, seat: int) -> None:
        """Take a seat for a new hand."""
        self.seat = seat
        self.lost.append(0.0)
        self.slips = []

    def move(self, table: Table) -> int:
        """A move, asked for until there is one; raises `EOFError` when the person has had enough."""
        rules, state = table.rules, table.state
        legal = rules.legal(state)
        words = {rules.spoken(state, move): move for move in legal}
        if len(words) < len(legal):  # what is spoken alike cannot be told apart
            words = {rules.actions[move]: move for move in legal}
        worth = None if self._worths is None else table.by_move(self._worths[int(table.sight()[0])])
        _say(_situation(table, self.seat))
        while True:
            said = _ask(f"{', '.join(words)}? ")
            if said in ("q", "quit"):
                raise EOFError
            if said == "?":
                told = self._adviser.chances(table)
                wins = {move: "" if worth is None else f" ({worth[move]:+.2f})" for move in legal}
                likely = ", ".join(f"{word} {told[move]:.0%}{wins[move]}" for word, move in words.items())
                _say(f"{self._name} would: {likely}")
                continue
            meant = _meant(said, words, rules.actions)
            if len(meant) == 1:
                if worth is not None:
                    self._judge(meant[0], words, worth)
                return words[meant[0]]
            wrong = f"{said[:40]!r} may be {' or '.join(meant)}" if meant else f"{said[:40]!r} is not a move here"
            err.print(f"{wrong}; type one of {', '.join(words)}, or ? or q.", soft_wrap=True)

    def _judge(self, word: str, words: Mapping[str, int], worth: np.ndarray) -> None:
        """What a move gives away."""
        best = max(words, key=lambda other: float(worth[words[other]]))
        lost = float(worth[words[best]] - worth[words[word]])
        self.lost[-1] += lost
        if lost >= LEAST:
            values = f"{word} {worth[words[word]]:+.2f}, {best} {worth[words[best]]:+.2f}"
            self.slips.append(f"Your {word} gave away {lost:.2f} ({values}).")


def _say(words: str | Text) -> None:
    out.print(words, soft_wrap=True)


def _ask(words: str) -> str:
    """What the person types, in small letters; raises `EOFError` where nobody does."""
    try:
        return out.input(words).strip().lower()
    except RuntimeError as error:  # there is no terminal, nor anything else
        raise EOFError from error


def _meant(said: str, words: Mapping[str, int], names: Sequence[str]) -> list[str]:
    """The moves that go by this word or, where none does, begin with it. A raise may be called a bet everywhere."""
    called = {
        word: {word.lower(), names[move].lower(), *(["bet"] if names[move] == "raise" else [])}
        for word, move in words.items()
    }
    exact = [word for word, known in called.items() if said in known]
    return exact or [word for word, known in called.items() if said and any(name.startswith(said) for name in known)]


def _board(table: Table) -> Cards:
    return table.state.board if isinstance(table.rules, Poker) else ()


def _named(opponent: str, player: int, players: int) -> str:
    return opponent if players == 2 else f"{opponent} (player {player + 1})"


def _seat(table: Table, you: int) -> str:
    """Where the person sits in a new hand."""
    rules, state = table.rules, table.state
    words = f"You are player {you + 1} of {rules.players}"
    if not isinstance(rules, Poker):
        return words + "."
    dealer = ", the dealer" if rules.blinds and state.dealer == you else ""
    return f"{words}{dealer}, with {_chips(state.paid[you])} in the pot."


def _situation(table: Table, you: int) -> Text:
    """What the person sees before a move."""
    rules, state = table.rules, table.state
    if not isinstance(rules, Poker):
        return Text(f"you see: {rules.label(state, you)}")
    seen = Text("you hold ").append_text(_cards(rules.deck, state.holes[you][::-1]))
    if state.board:
        seen.append(", on the board ").append_text(_cards(rules.deck, state.board))
    seen.append(f"; {sum(state.paid):g} in the pot")
    return seen.append(f", {rules.to_call(state):g} to call" if rules.to_call(state) else "")


def _showdown(rules: Poker, hand: Hand, you: int, opponent: str) -> Text:
    """What everyone shows who is still in."""
    shown = Text("on the board ").append_text(_cards(rules.deck, hand.board)).append("; ") if hand.board else Text()
    live = [player for player in range(rules.players) if not hand.folded[player]]
    for number, player in enumerate(sorted(live, key=lambda player: player != you)):
        who = "you show " if player == you else f"{_named(opponent, player, rules.players)} shows "
        shown.append(", " if number else "").append(who).append_text(_cards(rules.deck, hand.holes[player][::-1]))
        if rules.showdown is best_five:
            shown.append(f" ({CATEGORIES[best_five(rules.deck, hand.holes[player], hand.board)[0]]})")
    return shown


def _cards(deck: Deck, cards: Cards) -> Text:
    """Cards as people know them."""
    text = Text()
    for number, card in enumerate(cards):
        name = deck.name(card)
        symbol, colour = SUITS[name[-1]] if deck.suits else (name[-1], "")
        text.append(" " if number else "").append(name[:-1] + symbol, colour)
    return text


def _summary(won: Sequence[float], lost: Sequence[float] | None) -> str:
    """What was won in all, how far luck goes, and what was given away, where that is known."""
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
