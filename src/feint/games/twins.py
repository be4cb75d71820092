"""A game and the same game in OpenSpiel, walked side by side: which situations and which moves are the same.

An OpenSpiel game is its own twin. Of our own games those have one that OpenSpiel plays by the same rules; there chance
outcomes and moves correspond in order. All of it is compared on the way, payoffs too: what differs is refused.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, final

from feint.games.errors import BadInput
from feint.games.game import CHANCE, TERMINAL, Game
from feint.games.open_spiel import PREFIX, OpenSpielGame

TWINS = {
    "kuhn": "kuhn_poker",
    "kuhn(players=3)": "kuhn_poker(players=3)",
    "kuhn(players=4)": "kuhn_poker(players=4)",
    "kuhn(players=5)": "kuhn_poker(players=5)",
    "leduc": "leduc_poker(suit_isomorphism=True)",
    "leduc(suits=True)": "leduc_poker",
    "leduc(players=3)": "leduc_poker(players=3,suit_isomorphism=True)",
    "rock_paper_scissors": "turn_based_simultaneous_game(game=matrix_rps())",
    "matching_pennies": "turn_based_simultaneous_game(game=matrix_mp())",
}
"""Games of ours that OpenSpiel has, too."""
LARGEST = 3_000_000
"""States that are walked, at most: what is unrolled whole."""
NEAR = 1e-9


@final
@dataclass(frozen=True)
class Situation:
    """What a player to move may be in, by both rules."""

    player: int
    state: Any
    """One of our states in which the player knows this."""
    name: str
    """OpenSpiel's information state string."""
    moves: dict[int, int]
    """OpenSpiel's number of each legal move, by ours."""
    histories: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)
    """Everything that may have happened, as OpenSpiel has it, with how likely chance makes it."""


@final
@dataclass(frozen=True)
class Twin:
    """A game, the same in OpenSpiel, and all situations of both."""

    game: Game[Any]
    source: Any
    """OpenSpiel's game."""
    situations: dict[tuple[int, Hashable], Situation]
    """By player and view, as our rules have it …"""
    named: dict[tuple[int, str], Situation]
    """… and by player and information state string, as OpenSpiel has it."""


def twin_of(game: Game[Any], name: str | None = None) -> Twin:
    """A game beside its twin in OpenSpiel: by the `name` that it has there, where we do not know it ourselves."""
    if isinstance(game, OpenSpielGame):
        return _side_by_side(game, game.source)
    text = name or twin_name(game)
    return _side_by_side(game, OpenSpielGame(text.removeprefix(PREFIX)).source)


def twin_name(game: Game[Any]) -> str:
    """What a game is called in OpenSpiel, as far as we know ourselves."""
    text = game.name if isinstance(game, OpenSpielGame) else TWINS.get(game.name)
    if text is None:
        known = ", ".join(TWINS)
        raise BadInput(
            f"{game.name} is not known to be in OpenSpiel; name the game it is there, or choose from {known} and "
            f"{PREFIX} games."
        )
    return text


def _side_by_side(game: Game[Any], source: Any) -> Twin:
    situations: dict[tuple[int, Hashable], Situation] = {}
    named: dict[tuple[int, str], Situation] = {}
    stack, walked = [(game.start(), source.new_initial_state(), 1.0)], 0
    while stack:
        ours, theirs, chance = stack.pop()
        walked += 1
        if walked > LARGEST:
            raise BadInput(f"{game.name} has more than {LARGEST:,} states, too many to be compared; choose a smaller.")
        actor = game.actor(ours)
        kind = TERMINAL if theirs.is_terminal() else CHANCE if theirs.is_chance_node() else theirs.current_player()
        _same(game, source, actor == kind)
        if actor == TERMINAL:
            _same(game, source, _near(game.payoffs(ours), theirs.returns()))
        elif actor == CHANCE:
            outcomes, drawn = theirs.chance_outcomes(), game.chance(ours)
            _same(game, source, _near([one for one, _ in drawn], [one for _, one in outcomes]))
            stack += [
                (after, theirs.child(outcome), chance * one)
                for (one, after), (outcome, _) in zip(drawn, outcomes, strict=True)
            ]
        else:
            moves, numbers = list(game.legal(ours)), theirs.legal_actions()
            _same(game, source, len(moves) == len(numbers))
            key, name = (actor, game.view(ours, actor)), theirs.information_state_string(actor)
            made = Situation(actor, ours, name, dict(zip(moves, numbers, strict=True)))
            here = situations.setdefault(key, made)
            _same(game, source, (here.name, here.moves) == (name, made.moves))
            _same(game, source, named.setdefault((actor, name), here) is here)
            here.histories.append((chance, tuple(theirs.history())))
            stack += [(game.play(ours, move), theirs.child(number), chance) for move, number in here.moves.items()]
    return Twin(game, source, situations, named)


def _same(game: Game[Any], source: Any, fine: bool) -> None:
    if not fine:
        raise BadInput(f"{game.name} is not the same game as OpenSpiel's {source}; name the one that it is.")


def _near(ours: Any, theirs: Any) -> bool:
    return len(ours) == len(theirs) and all(
        math.isclose(one, other, rel_tol=NEAR, abs_tol=NEAR) for one, other in zip(ours, theirs, strict=True)
    )
