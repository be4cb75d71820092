"""Best responses on the sequence form, for compiled code. Tables given here must be sound: `evaluate` checks them."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

from feint.tree.sequence_form import SequenceForm, without


def nash_conv_of(form: SequenceForm, table: Float[Array, "i a"]) -> Float[Array, ""]:
    """NashConv of a table."""
    strategies = form.vectors(table)
    plans = form.plans(strategies)
    total = jnp.zeros(())
    for player, seat in enumerate(form.seats):
        others = without(player, plans)
        advantage, _ = seat.backup(others, lambda _, worth: worth.max(0))
        total = total - (plans[player][:-1] * advantage).sum()
    return total


def response_gap(form: SequenceForm, table: Float[Array, "i a"], responses: Float[Array, "i a"]) -> Float[Array, ""]:
    """What the responses leave on the table: the sum over players of best-response value minus their response's."""
    plans = form.plans(form.vectors(table))
    total = jnp.zeros(())
    for player, (seat, response) in enumerate(zip(form.seats, form.vectors(responses), strict=True)):
        others = without(player, plans)
        _, best = seat.backup(others, lambda _, worth: worth.max(0))
        _, got = seat.backup(others, seat.expected(response))
        total = total + best - got
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
    for player, seat in enumerate(form.seats):
        others = without(player, plans)
        advantage, most = seat.backup(others, lambda _, worth: worth.max(0))
        lost = -plans[player][:-1] * advantage
        best.append(most)
        values.append(most - lost.sum())
        responses.append(seat.pure(advantage))
        gains = gains.at[seat.infosets(form.moves)].set(seat.per_infoset(lost), unique_indices=True)
    return Judgement(jnp.stack(values), jnp.stack(best), form.table(responses), gains)
