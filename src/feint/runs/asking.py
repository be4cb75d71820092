"""Players by name asked about one spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from feint.forms.library import form_of
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.players.player import Player, StrategyPlayer
from feint.players.spots import Answer, answer, find_spot
from feint.runs.lineup import line_up
from feint.runs.run import Run, load_run


def ask(
    who: Run | Strategy | Player | Path | str,
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
    if isinstance(who, str):
        lineup = line_up((who,), game, trust=trust)
        form, asked = lineup.form, lineup.players[0]
    else:
        who = load_run(who, game, trust) if isinstance(who, Path) else who
        if isinstance(who, Run):
            form, who = who.form, who.strategy
        elif game is None:
            raise BadInput("A strategy does not say which game it is for; name it: ask(strategy, spot, game='kuhn').")
        else:
            form = form_of(game)
        asked = who if isinstance(who, Player) else StrategyPlayer(who, form)
    return answer(form, asked, find_spot(form, spot, board, betting, player))
