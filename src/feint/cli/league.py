"""Leagues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from feint.cli import terminal
from feint.cli.terminal import AsJson, GameName, Trust, Waiting, out, print_json
from feint.games.errors import BadInput, check_seed

if TYPE_CHECKING:
    from feint.evaluate.match import Match
    from feint.evaluate.measure import Measure


def league(
    names: Annotated[list[str], typer.Argument(metavar="PLAYER...", help=f"{terminal.PLAYER} random, call, raise.")],
    game: GameName = None,
    trust: Trust = False,
    hands: Annotated[int, typer.Option(help="Hands of each match that has to be played.")] = 20_000,
    seed: Annotated[int, typer.Option(help="The seed of the deals.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Everyone against everyone: what each player wins off each other one, exact where that is known, and ratings."""
    from feint.evaluate.league import round_robin
    from feint.evaluate.ratings import MOST_CIRCLES, cycles, means, ratings
    from feint.runs.lineup import line_up

    check_seed(seed)
    if len(set(names)) != len(names) or len(names) < 2:
        raise BadInput(f"A league is of two or more different players, but {' '.join(names)} were given.")
    won: dict[tuple[str, str], Measure] = {}
    with Waiting("reading") as status:

        def told(one: str, two: str, so_far: Match | None) -> None:
            status.update(f"{one} against {two}" + (f", {so_far.hands:,} of {hands:,} hands" if so_far else ""))

        lineup = line_up(tuple(names), game, seed, trust=trust)
        players = dict(zip(names, lineup.players, strict=True))
        try:
            for pair in round_robin(lineup.form, players, hands, seed, told):
                won |= {who: each.in_big_blinds(lineup.form.big_blind) for who, each in pair.items()}
        finally:
            for player in lineup.players:
                player.close()
    mean, (rated, share), circles = means(names, won), ratings(names, won), cycles(names, won)
    if as_json:
        rows = [
            {"first": one, "second": two, "winnings": each.value, "kind": each.kind, "low": each.low, "high": each.high}
            for (one, two), each in won.items()
        ]
        facts = {"game": lineup.form.name, "unit": "mbb/h", "hands": hands, "matches": rows, "means": mean}
        print_json(
            facts
            | {"ratings": rated, "explained": share, "cycles": circles, "more_cycles": len(circles) >= MOST_CIRCLES}
        )
        return
    order = sorted(names, key=lambda name: -rated[name])
    table = Table("mbb/h", *order, "mean", "rating", box=None, pad_edge=False)
    for name in order:
        cells = ["" if other == name else _cell(won[name, other]) for other in order]
        table.add_row(name, *cells, f"{mean[name]:+z,.0f}", f"{rated[name]:+z,.0f}")
    out.print(table)
    kind = "exact" if all(each.low is None for each in won.values()) else "with 95% intervals where it was played"
    out.print(f"\nwhat the player of the row wins off that of the column, {kind}", soft_wrap=True)
    out.print(f"differences of ratings explain {share:.0%} of who wins how much off whom", soft_wrap=True)
    for ring in circles[:FEW_CIRCLES]:
        out.print(f"a circle: {' beats '.join([*ring, ring[0]])}", soft_wrap=True)


FEW_CIRCLES = 5
"""Circles that are told of in words."""


def _cell(won: Measure) -> str:
    digits = f",.{won.decimals}f"
    off = "" if won.half is None else f" ± {won.half:{digits}}"
    return f"{won.value:+z{digits}}{off}"
