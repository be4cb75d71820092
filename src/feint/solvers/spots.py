"""Spots of hold'em, solved to a share of the pot, and what came of it hand by hand."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from feint.games.cards import Cards
from feint.games.errors import BadInput
from feint.games.poker_spots import read_cards
from feint.games.postflop import DECK, Spot
from feint.games.spot_words import SEATS
from feint.public.judge import Judgement, judge
from feint.public.notes import Note, notes_of
from feint.public.places import place_of
from feint.public.play import Tables, normalised
from feint.public.sweep import shown
from feint.public.tree import PublicTree
from feint.solvers.public_cfr import PublicCFRState, PublicRegretMinimiser
from feint.solvers.regrets import Rule
from feint.solvers.spot_trees import free, kept, spot_tree
from feint.tree.compiled import Compiled, compiled

RULE = Rule(alpha=1.5, beta=0.0, gamma=4.0, predictive=False)
"""Discounted CFR that forgets early plans sooner than is usual (gamma 2), with fewer iterations for a share of 0.3%.

`python benchmarks/spots.py --gamma 2` shows what it would take else.
"""
STEPS = 20
"""Iterations between looks at how good it is."""
MET = 1e-12
"""Hands that meet others less often than this meet none."""


class Progress(NamedTuple):
    """How a solution stands."""

    steps: int
    share: float
    """Exploitability as a share of the pot."""
    seconds: float


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """A spot, solved."""

    spot: Spot
    tree: PublicTree
    tables: Tables
    judgement: Judgement
    steps: int
    seconds: float
    """Spent on iterations and looks, compiling left out."""

    @property
    def share(self) -> float:
        """Exploitability as a share of the pot."""
        return float(self.judgement.nash_conv) / 2 / self.spot.pot

    def wins(self, seat: str) -> float:
        """The chips of the pot, and beyond, that a player takes on average."""
        return float(self.judgement.values[SEATS[seat]]) + self.spot.pot / 2

    @property
    def near(self) -> float | None:
        """How far off these winnings an equilibrium's lie at most, in chips; None with rake, where nobody knows."""
        gains = self.judgement.best - self.judgement.values
        return None if self.spot.rake else float(gains.max())

    @property
    def raked(self) -> float:
        """The chips that the house takes on average."""
        return 0.0 if not self.spot.rake else self.spot.pot - self.wins("oop") - self.wins("ip")

    def at(self, betting: str = "") -> Node:
        """What is done after some betting, such as `check 0.5 pot call / 5c check`, where 5c is the card dealt."""
        street = self.spot.after(betting)
        place = place_of(self.tree, street.hand.moves, street.dealt)
        stage, player = self.tree.rounds[place.number], place.decision.actor
        note: Note = self._notes(player, place.number)[place.decision.number]
        here = place.board, place.line
        open_ = np.ones(stage.hands) if stage.open is None else np.asarray(stage.open[place.board], float)
        mine, theirs = np.asarray(note.mine[here], float) * open_, np.asarray(note.theirs[here], float) * open_
        comes = {
            seat: float(reach.sum() / (np.asarray(self.tree.ranges[SEATS[seat]]) * open_).sum())
            for seat, reach in zip(_by_turn(player), (mine, theirs), strict=True)
        }
        for seat, often in comes.items():
            if not often > 0:
                raise BadInput(f"{betting!r} never comes, since {seat} never plays so; ask for betting that does.")
        met = np.asarray(self.tree.removal(jnp.asarray(theirs)[None, None]))[0, 0]
        if not (mine * (met > MET)).any():
            raise BadInput(
                f"After {betting!r} no hand that {next(iter(comes))} comes with can meet one of the other's; ask for "
                f"other betting or other cards."
            )
        won = np.asarray(_shown(self.tree, place.number, place.board, jnp.asarray(theirs)))
        play = normalised(tuple(move[here] for move in self.tables[place.number][place.decision.number]))
        values = [_shared(np.asarray(move[here]), met) + self.spot.pot / 2 for move in note.values]
        return Node(
            seat=next(iter(comes)),
            moves=tuple(self.spot.game.spoken(street.hand, move) for move in self.spot.game.legal(street.hand)),
            board=(*self.spot.cards, *(card for cards in street.dealt for card in cards)),
            comes=comes,
            hands=np.asarray(self.tree.held),
            reach=(mine * (met > MET))[place.hands],
            chances=np.stack([np.asarray(move) for move in play], 1)[place.hands],
            wins=np.stack(values, 1)[place.hands],
            met=met[place.hands],
            equity=((_shared(won, met) + 1) / 2)[place.hands],
        )

    @cached_property
    def _notes(self) -> Callable[[int, int], tuple[Any, ...]]:
        """What is to be said of each decision of a player in a round."""
        return cache(lambda player, number: _noted(free(self.tree), self.tables, player, number))


@compiled
def _noted(tree: PublicTree, tables: Tables, player: int, number: int) -> tuple[Any, ...]:
    return notes_of(tree, tables, player)[1][number]


@compiled
def _shown(tree: PublicTree, number: int, board: int, theirs: Float[Array, " h"]) -> Float[Array, " h"]:
    """How often hands win less how often they lose on one board, if nobody bets any more."""
    boards = tree.rounds[number].boards
    return shown(tree, number, jnp.zeros((boards, len(theirs))).at[board].set(theirs))[board]


def _by_turn(player: int) -> list[str]:
    """The seats, that of whoever is to move first."""
    return sorted(SEATS, key=lambda seat: SEATS[seat] != player)


def _shared(values: np.ndarray, met: np.ndarray) -> np.ndarray:
    """Values by how often anyone is met; nan where nobody is."""
    return np.where(met > MET, values / np.maximum(met, MET), np.nan)


def _named(hand: Iterable[int]) -> str:
    """A hand, its cards ascending, as card players write it: the higher one first."""
    return "".join(DECK.name(int(card)) for card in reversed(list(hand)))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


@final
@dataclass(frozen=True, eq=False)
class Node:
    """One decision of a solution, hand by hand."""

    seat: str
    moves: tuple[str, ...]
    board: Cards
    comes: dict[str, float]
    """How often each player comes there by their own moves, whoever is to move first."""
    hands: Int[np.ndarray, "h 2"]
    reach: Float[np.ndarray, " h"]
    """How often the player comes there with each hand."""
    chances: Float[np.ndarray, "h m"]
    """How often each move is made."""
    wins: Float[np.ndarray, "h m"]
    """What each move takes of the pot of the spot and beyond, in chips; nan where the other never comes there."""
    met: Float[np.ndarray, " h"]
    """How often the other comes there with cards that each hand leaves."""
    equity: Float[np.ndarray, " h"]
    """The share of the pot that the hand takes if nobody bets any more."""

    @property
    def overall(self) -> Float[np.ndarray, " m"]:
        """How often each move is made with all hands together, each as often as the player comes with it.

        That is by range, as ranges are read, whatever cards the other holds.
        """
        return np.asarray((self.chances * self.reach[:, None]).sum(0) / self.reach.sum())

    def by_hand(self) -> dict[str, dict[str, Any]]:
        """Every hand that comes, such as AhKd: its weight, how often each move is made, what it takes, and the equity.

        None where that is not known, as the other never comes there with a hand that it can meet.
        """
        return {
            _named(self.hands[place]): {
                "weight": float(self.reach[place]),
                "moves": dict(zip(self.moves, self.chances[place].tolist(), strict=True)),
                "wins": dict(zip(self.moves, map(_known, self.wins[place].tolist()), strict=True)),
                "equity": _known(float(self.equity[place])),
            }
            for place in (self.reach > 0).nonzero()[0]
        }

    def hand(self, cards: str) -> dict[str, Any]:
        """The same of one hand, its cards in any order."""
        held = self.by_hand()
        if (name := _named(sorted(read_cards("hold'em", DECK, cards, "cards")))) not in held:
            raise BadInput(f"{self.seat} never comes here with {cards!r}; ask for a hand of its range, such as AhKd.")
        return held[name]

    @property
    def together(self) -> tuple[float, float]:
        """What all hands take of the pot and beyond in the mean, in chips, and their equity.

        Each counts as often as it meets a hand of the other's, so at the start that is what the player wins.
        """
        won = (self.chances * np.nan_to_num(self.wins)).sum(1)
        share = self.reach * self.met / (self.reach @ self.met)
        return float(share @ won), float(share @ np.nan_to_num(self.equity))

    def kinds(self) -> Iterator[tuple[str, float, Float[np.ndarray, " m"], float, float]]:
        """Every kind of hand that comes, such as AKs: its weight, and in the mean its moves, winnings and equity."""
        ranks, names = self.hands // DECK.copies, DECK.ranks
        suited = (self.hands % DECK.copies)[:, 0] == (self.hands % DECK.copies)[:, 1]
        labels = np.array(
            [
                names[high] + names[low] + ("" if low == high else "s" if same else "o")
                for (low, high), same in zip(ranks, suited, strict=True)
            ]
        )
        order = sorted(
            set(labels[self.reach > 0]), key=lambda kind: [-names.index(kind[0]), -names.index(kind[1]), kind[2:]]
        )
        won = (self.chances * np.nan_to_num(self.wins)).sum(1)
        for kind in order:
            weight = np.where(labels == kind, self.reach, 0.0)
            mean = weight / weight.sum()
            yield (
                kind,
                float(weight.sum()),
                mean @ self.chances,
                float(mean @ won),
                float(mean @ np.nan_to_num(self.equity)),
            )


def solve(
    spot: Spot,
    share: float = 0.003,
    steps: int = 10_000,
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Solution:
    """Solve a spot until exploitability is this share of the pot, or after so many iterations or seconds.

    seconds: of iterations and looks; compiling is not counted. It ends before a look that would come later than that,
    but not before the first.
    stop: asked after every look whether what there is will do.
    """
    tree = spot_tree(spot)
    solver = PublicRegretMinimiser(tree, RULE, True, "")
    state = _first(solver)
    _forward.prepare(solver, state, jnp.asarray(1))
    _look.prepare(solver, state)
    pace = Pace(seconds)
    done, begun = 0, time.monotonic()
    while True:
        count = min(pace.before_a_look(done), steps - done)
        state = jax.block_until_ready(_forward(solver, state, jnp.asarray(count)))
        gone = time.monotonic() - begun
        judgement, done = jax.block_until_ready(_look(solver, state)), done + count
        spent = time.monotonic() - begun
        pace.look, pace.iteration = spent - gone, max(gone - pace.spent, 0.0) / count
        pace.spent = spent
        reached = float(judgement.nash_conv) / 2 / spot.pot
        if progress:
            progress(Progress(done, reached, spent))
        if reached <= share or done >= steps or not pace.before_a_look(done) or stop():
            return Solution(spot, tree, kept(tree, solver.strategy(state).weights), judgement, done, spent)


@final
@dataclass
class Pace:
    """How many iterations there is time for, by how long the last ones took."""

    seconds: float | None
    """How much time there is; None for any."""
    spent: float = 0.0
    iteration: float = 0.0
    look: float = 0.0

    def before_a_look(self, done: int) -> int:
        """Iterations until the next look, after which there are whole multiples of STEPS; none if time is up."""
        usual = STEPS - done % STEPS
        if self.seconds is None:
            return usual
        if not done:
            return 1  # nobody knows yet how long they take
        left = self.seconds - self.spent - self.look
        return max(0, min(usual, int(left / self.iteration) if self.iteration else usual))


@compiled
def _first(solver: PublicRegretMinimiser) -> PublicCFRState:
    # Copied, because parts of it may share memory, and going forward takes the memory of every part.
    state: PublicCFRState = jax.tree.map(jnp.copy, solver.init(jax.random.key(0)))
    return state


def _judged(solver: PublicRegretMinimiser, state: PublicCFRState) -> Judgement:
    return judge(solver.tree, solver.strategy(state).weights)


def _steps(solver: PublicRegretMinimiser, state: PublicCFRState, steps: Int[Array, ""]) -> PublicCFRState:
    after: PublicCFRState = jax.lax.fori_loop(0, steps, lambda _, state: solver.step(state)[0], state)
    return after


_forward, _look = Compiled(_steps, reused=(1,), many=True), Compiled(_judged, many=True)
