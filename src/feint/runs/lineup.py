"""Players by name, seated at one game: runs, agents that come with Feint, and whoever else declares itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

from feint.forms.form import Form
from feint.forms.library import form_of
from feint.forms.strategy import Strategy
from feint.games.errors import BadInput, nearest
from feint.games.game import Game
from feint.games.library import load_game
from feint.games.names import declared, parse
from feint.players.player import Player, PlayerConfig, StrategyPlayer, TaughtConfig
from feint.runs.agents import PREFIX, agents
from feint.runs.config import configured
from feint.runs.files import is_there
from feint.runs.run import Run, load_run, run_at

Who = Run | Strategy | Player | Path | str
"""A run, a strategy or a player as it is, a run's folder, or anybody's name."""


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
    whom: Sequence[Who],
    game: str | Game[Any] | None = None,
    seed: int | None = None,
    others: Mapping[str, PlayerConfig] | None = None,
    trust: bool = False,
) -> LineUp:
    """Players at the game that their runs are for, or at the one given; `others` are known here by name besides.

    Rules that come with a run are started only if they are trusted: see `load_run`.
    """
    chosen = load_game(game) if isinstance(game, str) else game
    known, called, runs = players() | dict(others or {}), dict[str, PlayerConfig](), dict[str, Run]()
    names = tuple(_known_as(each, number) for number, each in enumerate(whom))
    for name, each in zip(names, whom, strict=True):
        if isinstance(each, Run):  # as it is here: its folder may hold another by now
            runs[name] = each if chosen is None else run_at(each, chosen)
        elif isinstance(each, Path):
            runs[name] = load_run(each, chosen, trust)
        elif not isinstance(each, str):
            called[name] = _Given(each)
    needed = list(names)
    for name in needed:  # which grow by whom they learn against
        if name not in runs and name not in called and (found := _called(name, known)):
            called[name] = found
            needed += [found.against] if isinstance(found, TaughtConfig) and found.against else []
    runs |= {name: load_run(name, chosen, trust) for name in needed if name not in called and name not in runs}
    wanted = {run.config.fingerprint: run.config.game for run in runs.values()}
    if len(wanted) > 1:
        raise BadInput(f"These are for different games ({', '.join(wanted.values())}); choose players of one game.")
    form = next(iter(runs.values())).form if runs else form_of(chosen) if chosen else None
    if form is None:
        nobody = f"Neither {' nor '.join(names)} says" if len(names) > 1 else f"{names[0]} does not say"
        how = "with --game" if all(isinstance(each, str) for each in whom) else "as in game='kuhn'"
        raise BadInput(f"{nobody} which game to play; name it {how}.")
    return LineUp(
        form,
        tuple(_seated(name, called, runs, form, _seed(seed, number)) for number, name in enumerate(names)),
        tuple(
            called[name].called or name if name in called else _run_name(each.name if isinstance(each, Run) else name)
            for name, each in zip(names, whom, strict=True)
        ),
        runs,
    )


@final
@dataclass(frozen=True)
class _Given(PlayerConfig):
    """Somebody's own player, as it is; or a strategy, which is seated."""

    about: ClassVar[str] = "Somebody's own."
    who: Strategy | Player

    def at(self, form: Form, seed: int | None) -> Player:
        if isinstance(self.who, Player):
            return self.who
        if self.who.fingerprint != form.fingerprint:
            raise BadInput(f"This strategy is for another game than {form.name}; name the game that it was trained on.")
        return StrategyPlayer(self.who, form, seed)


def _known_as(who: Who, number: int) -> str:
    """A name for whoever is asked for; what has none of its own is told by its place among them."""
    if isinstance(who, str):
        return who
    if isinstance(who, Path):
        return str(who)
    if not isinstance(who, Run | Strategy | Player):
        raise BadInput(f"A player is a run, a strategy, a player or a name such as 'random', but {who!r} was given.")
    kind = "run" if isinstance(who, Run) else "player" if isinstance(who, Player) else "strategy"
    return f"{kind} {number + 1}"


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
        near = nearest(word, [*known, *agents()])
        raise BadInput(f"There is no player called {word[:60]!r} and no such folder of a run; {near}")
    return configured(word, known[word], settings)
