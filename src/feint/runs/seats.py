"""Players by name, seated at one game: runs, agents that come with Feint, and those that everybody should beat."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

import jax.numpy as jnp

from feint.arena.arena import Arena
from feint.arena.betting import Playground, playground
from feint.arena.cards import build_card_arena
from feint.arena.policy import Always, PlayedStrategy, Policy, Table, Uniform
from feint.arena.tables import build_arena
from feint.games.errors import BadInput
from feint.games.library import load_game
from feint.games.poker import CALL, FOLD, RAISE
from feint.runs.agents import PREFIX, agents
from feint.runs.folder import Run, load_run
from feint.tree.strategy import tabulate
from feint.tree.tree import Tree

SIMPLE = {"random": None, "fold": FOLD, "call": CALL, "raise": RAISE}
"""Players that need no training: moves at random, or always the same one (a call where that is not legal)."""


@final
@dataclass(frozen=True)
class Seated:
    """Players at a table."""

    ground: Playground
    arena: Arena
    policies: tuple[Policy, ...]
    big_blind: float
    """What winnings are measured in: the big blind in poker, and 1 elsewhere."""


def seat(names: tuple[str, ...], game: str | None = None) -> Seated:
    """Players by name at the game that their runs are for, or at the one given."""
    for name in names:
        if name not in SIMPLE and not name.startswith(PREFIX) and not Path(name).is_dir():
            known = ", ".join([*SIMPLE, *agents()])
            raise BadInput(f"There is no player called {name[:60]!r}; give a run's folder, or one of {known}.")
    runs = {name: load_run(name) for name in names if name not in SIMPLE}
    wanted = {run.config.game: name for name, run in runs.items()} | ({load_game(game).name: "--game"} if game else {})
    if not wanted:
        nobody = f"Neither {' nor '.join(names)} says" if len(names) > 1 else f"{names[0]} does not say"
        raise BadInput(f"{nobody} which game to play; name it with --game.")
    if len(wanted) > 1:
        raise BadInput(f"These are for different games ({', '.join(wanted)}); choose players of one game.")
    rules = load_game(next(iter(wanted)))
    ground = playground(rules)
    arena: Arena = build_arena(ground) if isinstance(ground, Tree) else build_card_arena(ground)
    policies = tuple(_policy(runs.get(player), player, ground, arena) for player in names)
    return Seated(ground, arena, policies, getattr(rules, "big_blind", 0.0) or 1.0)


def name_of(player: str) -> str:
    """What a player goes by at a table."""
    if player in SIMPLE:
        return player if SIMPLE[player] is None else f"always-{player}"
    return player if player.startswith(PREFIX) else Path(player).resolve().name


def _policy(run: Run | None, name: str, ground: Playground, arena: Arena) -> Policy:
    if run is None:
        move = SIMPLE[name]
        if move is not None and "call" not in ground.actions:
            raise BadInput(f"{name!r} is a player for poker, but {ground.name} is another game; use random.")
        return Uniform(arena) if move is None else Always(arena, move, CALL)
    if isinstance(run.strategy, PlayedStrategy):
        return run.strategy.policy
    assert isinstance(ground, Tree)
    return Table(jnp.asarray(tabulate(ground, run.strategy)))
