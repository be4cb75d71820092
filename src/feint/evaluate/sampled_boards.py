"""Exploitability from samples of boards, for poker whose public tree is too large as a whole: an interval, no bound."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
from jaxtyping import Float

from feint.arena.arena import for_device
from feint.arena.policy import Policy
from feint.evaluate.interval import reach
from feint.evaluate.measure import CHIPS, ESTIMATE, Follow, Judge, Measure, Pace, Verdict, played_fair, strategy_of
from feint.forms.form import Form
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.players.player import Player
from feint.public.boards import Drawn
from feint.public.build import build_public_tree, public_size
from feint.public.sampled import judge_sample, no_plans
from feint.tree.memory import gigabytes, memory

CELLS = {"cpu": 1 << 24, "gpu": 1 << 29}
"""Numbers in a table of what is done on one sample, about, unless it is said how many boards to draw."""
TABLES = 3
"""Numbers kept for each of these: what is done, what that is worth, and as much on the way."""


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
                f"Samples of boards are at least 3, with at least 1 board each, but got samples={self.samples} and "
                f"boards={self.boards}."
            )
        game, policy = _by_cards(form, player)
        boards, of = self._boards(game)
        pace, most, least, plans = Pace(), list[float](), list[float](), None
        for number in range(self.samples):
            follow(f"{number} of {self.samples} samples of boards{pace.left(number, self.samples)}", None)
            drawn = Drawn(boards, self.seed * self.samples + number)
            tree = build_public_tree(game, symmetric=False, drawn=drawn)
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
            note=f"From {self.samples} samples of {boards:,} of {of:,} boards of the first deal. Responses made for the "
            f"boards of a sample win too much and those made for others too little before that deal; the interval goes "
            f"from these to those.",
        )

    def _boards(self, game: Poker) -> tuple[int, int]:
        """How many boards of the first deal a sample has, and of how many."""
        of = max(public_size(game, symmetric=False).boards[: _first_deal(game) + 1])
        one = sum(public_size(game, symmetric=False, drawn=1).cells)
        boards = min(of, self.boards or max(1, for_device(CELLS) // one))
        needed, free = TABLES * 4 * one * boards, memory()
        if free is not None and needed > free:
            raise BadInput(
                f"{boards:,} of the {of:,} boards of {game.name} need {gigabytes(needed)} of memory, but "
                f"{gigabytes(free)} are free; "
                + ("ask for fewer boards." if boards > 1 else "ask local-best-response for a lower bound.")
            )
        return boards, of


def _first_deal(game: Poker) -> int:
    return next((number for number, declared in enumerate(game.rounds) if declared.board), 0)


def _by_cards(form: Form, player: Player) -> tuple[Poker, Policy]:
    """The game and what is played at it, where there is a public tree of it to be had at all."""
    by_cards = form.by_cards(strategy_of(player))
    if by_cards is None or form.players != 2 or form.game.hole > 2 or form.game.rotating_dealer:
        raise BadInput(
            f"Samples of boards are for poker for two with one or two cards each, and {form.name} is something else; "
            f"ask another judge."
        )
    betting, policy = by_cards
    return betting.game, policy


JUDGES = {"sampled-boards": SampledBoards()}
