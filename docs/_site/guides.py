"""Pages of games and algorithms: what is written by hand, completed with what the code and the records know.

`docs/games/NAME.md` and `docs/algorithms/NAME.md` hold what only a person can say: what it is for, its equations, what
to cite. Rules, parameters, settings, presets and curves come from the code and from docs/results/leduc_curves.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any

from links import ROOT

from feint.games.library import library
from feint.runs.config import algorithms, changes, explained, flat, plain, written
from feint.runs.run import config_of, metrics_of, provenance_of
from feint.tree.unroll import unroll

DOCS = ROOT / "docs"
CURVES = DOCS / "results" / "leduc_curves"
ALGORITHMS, GAMES = algorithms(), library()


def contents() -> list[Any]:
    """What the site's menu shows. A page that is put into docs/guides is found by itself."""
    return [
        {"Feint": "index.md"},
        {"Learn": [f"tutorials/{name}.md" for name in ("index", "student", "researcher", "card_player", "own_game")]},
        {"Guides": ["guides/index.md", *_found("guides")]},
        {"Games": ["games/index.md", *({name: f"games/{name}.md"} for name in GAMES)]},
        {"Algorithms": ["algorithms/index.md", *({name: f"algorithms/{_file(name)}.md"} for name in ALGORITHMS)]},
        {"Results": [*_results(), {"Model cards": _cards()}, {"Speed and bounds": _benchmarks()}]},
        {"Reference": [*_reference(), {"Modules": _modules()}, {"Examples": _examples()}]},
    ]


def _found(folder: str) -> list[str]:
    return [f"{folder}/{path.name}" for path in sorted((DOCS / folder).glob("*.md")) if path.name != "index.md"]


def _results() -> list[Any]:
    pages = sorted(DOCS.glob("results/*/*.md"), key=lambda path: (path.parent.name, path.name != "README.md"))
    return ["results/README.md", *(f"results/{path.parent.name}/{path.name}" for path in pages)]


def _cards() -> list[Any]:
    return [{f"feint:{path.name}": f"cards/{path.name}.md"} for path in sorted((ROOT / "src/feint/agents").iterdir())]


def _benchmarks() -> list[str]:
    return [f"benchmarks/results/{path.name}" for path in sorted((ROOT / "benchmarks/results").glob("*.md"))]


def _reference() -> list[str]:
    pages = sorted(path.name for path in DOCS.glob("*.md") if path.name != "index.md")
    return ["reference/commands.md", *pages, "CONTRIBUTING.md", "CHANGELOG.md"]


def _modules() -> list[str]:
    from api import PACKAGES

    return ["api/index.md", *(f"api/{name}.md" for name in PACKAGES)]


def _examples() -> list[str]:
    return [f"source/examples/{path.stem}.md" for path in sorted((ROOT / "examples").glob("*.py"))]


def pages() -> dict[str, str]:
    """Both lists."""
    return {"games/index.md": _games(), "algorithms/index.md": _algorithms()}


def completed(place: PurePosixPath, text: str) -> str:
    """A page of a game or an algorithm, with what the code knows."""
    if place.stem == "index":
        return text
    of_game = place.parts[0] == "games"
    name = place.stem if of_game else next(name for name in ALGORITHMS if _file(name) == place.stem)
    return f"{text.rstrip()}\n\n{_game(name) if of_game else _algorithm(name)}\n"


def _file(algorithm: str) -> str:
    return algorithm.replace("+", "_plus")


def _games() -> str:
    rows = []
    for name, make in GAMES.items():
        game = make()
        rows.append((f"[`{name}`]({name}.md)", game.players, *_size(game), game.about.partition("\n")[0]))
    table = _table(("game", "players", "nodes", "information sets", "what it is"), rows)
    return (
        "# Games\n\nWhat `feint games` lists. Parameters go in brackets: `kuhn(players=3)`. Any sequential OpenSpiel "
        "game with perfect\nrecall is there too, as `open_spiel:NAME`, and [your own](../tutorials/own_game.md).\n\n"
        f"{table}\n"
    )


def _game(name: str) -> str:
    game = GAMES[name]()
    nodes, infosets = _size(game)
    parameters = re.findall(r"^(\w+): (.*?)(?=\n\w+: |\Z)", game.about, re.MULTILINE | re.DOTALL)
    table = _table(("parameter", "what it is"), [(f"`{key}`", " ".join(said.split())) for key, said in parameters])
    rules = re.split(r"^\w+: ", game.about, maxsplit=1, flags=re.MULTILINE)[0].strip()
    return "\n\n".join(
        [
            "## Rules",
            rules,
            f"**{game.players} players**, {nodes} nodes, {infosets} information sets. Moves: "
            f"{', '.join(f'`{move}`' for move in game.actions)}.",
            *(["## Parameters", table] if parameters else []),
            "## Try it",
            f"    feint games {name}                 all about it, and what can be run on it\n"
            f"    feint play random --game {name}    sit down",
        ]
    )


def _size(game: Any) -> tuple[str, str]:
    nodes, infosets = game.unrolled_size() or ((tree := unroll(game)).nodes, len(tree.player))
    return tuple(f"{size:,}" if size < 1e9 else f"{size:.3g}" for size in (nodes, infosets))  # type: ignore[return-value]


def _algorithms() -> str:
    rows = [(f"[`{name}`]({_file(name)}.md)", entry.about) for name, entry in ALGORITHMS.items()]
    return (
        "# Algorithms\n\nWhat `feint algorithms` lists. Solvers go through the whole game in every step, "
        "but for `mccfr`, which plays\nit, as learners do.\n\n"
        f"{_table(('algorithm', 'what it is'), rows)}\n\n## All of them on Leduc\n\n"
        "![Exploitability against steps, for every algorithm](../results/leduc_curves/all.png)\n\n"
        "One seed each, drawn from [records](../results/README.md) that `python docs/make_curves.py` makes. A step is "
        "not the same work for all:\na solver's goes through the whole game, a learner's plays one move at each of its "
        "tables. So compare lines of one kind.\n"
    )


def _algorithm(name: str) -> str:
    entry = ALGORITHMS[name]
    meaning = explained(entry.config)
    settings = [(f"`{key}`", f"`{value}`", meaning[key]) for key, value in written(_flat(entry.config)).items()]
    presets = []
    for preset, config in entry.presets.items():
        told = written(plain(changes(asdict(config), asdict(entry.config))))
        presets.append((f"`{preset}`", " ".join(f"`{'='.join(each)}`" for each in told.items()) or "as by default"))
    module = type(entry.config).__module__
    return "\n\n".join(
        [
            *_curve(name),
            "## Settings",
            _table(("setting", "by default", "what it is"), settings) if settings else "It has none.",
            "Set them by `--set key=value`.",
            *(["## Presets", _table(("`--preset`", "what it changes"), presets)] if presets else []),
            f"Its code: [{module}](../api/{module.split('.')[1]}.md#{module}).",
        ]
    )


def _flat(config: Any) -> dict[str, Any]:
    settings: dict[str, Any] = plain(flat(asdict(config)))
    return settings


def _curve(name: str) -> list[str]:
    if not (CURVES / name).is_dir():
        return []
    config, metrics = config_of(CURVES / name), metrics_of(CURVES / name)
    last, first = metrics[-1], metrics[0]
    machine = "; ".join(line.rstrip(".") for line in provenance_of(CURVES / name))
    return [
        "## Its curve on Leduc",
        f"![Exploitability of {name} on Leduc](../results/leduc_curves/{name}.png)",
        f"Exploitability {first['exploitability']:.3g} chips per hand after step {first['step']}, "
        f"**{last['exploitability']:.2g}** after step {last['step']:,} (exact, seed {config.seed}). By "
        f"`python docs/make_curves.py {name}`, which runs\n`{config.command(last)}`. {machine}.",
    ]


def _table(heads: tuple[str, ...], rows: list[Any]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in line)} |" for line in lines)
