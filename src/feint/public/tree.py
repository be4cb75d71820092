"""The public tree of a card game for two: betting × boards, every private hand an axis.

Between a game unrolled whole and one of which only the betting is unrolled: what everybody sees is a tree, small enough
to be walked, and what only players see is a vector at each of its nodes. Tables of a round have an array for each move
at each decision of its betting: [boards, lines, hands].
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from feint.arena.betting import BettingTree
from feint.public.lines import Betting
from feint.public.play import Bound
from feint.public.showdown import Removal, Showdown


@final
@dataclass(frozen=True)
class PublicSize:
    """How large a public tree is. One entry for each round."""

    boards: tuple[int, ...]
    decisions: tuple[int, ...]
    """Betting decisions on each board."""
    hands: tuple[int, ...]
    cells: tuple[int, ...]
    """Numbers in a table: moves at every decision, on every board, with every hand."""
    exact: tuple[bool, ...]
    """Whether these are float64."""

    @property
    def table_bytes(self) -> int:
        return sum(cells * (8 if exact else 4) for cells, exact in zip(self.cells, self.exact, strict=True))

    @property
    def public(self) -> int:
        """Decisions that everybody can tell apart, up to suits."""
        return sum(boards * decisions for boards, decisions in zip(self.boards, self.decisions, strict=True))

    @property
    def infosets(self) -> int:
        rows = zip(self.boards, self.decisions, self.hands, strict=True)
        return sum(boards * decisions * hands for boards, decisions, hands in rows)


@final
class Round(eqx.Module):
    """One round of betting on all its boards. Lines are those that come to it, hands those that a board leaves."""

    betting: Betting = eqx.field(static=True)
    moves: tuple[int, ...] = eqx.field(static=True)
    """How many moves each decision has."""
    piece: int = eqx.field(static=True)
    """How many boards are looked at together. The last one is there several times, without weight, to fill up."""
    parents: int = eqx.field(static=True)
    """From how many boards before those of a piece come, at most."""
    exact: bool = eqx.field(static=True)
    """Whether its tables are float64."""
    cards: Int[Array, "b c"]
    before: Int[Array, " b"]
    weight: Float[Array, " b"]
    rest: Int[Array, "b m"]
    hand_before: Int[Array, "b h"] | None
    """None where no card is dealt, or hands keep their numbers …"""
    hand_after: Int[Array, "b u"] | None
    open: Bool[Array, "b h"] | None
    """… and only some of them are left by a board."""
    same: Int[Array, "b s h"] | None
    """What becomes of hands under renamings of suits that leave a board as it is, where more cards are to come."""
    place: Int[Array, "a d"]
    """By the board before and the number of a draw: the board that stands for what it makes …"""
    renaming: Int[Array, "a d"]
    """… and the renaming of suits that makes it so."""
    removal: Removal
    showdown: Showdown | None
    """In the last round."""
    bound: tuple[Bound | None, ...]
    """What players are bound to at each decision, if anything."""
    folds: Float[Array, "f p"]
    """What each player wins, for every line that ends with a fold …"""
    shown: Float[Array, "e p o"]
    """… and for every line that is shown down, with the worse and with the better hand."""

    @property
    def boards(self) -> int:
        return len(self.cards)

    @property
    def hands(self) -> int:
        return len(self.removal.cards)

    @property
    def dtype(self) -> Any:
        return jnp.float64 if self.exact else jnp.float32

    @property
    def pieces(self) -> int:
        return self.boards // self.piece

    def zeros(self, decision: int) -> tuple[Float[Array, "b l h"], ...]:
        """An array for each move at a decision."""
        shape = self.boards, len(self.betting.decisions[decision].nodes), self.hands
        return tuple(jnp.zeros(shape, self.dtype) for _ in range(self.moves[decision]))


class Beyond(eqx.Module):
    """What is worth what, where a tree ends before the game does."""

    @abstractmethod
    def __call__(
        self,
        stage: Round,
        player: int,
        mine: Float[Array, "b l h"],
        theirs: Float[Array, "b l h"],
        first: Int[Array, ""],
    ) -> Float[Array, "b l h"]:
        """What lines that come to the last round are worth to a player's hands on its boards, from the first on.

        Given how often hands come there, the player's and the other's, whom values are weighted with.
        """


@final
class PublicTree(eqx.Module):
    """A game, or what is left of it after a public state."""

    rounds: tuple[Round, ...]
    ranges: tuple[Float[Array, " h"], Float[Array, " h"]]
    """How often each player comes with each hand, at the start."""
    renamings: Int[Array, "g n"]
    """Ways to rename suits, as what becomes of each card."""
    composed: Int[Array, "g g"]
    """The renaming that two make one after the other, the later one first."""
    held: Int[Array, "h k"]
    """The cards of each hand, at the start."""
    removal: Removal
    """What hands leave of the others', at the start."""
    betting: BettingTree = eqx.field(static=True)
    beyond: Beyond | None = None
    """Stands for the betting of the last round, where that is not played out."""

    @property
    def zero_sum(self) -> bool:
        """Whether what one wins the other loses."""
        worse, better = np.moveaxis(self.rounds[-1].betting.shown, 2, 0)
        folds = [stage.betting.folds.sum(1) for stage in self.rounds]
        return all(np.allclose(each, 0.0) for each in (*folds, worse + better[:, ::-1]))

    @property
    def deals(self) -> Float[Array, ""]:
        """All pairs of hands that can meet, weighted with how often they come."""
        return (self.ranges[0] * self.met(0)).sum()

    def met(self, player: int) -> Float[Array, " h"]:
        """How often each hand of a player meets others, at the start."""
        return self.removal(self.ranges[1 - player][None, None])[0, 0]
