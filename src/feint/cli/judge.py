"""Judging players: by judges, and by playing them against each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from feint.cli import terminal
from feint.cli.terminal import AsJson, GameName, Interruptible, PlayerName, Trust, Waiting, err, out, print_json
from feint.games.errors import check_seed

if TYPE_CHECKING:
    from feint.evaluate.match import Match
    from feint.evaluate.measure import Facts, Verdict
    from feint.runs.lineup import LineUp

WORTH_TELLING = 1.5
"""By how much duplicate deals must have shortened a match to be spoken of."""
WORTH_WHOLE = 0.005
"""Shares from this on are told in whole percent."""


def evaluate(
    name: PlayerName,
    judge: Annotated[
        list[str] | None, typer.Option(help="Who judges, such as dominance or winnings(hands=1000): see feint judges.")
    ] = None,
    game: GameName = None,
    trust: Trust = False,
    hands: Annotated[int | None, typer.Option(help="Hands to play, for judges who play.")] = None,
    as_json: AsJson = False,
) -> None:
    """Judge a player: how much whoever knows it wins off it, exactly or at least, and where it gives most away."""
    from feint.runs.judging import judges_of, keep
    from feint.runs.lineup import line_up

    with err.status("reading"):
        lineup = line_up((name,), game, trust=trust)
        asked = judges_of(lineup.form, lineup.players[0], tuple(judge or ()), hands)
    verdicts: dict[str, Verdict] = {}
    with Waiting("judging") as status, Interruptible() as keeping:
        for each, with_settings in asked.items():

            def follow(text: str, so_far: Verdict | None, each: str = each) -> None:
                if so_far is not None:
                    verdicts[each] = so_far
                    keeping.something = True
                status.update(f"{text}: {so_far.measures[0]}; Ctrl-C leaves it there" if so_far else text)

            verdicts[each] = with_settings(lineup.form, lineup.players[0], follow)
    run = lineup.runs.get(name)
    if as_json:
        facts = {"player": name, "game": lineup.form.name} | ({"algorithm": run.config.algorithm} if run else {})
        print_json(facts | {"judges": {each: verdict.as_json() for each, verdict in verdicts.items()}})
    else:
        for number, verdict in enumerate(verdicts.values()):
            print_verdict(verdict, apart=number > 0)
    for told in keep(run, verdicts.values(), lineup.form) if run else ():
        err.print(told, soft_wrap=True)


def print_verdict(verdict: Verdict, apart: bool = False) -> None:
    """A verdict for people: its tables, its numbers, and what must be said beside them."""
    if apart:
        out.print()
    for facts in verdict.facts:
        if not facts.title:
            out.print(_table(facts))
            out.print()
    for measure in verdict.measures:
        out.print(str(measure), soft_wrap=True)
    for facts in verdict.facts:
        if facts.title and facts.rows:
            out.print(f"\n{facts.title}")
            out.print(_table(facts))
    if verdict.note:
        out.print(verdict.note, soft_wrap=True)


def _table(facts: Facts) -> Table:
    table = Table(*(name.replace("_", " ") for name in facts.columns), box=None, pad_edge=False)
    for row in facts.rows:
        table.add_row(*(_cell(name, value) for name, value in zip(facts.columns, row, strict=True)))
    return table


def _cell(name: str, value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    if name == "share":
        return f"{value:.0%}" if value >= WORTH_WHOLE else f"{100 * value:.1g}%"
    return f"{value:.2e}" if name == "gain" else f"{value:+z.6f}"


def play_match(
    first: Annotated[str, typer.Argument(metavar="A", help=f"{terminal.PLAYER} random, call, raise, fold.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Likewise; it takes all seats but one.")],
    game: GameName = None,
    trust: Trust = False,
    hands: Annotated[int, typer.Option(help="Hands to play; every deal is played from each seat.")] = 100_000,
    seed: Annotated[int, typer.Option(help="The seed of the deals.")] = 0,
    aivat: Annotated[
        bool, typer.Option("--aivat", help="Take luck out of every hand; one of the two must be a strategy.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play two players against each other on duplicate deals: what the first wins, with its 95% interval."""
    from feint.cli.person import PLAYERS
    from feint.evaluate.aivat import CountedMatch, match_without_luck
    from feint.evaluate.match import exact_winnings, play_players
    from feint.evaluate.measure import Pace
    from feint.runs.lineup import line_up

    played: Match | None = None
    gain: float | None = None

    def follow(so_far: Match | CountedMatch) -> None:
        nonlocal played, gain
        if isinstance(so_far, CountedMatch):
            gain, so_far = so_far.gain, so_far.counted
        played = so_far
        keeping.something = True
        done = f"{played.hands:,} of {hands:,} hands{pace.left(played.hands, hands)}"
        status.update(f"{done}: {_won(lineup, played)}; Ctrl-C leaves it there")

    check_seed(seed)
    pace = Pace()
    with Waiting("reading") as status, Interruptible() as keeping:
        lineup = line_up((first, second), game, seed, PLAYERS, trust)
        status.update("playing")
        try:
            follow((match_without_luck if aivat else play_players)(lineup.form, lineup.players, hands, seed, follow))
        finally:
            for player in lineup.players:
                player.close()
    assert played is not None
    exact = exact_winnings(lineup.form, lineup.players)
    unit = 1000 / lineup.form.big_blind
    if as_json:
        won = played.winnings.in_big_blinds(lineup.form.big_blind)
        words = {"first": first, "second": second, "game": lineup.form.name, "hands": played.hands, "asked": hands}
        exactly = None if exact is None else exact * unit
        numbers = {"winnings": won.value, "error": _or_none(won.half), "unit": won.unit, "exact": exactly}
        taken_out = {} if gain is None else {"aivat": True, "hands_saved": _or_none(gain)}
        print_json(words | numbers | {"deals_saved": _or_none(played.saved)} | taken_out)
        return
    of = f"{played.hands:,} of {hands:,}" if played.winnings.asked else f"{played.hands:,}"
    off = f"off {second}, over {of} hands of {lineup.form.name}"
    chips = f"{played.mean:+z.4g} chips a hand"
    out.print(f"{first} wins {_won(lineup, played)} (95%; {chips}) {off}", soft_wrap=True)
    if exact is not None:
        out.print(f"luck aside {exact * unit:+z,.1f} mbb/h ({exact:+z.4g} chips a hand, exact)")
    if gain is not None:
        told = f"(With luck taken out by AIVAT; without it this would take {gain:,.1f} times as many hands.)"
        err.print(told, soft_wrap=True)
    elif WORTH_TELLING <= played.saved < math.inf:
        told = f"(Without playing every deal from every seat this would take {played.saved:.1f} times as many hands.)"
        err.print(told, soft_wrap=True)


def _won(lineup: LineUp, played: Match) -> str:
    """Winnings with how far luck reaches, once that is known."""
    won = played.winnings.in_big_blinds(lineup.form.big_blind)
    off = _or_none(won.half)
    return f"{won.value:+z,.1f} ± {'?' if off is None else f'{off:,.1f}'} mbb/h"


def _or_none(number: float | None) -> float | None:
    """JSON has no infinity."""
    return None if number is None or not math.isfinite(number) else number
