"""A table in the terminal: a person against a player."""

from __future__ import annotations

from itertools import count
from typing import Annotated

import typer

from feint.cli.terminal import GameName, PlayerName, Trust, err, in_paragraphs, out, short
from feint.games.errors import BadInput, check_seed


def play(
    opponent: PlayerName,
    game: GameName = None,
    trust: Trust = False,
    seat: Annotated[int | None, typer.Option(help="Your seat, from 1 on; by default it changes every hand.")] = None,
    hands: Annotated[int | None, typer.Option(help="Stop after so many hands; by default when you do.")] = None,
    confirm: Annotated[bool, typer.Option("--confirm", help="A move counts once you confirm it with Enter.")] = False,
    seed: Annotated[int | None, typer.Option(help="The seed of the cards and of the opponent's moves.")] = None,
) -> None:
    """Play against a player, hand after hand: it sits in every seat but yours."""
    from feint.cli.person import Person, say
    from feint.players.player import Adviser, StrategyPlayer
    from feint.players.table import Table
    from feint.runs.lineup import line_up

    check_seed(seed or 0)
    if hands is not None and hands < 1:
        raise BadInput(f"hands must be a positive number, but hands={hands} was given.")
    with err.status("reading"):
        lineup = line_up((opponent,), game, seed, trust=trust)
        form, other, name = lineup.form, lineup.players[0], lineup.names[0]
        if seat is not None and not 1 <= seat <= form.players:
            raise BadInput(f"{form.name} has seats 1 to {form.players}, but --seat {seat} was given.")
        asked = other if isinstance(other, Adviser) else None
        adviser = StrategyPlayer(other.strategy, form) if other.strategy else asked
        person = Person(form, adviser, name, confirm)
    if about := form.game.rules:
        out.print(f"{in_paragraphs(about)}\n")
    asking = f"; ? for what {name} would do in your place" if adviser else ""
    say(f"{short(form.name)} against {name}. Type a move, its number or part of it{asking}; help for more; q to stop.")
    table = Table(form.game, seed)
    try:
        for number in count() if hands is None else range(hands):
            you = seat - 1 if seat else number % form.players
            table.hand([person if player == you else other for player in range(form.players)])
    except (EOFError, KeyboardInterrupt):
        pass
    person.leave()
