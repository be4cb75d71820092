"""Q-learning in self-play or against a fixed opponent: the greedy half of NFSP on its own.

Every seat learns what each move is worth while playing it greedily. Against a fixed opponent that finds a best
response. In self-play it chases itself: neither the greedy strategies nor their average need approach an
equilibrium, which is what fictitious self-play mends. The average of the moves made is counted alongside, and its
exploitability logged as `average`. docs/learners.md says how we read the papers, preset by preset.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, final

from feint.arena.cards import Encoding
from feint.arena.policy import Uniform
from feint.forms.form import Form
from feint.learners.networks import Design
from feint.learners.self_play import SelfPlay, self_play
from feint.learners.settings import Exploration, Replay, SelfPlaySettings, ValueTraining
from feint.solvers.algorithm import Entry, require


@final
@dataclass(frozen=True)
class QLearning(SelfPlaySettings):
    """Q-learning with replay, a target network and masks."""

    tables: int = 128
    exploration: Exploration = Exploration(0.12)
    values: ValueTraining = ValueTraining("sgd", 0.1, updates=2, target_every=300)
    replay: Replay = Replay("rows")
    warmup: int = 1000
    network: Design = Design()
    """The shape of the network."""
    encoding: Encoding = "nfsp"
    """What networks see of card games too large to unroll: nfsp, symmetric, strength, rlcard(-four); or summary."""
    opponent: Literal["self", "uniform"] = "self"
    """Whom each seat learns against: the other seats' learners, or uniformly random play."""

    greedy: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        alone = self.opponent != "self"
        require(self, noise=(not (alone and self.noise), "0 where seats learn against random play already"))

    def on(self, form: Form) -> SelfPlay:
        return self_play(form, self, Uniform if self.opponent == "uniform" else None)


POKER_RNN_DQN = QLearning(
    tables=20,
    exploration=Exploration(0.1),
    values=ValueTraining(rate=1e-4, target_every=30, discount=0.97, reward_scale=0.5),
    replay=Replay("rows", 100_000),
    batch=64,
    network=Design((512, 512, 512)),
    encoding="rlcard",
)
# Ours for limit hold'em on one accelerator.
LARGE = QLearning(
    tables=16_384,
    exploration=Exploration(0.06),
    values=ValueTraining(rate=1e-3, decay=20_000.0, target_every=200),
    replay=Replay("rows", 2_000_000),
    batch=8192,
    network=Design((512, 512, 512)),
    encoding="strength",
)
LINEAR = Design(())

ALGORITHMS = {
    "dqn": Entry(
        "Deep Q-learning in self-play; it need not approach equilibrium (Mnih et al. 2015).",
        QLearning(),
        presets={
            "double": QLearning(values=replace(QLearning.values, double=True)),
            "large": LARGE,
            "poker-rnn": POKER_RNN_DQN,
        },
    ),
    "linear-q": Entry(
        "Q-learning with a linear map of the features in place of a network.",
        QLearning(network=LINEAR, values=replace(QLearning.values, rate=0.05)),
        presets={"large": replace(LARGE, network=LINEAR), "poker-rnn": replace(POKER_RNN_DQN, network=LINEAR)},
    ),
    "drqn": Entry(
        "Deep recurrent Q-learning in self-play, on whole hands (Hausknecht & Stone 2015).",
        QLearning(
            values=ValueTraining(rate=0.001, updates=2, target_every=300),
            batch=64,
            network=Design(cell="lstm", cell_units=64),
        ),
        presets={
            "large": replace(LARGE, batch=2048, network=Design((512, 512), cell="lstm")),
            "poker-rnn": replace(POKER_RNN_DQN, network=Design((256, 512), cell="lstm")),
        },
    ),
}
