"""Judging strategies: exactly, by bounds, and by playing them against each other."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table

from feint.cli import terminal
from feint.cli.terminal import AsJson, RunName, Waiting, err, out, print_json
from feint.games.errors import check_seed

LEAKS = 8
"""How many information sets are named that give a strategy away …"""
SMALLEST = 0.005
"""… each with at least this share."""
WORTH_TELLING = 1.5
"""By how much duplicate deals must have shortened a match to be spoken of."""


def evaluate(
    name: RunName,
    hands: Annotated[int, typer.Option(help="Hands to play where the game is too large to judge exactly.")] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Judge a run's strategy: what it earns, what a best response would, and where it gives most away."""
    from feint.arena.policy import PlayedStrategy
    from feint.evaluate.exploitability import best_response, deviations, expected_values
    from feint.runs.folder import load_run
    from feint.tree.cache import unroll

    with err.status("reading"):
        run = load_run(name)
    if isinstance(run.strategy, PlayedStrategy):
        _evaluate_large(run, name, hands, as_json)
        return
    with err.status("judging"):
        tree = unroll(run.config.game)
        values = expected_values(tree, run.strategy)
        best = [best_response(tree, run.strategy, player).value for player in range(tree.players)]
    gap = sum(best) - float(values.sum())
    if as_json:
        given = deviations(tree, run.strategy)
        print_json(
            {
                "run": name,
                "game": run.config.game,
                "algorithm": run.config.algorithm,
                "exploitability": gap / tree.players,
                "nash_conv": gap,
                "values": values.tolist(),
                "best_response_values": best,
                "unit": "chips per hand",
                "kind": "exact",
                "deviations": [
                    {"player": int(tree.player[row]), "sees": tree.labels[row], "gain": float(given.gain[row])}
                    for row in (-given.gain).argsort(kind="stable")[:10]
                ],
            }
        )
        return
    table = Table("player", "value", "best response", "gain", box=None, pad_edge=False)
    for player, (value, most) in enumerate(zip(values, best, strict=True)):
        table.add_row(str(player + 1), f"{value:+.6f}", f"{most:+.6f}", f"{most - value:.2e}")
    out.print(table)
    out.print(f"\nexploitability {gap / tree.players:.6g}, NashConv {gap:.6g} chips per hand (exact)")
    given = deviations(tree, run.strategy)
    worst = [row for row in (-given.gain).argsort(kind="stable")[:LEAKS] if given.share[row] >= SMALLEST]
    if worst:
        out.print("\nwhere it gives most away, as shares of that:")
        for row in worst:
            out.print(f"  {given.share[row]:4.0%}  player {tree.player[row] + 1}, {tree.labels[row]}")


def _evaluate_large(run: Any, name: str, hands: int, as_json: bool) -> None:
    """Winnings against random play, and what a local best response wins: a lower bound on exploitability."""
    from feint.arena.betting import playground
    from feint.arena.cards import build_card_arena
    from feint.arena.policy import Uniform
    from feint.evaluate.bound import Bound
    from feint.evaluate.local_best_response import local_best_response
    from feint.evaluate.match import match
    from feint.games.library import load_game
    from feint.runs.card import at_least
    from feint.runs.folder import keep_bound
    from feint.tree.tree import Tree

    with err.status("unrolling the betting"):
        game = playground(load_game(run.config.game))
        assert not isinstance(game, Tree), "only large games have such strategies"
        arena = build_card_arena(game)
    bound: Bound | None = None

    def follow(found: Bound) -> None:
        nonlocal bound
        bound = found.in_big_blinds(game.big_blind)
        status.update(f"{bound.hands:,} of {hands:,} hands: {at_least(bound)}; Ctrl-C leaves it there")

    with Waiting("playing") as status:
        played = match(arena, run.strategy.policy, Uniform(arena), hands)
        mean, reach = played.in_big_blinds(game.big_blind)
        status.update("looking for a best response")
        try:
            if game.players == 2:  # a local best response has one opponent
                local_best_response(game, run.strategy.policy, hands, progress=follow)
        except KeyboardInterrupt:
            if bound is None:
                raise
            terminal.interrupted = True
    if as_json:
        print_json(
            {
                "run": name,
                "game": run.config.game,
                "algorithm": run.config.algorithm,
                "winnings": {"value": mean, "error": reach, "unit": "mbb/h", "kind": "estimate, against random play"},
                "exploitability": asdict(bound) if bound else None,
            }
        )
    else:
        known = (
            f"{at_least(bound)}, over {bound.hands:,} hands: a lower bound" if bound else "unknown for three or more"
        )
        out.print(f"winnings       {mean:,.0f} ± {reach:,.0f} mbb/h against random play, {played.hands:,} hands")
        out.print(f"exploitability {known}", soft_wrap=True)
    if bound is None:
        return
    try:
        kept = keep_bound(run, bound, game)
    except OSError as error:
        err.print(f"The bound is not kept, because {run.path} cannot be written ({error.strerror}).", soft_wrap=True)
    else:
        if kept:
            err.print(f"The bound is kept in {kept}.", soft_wrap=True)


def play_match(
    first: Annotated[
        str, typer.Argument(metavar="A", help="A run's folder, an agent (see feint agents), random, call, raise, fold.")
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="Likewise; it takes all seats but one.")],
    game: Annotated[str | None, typer.Option(help="The game, where neither is a run.")] = None,
    hands: Annotated[int, typer.Option(help="Hands to play; every deal is played from each seat.")] = 100_000,
    seed: Annotated[int, typer.Option(help="The seed of the deals.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Play two players against each other on duplicate deals: what the first wins, with its 95% interval."""
    from feint.evaluate.match import Match, expected_winnings, match
    from feint.players.table import StrategyPlayer
    from feint.runs.seats import seat
    from feint.tree.tree import Tree

    played: Match | None = None

    def follow(so_far: Match) -> None:
        nonlocal played
        played = so_far
        mean, reach = played.in_big_blinds(table.big_blind)
        status.update(f"{played.hands:,} of {hands:,} hands: {mean:+,.1f} ± {reach:,.1f} mbb/h; Ctrl-C leaves it there")

    check_seed(seed)
    with Waiting("reading") as status:
        table = seat((first, second), game)
        status.update("playing")
        one, other = table.policies
        try:
            match(table.arena, one, other, hands, seed, follow)
        except KeyboardInterrupt:
            if played is None:
                raise
            terminal.interrupted = True
    assert played is not None
    mean, reach = played.in_big_blinds(table.big_blind)
    exact: float | None = None
    if isinstance(table.ground, Tree):
        exact = expected_winnings(
            table.ground, *(StrategyPlayer(each).written(table.ground) for each in table.policies)
        )
    if as_json:
        words = {"first": first, "second": second, "game": table.ground.name, "hands": played.hands}
        saved = played.saved if math.isfinite(played.saved) else None
        known = None if exact is None else 1000 * exact / table.big_blind
        print_json(words | {"winnings": mean, "error": reach, "exact": known, "unit": "mbb/h", "deals_saved": saved})
        return
    off = f"off {second}, over {played.hands:,} hands of {table.ground.name}"
    chips = f"{played.mean:+.4g} chips a hand"
    out.print(f"{first} wins {mean:+,.1f} ± {reach:,.1f} mbb/h (95%; {chips}) {off}", soft_wrap=True)
    if exact is not None:
        out.print(f"luck aside {1000 * exact / table.big_blind:+,.1f} mbb/h ({exact:+.4g} chips a hand, exact)")
    if WORTH_TELLING <= played.saved < math.inf:
        told = f"(Without playing every deal from every seat this would take {played.saved:.1f} times as many hands.)"
        err.print(told, soft_wrap=True)
