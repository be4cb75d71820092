"""The figures of the reproduction of fictitious play by winnings in Kuhn poker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from feint.evaluate.dominance import Eliminated
from feint.games.kuhn import kuhn
from feint.games.poker import CALL, RAISE
from feint.games.poker_views import betting_in_words
from feint.report.canvas import COLOURS, INK, blank, keep
from feint.report.game_tree import Branch, draw_tree
from feint.report.grid import Panel, draw_grid, layout
from feint.tree.best_response import nash_conv_of
from feint.tree.tree import Tree
from feint.tree.unroll import unroll


def kuhn_equilibrium(tree: Tree, alpha: float) -> Float[np.ndarray, "i a"]:
    """Kuhn's equilibria: player 1 bluffs with the lowest card with probability `alpha`, from 0 to 1/3."""
    aggressive = {  # with a jack, a queen and a king
        (): (alpha, 0.0, 3 * alpha),
        (CALL, RAISE): (0.0, alpha + 1 / 3, 1.0),
        (CALL,): (1 / 3, 0.0, 1.0),
        (RAISE,): (0.0, 1 / 3, 1.0),
    }
    table = np.zeros(tree.legal.shape)
    for row, (_, (card,), _, (made,)) in enumerate(tree.views):
        passive, active = np.flatnonzero(tree.legal[row])
        table[row, active] = aggressive[made][card]
        table[row, passive] = 1 - table[row, active]
    return table


def draw_figures(
    out: Path,
    tree: Tree,
    plain: Float[np.ndarray, "u s i a"],
    modified: Float[np.ndarray, "u s i a"],
    eliminated: Eliminated,
) -> None:
    """The paper's figures, from both algorithms' strategies at every step `u`, for all seeds `s`."""
    draw_tree(unroll("rock_paper_scissors"), [Branch("Rock, paper, scissors", 0)], out / "figure-1.png")
    opening = np.flatnonzero((tree.actor == 0) & (tree.infoset[tree.parent] < 0))
    deals = {_deal(tree, node): node for node in opening.tolist()}
    branches = [Branch(f"{deal[0]} against {deal[1]}", deals[deal]) for deal in ("JK", "QJ", "KQ")]
    grid = layout(tree)
    assert grid is not None
    draw_tree(tree, branches, out / "figure-2.png", kuhn_equilibrium(tree, 1 / 6))
    _draw_family(tree, out / "equilibria.png")
    steps = [Panel(f"step {step}", plain[step - 1]) for step in (1, 2, len(plain))]
    draw_grid(tree, grid, steps, out / "figure-3.png", eliminated.mask)
    draw_grid(tree, grid, [Panel(f"step {len(modified)}", modified[-1])], out / "figure-4.png", eliminated.mask)
    _draw_mass(tree, {"plain": plain, "modified": modified}, eliminated, out / "dominated.png")


def _deal(tree: Tree, node: int) -> str:
    """Both players' cards, from what they see."""
    following = int(tree.first_child[node])
    seen = (tree.views[int(tree.infoset[each])] for each in (node, following))
    return "".join(kuhn().deck.name(card) for _, (card,), _, _ in seen)


def _axes(title: str, width: float = 7.2) -> tuple[Any, Any]:
    figure = blank(width, 4.0)
    axes = figure.subplots()
    axes.set_title(title, color=INK, loc="left", fontweight="bold", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    return figure, axes


def _draw_family(tree: Tree, path: Path) -> None:
    """Player 1's choices along the family of equilibria."""
    figure, axes = _axes("Player 1's equilibria in Kuhn poker")
    alphas = np.linspace(0, 1 / 3, 61)
    for label, values, colour in (
        ("bets the jack", alphas, COLOURS[0]),
        ("calls with the queen", alphas + 1 / 3, COLOURS[1]),
        ("bets the king", 3 * alphas, COLOURS[2]),
    ):
        axes.plot(alphas, values, color=colour, label=label, linewidth=1.8)
    gaps = [float(nash_conv_of(tree.form, jnp.asarray(kuhn_equilibrium(tree, alpha)))) for alpha in alphas]
    axes.set(xlabel="α", ylabel="probability", xlim=(0, 1 / 3), ylim=(0, 1.02))
    axes.legend(frameon=False, title=f"value −1/18; largest NashConv {max(gaps):.0e}")
    keep(figure, path)


def _draw_mass(
    tree: Tree, played: Mapping[str, Float[np.ndarray, "u s i a"]], eliminated: Eliminated, path: Path
) -> None:
    """The probability of each dominated move, step by step, for the paper's two algorithms."""
    figure = blank(9.6, 4.2)
    for axes, name in zip(figure.subplots(1, 2, sharey=True), played, strict=True):
        tables = played[name]
        steps = np.arange(1, len(tables) + 1)
        for number, (row, move) in enumerate(np.argwhere(eliminated.mask)):
            values = tables[:, :, row, move]
            error = 1.96 * values.std(1) / np.sqrt(values.shape[1])
            style = "-" if eliminated.round_of[row, move] == 0 else "--"
            colour = (*COLOURS, "#111111")[number % 7]
            axes.plot(steps, values.mean(1), style, color=colour, linewidth=1.6, label=describe(tree, row, move))
            axes.fill_between(
                steps, values.mean(1) - error, values.mean(1) + error, color=colour, alpha=0.15, linewidth=0
            )
        axes.set(xlabel="step", ylim=(0, 1), title=f"{name}: how often a dominated move is made")
        axes.title.set(fontsize=10, color=INK)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    keep(figure, path)


def draw_exploitability(gaps: Mapping[str, Float[np.ndarray, "u s"]], path: Path) -> None:
    """Exploitability at every step, by the name of the algorithm: means, and the middle half of seeds."""
    figure, axes = _axes("Kuhn poker: exploitability (chips per hand, exact)")
    for (label, values), colour in zip(gaps.items(), COLOURS, strict=False):
        steps = np.arange(1, len(values) + 1)
        axes.plot(steps, values.mean(1), color=colour, linewidth=1.6, label=label)
        axes.fill_between(steps, *np.quantile(values, (0.25, 0.75), 1), color=colour, alpha=0.12, linewidth=0)
    axes.set(xlabel="step", ylim=(0, None))
    axes.legend(frameon=False, fontsize="small")
    keep(figure, path)


def describe(tree: Tree, row: int, move: int) -> str:
    """A move in words: `player 2 bets Q after check`."""
    game, (dealer, (card,), _, moves) = kuhn(players=tree.players), tree.views[row]
    name, betting = game.deck.name(card), betting_in_words(game, dealer, moves)
    verb = {"call": "calls with"}.get(word := tree.spoken[row][move], f"{word}s")
    return f"player {tree.player[row] + 1} {verb} {name}{' after ' + betting if betting else ''}"
