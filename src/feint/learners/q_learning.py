"""Q-learning in self-play or against a fixed opponent: the greedy half of NFSP on its own.

Every seat learns what each move is worth while playing it greedily. Against a fixed opponent that finds a best
response. In self-play it chases itself: neither the greedy strategies nor their average need approach an
equilibrium, which is what fictitious self-play mends. The average of the moves made is counted alongside, and its
exploitability logged as `average`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, final

from feint.learners.experience import HistoryTally, ReplayRows
from feint.learners.networks import Activation, Optimiser
from feint.learners.seat import SeatSettings
from feint.learners.self_play import SelfPlay, self_play
from feint.solvers.algorithm import Method
from feint.tree.tree import Tree


@final
@dataclass(frozen=True)
class QLearning:
    """Q-learning with replay, a target network and masks."""

    opponent: Literal["self", "uniform"] = "self"
    """Whom each seat learns against: the other seats' learners, or uniformly random play."""
    tables: int = 128
    """Hands played at once; one step is one move at each."""
    epsilon: float = 0.12
    """The share of random moves at the start."""
    epsilon_decay: float = 0.01
    """Exploration falls as epsilon / (1 + epsilon_decay · √step)."""
    hidden: tuple[int, ...] = (64,)
    """Units in each hidden layer; none for a linear map."""
    activation: Activation = "relu"
    """The activation of the hidden layers."""
    output: Activation = "linear"
    """The activation of the output."""
    replay_capacity: int = 200_000
    """Transitions remembered for each seat."""
    optimiser: Literal["sgd", "adam"] = "sgd"
    """How the network is trained."""
    rate: float = 0.1
    """The learning rate."""
    decay: float = inf
    """It falls as 1/√updates after this many; inf keeps it."""
    batch: int = 128
    """The size of a minibatch."""
    updates: int = 2
    """Updates in each step."""
    target_every: int = 300
    """Updates between copies into the target network; 1 means there is none."""
    double: bool = False
    """Double Q-learning: the network chooses the next move, the target network values it."""
    warmup: int = 1000
    """Learning starts when the memory holds this many."""

    def on(self, tree: Tree) -> SelfPlay:
        engine = SeatSettings(
            tables=self.tables,
            anticipation=1.0,
            epsilon=self.epsilon,
            epsilon_decay=self.epsilon_decay,
            replay=ReplayRows(self.replay_capacity, self.batch),
            history=HistoryTally(growth=0.0, flatten=1.0),
            values=Optimiser(self.optimiser, self.rate, self.decay),
            policy=None,
            hidden=self.hidden,
            activation=self.activation,
            output=self.output,
            value_updates=self.updates,
            target_every=self.target_every,
            double=self.double,
            warmup=self.warmup,
            play_average=False,
        )
        return self_play(tree, engine, tree.uniform() if self.opponent == "uniform" else None)


ALGORITHMS = {
    "dqn": Method(
        "Deep Q-learning in self-play; it need not approach equilibrium (Mnih et al. 2015).",
        QLearning(),
        presets={"double": QLearning(double=True)},
    ),
    "linear-q": Method(
        "Q-learning with a linear map of the features in place of a network.", QLearning(hidden=(), rate=0.05)
    ),
}
