"""Judging the five agents of "Poker-RNN": matches, bounds, and what they make of their starting hands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from feint.arena.betting import BettingTree
from feint.arena.cards import CardArena, build_card_arena
from feint.arena.policy import Always, Policy, Uniform
from feint.evaluate.exploitability import best_response
from feint.evaluate.local_best_response import local_best_response
from feint.evaluate.match import expected_winnings, match
from feint.evaluate.measure import Measure
from feint.forms.dealt import CardForm
from feint.forms.library import form_of
from feint.forms.strategy import TabularStrategy
from feint.games.poker import CALL, RAISE
from feint.papers.poker_rnn_hands import Estimate, Sense, chart_of, opening_values, sense
from feint.papers.poker_rnn_variants import LABELS
from feint.papers.records import Records
from feint.papers.trials import value_networks
from feint.runs.config import resolve
from feint.runs.files import STRATEGY, Row
from feint.runs.run import Run
from feint.solvers.linear_program import solve

AGENTS = LABELS
RANDOM = "random"
VALUED = ("dqn", "nfsp", "rnfsp")
"""The agents whose values of starting hands the paper shows."""
SENSE = "starting hands of "
"""Begins what these values come to is noted as."""


class Judged(NamedTuple):
    """What the agents of a stage came to. Winnings and bounds are in mbb/h."""

    hands: float
    """The fewest that an agent has played."""
    curves: Mapping[str, Sequence[Row]]
    """Every evaluation on the way."""
    short: Mapping[tuple[str, str], Estimate]
    """What each won off each other one over as many hands as in the paper …"""
    cross: Mapping[tuple[str, str], Estimate]
    """… and over many more."""
    bounds: Mapping[str, Estimate]
    """What a local best response wins off each: lower bounds on exploitability."""
    raising: tuple[Estimate, Estimate]
    """What raising at every turn wins off random play, and its bound."""
    sense: Mapping[str, Sense]


@final
@dataclass(frozen=True)
class Judge:
    """Who plays the matches and finds the bounds, each only once."""

    betting: BettingTree
    notes: Records
    progress: Callable[[str], None]
    """Told what is being done."""
    matches: tuple[int, int]
    """Hands of a match, as in the paper and for our table."""
    bounds: int
    """Hands of a local best response."""

    def __call__(self, runs: Mapping[str, Run]) -> Judged:
        """Matches of everyone with everyone, bounds, and what starting hands are worth to some."""
        arena = build_card_arena(self.betting)
        players: dict[str, Policy] = {name: run.strategy.policy for name, run in runs.items()} | {
            RANDOM: Uniform(arena)
        }
        # Noted with their bytes: another strategy of the same agent is another player.
        marks = {name: _digest(run) for name, run in runs.items()} | {RANDOM: ""}
        raising = Always(arena, RAISE, CALL)
        short, cross = (self._cross(arena, players, marks, hands) for hands in self.matches)
        return Judged(
            hands=min(run.metrics[-1]["hands"] for run in runs.values()),
            curves={name: run.metrics for name, run in runs.items()},
            short=short,
            cross=cross,
            bounds={name: self._bound(players[name], name, marks[name]) for name in runs},
            raising=(
                self._match(arena, raising, players[RANDOM], "raising against random", "", self.matches[1]),
                self._bound(raising, "raising", ""),
            ),
            sense={name: self._sense(runs[name], name, marks[name]) for name in VALUED},
        )

    def _cross(
        self, arena: CardArena, players: Mapping[str, Policy], marks: Mapping[str, str], hands: int
    ) -> dict[tuple[str, str], Estimate]:
        """What everyone wins off everyone."""
        table = {}
        for seed, (one, other) in enumerate(combinations(players, 2)):
            mark = f"{marks[one]} {marks[other]}"
            # Every match on deals of its own, so that they can be compared as independent.
            won = self._match(arena, players[one], players[other], f"{one} against {other}", mark, hands, seed)
            table[one, other], table[other, one] = won, Estimate(-won.value, won.reach)
        return table

    def _match(
        self, arena: CardArena, one: Policy, other: Policy, words: str, mark: str, hands: int, seed: int = 0
    ) -> Estimate:
        def play() -> list[float]:
            return _estimate(match(arena, one, other, hands, seed).winnings.in_big_blinds(self.betting.big_blind))

        return self._noted(f"{words}, {hands:,} hands", mark, play)

    def _bound(self, policy: Policy, name: str, mark: str) -> Estimate:
        def find() -> list[float]:
            bound = local_best_response(self.betting, policy, self.bounds)
            return _estimate(bound.in_big_blinds(self.betting.big_blind))

        return self._noted(f"a local best response to {name}, {self.bounds:,} hands", mark, find)

    def _sense(self, run: Run, name: str, mark: str) -> Sense:
        def read() -> Sense:
            return sense(chart_of(self.betting, starting_values(run, self.betting)))

        return Sense.of(self.notes.note(f"{SENSE}{name} {mark}", read))

    def _noted(self, words: str, mark: str, find: Callable[[], list[float]]) -> Estimate:
        self.progress(words)
        return Estimate(*self.notes.note(f"{words} {mark}".strip(), find))


def _digest(run: Run) -> str:
    return hashlib.sha256((run.path / STRATEGY).read_bytes()).hexdigest()[:12]


def _estimate(measure: Measure) -> list[float]:
    """A number and half the width of its interval."""
    return [measure.value, ((measure.high or 0.0) - (measure.low or 0.0)) / 2]


def starting_values(run: Run, betting: BettingTree) -> Float[np.ndarray, "k k"]:
    """What the value network of whoever opens makes of every two cards: its best move's, in big blinds."""
    solver: Any = resolve(run.config.algorithm, run.config.settings).on(CardForm(betting))  # one that plays
    return opening_values(betting, solver, value_networks(run, solver))


class OnLeduc(NamedTuple):
    """What is won off random play on Leduc, in antes per hand, exact; the mean over seats."""

    equilibrium: float
    """By an equilibrium."""
    raising: float
    """By raising at every turn …"""
    most: float
    """… and the most there is."""
    lost: float
    """What raising at every turn loses to a best response."""


def on_leduc() -> OnLeduc:
    """How far winnings off random play say how well somebody plays, where both are known."""
    form = form_of("leduc")
    tree = form.whole("this")
    legal, moves = tree.legal, np.eye(len(tree.actions))
    uniform = legal / legal.sum(1, keepdims=True)
    raising = np.where(legal[:, [RAISE]], moves[RAISE], moves[CALL])

    def most(table: Float[np.ndarray, "i a"]) -> float:
        return float(np.mean([best_response(tree, table, player).value for player in range(2)]))

    def won(table: Float[np.ndarray, "i a"]) -> float:
        one, other = (TabularStrategy(tree.fingerprint, jnp.asarray(each)) for each in (table, uniform))
        return expected_winnings(form, one, other) or 0.0

    return OnLeduc(won(solve(tree)), won(raising), most(uniform), most(raising))
