"""The form of a game that tells most of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from feint.forms.form import Form
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.library import game_of
from feint.games.names import modules


def form_of(game: Game[Any] | str, report: Callable[[int], None] | None = None) -> Form:
    """A game, or the one of this name, in the first form that is for it; `report` is told of progress in nodes."""
    game = game_of(game)
    for kind in forms():
        if (form := kind.of(game, report)) is not None:
            return form
    raise BadInput(
        f"{game.name} is too large to unroll, and only poker can be played without that; choose a smaller game."
    )


def forms() -> list[type[Form]]:
    """All forms there are, those first that tell more."""
    found = (kind for module in modules("feint.forms") for kind in getattr(module, "FORMS", ()))
    return sorted(found, key=lambda kind: kind.order)
