"""What a player does at one spot, and finding that spot: by cards and betting in poker, elsewhere by its label."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import final

from feint.forms.form import Form
from feint.games.errors import BadInput
from feint.games.poker import Poker
from feint.games.poker_spots import spot_of
from feint.games.words import either
from feint.players.player import Observation, Player, StrategyPlayer
from feint.players.table import observation
from feint.tree.tree import Tree

NEAR = 3
"""Labels named when one is not found."""


@final
@dataclass(frozen=True)
class Answer:
    """What a player does at a spot."""

    player: int
    """Who is to move there: a player of the game, from 0 on."""
    sees: str
    """What that player sees, in words."""
    moves: dict[str, float]
    """How often each move is made, by what it is called there."""
    values: dict[str, float] | None
    """What each move wins against the strategy, in chips per hand and played on as well as can be: exact.

    None where that is not known; nothing (nan) where the others never let it come to this."""


def answer(form: Form, player: Player, seen: Observation) -> Answer:
    """What a player does at a spot, and what that is worth."""
    strategy = player.strategy
    if strategy is None:
        raise BadInput(
            "This player decides hand by hand and does not say how likely its moves are; ask a run, an agent or "
            "another player."
        )
    if strategy.fingerprint != form.fingerprint:
        raise BadInput(f"This strategy is for another game than {form.name}; name the game that it was trained on.")
    told = StrategyPlayer(strategy, form).chances(seen)
    worth = form.move_values(strategy)
    values = None if worth is None else form.by_move(worth(form.sees(seen.player, seen.view)))
    return Answer(
        seen.player,
        seen.label,
        {word: float(told[move]) for word, move in seen.moves.items()},
        None if values is None else {word: float(values[move]) for word, move in seen.moves.items()},
    )


def find_spot(form: Form, spot: str, board: str = "", betting: str = "", player: int | None = None) -> Observation:
    """What is seen at a spot by whoever is to move; it must be `player`, if one is given.

    Spots go by their labels, as `feint show` prints them, and in poker by cards, board and betting. Before any card
    lies on the board AKs, AKo or 99 stands for one hand of that kind.
    """
    for what, words in {"spot": spot, "board": board, "betting": betting}.items():
        if not isinstance(words, str):
            raise BadInput(f"A {what} is given in words, such as 'AhKh' or 'raise call', but {words!r} was given.")
    game = form.game
    if form.tree is not None and not board and not betting and (seen := _labelled(form.tree, spot, player)):
        return seen
    if isinstance(game, Poker):
        hand = spot_of(game, spot, board, betting, player)
        return observation(game, hand, hand.actor)
    if board or betting:
        raise BadInput(
            f"{form.name} is not poker, so it has no board and no betting; give a label that feint show has."
        )
    if form.tree is not None and player is not None and (other := _labelled(form.tree, spot, None)):
        whose = f"{other.label!r} in {form.name} is player {other.player + 1}'s to move"
        raise BadInput(f"Player {player + 1} was asked for, but {whose}; ask for that player, or leave it out.")
    raise BadInput(f"There is no spot called {spot!r} in {form.name}; {_near(spot, form.tree)}")


def _labelled(tree: Tree, spot: str, player: int | None) -> Observation | None:
    """The information set with this label, whatever its case where only one has it; None where there is none."""
    plain = " ".join(spot.split())
    mine = [row for row, whose in enumerate(tree.player.tolist()) if player in (None, whose)]
    rows = [row for row in mine if tree.labels[row] == plain]
    rows = rows or [row for row in mine if tree.labels[row].casefold() == plain.casefold()]
    if len(rows) > 1:
        who = either((f"player {whose + 1}" for whose in sorted({int(tree.player[row]) for row in rows})), "and")
        raise BadInput(f"{plain!r} may be said of {len(rows)} spots of {tree.name}, of {who}; say whose is meant.")
    return _seen(tree, rows[0]) if rows else None


def _seen(tree: Tree, row: int) -> Observation:
    """What is seen at an information set."""
    return Observation(
        player=int(tree.player[row]),
        view=tree.views[row],
        label=tree.labels[row],
        told=tree.labels[row],
        upturned="",
        scene=None,
        moves={word: tree.game.actions.index(tree.actions[column]) for word, column in tree.offered(row).items()},
        going_on=True,
    )


def _near(spot: str, tree: Tree | None) -> str:
    """The end of an error sentence: labels like this one."""
    labels = list(dict.fromkeys(tree.labels)) if tree else []
    close = difflib.get_close_matches(spot, labels, NEAR, 0.4)
    if close:
        return f"did you mean {either(map(repr, close))}?"
    return f"its spots are called {either(map(repr, labels[:NEAR]), 'and')}{' and so on' * (len(labels) > NEAR)}."
