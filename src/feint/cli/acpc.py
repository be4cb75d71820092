"""The annual computer poker competition's protocol: its programs at our table, and our players at other tables."""

from __future__ import annotations

from statistics import fmean
from typing import Annotated

import typer

from feint.cli.terminal import AsJson, GameName, Interruptible, PlayerName, Trust, Waiting, err, out, print_json
from feint.games.errors import BadInput, check_seed

app = typer.Typer(
    no_args_is_help=True,
    help="Speak the annual computer poker competition's protocol over TCP, as dealer or as player.",
)

Host = Annotated[str, typer.Option(help="The address; nobody is asked there who they are.")]


@app.command()
def dealer(
    game: Annotated[str, typer.Argument(help="Poker for two: holdem, holdem_no_limit, leduc, kuhn …")],
    port: Annotated[list[int], typer.Option(help="Where a program is waited for; give it twice, once for each.")],
    host: Host = "127.0.0.1",
    hands: Annotated[int, typer.Option(help="Hands to play; every deal is played from each seat.")] = 3000,
    seed: Annotated[int, typer.Option(help="The seed of the deals.")] = 0,
    seconds: Annotated[float, typer.Option(help="How long a move may take.")] = 60.0,
    start_seconds: Annotated[float, typer.Option(help="How long programs are waited for.")] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Deal a match between two programs on duplicate deals; feint match PLAYER 'acpc(port=…)' has one meet ours."""
    from feint.cli.judge import play_match

    check_seed(seed)
    if len(port) != 2:
        raise BadInput(
            f"Two programs play a match, each at a port of its own, but {len(port)} were given: --port twice."
        )
    waits = f"host={host!r}, seconds={seconds:g}, start_seconds={start_seconds:g}"
    first, second = (f"acpc(port={each}, {waits})" for each in port)
    err.print(f"Waiting for programs at {host}, ports {port[0]} and {port[1]}.", soft_wrap=True)
    play_match(first, second, game, hands=hands, seed=seed, as_json=as_json)


@app.command("play")
def play_acpc(
    name: PlayerName,
    port: Annotated[int, typer.Option(help="The dealer's port.")],
    host: Host = "127.0.0.1",
    game: GameName = None,
    trust: Trust = False,
    hands: Annotated[
        int | None, typer.Option(help="Leave after so many hands; by default when the dealer does.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed of what the player does at random.")] = None,
    seconds: Annotated[float, typer.Option(help="How long the dealer may say nothing.")] = 600.0,
    as_json: AsJson = False,
) -> None:
    """Seat a player at a dealer of the competition's, or of another program that speaks like it."""
    from feint.players.acpc_client import Client, connect
    from feint.runs.lineup import line_up

    check_seed(seed or 0)
    won: list[float] = []
    with Waiting("reading") as status, Interruptible() as keeping:
        lineup = line_up((name,), game, seed, trust=trust)

        def told(chips: float) -> None:
            won.append(chips)
            keeping.something = True
            status.update(f"{len(won):,} hands, {sum(won):+g} chips; Ctrl-C leaves it there")

        with connect(host, port, seconds) as lines:
            status.update("playing")
            Client(lineup.form, lineup.players[0], lines, seconds).play(hands, told)
    mean = fmean(won) if won else 0.0
    if as_json:
        print_json({"player": name, "game": lineup.form.name, "hands": len(won), "chips": sum(won), "per_hand": mean})
        return
    out.print(f"{name} won {sum(won):+g} chips in {len(won):,} hands of {lineup.form.name} ({mean:+.4g} a hand)")
