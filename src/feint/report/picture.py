"""A run's strategy as one picture, for the games that have one."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from feint.arena.betting import BettingTree
from feint.arena.policy import Policy
from feint.evaluate.dominance import eliminate
from feint.forms.form import Form
from feint.games.errors import BadInput, RunStopped
from feint.games.poker_spots import bet
from feint.report.grid import Layout, Panel, draw_grid, layout
from feint.report.starting_hands import ask_starting_hands, draw_chart, has_starting_hands
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
    except (BadInput, RunStopped):  # it is too large to work that out, or its programmes were not solved
        dominated = None
    return draw_grid(tree, found, [Panel(title, run.strategy.table(tree)[None])], path, dominated)


def _starting_hands(run: Run, form: Form, path: Path, title: str) -> Path | None:
    by_cards = form.by_cards(run.strategy)
    if by_cards is None or not has_starting_hands(by_cards[0].game):
        return None
    return draw_chart(*_told(*by_cards, 0), path, title)


def starting_hands(run: Run, form: Form, betting: str) -> tuple[BettingTree, Float[np.ndarray, "k k a"], int]:
    """What is done with every two cards after some betting before the flop, and the number of that decision."""
    by_cards = form.by_cards(run.strategy)
    if by_cards is None or not has_starting_hands(by_cards[0].game):
        raise BadInput(f"{form.name} has no chart of starting hands, as hold'em has; ask of one spot with feint ask.")
    moves = bet(by_cards[0].game, betting).moves
    if len(moves) > 1:
        raise BadInput(
            f"A chart is of starting hands, but the flop lies open after {betting!r}; ask of one spot with feint ask."
        )
    node = by_cards[0].moves.index(moves)
    return *_told(*by_cards, node), node


def draw_starting_hands(run: Run, form: Form, betting: str, folder: Path) -> Path:
    """The chart of starting hands after some betting before the flop."""
    tree, told, node = starting_hands(run, form, betting)
    words = tree.labels[node]
    path = folder / f"strategy-after-{words.replace(' ', '-')}.png" if words else folder / NAME
    title = f"{run.config.algorithm} on {run.config.game}: {f'after {words}' if words else 'the first move'}"
    return draw_chart(tree, told, path, title, node)


def _told(betting: BettingTree, policy: Policy, node: int) -> tuple[BettingTree, Float[np.ndarray, "k k a"]]:
    turn = betting.actor[node]
    return betting, ask_starting_hands(betting, lambda seen: policy(seen, jnp.full(len(seen.node), turn)), node)
