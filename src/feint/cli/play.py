"""A table in the terminal: a person against a strategy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import count
from statistics import mean, stdev
from typing import TYPE_CHECKING, Annotated, final

import typer
from rich.text import Text

from feint.cli.terminal import err, out
from feint.games.cards import CATEGORIES, Cards, Deck, best_five
from feint.games.errors import BadInput
from feint.games.game import TERMINAL
from feint.games.poker import Hand, Poker

if TYPE_CHECKING:
    import numpy as np

    from feint.players.table import Player, StrategyPlayer, Table

SUITS = {"s": ("♠", ""), "h": ("♥", "red"), "d": ("♦", "red"), "c": ("♣", "")}
ENOUGH = 10
"""Hands from which on winnings are told with an interval."""
LEAST = 0.005
"""Chips that are worth telling."""


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
    from feint.games.library import load_game
    from feint.players.table import StrategyPlayer, Table
    from feint.runs.seats import seat as seat_players
    from feint.tree.tree import Tree

    with err.status("reading"):
        seated = seat_players((opponent,), game)
        rules = load_game(seated.ground.name)
        if seat is not None and not 1 <= seat <= rules.players:
            raise BadInput(f"{rules.name} has seats 1 to {rules.players}, but --seat {seat} was given.")
        if hands is not None and hands < 1:
            raise BadInput(f"hands must be a positive number, but hands={hands} was given.")
        table = Table(rules, seated.ground, seated.arena, seed)
        other = StrategyPlayer(seated.policies[0])
        other.chances(table)  # compiled before anyone waits for it
        worths = move_values(seated.ground, other.written(seated.ground)) if isinstance(seated.ground, Tree) else None
    worth = " and, in brackets, what each move wins you against it" if worths is not None else ""
    out.print(
        f"{rules.name} against {opponent}. Type a move or its first letters; ? for what {opponent} would do in your "
        f"place{worth}; q to stop.",
        markup=False,
        soft_wrap=True,
    )
    won: list[float] = []
    person = Person(other, opponent, worths)
    try:
        for number in count() if hands is None else range(hands):
            person.seat = seat - 1 if seat else number % rules.players
            won.append(_hand(table, person, other, opponent, number))
    except (EOFError, KeyboardInterrupt):
        out.print()
    out.print(f"\n{_summary(won, None if worths is None else person.lost)}", soft_wrap=True)


def _hand(table: Table, person: Person, other: Player, opponent: str, number: int) -> float:
    """One hand, and what the person won with it."""
    rules, you = table.rules, person.seat
    person.lost.append(0.0)
    table.deal()
    out.print(f"\n[bold]Hand {number + 1}.[/bold] {_seat(table, you)}")
    made: list[str] = []
    while not table.over:
        name = "you" if (actor := table.actor) == you else _named(opponent, actor, rules.players)
        move = (person if actor == you else other).move(table)
        made.append(f"{name}: {rules.spoken(table.state, move)}")
        if isinstance(rules, Poker) and actor != you:  # in other games a move may be hidden
            out.print(made[-1], markup=False)
        board = table.state.board if isinstance(rules, Poker) else ()
        table.play(move)
        if isinstance(rules, Poker) and table.state.board != board and table.actor not in (you, TERMINAL):
            out.print(Text("on the board ").append_text(_cards(rules.deck, table.state.board)))
    if not isinstance(rules, Poker):
        out.print(", ".join(made), markup=False)
    elif table.state.folded.count(False) > 1:
        out.print(_showdown(rules, table.state, you, opponent))
    chips = float(rules.payoffs(table.state)[you])
    what = f"You {'win' if chips > 0 else 'lose'} {_chips(abs(chips))}" if chips else "You break even"
    out.print(f"{what}; your moves gave away {person.lost[-1]:.2f}." if person.lost[-1] >= LEAST else f"{what}.")
    return chips


@final
class Person:
    """Asked in the terminal."""

    seat: int

    def __init__(self, adviser: StrategyPlayer, name: str, worths: np.ndarray | None) -> None:
        self._adviser, self._name, self._worths = adviser, name, worths
        self.lost: list[float] = []
        """In each hand, what the best moves against the adviser would have won more on average; 0 if unknown."""

    def move(self, table: Table) -> int:
        """A move, asked for until there is one; raises `EOFError` when the person has had enough."""
        rules, state = table.rules, table.state
        words = {rules.spoken(state, move): move for move in rules.legal(state)}
        worth = None if self._worths is None else self._worths[int(table.sight()[0])]
        out.print(_situation(table, self.seat))
        while True:
            said = out.input(f"{', '.join(words)}? ", markup=False).strip().lower()
            if said in ("q", "quit"):
                raise EOFError
            if said == "?":
                told = self._adviser.chances(table)
                wins = {move: "" if worth is None else f" ({worth[move]:+.2f})" for move in words.values()}
                likely = ", ".join(f"{word} {told[move]:.0%}{wins[move]}" for word, move in words.items())
                out.print(f"{self._name} would: {likely}", markup=False)
            elif (move := _meant(said, words, rules.actions)) is not None:
                if worth is not None:
                    self.lost[-1] += float(max(worth[other] for other in words.values()) - worth[move])
                return move
            else:
                err.print(f"{said!r} is not a move here; type one of {', '.join(words)}, or ? or q.", markup=False)


def _meant(said: str, words: Mapping[str, int], names: Sequence[str]) -> int | None:
    """The only move that goes by this word or, where none does, begins with it; None where there is no such move."""
    known = [(move, name.lower()) for word, move in words.items() for name in (word, names[move])]
    exact = {move for move, name in known if name == said}
    begun = {move for move, name in known if said and name.startswith(said)}
    return next(iter(exact or begun)) if len(exact or begun) == 1 else None


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
        return Text(f"you see {rules.label(state, you)}")
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
    total = f"You {'lost' if sum(won) < 0 else 'won'} {_chips(abs(sum(won)))} {over}, {abs(mean(won)):.2f} a hand"
    if len(won) >= ENOUGH:
        total += f" (± {1.96 * stdev(won) / math.sqrt(len(won)):.2f} by luck)"
    return f"{total}." if lost is None else f"{total}; your moves gave away {mean(lost[: len(won)]):.2f} a hand."


def _chips(number: float) -> str:
    return f"{number:g} chip{'' if number == 1 else 's'}"
