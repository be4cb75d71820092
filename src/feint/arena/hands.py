"""Hands played to their end, thousands at once: by whom, and what everyone wins."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from feint.arena.arena import Arena, InfoState, Where, as_uniform, draw, for_device, playable, random_words
from feint.arena.policy import Policy

ROWS = {"cpu": 1 << 12, "gpu": 1 << 15}
"""Tables at which a move is made at once."""


def play_deals(arena: Arena, policies: tuple[Policy, Policy], deals: int, key: PRNGKeyArray) -> Float[Array, "d p"]:
    """What the first policy wins on each of so many deals in each seat, in chips; nan where one has no chances."""
    dealing, playing = jax.random.split(key)
    players = arena.players
    dealt = arena.deal(random_words(dealing, arena.deal_words, deals))
    where = jax.tree.map(lambda leaf: jnp.repeat(leaf, players, 0), dealt)
    seat = jnp.tile(jnp.arange(players), deals)
    payoff = play_out(arena, policies, (jnp.arange(players) != seat[:, None]).astype(jnp.int32), where, playing)
    return jnp.take_along_axis(arena.per_hand(payoff), seat[:, None], 1).reshape(deals, players)


class Tables(NamedTuple):
    """Hands being played, each at a table of its own."""

    where: Where
    waits: Int[Array, " t"]
    """Whom each table waits for: policy · players + seat, and past all of these where the hand is over."""
    won: Float[Array, "t p"]
    key: PRNGKeyArray


def play_out(
    arena: Arena, policies: tuple[Policy, ...], seated: Int[Array, "t p"], where: Where, key: PRNGKeyArray
) -> Float[Array, "t p"]:
    """Play hands to their end; `seated` says which policy sits where. What each seat wins, in chips.

    One policy is asked at a time, in one seat: that for which most tables wait, for as many of them as are taken at
    once. So nobody is asked what another decides, and the longest hands keep no one waiting. A hand in which a policy
    answers with anything but chances of legal moves is played on, and worth nan: whoever judges has to say so.
    """
    tables, players = seated.shape
    askable = len(policies) * players
    rows = min(for_device(ROWS), math.ceil(tables / (2 * askable)))

    def waiting_for(where: Where, seated: Int[Array, "b p"]) -> Int[Array, " b"]:
        turn = arena.turn(where)
        return jnp.take_along_axis(seated, turn[:, None], 1)[:, 0] * players + turn

    def move(state: Tables) -> Tables:
        key, drawing = jax.random.split(state.key)
        words = random_words(drawing, arena.play_words + 1, rows)
        asked = (state.waits[:, None] == jnp.arange(askable)).sum(0).argmax()
        places = jnp.nonzero(state.waits == asked, size=rows, fill_value=tables)[0]
        here, chairs = jax.tree.map(lambda leaf: leaf.at[places].get(mode="clip"), (state.where, seated))
        answers = [partial(_ask, policy) for policy in policies]
        seen = arena.infostate(here)
        told, legal = jax.lax.switch(asked // players, answers, seen, asked % players), arena.legal(seen)
        played = arena.play(here, draw(told, as_uniform(words[-1]), legal), words[:-1])
        payoff = jnp.where(playable(told, legal)[:, None], played.payoff, jnp.nan)
        waits = jnp.where(played.done, askable, waiting_for(played.where, chairs))
        return Tables(
            jax.tree.map(lambda leaf, new: leaf.at[places].set(new, mode="drop"), state.where, played.where),
            state.waits.at[places].set(waits.astype(state.waits.dtype), mode="drop"),
            state.won.at[places].add(payoff, mode="drop"),
            key,
        )

    start = Tables(where, waiting_for(where, seated), jnp.zeros((tables, players), jnp.float32), key)
    won: Float[Array, "t p"] = jax.lax.while_loop(lambda state: (state.waits < askable).any(), move, start).won
    return won


def _ask(policy: Policy, infostate: InfoState, seat: Int[Array, ""]) -> Float[Array, "b a"]:
    return policy(infostate, seat)
