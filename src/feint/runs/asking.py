"""Players by name asked about one spot."""

from __future__ import annotations

from typing import Any

from feint.games.game import Game
from feint.players.spots import Answer, answer, find_spot
from feint.runs.lineup import Who, line_up


def ask(
    who: Who,
    spot: str,
    board: str = "",
    betting: str = "",
    *,
    game: Game[Any] | str | None = None,
    player: int | None = None,
    trust: bool = False,
) -> Answer:
    """How often each move is made at one spot and, where it is known, what each wins there.

    `who` is a run, an agent or a player by name, or a strategy or a player of your own, with the `game` that it is for.
    In poker `spot` is the cards of whoever is to move, with the board and the betting so far: `ask("feint:holdem",
    "AhKh", "2c7d9s", "raise call / check bet")`; before the flop AKs, AKo or 99 does as well. Elsewhere it is a label,
    as `feint show` prints it. Where one spot may be several players', or to be sure whose it is, name the `player`,
    from 0 on. `trust` is as for `load_run`.
    """
    lineup = line_up((who,), game, trust=trust)
    return answer(lineup.form, lineup.players[0], find_spot(lineup.form, spot, board, betting, player))
