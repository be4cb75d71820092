"""What networks make of an average: python benchmarks/flop_holdem_fits.py ROWS:ENCODING:HIDDEN … [--game G]

A strategy is solved, both seats play it, and networks learn it by imitation as those of NFSP do, from a reservoir of
ROWS moves for each seat (all for those that are never seen twice, with the probabilities in place of moves). What they
learned is judged exactly, so all that it loses is lost by networks and by what they were taught: such as
5_000_000:strength:256,256,256. One line of JSON for a look, exploitability in thousandths of a big blind.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from feint.arena.arena import as_uniform, draw, random_words
from feint.forms.library import form_of
from feint.learners.networks import Design, Training
from feint.learners.nfsp import ALGORITHMS
from feint.learners.seat import Learned
from feint.learners.settings import FORBIDDEN
from feint.public.judge import judge
from feint.public.policy import PublicPolicy, written_down
from feint.solvers.public_cfr import PublicRegretMinimiser
from feint.solvers.regrets import DISCOUNTED

STRAYING = 0.1
"""The share of random moves that a seat meets, so that rare situations come too."""
PLAYED = 64
"""Moves at every table between looks at how many rows there are."""
SMOOTHING = 0.999
"""The moving average of weights that is judged."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variants", nargs="+")
    parser.add_argument("--game", default="flop_holdem")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--updates", type=int, default=20_000)
    parser.add_argument("--tables", type=int, default=16_384)
    parser.add_argument("--batch", type=int, default=4096)
    asked = parser.parse_args()
    form = form_of(asked.game)
    scale, weights = 1000 / form.big_blind, _solved(form.public(), asked.steps)
    found = float(eqx.filter_jit(judge)(form.public(), weights).nash_conv) / 2 * scale
    print(json.dumps({"solved": found, "steps": asked.steps}), flush=True)
    teacher = PublicPolicy(form.public(), weights)
    for variant in asked.variants:
        rows, encoding, hidden = variant.split(":")
        design = Design(tuple(int(units) for units in hidden.split(",")))
        table = _Tables(form, teacher, asked.tables)
        kept = None if rows == "all" else table.rows(int(rows))
        _fitted(form, table, kept, encoding, design, asked.batch, asked.updates, {"rows": rows, "hidden": hidden})


def _solved(tree: Any, steps: int) -> Any:
    solver = PublicRegretMinimiser(tree, DISCOUNTED, True, "")
    forward = eqx.filter_jit(
        lambda solver: jax.lax.fori_loop(
            0, steps, lambda _, state: solver.step(state)[0], solver.init(jax.random.key(0))
        )
    )
    return solver.strategy(forward(solver)).weights


@final
class _Tables:
    """Tables at which a strategy plays against itself with a few random moves."""

    def __init__(self, form: Any, teacher: PublicPolicy, tables: int) -> None:
        self.arena, self.teacher, self.tables = form.arena, teacher, tables

    def play(self, where: Any, key: Any, teacher: PublicPolicy) -> tuple[Any, Any]:
        """One move at every table; what was seen, by whom, what was done and might have been, and whose hand it is."""
        arena = self.arena
        words = random_words(key, arena.play_words + 1, self.tables)
        seen, turn = arena.infostate(where), arena.turn(where)
        chances, legal = teacher(seen, turn), arena.legal(seen)
        # At half the tables the first seat keeps to the strategy, at the others the second.
        own = jnp.arange(self.tables) % 2 == turn
        strayed = (1 - STRAYING) * chances + STRAYING * legal / legal.sum(1, keepdims=True)
        made = jnp.where(own[:, None], chances, strayed)
        move = draw(made, as_uniform(words[arena.play_words :])[0], legal)
        return arena.play(where, move, words[: arena.play_words]).where, (seen, turn, move, chances, own)

    def deal(self, key: Any) -> Any:
        return self.arena.deal(random_words(key, self.arena.deal_words, self.tables))

    def rows(self, count: int) -> list[Any]:
        """So many moves of each seat: what it saw, and what it did."""
        some = eqx.filter_jit(
            lambda where, key, teacher: jax.lax.scan(
                lambda where, key: self.play(where, key, teacher), where, jax.random.split(key, PLAYED)
            )
        )
        where, _ = some(self.deal(jax.random.key(1)), jax.random.key(2), self.teacher)
        got: list[list[Any]] = [[], []]
        number = 3
        while min(sum(len(move) for _, move in seat) for seat in got) < count:
            where, happened = some(where, jax.random.key(number), self.teacher)
            seen, turn, move, _, own = jax.tree.map(
                lambda part: np.asarray(part).reshape(-1, *part.shape[2:]), happened
            )
            for seat in (0, 1):
                here = own & (turn == seat)
                got[seat].append(jax.tree.map(lambda part, here=here: part[here], (seen, move.astype(np.int8))))
            number += 1
        return [jax.tree.map(lambda *parts: jnp.asarray(np.concatenate(parts)[:count]), *seat) for seat in got]


def _taught(here: Any, training: Training, trained: Any, smooth: Any, lesson: Any) -> tuple[Any, Any]:
    """A network and the moving average of its weights after one more update."""
    seen, target, weight = lesson
    own = here.own(seen)
    features, legal = here.features(own), here.legal(own)

    def loss(network: Any) -> Any:
        logits = jax.nn.log_softmax(jnp.where(legal, network(features), FORBIDDEN))
        return -(weight[:, None] * jnp.where(legal, target * logits, 0.0)).sum() / weight.sum()

    trained, _ = training.update(trained, loss, jnp.asarray(True))
    share = jnp.minimum(SMOOTHING, 1.0 - 1.0 / (0.1 * trained.updates + 1.0)).astype(jnp.float32)
    return trained, jax.tree.map(lambda old, new: share * old + (1 - share) * new, smooth, trained.network)


def _fitted(
    form: Any, table: _Tables, kept: Any, encoding: str, design: Design, batch: int, updates: int, told: dict[str, Any]
) -> None:
    here, tree = form.situations(0, encoding), form.public()
    training = Training(rate=1e-3, decay=1500.0, power=1.0)
    networks = [design(here.inputs, here.moves, jax.random.key(seat), flat=True) for seat in (0, 1)]

    def update(state: Any, key: Any, teacher: PublicPolicy, kept: Any) -> Any:
        where, seats = state
        after = []
        if kept is None:
            where, (seen, turn, _, chances, _) = table.play(where, key, teacher)
        for seat, (trained, smooth) in enumerate(seats):
            if kept is None:
                lesson = seen, chances, (turn == seat).astype(jnp.float32)
            else:
                drawn = jax.random.randint(jax.random.fold_in(key, seat), (batch,), 0, len(kept[seat][1]))
                row, move = jax.tree.map(lambda part, drawn=drawn: part[drawn], kept[seat])
                lesson = row, jax.nn.one_hot(move, here.moves), jnp.ones(batch)
            after.append(_taught(here, training, trained, smooth, lesson))
        return where, tuple(after)

    @eqx.filter_jit
    def forward(state: Any, key: Any, count: Any, teacher: PublicPolicy, kept: Any) -> Any:
        return jax.lax.fori_loop(
            0, count, lambda turn, state: update(state, jax.random.fold_in(key, turn), teacher, kept), state
        )

    learner = ALGORITHMS["nfsp"].presets["large"].on(form)
    learners = tuple(eqx.tree_at(lambda each: each.here, each, here) for each in learner.learners)
    look = eqx.filter_jit(
        lambda tree, networks: (
            judge(tree, written_down(tree, Learned(learners, networks, False, learner.call))).nash_conv
        )
    )
    state = table.deal(jax.random.key(4)), tuple((training.start(network), network) for network in networks)
    done, running = 0, 0.0
    for until in np.linspace(0, updates, 5)[1:].astype(int):
        started = time.perf_counter()
        state = jax.block_until_ready(
            forward(state, jax.random.key(10 + until), jnp.asarray(until - done), table.teacher, kept)
        )
        done, running = until, running + time.perf_counter() - started
        lost = float(look(tree, tuple(smooth for _, smooth in state[1]))) / 2 * 1000 / form.big_blind
        row = told | {"encoding": encoding, "updates": int(done), "seconds": round(running, 1)}
        print(json.dumps(row | {"exploitability": round(lost, 2)}), flush=True)


if __name__ == "__main__":
    main()
