"""Tournaments: many networks meet the same opponents on the same deals, in every seat and all at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from feint.arena.arena import Arena, InfoState, Where, as_uniform, draw, random_words
from feint.arena.situations import Shown, Situations
from feint.learners.bettor import Bettor
from feint.learners.networks import Network
from feint.tree.sequence_form import Plan, SequenceForm, without

Many = Network
"""Networks of one shape as one, its arrays with an axis for them in front."""
Ask = Callable[[InfoState, Int[Array, " t"]], Float[Array, "t a"]]
"""What is done at every table, given what is seen there and in which seat."""


class Pairing(NamedTuple):
    """Who plays at each table: an entrant in one seat, and an opponent in all others."""

    entrant: Int[Array, " t"]
    opponent: Int[Array, " t"]
    seat: Int[Array, " t"]
    deal: Int[Array, " t"]


class Tables(NamedTuple):
    """Hands being played, one at each table."""

    key: PRNGKeyArray
    where: Where
    over: Bool[Array, " t"]
    won: Float[Array, "t p"]


@final
class Tournament(eqx.Module):
    """A game, and how networks play it."""

    arena: Arena
    seats: tuple[Situations, ...]
    bettor: Bettor

    def __call__(self, entrants: Many, opponents: Many, deals: int, key: PRNGKeyArray) -> Float[Array, " n"]:
        """What each entrant wins, in chips a hand, when it meets every opponent on so many deals in every seat.

        All of them meet an opponent with the same cards and the same luck: random numbers are those of the meeting, not
        of the table. So those who would decide alike win alike, and what is between them is less of an accident.
        """
        arena, dealing, playing = self.arena, *jax.random.split(key)
        shape = count(entrants), count(opponents), arena.players, deals
        entrant, opponent, seat, deal = (each.ravel() for each in jnp.indices(shape, jnp.int32))
        paired = Pairing(entrant, opponent, seat, opponent * deals + deal)
        dealt = arena.deal(random_words(dealing, arena.deal_words, shape[1] * deals))
        at_tables = isinstance(self.seats[0], Shown)
        ask = (self._at_tables if at_tables else self._listed)(entrants, opponents, paired, dealt)

        def move(now: Tables) -> Tables:
            key, drawing = jax.random.split(now.key)
            words = jnp.tile(random_words(drawing, arena.play_words + 1, len(seat) // shape[0]), shape[0])
            seen = arena.infostate(now.where)
            chances = ask(seen, arena.turn(now.where))
            played = arena.play(now.where, draw(chances, as_uniform(words[-1]), arena.legal(seen)), words[:-1])
            won = jnp.where(now.over[:, None], 0.0, played.payoff)
            return Tables(key, played.where, now.over | played.done, now.won + won)

        where = jax.tree.map(lambda leaf: leaf[paired.deal], dealt)
        start = Tables(playing, where, jnp.zeros(seat.shape, bool), jnp.zeros((len(seat), arena.players), jnp.float32))
        end: Tables = jax.lax.while_loop(lambda now: ~now.over.all(), move, start)
        won = jnp.take_along_axis(arena.per_hand(end.won), seat[:, None], 1)
        return won.reshape(shape[0], -1).mean(1)

    def expected(self, entrants: Many, opponents: Many, form: SequenceForm) -> Float[Array, " n"]:
        """The same on all deals there are, each as often as it comes, in an unrolled game."""
        of = jax.vmap(lambda network: form.vectors(self.table(network)))
        strategies, plans = of(entrants), jax.vmap(form.plans)(of(opponents))
        if (
            len(form.sides) == 2
        ):  # what is won grows in a straight line with the other's plan, so the mean stands for all
            plans = jax.tree.map(lambda plan: plan.mean(0, keepdims=True), plans)

        def won(own: Sequence[Float[Array, " _"]], others: Sequence[Plan]) -> Float[Array, ""]:
            seats = [side.backup(without(seat, others), own[seat]).value for seat, side in enumerate(form.sides)]
            return jnp.stack(seats).mean()

        every: Float[Array, "n o"] = jax.vmap(jax.vmap(won, (None, 0)), (0, None))(strategies, plans)
        return every.mean(1).astype(jnp.float32)

    def table(self, network: Network) -> Float[Array, "i a"]:
        """All that a network does in an unrolled game, in 64 bits."""
        table = self._answers(network).astype(jnp.float64)
        return table / table.sum(1, keepdims=True)

    def _answers(self, network: Network) -> Float[Array, "i a"]:
        return jnp.concatenate([self.bettor(network(here.features(None)), here.legal(None)) for here in self.seats])

    def _listed(self, entrants: Many, opponents: Many, paired: Pairing, dealt: Where) -> Ask:
        """Where all situations are listed, networks are asked about them beforehand."""
        tables = jnp.concatenate([jax.vmap(self._answers)(each) for each in (entrants, opponents)])

        def ask(seen: InfoState, turn: Int[Array, " t"]) -> Float[Array, "t a"]:
            return tables[jnp.where(turn == paired.seat, paired.entrant, count(entrants) + paired.opponent), seen]

        return ask

    def _at_tables(self, entrants: Many, opponents: Many, paired: Pairing, dealt: Where) -> Ask:
        """Elsewhere both networks of a table are asked at each move; only what cards win is known beforehand."""
        here = self.seats[0]
        assert isinstance(here, Shown)
        shares = here.arena.shares(dealt.cards)

        def ask(seen: InfoState, turn: Int[Array, " t"]) -> Float[Array, "t a"]:
            rows = here.arena.summed_up(seen.node, shares[paired.deal, turn, here.arena.upturned[seen.node]])
            rows = rows.reshape(count(entrants), count(opponents), -1, rows.shape[-1])
            own = jax.vmap(_outputs)(entrants, rows).reshape(len(turn), -1)
            others = jax.vmap(_outputs, (0, 1), 1)(opponents, rows).reshape(len(turn), -1)
            return self.bettor(jnp.where((turn == paired.seat)[:, None], own, others), here.legal(seen))

        return ask


def _outputs(network: Network, rows: Float[Array, "... f"]) -> Float[Array, "... o"]:
    return network(rows)


def count(networks: Many) -> int:
    return int(jax.tree.leaves(networks)[0].shape[0])
