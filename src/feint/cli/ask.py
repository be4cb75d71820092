"""Asking a player what it does at one spot."""

from __future__ import annotations

import math
from typing import Annotated

import typer
from rich.table import Table

from feint.cli.terminal import AsJson, GameName, PlayerName, Trust, err, out, print_json


def ask(
    name: PlayerName,
    spot: Annotated[
        str,
        typer.Argument(
            metavar="SPOT",
            help="In poker the cards held, such as AhKh, or AKs before the flop; elsewhere what is seen: feint show.",
        ),
    ],
    board: Annotated[str, typer.Option(help="In poker, the cards on the board, such as 2c7d9s.")] = "",
    betting: Annotated[str, typer.Option(help="In poker, the betting so far: 'raise call / check bet'.")] = "",
    game: GameName = None,
    trust: Trust = False,
    seat: Annotated[int | None, typer.Option(help="Whose spot it must be, from 1 on.")] = None,
    as_json: AsJson = False,
) -> None:
    """How often a player makes each move at one spot and, in small games, what each move wins against it."""
    from feint.players.spots import answer, find_spot
    from feint.runs.lineup import line_up

    with err.status("reading"):
        lineup = line_up((name,), game, trust=trust)
        seen = find_spot(lineup.form, spot, board, betting, None if seat is None else seat - 1)
        told = answer(lineup.form, lineup.players[0], seen)
    if as_json:
        facts = {"name": name, "game": lineup.form.name, "player": told.player + 1, "sees": told.sees}
        known = {move: None if math.isnan(value) else value for move, value in (told.values or {}).items()}
        worth = {"values": known, "unit": "chips per hand", "kind": "exact"} if known else {}
        print_json(facts | {"moves": told.moves} | worth)
        return
    out.print(f"{lineup.names[0]} as player {told.player + 1} at {told.sees}", soft_wrap=True)
    table = Table("move", "how often", *(["wins"] if told.values else []), box=None, pad_edge=False)
    for move, chance in told.moves.items():
        wins = [] if told.values is None else ["" if math.isnan(told.values[move]) else f"{told.values[move]:+.4f}"]
        table.add_row(move, f"{chance:.4f}", *wins)
    out.print(table)
    if told.values:
        err.print("(Wins: chips a hand against it, exact, played on as well as can be.)", soft_wrap=True)
