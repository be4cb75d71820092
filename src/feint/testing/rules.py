"""Whether a game keeps the promises of `feint.Game`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Any, cast, final

import numpy as np

from feint.games.errors import BadInput, IllegalMove
from feint.games.game import CHANCE, TERMINAL, Game
from feint.games.library import load_game
from feint.tree.held import held
from feint.tree.unroll import Walk, check_names, rules_at_work

LIMIT = 3000
"""How many states are looked at unless more are asked for."""
HANDS = 20
"""How many random hands are played to their end in a game that has more states than are looked at."""
LONGEST = 10_000
"""A hand of more moves is taken for one that never ends."""


@final
@dataclass(frozen=True)
class CheckedGame:
    """What was met in a game that keeps its promises."""

    name: str
    players: int
    states: int
    """How many were looked at."""
    complete: bool
    """Whether the game has no others."""
    infosets: int
    """How many information sets were met."""
    longest: int
    """Moves of players and of chance in the longest hand."""
    zero_sum: bool

    def __str__(self) -> str:
        where = "all its {} states" if self.complete else "the {} states looked at"
        met = "" if self.complete else " among them"
        return (
            f"{self.name} keeps its promises in {where.format(f'{self.states:,}')}: {self.players} players, "
            f"{self.infosets:,} information sets{met}, hands of up to {self.longest} moves, "
            f"{'' if self.zero_sum else 'not '}zero-sum."
        )


def check_game(game: Game[Any] | str, limit: int = LIMIT, report: Callable[[int], None] | None = None) -> CheckedGame:
    """Raise `BadInput` at the first promise of `feint.Game` that the rules are seen to break.

    States are looked at breadth-first until `limit` are known; where those are not all, random hands are played too.
    `report` is told the number of states every so often.
    """
    game = load_game(game) if isinstance(game, str) else game
    check_names(game)
    look = _Look(game)
    complete = look.breadth_first(limit, report)
    look.check_size(complete)
    random = Random(0)
    for _ in range(0 if complete else HANDS):
        look.hand(random)
    return look.checked(complete)


@final
class _Look:
    """A walk of the rules that asks more than unrolling does, and whether any question changed anything."""

    def __init__(self, game: Game[Any]) -> None:
        self._game, self._rules = game, cast("Game[Any]", _Watched(game))
        self._walk = Walk(self._rules, sys.maxsize)
        self._depth: list[int] = []
        """How many moves led to each state."""

    def breadth_first(self, limit: int, report: Callable[[int], None] | None) -> bool:
        """Look at one state after the other while fewer than `limit` are known; whether those were all."""
        node = self._start()
        while node < len(self._depth) < limit:
            for after in self._following(node):
                self._add(*after)
            node += 1
            if report and node % 100 == 0:
                report(node)
        return node == len(self._depth)

    def hand(self, random: Random) -> None:
        """One hand by random moves, to its end."""
        node = self._start()
        while following := self._following(node):
            node = self._add(*random.choice(following))
            if self._depth[node] > LONGEST:
                raise self._broken(f"has a hand of more than {LONGEST:,} moves; let every hand come to an end")

    def check_size(self, complete: bool) -> None:
        size, met = self._game.unrolled_size(), (len(self._depth), len(self._walk.player))
        if size is not None and (size != met if complete else min(np.subtract(size, met)) < 0):
            raise self._broken(
                f"says that it unrolls to {size[0]:,} nodes and {size[1]:,} information sets, but {met[0]:,} and "
                f"{met[1]:,} were met; mend its unrolled_size, or let that be None"
            )

    def checked(self, complete: bool) -> CheckedGame:
        game, walk = self._game, self._walk
        if not walk.player:
            walk.tree()  # which refuses games without decisions
        self._check_labels()
        self._check_features()
        paid = np.array([payoffs for payoffs in walk.payoff if payoffs is not None])
        zero_sum = bool((np.abs(paid.sum(1)) <= 1e-9 * np.abs(paid).max()).all())
        states, infosets = len(self._depth), len(walk.player)
        return CheckedGame(game.name, game.players, states, complete, infosets, max(self._depth), zero_sum)

    def _broken(self, words: str) -> BadInput:
        return BadInput(f"{self._game.name} {words}.")

    @contextmanager
    def _told(self, node: int, *move: int) -> Iterator[None]:
        """What goes wrong is told with where that was: at a state, or after a move from there."""
        try:
            with rules_at_work(self._game):
                yield
        except BadInput as error:
            raise BadInput(f"{str(error).removesuffix('.')} (seen {self._where(node, *move)}).") from error

    def _where(self, node: int, *move: int) -> str:
        """The moves that lead somewhere and, at a decision, what is seen there."""
        walk, seen, words = self._walk, "", list[str]()
        with suppress(Exception):  # what is wrong may be the label
            if not move and walk.actor[node] != CHANCE:
                seen = f", at {self._game.label(walk.states[node], walk.actor[node])!r}"
        steps = [(node, *move)] if move else []
        while node >= 0:
            steps.append((walk.parent[node], walk.move[node]))
            node = walk.parent[node]
        for before, made in reversed(steps):
            if before >= 0:
                words.append(f"outcome {made}" if walk.actor[before] == CHANCE else self._game.actions[made])
        return (f"after {', '.join(words)}" if words else "at the start") + seen

    def _start(self) -> int:
        with self._told(-1, -1):
            state = self._game.start()
        return self._add(state, -1, -1, 1.0, (-1,) * self._game.players)

    def _add(self, state: Any, parent: int, move: int, chance: float, sequences: tuple[int, ...]) -> int:
        with self._told(parent, move):
            self._walk.add(state, parent, move, chance, sequences)
        self._depth.append(self._depth[parent] + 1 if parent >= 0 else 0)
        return len(self._depth) - 1

    def _following(self, node: int) -> list[tuple[Any, int, int, float, tuple[int, ...]]]:
        """All that may follow a state, as `_add` takes it, after a look at the state."""
        actor, state = self._walk.actor[node], self._walk.states[node]
        if actor == TERMINAL:
            return []
        with self._told(node):
            if actor != CHANCE:
                self._check_views(state)
            following = list(self._walk.after(node))
            if not all(chance > 0 for _, _, _, chance, _ in following):
                raise self._broken("has a chance move with an outcome of probability 0; leave that out")
            if actor != CHANCE:
                self._check_moves(state, actor)
        return following

    def _check_views(self, state: Any) -> None:
        for player in range(self._game.players):
            view = self._rules.view(state, player)
            try:
                hash(view)
            except TypeError as error:
                words = f"gives player {player + 1} the view {view!r}, which has no hash ({error})"
                raise self._broken(f"{words}; make views of tuples, numbers and words") from error

    def _check_moves(self, state: Any, actor: int) -> None:
        """Legal moves are told apart by their words, and no others can be made."""
        legal = list(self._rules.legal(state))
        words = [self._rules.spoken(state, move) for move in legal]
        if len(set(words)) != len(words):
            raise self._broken(f"calls two of player {actor + 1}'s moves alike, {words}; give each a word of its own")
        for move in sorted({-1, *range(len(self._game.actions) + 1)} - set(legal)):
            try:
                self._rules.play(state, move)
                answer = "plays on"
            except IllegalMove:
                continue
            except BadInput:
                raise
            except Exception as error:
                answer = f"raises {type(error).__name__}"
            raise self._broken(f"{answer} after the move {move}, where only {legal} are legal; raise IllegalMove")

    def _check_labels(self) -> None:
        seen: dict[tuple[int, str], Any] = {}
        for (player, view), number in self._walk.known.items():
            label, whose = self._walk.labels[number], f"of player {player + 1}"
            if not isinstance(label, str) or not label:
                raise self._broken(f"labels the view {view!r} {whose} with {label!r}; give words")
            other = seen.setdefault((player, label), view)
            if other != view:
                words = f"labels two views {whose} alike, {other!r} and {view!r} both {label!r}"
                raise self._broken(f"{words}; give each a label of its own")

    def _check_features(self) -> None:
        rows = self._walk.features
        sizes = {"None" if row is None else str(len(row)) for row in rows}
        if len(sizes) > 1:
            words = f"gives views different numbers of features, {' and '.join(sorted(sizes))}"
            raise self._broken(f"{words}; give all of them equally many")
        if sizes != {"None"} and not np.isfinite(np.array(rows, float)).all():
            raise self._broken("gives features that are not finite; give numbers")


@final
class _Watched:
    """The rules of a game, refused when a question leaves the state that it is about other than it was."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game

    def __getattr__(self, question: str) -> Any:
        answer = getattr(self._game, question)
        if question in {"name", "players", "actions"}:
            return answer

        def ask(state: Any, *about: Any) -> Any:
            before = self._now(question, state)
            try:
                return answer(state, *about)
            finally:
                if self._now(question, state) != before:
                    words = f"changes the state that {question} is asked about"
                    raise BadInput(f"{self._game.name} {words}; leave it as it is, and let play return another.")

        return ask

    def _now(self, question: str, state: Any) -> Any:
        """All that a state holds and, around the questions that rules may take for orders, what they say of it."""
        told = held(state)
        if question in {"play", "chance", "payoffs"}:
            game, actor = self._game, self._game.actor(state)
            views = [game.view(state, player) for player in range(game.players if actor >= 0 else 0)]
            rest = game.payoffs(state) if actor == TERMINAL else game.legal(state) if actor >= 0 else ()
            told += held([actor, rest, views])
        return told
