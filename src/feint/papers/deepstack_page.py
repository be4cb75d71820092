"""The page of the reproduction of DeepStack for Leduc: tables, and the claims answered."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from feint.papers.deepstack_bets import bets_section
from feint.papers.deepstack_figures import MBB
from feint.papers.deepstack_networks import EIGHT, KINDS, THEIRS
from feint.papers.deepstack_programs import CALL, EVOLVED, MODELLER, RULE_BOT, THEIR_MODELLER
from feint.papers.trials import quick_look, table
from feint.tree.unroll import unroll

if TYPE_CHECKING:
    from feint.papers.deepstack_leduc import Facts

TITLE = "DeepStack's value networks in Leduc hold'em"
NEARLY_THIRTY, DISCOVERED = (0.2, 0.4), 1.0
"""What about 30% is, and the chips a hand from which on a bot is discoverable."""
TOOL = 5 / 6
"""What the public program counts of exploitability: it gives 6 of 36 deals to hands that cannot meet."""


def page_of(facts: Facts, quick: bool) -> str:
    """The page."""
    fewer = facts.size.iterations[0]
    return f"""# {TITLE}

{facts.where}
{facts.size.train:,} situations to learn from and {facts.size.test:,} to test on, {facts.size.epochs}
epochs, {facts.size.seeds} seed{"s" * (facts.size.seeds > 1)}.
{quick_look("deepstack_leduc") if quick else ""}
Exploitability is NashConv / 2 of the player, who searches at every decision with the network: exact, in chips per hand
(ante 100). mbb/h is thousandths of an ante. The public program's own figure is 5/6 of the true one, because it counts
deals that cannot be; it is in brackets. Given are the median of the seeds and from where to where they go.

## Table 3, theirs beside ours

{_networks(facts)}

*2* and *4* count activations. If the paper counts layers as the public program's manual does, its networks are those of
1 and 3; 5 PReLU is that program's own network, 7 PReLU has as many layers as DeepStack. *State value* is the paper's
definition taken by its words: how far what the network says a public state of the second round is worth to the first
player is from the truth, on average, in mbb/h. Searches in the second round never ask a network, so nothing else can be
"in the second round".

![Table 3](table-3.png)
![learning](learning.png)

## What the number is made of

{table(["values of the second round", f"exploitability at {fewer:,} iterations", "mbb/h"], _controls(facts))}

{table(["solver inside", *(f"{count:,}" for count in next(iter(facts.inside.values())))], _inside(facts))}

![iterations](iterations.png)

{bets_section(facts.bets) if facts.bets else ""}
## Figure 9, with every program

{table(["program", "exploitability", "mbb/h"], _programs(facts))}

![programs](figure-9.png)
![cross table](cross.png)

What the row wins off the column is exact: expected values, half of the hands in each seat. Blank ones were not judged.
{_of_programs(facts)}
## The claims

Each seed is a Table 3 of its own, as the paper's one run of each network is. A claim holds where it is so in every
seed, does not hold where its contrary is, and is not decided where they differ. Of several networks the median counts;
one that is to be best, or to do well, is compared with the best of the others in that seed. Were all eight alike, each
would be best in an eighth of the seeds. What needs no network has no seeds: about 30% is taken to be
{NEARLY_THIRTY[0]:.0%} to {NEARLY_THIRTY[1]:.0%}, and a bot is discoverable off which a best response wins more than
{DISCOVERED:g} chip a hand.

{table(["claim", "measured", "verdict"], claims(facts))}

## The pieces

![lookahead](lookahead.png)
![activations](activations.png)

Made by `feint reproduce deepstack-leduc{" --quick" if quick else ""}`; all numbers are in `numbers.jsonl`, with
what each was made with where that was noted, and in `learning.json`.
"""


def _band(numbers: Float[np.ndarray, " s"], digits: int = 1) -> str:
    middle, low, high = (f"{number:.{digits}f}" for number in (np.median(numbers), numbers.min(), numbers.max()))
    return middle if len(numbers) == 1 else f"{middle} ({low} to {high})"


def _networks(facts: Facts) -> str:
    fewer, more = facts.size.iterations
    head = ["network", "parameters", "paper, mbb/h", f"ours at {fewer:,}", f"at {more:,}", "Huber loss", "state value"]
    rows = []
    for number, kind in enumerate(KINDS):
        at_fewer, at_more = (facts.scores[count][:, number] * MBB for count in (fewer, more))
        rows.append(
            [
                kind.name,
                f"{kind.parameters:,}",
                f"{THEIRS[kind.name]:.2f}" if kind.name in THEIRS else "",
                f"{_band(at_fewer)} [{np.median(at_fewer) * TOOL:.1f}]",
                f"{_band(at_more)} [{np.median(at_more) * TOOL:.1f}]",
                f"{np.median(facts.losses[:, :, number].min(0)):.2g}",
                _band(facts.states[:, number] * MBB),
            ]
        )
    return table(head, rows)


def _controls(facts: Facts) -> list[list[str]]:
    return [[name, f"{value:.3f}", f"{value * MBB:.1f}"] for name, value in facts.controls.items()]


def _inside(facts: Facts) -> list[list[str]]:
    return [[solver, *(f"{value:.3f}" for value in each.values())] for solver, each in facts.inside.items()]


def _programs(facts: Facts) -> list[list[str]]:
    ordered = sorted(facts.programs.items(), key=lambda each: each[1])
    return [[name, f"{value:.4g}", f"{value * MBB:.4g}"] for name, value in ordered]


def _of_programs(facts: Facts) -> str:
    """What those win who learned from opponents; nothing where they were not judged."""
    cross, lost = facts.cross, facts.programs
    bred = next((name for name in cross if name.startswith(EVOLVED)), None)
    if bred is None or THEIR_MODELLER not in cross:
        return ""
    won = {other: value for other, value in cross[bred].items() if other != bred and isfinite(value)}
    beaten = " and ".join(f"{other} by {value:.1f}" for other, value in won.items() if value > 0) or "nobody"
    losses = sorted(-value for value in won.values() if value < 0)
    theirs = cross[THEIR_MODELLER]
    words = (
        f"A modeller that has watched 10,000 hands of the rule bot in place of random play wins {theirs[RULE_BOT]:.1f} "
        f"chips a hand off it, of the {lost[RULE_BOT]:.1f} that anyone can; off whoever always calls that comes to "
        f"{theirs[CALL]:.1f}, and off the modeller of random play to {theirs[MODELLER]:.1f}. It can lose "
        f"{lost[THEIR_MODELLER]:.1f}. Evolved networks, whose tournaments end with who wins most off its own kind, "
        f"beat {beaten}, and lose to the {len(losses)} others that they were judged against, {losses[0]:.1f} to "
        f"{losses[-1]:.1f}."
    )
    return f"\n{fill(words, 118)}\n"


def claims(facts: Facts) -> list[tuple[str, str, str]]:
    """Every claim of the paper with what was measured and the verdict."""
    more = max(facts.size.iterations)
    scores, first = facts.scores[more] * MBB, facts.losses[0]
    smooth, kinked = _of("tanh", "softplus"), _of("relu", "prelu")
    soft4, tanh2, tanh4 = _of("softplus", depth=4), _of("tanh", depth=2), _of("tanh", depth=4)
    others2, others4 = (_of("relu", "softplus", "prelu", depth=depth) for depth in (2, 4))
    gap = facts.programs["DeepStack (paper's network)"] / facts.programs["CFR+, 1,000 iterations"] - 1
    tree = unroll("leduc_no_limit(suits=True)")
    moves, least = int(tree.legal.sum()), min(kind.parameters for kind in EIGHT)
    return [
        (
            "SoftPlus with four layers is best",
            *_less(scores, soft4, [each for each in range(len(EIGHT)) if each not in soft4]),
        ),
        ("PReLU and SoftPlus beat ReLU", *_less(scores, _of("prelu", "softplus"), _of("relu"))),
        ("Smoother activations start faster (loss after one epoch)", *_less(first, smooth, kinked, 4)),
        ("Tanh does well with two layers", *_less(scores, tanh2, others2)),
        ("Tanh does badly with four", *_less(scores, others4, tanh4)),
        (
            "A network needs fewer parameters than a table",
            f"{least:,} parameters at least; a table of all moves has {moves:,} numbers",
            "holds" if least < moves else "does not hold",
        ),
        (
            "DeepStack lies about 30% behind the best program",
            f"{gap:+.0%} behind CFR+ of 1,000 iterations",
            "holds" if NEARLY_THIRTY[0] <= gap <= NEARLY_THIRTY[1] else "does not hold",
        ),
        (
            "Fixed bots are discoverable",
            f"a best response wins {facts.programs['rule bot']:.0f} chips a hand off the rule bot; "
            f"{facts.programs['random']:.0f} off random moves",
            "holds" if facts.programs["rule bot"] > DISCOVERED else "does not hold",
        ),
    ]


def _of(*activations: str, depth: int | None = None) -> list[int]:
    """Some of the paper's networks."""
    return [
        number for number, kind in enumerate(EIGHT) if kind.activation in activations and depth in (None, kind.depth)
    ]


def _less(
    numbers: Float[np.ndarray, "s k"], ours: Sequence[int], theirs: Sequence[int], digits: int = 1
) -> tuple[str, str]:
    """Whether some networks have less of something than others, in every seed."""
    low, high, than = np.median(numbers[:, ours], 1), np.median(numbers[:, theirs], 1), ""
    if len(ours) == 1:
        high, than = numbers[:, theirs].min(1), " for the best of the others"
    verdict = "holds" if (low < high).all() else "does not hold" if (low > high).all() else "not decided"
    return f"{_band(low, digits)} against {_band(high, digits)}{than}", verdict
