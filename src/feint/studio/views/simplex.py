"""Games in which everyone chooses once among three moves: strategies are points of a triangle."""

from __future__ import annotations

from collections.abc import Sequence

import htpy as h
import numpy as np
from htpy import Node, Renderable
from jaxtyping import Float

from feint.games.errors import BadInput
from feint.games.matrix import MatrixGame
from feint.runs.on_the_way import Replayed
from feint.solvers.linear_program import solve
from feint.studio.page import table
from feint.studio.strategies import Pages
from feint.studio.views.parts import note

CORNERS = np.array([[180.0, 30.0], [30.0, 290.0], [330.0, 290.0]])
"""Where the moves are in the picture: the first at the top, then left and right."""


def is_for(pages: Pages) -> bool:
    tree = pages.tree
    return isinstance(tree.game, MatrixGame) and bool((tree.legal.sum(1) == 3).all())


def simplex(pages: Pages, made_again: Replayed | None, why_not: str) -> Node:
    """The strategy of each player, an equilibrium and the way there; `why_not` says why that is not shown."""
    equilibrium = _equilibrium(pages)
    path = made_again if made_again is not None and made_again.same else None
    return h.section("#simplex", aria_label="The strategy as a point")[
        h.h2["On the simplex"],
        h.div(".simplexes")[(_picture(pages, row, equilibrium, path) for row in range(len(pages.tree.player)))],
        table(
            ("Player", "What", *pages.tree.offered(0)),
            _rows(pages, equilibrium),
            "Probabilities of moves" + ("; the equilibrium by linear programming, exact" * (equilibrium is not None)),
            numbers=3,
        ),
        note(_about(made_again, why_not)),
    ]  # fmt: skip


def _about(made_again: Replayed | None, why_not: str) -> str:
    if made_again is None:
        return f"A run keeps its last strategy only. {why_not}"
    if not made_again.same:
        return (
            f"Made again from its seed, the run differs from its log by {made_again.off:.2g} chips a hand, so the way "
            "there is not shown."
        )
    last = made_again.stages[-1].step
    end = "to its end" if made_again.whole else f"as far as step {last:,}, which is what there was time for"
    latest = ", and dashed what each iteration plays" if made_again.stages[0].latest is not None else ""
    return (
        f"A run keeps its last strategy only; the way there was made again from its seed, {end}, and agrees with the "
        f"log to {made_again.off:.1g} chips a hand: solid, the strategy that is judged{latest}."
    )


def _equilibrium(pages: Pages) -> Float[np.ndarray, "i a"] | None:
    try:
        return np.asarray(solve(pages.tree)) if pages.tree.zero_sum and pages.tree.players == 2 else None
    except BadInput:
        return None


def _place(chances: Float[np.ndarray, " 3"]) -> tuple[float, float]:
    x, y = np.asarray(chances, float) @ CORNERS
    return float(x), float(y)


def _line(kind: str, points: Sequence[Float[np.ndarray, " 3"]]) -> Renderable:
    return h.polyline(f".line{kind}", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in map(_place, points)))


def _picture(pages: Pages, row: int, equilibrium: Float[np.ndarray, "i a"] | None, path: Replayed | None) -> Renderable:
    words = list(pages.tree.offered(row))
    columns = list(pages.tree.offered(row).values())
    drawn: list[Node] = [
        h.polygon(".triangle", points=" ".join(f"{x:g},{y:g}" for x, y in CORNERS)),
        h.text(x="180", y="20", text_anchor="middle")[words[0]],
        h.text(x="30", y="312", text_anchor="start")[words[1]],
        h.text(x="330", y="312", text_anchor="end")[words[2]],
    ]
    if path is not None:
        latest = [stage.latest[row, columns] for stage in path.stages if stage.latest is not None]
        drawn += [_line(".n1.dashed", latest)] if latest else []
        drawn.append(_line(".n0", [stage.table[row, columns] for stage in path.stages]))
    if equilibrium is not None:
        x, y = _place(equilibrium[row, columns])
        drawn.append(
            h.path(".equilibrium", d=f"M{x - 7:.1f} {y:.1f}h14M{x:.1f} {y - 7:.1f}v14")[h.title["an equilibrium"]]
        )
    x, y = _place(pages.table[row, columns])
    drawn.append(h.circle(".here", cx=f"{x:.1f}", cy=f"{y:.1f}", r="5")[h.title["this strategy"]])
    told = ", ".join(f"{word} {pages.table[row, column]:.1%}" for word, column in zip(words, columns, strict=True))
    player = f"Player {pages.tree.player[row] + 1}"
    return h.figure(".simplex")[
        h.svg(viewBox="0 0 360 320", role="img", aria_label=f"{player}: {told}")[drawn],
        h.figcaption[f"{player}: ● this strategy, + an equilibrium" if equilibrium is not None else f"{player}: ●"],
    ]


def _rows(pages: Pages, equilibrium: Float[np.ndarray, "i a"] | None) -> list[tuple[str, ...]]:
    found = []
    for row in range(len(pages.tree.player)):
        columns = list(pages.tree.offered(row).values())
        both = [("this strategy", pages.table)] + ([("equilibrium", equilibrium)] if equilibrium is not None else [])
        for what, given in both:
            found.append((f"{pages.tree.player[row] + 1}", what, *(f"{given[row, each]:.4f}" for each in columns)))
    return found
