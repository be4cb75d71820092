"""Walk the rules once, breadth-first, and write down every node as arrays."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np

from feint.games.errors import BadInput, told
from feint.games.game import CHANCE, TERMINAL, Game
from feint.games.library import game_of
from feint.tree.cache import read_tree, tree_file, write_tree
from feint.tree.held import fixed, held
from feint.tree.tree import Tree

NODE_LIMIT = 3_000_000
"""Larger games take gigabytes of memory; raise it knowingly."""
WORTH_KEEPING = 1.0
"""Trees that unroll in fewer seconds than this are not kept."""


def unroll(
    game: Game[Any] | str, limit: int = NODE_LIMIT, cache: bool = True, report: Callable[[int], None] | None = None
) -> Tree:
    """Every node and information set of a game as arrays.

    `game` may be a name that `load_game` takes. Games of more than `limit` nodes are refused. Trees that take over a
    second are kept on disk under the hash of their rules, unless those have code that is not Feint's, in the folder
    named by FEINT_CACHE (`~/.cache/feint` if it is unset); `cache=False` neither reads nor writes there. `report` is
    told the number of nodes every so often.
    """
    game = game_of(game)
    file = tree_file(game) if cache else None
    if file and (kept := read_tree(file, game)) is not None and kept.nodes <= limit:
        return kept
    start = time.monotonic()
    tree = walk(game, limit, report)
    if file and time.monotonic() - start > WORTH_KEEPING:
        write_tree(file, tree)
    return tree


def is_unrolled(game: Game[Any]) -> bool:
    """Whether a game is small enough to be unrolled, as far as that is known without doing it."""
    size = game.unrolled_size()
    return size is None or size[0] <= NODE_LIMIT


def walk(game: Game[Any], limit: int, report: Callable[[int], None] | None) -> Tree:
    """Walk a game. Raises `BadInput` when it has more than `limit` nodes, or players who forget."""
    check_names(game)
    with rules_at_work(game):
        size = game.unrolled_size()
        if size is not None and size[0] > limit:
            raise _too_large(game, limit)
        walk = Walk(game, limit)
        walk.add(game.start(), parent=-1, move=-1, chance=1.0, sequences=(-1,) * game.players)
        for node, _ in enumerate(walk.actor):  # which grow on the way
            walk.expand(node)
            if report and node % 10_000 == 9_999:
                report(len(walk.actor))
        return walk.tree()


@contextmanager
def rules_at_work(game: Game[Any]) -> Iterator[None]:
    """An error in a game's rules is told in a sentence."""
    try:
        yield
    except (BadInput, MemoryError):
        raise
    except Exception as error:
        file = Path(getattr(sys.modules[type(game).__module__], "__file__", None) or "")
        raise BadInput(f"{game.name} cannot be unrolled ({told(error, file)}); mend its rules.") from error


def check_names(game: Game[Any]) -> None:
    """Refuse rules that say nothing sensible of who plays and how moves are called."""
    players: Any = getattr(game, "players", None)
    actions: Any = getattr(game, "actions", None)
    if not isinstance(players, int) or players < 1:
        raise BadInput(f"{game.name} has {players!r} for its players; give how many there are.")
    named = isinstance(actions, Sequence) and all(isinstance(name, str) for name in actions)
    if not named or len(set(actions)) != len(actions):
        raise BadInput(f"{game.name} has {actions!r} for its actions; give their names, no two alike.")


@final
@dataclass
class Walk:
    """The lists that grow as the walk goes on."""

    game: Game[Any]
    limit: int
    actors: frozenset[int] = field(init=False)
    """All who may be to move."""
    actor: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    move: list[int] = field(default_factory=list)
    chance: list[float] = field(default_factory=list)
    first_child: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    infoset: list[int] = field(default_factory=list)
    payoff: list[Any] = field(default_factory=list)
    states: list[Any] = field(default_factory=list)
    """The state of each node; forgotten once expanded."""
    marks: list[int | None] = field(default_factory=list)
    """Of each state what it held when it came, hashed; None where that cannot change."""
    sequences: list[tuple[int, ...]] = field(default_factory=list)
    """Every player's last sequence at each node, as infoset * moves + move."""
    known: dict[tuple[int, Hashable], int] = field(default_factory=dict)
    """The number of each information set met so far."""
    player: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    legal: list[list[int]] = field(default_factory=list)
    spoken: list[dict[int, str]] = field(default_factory=list)
    parent_sequence: list[int] = field(default_factory=list)
    features: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.actors = frozenset((CHANCE, TERMINAL, *range(self.game.players)))

    def add(self, state: Any, parent: int, move: int, chance: float, sequences: tuple[int, ...]) -> None:
        if len(self.actor) >= self.limit:
            raise _too_large(self.game, self.limit)
        actor = self.game.actor(state)
        if actor not in self.actors:
            raise BadInput(
                f"{self.game.name} gives {actor!r} as the player to move; give one of 0 to {self.game.players - 1}, "
                f"CHANCE or TERMINAL."
            )
        self.actor.append(actor)
        self.parent.append(parent)
        self.move.append(move)
        self.chance.append(chance)
        self.first_child.append(-1)
        self.children.append(0)
        self.infoset.append(-1)
        self.payoff.append(self._payoffs(state) if actor == TERMINAL else None)
        before = self.states[parent] if parent >= 0 and self.marks[parent] is None else None
        self.marks.append(None if actor == TERMINAL or fixed(state, before) else _mark(state))
        self.states.append(None if actor == TERMINAL else state)
        self.sequences.append(sequences)

    def _payoffs(self, state: Any) -> tuple[float, ...]:
        payoffs = tuple(self.game.payoffs(state))
        if len(payoffs) != self.game.players:
            raise BadInput(f"{self.game.name} has {self.game.players} players but pays {len(payoffs)}: {payoffs}.")
        if not all(map(math.isfinite, payoffs)):
            raise BadInput(f"{self.game.name} pays {payoffs}; give numbers.")
        return payoffs

    def expand(self, node: int) -> None:
        if self.actor[node] == TERMINAL:
            return
        self.first_child[node] = len(self.actor)
        try:
            for after in self.after(node):
                self.add(*after)
        finally:  # rules that change a state may well stumble over it
            self._check_unchanged(node)
        self.states[node] = None
        self.children[node] = len(self.actor) - self.first_child[node]

    def _check_unchanged(self, node: int) -> None:
        """Refuse rules that put a move into the state that it is made from: all that they say of it is then void."""
        if self.marks[node] is not None and self.marks[node] != _mark(self.states[node]):
            where = f"at {self.labels[self.infoset[node]]!r}" if self.infoset[node] >= 0 else "where chance moves"
            raise BadInput(
                f"{self.game.name} changes a state in place ({where}), so that what follows from it cannot be told; "
                f"leave states as they are, and let play and chance return new ones."
            )

    def after(self, node: int) -> Iterator[tuple[Any, int, int, float, tuple[int, ...]]]:
        """All that may follow a chance move or a decision, each as `add` takes it."""
        actor, state, sequences = self.actor[node], self.states[node], self.sequences[node]
        if actor == CHANCE:
            outcomes = self.game.chance(state)
            total = sum(chance for chance, _ in outcomes)
            if not abs(total - 1) <= 1e-9:
                raise BadInput(f"{self.game.name} has a chance move whose probabilities sum to {total:g}, not 1.")
            if min(chance for chance, _ in outcomes) < 0:
                raise BadInput(f"{self.game.name} has a chance move with a probability below 0; give none below.")
            for number, (chance, after) in enumerate(outcomes):
                yield after, node, number, chance / total, sequences
            return
        infoset = self._recognise(state, actor, sequences[actor])
        self.infoset[node] = infoset
        for move in self.legal[infoset]:
            after = infoset * len(self.game.actions) + move
            moved = (*sequences[:actor], after, *sequences[actor + 1 :])
            yield self.game.play(state, move), node, move, 1.0, moved

    def _recognise(self, state: Any, player: int, sequence: int) -> int:
        """The number of the information set, a new one if it has not been met; checks perfect recall."""
        view = self.game.view(state, player)
        legal = list(self.game.legal(state))
        number = self.known.setdefault((player, view), len(self.player))
        if not legal:
            raise BadInput(f"{self.game.name} gives player {player + 1} no legal move at {view!r}; end the game there.")
        if number == len(self.player):
            numbers = all(isinstance(move, int | np.integer) and 0 <= move < len(self.game.actions) for move in legal)
            if not numbers or sorted(set(legal)) != legal:
                raise BadInput(
                    f"{self.game.name} offers player {player + 1} the moves {legal}; give numbers of its "
                    f"{len(self.game.actions)} actions, each once and in order."
                )
            self.player.append(player)
            self.labels.append(self.game.label(state, player))
            self.legal.append(legal)
            self.spoken.append({move: self.game.spoken(state, move) for move in legal})
            self.parent_sequence.append(sequence)
            self.features.append(self.game.features(state, player))
        elif self.parent_sequence[number] != sequence:
            raise BadInput(
                f"{self.game.name} lets player {player + 1} forget: the view {self.labels[number]!r} follows different "
                f"moves of theirs; Feint needs perfect recall, so choose a game whose views keep the whole history."
            )
        elif self.legal[number] != legal:
            raise BadInput(
                f"{self.game.name} offers player {player + 1} different moves in states with one view, "
                f"{self.labels[number]!r}; give the states different views."
            )
        return number

    def _in_order(self) -> list[tuple[int, Hashable]]:
        """Information sets by player, and each player's by view where views can be compared: tables read better so."""
        try:
            return sorted(self.known)
        except TypeError:
            return sorted(self.known, key=lambda key: key[0])

    def tree(self) -> Tree:
        """Freeze the lists, numbering information sets by player and keeping only the moves that are ever legal."""
        if not self.player:
            raise BadInput(f"{self.game.name} has no decisions: nobody ever moves, so there is nothing to solve.")
        known = self._in_order()
        order = np.array([self.known[key] for key in known], np.int64)
        renumber = np.empty_like(order)
        renumber[order] = np.arange(len(order))
        used = sorted({move for legal in self.legal for move in legal})
        column = np.full(len(self.game.actions), -1)
        column[used] = np.arange(len(used))
        wide, narrow = len(self.game.actions), len(used)

        def sequence(old: Any) -> np.ndarray:
            old = np.asarray(old, np.int64)
            new = renumber[old // wide] * narrow + column[old % wide]
            return np.where(old < 0, -1, new).astype(np.int32)

        legal = np.zeros((len(order), narrow), bool)
        for number, moves in enumerate(self.legal):
            legal[renumber[number], column[moves]] = True
        actor, infoset = np.array(self.actor, np.int8), np.array(self.infoset, np.int64)
        parent, move = np.array(self.parent, np.int32), np.array(self.move, np.int32)
        terminal = np.flatnonzero(actor == TERMINAL)
        payoff = np.zeros((len(actor), self.game.players))
        payoff[terminal] = [self.payoff[node] for node in terminal]
        chance = np.array(self.chance)
        moved = (parent >= 0) & (actor[parent] >= 0)
        features = None
        if all(row is not None for row in self.features):
            features = np.array([self.features[number] for number in order], np.float32)
        return Tree(
            game=self.game,
            players=self.game.players,
            actions=tuple(self.game.actions[move] for move in used),
            actor=actor,
            parent=parent,
            move=np.where(moved, column[np.where(moved, move, 0)], move).astype(np.int32),
            chance=chance,
            first_child=np.array(self.first_child, np.int32),
            children=np.array(self.children, np.int32),
            infoset=np.where(infoset >= 0, renumber[infoset], -1).astype(np.int32),
            payoff=payoff,
            player=np.array(self.player, np.int8)[order],
            labels=tuple(self.labels[number] for number in order),
            views=tuple(view for _, view in known),
            legal=legal,
            spoken=tuple(tuple(self.spoken[number].get(move, "") for move in used) for number in order),
            parent_sequence=sequence(np.array(self.parent_sequence)[order]),
            given_features=features,
            terminal=terminal.astype(np.int32),
            last_sequence=sequence([self.sequences[node] for node in terminal]),
            weighted_payoff=payoff[terminal] * _reach(parent, chance)[terminal, None],
        )


def _too_large(game: Game[Any], limit: int) -> BadInput:
    return BadInput(
        f"{game.name} has more than {limit:,} nodes, the limit for unrolling; "
        f"choose a smaller game, or raise the limit with feint.unroll(game, limit=...)."
    )


def _mark(state: Any) -> int:
    return hash(tuple(held(state)))


def _reach(parent: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """The probability that chance plays along to each node."""
    reach = np.ones(len(parent))
    for node in range(1, len(parent)):
        reach[node] = reach[parent[node]] * chance[node]
    return reach
