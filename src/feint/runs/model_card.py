"""The model card, for whoever finds a run without its maker."""

from __future__ import annotations

import json
from collections.abc import Sequence

from feint.evaluate.measure import Measure
from feint.evaluate.share_found import share_found
from feint.forms.form import Form
from feint.runs.config import algorithms, flat, written
from feint.runs.run import Run
from feint.runs.summary import band, headline, measured, of_strategy

HERE = "."
"""A run's name in its own folder."""


def model_card(run: Run, form: Form, name: str) -> str:
    """What this is, how good, how to use it, how it was made and what it cannot do; `name` is what commands call it."""
    config, last = run.config, of_strategy(run.metrics[-1])
    number, words = headline(last, run.bound)
    entry = algorithms()[config.algorithm]
    title = f"{config.algorithm} on {config.game}"
    settings = "\n".join(f"| {key} | {value} |" for key, value in written(flat(config.settings)).items())
    return f"""---
library_name: feint
pipeline_tag: reinforcement-learning
tags: [game-theory, imperfect-information, {config.algorithm}]
model-index:
- name: {json.dumps(title)}
  results:
  - task: {{type: strategy, name: {json.dumps(config.game)}}}
    dataset: {{type: game, name: {json.dumps(config.game)}}}
    metrics:
{_entries(measured(last), run.bound)}
---
# {title}

A strategy for every seat of `{config.game}`, found by `{config.algorithm}`. {entry.about}

{number.capitalize()} **{words}** after {last["step"]:,} steps{band(run.metrics[-1])}.

## The game

{_rules(form)}

## How good it is

{_judgement(run, form)}

## How to use it

{_use(run, form, name)}

## What it cannot do

{_limits(form)}

## How it was made

    {config.command(last)}

{_made(run.provenance)}On one machine the numbers repeat; on another they may differ.

| setting | value |
|---|---|
{settings}
"""


def _entries(*measures: Measure | None) -> str:
    """Measures for machines."""
    return "\n".join(
        f"    - {{type: {each.name}, value: {each.value!r}, unit: {each.unit}, kind: {each.kind}}}"
        for each in measures
        if each
    )


def _made(made: Sequence[str]) -> str:
    """On what machine and with what programs, where that is known."""
    return f"On {made[0]} with {' and '.join(made[1:])}. " if made else ""


def _rules(form: Form) -> str:
    facts = f"`{form.name}`: {form.players} players, {form.size}. The moves are {', '.join(form.actions)}"
    facts += "; a call of nothing is a check, and the first raise a bet." if "call" in form.actions else "."
    return "\n\n".join(text for text in (form.game.rules, facts) if text)


def _judgement(run: Run, form: Form) -> str:
    first, last, bound = run.metrics[0], of_strategy(run.metrics[-1]), run.bound
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
    if bound:
        folding = "" if form.forfeit is None else f"; always folding loses {form.forfeit:,.0f}"
        who, found = (f"{bound.response} best", f" {share_found(bound.response)}") if bound.response else ("best", "")
        rows.append(
            f"| exploitability | {bound.words} | what a {who} response, which knows the strategy, won off it "
            f"over {bound.hands:,} hands, with the 95% interval{folding}.{found} |"
        )
    if "hands" in last:
        whom = "random play" if run.config.settings.get("opponent") == "uniform" else "itself"
        rows.append(f"| hands | {last['hands']:,.0f} | played to learn it, against {whom} |")
    return "\n".join(["| measure | value | what it is |", "|---|---|---|", *rows])


def _use(run: Run, form: Form, name: str) -> str:
    where = "In this folder (elsewhere, give its path):\n\n" if name == HERE else ""
    moves = "run.strategy.policy  # from what players see at many tables to the probabilities of their moves"
    if form.tree is not None:
        moves = f"""tree = feint.unroll({json.dumps(form.name)})
for seen, probabilities in zip(tree.infosets, run.strategy.table(tree)):
    print(seen.player, seen.label, dict(zip(tree.actions, probabilities)))"""
    return f"""{where}    feint play {name}              sit down against it
    feint match {name} random      play it against random moves, or against another run
    feint evaluate {name}          judge it again
    feint show {name}              the strategy, and how it was learned

```python
import feint

run = feint.load_run({json.dumps(name)})
{moves}
```

`strategy.safetensors` holds {run.strategy.holds}, `metrics.jsonl` every evaluation on the way."""


def _limits(form: Form) -> str:
    rules = f"It plays `{form.name}` by these rules only"
    limits = [f"{rules}; other stakes, decks or tables need a strategy of their own."]
    if form.exact and form.players == 2 and form.zero_sum:
        limits.append(
            "It does not look at whom it plays. Exploitability is the most that anyone can win off it per hand, seats "
            "changing; what it wins off weak players is what they give away by themselves."
        )
    elif form.exact:
        limits.append(
            "It does not look at whom it plays. Exploitability says how far it is from an equilibrium, in which nobody "
            "gains by changing alone; unlike for two in a zero-sum game, that promises no seat any winnings."
        )
    else:
        *_, judge = form.judges
        asks = "" if judge == "winnings" else f"; `feint evaluate` asks {judge} how exploitable it is"
        limits.append(
            "It does not look at whom it plays. The game is too large to judge exactly, and winnings against random "
            f"play say little about strong players{asks}."
        )
    return "\n".join(f"- {limit}" for limit in limits)
