"""A run's strategy as one picture, for the games that have one."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp

from feint.evaluate.dominance import eliminate
from feint.forms.form import Form
from feint.games.errors import BadInput
from feint.report.grid import Layout, Panel, draw_grid, layout
from feint.report.starting_hands import ask_starting_hands, draw_chart
from feint.runs.run import Run
from feint.tree.tree import Tree

NAME = "strategy.png"


def draw_strategy(run: Run, form: Form, folder: Path) -> Path | None:
    """Kuhn poker and its like at a glance, dominated moves marked; hold'em's first move with every starting hand."""
    title = f"{run.config.algorithm} on {run.config.game}"
    if form.tree is None:
        return _starting_hands(run, form, folder / NAME, f"{title}: the first move")
    found = layout(form.tree)
    return None if found is None else _grid(run, form.tree, found, folder / NAME, title)


def _grid(run: Run, tree: Tree, found: Layout, path: Path, title: str) -> Path:
    try:
        mask = eliminate(tree).mask
        dominated = mask & (tree.legal & ~mask).any(1, keepdims=True)  # where all are, the way there is
    except BadInput:  # too large to work it out
        dominated = None
    return draw_grid(tree, found, [Panel(title, run.strategy.table(tree)[None])], path, dominated)


def _starting_hands(run: Run, form: Form, path: Path, title: str) -> Path | None:
    by_cards = form.by_cards(run.strategy)
    if by_cards is None or by_cards[0].game.hole != 2:
        return None
    betting, policy = by_cards
    told = ask_starting_hands(betting, lambda seen: policy(seen, jnp.full(len(seen.node), betting.actor[0])))
    return draw_chart(betting, told, path, title)
