"""Judging the lanes of a trial, and what is kept of each: one line of JSON, and maps of starting hands."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from safetensors.numpy import load, save

from feint.arena.cards import CardArena, Seen
from feint.arena.policy import Policy, Uniform
from feint.evaluate.local_best_response import local_best_response
from feint.evaluate.match import match
from feint.evaluate.measure import Measure
from feint.forms.leaves import leaves_of, restored
from feint.learners.networks import Network
from feint.papers.poker_rnn_hands import FIRST, chart_of, opening_values
from feint.papers.poker_rnn_lanes import PIECE, Lanes, due
from feint.papers.poker_rnn_variants import BASE
from feint.report.starting_hands import ask_starting_hands
from feint.runs.files import write_whole
from feint.runs.provenance import provenance

LOOK = 3.0
"""Seconds between looks at the clock, about."""
MATCHES = 65_536
"""Hands of a match with random play, or with the base of the same seed."""


@final
class Keeper:
    """Trains and judges a trial's lanes for as long as there is time, and writes down what is known at any moment."""

    def __init__(self, lanes: Lanes, folder: Path, say: Callable[[str], None]) -> None:
        self._lanes, self._say = lanes, say
        name = lanes.trial.name.replace("/", "-").replace(" ", "-")
        self._records, self._maps, self._networks = (
            folder / kind / f"{name}.{ending}"
            for kind, ending in (("records", "jsonl"), ("maps", "safetensors"), ("networks", "safetensors"))
        )
        trial = lanes.trial
        self.found: list[dict[str, Any]] = [
            {"trial": trial.name, "agent": trial.agent, "kind": trial.kind, "variant": variant.name, "seed": seed}
            for variant, seed in trial.lanes
        ]

    def train(self, until: float) -> None:
        """Steps and evaluations, as long as there is time (by `time.time`)."""
        lanes, pieces, trial = self._lanes, 1, self._lanes.trial
        while not lanes.done and time.time() < until:
            stop = due(lanes.step, trial.growth)
            if trial.steps is not None:
                stop = min(stop, trial.steps)
            many, begun = max(1, min(pieces, (stop - lanes.step) // PIECE)), time.monotonic()
            lanes.advance(many)
            took = time.monotonic() - begun
            pieces = max(1, min(10 * pieces, int(many * LOOK / max(took, 1e-3))))
            if lanes.step >= stop:
                lanes.evaluate()
                self.write()
                row = lanes.curves[0][-1]
                each = 1e3 * took / (many * PIECE)
                self._say(f"{lanes.step:,} steps, {row['hands']:,.0f} hands, {each:.3f} ms a step")
        if not lanes.curves[0] or lanes.curves[0][-1]["step"] != lanes.step:
            lanes.evaluate()
        self.write()

    def judge(self, until: float) -> None:
        """What is quick of every lane first, then bounds, as long as there is time."""
        lanes, betting = self._lanes, self._lanes.form.betting
        arena, each = lanes.form.arena, lanes.networks()
        policies, random = [lanes.policy(playing) for playing, _ in each], Uniform(lanes.form.arena)
        maps: dict[str, np.ndarray] = {}
        for found, (_, values), policy in zip(self.found, each, policies, strict=True):
            told = opening_values(betting, lanes.solver, values)
            found["chart"] = np.round(chart_of(betting, told), 4).tolist()
            if lanes.trial.kind == "published":
                place = f"{lanes.trial.name}/{found['seed']}"
                maps[f"{place}/values"] = told.astype(np.float32)
                maps[f"{place}/moves"] = _first_moves(betting, policy).astype(np.float32)
        if maps:
            self._maps.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._maps, save(maps))
        if lanes.trial.hands is not None:
            self._keep_networks(each)
        base = {found["seed"]: policy for found, policy in zip(self.found, policies, strict=True) if _base(found)}

        def measures() -> Iterator[tuple[dict[str, Any], str, Callable[[], Measure]]]:
            pairs = list(zip(self.found, policies, strict=True))
            for found, policy in pairs:
                yield found, "random", partial(_won, arena, policy, random)
            for found, policy in pairs:
                if not _base(found):
                    yield found, "base", partial(_won, arena, policy, base[found["seed"]], seed=1)
            for found, policy in pairs:
                yield found, "bound", partial(local_best_response, betting, policy, lanes.trial.bounds)

        for found, name, measure in measures():
            if time.time() > until:
                self._say("no time to judge any more")
                return
            number = measure().in_big_blinds(betting.big_blind)
            found[name] = [number.value, ((number.high or 0.0) - (number.low or 0.0)) / 2, number.hands]
            self.write()
        self._say("judged")

    def write(self) -> None:
        """All lanes, as far as they are known."""
        lanes = self._lanes
        about: dict[str, Any] = {"step": lanes.step, "seconds": round(lanes.seconds, 1), "done": lanes.done}
        about |= {"made_with": list(provenance())}
        lines = []
        for found, curve in zip(self.found, lanes.curves, strict=True):
            lines.append(json.dumps(found | about | {"curve": [_short(row) for row in curve]}))
        self._records.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._records, ("\n".join(lines) + "\n").encode())

    def _keep_networks(self, each: list[tuple[tuple[Network, ...], tuple[Network, ...]]]) -> None:
        arrays: dict[str, np.ndarray] = {}
        for found, (playing, values) in zip(self.found, each, strict=True):
            for kind, networks in (("playing", playing), ("values", values)):
                arrays |= {
                    f"{found['seed']}/{kind}/{name}": np.asarray(leaf) for name, leaf in leaves_of(networks).items()
                }
        self._networks.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._networks, save(arrays))


def kept_networks(path: Path, like: tuple[Network, ...], seed: int, kind: str) -> tuple[Network, ...]:
    """A seed's networks of a kind, `playing` or `values`, as a trial kept them, be it with fewer digits."""
    start = f"{seed}/{kind}/"
    found = {
        name.removeprefix(start): array for name, array in load(path.read_bytes()).items() if name.startswith(start)
    }
    return restored({name: array.astype(np.float32) for name, array in found.items()}, like)


def blank_networks(solver: Any) -> tuple[Network, ...]:
    """The shape of what a solver's seats play by, which is that of their values too."""
    shapes: tuple[Network, ...] = eqx.filter_eval_shape(
        lambda key: solver.networks(solver.init(key)), jax.random.key(0)
    )
    return shapes


def _won(arena: CardArena, one: Policy, other: Policy, seed: int = 0) -> Measure:
    return match(arena, one, other, MATCHES, seed).winnings


def _base(found: dict[str, Any]) -> bool:
    return bool(found["variant"] == BASE)


def _first_moves(betting: Any, policy: Policy) -> Float[np.ndarray, "k k a"]:
    def shares(seen: Seen) -> Float[Array, "b a"]:
        return policy(seen, jnp.full(seen.node.shape, int(betting.actor[FIRST])))

    return ask_starting_hands(betting, shares, FIRST)


def _short(row: dict[str, float]) -> dict[str, float]:
    """A row with no more digits than say something."""
    return {name: float(f"{value:.6g}") for name, value in row.items()}
