"""Q-learning in self-play or against a fixed opponent: the greedy half of NFSP on its own.

Every seat learns what each move is worth while playing it greedily. Against a fixed opponent that finds a best
response. In self-play it chases itself: neither the greedy strategies nor their average need approach an
equilibrium, which is what fictitious self-play mends. The average of the moves made is counted alongside, and its
exploitability logged as `average`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Literal, final

from feint.arena.betting import Playground
from feint.arena.cards import View
from feint.arena.policy import Uniform
from feint.learners.experience import HistoryNone, HistoryTally, ReplayHands, ReplayRows
from feint.learners.networks import Activation, Cell, Design, Optimiser
from feint.learners.seat import SeatSettings
from feint.learners.self_play import SelfPlay, self_play
from feint.solvers.algorithm import Method, require
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
    cell: Cell | None = None
    """A recurrent layer that is told the hand from its start: none, lstm or gru. It learns from whole hands."""
    remembers: int = 128
    """Units of the recurrent layer."""
    view: View = "nfsp"
    """What networks see of card games too large to unroll: nfsp, symmetric, strength or rlcard."""
    replay_capacity: int = 200_000
    """Transitions remembered for each seat; whole hands where there is a recurrent layer."""
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
    """Learning starts when the memory holds this many: transitions, or hands where there is a recurrent layer."""
    discount: float = 1.0
    """What a next decision's worth counts."""
    reward_scale: float | None = None
    """Rewards are multiplied by this; None for 1 / the largest payoff."""
    error_clip: float = inf
    """Errors of values, in scaled rewards, pull no harder beyond this; inf for squared errors."""

    def __post_init__(self) -> None:
        require(
            self,
            tables=(self.tables >= 1, "at least 1"),
            epsilon=(0 <= self.epsilon <= 1, "from 0 to 1"),
            epsilon_decay=(self.epsilon_decay >= 0, "0 or more"),
            hidden=(all(units >= 1 for units in self.hidden), "at least 1 in each layer"),
            remembers=(self.remembers >= 1, "at least 1"),
            replay_capacity=(self.replay_capacity >= self.tables, f"at least as many as tables, {self.tables}"),
            rate=(self.rate > 0, "above 0"),
            decay=(self.decay > 0, "above 0"),
            batch=(self.batch >= 1, "at least 1"),
            updates=(self.updates >= 1, "at least 1"),
            target_every=(self.target_every >= 1, "at least 1"),
            discount=(0 < self.discount <= 1, "above 0 and at most 1"),
            reward_scale=(self.reward_scale is None or self.reward_scale > 0, "none or above 0"),
            error_clip=(self.error_clip > 0, "above 0"),
        )

    def on(self, game: Playground) -> SelfPlay:
        kept = ReplayRows if self.cell is None else ReplayHands
        engine = SeatSettings(
            tables=self.tables,
            anticipation=1.0,
            epsilon=self.epsilon,
            epsilon_decay=self.epsilon_decay,
            replay=kept(self.replay_capacity, self.batch, self.discount),
            # The moves made are counted where there is a list to count in.
            history=HistoryTally(growth=0.0, flatten=1.0) if isinstance(game, Tree) else HistoryNone(),
            values=Optimiser(self.optimiser, self.rate, self.decay),
            policy=None,
            network=Design(self.hidden, self.activation, self.cell, self.remembers),
            output=self.output,
            value_updates=self.updates,
            target_every=self.target_every,
            double=self.double,
            warmup=self.warmup,
            reward_scale=self.reward_scale,
            error_clip=self.error_clip,
            play_average=False,
        )
        return self_play(game, engine, Uniform if self.opponent == "uniform" else None, self.view)


# The settings of "Poker-RNN", as read here. Its ε is the probability of the greedy move, .9 to 1, so exploration
# falls from .1. Its optimiser is not named; a rate of 10⁻⁴ is Adam's. An update every 10 moves of a seat is one in each
# step of 20 tables, and a copy every 300 moves one in 30 updates. Rewards are in big blinds.
POKER_RNN_DQN = QLearning(
    tables=20,
    view="rlcard",
    epsilon=0.1,
    hidden=(512, 512, 512),
    replay_capacity=100_000,
    optimiser="adam",
    rate=1e-4,
    batch=64,
    updates=1,
    target_every=30,
    discount=0.97,
    reward_scale=0.5,
)

# Ours for limit hold'em on one accelerator.
LARGE = QLearning(
    tables=16_384,
    hidden=(512, 512, 512),
    view="strength",
    epsilon=0.06,
    replay_capacity=2_000_000,
    optimiser="adam",
    rate=1e-3,
    decay=20_000.0,
    batch=8192,
    updates=1,
    target_every=200,
)

ALGORITHMS = {
    "dqn": Method(
        "Deep Q-learning in self-play; it need not approach equilibrium (Mnih et al. 2015).",
        QLearning(),
        presets={"double": QLearning(double=True), "large": LARGE, "poker-rnn": POKER_RNN_DQN},
        large=True,
    ),
    "linear-q": Method(
        "Q-learning with a linear map of the features in place of a network.",
        QLearning(hidden=(), rate=0.05),
        presets={"large": replace(LARGE, hidden=()), "poker-rnn": replace(POKER_RNN_DQN, hidden=())},
        large=True,
    ),
}
