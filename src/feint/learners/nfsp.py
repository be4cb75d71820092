"""Neural fictitious self-play (Heinrich & Silver 2016): learn an equilibrium from play alone.

Every seat keeps a best response, learned by Q-learning, and an average of all its best responses so far, learned by
imitation. It plays the best response in a share of its hands (`anticipation`, the paper's η) and the average in
the rest, so that it learns to answer where the others are going. The average approaches an equilibrium.

`fast`, the default, learns from tallies of everything remembered rather than from minibatches, lets the best
response's window grow with time, and weighs later iterations more in the average. `paper` is the paper as written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Literal, final

from feint.arena.betting import Playground
from feint.arena.cards import View
from feint.games.errors import BadInput
from feint.learners.experience import (
    History,
    HistoryRows,
    HistoryTally,
    Replay,
    ReplayHands,
    ReplayRows,
    ReplayTally,
)
from feint.learners.networks import Activation, Cell, Design, Optimiser
from feint.learners.seat import SeatSettings
from feint.learners.self_play import SelfPlay, self_play
from feint.solvers.algorithm import Method, require
from feint.tree.tree import Tree


@final
@dataclass(frozen=True)
class NFSP:
    """Neural fictitious self-play."""

    tables: int = 1024
    """Hands played at once; one step is one move at each."""
    anticipation: float = 0.2
    """The share of hands in which a seat plays its best response (the paper's η)."""
    epsilon: float = 0.03
    """The share of random moves in a best response, at the start."""
    epsilon_decay: float = 0.01
    """Exploration falls as epsilon / (1 + epsilon_decay · √step)."""
    hidden: tuple[int, ...] = (64,)
    """Units in each hidden layer of both networks."""
    activation: Activation = "relu"
    """The activation of the hidden layers."""
    output: Activation = "linear"
    """The activation of the value network's output."""
    cell: Cell | None = None
    """A recurrent layer that is told the hand from its start: none, lstm or gru. It learns from whole hands."""
    remembers: int = 128
    """Units of the recurrent layer."""
    view: View = "nfsp"
    """What networks see of card games too large to unroll: nfsp, symmetric, strength or rlcard."""
    memory: Literal["tally", "rows"] = "tally"
    """Learn from counts of all that is remembered, or from minibatches of remembered rows."""
    replay_capacity: int = 200_000
    """Rows: transitions remembered for each seat; whole hands where there is a recurrent layer."""
    replay_share: float = 0.02
    """Tally: the window of transitions, as a share of all steps so far."""
    replay_least: float = 100.0
    """Tally: the window is at least this many steps."""
    history: Literal["reservoir", "window"] = "reservoir"
    """Rows: what is kept of the best response's moves, a fair sample of all or the latest."""
    history_capacity: int = 2_000_000
    """Rows: moves remembered for each seat."""
    history_least: float = 0.0
    """Rows: the reservoir's least probability of accepting; above 0, old moves fade."""
    history_growth: float = 2.0
    """What comes at t counts t^growth times in the average: steps of a tally, moves of a full reservoir."""
    history_from: int = 100
    """The first step whose moves enter the average."""
    flatten: float = 0.5
    """Tally: situations weigh their counts to this power."""
    optimiser: Literal["sgd", "adam"] = "adam"
    """How both networks are trained."""
    value_rate: float = 0.003
    """The value network's learning rate."""
    value_decay: float = 20_000.0
    """It falls as 1/√updates after this many; inf keeps it."""
    policy_rate: float = 0.003
    """The policy network's learning rate."""
    policy_decay: float = 1_000.0
    """It falls as 1/√updates after this many; inf keeps it."""
    batch: int = 128
    """Rows: the size of a minibatch."""
    value_updates: int = 2
    """Updates of the value network in each step."""
    policy_updates: int = 1
    """Updates of the policy network in each step."""
    target_every: int = 1
    """Updates between copies into the target network; 1 means there is none."""
    double: bool = False
    """Double Q-learning."""
    warmup: int = 1
    """Learning from a memory starts when it holds this many; a replay for a recurrent layer holds whole hands."""
    smoothing: float = 0.999
    """The moving average of the policy's weights that is judged and played; 0 for the policy itself."""
    reward_scale: float | None = None
    """Rewards are multiplied by this; None for 1 / the largest payoff."""
    error_clip: float = inf
    """Errors of values, in scaled rewards, pull no harder beyond this; inf for squared errors."""
    discount: float = 1.0
    """Rows: what a next decision's worth counts."""
    imitate: Literal["moves", "values"] = "moves"
    """The average learns the moves that were made, or (a thesis's experiment) a softmax of the values."""
    masked: bool = True
    """Never consider illegal moves; otherwise they are learned about, and played as a call."""

    def __post_init__(self) -> None:
        require(
            self,
            tables=(self.tables >= 1, "at least 1"),
            anticipation=(0 < self.anticipation <= 1, "above 0 and at most 1"),
            epsilon=(0 <= self.epsilon <= 1, "from 0 to 1"),
            epsilon_decay=(self.epsilon_decay >= 0, "0 or more"),
            replay_share=(self.replay_share >= 0, "0 or more"),
            replay_least=(self.replay_least >= 1, "at least 1"),
            hidden=(all(units >= 1 for units in self.hidden), "at least 1 in each layer"),
            remembers=(self.remembers >= 1, "at least 1"),
            memory=(self.memory == "rows" or self.cell is None, "rows where there is a recurrent layer"),
            replay_capacity=(self.replay_capacity >= self.tables, f"at least as many as tables, {self.tables}"),
            history_capacity=(self.history_capacity >= self.tables, f"at least as many as tables, {self.tables}"),
            history_least=(0 <= self.history_least <= 1, "from 0 to 1"),
            history_growth=(self.history_growth >= 0, "0 or more"),
            flatten=(0 <= self.flatten <= 1, "from 0 to 1"),
            reward_scale=(self.reward_scale is None or self.reward_scale > 0, "none or above 0"),
            value_rate=(self.value_rate > 0, "above 0"),
            policy_rate=(self.policy_rate > 0, "above 0"),
            value_decay=(self.value_decay > 0, "above 0"),
            policy_decay=(self.policy_decay > 0, "above 0"),
            batch=(self.batch >= 1, "at least 1"),
            value_updates=(self.value_updates >= 1, "at least 1"),
            policy_updates=(self.policy_updates >= 1, "at least 1"),
            target_every=(self.target_every >= 1, "at least 1"),
            smoothing=(0 <= self.smoothing < 1, "at least 0 and below 1"),
            error_clip=(self.error_clip > 0, "above 0"),
            discount=(0 < self.discount <= 1, "above 0 and at most 1"),
        )

    def on(self, game: Playground) -> SelfPlay:
        replay: Replay
        history: History
        hands = self.cell is not None
        if self.memory == "tally":
            if not isinstance(game, Tree):
                raise BadInput(
                    f"{game.name} is too large to keep a tally of; use --preset small on a few cores, --preset large "
                    f"on an accelerator, or --set memory=rows."
                )
            replay = ReplayTally(self.replay_share, self.replay_least, self.flatten)
            history = HistoryTally(self.history_growth, self.flatten)
        else:
            kept = ReplayHands if hands else ReplayRows
            replay = kept(self.replay_capacity, self.batch, self.discount)
            history = HistoryRows(
                self.history_capacity, self.batch, self.history, self.history_least, self.history_growth, hands
            )
        return self_play(
            game,
            SeatSettings(
                tables=self.tables,
                anticipation=self.anticipation,
                epsilon=self.epsilon,
                epsilon_decay=self.epsilon_decay,
                replay=replay,
                history=history,
                values=Optimiser(self.optimiser, self.value_rate, self.value_decay),
                policy=Optimiser(self.optimiser, self.policy_rate, self.policy_decay),
                network=Design(self.hidden, self.activation, self.cell, self.remembers),
                output=self.output,
                value_updates=self.value_updates,
                policy_updates=self.policy_updates,
                target_every=self.target_every,
                double=self.double,
                warmup=self.warmup,
                average_from=self.history_from,
                smoothing=self.smoothing,
                reward_scale=self.reward_scale,
                error_clip=self.error_clip,
                imitate=self.imitate,
                masked=self.masked,
            ),
            view=self.view,
        )


# Exploration "decayed as the inverse square root of iterations" from 0.06: the author's program has
# 0.06 / (1 + 0.01 √t), used here; 0.06 / √t is gone within a few hundred iterations and learns later.
PAPER = NFSP(
    tables=128,
    anticipation=0.1,
    epsilon=0.06,
    epsilon_decay=0.01,
    memory="rows",
    history_growth=0.0,
    history_from=0,
    optimiser="sgd",
    value_rate=0.1,
    value_decay=inf,
    policy_rate=0.005,
    policy_decay=inf,
    policy_updates=2,
    target_every=300,
    warmup=1000,
    smoothing=0.0,
    reward_scale=1 / 26,
)

# The paper's settings for limit hold'em, from secondary sources: 30 million moves in a reservoir that forgets.
HOLDEM = replace(
    PAPER,
    tables=256,
    hidden=(1024, 512, 1024, 512),
    epsilon=0.08,
    replay_capacity=600_000,
    history_capacity=30_000_000,
    history_least=0.25,
    policy_rate=0.01,
    batch=256,
    target_every=1000,
    reward_scale=None,
)

# Ours for limit hold'em on one accelerator: so many hands at once that large batches come for free, networks that are
# told how good a hand is, and an average that forgets the first attempts.
LARGE = replace(
    HOLDEM,
    tables=16_384,
    hidden=(512, 512, 512),
    view="strength",
    epsilon=0.06,
    replay_capacity=2_000_000,
    history_capacity=5_000_000,
    history_least=0.0,
    history_growth=1.0,
    optimiser="adam",
    value_rate=1e-3,
    value_decay=20_000.0,
    policy_rate=1e-3,
    policy_decay=20_000.0,
    batch=8192,
    value_updates=1,
    policy_updates=1,
    target_every=200,
    smoothing=0.999,
)

# … and on a few cores.
SMALL = replace(
    LARGE,
    tables=256,
    hidden=(128, 128),
    view="symmetric",
    replay_capacity=200_000,
    history_capacity=500_000,
    batch=256,
    value_updates=2,
    policy_updates=2,
)

# The settings of "Poker-RNN", as read here. Its ε is the probability of the greedy move, .92 to
# .99, so exploration falls from .08. Its Algorithms 3 and 4 play the average with probability η = .2; NFSP plays the
# best response with that, and so do we. Its four layers of "5124" are 512. An update every 10 moves (of a seat's own:
# 20 tables) is its Q-learners'; for NFSP it gives none. With that its copy every 1,000 moves is one in 100 updates.
# Rewards are in big blinds. It names neither optimiser nor loss: Adam and squared errors, as for its Q-learners. NFSP
# then wins 2.0 big blinds a hand off random play and its values show no pattern, as in the paper; the reason is that at
# .06 its value networks die: they tell no hand from another (docs/results). Gradient descent at these rates diverges
# by step 94,208 (two seeds); with error_clip=1, as in the DQN of 2015, it does not.
POKER_RNN = replace(
    HOLDEM,
    tables=20,
    view="rlcard",
    anticipation=0.2,
    hidden=(512, 512, 512, 512),
    value_rate=0.06,
    policy_rate=0.005,
    value_updates=1,
    policy_updates=1,
    target_every=100,
    replay_capacity=30_000,
    history_capacity=1_000_000,
    history_least=0.0,
    reward_scale=0.5,
    optimiser="adam",
    discount=0.99,
)

ALGORITHMS = {
    "nfsp": Method(
        "Neural fictitious self-play: an equilibrium from play alone (Heinrich & Silver 2016).",
        NFSP(),
        presets={
            "fast": NFSP(),
            "paper": PAPER,
            # The author's program has no target network and no masks: an illegal move is played as a call. (It also
            # charges chips as they are bet; undiscounted, that shifts values but not which move is best.)
            "author": replace(PAPER, target_every=1, masked=False),
            "gpu": NFSP(tables=8192, hidden=(128,), anticipation=0.1),
            "holdem": HOLDEM,
            "large": LARGE,
            "small": SMALL,
            "poker-rnn": POKER_RNN,
        },
        large=True,
    )
}
