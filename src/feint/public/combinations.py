"""Groups of cards by number: every way to choose some of so many, in one fixed order."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from jaxtyping import Int


def chosen(of: int, count: int) -> Int[np.ndarray, "c k"]:
    """Every choice of `count` numbers below `of`, each ascending; choice i has the number i."""
    choices = sorted(combinations(range(of), count), key=lambda choice: choice[::-1])
    return np.array(choices, np.int32).reshape(comb(of, count), count)


def choices_of(numbers: Int[np.ndarray, " b"], of: int, count: int) -> Int[np.ndarray, "b k"]:
    """The choices of `count` numbers below `of` that have these numbers, without listing the others."""
    found, left, table = np.empty((len(numbers), count), np.int32), numbers, binomials(of, count)
    for place in reversed(range(count)):
        found[:, place] = np.searchsorted(table[:, place], left, side="right") - 1
        left = left - table[found[:, place], place]
    return found


def binomials(of: int, count: int) -> Int[np.ndarray, "n k"]:
    """What each number of an ascending choice adds to the number of that choice, by its place."""
    return np.array([[comb(each, place + 1) for place in range(count)] for each in range(of)], np.int32)


def number_of(choices: Int[np.ndarray, "*b k"], of: int) -> Int[np.ndarray, "*b"]:
    """The number of each choice, whose numbers may come in any order."""
    count = choices.shape[-1]
    ascending = np.sort(choices, -1)
    return np.asarray(binomials(of, count)[ascending, np.arange(count)].sum(-1, dtype=np.int32))
