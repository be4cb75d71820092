"""What is trained to answer "Poker-RNN" beyond one run of each agent: more seeds, and settings read otherwise.

A trial trains many *lanes* side by side, one compiled step for all of them: every variant of it with every seed. What
lanes differ in are numbers; where shapes or rules differ, it is another trial. Nothing here needs a run's folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast, final

from feint.learners import nfsp, q_learning
from feint.learners.nfsp import NFSP
from feint.learners.q_learning import QLearning

Learner = NFSP | QLearning
LABELS = {"linear-q": "linear", "dqn": "DQN", "drqn": "DRQN", "nfsp": "NFSP", "rnfsp": "RNFSP"}
SEEDS = (1, 2, 3)
"""The reproduction's own runs have seed 0."""
PAPERS_HANDS = 1_000_000
BASE = "as published"
"""The variant that others are compared with."""


@final
@dataclass(frozen=True)
class Variant:
    """One reading of an agent's settings."""

    name: str
    dials: Mapping[str, float] = field(default_factory=dict)
    """Numbers that differ from the preset, by dotted names."""


@final
@dataclass(frozen=True)
class Trial:
    """Lanes that are trained side by side."""

    agent: str
    kind: str
    variants: tuple[Variant, ...]
    hands: int | None = None
    steps: int | None = None
    """It ends once every lane has played so many hands, or after so many steps."""
    game: str = "holdem"
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Settings that all lanes share and that decide shapes or who plays."""
    growth: float = 1.3
    """Evaluations come when the steps have grown by this factor."""
    bounds: int = 2_000
    """Hands of a local best response to each lane."""
    seeds: tuple[int, ...] = SEEDS

    @property
    def name(self) -> str:
        return f"{self.agent}/{self.kind}"

    @property
    def lanes(self) -> list[tuple[Variant, int]]:
        return [(variant, seed) for variant in self.variants for seed in self.seeds]

    @property
    def settings(self) -> Learner:
        """What all lanes have in common."""
        return replace(preset(self.agent), **self.changes)

    @property
    def dials(self) -> dict[str, list[float]]:
        """Every number that some lane changes, as each lane has it."""
        names = sorted({name for variant in self.variants for name in variant.dials})
        return {name: [of.dials.get(name, number(self.settings, name)) for of, _ in self.lanes] for name in names}


def preset(agent: str) -> Learner:
    """An agent's settings as we read the paper."""
    return cast("Learner", (nfsp.ALGORITHMS | q_learning.ALGORITHMS)[agent].presets["poker-rnn"])


def number(settings: Any, name: str) -> float:
    """A setting by its dotted name."""
    head, _, rest = name.partition(".")
    found = getattr(settings, head)
    return number(found, rest) if rest else float(found)


def readings(agent: str, steps: int) -> tuple[Variant, ...]:
    """What may be read otherwise, or is said to matter, and for how long it is tried."""
    settings = preset(agent)
    rate, target = settings.values.rate, settings.values.target_every
    start, end = (0.1, 0.0) if settings.greedy else (0.08, 0.01)
    straight = {"exploration.epsilon": start, "exploration.decay": 0.0, "exploration.least": end}
    found = [
        Variant(BASE),
        Variant("acting with the target network", {"values.by_target": 1.0}),
        Variant("ε in a straight line, as printed", straight | {"exploration.slope": (start - end) / steps}),
        *(Variant(f"a target every {10 * every:,} moves", {"values.target_every": every})
          for every in (30, 100, 300, 1000) if every != target),
        Variant("a tenth of the values' rate", {"values.rate": rate / 10}),
        Variant("ten times the values' rate", {"values.rate": rate * 10}),
        Variant("a tenth of the hands at random", {"noise": 0.1}),
    ]  # fmt: skip
    if settings.policy:
        found += [
            Variant("a hundredth of the values' rate", {"values.rate": rate / 100}),
            Variant("a tenth of the average's rate", {"policy.rate": settings.policy.rate / 10}),
            Variant("ten times the average's rate", {"policy.rate": settings.policy.rate * 10}),
            Variant("the best response in 80% of hands", {"anticipation": 0.8}),
            Variant("a hundredth of the values' rate, a tenth of the hands at random",
                    {"values.rate": rate / 100, "noise": 0.1}),
        ]  # fmt: skip
    return tuple(found)


STEPS = {"linear-q": 50_000, "dqn": 50_000, "drqn": 40_000, "nfsp": 30_000, "rnfsp": 8_000}
"""How long readings are tried: about a tenth of the paper's hands, and less where networks make them slow."""
BOUNDS = {"rnfsp": (4_000, 500)}
"""Hands of a local best response, to published agents and to readings, where asking a network takes long …"""
USUAL = (10_000, 2_000)
"""… and else."""
FEWER = {"rnfsp": SEEDS[:2]}
"""Seeds at the paper's length, where not all of them fit."""
SPARED = ("a target every", "ten times")
"""Readings that are left out of what takes longest, RNFSP."""
AGAIN = "again"
"""The kind of what is trained as published once more, where the networks of the first time are not kept."""
UPDATES = {"an update every move": 1, "an update every 10 moves": 10, "an update every 100 moves": 100}
"""Kinds of trials of how often an agent updates, and after how many moves of its own it does …"""
MOVES = {"linear-q": 500_000, "dqn": 100_000, "drqn": 100_000}
"""… until both seats have made so many: half as many as in the readings, and fewer where networks are slow."""


def _trials(agent: str) -> list[Trial]:
    steps, plain, bounds = STEPS[agent], (Variant(BASE),), BOUNDS.get(agent, USUAL)
    tried = [each for each in readings(agent, steps) if agent != "rnfsp" or not each.name.startswith(SPARED)]
    published = Trial(agent, "published", plain, hands=PAPERS_HANDS, bounds=bounds[0], seeds=FEWER.get(agent, SEEDS))
    short = Trial(agent, "readings", tuple(tried), steps=steps, growth=8.0, bounds=bounds[1])
    found = [published, short]
    for encoding in ("rlcard", "rlcard-four"):
        changes = {"encoding": encoding}
        found.append(replace(short, kind=encoding, variants=plain, game="holdem(variant=rlcard)", changes=changes))
    if agent == "linear-q":
        found.append(replace(published, kind=AGAIN))
    if agent in q_learning.ALGORITHMS:
        found += [_updating(replace(short, kind=kind), every) for kind, every in UPDATES.items()]
        found.append(replace(short, kind="against random play", variants=plain, changes={"opponent": "uniform"}))
    return found


def _updating(short: Trial, every: int) -> Trial:
    """An update after so many moves of each seat, with three rates; all else comes after as many moves as published."""
    settings, seats = preset(short.agent), 2
    tables = seats * every
    longer = tables / settings.tables
    exploration = replace(settings.exploration, decay=settings.exploration.decay * longer**0.5)
    values = replace(settings.values, target_every=round(settings.values.target_every / longer))
    rate = settings.values.rate
    rates = (
        Variant(BASE),
        Variant("a tenth of the values' rate", {"values.rate": rate / 10}),
        Variant("ten times the values' rate", {"values.rate": rate * 10}),
    )
    changes = {"tables": tables, "exploration": exploration, "values": values}
    return replace(short, variants=rates, steps=MOVES[short.agent] // tables, changes=changes)


TRIALS = {trial.name.replace(" ", "-"): trial for agent in LABELS for trial in _trials(agent)}
WORDS = {
    "rlcard": "RLCard's rules",
    "rlcard-four": "RLCard's rules and its four actions",
    "against random play": "trained against random play",
}
"""What is different in trials of their own."""
