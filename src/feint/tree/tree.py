"""The game, unrolled: every node and information set as arrays."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, final

import jax
import numpy as np
from jaxtyping import Bool, Float, Int

from feint.games.game import Game
from feint.tree.arrange import arrange
from feint.tree.sequence_form import SequenceForm


@final
@dataclass(frozen=True)
class InformationSet:
    """A situation as the player to move sees it."""

    player: int
    label: str
    """The player's view in words."""
    moves: tuple[str, ...]
    """The names of the legal moves."""


@final
@dataclass(frozen=True, eq=False)
class Tree:
    """A game as arrays. Nodes are numbered breadth-first, siblings next to each other; node 0 is the root.

    Letters in shapes: `n` nodes, `i` information sets, `a` moves, `p` players, `f` features, `t` terminals.
    A *sequence* of a player is a move at one of their information sets, numbered `infoset * a + move`; −1 is the
    empty sequence, before the player's first move.
    """

    game: Game[Any]
    """The rules it was unrolled from."""
    players: int
    actions: tuple[str, ...]
    """The name of each move, one for each column of a strategy table."""

    actor: Int[np.ndarray, " n"]
    """The player to move, `CHANCE` or `TERMINAL`."""
    parent: Int[np.ndarray, " n"]
    """The node before this one; −1 at the root."""
    move: Int[np.ndarray, " n"]
    """The move that led here: a column, or the number of the outcome where chance moved; −1 at the root."""
    chance: Float[np.ndarray, " n"]
    """The probability of that outcome; 1 where a player moved."""
    first_child: Int[np.ndarray, " n"]
    children: Int[np.ndarray, " n"]
    """How many nodes follow this one, from `first_child` on."""
    infoset: Int[np.ndarray, " n"]
    """The information set of a decision; −1 elsewhere."""
    payoff: Float[np.ndarray, "n p"]
    """What each player wins at a terminal, in chips; 0 elsewhere."""

    player: Int[np.ndarray, " i"]
    """Who decides at each information set."""
    labels: tuple[str, ...]
    """What that player sees there in words, for people …"""
    views: tuple[Any, ...]
    """… and as the rules' `view` has it, for whoever must find an information set."""
    legal: Bool[np.ndarray, "i a"]
    spoken: tuple[tuple[str, ...], ...]
    """What each move is called there, such as check where its name is call; empty where it is not legal."""
    parent_sequence: Int[np.ndarray, " i"]
    """The player's own last sequence before reaching each information set."""
    given_features: Float[np.ndarray, "i f"] | None
    """The feature vectors the rules gave, if they gave any."""

    terminal: Int[np.ndarray, " t"]
    """The nodes at which the game is over."""
    last_sequence: Int[np.ndarray, "t p"]
    """Every player's last sequence before each terminal."""
    weighted_payoff: Float[np.ndarray, "t p"]
    """Payoffs times the probability that chance plays along: nothing ever has to be normalised."""

    @property
    def name(self) -> str:
        """The game's name, as `load_game` takes it."""
        return self.game.name

    @property
    def nodes(self) -> int:
        return len(self.actor)

    @cached_property
    def infosets(self) -> tuple[InformationSet, ...]:
        moves = (tuple(compress(self.actions, row)) for row in self.legal.tolist())
        return tuple(map(InformationSet, self.player.tolist(), self.labels, moves))

    def offered(self, infoset: int) -> dict[str, int]:
        """The columns of the legal moves by what they are called there; by their names where two are called alike."""
        columns = np.flatnonzero(self.legal[infoset]).tolist()
        spoken = {self.spoken[infoset][column]: column for column in columns}
        return spoken if len(spoken) == len(columns) else {self.actions[column]: column for column in columns}

    @cached_property
    def features(self) -> Float[np.ndarray, "i f"]:
        """What a network sees of each information set; one indicator each where the rules give nothing."""
        if self.given_features is not None:
            return self.given_features
        return np.eye(len(self.player), dtype=np.float32)

    @cached_property
    def form(self) -> SequenceForm:
        """The sequence form that solvers and judges compute with."""
        with jax.ensure_compile_time_eval():  # it is kept, so it must not belong to a trace that happens to ask first
            return arrange(self)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all that decides what a strategy means here; the name plays no part."""
        digest = hashlib.sha256(repr((self.players, self.actions, self.labels)).encode())
        for array in (self.actor, self.parent, self.move, self.chance, self.infoset, self.payoff, self.legal):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    @property
    def zero_sum(self) -> bool:
        return bool((np.abs(self.payoff[self.terminal].sum(1)) <= 1e-9 * np.abs(self.payoff).max()).all())

    def uniform(self) -> Float[np.ndarray, "i a"]:
        """The strategy that plays every legal move equally often."""
        return np.asarray(self.legal / self.legal.sum(1, keepdims=True))

    def __repr__(self) -> str:
        return f"Tree({self.name!r}, {self.nodes:,} nodes, {len(self.player):,} information sets)"
