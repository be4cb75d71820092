"""Exploitability from samples of boards, for poker whose public tree is too large as a whole: an interval, no bound."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
from jaxtyping import Float

from feint.arena.arena import for_device
from feint.arena.betting import BettingTree
from feint.arena.policy import Policy
from feint.evaluate.interval import reach
from feint.evaluate.measure import CHIPS, ESTIMATE, Follow, Judge, Measure, Pace, Verdict, played_fair, strategy_of
from feint.forms.form import Form
from feint.games.errors import BadInput, check_seed
from feint.players.player import Player
from feint.public.boards import Drawn
from feint.public.build import build_public_tree
from feint.public.sampled import SampleSize, judge_sample, no_plans, sample_size
from feint.public.start import for_such

CELLS = {"cpu": 1 << 24, "gpu": 1 << 29}
"""Numbers in a table of what is done on one sample, about, unless it is said how many boards to draw."""


@final
@dataclass(frozen=True)
class Judged:
    """NashConv by samples, in chips per hand."""

    most: Float[np.ndarray, " s"]
    """Of each sample, by responses made for its boards: too much in the mean."""
    least: Float[np.ndarray, " n"]
    """The same by responses that were made for the boards of the first sample: too little."""

    @property
    def nash_conv(self) -> Measure:
        """Between the two, each with its luck: the interval is wrong in 5 of 100 cases at most."""
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
    """How many samples there are, at least 3."""
    seed: int = 0
    """Which boards they are."""

    def __call__(self, form: Form, player: Player, follow: Follow) -> Verdict:
        if (self.boards is not None and self.boards < 1) or self.samples < 3:
            raise BadInput(
                f"Samples of boards are at least 3, of at least 1 board each, but got samples={self.samples} and "
                f"boards={self.boards}."
            )
        check_seed(self.seed)
        betting, policy = _by_cards(form, player)
        size = sample_size(betting)
        boards = self._boards(betting, size)
        pace, most, least, plans = Pace(), list[float](), list[float](), None
        for number in range(self.samples):
            follow(f"{number} of {self.samples} samples of boards{pace.left(number, self.samples)}", None)
            drawn = Drawn(boards, self.seed * self.samples + number)
            tree = build_public_tree(betting.game, symmetric=False, drawn=drawn)
            found = judge_sample(tree, policy, plans or no_plans(tree))
            most.append(float((found.best - found.values).sum()))
            if plans is not None:
                least.append(float((found.told - found.values).sum()))
            plans = plans or found.plans
        played_fair(np.array(most + least))
        gap = Judged(np.array(most), np.array(least)).nash_conv
        exploitability = replace(gap.times(1 / 2), name="exploitability")
        return Verdict(
            (exploitability.in_big_blinds(form.big_blind), exploitability, gap),
            note=f"From {self.samples} samples of {boards:,} of {size.boards:,} boards. Before the first deal, "
            f"responses made for the boards of a sample win too much and those made for others too little; the "
            f"interval goes from these to those, luck with the boards included.",
        )

    def _boards(self, betting: BettingTree, size: SampleSize) -> int:
        """How many boards of the first deal a sample has."""
        return min(size.boards, self.boards or max(1, for_device(CELLS) // size.cells))


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
