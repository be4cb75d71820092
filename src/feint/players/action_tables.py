"""Tables of actions as rule bots are printed with: what the opponent did, and what the bot does then.

Actions are written as such tables have them, `raise 3-5 big blinds` or `check/raise`, and come to moves of a game by
way of its betting: who did what, and which raises are on offer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, final, get_args

from feint.arena.betting import ILLEGAL, unroll_betting
from feint.games.errors import BadInput
from feint.games.hand import CALL, FOLD, RAISE, Moves, replay
from feint.games.poker import Poker

Facing = Literal["first", "check", "raised", "reraised", "all_in"]
"""What the opponent did last in this round; `first` where that is nothing yet, or to call the big blind."""
Strength = Literal["weak", "middling", "strong"]
"""What the opponent's starting hand is taken for."""

BOLDNESS = {"fold": 0, "check": 1, "call": 1, "raise": 2, "re-raise": 2, "all-in": 3}
ACTION = re.compile(rf"({'|'.join(BOLDNESS)})(?: (\d+)-(\d+) (big|small) blinds)?")
BIG_BLINDS = {"big": 1.0, "small": 0.5}


@final
@dataclass(frozen=True)
class Action:
    """What a table says is to be done."""

    boldness: int
    """0 folds, 1 checks or calls, 2 raises, and 3 goes all-in."""
    size: tuple[float, float] | None = None
    """By how much it raises at least and at most, in big blinds; None for the size of the pot."""


@final
@dataclass(frozen=True)
class ActionTable:
    """A row for each thing that the opponent may have done. Of actions with a slash between them each is as likely."""

    first: str
    """The bot is the first to act, or the opponent has checked or called."""
    raised: str
    """The opponent has bet or raised …"""
    reraised: str
    """… where there was a bet or raise in this round before …"""
    all_in: str
    """… or with all that they have."""
    check: str = ""
    """The opponent has checked; as `first` where the table has no row for it."""

    def __post_init__(self) -> None:
        for row in get_args(Facing):
            self.actions(row)

    def actions(self, facing: Facing) -> tuple[Action, ...]:
        """What may be done, one as likely as the other."""
        written = getattr(self, facing) or self.first
        return tuple(map(_read, written.split("/")))


def _read(written: str) -> Action:
    found = ACTION.fullmatch(written)
    if found is None or (found[2] and BOLDNESS[found[1]] != BOLDNESS["raise"]):
        raise BadInput(f"{written!r} is no action of a table; write such as call or raise 3-5 big blinds.")
    size = tuple(float(number) * BIG_BLINDS[found[4]] for number in found.group(2, 3)) if found[2] else None
    return Action(BOLDNESS[found[1]], cast("tuple[float, float] | None", size))


@final
@dataclass(frozen=True)
class Standing:
    """Where the betting stands, as whoever is to move sees it."""

    round: int
    facing: Facing
    pot: float
    """What is in the pot once the caller has called, in big blinds."""
    raises: tuple[tuple[int, float], ...]
    """The raises on offer, smallest first: the move, and by how much it raises in big blinds."""
    may_fold: bool
    shown: tuple[int, ...]
    """What the opponent did in each round at the boldest: 0 checked, 1 called a raise, 2 raised, 3 raised again."""


@final
class Standings:
    """Where the betting of a game for two may stand, by the moves made so far."""

    def __init__(self, game: Poker) -> None:
        self._game, self._betting = game, unroll_betting(game)
        self._number = {moves: number for number, moves in enumerate(self._betting.moves)}
        self._known: dict[Moves, Standing] = {}

    def __getitem__(self, moves: Moves) -> Standing:
        if moves not in self._known:
            self._known[moves] = self._standing(moves)
        return self._known[moves]

    def _standing(self, moves: Moves) -> Standing:
        game, betting, number = self._game, self._betting, self._number[moves]
        actor, stakes, here = int(betting.actor[number]), betting.stakes[number], len(moves) - 1
        theirs = [
            (played, before, move)
            for played, player, before, move in replay(game.players, game.first_seats, 0, moves)
            if player != actor
        ]
        called = max(stakes)
        facing = _facing(
            [each for each in theirs if each[0] == here], bool(game.blinds), stakes[1 - actor] == game.stack
        )
        return Standing(
            here,
            facing,
            float(sum(stakes) + called - stakes[actor]) / game.big_blind,
            tuple(
                (move, float(betting.stakes[after, actor] - called) / game.big_blind)
                for move, after in enumerate(betting.child[number].tolist())
                if move >= RAISE and after != ILLEGAL  # somebody has to answer, so this is a decision
            ),
            bool(betting.legal[number, FOLD]),
            tuple(_boldest([each for each in theirs if each[0] == played]) for played in range(here + 1)),
        )


def _facing(theirs: Sequence[tuple[int, int, int]], blinds: bool, all_in: bool) -> Facing:
    """What the opponent did last, of (round, raises before it, move) in this one."""
    if not theirs:
        return "first"
    played, before, move = theirs[-1]
    if move == CALL:
        return "first" if blinds and played == 0 else "check"
    if all_in:
        return "all_in"
    return "reraised" if before else "raised"


def _boldest(theirs: Sequence[tuple[int, int, int]]) -> int:
    """What the opponent did in one round at the boldest."""
    return max(((3 if before else 2) if move >= RAISE else int(before > 0) for _, before, move in theirs), default=0)


def taken_for(shown: Sequence[int]) -> Strength:
    """The opponent's starting hand, by what they did in some rounds: inferred, and often wrong."""
    if max(shown) == 3 or min(shown) >= 2:
        return "strong"
    return "middling" if max(shown) else "weak"


def corrected(actions: tuple[Action, ...], opponent: Strength) -> tuple[Action, ...]:
    """Of what a table leaves open, the most careful against a strong hand and the boldest against a weak one."""
    if opponent == "middling":
        return actions
    pick = min if opponent == "strong" else max
    return (pick(actions, key=lambda action: action.boldness),)


def chances(actions: tuple[Action, ...], standing: Standing) -> dict[int, float]:
    """How often each move is made when each of these actions is as likely."""
    told: dict[int, float] = {}
    for action in actions:
        moves = _moves(action, standing)
        for move in moves:
            told[move] = told.get(move, 0.0) + 1 / (len(actions) * len(moves))
    return told


def _moves(action: Action, standing: Standing) -> Sequence[int]:
    """The moves that an action may mean; what is not on offer becomes a call, or a check."""
    if action.boldness == BOLDNESS["fold"] and standing.may_fold:
        return [FOLD]
    if action.boldness < BOLDNESS["raise"] or not standing.raises:
        return [CALL]
    if action.boldness == BOLDNESS["all-in"]:
        return [standing.raises[-1][0]]
    least, most = action.size or (standing.pot, standing.pot)
    off = {move: max(least - by, by - most, 0.0) for move, by in standing.raises}
    nearest = min(off.values())
    fits = [move for move, distance in off.items() if distance == nearest]
    return fits if nearest == 0 else fits[:1]
