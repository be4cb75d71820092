"""The commands. Data goes to stdout, talk to stderr; exit code 0 is done, 1 failed, 2 bad input."""

from __future__ import annotations

import inspect
import json
import os
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from feint.games.errors import BadInput, RunStopped, nearest

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Find, judge and play strategies for games with hidden information.",
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else on stdout.")]
RunName = Annotated[
    str, typer.Argument(metavar="RUN", help="A folder that feint train has written, or an agent: see feint agents.")
]


def main() -> None:
    """Run the command line; every refusal is one sentence."""
    if not os.isatty(2):
        err.no_color = True
    try:
        status = app(standalone_mode=False)
    except BadInput as error:
        _fail(str(error), 2)
    except RunStopped as error:
        _fail(str(error), 1)
    except typer.TyperException as error:
        _fail(error.format_message(), 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail("Stopped before there was anything to keep.", 1)
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, code: int) -> NoReturn:
    err.print(Text.assemble(("feint: ", "bold red"), message), soft_wrap=True)
    sys.exit(code)


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


@app.command()
def games(as_json: AsJson = False) -> None:
    """The games there are, with their parameters and sizes."""
    from feint.games.library import library
    from feint.tree.cache import unroll

    rows: list[dict[str, Any]] = []
    for name, make in library().items():
        game = make()
        nodes, infosets = game.unrolled_size() or ((tree := unroll(game)).nodes, len(tree.infosets))
        about = inspect.getdoc(make) or ""
        parameters = {key: value.default for key, value in inspect.signature(make).parameters.items()}
        rows.append(
            {
                "name": name,
                "about": about.splitlines()[0],
                "parameters": parameters,
                "players": game.players,
                "nodes": nodes,
                "information_sets": infosets,
                "moves": list(game.actions),
            }
        )
    if as_json:
        _print_json(rows)
        return
    table = Table("game", "parameters", "nodes", "infosets", "what it is", box=None, pad_edge=False)
    for row in rows:
        settings = " ".join(f"{key}={value}" for key, value in row["parameters"].items())
        sizes = (f"{row[key]:,}" if row[key] < 1e9 else f"{row[key]:.3g}" for key in ("nodes", "information_sets"))
        table.add_row(row["name"], settings, *sizes, row["about"])
    out.print(table)
    out.print(
        "\nAlso any sequential OpenSpiel game with perfect recall, as open_spiel:NAME(...), and your own rules, as\n"
        "my_game.py:my_game(...). Parameters go in brackets: kuhn(players=3)."
    )


@app.command()
def algorithms(as_json: AsJson = False) -> None:
    """The algorithms there are, with their settings."""
    from feint.runs.config import algorithms as known

    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "about": method.about,
            "presets": list(method.presets),
            "settings": {field.name: str(getattr(method.config, field.name)) for field in fields(method.config)},
        }
        for name, method in known().items()
    ]
    if as_json:
        _print_json(rows)
        return
    table = Table("algorithm", "what it is", "settings", box=None, pad_edge=False)
    for row in rows:
        presets = f" Presets: {', '.join(row['presets'])}." if row["presets"] else ""
        settings = " ".join(f"{key}={value}" for key, value in row["settings"].items())
        table.add_row(row["name"], row["about"] + presets, settings)
    out.print(table)
    out.print("\nChange a setting with --set key=value, or take a preset with --preset NAME.")


@app.command()
def agents(as_json: AsJson = False) -> None:
    """The trained agents that come with Feint, and how good they are."""
    from feint.runs.agents import AGENTS
    from feint.runs.agents import agents as known
    from feint.runs.card import headline
    from feint.runs.folder import CARD, bound_of, config_of, metrics_of

    table = Table("agent", "game", "algorithm", "how good it is", box=None, pad_edge=False)
    rows: list[dict[str, Any]] = []
    for name, path in known().items():
        config, last, bound = config_of(path), metrics_of(path)[-1], bound_of(path)
        table.add_row(name, config.game, config.algorithm, " ".join(headline(last, bound)))
        facts = {"name": name, "game": config.game, "algorithm": config.algorithm, "steps": last["step"]}
        rows.append(facts | _judged(last, bound) | {"card": str(path / CARD)})
    if as_json:
        _print_json(rows)
        return
    out.print(table)
    out.print("\nGive such a name wherever a run is taken: feint match feint:leduc random.")
    err.print(f"Their cards are {AGENTS}/*/{CARD}.", soft_wrap=True)


@app.command()
def train(
    algorithm: Annotated[str, typer.Argument(help="See feint algorithms.")],
    game: Annotated[str, typer.Argument(help="See feint games.")],
    steps: Annotated[int | None, typer.Option(help="Stop after this many steps.")] = None,
    hands: Annotated[int | None, typer.Option(help="Stop once this many hands were played.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this much time.")] = None,
    until: Annotated[float | None, typer.Option(help="Stop at this exploitability, in chips per hand.")] = None,
    preset: Annotated[str | None, typer.Option(help="A named set of settings; see feint algorithms.")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of everything random.")] = 0,
    seeds: Annotated[int, typer.Option(help="Train this many seeds at once, from --seed on.")] = 1,
    folder: Annotated[
        Path | None, typer.Option("--out", help="The run's folder; by default a new one in runs/.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from a run's last checkpoint.")] = False,
    save_every: Annotated[float, typer.Option(help="Seconds between checkpoints.")] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Train until told to stop; not told when, to exploitability 1e-4 or for a minute."""
    from feint.papers.library import published
    from feint.report.curve import draw_curve
    from feint.report.live import LiveLine
    from feint.runs.train import train as run_training

    run = run_training(
        algorithm,
        game,
        steps=steps,
        hands=hands,
        seconds=seconds,
        until=until,
        settings=dict(_setting(text) for text in settings or ()),
        preset=preset,
        seed=seed,
        seeds=seeds,
        out=folder,
        resume=resume,
        save_every=save_every,
        watcher=LiveLine(err, f"{algorithm} on {game}"),
    )
    picture = draw_curve([run], run.path / "curve.png", published(run.config.algorithm, run.config.game))
    last = run.metrics[-1]
    if as_json:
        done = {"run": str(run.path), "game": run.config.game, "algorithm": algorithm, "steps": last["step"]}
        done |= {"hands": int(last["hands"])} if "hands" in last else {}
        _print_json(done | {"seconds": run.timings[-1]["seconds"]} | _judged(last, run.bound))
        return
    _print_strategy(run)
    err.print(
        f"\nThe curve is {picture}. Go on with:\n  feint show {run.path}\n  feint evaluate {run.path}"
        f"\n  feint train {algorithm} {game} --resume --out {run.path} --seconds 60"
    )


def _judged(row: dict[str, Any], bound: Any) -> dict[str, Any]:
    """An evaluation for machines, with its unit and kind."""
    if "exploitability" in row:
        exact = {"unit": "chips per hand", "kind": "exact"}
        return {"exploitability": row["exploitability"], "nash_conv": row["nash_conv"]} | exact
    kind = {"unit": "mbb/h", "kind": "estimate, against random play"}
    known = {"bound": asdict(bound)} if bound else {}
    return {"winnings": row["winnings"], "winnings_error": row["winnings_error"]} | kind | known


@app.command()
def evaluate(
    name: RunName,
    hands: Annotated[int, typer.Option(help="Hands to play where the game is too large to judge exactly.")] = 20_000,
    as_json: AsJson = False,
) -> None:
    """Judge a run's strategy: what it earns, what a best response would, and where it gives most away."""
    from feint.arena.policy import PlayedStrategy
    from feint.evaluate.exploitability import best_response, deviations, expected_values
    from feint.runs.folder import load_run
    from feint.tree.cache import unroll

    run = load_run(name)
    if isinstance(run.strategy, PlayedStrategy):
        _evaluate_large(run, name, hands, as_json)
        return
    tree = unroll(run.config.game)
    values = expected_values(tree, run.strategy)
    best = [best_response(tree, run.strategy, player).value for player in range(tree.players)]
    gap = sum(best) - float(values.sum())
    if as_json:
        given = deviations(tree, run.strategy)
        _print_json(
            {
                "run": name,
                "game": run.config.game,
                "algorithm": run.config.algorithm,
                "exploitability": gap / tree.players,
                "nash_conv": gap,
                "values": values.tolist(),
                "best_response_values": best,
                "unit": "chips per hand",
                "kind": "exact",
                "deviations": [
                    {"player": int(tree.player[row]), "sees": tree.labels[row], "gain": float(given.gain[row])}
                    for row in (-given.gain).argsort(kind="stable")[:10]
                ],
            }
        )
        return
    table = Table("player", "value", "best response", "gain", box=None, pad_edge=False)
    for player, (value, most) in enumerate(zip(values, best, strict=True)):
        table.add_row(str(player + 1), f"{value:+.6f}", f"{most:+.6f}", f"{most - value:.2e}")
    out.print(table)
    out.print(f"\nexploitability {gap / tree.players:.6g}, NashConv {gap:.6g} chips per hand (exact)")


def _evaluate_large(run: Any, name: str, hands: int, as_json: bool) -> None:
    """Winnings against random play, and what a local best response wins: a lower bound on exploitability."""
    from feint.arena.betting import playground
    from feint.arena.cards import build_card_arena
    from feint.arena.policy import Uniform
    from feint.evaluate.local_best_response import local_best_response
    from feint.evaluate.match import match
    from feint.games.library import load_game
    from feint.runs.card import at_least
    from feint.runs.folder import keep_bound
    from feint.tree.tree import Tree

    game = playground(load_game(run.config.game))
    assert not isinstance(game, Tree), "only large games have such strategies"
    arena = build_card_arena(game)
    with err.status("playing") as status:
        played = match(arena, run.strategy.policy, Uniform(arena), hands)
        mean, reach = played.in_big_blinds(game.big_blind)
        bound = local_best_response(
            game, run.strategy.policy, hands, progress=lambda done: status.update(f"best response: {done:,} hands")
        )
    bound = bound.in_big_blinds(game.big_blind)
    if as_json:
        _print_json(
            {
                "run": name,
                "game": run.config.game,
                "algorithm": run.config.algorithm,
                "winnings": {"value": mean, "error": reach, "unit": "mbb/h", "kind": "estimate, against random play"},
                "exploitability": asdict(bound),
            }
        )
    else:
        out.print(f"winnings       {mean:,.0f} ± {reach:,.0f} mbb/h against random play, {played.hands:,} hands")
        by = f"by a local best response over {bound.hands:,} hands: a lower bound"
        out.print(f"exploitability {at_least(bound)}, {by}", soft_wrap=True)
    try:
        kept = keep_bound(run, bound, game)
    except OSError as error:
        err.print(f"The bound is not kept, because {run.path} cannot be written ({error.strerror}).", soft_wrap=True)
    else:
        if kept:
            err.print(f"The bound is kept in {kept}.", soft_wrap=True)


@app.command(name="match")
def play_match(
    first: Annotated[
        str, typer.Argument(metavar="A", help="A run's folder, an agent (see feint agents), random, call, raise, fold.")
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="Likewise.")],
    game: Annotated[str | None, typer.Option(help="The game, where neither is a run.")] = None,
    hands: Annotated[int, typer.Option(help="Hands to play; every deal is played from each seat.")] = 100_000,
    seed: Annotated[int, typer.Option(help="The seed of the deals.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Play two players against each other on duplicate deals: what the first wins, with its 95% interval."""
    from feint.evaluate.match import match
    from feint.runs.seats import seat

    table = seat((first, second), game)
    with err.status("playing") as status:
        one, other = table.policies
        played = match(table.arena, one, other, hands, seed, lambda done: status.update(f"{done:,} hands played"))
    mean, reach = played.in_big_blinds(table.big_blind)
    if as_json:
        words = {"first": first, "second": second, "game": table.game, "hands": played.hands}
        _print_json(words | {"winnings": mean, "error": reach, "unit": "mbb/h", "deals_saved": played.saved})
        return
    off = f"off {second}, over {played.hands:,} hands of {table.game}"
    out.print(f"{first} wins {mean:+,.1f} ± {reach:,.1f} mbb/h (95%) {off}")
    err.print(f"Duplicate deals are worth {played.saved:.1f} times as many hands.")


@app.command()
def show(
    name: RunName,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where the pictures go; by default the run's folder.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every information set, however many.")] = False,
    as_json: AsJson = False,
) -> None:
    """A run's strategy as a table and, in Kuhn poker, at a glance; its curve as a picture."""
    from feint.arena.policy import PlayedStrategy
    from feint.papers.library import published
    from feint.report.curve import draw_curve
    from feint.report.picture import draw_strategy
    from feint.runs.agents import beside
    from feint.runs.folder import load_run
    from feint.tree.cache import unroll

    run = load_run(name)
    if as_json:
        if isinstance(run.strategy, PlayedStrategy):
            raise BadInput(f"A strategy for {run.config.game} is too large to print; without --json it is drawn.")
        tree = unroll(run.config.game)
        table = run.strategy.table(tree)
        _print_json(
            [
                {
                    "player": infoset.player,
                    "sees": infoset.label,
                    "moves": {name: float(table[row, tree.actions.index(name)]) for name in infoset.moves},
                }
                for row, infoset in enumerate(tree.infosets)
            ]
        )
        return
    target = _writable(folder or beside(run.path))
    _print_strategy(run, None if everything else MOST_ROWS)
    curves = published(run.config.algorithm, run.config.game)
    err.print(f"The curve is {draw_curve([run], target / 'curve.png', curves)}.")
    picture = draw_strategy(run, target)
    if picture:
        err.print(f"The strategy at a glance is {picture}.")


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="kuhn-fictitious-play, leduc-nfsp or poker-rnn.")],
    quick: Annotated[bool, typer.Option("--quick", help="A look in a few minutes instead of the full run.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where to; what it already holds is not run again.")
    ] = None,
) -> None:
    """Reproduce a paper: its tables and figures, theirs beside ours."""
    from feint.papers.library import papers
    from feint.report.live import LiveLine

    known = papers()
    if paper not in known:
        raise BadInput(f"There is no paper called {paper!r}; {nearest(paper, known)}")
    target = _writable(folder or Path("papers") / (paper + ("-quick" if quick else "")))
    page = known[paper](target, quick, lambda title: LiveLine(err, title))
    out.print(page.read_text(), markup=False, soft_wrap=True)
    err.print(f"The report and its figures are in {target}.")


def _writable(folder: Path) -> Path:
    """A folder, made if need be."""
    from feint.runs.agents import own_folder

    folder = own_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written ({error.strerror}); choose another folder with --out.") from error
    return folder


MOST_ROWS = 24
"""What fits a screen."""


def _print_strategy(run: Any, most: int | None = MOST_ROWS) -> None:
    """The strategy, where it is small enough to print, and how good it is."""
    from feint.arena.policy import PlayedStrategy
    from feint.report.table import strategy_table
    from feint.runs.card import headline, length
    from feint.tree.cache import unroll

    if not isinstance(run.strategy, PlayedStrategy):
        tree = unroll(run.config.game)
        out.print(strategy_table(tree, run.strategy, out.width, most))
        if most is not None and len(tree.infosets) > most:
            shown = f"The {most} of {len(tree.infosets):,} information sets that give away most"
            out.print(f"{shown}; --all shows them all.\n")
    last = run.metrics[-1]
    out.print(f"{' '.join(headline(last, run.bound))} after {length(last)}", soft_wrap=True)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise BadInput(f"--set takes key=value, but {text!r} was given.")
    return key.strip(), value.strip()
