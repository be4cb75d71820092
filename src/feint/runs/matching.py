"""Matches between players by name, or as they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from feint.evaluate.match import Match, exact_winnings, play_players
from feint.games.errors import check_seed
from feint.games.game import Game
from feint.players.player import Player
from feint.runs.lineup import Who, line_up


def match(
    first: Who,
    second: Who,
    hands: int = 100_000,
    *,
    game: Game[Any] | str | None = None,
    seed: int = 0,
    trust: bool = False,
    progress: Callable[[Match], None] | None = None,
) -> Match:
    """Play two players on duplicate deals, for at least so many hands: what the first wins, with its 95% interval.

    Players are runs, agents and others by name, or strategies and players of your own, with the `game` that they are
    for: `match("feint:leduc", "random").winnings`. The second takes all seats but one. `exact` has what is won luck
    aside, where that can be worked out. `progress` is told how the match stands; `trust` is as for `load_run`.
    """
    check_seed(seed)
    lineup = line_up((first, second), game, seed, trust=trust)
    try:
        played = play_players(lineup.form, lineup.players, hands, seed, progress)
        return replace(played, exact=exact_winnings(lineup.form, lineup.players))
    finally:
        for who, player in zip((first, second), lineup.players, strict=True):
            if not isinstance(who, Player):  # one's own may play on
                player.close()
