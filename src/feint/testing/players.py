"""Whether a player is what `feint.players.player` says that all of them are."""

from __future__ import annotations

from typing import Any

from feint.forms.library import form_of
from feint.games.errors import BadInput, IllegalMove, told
from feint.games.game import Game
from feint.players.player import Player, PlayerConfig
from feint.players.simple import Random
from feint.players.table import Table


def check_player(player: PlayerConfig, game: Game[Any] | str, hands: int = 50) -> None:
    """Raise `BadInput` at the first promise that a player, by its settings, breaks at a game.

    It sits in every seat for so many hands, there alone or in all the others, makes only moves that are on offer, and
    with the same seed the same ones.
    """
    form = form_of(game)
    name, won = type(player).__name__, []
    for _ in range(2):
        table, mine, others = Table(form.game, seed=1), player.at(form, 2), Random().at(form, 3)
        try:
            won.append([table.hand(_sitting(mine, others, form.players, hand)) for hand in range(hands)])
        except IllegalMove as error:
            raise BadInput(f"{name} breaks the rules of {form.name}: {error}") from error
        except Exception as error:
            raise BadInput(f"{name} cannot play {form.name} ({told(error)}); mend it.") from error
    if won[0] != won[1]:
        raise BadInput(f"{name} plays otherwise with the same seed; let all that is random come from its seed.")


def _sitting(mine: Player, others: Player, players: int, hand: int) -> list[Player]:
    """One of two players in a seat of its own, the other in all the rest; once round the table they change places."""
    alone, rest = (mine, others) if hand // players % 2 == 0 else (others, mine)
    return [alone if number == hand % players else rest for number in range(players)]
