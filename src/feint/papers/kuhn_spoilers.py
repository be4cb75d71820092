"""What an equilibrium of Kuhn poker is worth to a player when one of the others is out to harm it.

With two players nobody does better by that. With more, says the paper on fictitious play by winnings, opponents may
accidentally or deliberately make a player's part of an equilibrium lose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
from jaxtyping import Float

from feint.forms.strategy import tabulate
from feint.forms.unrolled import TreeForm
from feint.papers.records import Records, Row, rows_in, short, where
from feint.papers.trials import table
from feint.runs.loop import Watcher
from feint.solvers.cfr import ALGORITHMS as CFR
from feint.tree.best_response import judge_of
from feint.tree.tree import Tree
from feint.tree.unroll import unroll

RECORDS = "spoilers.jsonl"
QUICK, FULL = (2, 3), (2, 3, 4)
"""Numbers of players."""
ITERATIONS = 2000
"""Of CFR+, whose average is as good as an equilibrium here."""


def spoilt(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> None:
    """Work out all that the folder does not hold yet."""
    records = Records(out / RECORDS)
    with watch("Kuhn poker, out to harm") as watcher:
        for players in QUICK if quick else FULL:
            watcher.stage(f"{players} players")
            what = {"players": players, "iterations": ITERATIONS}
            records.row(what, lambda what=what: harmed(what))  # type: ignore[misc]


def harmed(what: Row) -> Row:
    """What every seat wins near an equilibrium, and at least when one of the others leaves it."""
    tree = unroll(f"kuhn(players={what['players']})")
    solver = CFR["cfr+"].config.on(TreeForm(tree))
    state = jax.lax.fori_loop(
        0, what["iterations"], lambda _, state: solver.step(state)[0], solver.init(jax.random.key(0))
    )
    followed = tabulate(tree, solver.strategy(state))
    judgement = judge_of(tree).judged(followed)
    return {
        "nash_conv": short(float((judgement.best_values - judgement.values).sum())),
        "values": [short(float(value)) for value in judgement.values],
        "least": [short(least(tree, followed, player)) for player in range(tree.players)],
    }


def least(tree: Tree, followed: Float[np.ndarray, "i a"], player: int) -> float:
    """What a player wins when whichever other can harm it most does so, and all else keep to a strategy."""
    return min(
        -float(judge_of(_spiteful(tree, player, other)).judged(followed).best_values[other])
        for other in range(tree.players)
        if other != player
    )


def _spiteful(tree: Tree, player: int, other: int) -> Tree:
    """The game in which one player wins what another loses."""
    payoff, weighted = tree.payoff.copy(), tree.weighted_payoff.copy()
    payoff[:, other], weighted[:, other] = -payoff[:, player], -weighted[:, player]
    return replace(tree, payoff=payoff, weighted_payoff=weighted)


def spoilers_section(folder: Path) -> str:
    """The section of the page."""
    return section_of(rows_in(folder / RECORDS))


def section_of(rows: Sequence[Row]) -> str:
    return f"""## What an equilibrium promises

*The Nash equilibrium is not giving break-even guarantees* with more than one opponent, says §2.2: others may choose a
strategy so that a player's part of an equilibrium loses. Here all keep to the average of CFR+ after {ITERATIONS:,}
iterations but one, who is out to harm one player, whatever it costs; exact, in chips per hand. The guarantee is gone
where a player who sits in every seat equally often loses more than NashConv, by which all are off an equilibrium.
{where(rows, lambda row: f"{row['players']} players")}

{harm(rows)}

"""


def harm(rows: Sequence[Row]) -> str:
    """A row for each number of players."""
    head = ["players", "NashConv", "wins by seat", "wins by seat with one out to harm", "mean over seats"]
    return table(
        [*head, "the guarantee is gone"],
        [
            [
                str(row["players"]),
                f"{row['nash_conv']:.2g}",
                ", ".join(f"{value:.3f}" for value in row["values"]),
                ", ".join(f"{value:.3f}" for value in row["least"]),
                f"{np.mean(row['least']).round(4) + 0.0:.4f}",
                "**holds**" if np.mean(row["least"]) < -row["nash_conv"] else "**does not hold**",
            ]
            for row in rows
        ],
    )
