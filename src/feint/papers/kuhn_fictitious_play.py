"""Training agents by their winnings in Kuhn poker, and whether dominated play disappears.

An agent plays itself, keeps the moves of the hands that won most and trains its network on them. The paper's claims
rest on one run: that this removes part of the dominated strategies but gets stuck, and that averaging with the old
strategy removes all of them. Here are hundreds of runs, each judged exactly.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float
from scipy.stats import binomtest

from feint.evaluate.dominance import Eliminated, eliminate, eliminate_actions, mass
from feint.forms.unrolled import TreeForm
from feint.games.poker import CALL
from feint.learners.elite_play import ElitePlay, ElitePlayer, EliteState
from feint.papers.kuhn_baselines import baselines, numbers, printed
from feint.papers.kuhn_figures import describe, draw_exploitability, draw_figures
from feint.papers.kuhn_players import players_section
from feint.runs.files import write_whole
from feint.runs.loop import Watcher
from feint.runs.provenance import provenance
from feint.tree.best_response import nash_conv_of
from feint.tree.sequence_form import SequenceForm
from feint.tree.tree import Tree
from feint.tree.unroll import unroll

TITLE = "Neural fictitious play by winnings in Kuhn poker"
NUMBERS = "numbers.json"
"""The file of what was measured."""
QUICK, FULL = 50, 200
"""Seeds of a quick look and of the whole."""
STEPS = 10
"""The paper's numSteps. Its first step is the untrained agent, so there are nine updates."""
GONE, SURE = 0.05, 0.95
"""A move is gone when it is made less often than the first, and certain when more often than the second."""
MOST = 0.9
"""A claim holds that is true in this share of runs."""


@final
@dataclass(frozen=True)
class Variant:
    name: str
    label: str
    settings: ElitePlay
    updates: int = STEPS - 1


VARIANTS = (
    Variant("plain", "plain (Code 1)", ElitePlay(average=None)),
    Variant("modified", "modified (mean of strategies)", ElitePlay(average="policy")),
    Variant("weights", "mean of networks' weights", ElitePlay(average="weights")),
    Variant("fictitious", "mean of all answers, 1/(t+1)", ElitePlay(average="fictitious")),
    Variant("more-hands", "modified, 2,000 hands a step", ElitePlay(average="policy", hands=2_000)),
    Variant("more-steps", "modified, 100 steps", ElitePlay(average="policy"), updates=99),
)


class Played(NamedTuple):
    """A variant's runs: `u` updates (from none on) and `s` seeds."""

    tables: Float[np.ndarray, "u s i a"]
    nash_conv: Float[np.ndarray, "u s"]

    @property
    def last(self) -> Float[np.ndarray, "s i a"]:
        return np.asarray(self.tables[-1])


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Play every variant for many seeds, draw the figures and write the report."""
    seeds = QUICK if quick else FULL
    tree = unroll("kuhn")
    with watch("Kuhn poker") as watcher:
        watcher.stage("working out dominance")
        eliminated = eliminate(tree)
        played = {}
        for number, variant in enumerate(VARIANTS, 1):
            watcher.stage(f"{number}/{len(VARIANTS)} {variant.label}, {seeds} seeds")
            played[variant.name] = play(tree, variant.settings, variant.updates, seeds)
        watcher.stage("drawing")
        draw_figures(out, tree, played["plain"].tables, played["modified"].tables, eliminated)
        gaps = {each.label: played[each.name].nash_conv / 2 for each in VARIANTS if each.updates == STEPS - 1}
        draw_exploitability(gaps, out / "exploitability.png")
        crowds = []
        for players in (3, 4):
            watcher.stage(f"{players} players, {seeds} seeds")
            crowds.append(_crowd(players, seeds))
    page, made = out / "README.md", ", ".join(provenance())
    write_whole(out / NUMBERS, (json.dumps({"made_with": made, "variants": numbers(played)}) + "\n").encode())
    text = _page(tree, played, eliminated, seeds, crowds, made, players_section(out))
    write_whole(page, text.encode())
    return page


def play(tree: Tree, settings: ElitePlay, updates: int, seeds: int) -> Played:
    """Many seeds side by side, and every strategy on the way."""

    def run(learner: ElitePlayer, form: SequenceForm, key: Array) -> tuple[Array, Array]:
        first = learner.init(key)

        def step(state: EliteState, _: None) -> tuple[EliteState, Array]:
            after = learner.step(state)[0]
            return after, after.policy

        _, later = jax.lax.scan(step, first, length=updates)
        tables = jnp.concatenate([first.policy[None], later])
        return tables, jax.vmap(lambda table: nash_conv_of(form, table))(tables)

    each = eqx.filter_jit(eqx.filter_vmap(run, in_axes=(None, None, 0)))
    tables, gaps = each(settings.on(TreeForm(tree)), tree.form, jax.vmap(jax.random.key)(jnp.arange(seeds)))
    return Played(np.asarray(tables).swapaxes(0, 1), np.asarray(gaps).T)


class Crowd(NamedTuple):
    """The modified algorithm among more players."""

    players: int
    dominated: int
    """Moves that iterated elimination removes."""
    uniform: float
    """The share of hands with such a move, and NashConv, when everyone plays at random …"""
    uniform_nash_conv: float
    hands: Float[np.ndarray, " s"]
    """… and after the last step."""
    nash_conv: Float[np.ndarray, " s"]
    worst: list[tuple[str, float]]
    """The dominated moves made most often at the end."""


def _crowd(players: int, seeds: int) -> Crowd:
    tree = unroll(f"kuhn(players={players})")
    eliminated = eliminate_actions(tree)
    played = play(tree, ElitePlay(), STEPS - 1, seeds)
    mean = played.last.mean(0) * eliminated.mask
    worst = sorted(np.argwhere(eliminated.mask).tolist(), key=lambda each: -mean[each[0], each[1]])[:5]
    return Crowd(
        players,
        int(eliminated.mask.sum()),
        mass(tree, played.tables[0, 0], eliminated).hands,
        float(played.nash_conv[0, 0]),
        np.array([mass(tree, table, eliminated).hands for table in played.last]),
        played.nash_conv[-1],
        [(describe(tree, row, move), float(mean[row, move])) for row, move in worst],
    )


def _mean(values: Float[np.ndarray, " s"]) -> str:
    """A mean over seeds with its 95% interval."""
    return f"{values.mean():.2f} ± {1.96 * values.std(ddof=1) / np.sqrt(len(values)):.2f}"


def _share(values: Any) -> str:
    """A share of seeds with Wilson's 95% interval."""
    interval = binomtest(int(values.sum()), len(values)).proportion_ci(method="wilson")
    return f"{values.mean():.0%} ({interval.low:.0%} to {interval.high:.0%})"


def stuck(tree: Tree, tables: Float[np.ndarray, "s i a"]) -> Bool[np.ndarray, " s"]:
    """In which runs player 2 bets every card after a check."""
    rows = [row for row, (_, _, _, moves) in enumerate(tree.views) if moves == ((CALL,),)]
    return np.asarray((tables[:, rows, tree.actions.index("raise")] > SURE).all(1))


def _page(
    tree: Tree,
    played: dict[str, Played],
    eliminated: Eliminated,
    seeds: int,
    crowds: Sequence[Crowd],
    made: str,
    players: str,
) -> str:
    rows = _ordered(eliminated)
    dominated = sum(eliminated.round_of[each] == 0 for each in rows)
    names = [variant.name for variant in VARIANTS]
    head = " | ".join(variant.label for variant in VARIANTS)
    masses = chr(10).join(
        f"| {describe(tree, *each)} | {eliminated.round_of[each] + 1} | "
        + " | ".join(_mean(played[name].last[:, each[0], each[1]]) for name in names) + " |"
        for each in rows
    )  # fmt: skip
    gaps = " | ".join(_mean(played[name].nash_conv[-1] / 2) for name in names)
    sticking = " | ".join(_share(stuck(tree, played[name].last)) for name in names)
    gone = {name: _gone(played[name].last, rows) for name in names}
    clean = " | ".join(_share(gone[name].all(1)) for name in names)
    return f"""# {TITLE}

{made}.
{seeds} seeds, all at once; the paper shows one. Cards are jack, queen, king where the paper has queen, king, ace.
{STEPS} steps of 100 hands, one decision in 5 learned from, as in the paper. Its first step is the untrained agent.

## The claims

{_claims(tree, played, eliminated, gone)}

## Dominated moves after the last step

How often each move is made when its situation arises: means over seeds with 95% intervals. The second column says in
which round of elimination it goes: {dominated} are weakly dominated from the start, the others once those are gone.

| move | round | {head} |
|---|---|{"---|" * len(names)}
{masses}
| exploitability, chips per hand (at random {played["plain"].nash_conv[0, 0] / 2:.2f}) | | {gaps} |
| runs in which player 2 bets every card after a check | | {sticking} |
| runs in which every dominated move is gone (below {GONE:.0%}) | | {clean} |

![dominated moves](dominated.png)
![exploitability](exploitability.png)

## The paper's figures

![Figure 1](figure-1.png)

An equilibrium (α = 1/6), as in its Figure 2, and the whole family:

![Figure 2](figure-2.png)
![equilibria](equilibria.png)

Figure 3, the plain algorithm at steps 1, 2 and {STEPS} (bars are means over seeds, lines their middle 80%):

![Figure 3](figure-3.png)

Figure 4, the modified algorithm at step {STEPS}:

![Figure 4](figure-4.png)

Numbers printed in both, as far as they can be read, beside ours: one run there, means over seeds with 95% intervals
here.

{printed(tree, played["plain"].last, played["modified"].last)}

## Exact methods on the same game

In chips per hand, where random moves have {played["plain"].nash_conv[0, 0] / 2:.2f}.

{baselines(tree)}

## More players

The modified algorithm. With three players and more an equilibrium promises nothing, but dominated moves are still bad.

| players | dominated moves | hands with one, at random | after step {STEPS} | NashConv at random | after step {STEPS} |
|---|---|---|---|---|---|
{chr(10).join(_crowd_row(crowd) for crowd in crowds)}

{chr(10).join(_remains(crowd) for crowd in crowds)}

{players}
Every seed's exploitability at the end, its mean after every step and how often each move is made are in `{NUMBERS}`.

Made by `feint reproduce kuhn-fictitious-play{" --quick" if seeds == QUICK else ""}`.
"""


def _ordered(eliminated: Eliminated) -> list[tuple[int, int]]:
    """The dominated moves, those that go first in front."""
    rows = [(int(row), int(move)) for row, move in np.argwhere(eliminated.mask)]
    return sorted(rows, key=lambda each: (eliminated.round_of[each], each))


def _gone(tables: Float[np.ndarray, "s i a"], moves: Sequence[tuple[int, int]]) -> Bool[np.ndarray, "s m"]:
    return np.stack([tables[:, row, move] < GONE for row, move in moves], 1)


class Claim(NamedTuple):
    """What the paper says, in which runs it is so, and what else was seen."""

    words: str
    true: Bool[np.ndarray, " s"]
    seen: str

    def answer(self) -> str:
        verdict = (
            "holds" if self.true.mean() >= MOST else "holds in part" if self.true.mean() >= GONE else "does not hold"
        )
        return f"*{self.words}*: **{verdict}** (true in {_share(self.true)} of runs). {self.seen}"


def _claims(tree: Tree, played: dict[str, Played], eliminated: Eliminated, gone: dict[str, Any]) -> str:
    """The paper's claims, one by one, answered from the runs."""
    plain, modified, longer = (played[name] for name in ("plain", "modified", "more-steps"))
    rows = _ordered(eliminated)
    left = max(rows, key=lambda each: modified.last[:, each[0], each[1]].mean())
    first = [number for number, each in enumerate(rows) if eliminated.round_of[each] == 0]
    claims = [
        Claim(
            "The plain algorithm removes part of the dominated strategies",
            gone["plain"].mean(1) >= 0.5,
            f"In the mean it removes {gone['plain'].mean():.0%} of the dominated moves, and all of them in "
            f"{_share(gone['plain'].all(1))} of runs.",
        ),
        Claim(
            "It gets stuck: player 2 bets every card after a check and cannot find back",
            stuck(tree, plain.last),
            "The paper shows a run that does.",
        ),
        Claim(
            "The modified algorithm does not get stuck there",
            ~stuck(tree, modified.last),
            "It is slower to forget a move, and so to forget it for good.",
        ),
        Claim(
            "The modified algorithm removes all iteratively dominated strategies",
            gone["modified"].all(1),
            f"P{describe(tree, *left)[1:]} {modified.last[:, left[0], left[1]].mean():.0%} of the time at the "
            f"end; at random {1 / tree.legal[left[0]].sum():.0%}.",
        ),
        Claim(
            "… or at least those that are dominated from the start",
            gone["modified"][:, first].all(1),
            f"Move by move in {gone['modified'].mean(0)[first].min():.0%} to "
            f"{gone['modified'].mean(0)[first].max():.0%} of runs.",
        ),
        Claim(
            "It may converge to an equilibrium (left open)",
            longer.nash_conv[-1] / 2 < GONE,
            f"Exploitability is {_mean(modified.nash_conv[-1] / 2)} after {STEPS} steps, "
            f"{_mean(longer.nash_conv[-1] / 2)} after 100, and {_mean(played['more-hands'].nash_conv[-1] / 2)} with "
            f"2,000 hands a step. Sorting by winnings prefers moves that win much now and then, so the answer is no "
            f"best response, however many hands it is drawn from.",
        ),
    ]
    return "\n".join(f"{number}. {claim.answer()}" for number, claim in enumerate(claims, 1))


def _crowd_row(crowd: Crowd) -> str:
    return (
        f"| {crowd.players} | {crowd.dominated} | {crowd.uniform:.2f} | {_mean(crowd.hands)} | "
        f"{crowd.uniform_nash_conv:.2f} | {_mean(crowd.nash_conv)} |"
    )


def _remains(crowd: Crowd) -> str:
    worst = "; ".join(f"{words} {value:.0%}" for words, value in crowd.worst)
    return f"With {crowd.players} players what is left most: {worst}.\n"
