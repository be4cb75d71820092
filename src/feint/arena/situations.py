"""What a seat can be faced with, packed for memories and unpacked for networks.

By perfect recall, what a player sees tells all that it saw and did before: an information state is also a path.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from feint.arena.arena import InfoState
from feint.arena.betting import unroll_betting
from feint.arena.cards import HIDDEN, CardArena, Seen, build_card_arena
from feint.games.errors import BadInput
from feint.games.poker import CALL, Poker
from feint.tree.arrays import on_device
from feint.tree.compiled import compiled
from feint.tree.tree import Tree


class Path(NamedTuple):
    """A seat's decisions in one hand, in order, the latest last; `made` is false where rows fill up a shorter hand."""

    infostates: InfoState
    moves: Int[Array, "b l"]
    made: Bool[Array, "b l"]


class Situations(eqx.Module):
    """What one seat can be faced with. By perfect recall, what it sees tells all that it saw and did before."""

    @property
    @abstractmethod
    def moves(self) -> int: ...

    @property
    @abstractmethod
    def inputs(self) -> int:
        """Features of a situation."""

    @property
    def outputs(self) -> int:
        """Numbers that networks answer with: one for each move, if not more."""
        return self.moves

    def by_move(self, told: Float[Array, "... o"], infostate: InfoState) -> Float[Array, "... a"]:
        """What networks answered, by the moves it is about."""
        return told

    @property
    def listing(self) -> Listed | None:
        """The list of them all, where there is one: then they can be counted, and asked about all at once."""
        return None

    @property
    def symmetric(self) -> bool:
        """Whether suits are renamed, so that cards that differ in nothing else look the same."""
        return False

    @abstractmethod
    def blank(self) -> InfoState:
        """A single information state, to make memories of."""

    @abstractmethod
    def own(self, infostate: InfoState) -> InfoState:
        """What the arena shows, as this seat keeps it."""

    @abstractmethod
    def legal(self, infostate: InfoState) -> Bool[Array, "... a"]: ...

    @abstractmethod
    def features(self, infostate: InfoState) -> Float[Array, "... f"]: ...

    @abstractmethod
    def path(self, infostate: InfoState, move: Int[Array, " b"] | int) -> Path:
        """Everything the seat did in the hand up to a move."""


@final
class Listed(Situations):
    """All information sets of a seat in a tree: an information state is a number, from 0 on, and None all in order."""

    first: int = eqx.field(static=True)
    """The number of the seat's first information set in the tree."""
    rows: Float[Array, "i f"]
    allowed: Bool[Array, "i a"]
    parent: Int[Array, " i"]
    """The seat's own choice (i · a + move) before each; −1 where there was none."""
    past: Int[Array, "i l"]
    """All its choices before each, in order, −1 in front of the first."""

    @property
    def listing(self) -> Listed:
        return self

    @property
    def shape(self) -> tuple[int, int]:
        return self.allowed.shape[0], self.allowed.shape[1]

    @property
    def moves(self) -> int:
        return self.allowed.shape[1]

    @property
    def inputs(self) -> int:
        return self.rows.shape[1]

    def blank(self) -> Int[Array, ""]:
        return jnp.zeros((), jnp.int32)

    def own(self, infostate: Int[Array, " t"]) -> Int[Array, " t"]:
        return jnp.clip(infostate - self.first, 0, self.shape[0] - 1)

    def legal(self, infostate: Int[Array, "..."] | None) -> Bool[Array, "... a"]:
        return self.allowed if infostate is None else self.allowed[infostate]

    def features(self, infostate: Int[Array, "..."] | None) -> Float[Array, "... f"]:
        return self.rows if infostate is None else self.rows[infostate]

    def path(self, infostate: Int[Array, " b"] | None, move: Int[Array, " b"] | int) -> Path:
        infostate = jnp.arange(self.shape[0]) if infostate is None else infostate
        choices = jnp.concatenate([self.past[infostate], (infostate * self.moves + move)[:, None]], 1)
        made = choices >= 0
        choices = jnp.where(made, choices, 0)
        return Path(choices // self.moves, choices % self.moves, made)


@final
class Shown(Situations):
    """A seat of a card game with too many situations to list: a state is the betting decision and the cards seen."""

    arena: CardArena

    @property
    def moves(self) -> int:
        return self.arena.moves

    @property
    def inputs(self) -> int:
        return self.arena.inputs

    @property
    def outputs(self) -> int:
        return self.moves + (self.arena.checks is not None)

    def by_move(self, told: Float[Array, "... o"], infostate: Seen) -> Float[Array, "... a"]:
        if self.arena.checks is None:
            return told
        # The last is for checks: they are the rules' calls of nothing.
        calls = jnp.where(self.arena.checks[infostate.node], told[..., -1], told[..., CALL])
        return told[..., :-1].at[..., CALL].set(calls)

    @property
    def symmetric(self) -> bool:
        return self.arena.renames

    def blank(self) -> Seen:
        return Seen(jnp.zeros((), self.arena.node_type), jnp.zeros(len(self.arena.arrived), jnp.uint8))

    def own(self, infostate: Seen) -> Seen:
        return infostate

    def legal(self, infostate: Seen) -> Bool[Array, "... a"]:
        return self.arena.legal(infostate)

    def features(self, infostate: Seen) -> Float[Array, "... f"]:
        return self.arena.features(infostate)

    def path(self, infostate: Seen, move: Int[Array, " b"] | int) -> Path:
        now = infostate.node.astype(jnp.int32) * self.moves + move
        choices = jnp.concatenate([self.arena.past[infostate.node], now[:, None]], 1)
        made = choices >= 0
        choices = jnp.where(made, choices, 0)
        node = choices // self.moves
        # Cards seen at the last decision stand for all: the arena shows no more of them than a decision does.
        return Path(Seen(node, infostate.cards[:, None]), choices % self.moves, made)


def listed(tree: Tree, player: int, encoding: str = "") -> Listed:
    """A seat's information sets: `one-hot` and `summary` replace the rules' features by one indicator each, and by what
    a hand of poker comes to."""
    mine = np.flatnonzero(tree.player == player)
    first = int(mine[0]) if len(mine) else 0
    parent = tree.parent_sequence[mine]
    parent = np.where(parent < 0, -1, parent - first * tree.legal.shape[1])
    told = {"one-hot": lambda: np.eye(len(mine)), "summary": lambda: summaries(tree)[mine]}
    features = told.get(encoding, lambda: tree.features[mine])()
    return Listed(
        first,
        on_device(features, jnp.float32),
        on_device(tree.legal[mine]),
        on_device(parent, jnp.int32),
        on_device(_past(parent, tree.legal.shape[1]), jnp.int32),
    )


@lru_cache(maxsize=2)  # each seat asks for its own
def summaries(tree: Tree) -> Float[np.ndarray, "i 35"]:
    """What the hand comes to at every information set of a game of poker, as the arena of larger ones has it."""
    if not isinstance(tree.game, Poker):
        raise BadInput(f"Only a hand of poker is summed up, and {tree.name} is none; use encoding=nfsp.")
    # Who deals decides who acts, but what a hand comes to is told from the actor's seat on.
    betting = unroll_betting(replace(tree.game, rotating_dealer=False))
    arena, number = build_card_arena(betting, "summary"), {moves: node for node, moves in enumerate(betting.moves)}
    cards = np.full((len(tree.views), len(arena.arrived)), HIDDEN, np.uint8)
    nodes = np.zeros(len(tree.views), int)
    for row, (_, hole, board, moves) in enumerate(tree.views):
        nodes[row] = number[moves]
        cards[row, : len(hole) + len(board)] = [*hole, *board]
    seen = Seen(on_device(nodes, arena.node_type), on_device(cards))
    return np.asarray(_features(arena, seen))


@compiled
def _features(arena: CardArena, seen: Seen) -> Float[Array, "i 35"]:
    return arena.features(seen)


def _past(parent: np.ndarray, moves: int) -> Int[np.ndarray, "i l"]:
    """All of a seat's choices before each information set, in order, −1 in front."""
    columns = [parent]
    while (columns[-1] >= 0).any():
        columns.append(np.where(columns[-1] < 0, -1, parent[columns[-1] // moves]))
    return np.stack(columns[-2::-1], 1) if len(columns) > 1 else np.zeros((len(parent), 0), int)
