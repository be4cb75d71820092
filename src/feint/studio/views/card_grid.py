"""Kuhn poker and its like at a glance: rows are cards, columns situations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import htpy as h
import numpy as np
from htpy import Node
from jaxtyping import Float

from feint.papers.kuhn_figures import kuhn_equilibrium
from feint.report.grid import Layout, layout
from feint.studio.page import table
from feint.studio.strategies import Pages
from feint.studio.views.parts import chips, moves_cell, note, percent
from feint.tree.tree import Tree
from feint.tree.unroll import unroll


def card_grid(pages: Pages) -> Node:
    """One card each and one round of betting; None for other games."""
    found = layout(pages.tree)
    if found is None:
        return None
    return h.section("#grid", aria_label="The strategy at a glance")[
        h.h2["At a glance"],
        table(
            ("Card", *(_heading(*situation) for situation in found.situations)),
            (
                (h.strong(".big")[card], *(_cell(pages, int(row)) for row in found.infoset[place]))
                for place, card in enumerate(found.cards)
            ),
            "Rows: the card held. Columns: who is to move, after what",
        ),
        note(
            "Beside each move: how often it is made, and what it wins in chips a hand while the other keeps to the "
            "strategy (exact). Below: how often a hand comes to this, and the chips a hand that deviating there gains."
        ),
        _family(pages, found),
    ]


def _heading(player: int, betting: str) -> Node:
    return [f"player {player + 1}", h.br, f"after {betting}" if betting else "to open"]


def _cell(pages: Pages, row: int) -> Node:
    spot = pages.spot(row)
    return [
        moves_cell(spot.moves, spot.values),
        h.small[f"comes {percent(spot.reach)}; deviating gains {chips(spot.gain)}"],
    ]


@final
@dataclass(frozen=True)
class Nearest:
    """The equilibrium of Kuhn poker nearest to a strategy: they differ in one number, how often a jack is bet first."""

    alpha: float
    table: Float[np.ndarray, "i a"]
    distance: float
    """The root of the mean square by which probabilities of moves differ from it."""


def nearest_equilibrium(tree: Tree, given: Float[np.ndarray, "i a"]) -> Nearest:
    """Probabilities grow in a straight line with α, so the nearest α is a projection, kept between 0 and 1/3."""
    first, last = kuhn_equilibrium(tree, 0.0), kuhn_equilibrium(tree, 1 / 3)
    along = (last - first)[tree.legal]
    share = float((given - first)[tree.legal] @ along / (along @ along))
    alpha = min(max(share, 0.0), 1.0) / 3
    table = kuhn_equilibrium(tree, alpha)
    return Nearest(alpha, table, float(np.sqrt(np.square((given - table)[tree.legal]).mean())))


def is_kuhn(tree: Tree) -> bool:
    """Whether it is Kuhn poker for two, whatever it is called."""
    return tree.players == 2 and len(tree.player) == 12 and tree.fingerprint == unroll("kuhn").fingerprint


def _family(pages: Pages, found: Layout) -> Node:
    """Where the strategy stands beside the equilibria of Kuhn poker."""
    tree = pages.tree
    if not is_kuhn(tree):
        return None
    near = nearest_equilibrium(tree, pages.table)
    rows = []
    for infoset in found.infoset.T.ravel().tolist():
        words, columns = list(tree.offered(infoset)), list(tree.offered(infoset).values())
        mine, theirs = pages.table[infoset, columns[1]], near.table[infoset, columns[1]]
        rows.append((abs(mine - theirs), infoset, words[1], mine, theirs))
    rows.sort(key=lambda row: -row[0])
    return h.section(aria_label="The equilibria of Kuhn poker")[
        h.h2["Beside the equilibria"],
        h.p[
            "Kuhn poker has one equilibrium for every α from 0 to ⅓: the first player bets a jack with probability α, "
            "a king with 3α and calls with a queen with α + ⅓; the second player bets a jack and calls with a queen ⅓ "
            "of the time. The one nearest to this strategy has ",
            h.strong[f"α = {near.alpha:.4f}"],
            f", off by {near.distance:.4f} (root mean square over all probabilities of moves, computed).",
        ],
        table(
            ("Player", "Sees", "Move", "This strategy", "Equilibrium", "Difference"),
            (
                (
                    f"{tree.player[row] + 1}",
                    tree.labels[row],
                    move,
                    f"{mine:.4f}",
                    f"{theirs:.4f}",
                    f"{mine - theirs:+.4f}",
                )
                for _, row, move, mine, theirs in rows
            ),
            f"Probabilities beside those of the equilibrium with α = {near.alpha:.4f}, the largest difference first",
            numbers=3,
        ),
    ]
