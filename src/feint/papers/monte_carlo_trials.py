"""What is measured of Monte Carlo tree search: the average of its trees by simulations, and its players at a table."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import final

import numpy as np
from jaxtyping import Float

import feint
from feint.forms.library import form_of
from feint.papers.records import Row, short
from feint.papers.trials import Trial, trained
from feint.players.monte_carlo import Budget, MonteCarloPlayer
from feint.runs.loop import Watcher
from feint.runs.run import Run
from feint.runs.simulating import PLAYERS, values_of
from feint.search.monte_carlo import Choice, Search, Values
from feint.search.worlds import world_of
from feint.tree.tree import Tree

GAMES = ("kuhn", "leduc")
KINDS = {"uct": False, "smooth-uct": True}
"""Ways of choosing moves in trees, and whether they are smooth."""
SEATED = {"ismcts": False, "smooth-uct": True}
"""Players that choose so."""
C = PLAYERS["ismcts"].c
"""The players' constant of the bounds, as a share of the largest payoff, …"""
CONSTANTS = (C, 1.4)
"""… and all that are tried without values."""


@final
@dataclass(frozen=True)
class Size:
    """How much is tried."""

    seeds: int
    stops: tuple[int, ...]
    """Numbers of simulations after which the average of trees is judged."""
    searches: dict[int, int]
    """For each number of simulations at a move, how often a player searches at each decision."""
    steps: dict[str, int]
    """Steps of the Q-learners, by game."""


FULL = Size(
    seeds=3,
    stops=(1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
    searches={100: 10, 1000: 5, 10_000: 1},
    steps={"kuhn": 5000, "leduc": 20_000},
)
QUICK = Size(seeds=2, stops=(1000, 3000, 10_000), searches={100: 3}, steps={"kuhn": 300, "leduc": 600})


def learned(out: Path, game: str, seed: int, size: Size, watcher: Watcher) -> Run:
    """The run whose values searches are given: Q-learning, trained or read back."""
    path = out / f"dqn-{game}" / f"seed-{seed}"
    return trained(Trial(path, f"DQN on {game}", "dqn", game, seed=seed, steps=size.steps[game]), watcher)


def asked(game: str, size: Size) -> list[Row]:
    """All that is measured of a game, by what tells it from all else."""
    seeds, stops = range(size.seeds), list(size.stops)
    ways = [(kind, c, told) for kind in KINDS for c, told in ((C, True), *((c, False) for c in CONSTANTS))]
    return [
        *({"what": "dqn", "game": game, "seed": seed, "steps": size.steps[game]} for seed in seeds),
        *(
            {"what": "trees", "game": game, "kind": kind, "c": c, "values": told, "seed": seed, "simulations": stops}
            for kind, c, told in ways
            for seed in seeds
        ),
        *(
            {"what": "player", "game": game, "kind": kind, "values": told, "simulations": simulations}
            | {"searches": 1 if smooth else searches, "seeds": size.seeds}  # what smooth UCT finds are shares already
            for kind, smooth in SEATED.items()
            for told in (False, True)
            for simulations, searches in size.searches.items()
        ),
    ]


@final
class Laboratory:
    """A game, with the values that Q-learning has found in a run for each seed."""

    def __init__(self, game: str, runs: list[Run]) -> None:
        form = form_of(game)
        self._world, self._tree, self._runs = world_of(form), form.whole("This reproduction"), runs
        self._values = [values_of(str(run.path), form, self._world) for run in runs]

    def find(self, what: Row) -> Row:
        """What is asked for."""
        if what["what"] == "dqn":
            return of_learner(self._runs[what["seed"]])
        smooth = (KINDS | SEATED)[what["kind"]]
        values: list[Values | None] = list(self._values) if what["values"] else [None] * len(self._runs)
        choice = Choice(what.get("c", C) * self._world.largest, smooth)
        if what["what"] == "trees":
            search = Search(self._world, choice, values[what["seed"]])
            return curve(search, self._tree, what["seed"], what["simulations"])
        budget = Budget(what["simulations"], None)

        def sits(seed: int, luck: int) -> MonteCarloPlayer:
            return MonteCarloPlayer(self._world, choice, values[seed], budget, smooth, luck)

        return seated(self._tree, sits, smooth, len(values), what["searches"])


def of_learner(run: Run) -> Row:
    """How exploitable Q-learning is by itself: its greedy play, and the average of what it has played."""
    last = run.metrics[-1]
    return {"exploitability": short(last["exploitability"]), "average": short(last["average"])}


def curve(search: Search, tree: Tree, seed: int, stops: list[int]) -> Row:
    """Exploitability of the average strategy of trees, and of its likeliest moves alone, after so many simulations."""
    world, random, done, took = search.world, Random(seed), 0, 0.0
    found: dict[str, list[float]] = {"exploitability": [], "likeliest": [], "seconds": []}
    for stop in stops:
        begun = time.process_time()
        search.run(lambda: world.fresh(random), random, stop - done)
        took, done = took + time.process_time() - begun, stop
        table = search.table(tree)
        found["exploitability"].append(short(feint.exploitability(tree, table)))
        found["likeliest"].append(short(feint.exploitability(tree, likeliest(tree, table))))
        found["seconds"].append(short(took))
    return dict(found)


def likeliest(tree: Tree, table: Float[np.ndarray, "i a"]) -> Float[np.ndarray, "i a"]:
    """The likeliest move of each information set alone."""
    alone: Float[np.ndarray, "i a"] = np.eye(table.shape[1])[np.where(tree.legal, table, -1.0).argmax(1)]
    return alone


Sits = Callable[[int, int], MonteCarloPlayer]
"""From a seed's values and a seed of luck to a player that has just sat down."""


def seated(tree: Tree, sits: Sits, smooth: bool, seeds: int, searches: int) -> Row:
    """Exploitability of a player as it moves, from searches at every decision, by seeds and of all of them together.

    `shares` is the same of one that moves as often as was simulated, which is what smooth UCT does anyway.
    """
    begun = time.process_time()
    moves, shares = (np.zeros((seeds, *tree.legal.shape)) for _ in range(2))
    for seed in range(seeds):
        for number in range(searches):
            table = searched(tree, sits, seed, number)
            shares[seed] += table / searches
            moves[seed] += (table if smooth else likeliest(tree, table)) / searches
    return {
        "moves": [short(feint.exploitability(tree, table)) for table in moves],
        "shares": [short(feint.exploitability(tree, table)) for table in shares],
        "together": short(feint.exploitability(tree, moves.mean(0))),
        "seconds": short(time.process_time() - begun),
    }


def searched(tree: Tree, sits: Sits, seed: int, number: int) -> Float[np.ndarray, "i a"]:
    """Shares of moves at every information set, each by a player that has just sat down."""
    table = np.zeros(tree.legal.shape)
    for row, (legal, who, view) in enumerate(zip(tree.legal, tree.player.tolist(), tree.views, strict=True)):
        player = sits(seed, (seed * 1000 + number) * len(tree.legal) + row)
        table[row, legal] = player.shares(who, view)
    return table
