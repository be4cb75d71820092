"""Leagues: everyone against everyone, played out of the way of whoever asked, and hands of them to watch."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import final

from feint.evaluate.league import round_robin
from feint.evaluate.match import Match
from feint.evaluate.measure import Measure
from feint.forms.form import Form
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput
from feint.players.player import Player, StrategyPlayer
from feint.studio.index import Index, NotHere
from feint.studio.thinkers import Gone, Thinker, Thinkers
from feint.studio.visit import Late
from feint.studio.watched import Seat, Watched, watch

MOST_PLAYERS = 8
MOST_HANDS = 200_000
"""In each match."""
BY_HAND = 400
"""In matches of somebody who decides hand by hand, at most: thousands of them would take too long."""
MOST_KEPT = 16
MOST_WAITING = 4
"""Leagues that are being played or wait for that."""


@final
@dataclass
class League:
    """A league, on its way or played."""

    name: str
    game: str
    asked: tuple[str, ...]
    hands: int
    seed: int
    doing: str = "waiting for another league to end"
    """What goes on, in words; nothing when it is over."""
    done: int = 0
    """Pairs that have met."""
    failed: str | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    """Who could not take part, and why."""
    form: Form | None = None
    players: dict[str, Player] = field(default_factory=dict)
    won: dict[tuple[str, str], Measure] = field(default_factory=dict)
    """What the first wins off the second, in chips per hand and the mean over seats."""
    exploitability: dict[str, float] = field(default_factory=dict)
    """Of those of whom it is soon known, in chips per hand: exact."""
    again: dict[str, Seat] = field(default_factory=dict)
    """How each of them sits down once more, for whoever watches a hand."""

    @property
    def over(self) -> bool:
        return not self.doing

    @property
    def pairs(self) -> int:
        """How many meet."""
        number = len(self.asked) - len(self.left_out)
        return number * (number - 1) // 2

    @property
    def names(self) -> list[str]:
        """Who takes part."""
        return list(self.players)

    def thinks(self, name: str) -> bool:
        """Whether somebody who takes part may think for long about a hand."""
        return isinstance(self.players.get(name), Thinker)

    def hand(self, first: str, second: str, number: int) -> Watched:
        """A hand between two of its players, played for whoever watches; the same number is the same hand."""
        if self.form is None or first not in self.players or second not in self.players:
            raise NotHere("There is no such player in this league; choose two of those in its table.")
        seats = self.again[first], self.again[second]
        try:
            return watch(self.form, (first, second), seats, self.seed, number)
        except Gone as error:
            raise Gone(f"The hand was broken off ({error}); watch it again.") from error


class _Closing(Exception):
    """The studio closes while a league is played."""


@final
class Leagues:
    """All of them, a bounded number, played one after another."""

    def __init__(self, thinkers: Thinkers) -> None:
        self._thinkers, self._pool = thinkers, ThreadPoolExecutor(1, "league")
        self._lock, self._closed = threading.Lock(), False
        self._known: dict[str, League] = {}

    def start(self, index: Index, game: str, players: Sequence[str], hands: int, seed: int = 0) -> League:
        """Have a league played; names are checked at once, the rest takes its time."""
        if len(set(players)) != len(players) or not 2 <= len(players) <= MOST_PLAYERS:
            raise BadInput(f"A league is of 2 to {MOST_PLAYERS} different players, but {len(players)} were given.")
        for player in players:
            _check_plays(index, player, game)
        league = League(secrets.token_urlsafe(9), game, tuple(players), hands, seed)
        with self._lock:
            if sum(not each.over for each in self._known.values()) >= MOST_WAITING:
                raise Late(f"{MOST_WAITING} leagues are being played or wait; look at them first.")
            over = [name for name, each in self._known.items() if each.over]
            for old in over[: max(0, len(self._known) - MOST_KEPT + 1)]:
                del self._known[old]
            self._known[league.name] = league
            self._pool.submit(self._play, index, league)
        return league

    def find(self, name: str) -> League:
        league = self._known.get(name)
        if league is None:
            raise NotHere("There is no such league, or it is long ago; play another one.")
        return league

    def every(self) -> list[League]:
        """Those that are remembered, the newest first."""
        return list(reversed(self._known.values()))

    def close(self) -> None:
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _play(self, index: Index, league: League) -> None:
        try:
            self._seat(index, league)
            self._meet(league)
        except _Closing:
            league.failed = "The studio was closed before it was over."
        except BadInput as error:
            league.failed = str(error)
        except Gone as error:
            league.failed = f"The league was broken off ({error}); play it again."
        except Exception as error:  # a player that fails must not leave a page waiting for ever
            league.failed = f"The league cannot be played ({type(error).__name__}: {error}); choose other players."
        finally:
            for player in league.players.values():
                player.close()
            league.doing = ""

    def _seat(self, index: Index, league: League) -> None:
        league.doing = f"{league.game} is being unrolled"
        league.form = index.form(league.game)
        for name in league.asked:
            league.doing = f"{name} is sitting down"
            self._check_open()
            try:
                league.players[name], league.again[name] = self._seated(index, name, league, league.form)
            except (BadInput, Gone) as error:
                league.left_out[name] = str(error)
        if len(league.players) < 2:
            reasons = " ".join(league.left_out.values())
            raise BadInput(f"Fewer than two of these players can sit down. {reasons}")

    def _seated(self, index: Index, name: str, league: League, form: Form) -> tuple[Player, Seat]:
        """A player, and how it sits down once more; those who think do so where they hold up nobody."""
        if name in index.folders():
            return _keeping_to(index.run(name).strategy, form)
        config = index.players()[name]
        if not config.thinks:
            player = config.at(form, league.seed)
            if player.strategy is not None:
                return _keeping_to(player.strategy, form)
            return player, partial(config.at, form)
        if league.game not in index.trainable():
            raise BadInput(f"{name} thinks in a process that starts no rules of somebody's own, as {league.game} has.")
        thinker = self._thinkers.player(name, league.game, league.seed)
        league.doing = f"{name} is asked what it does everywhere"
        try:
            written = thinker.written()
        except (BadInput, Gone) as error:
            thinker.close()
            raise BadInput(f"{name} could not say what it does ({error}); play the league again.") from error
        if written is not None:
            thinker.close()
            return _keeping_to(written, form)
        return thinker, partial(self._thinkers.player, name, league.game)

    def _meet(self, league: League) -> None:
        assert league.form is not None

        def told(one: str, two: str, so_far: Match | None) -> None:
            self._check_open()
            won = so_far.winnings if so_far else None
            hands = f", {won.hands:,} of {won.asked or won.hands:,} hands" if won else ""
            league.doing = f"{one} against {two}{hands}"

        for pair in round_robin(league.form, league.players, league.hands, league.seed, told, BY_HAND):
            league.won |= pair
            league.done += 1
        league.exploitability = _exploitability(league.form, league.players)

    def _check_open(self) -> None:
        if self._closed:
            raise _Closing


def _check_plays(index: Index, player: str, game: str) -> None:
    """Refuse who is nobody, or plays another game."""
    if player in index.folders():
        plays = index.one(player).config.game
        if plays != game:
            raise BadInput(f"{player} plays {plays}, but {game[:60]} was asked for; choose another one.")
        index.finished(player)
    elif player not in index.players():
        raise NotHere(f"There is no player called {player[:60]!r}; choose one from the list.")
    if game not in index.games() and all(each.config.game != game for each in index.listed()):
        raise NotHere(f"There is no game called {game[:60]!r}; choose one from the list.")


def _exploitability(form: Form, players: Mapping[str, Player]) -> dict[str, float]:
    """How far from an equilibrium those are who keep to a strategy, where games are unrolled; else it takes long."""
    if form.tree is None:
        return {}
    strategies = {name: player.strategy for name, player in players.items()}
    gaps = {name: form.nash_conv(strategy) for name, strategy in strategies.items() if strategy is not None}
    return {name: gap / form.players for name, gap in gaps.items() if gap is not None}


def _keeping_to(strategy: Strategy, form: Form) -> tuple[Player, Seat]:
    """Whoever plays a strategy."""
    return StrategyPlayer(strategy, form), partial(StrategyPlayer, strategy, form)
