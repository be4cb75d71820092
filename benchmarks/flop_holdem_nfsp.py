"""NFSP on flop hold'em, judged exactly as it learns: python benchmarks/flop_holdem_nfsp.py NAME=PRESET:CHANGES …

CHANGES are settings by dotted names as a Python dictionary, such as large=large:{'batch':4096}. One line of JSON for a
look: exploitability in thousandths of a big blind, what a best response gains in each seat, and how much of that the
learned best responses win (`realised`): what they miss, the average cannot learn to avoid; and the exploitability of
the average as its last update left it (`rough`), where a moving average of its weights is judged. With --seeds 1,2,3 as
many are trained at once, on one card, and each look tells of all. With --then the first variant is trained for
--seconds, and all others go on from where it stands, each for that long.

With --tabled 300 the first seed's learned best responses are added up in tables every 300 steps, counting the same, in
proportion to the step or to its square (`tables`): what the average would be if no network had to learn it.
With --exact the run goes on for so long with exact best responses in place of learned ones, found anew every so many
steps: what that gains, learned ones had missed. With --fit 512,512,512 new networks of that shape learn the average
from the reservoir for --fit-seconds, at a rate that falls: what that gains, the network of the run had lost. Both are
for the first seed. --keep FOLDER keeps networks and tells the decisions at which a best response gains most (`leaks`).
For an accelerator, or with --game "flop_holdem(ranks=4)" for a few cores.
"""

from __future__ import annotations

import argparse
import ast
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import save_file

from feint.arena.arena import draw, random_words
from feint.forms.library import form_of
from feint.learners.experience import Transitions
from feint.learners.networks import Design
from feint.learners.nfsp import ALGORITHMS, NFSP
from feint.learners.seat import Learned, SeatLearner
from feint.learners.self_play import SelfPlay
from feint.learners.settings import PolicyTraining
from feint.public.judge import Expectation, judge, worth
from feint.public.play import Tables, Written
from feint.public.policy import PublicPolicy, written_down
from feint.public.sweep import run
from feint.public.tree import PublicTree
from feint.runs.provenance import provenance
from feint.solvers.public_cfr import merged, pages_of
from flop_holdem_fictitious import Adding, Responding, nothing

PIECE = 2.0
"""Seconds between looks at the clock, about."""
LEAKS = 12
"""Decisions told of at the end."""
FITTED = NFSP(batch=8192, policy=PolicyTraining(rate=1e-3, decay=1500.0, power=1.0, smoothing=0.999))
"""How networks learn an average anew."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variants", nargs="+")
    parser.add_argument("--game", default="flop_holdem")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--then", type=float)
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--exact", type=float, help="seconds")
    parser.add_argument("--every", type=int, default=400, help="steps between exact best responses")
    parser.add_argument("--fit", help="units of each hidden layer, separated by commas")
    parser.add_argument("--fit-seconds", type=float, default=30.0)
    parser.add_argument("--tabled", type=int, help="steps between responses that enter averages kept in tables")
    parser.add_argument("--keep", type=Path, help="a folder, which may be new")
    asked = parser.parse_args()
    form = form_of(asked.game)
    keys = jnp.stack([jax.random.key(int(seed)) for seed in asked.seeds.split(",")])
    begun: tuple[Any, float] | None = None
    for variant in asked.variants:
        name, _, rest = variant.partition("=")
        preset, _, changes = rest.partition(":")
        config = ALGORITHMS["nfsp"].presets[preset]
        for place, value in ast.literal_eval(changes or "{}").items():
            config = changed(config, place.split("."), value)
        learner = config.on(form)
        if begun is None:
            fresh = eqx.filter_jit(lambda learner: jax.vmap(learner.init)(keys))(learner)
            judged = learner
            done = _trained(name, form, learner, judged, fresh, 0.0, asked.seconds, asked.tabled)
            begun = done if asked.then else None
        else:
            done = _trained(name, form, learner, judged, *begun, asked.then, asked.tabled)
        for number, seed in enumerate(asked.seeds.split(",") if asked.keep else ()):
            _last(f"{name}, seed {seed}", form, learner, _one(done[0], number), asked.keep)
        if asked.exact:
            _with_exact(f"{name}/exact", form, learner, _one(done[0], 0), done[1], asked.exact, asked.every)
        if asked.fit:
            design = Design(tuple(int(units) for units in asked.fit.split(",")))
            anew = replace(config, network=design, batch=FITTED.batch, policy=FITTED.policy)
            _fitted(f"{name}/fit", form, anew.on(form), learner, _one(done[0], 0), done[1], asked.fit_seconds)


def _trained(
    name: str,
    form: Any,
    learner: SelfPlay,
    judged: SelfPlay,
    state: Any,
    running: float,
    seconds: float,
    tabled: int | None,
) -> tuple[Any, float]:
    """A copy of the state, trained for some seconds more and told of on the way, and the seconds spent in all."""
    tree, scale = form.public(), 1000 / form.big_blind
    state = jax.tree.map(jnp.copy, state)
    compiled: Any = eqx.filter_jit(_forward, donate="all-except-first")
    forward = compiled.lower(learner, state, jnp.asarray(1)).compile()
    seeds = range(state.step.shape[0])
    jax.block_until_ready(_look(judged, tree, state, jnp.asarray(0)))
    end, piece, due = running + seconds, tabled or 50, running + min(8.0, seconds / 2)
    books = {growth: nothing(tree) for growth in (0.0, 1.0, 2.0)} if tabled else {}
    while running < end:
        started = time.perf_counter()
        state = jax.block_until_ready(forward(learner, state, jnp.asarray(piece)))
        took = time.perf_counter() - started
        running += took
        if tabled:
            books = _entered(judged, tree, state, books)
        else:
            piece = max(1, min(int(piece * PIECE / took), 10 * piece))
        if running >= min(due, end):
            due *= 1.3
            row = {
                "name": name,
                "seconds": round(running, 1),
                "steps": int(state.step[0]),
                "hands": int(state.hands[0]),
                "made_with": list(provenance()),
            }
            told = [_told(scale, *_look(judged, tree, state, jnp.asarray(seed))) for seed in seeds]
            if tabled:
                kept = {growth: float(_table(tree, book).nash_conv) / 2 * scale for growth, book in books.items()}
                row |= {"tables": {growth: round(lost, 2) for growth, lost in kept.items()}}
            print(json.dumps(row | (told[0] if len(told) == 1 else {"seeds": told})), flush=True)
    return state, running


_table = eqx.filter_jit(judge)


def _entered(learner: SelfPlay, tree: PublicTree, states: Any, books: dict[float, Tables]) -> dict[float, Tables]:
    """The first seed's learned best responses, added to averages in tables; what comes at step t counts t^growth."""
    response = _response(learner, tree, states)
    step = states.step[0] / 1e5
    return {growth: _with_response(book, tree, response, step**growth) for growth, book in books.items()}


@eqx.filter_jit
def _response(learner: SelfPlay, tree: PublicTree, states: Any) -> Tables:
    networks = tuple(seat.values.network for seat in learner.seats(_one(states, 0)))
    return written_down(tree, Learned(learner.learners, networks, True, learner.call))


@eqx.filter_jit
def _with_response(book: Tables, tree: PublicTree, response: Tables, weight: jax.Array) -> Tables:
    for player in (0, 1):
        pages = pages_of(tree, player, book)
        book = merged(book, run(tree, Adding(player, Written(response), weight), pages)[1])
    return book


def _told(scale: float, judged: Any, won: jax.Array, rough: jax.Array) -> dict[str, Any]:
    """What a look came to, in thousandths of a big blind."""
    gain, got = ((np.asarray(each - judged.values) * scale).round(1) for each in (judged.best, won))
    told = {"exploitability": round(float(gain.mean()), 2), "gain": gain.tolist(), "realised": got.tolist()}
    return told | {"rough": round(float(rough) / 2 * scale, 2)}


def _one(state: Any, seed: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[seed], state)


def _last(name: str, form: Any, learner: SelfPlay, state: Any, folder: Path | None) -> None:
    """Keep what was learned, where it is asked for, and tell where a best response gains most against it."""
    strategy, scale = learner.strategy(state), 1000 / form.big_blind
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        save_file(
            strategy.arrays(), folder / f"{name.replace('/', '-').replace(', ', '_').replace(' ', '')}.safetensors"
        )
    leaks = form.judged(strategy, LEAKS).betting
    told = [{"player": leak.player, "sees": leak.sees, "gain": round(leak.gain * scale, 1)} for leak in leaks]
    print(json.dumps({"name": name, "leaks": told}), flush=True)


def _fitted(
    name: str, form: Any, anew: SelfPlay, learner: SelfPlay, state: Any, running: float, seconds: float
) -> None:
    """New networks that learn the average of a run from its reservoir, told of on the way."""
    history, keys = learner.seating.each(lambda learner, seat: seat.history, state.seats), jax.random.split(state.key)
    seats = jax.tree.map(jnp.copy, eqx.filter_jit(_afresh)(anew, keys, history))
    compiled: Any = eqx.filter_jit(_taught, donate="all-except-first")
    forward = compiled.lower(anew, seats, keys, jnp.asarray(1)).compile()
    end, piece, due = running + seconds, 50, running + seconds / 2
    while running < end:
        started = time.perf_counter()
        seats, keys = jax.block_until_ready(forward(anew, seats, keys, jnp.asarray(piece)))
        took = time.perf_counter() - started
        running += took
        piece = max(1, min(int(piece * PIECE / took), 10 * piece))
        if running >= min(due, end):
            due += seconds / 4
            parts = anew.seating.apart(seats)
            judged = _judged(anew, form.public(), tuple(seat.smooth for seat in parts))
            gain = (np.asarray(judged.best - judged.values) * 1000 / form.big_blind).round(1)
            row = {"name": name, "seconds": round(running, 1), "updates": int(parts[0].policy.updates)}
            row |= {"exploitability": round(float(gain.mean()), 2), "gain": gain.tolist()}
            print(json.dumps(row), flush=True)


def _with_exact(
    name: str, form: Any, learner: SelfPlay, state: Any, running: float, seconds: float, every: int
) -> None:
    """A run that goes on with exact best responses to its averages, told of on the way."""
    tree, scale = form.public(), 1000 / form.big_blind
    table, history = (state.where, state.responding), state.seats
    respond, forward = eqx.filter_jit(_exact), eqx.filter_jit(_imitated, donate="all-except-first")
    table, history = jax.tree.map(jnp.copy, (table, history))
    key, step, end, due, rounds = state.key, float(state.step), running + seconds, running, 0
    while running < end:
        started = time.perf_counter()
        responses = respond(learner, tree, history)
        key, used = jax.random.split(key)
        begun = (learner, tree, responses, jnp.asarray(every))
        table, history = jax.block_until_ready(forward(begun, table, history, jnp.asarray(step), used))
        running, step, rounds = running + time.perf_counter() - started, step + every, rounds + 1
        if rounds <= 2:
            running = end - seconds  # it was compiled meanwhile
        if running >= min(due, end):
            due = running + seconds / 8
            judged = _judged(learner, tree, tuple(seat.smooth for seat in learner.seating.apart(history)))
            gain = (np.asarray(judged.best - judged.values) * scale).round(1)
            row = {"name": name, "seconds": round(running, 1), "steps": int(step), "responses": rounds}
            print(json.dumps(row | {"exploitability": round(float(gain.mean()), 2), "gain": gain.tolist()}), flush=True)


def _exact(learner: SelfPlay, tree: PublicTree, seats: Any) -> Tables:
    """Best responses to both averages."""
    average = written_down(tree, learner.playing(tuple(seat.policy.network for seat in learner.seating.apart(seats))))
    book = average
    for player in (0, 1):
        book = merged(book, run(tree, Responding(player, Written(average)), pages_of(tree, player, average))[1])
    return book


def _imitated(begun: Any, table: Any, seats: Any, step: jax.Array, key: jax.Array) -> Any:
    """Play with these best responses, whose moves enter the averages, which learn from them."""
    learner, tree, responses, steps = begun
    arena, tables, policy = learner.arena, learner.settings.tables, PublicPolicy(tree, responses)

    def move(number: Any, carry: Any) -> Any:
        (where, responding), seats = carry
        keys = jax.random.split(jax.random.fold_in(key, number), 4)
        infostate, turn = arena.infostate(where), arena.turn(where)
        averages = jnp.stack(learner.seating.each(lambda one, seat: one.average(seat, infostate), seats))
        mine = jnp.take_along_axis(responding, turn[:, None], 1)
        average = jnp.take_along_axis(averages, turn[None, :, None], 0)[0]
        chances = jnp.where(mine, policy(infostate, turn), average)
        chosen = draw(chances, jax.random.uniform(keys[0], (tables,), jnp.float32), arena.legal(infostate))
        played = arena.play(where, chosen, random_words(keys[1], arena.play_words, tables))
        fresh = learner.roles.responding(jax.random.uniform(keys[2], (tables, 2), jnp.float32))

        def learn(one: SeatLearner, seat: Any, place: Any, used: Any) -> Any:
            offered, nothing = (turn == place) & mine[:, 0], jnp.zeros(tables, jnp.float32)
            happened = Transitions(offered, offered, infostate, chosen, infostate, played.done, nothing)
            adding, used = jax.random.split(used)
            kept = one.history.add(seat.history, happened, step + number + 1.0, adding)
            return one.learn_policy(seat._replace(history=kept), used)

        seats = learner.seating.each(learn, seats, jnp.arange(2), jax.random.split(keys[3]))
        return (played.where, jnp.where(played.done[:, None], fresh, responding)), seats

    return jax.lax.fori_loop(0, steps, move, (table, seats))


def _afresh(anew: SelfPlay, keys: jax.Array, history: Any) -> Any:
    return anew.seating.each(lambda learner, key, rows: learner.new(key)._replace(history=rows), keys, history)


def _taught(anew: SelfPlay, seats: Any, keys: jax.Array, updates: jax.Array) -> Any:
    def update(_: Any, carry: Any) -> Any:
        seats, keys = carry
        keys, used = jnp.moveaxis(jax.vmap(jax.random.split)(keys), 1, 0)
        return anew.seating.each(SeatLearner.learn_policy, seats, used), keys

    return jax.lax.fori_loop(0, updates, update, (seats, keys))


@eqx.filter_jit
def _judged(anew: SelfPlay, tree: PublicTree, networks: Any) -> Any:
    return judge(tree, written_down(tree, anew.playing(networks)))


def changed(config: Any, place: list[str], value: Any) -> Any:
    first, *rest = place
    return replace(config, **{first: changed(getattr(config, first), rest, value) if rest else value})


def _forward(learner: SelfPlay, state: Any, steps: jax.Array) -> Any:
    return jax.lax.fori_loop(0, steps, lambda _, state: jax.vmap(lambda one: learner.step(one)[0])(state), state)


@eqx.filter_jit
def _look(learner: Any, tree: PublicTree, states: Any, seed: jax.Array) -> tuple[Any, jax.Array, jax.Array]:
    state = _one(states, seed)
    average = written_down(tree, learner.policy(state))
    rough = written_down(tree, learner.playing(tuple(seat.policy.network for seat in learner.seats(state))))
    networks = tuple(seat.values.network for seat in learner.seats(state))
    greedy = written_down(tree, Learned(learner.learners, networks, True, learner.call))
    won = [worth(tree, Expectation(player, Written(_met(tree, average, greedy, player)))) for player in (0, 1)]
    return judge(tree, average), jnp.stack(won), judge(tree, rough).nash_conv


def _met(tree: PublicTree, average: Tables, greedy: Tables, player: int) -> Tables:
    """The player's best response against the other's average."""
    return tuple(
        tuple(
            (greedy if decision.actor == player else average)[number][decision.number]
            for decision in stage.betting.decisions
        )
        for number, stage in enumerate(tree.rounds)
    )


if __name__ == "__main__":
    main()
