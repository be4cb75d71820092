"""What a thesis says of its agents, measured: how often they fold, which units are silent, and what a small sample of
hands or of states makes of exploitability.

All of it is on unrolled games and from tables, so that what is sampled there has its exact mean and spread here.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.games.poker import FOLD
from feint.learners.networks import ACTIVATIONS, MLP, Network
from feint.learners.self_play import SelfPlay, SelfPlayState
from feint.tree.best_response import nash_conv_of, response_gap
from feint.tree.move_values import levels_of
from feint.tree.sequence_form import SequenceForm
from feint.tree.tree import Tree

HANDS, STATES = 100, 32
"""Hands and states of a small sample."""


TRACE = 1e-12
"""What comes more rarely never comes."""
NUMBERS = {
    "exploitability": "exact, in chips per hand",
    "gap": "by how much learned best responses fall short of exact ones, in the same unit",
    "wishes_fold": "the share of decisions, by how often they come, at which the value network wants to fold",
    "mute": "… and at which it says 0 of every move",
    "folds": "how often the best response folds to a bet, by how often that comes",
    "average_folds": "how often the average does, every situation counting as one",
    "silent_values": "the share of a value network's hidden units that are 0 in all situations",
    "silent_policy": "… and of an average's",
    "hands": f"exploitability as {HANDS} hands of learned best responses against averages have it …",
    "hands_spread": "… and the standard deviation of such a sample, exact",
    "promised": "the mean over all situations of what the value network says its best move is worth",
    "states": f"the same over {STATES} of them, drawn …",
    "states_spread": "… and the standard deviation of such a sample, exact",
}
"""What is measured, in words."""


class Snapshot(NamedTuple):
    """A learner at one time, as arrays: tables have a row for each information set."""

    exploitability: Float[Array, ""]
    gap: Float[Array, ""]
    """By how much the learned best responses fall short of exact ones, in the same unit."""
    average: Float[Array, "i a"]
    response: Float[Array, "i a"]
    """The learned best response as it is played …"""
    wished: Float[Array, "i a"]
    """… and as its network would have it, moves that are not legal included where they are not masked."""
    values: Float[Array, "i a"]
    """What it says moves are worth, in chips."""
    silent: Float[Array, "2"]
    """The share of hidden units that are 0 in all situations: of value networks, and of policies."""


def snapshot(learner: SelfPlay, state: SelfPlayState, form: SequenceForm) -> Snapshot:
    """Look at a learner on an unrolled game."""
    seats, average, response = learner.seats(state), learner.averages(state), learner.responses(state)
    networks = [(seat.values.network, seat.policy.network if seat.policy else seat.values.network) for seat in seats]
    wished, values, silent = [], [], []
    for each, pair in zip(learner.learners, networks, strict=True):
        wished.append(each.best(pair[0], None))
        values.append(pair[0].at(each.here, None, None) / learner.scale)
        silent.append(jnp.stack([_silent(network, each.here.features(None)) for network in pair]))
    return Snapshot(
        nash_conv_of(form, average) / len(seats),
        response_gap(form, average, response) / len(seats),
        average,
        response,
        jnp.concatenate(wished),
        jnp.concatenate(values),
        jnp.stack(silent).mean(0),
    )


def _silent(network: Network, rows: Float[Array, "i f"]) -> Float[Array, ""]:
    """The share of the first layer's units that are 0 whatever is seen."""
    assert isinstance(network, MLP), "only networks without a recurrent layer"
    layer = network.layers[0]
    said = rows @ layer.weight.T + (0.0 if layer.bias is None else layer.bias)
    return (ACTIVATIONS[network.activation](said) == 0).all(0).mean()


def reaches(tree: Tree, table: Float[np.ndarray, "i a"]) -> Float[np.ndarray, " n"]:
    """How likely each node is when all keep to a table."""
    before, inner = tree.infoset[tree.parent], tree.actor[tree.parent] >= 0
    reach = np.where(inner, table[before, np.where(inner, tree.move, 0)], tree.chance)
    reach[0] = 1.0
    for level in levels_of(tree)[1:]:
        reach[level] *= reach[tree.parent[level]]
    return reach


def measured(tree: Tree, seen: Snapshot, chance: np.random.Generator) -> dict[str, float]:
    """Numbers of one seed of a game for two: exact ones, and samples as the thesis draws them."""
    average, response, wished, values = (
        np.asarray(each, np.float64) for each in (seen.average, seen.response, seen.wished, seen.values)
    )
    often, variances, drawn = np.zeros(len(tree.player)), [], []
    for player in range(tree.players):
        reach = reaches(tree, np.where((tree.player == player)[:, None], response, average))
        decides = tree.actor == player
        often += np.bincount(tree.infoset[decides], reach[decides], len(often))
        ends, won = reach[tree.terminal], tree.payoff[tree.terminal, player]
        variances.append(ends @ (won - ends @ won) ** 2)
        drawn.append(chance.choice(won, HANDS // tree.players, p=ends / ends.sum()).mean())
    faced, best = tree.legal[:, FOLD], values.max(1)
    numbers = {
        "exploitability": seen.exploitability,
        "gap": seen.gap,
        "wishes_fold": often @ wished[:, FOLD] / often.sum(),
        "mute": often @ (values == 0).all(1) / often.sum(),
        "folds": often[faced] @ response[faced, FOLD] / max(often[faced].sum(), TRACE),
        "average_folds": average[faced, FOLD].mean(),
        "silent_values": seen.silent[0],
        "silent_policy": seen.silent[1],
        "hands": np.mean(drawn),
        "hands_spread": np.sqrt(np.mean(variances) / HANDS),
        "promised": best.mean(),
        "states": chance.choice(best, STATES).mean(),
        "states_spread": best.std() / np.sqrt(STATES),
    }
    return {name: float(f"{value:.4g}") for name, value in numbers.items()}
