"""Matrix games: both players choose at once. Played in turn here, the second player not seeing the first's move."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import final

from feint.games.errors import BadInput, IllegalMove
from feint.games.game import TERMINAL, Game
from feint.games.library import playable

Matrix = tuple[tuple[float, ...], ...]


@final
@dataclass(frozen=True)
class MatrixGame(Game[tuple[int, ...]]):
    """Two players, one choice each. A state is the moves made so far."""

    rows: Matrix
    """What the first player wins: `rows[own move][other's move]`."""
    columns: Matrix
    """What the second player wins, indexed the same way."""
    actions: tuple[str, ...]
    name: str = "matrix"
    players: int = 2

    def start(self) -> tuple[int, ...]:
        return ()

    def actor(self, state: tuple[int, ...]) -> int:
        return len(state) if len(state) < 2 else TERMINAL

    def legal(self, state: tuple[int, ...]) -> Sequence[int]:
        return range(len(self.rows) if not state else len(self.rows[0]))

    def chance(self, state: tuple[int, ...]) -> Sequence[tuple[float, tuple[int, ...]]]:
        return ()

    def play(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        if len(state) == 2 or action not in self.legal(state):
            raise IllegalMove(f"Move {action} is not legal after {state} in {self.name}.")
        return (*state, action)

    def view(self, state: tuple[int, ...], player: int) -> Hashable:
        return state[player : player + 1]

    def label(self, state: tuple[int, ...], player: int) -> str:
        return "choose"

    def payoffs(self, state: tuple[int, ...]) -> Sequence[float]:
        row, column = state
        return self.rows[row][column], self.columns[row][column]


@playable
def rock_paper_scissors() -> MatrixGame:
    """Rock beats scissors, scissors beat paper, paper beats rock; one chip."""
    return _zero_sum(((0, -1, 1), (1, 0, -1), (-1, 1, 0)), ("rock", "paper", "scissors"))


@playable
def matching_pennies() -> MatrixGame:
    """The first player wins when the coins match; one chip."""
    return _zero_sum(((1, -1), (-1, 1)), ("heads", "tails"))


@playable
def shapley() -> MatrixGame:
    """Shapley's game: one player wins a chip when both choose alike, the other when it is one further round.

    Fictitious play goes round in it for ever, in circles that take longer and longer; its only equilibrium makes every
    choice equally often.
    """
    rows, columns = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 1, 0), (0, 0, 1), (1, 0, 0))
    return MatrixGame(rows, columns, ("first", "second", "third"), "shapley")


@playable
def matrix(payoffs: Matrix = ((1, -1), (-1, 1)), columns: Matrix | None = None) -> MatrixGame:
    """Any matrix game.

    payoffs: what the first player wins, one row for each of their moves.
    columns: what the second player wins, in the same shape; left out, the game is zero-sum.
    """
    rows = _checked("payoffs", payoffs)
    other = _negated(rows) if columns is None else _checked("columns", columns)
    if (len(other), len(other[0])) != (len(rows), len(rows[0])):
        raise BadInput(
            f"matrix needs both payoff tables in one shape, but payoffs has {len(rows)} rows of {len(rows[0])} "
            f"and columns has {len(other)} of {len(other[0])}."
        )
    moves = tuple(str(move) for move in range(max(len(rows), len(rows[0]))))
    return MatrixGame(rows, other, moves)


def _zero_sum(rows: Matrix, actions: tuple[str, ...]) -> MatrixGame:
    return MatrixGame(rows, _negated(rows), actions)


def _negated(rows: Matrix) -> Matrix:
    return tuple(tuple(-cell for cell in row) for row in rows)


def _checked(name: str, table: Matrix) -> Matrix:
    """The table as tuples of floats, or a sentence about what is wrong with it."""
    try:
        rows = tuple(tuple(float(cell) for cell in row) for row in table)
    except (TypeError, ValueError):
        rows = ()
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise BadInput(f"matrix needs {name} as rows of equally many numbers such as [[1,-1],[-1,1]], got {table}.")
    return rows
