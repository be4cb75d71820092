"""Best responses on the sequence form, for compiled code. Tables given here must be sound: `evaluate` checks them."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.tree.compiled import options
from feint.tree.sequence_form import SequenceForm, without
from feint.tree.tree import Tree


def nash_conv_of(form: SequenceForm, table: Float[Array, "i a"]) -> Float[Array, ""]:
    """NashConv of a table."""
    strategies = form.vectors(table)
    plans = form.plans(strategies)
    total = jnp.zeros(())
    for player, side in enumerate(form.sides):
        total = total - (plans[player][:-1] * side.backup(without(player, plans)).advantage).sum()
    return total


def response_gap(form: SequenceForm, table: Float[Array, "i a"], responses: Float[Array, "i a"]) -> Float[Array, ""]:
    """What the responses leave on the table: the sum over players of best-response value minus their response's."""
    plans = form.plans(form.vectors(table))
    total = jnp.zeros(())
    for player, (side, response) in enumerate(zip(form.sides, form.vectors(responses), strict=True)):
        others = without(player, plans)
        total = total + side.backup(others).value - side.backup(others, response).value
    return total


class Judgement(NamedTuple):
    """All there is to say about a table."""

    values: Float[Array, " p"]
    """What each player earns when all follow it, in chips per hand."""
    best_values: Float[Array, " p"]
    """What each could earn by a best response."""
    responses: Float[Array, "i a"]
    """Every player's pure best response."""
    gains: Float[Array, " i"]
    """What each information set contributes to NashConv."""


def judged(form: SequenceForm, table: Float[Array, "i a"]) -> Judgement:
    """Judge a table."""
    strategies = form.vectors(table)
    plans = form.plans(strategies)
    values, best, responses = [], [], []
    gains = jnp.zeros(form.infosets)
    for player, side in enumerate(form.sides):
        worth = side.backup(without(player, plans))
        lost = -plans[player][:-1] * worth.advantage
        best.append(worth.value)
        values.append(worth.value - lost.sum())
        responses.append(side.pure(worth))
        gains = gains.at[side.infosets(form.moves)].set(side.per_infoset(lost), unique_indices=True)
    return Judgement(jnp.stack(values), jnp.stack(best), form.table(responses), gains)


@final
class Judge:
    """The judges of one game, compiled.

    They are called often on small games, where taking the sequence form apart and looking up compiled code by its
    structure would cost more than judging. So the form is taken apart once, and its structure is a constant.
    """

    def __init__(self, form: SequenceForm) -> None:
        self._arrays, structure = jax.tree.flatten(form)
        jit = partial(jax.jit, compiler_options=options(len(self._arrays)))
        self._nash_conv = jit(lambda arrays, table: nash_conv_of(jax.tree.unflatten(structure, arrays), table))
        self._judged = jit(lambda arrays, table: judged(jax.tree.unflatten(structure, arrays), table))

    def nash_conv(self, table: Float[np.ndarray, "i a"]) -> float:
        return float(self._nash_conv(self._arrays, table))

    def judged(self, table: Float[np.ndarray, "i a"]) -> Judgement:
        judgement: Judgement = self._judged(self._arrays, table)
        return judgement


_JUDGES: dict[str, Judge] = {}
"""By the tree's fingerprint, so that a game unrolled again is not compiled again; the last so many."""
JUDGES = 32


def judge_of(tree: Tree) -> Judge:
    """The judges of a game; the same again are not compiled again."""
    if tree.fingerprint not in _JUDGES:
        if len(_JUDGES) == JUDGES:
            _JUDGES.pop(next(iter(_JUDGES)))
        _JUDGES[tree.fingerprint] = Judge(tree.form)
    return _JUDGES[tree.fingerprint]
