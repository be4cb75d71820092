"""Neural fictitious self-play (Heinrich & Silver 2016): learn an equilibrium from play alone.

Every seat keeps a best response, learned by Q-learning, and an average of all its best responses so far, learned by
imitation. It plays the best response in a share of its hands (`anticipation`, the paper's η) and the average in
the rest, so that it learns to answer where the others are going. The average approaches an equilibrium.

`fast`, the default, learns from tallies of everything remembered rather than from minibatches, lets the best
response's window grow with time, and weighs later iterations more in the average. `paper` is the paper as written.
docs/learners.md says how we read the papers, preset by preset.

Recurrent NFSP is told the hand from its start and learns from whole hands. What a player sees at its last decision
tells all before it, so a memory row is no larger, and on unrolled games the strategy is a table like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

from feint.arena.cards import Encoding
from feint.forms.form import Form
from feint.learners.networks import Design
from feint.learners.self_play import SelfPlay, self_play
from feint.learners.settings import Average, Exploration, PolicyTraining, Replay, SelfPlaySettings, ValueTraining
from feint.solvers.algorithm import Entry


@final
@dataclass(frozen=True)
class NFSP(SelfPlaySettings):
    """Neural fictitious self-play."""

    anticipation: float = 0.2
    """The share of hands in which a seat plays its best response (the paper's η)."""
    network: Design = Design()
    """The shape of both networks."""
    encoding: Encoding = "nfsp"
    """What networks see of card games too large to unroll: nfsp, symmetric, strength, rlcard(-four); or summary."""
    average: Average = Average(growth=2.0, since=100)
    """What the average is learned from …"""
    policy: PolicyTraining = PolicyTraining(decay=1_000.0, smoothing=0.999)
    """… and how."""
    masked: bool = True
    """Never consider illegal moves; otherwise they are learned about, and played as a call."""

    def on(self, form: Form) -> SelfPlay:
        return self_play(form, self)


PAPER = NFSP(
    tables=128,
    exploration=Exploration(0.06),
    values=ValueTraining("sgd", 0.1, updates=2, target_every=300, reward_scale=1 / 26),
    replay=Replay("rows"),
    warmup=1000,
    anticipation=0.1,
    average=Average("reservoir"),
    policy=PolicyTraining("sgd", 0.005, updates=2),
)
# Listings 2 to 8 of Joos's thesis: an update of each seat for each of its moves, rewards in chips, and Keras's mean of
# squares over three outputs, whose slope is 2/3 of ours.
THESIS = replace(
    PAPER,
    tables=2,
    exploration=Exploration(0.06, fall="factorial"),
    values=ValueTraining("sgd", 0.1 * 2 / 3, epochs=2, target_every=300, reward_scale=1.0, anchored=True),
    warmup=129,
    network=Design(initial="keras"),
    policy=PolicyTraining("sgd", 0.005, epochs=2, flat=False),
    masked=False,
)
HOLDEM = replace(
    PAPER,
    tables=256,
    exploration=Exploration(0.08),
    values=replace(PAPER.values, target_every=1000, reward_scale=None),
    replay=Replay("rows", 600_000),
    batch=256,
    network=Design((1024, 512, 1024, 512)),
    average=Average("reservoir", 30_000_000, least=0.25),
    policy=replace(PAPER.policy, rate=0.01),
)
# Ours for limit hold'em on one accelerator …
LARGE = replace(
    HOLDEM,
    tables=16_384,
    exploration=Exploration(0.06, remembered=False),
    values=ValueTraining(rate=1e-3, decay=20_000.0, target_every=200),
    replay=Replay("rows", 2_000_000),
    batch=8192,
    network=Design((512, 512, 512)),
    encoding="strength",
    average=Average("reservoir", 5_000_000, growth=1.0),
    policy=PolicyTraining(rate=1e-3, decay=20_000.0, smoothing=0.999),
)
# … for flop hold'em, where nothing may lag behind …
FLOP = replace(
    LARGE,
    values=replace(LARGE.values, updates=2, target_every=1, power=0.75),
    batch=4096,
    anticipation=0.25,
    network=Design((256, 256, 256)),
    average=replace(LARGE.average, capacity=100_000_000),
    policy=replace(LARGE.policy, smoothing=0.9998),
)
# … and on a few cores.
SMALL = replace(
    LARGE,
    tables=256,
    values=replace(LARGE.values, updates=2),
    replay=Replay("rows"),
    batch=256,
    network=Design((128, 128)),
    encoding="symmetric",
    average=replace(LARGE.average, capacity=500_000),
    policy=replace(LARGE.policy, updates=2),
)
# Ours for unrolled games of thousands of information sets, where a tally would look at all of them in every step.
MEDIUM = replace(
    SMALL,
    exploration=Exploration(),
    anticipation=0.2,
    network=Design((128,)),
    encoding="nfsp",
    average=replace(SMALL.average, capacity=1_000_000),
)
POKER_RNN = replace(
    HOLDEM,
    tables=20,
    values=ValueTraining(rate=0.06, target_every=100, discount=0.99, reward_scale=0.5),
    replay=Replay("rows", 30_000),
    anticipation=0.2,
    network=Design((512, 512, 512, 512)),
    encoding="rlcard",
    average=Average("reservoir", 1_000_000),
    policy=PolicyTraining(rate=0.005),
)
RNFSP = replace(
    PAPER,
    values=ValueTraining(rate=0.001, updates=2, target_every=300),
    batch=64,
    network=Design(cell="lstm", cell_units=64),
    policy=PolicyTraining(rate=0.001, updates=2),
)

ALGORITHMS = {
    "nfsp": Entry(
        "Neural fictitious self-play: an equilibrium from play alone (Heinrich & Silver 2016).",
        NFSP(),
        presets={
            "fast": NFSP(),
            "paper": PAPER,
            "author": replace(PAPER, values=replace(PAPER.values, target_every=1), masked=False),
            "thesis": THESIS,
            "gpu": NFSP(tables=8192, network=Design((128,)), anticipation=0.1),
            "holdem": HOLDEM,
            "large": LARGE,
            "flop": FLOP,
            "small": SMALL,
            "medium": MEDIUM,
            "poker-rnn": POKER_RNN,
        },
    ),
    "rnfsp": Entry(
        "Recurrent neural fictitious self-play, on whole hands.",
        RNFSP,
        presets={
            "large": replace(LARGE, batch=2048, network=Design((512, 512), cell="lstm")),
            "poker-rnn": replace(
                POKER_RNN,
                values=replace(POKER_RNN.values, rate=0.03),
                replay=Replay("rows", 40_000),
                batch=64,
                network=Design((1024, 512, 512), cell="lstm", cell_units=512),
                average=Average("reservoir", 500_000),
                policy=PolicyTraining(rate=0.002),
            ),
        },
    ),
}
