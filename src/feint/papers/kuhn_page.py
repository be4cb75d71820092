"""The page of fictitious play by winnings in Kuhn poker, from its record alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, NamedTuple, final

import numpy as np
from jaxtyping import Float

from feint.evaluate.dominance import Eliminated, eliminate
from feint.papers.kuhn_baselines import HOW_READ, RARE, baselines_table, printed, unlike
from feint.papers.kuhn_claims import GONE, RULES, STEPS, Ended, as_listed, claims, gone, mean, ordered, share, stuck
from feint.papers.kuhn_crowds import Crowd, crowd_row, remains
from feint.papers.kuhn_figures import describe
from feint.papers.records import band
from feint.papers.trials import table
from feint.tree.tree import Tree
from feint.tree.unroll import unroll

TITLE = "Neural fictitious play by winnings in Kuhn poker"
NUMBERS = "numbers.json"
"""The record: all that the page tells, seed by seed."""
WIDTH = 120
"""Of lines."""


@final
class Sections(NamedTuple):
    """Parts of the page from records of their own."""

    sets: str
    counter: str
    spoilers: str
    players: str


def page_of(kept: Mapping[str, Any], sections: Sections) -> str:
    """The page, with these sections from records of other programs."""
    tree = unroll("kuhn")
    eliminated, untrained = eliminate(tree), kept["variants"]["plain"]["mean"][0]
    every = {name: _ended(tree, each) for name, each in kept["variants"].items()}
    starts = {name: _strategies(tree, each["first"]) for name, each in kept["variants"].items() if "first" in each}
    main = {name: each for name, each in every.items() if "-random" not in name}
    second = _strategies(tree, kept["second"])
    figures = np.asarray(tree.uniform())[None], second, every["plain"].tables, every["modified"].tables
    dominated = sum(eliminated.round_of[each] == 0 for each in ordered(eliminated))
    seeds, quick = len(every["plain"].gaps), " --quick" if kept["quick"] else ""
    return f"""# {TITLE}

{kept["made_with"]}.
{seeds} seeds, all at once; the paper shows one. Cards are jack, queen, king where the paper has queen, king, ace.
{STEPS} steps of 100 hands, one decision in 5 learned from, as in the paper. Its first step is the untrained agent.

## The claims

{fill(RULES, WIDTH)}

{claims(tree, main, eliminated, second)}

## Dominated moves after the last step

How often each move is made when its situation arises: means over seeds with 95% intervals. The second column says in
which round of elimination it goes: {dominated} are weakly dominated from the start, the others once those are gone.

{_masses(tree, main, eliminated, untrained)}

{fill(as_listed(tree, eliminated), WIDTH)}

![dominated moves](dominated.png)
![exploitability](exploitability.png)

## Where networks begin

The paper's agent begins with all moves equally likely. A network that begins at random, it says, may hardly ever try
some of them, so that *the agent will never know how good or bad* they are. Its two algorithms from an even start, and
from networks that begin at random, as in Torch, wider, Glorot's way, and with Torch's last layer ten times as large, so
that some moves hardly happen:

{_starts(tree, every, starts, eliminated)}

{fill(_harm(every, starts, eliminated), WIDTH)}

{fill(_forgotten(tree, every, starts), WIDTH)}

{sections.sets}
## The paper's figures

![Figure 1](figure-1.png)

An equilibrium (α = 1/6), as in its Figure 2, and the whole family:

![Figure 2](figure-2.png)
![equilibria](equilibria.png)

Figure 3, the plain algorithm at steps 1, 2 and {STEPS} (bars are means over seeds, lines their middle 80%):

![Figure 3](figure-3.png)

Figure 4, the modified algorithm at step {STEPS}:

![Figure 4](figure-4.png)

Numbers printed in both, as far as they can be read (B bet, C check or call, F fold), beside ours: one run there, means
over seeds with 95% intervals here. Two moves are legal everywhere, so that of each pair ours gives one.

{fill(HOW_READ, WIDTH)}

{printed(tree, figures)}

{fill(_unlike(tree, figures), WIDTH)}

## Exact methods on the same game

In chips per hand, where random moves have {untrained:.2f}.

{baselines_table(kept["baselines"])}

{sections.counter}{sections.spoilers}## More players

The modified algorithm. With three players and more an equilibrium promises nothing, but dominated moves are still bad.

{_crowds([Crowd(**crowd) for crowd in kept["crowds"]])}

{sections.players}
Every seed's strategy at the end and its exploitability, and the mean of that after every step, are in `{NUMBERS}`;
but for what other programs counted and what `training_sets.jsonl` and `spoilers.jsonl` have, the tables above are made
from it.

Made by `feint reproduce kuhn-fictitious-play{quick}`.
"""


def _ended(tree: Tree, kept: Mapping[str, Any]) -> Ended:
    """A variant as it was noted."""
    return Ended(kept["label"], _strategies(tree, kept["strategies"]), np.array(kept["last"]))


def _strategies(tree: Tree, noted: Sequence[Sequence[float]]) -> Float[np.ndarray, "s i a"]:
    """Strategies as they were noted: of each seed, how often the bolder of the two legal moves is made."""
    bold = np.array(noted)
    tables: Float[np.ndarray, "s i a"] = np.zeros((len(bold), *tree.legal.shape))
    for row, legal in enumerate(tree.legal):
        passive, active = np.flatnonzero(legal)
        tables[:, row, active], tables[:, row, passive] = bold[:, row], 1 - bold[:, row]
    return tables


def noted(tree: Tree, tables: Float[np.ndarray, "s i a"]) -> list[list[float]]:
    """Strategies as `_strategies` reads them."""
    bold = [int(np.flatnonzero(legal)[-1]) for legal in tree.legal]
    found: list[list[float]] = tables[:, np.arange(len(bold)), bold].round(4).tolist()
    return found


def _masses(tree: Tree, ended: Mapping[str, Ended], eliminated: Eliminated, untrained: float) -> str:
    """How often each dominated move is made by each variant, and what its seeds come to."""
    moves, each_of = ordered(eliminated), ended.values()
    rows = [
        [describe(tree, row, move), str(eliminated.round_of[row, move] + 1)]
        + [mean(each.tables[:, row, move]) for each in each_of]
        for row, move in moves
    ]
    rows += [
        [f"exploitability, chips per hand (at random {untrained:.2f})", "", *(mean(each.gaps) for each in each_of)],
        ["runs in which player 2 bets every card after a check", ""]
        + [share(stuck(tree, each.tables)) for each in each_of],
        [f"runs in which every dominated move is gone (below {GONE:.0%})", ""]
        + [share(gone(each.tables, moves).all(1)) for each in each_of],
    ]
    return table(["move", "round", *(each.label for each in each_of)], rows)


STARTS = {name: tuple(f"{name}-random{how}" for how in ("", "-wide", "-sure")) for name in ("plain", "modified")}
"""The paper's algorithms, and the same from networks that begin at random."""


def _unlike(tree: Tree, figures: Sequence[Float[np.ndarray, "_ i a"]]) -> str:
    """Which printed numbers are not like ours, in a sentence."""
    rare = unlike(tree, figures)
    if not rare:
        return f"Every printed number is such that {RARE:.0%} of seeds or more are as far out."
    return (
        f"Fewer than {RARE:.0%} of seeds are as far out as these: {'; '.join(rare)}. All others are within what seeds "
        f"come to. The paper does not say of what shape its network is or how long it is trained; ours are our guess."
    )


Tables = Float[np.ndarray, "s i a"]


def _least(tree: Tree, tables: Tables) -> list[float]:
    """The least likely legal move of each."""
    least: list[float] = np.where(tree.legal, tables, 1.0).min((1, 2)).tolist()
    return least


def _starts(tree: Tree, ended: Mapping[str, Ended], starts: Mapping[str, Tables], eliminated: Eliminated) -> str:
    """Both algorithms from all starts."""
    rows, moves = [], ordered(eliminated)
    for name in [name for even, uneven in STARTS.items() for name in (even, *uneven)]:
        each = ended[name]
        removed = gone(each.tables, moves)
        rows.append(
            [
                each.label,
                band(_least(tree, starts.get(name, tree.uniform()[None]))),
                mean(each.gaps),
                share(stuck(tree, each.tables)),
                mean(removed.mean(1)),
                share(removed.all(1)),
            ]
        )
    head = ["algorithm", "its least likely move at the start (median)", "exploitability at the end"]
    more = ["player 2 bets every card after a check", "share of dominated moves gone", "all gone"]
    return table([*head, *more], rows)


def _harm(ended: Mapping[str, Ended], starts: Mapping[str, Tables], eliminated: Eliminated) -> str:
    """By how much more or fewer dominated moves are gone from each random start, in a sentence."""
    told, moves = [], ordered(eliminated)
    for even, uneven in STARTS.items():
        for name in uneven:
            ours, theirs = (gone(ended[each].tables, moves).mean(1) for each in (name, even))
            more = ours.mean() - theirs.mean()
            reach = 1.96 * np.sqrt(ours.var(ddof=1) / len(ours) + theirs.var(ddof=1) / len(theirs))
            verdict = "harm" if more < -reach else "good" if more > reach else "no difference that is seen"
            told.append(f"{ended[name].label} {more:+.2f} ± {reach:.2f} ({verdict})")
    return f"The share of dominated moves that are gone beside that from an even start: {'; '.join(told)}."


def _forgotten(tree: Tree, ended: Mapping[str, Ended], starts: Mapping[str, Tables]) -> str:
    """What becomes of moves that networks hardly make to begin with, in a sentence."""
    told, begun = [], 0
    for even, uneven in STARTS.items():
        rare = np.concatenate([(starts[name] < GONE) & tree.legal for name in uneven])
        still = np.concatenate([ended[name].tables < GONE for name in uneven])
        usual, begun = (ended[even].tables < GONE).mean(0), int(rare.sum())
        # Moves of one network go together, so that networks are what is drawn.
        more, moves = (rare * (still - usual)).sum((1, 2)), rare.sum((1, 2))
        mean_more = more.sum() / begun
        reach = 1.96 * np.sqrt(((more - mean_more * moves) ** 2).sum()) / begun
        verdict = "holds" if mean_more > reach else "does not hold" if mean_more < -reach else "is not decided"
        told.append(
            f"with {ended[even].label} {still[rare].mean():.0%}, {100 * mean_more:.0f} ± {100 * reach:.0f} points more "
            f"than from an even start: that they are forgotten **{verdict}**"
        )
    return (
        f"Moves that such networks make less than {GONE:.0%} of the time to begin with, {begun:,} in all, are made as "
        f"rarely at the end: {'; '.join(told)}."
    )


def _crowds(crowds: Sequence[Crowd]) -> str:
    head = ["players", "dominated moves", "hands with one, at random", f"after step {STEPS}"]
    rows = table([*head, "NashConv at random", f"after step {STEPS}"], map(crowd_row, crowds))
    return "\n\n".join([rows, *map(remains, crowds)])
