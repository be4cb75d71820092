"""A run in words: the number that matters, how it spreads, and how far the run had come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from feint.evaluate.measure import CHIPS, ESTIMATE, EXACT, Measure


def measured(row: Mapping[str, Any]) -> Measure:
    """The number that matters most in an evaluation: exact exploitability, or winnings where that is all."""
    if "exploitability" in row:
        return Measure("exploitability", row["exploitability"], CHIPS, EXACT)
    won, error = row["winnings"], row["winnings_error"]
    return Measure("winnings", won, "mbb/h", f"{ESTIMATE} against random play", won - error, won + error)


def headline(row: Mapping[str, Any], bound: Measure | None = None) -> tuple[str, str]:
    """That number in words; where a bound on exploitability is known, it stands beside winnings."""
    number = measured(row)
    if number.kind == EXACT:
        return number.name, f"{number.value:.3g} {number.unit} ({number.kind})"
    return number.name, f"{number.words}; exploitability {bound.words}" if bound else number.words


def of_strategy(row: Mapping[str, Any]) -> dict[str, Any]:
    """An evaluation, of the strategy that is kept: of many seeds it is the best one's, and rows have their median."""
    if "seeds" not in row:
        return dict(row)
    if "winnings" in row:
        return dict(row) | {"winnings": max(row["seeds"])}
    best, median = min(row["seeds"]), row["exploitability"]
    return dict(row) | {"exploitability": best, "nash_conv": best * row["nash_conv"] / median if median else 0.0}


def band(row: Mapping[str, Any]) -> str:
    """Where there were many seeds, how they spread; in brackets behind the best one's number."""
    seeds = row.get("seeds")
    if not seeds:
        return ""
    if min(seeds) == max(seeds):
        return f" ({len(seeds)} seeds, all alike)"
    median = measured(row).value
    return f" (the best of {len(seeds)} seeds; their median is {median:.3g}, from {min(seeds):.3g} to {max(seeds):.3g})"


def length(row: Mapping[str, Any]) -> str:
    """How far a run had come at an evaluation: steps, and hands where they are counted."""
    steps = f"{row['step']:,} step{'' if row['step'] == 1 else 's'}"
    return f"{steps}, {row['hands']:,.0f} hands" if "hands" in row else steps
