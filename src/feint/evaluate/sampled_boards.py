"""Exploitability from samples of boards, for poker whose public tree is too large as a whole: an interval, no bound."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
from jaxtyping import Float

from feint.arena.arena import for_device
from feint.arena.betting import BettingTree
from feint.arena.policy import Policy
from feint.evaluate.interval import reach
from feint.evaluate.measure import (
    CHIPS,
    ESTIMATE,
    EXACT,
    Follow,
    Judge,
    Measure,
    Pace,
    Verdict,
    played_fair,
    strategy_of,
)
from feint.forms.form import Form
from feint.games.errors import BadInput, check_seed
from feint.players.player import Player
from feint.public.boards import Drawn
from feint.public.build import build_public_tree
from feint.public.sampled import Sample, SampleSize, judge_sample, no_plans, sample_size
from feint.public.start import for_such

CELLS = {"cpu": 1 << 24, "gpu": 1 << 29}
"""Numbers in a table of what is done on one sample, about, unless it is said how many boards to draw."""


@final
@dataclass(frozen=True)
class BySamples:
    """NashConv by samples, in chips per hand."""

    most: Float[np.ndarray, " s"]
    """Of each sample, by responses made for its boards: too much in the mean."""
    least: Float[np.ndarray, " n"]
    """The same by responses that were made for the boards of the first sample: too little, if these differ at all."""

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> BySamples:
        """What samples say, all after the first with the plans of that one."""
        most = played_fair(np.array([float((each.best - each.values).sum()) for each in samples]))
        least = played_fair(np.array([float((each.told - each.values).sum()) for each in samples[1:]]))
        return cls(most, least if samples[0].planned else most)

    @property
    def nash_conv(self) -> Measure:
        """Between the two, each with its luck: the interval is wrong in about 5 of 100 cases.

        Of a single sample, which has all boards, exact.
        """
        if len(self.most) == 1:
            return Measure("nash_conv", float(self.most[0]), CHIPS, EXACT)
        low, high = (
            float(each.mean()) + sign * reach(float(each.std(ddof=1)) / math.sqrt(len(each)), len(each))
            for each, sign in ((self.least, -1), (self.most, 1))
        )
        low = max(low, 0.0)
        return Measure("nash_conv", (low + high) / 2, CHIPS, ESTIMATE, low, high)


@final
@dataclass(frozen=True)
class SampledBoards(Judge):
    """Best responses worked out in full, on boards drawn at random."""

    about: ClassVar[str] = "What a best response gains at poker for two, by samples of boards: an interval."
    boards: int | None = None
    """How many boards of the first deal a sample has; none for as many as are quick."""
    samples: int = 9
    """How many samples there are, at least 3; one where it has all boards."""
    seed: int = 0
    """Which boards they are."""

    def __post_init__(self) -> None:
        if (self.boards is not None and self.boards < 1) or self.samples < 3:
            raise BadInput(
                f"Samples of boards are at least 3, of at least 1 board each, but got samples={self.samples} and "
                f"boards={self.boards}."
            )
        check_seed(self.seed)

    def __call__(self, form: Form, player: Player, follow: Follow) -> Verdict:
        betting, policy = _by_cards(form, player)
        size = sample_size(betting)
        boards = self._boards(betting, size)
        samples = 1 if boards == size.boards else self.samples
        pace, found = Pace(), list[Sample]()
        for number in range(samples):
            follow(f"{number} of {samples} samples of boards{pace.left(number, samples)}", None)
            drawn = Drawn(boards, self.seed * self.samples + number)
            tree = build_public_tree(betting.game, drawn=drawn)
            found.append(judge_sample(tree, policy, found[0].plans if found else no_plans(tree)))
        gap = BySamples.of(found).nash_conv
        exploitability = replace(gap.times(1 / 2), name="exploitability")
        in_big_blinds = replace(exploitability.in_big_blinds(form.big_blind), name="exploitability_mbb")
        note = _note(f"From {samples} samples of {boards:,} of {size.boards:,} boards", found)
        return Verdict((exploitability, in_big_blinds, gap), note=note)

    def _boards(self, betting: BettingTree, size: SampleSize) -> int:
        """How many boards of the first deal a sample has."""
        return min(size.boards, self.boards or max(1, for_device(CELLS) // size.cells))


def _note(samples: str, found: Sequence[Sample]) -> str:
    """What has to be said beside the numbers."""
    if len(found) == 1:
        return "On all boards that there are, so that nothing is left to luck."
    if not found[0].planned:
        return f"{samples}; nobody moves before these are dealt, so that the interval is luck with them alone."
    return (
        f"{samples}. Before the first deal, responses made for the boards of a sample win too much and those made for "
        f"others too little; the interval goes from these to those, luck with the boards included."
    )


def _by_cards(form: Form, player: Player) -> tuple[BettingTree, Policy]:
    """The betting of a game and what is played there, where public trees are for such games at all."""
    by_cards = form.by_cards(strategy_of(player))
    if by_cards is None or not for_such(by_cards[0].game):
        raise BadInput(
            f"Samples of boards are for poker for two with one or two cards each, and {form.name} is something else; "
            f"ask another judge."
        )
    return by_cards


JUDGES = {"sampled-boards": SampledBoards()}
