"""Players by name, seated at one game: runs, agents that come with Feint, and whoever else declares itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from feint.forms.form import Form
from feint.forms.library import form_of
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.library import load_game
from feint.games.names import declared, parse
from feint.players.player import Player, PlayerConfig, StrategyPlayer, TaughtConfig
from feint.runs.agents import PREFIX, agents
from feint.runs.config import configured
from feint.runs.files import is_there
from feint.runs.run import Run, load_run


@final
@dataclass(frozen=True)
class LineUp:
    """Players at a game."""

    form: Form
    players: tuple[Player, ...]
    names: tuple[str, ...]
    """What they go by at a table."""
    runs: Mapping[str, Run]
    """Those of them that are runs, or that one of them learned against, by name."""


def players() -> dict[str, PlayerConfig]:
    """Every player that is no run, by the name users call it."""
    return declared("PLAYERS", "feint.players", "feint.runs")


def line_up(
    names: tuple[str, ...],
    game: str | Game[Any] | None = None,
    seed: int | None = None,
    others: Mapping[str, PlayerConfig] | None = None,
    trust: bool = False,
) -> LineUp:
    """Players by name at the game that their runs are for, or at the one given; `others` are known here besides.

    Rules that come with a run are started only if they are trusted: see `load_run`.
    """
    known, called = players() | dict(others or {}), dict[str, PlayerConfig]()
    needed = list(names)
    for name in needed:  # which grow by whom they learn against
        if found := _called(name, known):
            called[name] = found
            needed += [found.against] if isinstance(found, TaughtConfig) and found.against else []
    chosen = load_game(game) if isinstance(game, str) else game
    runs = {name: load_run(name, chosen, trust) for name in dict.fromkeys(needed) if name not in called}
    wanted = {run.config.fingerprint: run.config.game for run in runs.values()}
    if len(wanted) > 1:
        raise BadInput(f"These are for different games ({', '.join(wanted.values())}); choose players of one game.")
    form = next(iter(runs.values())).form if runs else form_of(chosen) if chosen else None
    if form is None:
        nobody = f"Neither {' nor '.join(names)} says" if len(names) > 1 else f"{names[0]} does not say"
        raise BadInput(f"{nobody} which game to play; name it with --game.")
    return LineUp(
        form,
        tuple(_seated(name, called, runs, form, _seed(seed, number)) for number, name in enumerate(names)),
        tuple(called[name].called or name if name in called else _run_name(name) for name in names),
        runs,
    )


def _seated(
    name: str, called: Mapping[str, PlayerConfig], runs: Mapping[str, Run], form: Form, seed: int | None
) -> Player:
    """The player of this name at the table, and before that at another one if it is to learn there."""
    if name in runs:
        return StrategyPlayer(runs[name].strategy, form, seed)
    config = called[name]
    if isinstance(config, TaughtConfig) and config.against:
        return config.after(form, _seated(config.against, called, runs, form, seed))
    return config.at(form, seed)


def _run_name(name: str) -> str:
    return name if name.startswith(PREFIX) else Path(name).resolve().name


def _seed(seed: int | None, number: int) -> int | None:
    """A seed for each player, apart from the table's."""
    return None if seed is None else seed + 1 + number


def _is_run(name: str) -> bool:
    return name.startswith(PREFIX) or (is_there(Path(name)) and Path(name).is_dir())


def _called(name: str, known: Mapping[str, PlayerConfig]) -> PlayerConfig | None:
    """The player that goes by this name, with the settings it is called with; None for runs."""
    if _is_run(name):
        return None
    word, settings = parse(name, "player", "random or always(move=raise)")
    if word not in known:
        choices = ", ".join([*known, *agents()])
        raise BadInput(f"There is no player called {word[:60]!r}; give a run's folder, or one of {choices}.")
    return configured(word, known[word], settings)
