"""Hands by their cards, where only some of them come and keep their numbers on every board."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, lcm

import numpy as np
from jaxtyping import Bool, Int

from feint.public.boards import Boards, Renamings
from feint.public.combinations import number_of


def open_hands(held: Int[np.ndarray, "h k"], boards: Int[np.ndarray, "b c"]) -> Bool[np.ndarray, "b h"]:
    """Which hands have no card of each board."""
    return np.asarray(~(held[None, :, :, None] == boards[:, None, None, :]).any((2, 3)))


def same_held(boards: Boards, renamings: Renamings, held: Int[np.ndarray, "h k"]) -> Int[np.ndarray, "b s h"] | None:
    """What becomes of the hands that come under renamings that leave a board as it is; None where there is but one."""
    most = lcm(*boards.alike.sum(1).tolist())
    if most == 1:
        return None
    ways = np.array([np.resize(np.flatnonzero(alike), most) for alike in boards.alike])
    same: Int[np.ndarray, "b s h"] = renamed_hands(renamings, held)[ways]
    return same


def renamed_hands(renamings: Renamings, held: Int[np.ndarray, "h k"]) -> Int[np.ndarray, "g h"]:
    """The number of each hand, among these, that renaming suits makes of each; −1 where it is none of them."""
    cards = renamings.shape[1]
    number = np.full(comb(cards, held.shape[1]), -1, np.int32)
    number[number_of(held, cards)] = np.arange(len(held))
    return np.array([number[number_of(renaming[held], cards)] for renaming in renamings])


def unchanged(
    renamings: Renamings, held: Int[np.ndarray, "h k"], ranges: Sequence[np.ndarray]
) -> Int[np.ndarray, "_ n"]:
    """The renamings of suits that leave ranges as they are."""
    after = renamed_hands(renamings, held)
    return renamings[[all(np.array_equal(weights[hands], weights) for weights in ranges) for hands in after]]
