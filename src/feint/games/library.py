"""Games by name: `load_game("kuhn(players=3)")` finds the function `kuhn` in this folder and calls it.

A game joins the library by being a `@playable` function in a file of this folder: its name, parameters and
documentation are read from it. A game of your own needs no place here: `load_game("my_game.py:my_game(size=3)")`
calls the function in your file.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import math
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from feint.games.errors import BadInput, nearest, told
from feint.games.game import Game
from feint.games.names import modules, parse
from feint.games.words import called_alike

LIKE = "kuhn or kuhn(players=3)"
DIGITS = 300
"""Of whole numbers that are given to games."""
G = TypeVar("G", bound=Game[Any])


def playable(make: Callable[..., G]) -> Callable[..., G]:
    """Put a function that returns a game into the library, and name its games by how they were asked for."""
    signature = inspect.signature(make)

    @functools.wraps(make)
    def named(**parameters: Any) -> G:
        unknown = sorted(set(parameters) - set(signature.parameters))
        if unknown:
            known = signature.parameters
            hint = nearest(unknown[0], known) if known else "it takes none."
            raise BadInput(f"{make.__name__} has no parameter called {unknown[0]!r}; {hint}")
        hints = typing.get_type_hints(make)
        given = {key: _fit(make.__name__, key, value, hints[key]) for key, value in parameters.items()}
        game = make(**given)
        changed = [
            f"{key}={_plain(value)}" for key, value in given.items() if value != signature.parameters[key].default
        ]
        return _called(game, make.__name__ + (f"({','.join(changed)})" if changed else ""), make)

    named.__playable__ = True  # type: ignore[attr-defined]
    return named


def _called(game: G, name: str, make: Callable[..., Any]) -> G:
    """A game with the name that it was asked for by, and with what is said where it is made."""
    said = inspect.cleandoc(make.__doc__ or "")
    object.__setattr__(game, "name", name)
    object.__setattr__(game, "about", "" if said.startswith(f"{make.__name__}(") else said)  # as dataclasses say it
    return game


def library() -> dict[str, Callable[..., Game[Any]]]:
    """Every playable function in this folder, by name."""
    return {
        name: make
        for module in modules("feint.games")
        for name, make in vars(module).items()
        if getattr(make, "__playable__", False) and make.__module__ == module.__name__
    }


def game_of(game: Game[Any] | str) -> Game[Any]:
    """A game as it is, or the one that `load_game` finds by its name."""
    if isinstance(game, str):
        return load_game(game)
    if not isinstance(game, Game):
        raise BadInput(f"A game is a feint.Game or a name such as 'leduc', but {game!r} was given.")
    return game


def load_game(text: str) -> Game[Any]:
    """The game called `text`.

    `kuhn`, `leduc(players=3)`, `matrix(payoffs=[[1,-1],[-1,1]])`, `open_spiel:liars_dice(numdice=1)`, or a function
    in a file of your own: `my_game.py:my_game(size=3)`.
    """
    from feint.games.open_spiel import PREFIX, OpenSpielGame

    text = text.strip()
    if text.startswith(PREFIX):
        return OpenSpielGame(text.removeprefix(PREFIX))
    file, _, call = text.rpartition(".py:")
    if file:
        return _from_file(Path(file + ".py"), call)
    if text.endswith((".py", ".py:")):
        path = Path(text.rstrip(":"))
        like = (f"{path}:{name}" for name in [*_defined(path), "my_game"])
        raise BadInput(f"{text!r} does not say which game of that file; write it like {next(like)}.")
    name, parameters = parse(text, "game", LIKE)
    known = library()
    if name not in known:
        raise BadInput(f"There is no game called {name!r}; {nearest(name, known)}")
    return known[name](**parameters)


def within(game: str, parameter: str, value: int, least: int, most: int) -> None:
    """Refuse a parameter outside its range, in a sentence."""
    if not least <= value <= most:
        raise BadInput(f"{game} takes {parameter} from {least} to {most}, but {parameter}={value} was given.")


def pot_fractions(game: str, bets: tuple[float, ...]) -> tuple[float, ...]:
    """Refuse bet sizes that are no fractions of a pot, in a sentence."""
    sizes = all(isinstance(size, int | float) and 0 < size < math.inf for size in bets)
    if not bets or not sizes or list(bets) != sorted(set(bets)):
        raise BadInput(f"{game} needs bets as ascending fractions of the pot such as (0.5, 1), got {bets}.")
    if alike := called_alike(bets):
        raise BadInput(f"{game} has several bets called {alike}, since they hardly differ; leave all but one out.")
    return bets


def _defined(path: Path) -> list[str]:
    """Classes, then functions, that a file of one's own defines; it is read for that, and not run."""
    try:
        parts = ast.parse(path.read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return []
    kinds = (ast.ClassDef, ast.FunctionDef)
    return [part.name for kind in kinds for part in parts if isinstance(part, kind) and not part.name.startswith("_")]


def _from_file(path: Path, call: str) -> Game[Any]:
    """The game made by a function or class in a user's own file."""
    name, parameters = parse(call, "game", LIKE)
    try:
        found = path.is_file()
    except OSError:  # no file can have that name
        found = False
    if not found:
        raise BadInput(f"There is no file {path} to take the game {name!r} from; check the path.")
    module = _import_file(path)
    make = getattr(module, name, None)
    if not callable(make):
        public = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise BadInput(f"{path} has no function or class called {name!r}; {nearest(name, public)}")
    try:
        game = make(**parameters)
    except BadInput:
        raise
    except Exception as error:
        raise BadInput(f"{path}:{call} cannot be made ({told(error, path)}); check its parameters.") from error
    if not isinstance(game, Game):
        mend = f"write class {make.__name__}(feint.Game)" if isinstance(make, type) else "return a game from it"
        raise BadInput(f"{path}:{call} gave a {type(game).__name__}, not a feint.Game; {mend}.")
    return _called(game, f"{path}:{call}", make)


def _import_file(path: Path) -> ModuleType:
    """A user's file as a module. It may import its neighbours, which nobody else gets to see."""
    name = f"feint_user_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    before, folder = set(sys.modules), path.resolve().parent
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BadInput(f"{path} cannot be read ({told(error, path)}); mend it first.") from error
    finally:
        sys.path.remove(str(folder))
        for other in set(sys.modules) - before:  # another game's neighbours may have the same names
            if Path(getattr(sys.modules[other], "__file__", None) or "/") in neighbours(folder, other):
                del sys.modules[other]
    return module


def neighbours(folder: Path, name: str) -> tuple[Path, Path]:
    """Where an import of this name is looked for beside a user's file: a file or a package."""
    at = folder.joinpath(*name.split("."))
    return at.with_name(at.name + ".py"), at / "__init__.py"


def _fit(game: str, key: str, value: Any, wanted: Any) -> Any:
    """The value as the parameter's type: whole numbers pass for floats, lists for tuples, nothing else."""
    if _endless(value):
        raise BadInput(
            f"{game} takes {key} in numbers of up to {DIGITS} digits, but more were given; give a smaller one."
        )
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list):
        value = frozen(value)
    plain = wanted if isinstance(wanted, type) else None
    if plain is not None and type(value) is not plain:
        raise BadInput(f"{game} takes {key} as {plain.__name__}, but {key}={value!r} was given.")
    if plain is None and not isinstance(value, tuple):
        raise BadInput(f"{game} takes {key} as a list of numbers, but {key}={value!r} was given.")
    return value


def _endless(value: Any) -> bool:
    """Whether there is a whole number in it that no float holds, and that Python may not even print."""
    if isinstance(value, list | tuple):
        return any(map(_endless, value))
    return isinstance(value, int) and abs(value) >= 10**DIGITS


def frozen(value: Any) -> Any:
    """The value with tuples for its lists."""
    return tuple(frozen(item) for item in value) if isinstance(value, list | tuple) else value


def _plain(value: Any) -> str:
    """A parameter's value as the name of a game spells it."""
    return repr(value).replace(" ", "")
