"""What there is: games, algorithms, agents and runs."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from feint.cli.terminal import AsJson, err, in_paragraphs, judged, out, print_json
from feint.games.errors import BadInput, nearest

if TYPE_CHECKING:
    from feint.solvers.algorithm import Method


def games(
    name: Annotated[str | None, typer.Argument(help="One of them, with its rules.")] = None, as_json: AsJson = False
) -> None:
    """The games there are, with their parameters and sizes."""
    from feint.games.library import library
    from feint.tree.cache import unroll

    known = library()
    if name is not None:
        if name not in known:
            raise BadInput(f"There is no game called {name!r} in the library; {nearest(name, known)}")
        known = {name: known[name]}
    rows: list[dict[str, Any]] = []
    for name, make in known.items():
        game = make()
        nodes, infosets = game.unrolled_size() or ((tree := unroll(game)).nodes, len(tree.infosets))
        about = inspect.getdoc(make) or ""
        parameters = {key: value.default for key, value in inspect.signature(make).parameters.items()}
        rows.append(
            {
                "name": name,
                "about": about.splitlines()[0],
                "rules": about,
                "parameters": parameters,
                "players": game.players,
                "nodes": nodes,
                "information_sets": infosets,
                "moves": list(game.actions),
            }
        )
    if as_json:
        print_json(rows)
        return
    table = Table("game", "parameters", "nodes", "infosets", "what it is", box=None, pad_edge=False)
    for row in rows:
        settings = " ".join(f"{key}={value}" for key, value in row["parameters"].items())
        sizes = (f"{row[key]:,}" if row[key] < 1e9 else f"{row[key]:.3g}" for key in ("nodes", "information_sets"))
        table.add_row(row["name"], settings, *sizes, row["about"])
    out.print(table)
    if len(rows) == 1:
        out.print(f"\n{in_paragraphs(rows[0]['rules'])}")
        return
    out.print(
        "\nAlso any sequential OpenSpiel game with perfect recall, as open_spiel:NAME(...), and your own rules, as\n"
        "my_game.py:my_game(...). Parameters go in brackets: kuhn(players=3)."
    )


def algorithms(
    name: Annotated[str | None, typer.Argument(help="One of them, with what each setting means.")] = None,
    as_json: AsJson = False,
) -> None:
    """The algorithms there are, or all about one of them: its settings and its presets."""
    from feint.runs.config import algorithms as every
    from feint.runs.config import explained

    known = every()
    if name is not None and name not in known:
        raise BadInput(f"There is no algorithm called {name!r}; {nearest(name, known)}")
    if as_json:
        rows = [
            {
                "name": each,
                "about": method.about,
                "presets": list(method.presets),
                "settings": {field.name: str(getattr(method.config, field.name)) for field in fields(method.config)},
                "explained": explained(method.config),
            }
            for each, method in known.items()
            if name in (None, each)
        ]
        print_json(rows if name is None else rows[0])
        return
    if name is not None:
        _algorithm(name, known[name])
        return
    table = Table("algorithm", "what it is", "presets", box=None, pad_edge=False)
    for each, method in known.items():
        table.add_row(each, method.about, ", ".join(method.presets))
    out.print(table)
    out.print("\nfeint algorithms NAME tells what can be set. Set it with --set key=value, or take a --preset NAME.")


def _algorithm(name: str, method: Method) -> None:
    """All about one algorithm."""
    from feint.runs.config import explained

    out.print(Text(name, "bold").append(f": {method.about}", "not bold"))
    words, table = explained(method.config), Table("setting", "by default", "what it is", box=None, pad_edge=False)
    for field in fields(method.config):
        table.add_row(field.name, str(getattr(method.config, field.name)), words.get(field.name, ""))
    if table.rows:
        out.print()
        out.print(table)
    for preset, config in method.presets.items():
        before, after = asdict(method.config), asdict(config)
        changes = [f"{key}={value}" for key, value in after.items() if value != before[key]]
        told = f": {', '.join(changes) or 'as by default'}"
        out.print(Text(f"\n--preset {preset}", "bold").append(told, "not bold"), soft_wrap=True)


def runs(
    folder: Annotated[Path, typer.Argument(help="The folder that they are in.")] = Path("runs"),
    as_json: AsJson = False,
) -> None:
    """The runs there are, and how good they are."""
    from feint.runs.folder import CONFIG

    found = sorted(path for path in folder.iterdir() if (path / CONFIG).is_file()) if folder.is_dir() else []
    if not found:
        raise BadInput(f"There are no runs in {folder}; feint train makes them, and feint agents lists those at hand.")
    _list({str(path): path for path in found}, "run", as_json)


def agents(as_json: AsJson = False) -> None:
    """The trained agents that come with Feint, and how good they are."""
    from feint.runs.agents import AGENTS
    from feint.runs.agents import agents as known
    from feint.runs.folder import CARD

    _list(known(), "agent", as_json)
    if as_json:
        return
    out.print("\nGive such a name wherever a run is taken: feint match feint:leduc random.")
    err.print(f"Their cards are {AGENTS}/*/{CARD}.", soft_wrap=True)


def _list(found: Mapping[str, Path], what: str, as_json: bool) -> None:
    """Runs by name, with the number that matters of each."""
    from feint.runs.card import headline, length, of_strategy
    from feint.runs.folder import CARD, MADE, METRICS, bound_of, config_of, metrics_of

    table = Table(what, "game", "algorithm", "how good it is", box=None, pad_edge=False)
    rows: list[dict[str, Any]] = []
    for name, path in found.items():
        try:
            config, bound, finished = config_of(path), bound_of(path), (path / MADE).is_file()
            metrics = metrics_of(path) if (path / METRICS).is_file() else []
        except ValueError:  # it must not hide the others
            table.add_row(name, "", "", "damaged")
            rows.append({"name": name, "finished": False})
            continue
        facts = {"name": name, "game": config.game, "algorithm": config.algorithm, "finished": finished}
        if not metrics:
            table.add_row(name, config.game, config.algorithm, "not judged yet")
            rows.append(facts)
            continue
        last = of_strategy(metrics[-1])
        words = f"{' '.join(headline(last, bound))}{'' if finished else f'; not finished, {length(last)}'}"
        table.add_row(name, config.game, config.algorithm, words)
        rows.append(facts | {"steps": last["step"]} | judged(last, bound) | {"card": str(path / CARD)})
    if as_json:
        print_json(rows)
        return
    out.print(table)
