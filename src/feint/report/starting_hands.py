"""Hold'em's starting hands as pictures: the chart that players read, and every two cards as a heat map."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from feint.arena.arena import narrow
from feint.arena.betting import BettingTree
from feint.arena.cards import HIDDEN, Seen
from feint.games.poker import Poker
from feint.games.ranges import kinds
from feint.report.canvas import INK, blank, keep
from feint.report.grid import FOLD, colours_of


def has_starting_hands(game: Poker) -> bool:
    """Whether hands are two cards of a deck that keeps suits apart: pairs, suited and others, which make the chart."""
    return game.hole == 2 and game.deck.suits and game.deck.copies > 1


def ask_starting_hands(
    betting: BettingTree, answer: Callable[[Seen], Float[Array, "b a"]], node: int = 0
) -> Float[np.ndarray, "k k a"]:
    """What is answered with every two cards at a betting decision before the flop; nan for a card with itself."""
    ranked, board = betting.game.deck.kinds, sum(declared.board for declared in betting.game.rounds)
    pairs = np.argwhere(~np.eye(ranked, dtype=bool)).astype(np.uint8)
    hidden = np.full((len(pairs), board), HIDDEN, np.uint8)
    # Hole cards are kept in no order, so networks are asked with the lower card first, as the rules deal them.
    cards = jnp.asarray(np.concatenate([np.sort(pairs, 1), hidden], 1), jnp.uint8)
    infostate = Seen(jnp.full(len(pairs), node, narrow(len(betting.actor) - 1)), cards)
    answers = np.asarray(answer(infostate))
    told = np.full((ranked, ranked, answers.shape[1]), np.nan)
    told[pairs[:, 0], pairs[:, 1]] = answers
    return told


def by_ranks(told: Float[np.ndarray, "k k a"], suits: int) -> Float[np.ndarray, "r r a"]:
    """Means over suits: suited hands above the diagonal, others below, pairs on it; the highest rank first."""
    ranks = len(told) // suits
    split = told.reshape(ranks, suits, ranks, suits, -1)
    same = np.eye(suits, dtype=bool)
    chart = np.empty((ranks, ranks, told.shape[-1]))
    for high in range(ranks):
        for low in range(ranks):
            cells = split[high, :, low]
            chart[high, low] = cells[same].mean(0) if high > low else cells[~same].mean(0)
    return chart[::-1, ::-1]


def kinds_of_hands(
    betting: BettingTree, told: Float[np.ndarray, "k k a"]
) -> Iterator[tuple[str, tuple[int, int], Float[np.ndarray, " a"]]]:
    """Every kind of starting hand, such as AKs (suited) or AKo, with its place in the chart and what is told of it."""
    deck = betting.game.deck
    chart = by_ranks(told, deck.copies)
    for row, column, kind in kinds(deck):
        yield kind, (row, column), chart[row, column]


def draw_chart(
    betting: BettingTree, probabilities: Float[np.ndarray, "k k a"], path: Path, title: str = "", node: int = 0
) -> Path:
    """The chart of starting hands at a decision: every cell filled by how often each move is made."""
    from matplotlib.patches import Patch
    from matplotlib.patheffects import withStroke

    names = betting.game.deck.ranks[::-1]
    offered = {move: betting.actions[move] for move, word in enumerate(betting.spoken[node]) if word}
    colours = dict(zip(offered, colours_of(tuple(offered.values())), strict=True))
    outline = [withStroke(linewidth=2, foreground=INK)]  # small raises are pale
    figure = blank(6.4, 6.9)
    axes = figure.subplots()
    for word, (row, column), shares in kinds_of_hands(betting, probabilities):
        _cell(axes, row, column, shares, colours)
        place = column + 0.5, row + 0.5
        axes.text(*place, word, ha="center", va="center", fontsize=7.5, color="white", path_effects=outline)
    axes.set(xlim=(0, len(names)), ylim=(len(names), 0), xticks=(), yticks=(), aspect="equal")
    axes.spines[:].set_visible(False)
    axes.set_title(title, loc="left", color=INK, fontsize=10, fontweight="bold")
    shown = [Patch(color=colour, label=betting.spoken[node][move]) for move, colour in reversed(colours.items())]
    figure.legend(handles=shown, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    return keep(figure, path)


def _cell(axes: Any, row: int, column: int, shares: Float[np.ndarray, " a"], colours: dict[int, Any]) -> None:
    """One kind of hand, filled from the left: raises, the largest first, then calls, then folds."""
    from matplotlib.patches import Rectangle

    left = float(column)
    for move, colour in reversed(colours.items()):
        axes.add_patch(Rectangle((left, row), shares[move], 1, facecolor=colour, linewidth=0))
        left += shares[move]
    axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor="white", linewidth=1.2))


def draw_heat_map(betting: BettingTree, values: Float[np.ndarray, "k k"], path: Path, title: str, unit: str) -> Path:
    """What every two starting cards are worth; cards by suit, and by rank within it."""
    deck = betting.game.deck
    order = sorted(range(deck.kinds), key=lambda card: (deck.suit(card), deck.rank(card)))
    figure = blank(6.8, 5.8)
    axes = figure.subplots()
    shown = values[np.ix_(order, order)]
    axes.set_facecolor(FOLD)  # a card with itself is no hand
    image = axes.imshow(shown, cmap="viridis", interpolation="nearest")
    ranks = len(order) // deck.copies
    for suit in range(1, deck.copies):
        axes.axhline(suit * ranks - 0.5, color="white", linewidth=1.0)
        axes.axvline(suit * ranks - 0.5, color="white", linewidth=1.0)
    places = [place for place in range(len(order)) if place % ranks % 4 == 2]
    labels = [deck.name(order[place]) for place in places]
    axes.set_xticks(places, labels, fontsize=7)
    axes.set_yticks(places, labels, fontsize=7)
    axes.set_title(title, loc="left", color=INK, fontsize=10, fontweight="bold")
    figure.colorbar(image, ax=axes, shrink=0.8, label=unit)
    return keep(figure, path)
