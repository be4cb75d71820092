"""Recurrent learners: networks that are told the hand from its start, decision by decision.

Deep recurrent Q-learning and recurrent neural fictitious self-play are Q-learning and NFSP with a recurrent layer in
front, trained on whole hands. What a player sees at its last decision tells all that it saw and did before, so a
memory row is no larger for it, and on unrolled games the strategy is a table like any other and is judged exactly.
"""

from __future__ import annotations

from dataclasses import replace

from feint.learners import nfsp, q_learning
from feint.learners.nfsp import PAPER, POKER_RNN
from feint.learners.q_learning import POKER_RNN_DQN, QLearning
from feint.solvers.algorithm import Method

RNFSP = replace(
    PAPER,
    cell="lstm",
    remembers=64,
    hidden=(64,),
    optimiser="adam",
    value_rate=0.001,
    policy_rate=0.001,
    batch=64,
    reward_scale=None,
)

ALGORITHMS = {
    "drqn": Method(
        "Deep recurrent Q-learning in self-play, on whole hands (Hausknecht & Stone 2015).",
        QLearning(cell="lstm", remembers=64, optimiser="adam", rate=0.001, batch=64),
        presets={
            "large": replace(q_learning.LARGE, cell="lstm", remembers=128, hidden=(512, 512), batch=2048),
            "poker-rnn": replace(POKER_RNN_DQN, cell="lstm", remembers=128, hidden=(256, 512)),
        },
        large=True,
    ),
    "rnfsp": Method(
        "Recurrent neural fictitious self-play, on whole hands.",
        RNFSP,
        presets={
            "large": replace(nfsp.LARGE, cell="lstm", remembers=128, hidden=(512, 512), batch=2048),
            # 64 whole hands in a batch where NFSP has 256 moves.
            "poker-rnn": replace(
                POKER_RNN,
                cell="lstm",
                remembers=512,
                hidden=(1024, 512, 512),
                value_rate=0.03,
                policy_rate=0.002,
                batch=64,
                replay_capacity=40_000,
                history_capacity=500_000,
            ),
        },
        large=True,
    ),
}
