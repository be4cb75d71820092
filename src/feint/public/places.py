"""Decisions of a public tree by what was bet and dealt, where boards may go by other suits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from feint.games.cards import Cards
from feint.games.hand import Moves
from feint.public.combinations import number_of
from feint.public.hands import renamed_hands
from feint.public.lines import Decision
from feint.public.tree import PublicTree


class Place(NamedTuple):
    """A decision on one board."""

    number: int
    """The round."""
    decision: Decision
    line: int
    board: int
    hands: Int[np.ndarray, " h"]
    """Each hand that comes at the start by what it is called there."""


def place_of(tree: PublicTree, moves: Moves, dealt: Sequence[Cards]) -> Place:
    """Where some betting leads with these cards dealt in each round after the first, in a tree from ranges."""
    node = tree.betting.moves.index(moves)
    number, board, renaming = len(moves) - 1, 0, 0
    renamings, composed = np.asarray(tree.renamings), np.asarray(tree.composed)
    for stage, cards in zip(tree.rounds[1:], dealt, strict=False):
        draw = number_of(renamings[renaming][list(cards)], renamings.shape[1])
        renaming, board = int(composed[stage.renaming[board, draw], renaming]), int(stage.place[board, draw])
    decision = next(each for each in tree.rounds[number].betting.decisions if node in each.nodes)
    line = int(np.flatnonzero(decision.nodes == node)[0])
    return Place(number, decision, line, board, renamed_hands(renamings, np.asarray(tree.held))[renaming])
