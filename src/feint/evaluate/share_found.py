"""How much of exploitability bounds find, measured where the exact value is known too: benchmarks/results/bounds.md."""

from __future__ import annotations

LOCAL, LEARNED = "local", "learned"
"""Best responses, whose winnings are bounds."""
FOUND = {LOCAL: (0.78, 1.0), LEARNED: (0.0, 0.98)}
"""The least and the most of it that local and learned best responses won off strategies of flop hold'em …"""
LOST = 136, 1522
"""… and what the best and the worst of these lose, in mbb/h: all by the record, benchmarks/results/bounds.jsonl."""


def share_found(response: str) -> str:
    """What must be said beside a bound where no exact value can be had."""
    least, most = FOUND[response]
    return (
        f"On flop hold'em, where the exact value is known, {response} best responses found {least:.0%} to {most:.0%} "
        f"of it, the less the better the strategies were (these lose {LOST[0]:,} to {LOST[1]:,} mbb/h)."
    )
