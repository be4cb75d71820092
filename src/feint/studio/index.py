"""What the studio knows by name: agents, runs, players and games. Names are looked up, and never joined to paths."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, final

import numpy as np

from feint.evaluate.measure import Measure
from feint.forms.form import Form
from feint.forms.library import form_of
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.library import library, load_game
from feint.players.player import Adviser, Player, PlayerConfig, StrategyPlayer
from feint.players.telling import Worth
from feint.runs.agents import agents
from feint.runs.config import RunConfig
from feint.runs.files import BOUND, CONFIG, METRICS, PROVENANCE, Row
from feint.runs.lineup import players
from feint.runs.run import Run, bound_of, config_of, load_run, metrics_of
from feint.runs.summary import band, headline, length, of_strategy
from feint.studio.thinkers import Thinkers

MOST_LOADED = 8
"""Runs and games that are held ready at once."""
T = TypeVar("T")


@final
class NotHere(LookupError):
    """There is nothing of this name. The message is a sentence."""


@final
@dataclass(frozen=True)
class Listed:
    """A run or an agent, as far as its small files tell."""

    key: str
    """What it goes by in the studio."""
    path: Path
    config: RunConfig
    metrics: list[Row]
    bound: Measure | None
    finished: bool

    @property
    def how_good(self) -> str:
        """The number that matters, with its unit and kind."""
        if not self.metrics:
            return "not judged yet"
        last = self.metrics[-1]
        words = f"{' '.join(headline(of_strategy(last), self.bound))}{band(last)}"
        return words if self.finished else f"{words}; not finished, {length(last)}"


@final
class Opponent:
    """A player at a game, ready to sit down at any number of tables."""

    def __init__(
        self,
        name: str,
        form: Form,
        make: Callable[[], Player],
        strategy: Strategy | None,
        adviser: Adviser | None = None,
    ) -> None:
        """Where there is no strategy, `adviser` says what the player does, if anybody can."""
        self.name, self.form, self._make, self.strategy, self._adviser = name, form, make, strategy, adviser

    def player(self) -> Player:
        """A player for one more table."""
        return self._make()

    @cached_property
    def adviser(self) -> Adviser | None:
        """Whom to ask what it would do."""
        return StrategyPlayer(self.strategy, self.form) if self.strategy else self._adviser

    @cached_property
    def worth(self) -> Worth | None:
        """What moves win against it, where that is known."""
        return self.form.move_values(self.strategy) if self.strategy else None

    @cached_property
    def best(self) -> tuple[float, ...] | None:
        """What each seat can win against it at most, in chips per hand, where that is soon known."""
        if self.strategy is None or self.form.tree is None:
            return None
        judged = self.form.judged(self.strategy, 0)
        return None if judged is None else tuple(np.asarray(judged.best).tolist())


@final
class Index:
    """Finds things by name, and holds those ready that were asked for last."""

    def __init__(self, runs: Path, thinkers: Thinkers) -> None:
        self.runs, self._thinkers = runs, thinkers
        self._ready: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._small: dict[str, tuple[tuple[int, ...], Listed | None]] = {}
        self._lock = threading.Lock()

    def folders(self) -> dict[str, Path]:
        """Every agent and run, by name."""
        own = sorted(self.runs.glob(f"*/{CONFIG}")) if self.runs.is_dir() else []
        return agents() | {path.parent.name: path.parent for path in own}

    def listed(self) -> list[Listed]:
        """All of them that can be read, agents first."""
        found = (self._told(key, path) for key, path in self.folders().items())
        return [each for each in found if each is not None]

    def one(self, key: str) -> Listed:
        """One of them by name."""
        folder = self.folders().get(key)
        told = None if folder is None else self._told(key, folder)
        if told is None:
            raise NotHere(f"There is no run and no agent called {key[:60]!r}; choose one from the list.")
        return told

    def finished(self, key: str) -> Listed:
        """One that has come to its end."""
        listed = self.one(key)
        if not listed.finished:
            raise BadInput(f"{key} is not finished yet; wait for it, or stop it.")
        return listed

    def run(self, key: str) -> Run:
        """A finished run or an agent, with its strategy."""
        listed = self.finished(key)
        mark = changed(listed.path / PROVENANCE)
        return self.ready(("run", key, mark), lambda: load_run(key if key in agents() else listed.path))

    def games(self) -> dict[str, str]:
        """The games there are, with a line about each."""
        known = {name: (make.__doc__ or "").strip().partition("\n")[0] for name, make in library().items()}
        return {name: about for name, about in known.items() if not about.startswith(f"{name}(")}

    def players(self) -> Mapping[str, PlayerConfig]:
        """Those who need no run, and no port to connect to, by name."""
        return {name: config for name, config in players().items() if not config.remote}

    def opponents(self, game: str) -> list[str]:
        """Who can sit down at a game."""
        trained = [each.key for each in self.listed() if each.config.game == game and each.finished]
        own = game.partition("(")[0] not in library() and game not in self.trainable()
        if own:  # rules of somebody's own, which are not read to make a list
            return [*trained, *(name for name, config in self.players().items() if not config.thinks)]
        rules = load_game(game)
        return [*trained, *(name for name, config in self.players().items() if _plays(config, rules))]

    def trainable(self) -> dict[str, str]:
        """The games there are to train on, with a line about each: the library's, and others that runs are for.

        Rules may be somebody's own program. The studio starts none but those of finished runs that it may trust.
        """
        runs = {each.config.game for each in self.listed() if not (each.config.rules or ".py:" in each.config.game)}
        games = self.games()
        return games | {game: "" for game in runs if game not in games}

    def check_trainable(self, game: str) -> None:
        """Refuse games that are not among these."""
        if game in self.trainable():
            return
        if any(each.config.game == game for each in self.listed()):
            raise BadInput(
                f"{game[:80]} has rules of somebody's own, which pages start no programs for; use feint train."
            )
        raise NotHere(f"There is no game called {game[:60]!r}; choose one from the list.")

    def form(self, game: str) -> Form:
        """A game in its form: the library's, or one that a run is for, whose rules are then trusted or refused."""
        if game not in self.games():
            for each in self.listed():
                if each.config.game == game and each.finished:
                    return self.run(each.key).form
            self.check_trainable(game)
        return self.ready(("form", game), lambda: form_of(game))

    def opponent(self, key: str, game: str | None = None) -> Opponent:
        """A player by name, at the game that it is for or at the one given."""
        if key in self.folders():
            run = self.run(key)
            if game is not None and run.config.game != game:
                raise BadInput(f"{key} plays {run.config.game}, but {game} was asked for; choose another opponent.")
            made = Opponent(key, run.form, lambda: StrategyPlayer(run.strategy, run.form), run.strategy)
            return self.ready(("opponent", id(run)), lambda: made)
        config = self.players().get(key)
        if config is None:
            raise NotHere(f"There is no player called {key[:60]!r}; choose one from the list.")
        if game is None:
            raise BadInput(f"{key} plays many games; say which.")
        if config.thinks and game not in self.trainable():
            raise BadInput(f"{key} thinks in a process that starts no rules of somebody's own, as {game} has.")
        form, called = self.form(game), config.called or key
        if config.thinks:
            # It could write down what it does everywhere, but that takes minutes.
            return Opponent(called, form, lambda: self._thinkers.player(key, game), None)

        def seated() -> Opponent:
            first = config.at(form, None)
            strategy = first.strategy if isinstance(first, StrategyPlayer) else None
            adviser = first if isinstance(first, Adviser) else None
            return Opponent(called, form, lambda: config.at(form, None), strategy, adviser)

        return self.ready(("opponent", key, game), seated)

    def ready(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is ready under a key, made if it is not; while one waits for it others go on."""
        with self._lock:
            if key in self._ready:
                self._ready.move_to_end(key)
                return self._ready[key]  # type: ignore[no-any-return]  # as it was made
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._ready:
                    return self._ready[key]  # type: ignore[no-any-return]
            try:
                made = make()
                with self._lock:
                    self._ready[key] = made
                    while len(self._ready) > MOST_LOADED:
                        self._ready.popitem(last=False)
                return made
            finally:
                with self._lock:
                    self._making.pop(key, None)

    def _told(self, key: str, path: Path) -> Listed | None:
        """A run by its small files; None where it is damaged, which must not hide the others."""
        mark = tuple(changed(path / name) for name in (CONFIG, METRICS, PROVENANCE, BOUND))

        def read() -> Listed | None:
            try:
                finished = (path / PROVENANCE).is_file()
                bound = bound_of(path) if finished else None  # it is for a strategy, which is gone while a run goes on
                return Listed(key, path, config_of(path), metrics_of(path), bound, finished)
            except ValueError:
                return None

        if key not in self._small or self._small[key][0] != mark:
            self._small[key] = mark, read()
        return self._small[key][1]


def _plays(config: PlayerConfig, rules: Game[Any]) -> bool:
    try:
        config.check(rules)
    except BadInput:
        return False
    return True


def changed(file: Path) -> int:
    """When a file was changed last, in nanoseconds; 0 where it is not there, or no more."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
