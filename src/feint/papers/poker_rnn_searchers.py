"""What players who search win off the agents of "Poker-RNN"."""

from __future__ import annotations

from collections.abc import Sequence

from feint.papers.poker_rnn_hands import Estimate
from feint.papers.poker_rnn_seeds import Record
from feint.papers.poker_rnn_variants import LABELS
from feint.papers.trials import table


def search_section(records: Sequence[Record]) -> str:
    """The matches, and what they tell; empty where there are none."""
    if not any(row["trial"].startswith("mcts/") for row in records):
        return ""
    return f"## Against Monte Carlo tree search\n\n{_SEARCH} {searched(records)}\n\n{search_table(records)}"


def search_table(records: Sequence[Record]) -> str:
    """What searchers win off the agents."""
    rows = [
        [
            LABELS[row["other"]],
            f"{row['trained']:,.0f}",
            row["one"],
            f"{row['simulations']:,}",
            f"{row['won'][2]:,}",
            str(Estimate(*row["won"][:2])),
        ]
        for agent in LABELS
        for row in records
        if row["trial"] == f"mcts/{agent}"
    ]
    return table(["agent", "hands of training", "searcher", "simulations a move", "hands", "won by the searcher"], rows)


def searched(records: Sequence[Record]) -> str:
    """How many of these matches tell who is better."""
    won = [Estimate(*row["won"][:2]) for row in records if row["trial"].startswith("mcts/")]
    ahead, behind = sum(each.low > 0 for each in won), sum(each.high < 0 for each in won)
    told = f"Of {len(won)} matches, each by its own interval, the searcher wins {ahead} and loses {behind}"
    return f"{told}; the others are too short to tell."


_SEARCH = """What players who search win off agents of seed 1, at so many simulations a move, on deals that are
played from both seats. These agents are of an earlier training than those above, and most did not come to its end, as
their hands say. The matches are very short, all that one busy core could do in a quarter of an hour: intervals (95%)
are wide. Networks were read back with half their digits."""
