"""What there is: games, algorithms, agents, runs, players and judges."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Column, Table
from rich.text import Text

from feint.cli.terminal import AsJson, Waiting, err, in_paragraphs, judged, out, print_json
from feint.games.errors import BadInput, nearest
from feint.games.game import Game

if TYPE_CHECKING:
    from feint.tree.tree import Tree


def games(
    name: Annotated[
        str | None, typer.Argument(metavar="GAME", help="One, by any name that feint train takes: its rules and more.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The games there are, with their parameters and sizes; or all about one: its rules, and what can be run on it."""
    from feint.games.library import library

    if name is not None:
        _game(name, as_json)
        return
    rows = [_facts(make(), None) for make in library().values()]
    if as_json:
        print_json(rows)
        return
    out.print(_sizes(rows))
    out.print(
        "\nAlso any sequential OpenSpiel game with perfect recall, as open_spiel:NAME(...), and your own rules, as "
        "my_game.py:my_game(...). Parameters go in brackets: kuhn(players=3). feint games GAME tells all about one."
    )


def _game(name: str, as_json: bool) -> None:
    """All about one game."""
    from feint.forms.library import form_of
    from feint.games.library import load_game
    from feint.report.table import called
    from feint.runs.config import algorithms_for

    game = load_game(name)
    with Waiting(f"unrolling {game.name}") as status:
        form = form_of(game, lambda nodes: status.update(f"unrolling {game.name}: {nodes:,} nodes"))
    suited = algorithms_for(form)
    facts = _facts(game, form.tree) | {"algorithms": suited, "judges": list(form.judges), "exact": form.exact}
    if as_json:
        print_json([facts])
        return
    out.print(Text(game.name, "bold"), soft_wrap=True)
    out.print(f"\n{in_paragraphs(facts['rules'])}\n" if facts["rules"] else "\nIts rules say nothing of themselves.\n")
    moves = map("/".join, called(form.tree)) if form.tree else game.actions
    kind = "exact" if form.exact else "bounds and estimates, for it is too large for more"
    table = Table.grid(padding=(0, 2))
    for what, words in (
        ("players", f"{game.players}"),
        ("size", f"{_number(facts['nodes'])} nodes, {_number(facts['information_sets'])} information sets"),
        ("moves", ", ".join(moves)),
        ("algorithms", ", ".join(suited)),
        ("judges", f"{', '.join(form.judges)} ({kind})"),
    ):
        table.add_row(what, words)
    out.print(table)


def _facts(game: Game[Any], tree: Tree | None) -> dict[str, Any]:
    """A game for machines; `tree` is the game unrolled, where that was done already."""
    from feint.games.library import library
    from feint.games.names import parse
    from feint.tree.unroll import unroll

    nodes, infosets = game.unrolled_size() or ((tree := tree or unroll(game)).nodes, len(tree.player))
    about, make = game.about, library().get(game.name.partition("(")[0])
    parameters = {key: each.default for key, each in inspect.signature(make).parameters.items()} if make else {}
    return {
        "name": game.name,
        "about": about.partition("\n")[0],
        "rules": about,
        "parameters": parameters | parse(game.name, "game", "")[1] if make else {},
        "players": game.players,
        "nodes": nodes,
        "information_sets": infosets,
        "moves": list(game.actions),
    }


def _sizes(rows: list[dict[str, Any]]) -> Table:
    table = Table("game", "parameters", "nodes", "infosets", "what it is", box=None, pad_edge=False)
    for row in rows:
        settings = " ".join(f"{key}={value}" for key, value in row["parameters"].items())
        sizes = (_number(row[key]) for key in ("nodes", "information_sets"))
        table.add_row(row["name"], settings, *sizes, row["about"])
    return table


def _number(size: int) -> str:
    return f"{size:,}" if size < 1e9 else f"{size:.3g}"


def algorithms(
    name: Annotated[str | None, typer.Argument(help="One of them, with what each setting means.")] = None,
    as_json: AsJson = False,
) -> None:
    """The algorithms there are, or all about one of them: its settings and its presets."""
    from feint.runs.config import algorithms as every
    from feint.runs.config import changes, explained, flat, plain

    known = every()
    if name is not None and name not in known:
        raise BadInput(f"There is no algorithm called {name!r}; {nearest(name, known)}")
    rows = [
        {
            "name": each,
            "about": entry.about,
            "presets": {
                preset: plain(changes(asdict(config), asdict(entry.config))) for preset, config in entry.presets.items()
            },
            "settings": plain(flat(asdict(entry.config))),
            "explained": explained(entry.config),
        }
        for each, entry in known.items()
        if name in (None, each)
    ]
    if as_json:
        print_json(rows if name is None else rows[0])
        return
    if name is not None:
        _algorithm(rows[0])
        return
    table = Table("algorithm", "what it is", "presets", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row["name"], row["about"], ", ".join(row["presets"]))
    out.print(table)
    out.print("\nfeint algorithms NAME tells what can be set. Set it with --set key=value, or take a --preset NAME.")


def _algorithm(row: dict[str, Any]) -> None:
    """All about one algorithm."""
    from feint.runs.config import written

    out.print(Text(row["name"], "bold").append(f": {row['about']}", "not bold"))
    table = Table("setting", "by default", "what it is", box=None, pad_edge=False)
    for setting, value in written(row["settings"]).items():
        table.add_row(setting, value, row["explained"][setting])
    if table.rows:
        out.print()
        out.print(table)
    for preset, changed in row["presets"].items():
        told = " ".join(map("=".join, written(changed).items())) or "as by default"
        out.print(Text(f"\n--preset {preset}", "bold").append(f": {told}", "not bold"), soft_wrap=True)


SORTS = ("name", "game", "algorithm", "value", "steps")
"""What lists of runs are sorted by."""


def runs(
    folder: Annotated[Path, typer.Argument(help="The folder that they are in.")] = Path("runs"),
    sort: Annotated[
        str, typer.Option(help=f"What comes first: {', '.join(SORTS)}; value has the best first.")
    ] = "name",
    as_json: AsJson = False,
) -> None:
    """The runs there are, and how good they are."""
    from feint.runs.files import CONFIG, is_there

    if sort not in SORTS:
        raise BadInput(f"Runs are sorted by {', '.join(SORTS)}, but --sort {sort} was given.")
    inside = list(folder.iterdir()) if is_there(folder) and folder.is_dir() else []
    found = sorted(path for path in inside if is_there(path / CONFIG))
    if not found:
        raise BadInput(f"There are no runs in {folder}; feint train makes them, and feint agents lists those at hand.")
    _list({str(path): path for path in found}, "run", as_json, sort)


def agents(
    name: Annotated[str | None, typer.Argument(help="One of them, with its card.")] = None, as_json: AsJson = False
) -> None:
    """The trained agents that come with Feint, and how good they are; or the card of one of them."""
    from feint.runs.agents import PREFIX, find_run
    from feint.runs.agents import agents as known
    from feint.runs.files import CARD

    name = name and PREFIX + name.removeprefix(PREFIX)
    if name is None or as_json:
        _list(known() if name is None else {name: find_run(name)}, "agent", as_json)
        if not as_json:
            out.print("\nGive such a name wherever a run is taken: feint match feint:leduc random.")
            err.print("feint agents feint:leduc prints its card: what it is, and how it was made.", soft_wrap=True)
        return
    card = (find_run(name) / CARD).read_text()
    out.print(card.split("---\n", 2)[-1].strip(), soft_wrap=True)  # less what is for machines


def _list(found: Mapping[str, Path], what: str, as_json: bool, sort: str = "name") -> None:
    """Runs by name, with the number that matters of each."""
    from feint.runs.files import CARD
    from feint.runs.run import bound_of, config_of, metrics_of, provenance_of
    from feint.runs.summary import band, headline, length, measured, of_strategy

    rows: list[dict[str, Any]] = []
    cells: list[tuple[str, str, str, str]] = []
    for name, path in found.items():
        try:
            config, finished = config_of(path), bool(provenance_of(path))
            metrics, bound = metrics_of(path), bound_of(path) if finished else None
        except ValueError as error:  # it must not hide the others
            old = isinstance(error.__cause__, BadInput)
            cells.append((name, "", "", "made by another version of Feint" if old else "damaged"))
            rows.append({"name": name, "finished": False})
            continue
        facts = {"name": name, "game": config.game, "algorithm": config.algorithm, "finished": finished}
        if not metrics:
            cells.append((name, config.game, config.algorithm, "not judged yet"))
            rows.append(facts)
            continue
        last = of_strategy(metrics[-1])
        words = f"{' '.join(headline(last, bound))}{band(metrics[-1])}"
        words += "" if finished else f"; not finished, {length(last)}"
        cells.append((name, config.game, config.algorithm, words))
        facts |= {"best_of_seeds": config.seeds, "median": measured(metrics[-1]).value} if config.seeds > 1 else {}
        rows.append(facts | {"steps": last["step"]} | judged(last, bound) | {"card": str(path / CARD)})
    order = sorted(range(len(rows)), key=lambda place: _place(rows[place], sort))
    if as_json:
        print_json([rows[place] for place in order])
        return
    whole = Column(what, overflow="fold")  # a name that was cut could not be typed
    table = Table(whole, "game", "algorithm", "how good it is", box=None, pad_edge=False)
    for place in order:
        table.add_row(*cells[place])
    out.print(table)


def _place(row: Mapping[str, Any], sort: str) -> tuple[Any, ...]:
    """Where a run stands in a list; those of which it is not known come last, and games are not mixed by value."""
    if sort == "name":
        return ()  # as they were found
    if sort == "value":
        value = row["exploitability"] if "exploitability" in row else -row["winnings"] if "winnings" in row else None
        return value is None, row.get("game", ""), value or 0.0
    known = row.get(sort)
    return known is None, known if known is not None else ""


def players(as_json: AsJson = False) -> None:
    """The players there are beside runs and agents, with their settings."""
    from feint.cli.person import PLAYERS
    from feint.runs.lineup import players as known

    use = "feint play NAME --game GAME sits down with any of them but person"
    _with_settings("player", known() | PLAYERS, use, as_json)


def judges(as_json: AsJson = False) -> None:
    """The judges there are, with their settings."""
    from feint.runs.judging import judges as known

    _with_settings("judge", known(), "feint evaluate RUN --judge NAME asks one of them", as_json)


def _with_settings(what: str, found: Mapping[str, Any], use: str, as_json: bool) -> None:
    """Players or judges by name."""
    if as_json:
        print_json([{"name": name, "about": each.about, "settings": asdict(each)} for name, each in found.items()])
        return
    table = Table(what, "settings", "what it is", box=None, pad_edge=False)
    for name, each in found.items():
        table.add_row(name, " ".join(f"{key}={value}" for key, value in asdict(each).items()), each.about)
    out.print(table)
    out.print(f"\n{use}; settings go in brackets: NAME(key=value).")
