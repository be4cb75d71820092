"""A run's strategy as one picture, for the games that have one."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp

from feint.arena.betting import BettingTree, playground
from feint.arena.policy import PlayedStrategy
from feint.evaluate.dominance import eliminate
from feint.games.errors import BadInput
from feint.games.library import load_game
from feint.report.grid import Panel, draw_grid, layout
from feint.report.starting_hands import ask_starting_hands, draw_chart
from feint.runs.folder import Run
from feint.tree.cache import unroll

NAME = "strategy.png"


def draw_strategy(run: Run, folder: Path) -> Path | None:
    """Kuhn poker and its like at a glance, dominated moves marked; hold'em's first move with every starting hand."""
    title = f"{run.config.algorithm} on {run.config.game}"
    if isinstance(run.strategy, PlayedStrategy):
        return _starting_hands(run, run.strategy, folder / NAME, f"{title}: the first move")
    tree = unroll(run.config.game)
    if layout(tree) is None:
        return None
    try:
        mask = eliminate(tree).mask
        dominated = mask & (tree.legal & ~mask).any(1, keepdims=True)  # where all are, the way there is
    except BadInput:  # too large to work it out
        dominated = None
    return draw_grid(tree, [Panel(title, run.strategy.table(tree)[None])], folder / NAME, dominated)


def _starting_hands(run: Run, strategy: PlayedStrategy, path: Path, title: str) -> Path | None:
    game = playground(load_game(run.config.game))
    if not isinstance(game, BettingTree) or game.game.hole != 2:
        return None
    told = ask_starting_hands(game, lambda seen: strategy.policy(seen, jnp.full(len(seen.node), game.actor[0])))
    return draw_chart(game, told, path, title)
