"""Rules of a user's own game inside a run: so it can be judged anywhere, and none of its code starts unasked."""

from __future__ import annotations

import ast
import hashlib
import inspect
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, final

from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.library import load_game, neighbours
from feint.games.names import parse
from feint.runs.files import RULES, append, write_whole
from feint.tree.cache import cache_folder

TRUSTED = "trusted"
"""In the cache: a digest a line, of rules that the user has named or trusted on this machine."""


@final
@dataclass(frozen=True)
class Rules:
    """The source of a game, as a run keeps it."""

    game: str
    """Which game of which file, such as `my_game.py:my_game(size=3)`."""
    files: Mapping[str, str]
    """SHA-256 of every file by its place in the run's `rules/`, that file's first."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr((self.game.partition(":")[0], sorted(self.files.items()))).encode()).hexdigest()


def source_of(game: Game[Any]) -> tuple[Rules, dict[str, bytes]] | None:
    """A user's own rules and their files' text; None for Feint's games, and where no file can make the same game.

    What the file imports from beside it belongs to it.
    """
    origin = _origin(game)
    if origin is None:
        return None
    path, call = origin
    texts = {str(file.relative_to(path.parent)): file.read_bytes() for file in _with_neighbours(path)}
    files = {name: hashlib.sha256(text).hexdigest() for name, text in texts.items()}
    return Rules(f"{path.name}:{call}", files), texts


def write_rules(folder: Path, texts: Mapping[str, bytes]) -> None:
    """Keep the files in a run's folder."""
    for name, text in texts.items():
        file = folder / RULES / name
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text)


def read_rules(folder: Path, name: str, rules: Rules | None, trust: bool) -> Game[Any]:
    """The game that a run of the game `name` is for. Code that comes with the run must be trusted."""
    if rules is None:
        if ".py:" in name:
            raise BadInput(
                f"{folder} is for rules of someone's own ({name}) and does not hold them; name them with --game."
            )
        return load_game(name)
    texts = {}
    for file, digest in rules.files.items():
        outside = Path(file).is_absolute() or ".." in Path(file).parts
        texts[file] = b"" if outside else (folder / RULES / file).read_bytes()
        if outside or hashlib.sha256(texts[file]).hexdigest() != digest:
            raise BadInput(f"{folder} holds a damaged run ({RULES}/{file} was changed); name your rules with --game.")
    if rules.game.partition(":")[0] not in texts:
        raise BadInput(f"{folder} holds a damaged run ({rules.game} is not among its rules); name yours with --game.")
    if not trust and rules.digest not in _trusted():
        raise BadInput(
            f"{folder} brings rules of its own, and Feint starts no program unasked; "
            f"read {folder / RULES / next(iter(rules.files))} and say --trust, or name your own copy with --game."
        )
    remember(rules)
    # From a copy of what was checked: whatever else lies beside it in the run could be imported in its place.
    with tempfile.TemporaryDirectory() as place:
        write_rules(Path(place), texts)
        game = load_game(f"{place}/{RULES}/{rules.game}")
    object.__setattr__(game, "name", name)
    return game


def remember(rules: Rules) -> None:
    """Trust these rules from now on: the user has named them, or said so."""
    if rules.digest not in _trusted():
        with suppress(OSError):  # where nothing can be kept, they are asked for again
            cache_folder().mkdir(parents=True, exist_ok=True)
            append(cache_folder() / TRUSTED, rules.digest + "\n")


def _trusted() -> set[str]:
    try:
        return set((cache_folder() / TRUSTED).read_text().split())
    except (OSError, ValueError):
        return set()


def _origin(game: Game[Any]) -> tuple[Path, str] | None:
    """The file that makes a game, and the call that does."""
    file, _, call = game.name.rpartition(".py:")
    if file:
        return Path(file + ".py"), call
    kind = type(game)
    # A script would be run again from its first line, and what is inside a function cannot be called from outside.
    if kind.__module__.startswith("feint.") or kind.__module__ == "__main__" or "." in kind.__qualname__:
        return None
    given: list[str] = [each.name for each in fields(game) if each.init] if is_dataclass(game) else []
    call = f"{kind.__name__}({', '.join(f'{name}={getattr(game, name)!r}' for name in given)})"
    try:
        same = kind(**parse(call, "game", call)[1]).declaration() == game.declaration()
        return (Path(inspect.getfile(kind)), call) if same else None
    except Exception:  # whatever a user's own class does when it is made in a way it does not know
        return None


def _with_neighbours(path: Path) -> list[Path]:
    """A file and all that it imports from its own folder, directly or not."""
    found = [path]
    for file in found:  # which grows meanwhile
        for other in (each for name in _imported(file, path.parent) for each in neighbours(path.parent, name)):
            if other.is_file() and other not in found:
                found.append(other)
    return found


def _imported(path: Path, root: Path) -> Iterator[str]:
    """What a file imports by name, as it is called from `root`, with the packages around it."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        names = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and (source := _source(node, path.parent.relative_to(root).parts)):
            names = [source, *(f"{source}.{each.name}" for each in node.names)]
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: end + 1]) for end in range(len(parts)))


def _source(node: ast.ImportFrom, package: tuple[str, ...]) -> str:
    """What is imported from, by a file of this package; nothing where its dots lead out of all packages."""
    if node.level > len(package):
        return ""
    around = package[: len(package) + 1 - node.level] if node.level else ()
    return ".".join([*around, *([node.module] if node.module else ())])
