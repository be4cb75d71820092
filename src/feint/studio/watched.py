"""A hand between two players, for whoever may see everything: played by the rules, told step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import final

import htpy as h
import numpy as np
from htpy import Node

from feint.forms.form import Form
from feint.games.game import TERMINAL
from feint.games.words import chips
from feint.players.player import Adviser, Player
from feint.players.table import HandInPlay
from feint.studio.drawing import cards

Seat = Callable[[int], Player]
"""How somebody sits down, given a seed for all that they do at random."""


@final
@dataclass(frozen=True)
class Step:
    """A decision in a hand that is watched."""

    player: str
    seat: int
    sees: str
    chose: str
    chance: float | None
    """How often it makes this move there; None where it decides hand by hand."""


@final
@dataclass(frozen=True)
class Watched:
    """A hand between two players, for whoever may see everything."""

    seats: tuple[str, ...]
    cards: tuple[tuple[str, ...], ...]
    """What each seat held; nothing where the game has no cards."""
    board: tuple[str, ...]
    steps: tuple[Step, ...]
    won: tuple[float, ...]


def watch(form: Form, names: Sequence[str], sits: Sequence[Seat], seed: int, number: int) -> Watched:
    """One hand between two; the same number is the same hand, and the first changes seats with it.

    The second takes all other seats.
    """
    who = [0 if seat == number % form.players else 1 for seat in range(form.players)]
    with ExitStack() as over:
        sitting = []
        for seat, one in enumerate(who):
            sitting.append(sits[one](_seed(number, seat)))
            over.callback(sitting[-1].close)
        return _played(form, [names[one] for one in who], sitting, np.random.default_rng((seed, number)))


def _played(form: Form, seats: Sequence[str], sitting: Sequence[Player], chance: np.random.Generator) -> Watched:
    hand, steps = HandInPlay(form.game, sitting, chance), []
    while (actor := hand.actor) != TERMINAL:
        seen, player = hand.observation(actor), sitting[actor]
        chances = player.chances(seen) if isinstance(player, Adviser) else None
        hand.step()
        _, move, word = hand.made[-1]
        often = None if chances is None else float(chances[move])
        steps.append(Step(seats[actor], actor, seen.label, word, often))
    scenes = [hand.observation(seat).scene for seat in range(form.players)]
    held = tuple(tuple(scene.cards) for scene in scenes if scene is not None)
    board = tuple(scenes[0].board) if scenes[0] is not None else ()
    return Watched(tuple(seats), held, board, tuple(steps), hand.won)


def _seed(number: int, seat: int) -> int:
    """A seed for whoever sits there in this hand."""
    return int(np.random.SeedSequence((number, seat)).generate_state(1)[0])


def drawn(seen: Watched) -> list[Node]:
    """A hand with its cards, and step by step."""
    called = [f"{name} ({seat})" for seat, name in enumerate(seen.seats, 1)]
    return [
        _laid_out(seen, called),
        h.ol(".steps", aria_label="The hand")[
            (
                h.li[h.strong[called[step.seat]], f" sees {step.sees}: ", h.strong[step.chose], _often(step)]
                for step in seen.steps
            ),
            h.li[_end(seen, called)],
        ],
        h.p(".note")[
            "In brackets after a player: the seat; after a move: how often the player makes it there, where that is "
            "known."
        ],
    ]


def _often(step: Step) -> str:
    return "" if step.chance is None else f" ({step.chance:.0%})"


def _laid_out(seen: Watched, called: Sequence[str]) -> Node:
    if not seen.cards:
        return None
    return h.div(".felt")[
        h.div(".seat")[(cards(held, name) for held, name in zip(seen.cards, called, strict=True))],
        h.div(".middle")[cards(seen.board, "board")] if seen.board else None,
    ]


def _end(seen: Watched, called: Sequence[str]) -> str:
    ends = [
        f"{name} {'wins' if won > 0 else 'loses'} {chips(abs(won))}" if won else f"{name} breaks even"
        for name, won in zip(called, seen.won, strict=True)
    ]
    return f"{', '.join(ends)}."
