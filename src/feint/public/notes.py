"""What moves are worth to each hand at every decision of a public tree, under a strategy."""

from __future__ import annotations

from typing import NamedTuple, final

from jaxtyping import Array, Float

from feint.public.judge import Kept
from feint.public.play import Moves, Tables, Written, mean
from feint.public.sweep import Page, Reach, run
from feint.public.tree import PublicTree


class Note(NamedTuple):
    """A decision under a strategy. Values are weighted with how often the other comes with hands that can be met."""

    values: Moves
    """What each move is worth."""
    mine: Float[Array, "b l h"]
    """How often the player comes there with each hand …"""
    theirs: Float[Array, "b l h"]
    """… and the other."""


@final
class Noting(Kept):
    """Both do as the strategy says, and it is noted what that means for the player."""

    def start(self, tree: PublicTree) -> Float[Array, " h"]:
        return tree.ranges[self.player]

    def settle(self, page: Page, reach: Reach, play: Moves | None, values: Moves) -> tuple[Float[Array, "b l h"], Page]:
        assert play is not None
        return mean(play, values), Note(values, reach.mine, reach.theirs)


def notes_of(tree: PublicTree, tables: Tables, player: int) -> tuple[Float[Array, " h"], tuple[tuple[Page, ...], ...]]:
    """What each hand is worth to a player at the start, weighted likewise, and a note at each of their decisions."""
    blank = tuple(
        tuple(
            Note(moves := stage.zeros(decision.number), moves[0], moves[0]) if decision.actor == player else None
            for decision in stage.betting.decisions
        )
        for stage in tree.rounds
    )
    return run(tree, Noting(player, Written(tables)), blank)
