"""A run in words: the number that matters, and the model card for whoever finds the run without its maker."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from feint.arena.betting import Playground
from feint.evaluate.bound import Bound
from feint.games.library import rules_of
from feint.runs.config import RunConfig, algorithms
from feint.tree.tree import Tree

HERE = "."
"""A run's name in its own folder."""


def headline(row: Mapping[str, Any], bound: Bound | None = None) -> tuple[str, str]:
    """The number that matters most in an evaluation, in words: exact exploitability, or winnings where that is all.

    Where a bound on exploitability is known, it stands beside the winnings.
    """
    if "exploitability" in row:
        return "exploitability", f"{row['exploitability']:.3g} chips per hand (exact)"
    words = f"{row['winnings']:,.0f} ± {row['winnings_error']:,.0f} mbb/h against random play"
    return "winnings", f"{words}; exploitability {at_least(bound)}" if bound else words


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
    median = row["exploitability" if "exploitability" in row else "winnings"]
    return f" (the best of {len(seeds)} seeds; their median is {median:.3g}, from {min(seeds):.3g} to {max(seeds):.3g})"


def length(row: Mapping[str, Any]) -> str:
    """How far a run had come at an evaluation: steps, and hands where they are counted."""
    steps = f"{row['step']:,} step{'' if row['step'] == 1 else 's'}"
    return f"{steps}, {row['hands']:,.0f} hands" if "hands" in row else steps


def at_least(bound: Bound) -> str:
    """A bound in words: what is sure, but for bad luck with the cards, and what was won."""
    won = f"a best response won {bound.value:,.0f}, {bound.low:,.0f} to {bound.high:,.0f}"
    return f"at least {max(bound.low, 0.0):,.0f} {bound.unit} ({won})"


def model_card(
    config: RunConfig,
    metrics: Sequence[Mapping[str, Any]],
    game: Playground,
    made: Sequence[str],
    bound: Bound | None,
    name: str,
) -> str:
    """What this is, how good, how to use it, how it was made and what it cannot do; `name` is what commands call it."""
    last = of_strategy(metrics[-1])
    number, words = headline(last, bound)
    method = algorithms()[config.algorithm]
    exact = number == "exploitability"
    unit, kind = ("chips per hand", "exact") if exact else ("mbb/h", "estimate against random play")
    title = f"{config.algorithm} on {config.game}"
    settings = "\n".join(f"| {key} | {value} |" for key, value in config.settings.items())
    return f"""---
library_name: feint
tags: [game-theory, imperfect-information, {config.algorithm}]
model-index:
- name: {json.dumps(title)}
  results:
  - task: {{type: strategy, name: {json.dumps(config.game)}}}
    metrics:
    - {{type: {number}, value: {last[number]!r}, unit: {unit}, kind: {kind}}}{_bound_entry(bound)}
---
# {title}

A strategy for every seat of `{config.game}`, found by `{config.algorithm}`. {method.about}

{number.capitalize()} **{words}** after {last["step"]:,} steps{band(metrics[-1])}.

## The game

{_rules(config.game, game)}

## How good it is

{_judgement(metrics, game, bound)}

## How to use it

{_use(config.game, game, name)}

## What it cannot do

{_limits(config.game, game)}

## How it was made

    {config.command(last)}

{_made(made)}On one machine the numbers repeat; on another they may differ.

| setting | value |
|---|---|
{settings}
"""


def _bound_entry(bound: Bound | None) -> str:
    """A bound beside the number that matters, for machines."""
    entry = f"type: exploitability, value: {bound.value!r}, unit: {bound.unit}, kind: {bound.kind}" if bound else ""
    return f"\n    - {{{entry}}}" if bound else ""


def _made(made: Sequence[str]) -> str:
    """On what machine and with what programs, where that is known."""
    return f"On {made[0]} with {' and '.join(made[1:])}. " if made else ""


def _rules(name: str, game: Playground) -> str:
    size = (
        f"{len(game.player):,} information sets"
        if isinstance(game, Tree)
        else f"{len(game.actor):,} betting decisions for every deal of the cards"
    )
    facts = f"`{name}`: {game.players} players, {size}. The moves are {', '.join(game.actions)}"
    facts += "; a call of nothing is a check, and the first raise a bet." if "call" in game.actions else "."
    return "\n\n".join(text for text in (rules_of(name), facts) if text)


def _judgement(metrics: Sequence[Mapping[str, Any]], game: Playground, bound: Bound | None) -> str:
    first, last = metrics[0], of_strategy(metrics[-1])
    if "exploitability" in last:
        rows = [
            f"| exploitability | {last['exploitability']:.6g} | chips per hand, exact: what whoever knows the strategy "
            "and answers it perfectly gains, in the mean over the seats |",
            f"| NashConv | {last['nash_conv']:.6g} | chips per hand, exact: the sum of these gains |",
            f"| exploitability at step {first['step']:,} | {first['exploitability']:.6g} | for scale |",
        ]
    else:
        rows = [
            f"| winnings | {last['winnings']:,.1f} ± {last['winnings_error']:,.1f} | thousandths of a big blind per "
            "hand against random play, with the 95% interval |",
            f"| winnings at step {first['step']:,} | {first['winnings']:,.1f} | for scale |",
        ]
    if bound and not isinstance(game, Tree):
        folding = 1000 * (sum(game.game.blinds) / game.players + game.game.ante) / game.big_blind
        rows.append(
            f"| exploitability | {at_least(bound)} | what a local best response, which knows the strategy, won off it "
            f"over {bound.hands:,} hands, with the 95% interval; always folding loses {folding:,.0f} |"
        )
    if "hands" in last:
        rows.append(f"| hands | {last['hands']:,.0f} | played to learn it, against itself |")
    return "\n".join(["| measure | value | what it is |", "|---|---|---|", *rows])


def _use(name: str, game: Playground, run: str) -> str:
    where = "In this folder (elsewhere, give its path):\n\n" if run == HERE else ""
    known = f"run = feint.load_run({json.dumps(run)})"
    if isinstance(game, Tree):
        held = "the probability of every move at every information set"
        moves = f"""tree = feint.unroll({json.dumps(name)})
for seen, probabilities in zip(tree.infosets, run.strategy.table(tree)):
    print(seen.player, seen.label, dict(zip(tree.actions, probabilities)))"""
    else:
        held = "the networks that choose the moves"
        moves = "run.strategy.policy  # from what players see at many tables to the probabilities of their moves"
    return f"""{where}    feint play {run}              sit down against it
    feint match {run} random      play it against random moves, or against another run
    feint evaluate {run}          judge it again
    feint show {run}              the strategy, and how it was learned

```python
import feint

{known}
{moves}
```

`strategy.safetensors` holds {held}, `metrics.jsonl` every evaluation on the way."""


def _limits(name: str, game: Playground) -> str:
    limits = [f"It plays `{name}` by these rules only; other stakes, decks or tables need a strategy of their own."]
    if isinstance(game, Tree) and game.players == 2 and game.zero_sum:
        limits.append(
            "It does not look at whom it plays. Exploitability is the most that anyone can win off it per hand, seats "
            "changing; what it wins off weak players is what they give away by themselves."
        )
    elif isinstance(game, Tree):
        limits.append(
            "It does not look at whom it plays. Exploitability says how far it is from an equilibrium, in which nobody "
            "gains by changing alone; unlike for two in a zero-sum game, that promises no seat any winnings."
        )
    else:
        limits.append(
            "It does not look at whom it plays. The game is too large to judge exactly, and winnings against random "
            "play say little about strong players; `feint evaluate` finds a lower bound on its exploitability."
        )
    return "\n".join(f"- {limit}" for limit in limits)
