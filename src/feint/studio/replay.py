"""Hands that were played to their end, stepped through again by the rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

from feint.games.cards import Cards
from feint.games.errors import BadInput, IllegalMove
from feint.games.game import CHANCE, TERMINAL, Game
from feint.games.library import library, load_game
from feint.games.phh import check_game, to_phh
from feint.games.poker import Poker
from feint.players.table import observation
from feint.studio.archive import Kept
from feint.studio.felt import Sitter
from feint.studio.visit import Finished


@final
@dataclass(frozen=True)
class Replay:
    """A hand, state by state."""

    hand: Finished
    game: Game[Any]
    states: tuple[Any, ...]
    """After the deal, and after each move with all that chance did then."""

    def called(self, player: int) -> str:
        """What a player goes by."""
        if player == self.hand.seat:
            return "you"
        return self.hand.opponent if self.game.players == 2 else f"{self.hand.opponent} (player {player + 1})"

    def made(self, step: int) -> list[str]:
        """The moves before a step, in words."""
        return [f"{self.called(each.player)}: {each.chose}" for each in self.hand.decisions[:step]]

    def seats(self, step: int, open_: bool) -> tuple[list[Sitter], tuple[str, ...]]:
        """Who holds what at a step, and the board: all cards, or those that the person saw then."""
        state, mine = self.states[step], self.hand.seat
        scenes = [self.game.scene(state, player) for player in range(self.game.players)]
        seen = {mine, *(self.game.revealed(state) if step == len(self.states) - 1 else ())}
        seats = [
            Sitter(
                self.called(player),
                scene.cards if open_ or player in seen else [None] * len(scene.cards),
                scene.paid[player],
                scene.left[player] if scene.left else None,
                player == mine,
            )
            for player, scene in enumerate(scenes)
            if scene is not None
        ]
        own = scenes[mine]
        return seats, own.board if own else ()

    def told(self, step: int) -> str:
        """What the person saw at a step, in words."""
        return observation(self.game, self.states[step], self.hand.seat).told


def replay(hand: Finished) -> Replay:
    """A hand from what is kept of it. One that the rules of now do not give is refused in a sentence."""
    game = _game(hand.game)
    try:
        states = _states(game, hand)
    except (IllegalMove, IndexError, StopIteration) as error:
        raise _changed(hand) from error
    last = states[-1]
    if game.actor(last) != TERMINAL or not _same(game.payoffs(last), hand.won) or not _same_words(game, states, hand):
        raise _changed(hand)
    return Replay(hand, game, tuple(states))


def _game(name: str) -> Game[Any]:
    """A game of the library by name; what comes from files of others is not run here."""
    if name.partition("(")[0] not in library():
        raise BadInput(f"{name} is not in the library of games, so that the hand cannot be replayed; have it as JSON.")
    return load_game(name)


def _states(game: Game[Any], hand: Finished) -> list[Any]:
    places, states = iter(hand.places), list[Any]()

    def dealt(state: Any) -> Any:
        while game.actor(state) == CHANCE:
            state = game.outcome(state, next(places))
        return state

    states.append(dealt(game.start()))
    for move in hand.moves:
        if game.actor(states[-1]) < 0 or move not in game.legal(states[-1]):
            raise IllegalMove("the rules have changed")
        states.append(dealt(game.play(states[-1], move)))
    if next(places, None) is not None:
        raise IllegalMove("the rules have changed")
    return states


def _same(won: Any, kept: tuple[float, ...]) -> bool:
    return len(won) == len(kept) and all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(won, kept, strict=True))


def _same_words(game: Game[Any], states: list[Any], hand: Finished) -> bool:
    """Whether players saw the same, as it was written down then; hands of old may have cards in another order."""
    return len(hand.decisions) == len(hand.moves) and all(
        game.actor(state) == told.player and sorted(game.label(state, told.player)) == sorted(told.sees)
        for state, told in zip(states[:-1], hand.decisions, strict=True)
    )


def _changed(hand: Finished) -> BadInput:
    return BadInput(
        f"The rules of {hand.game} are not those by which this hand was played, so that it cannot be replayed; have it "
        f"as JSON."
    )


def has_phh(game: Game[Any]) -> bool:
    """Whether a hand of this game can be had as PHH."""
    try:
        if isinstance(game, Poker):
            check_game(game)
            return True
    except BadInput:
        pass
    return False


def as_phh(kept: Kept) -> str:
    """A hand of hold'em as a PHH file."""
    replayed = replay(kept.hand)
    game, end = replayed.game, replayed.states[-1]
    if not isinstance(game, Poker):
        raise BadInput(f"PHH is for hold'em, which {game.name} is not; have the hand as JSON.")
    deals: list[Cards] = [*end.holes]
    start = 0
    for declared in game.rounds:
        if declared.board and start < len(end.board):
            deals.append(end.board[start : start + declared.board])
            start += declared.board
    players = [replayed.called(player) for player in (1, 0)]  # p1 is not the dealer
    about = {"hand": kept.number, "players": players, "_game": game.name, "_played": kept.played}
    return to_phh(game, deals, kept.hand.moves, about)
