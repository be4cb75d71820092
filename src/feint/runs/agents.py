"""The trained agents that come with Feint: finished runs in the package itself, called `feint:NAME`.

Wherever a run's folder is taken, such a name is too. Only text is ever read as a name: a `Path` is always a folder, and
`./feint:NAME` is one as well.
"""

from __future__ import annotations

from pathlib import Path

from feint.games.errors import BadInput

AGENTS = Path(__file__).resolve().parents[1] / "agents"
"""A folder for each of them."""
PREFIX = "feint:"


def agents() -> dict[str, Path]:
    """The folder of every agent that comes with Feint, by the name users call it."""
    return {PREFIX + config.parent.name: config.parent for config in sorted(AGENTS.glob("*/config.json"))}


def find_run(name: Path | str) -> Path:
    """A run's folder, from its path or from the name of an agent that comes with Feint."""
    if not isinstance(name, (str, Path)):
        raise BadInput(f"A run is a folder or an agent such as 'feint:leduc', but {name!r} was given.")
    if not isinstance(name, str) or not name.startswith(PREFIX):
        return Path(name)
    known = agents()
    if name not in known:
        raise BadInput(f"Feint comes with no agent called {name!r}; choose from {', '.join(known)}.")
    return known[name]


def called(path: Path) -> str:
    """What a run's folder goes by: the name of an agent that comes with Feint, else where it is."""
    return PREFIX + path.resolve().name if comes_with_feint(path) else str(path)


def own_folder(path: Path | str) -> Path:
    """A folder to write to, which is never an agent's: those stay as they came."""
    if str(path).startswith(PREFIX) or comes_with_feint(Path(path)):
        raise BadInput(f"{path} is an agent that comes with Feint and stays as it is; give a folder of your own.")
    return Path(path)


def beside(path: Path) -> Path:
    """Where pictures of a run go: into its folder, or under `runs/` for an agent that comes with Feint."""
    return Path("runs") / f"feint-{path.resolve().name}" if comes_with_feint(path) else path


def comes_with_feint(path: Path) -> bool:
    """Whether a folder is an agent's, in which nothing is ever written."""
    return path.resolve().is_relative_to(AGENTS)
