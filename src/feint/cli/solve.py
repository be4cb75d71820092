"""Solving one spot of hold'em."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from feint.cli import terminal
from feint.cli.terminal import AsJson, Waiting, err, out, print_json
from feint.games.errors import BadInput, RunStopped
from feint.games.words import either

if TYPE_CHECKING:
    from feint.solvers.spots import Node, Solution


SELDOM = 1e-4
"""Where players come with fewer of their hands there is little to learn from."""
PICTURES = (".png", ".svg", ".pdf")


def solve(
    where: Annotated[
        list[str],
        typer.Argument(
            metavar="BOARD",
            help="QsJh2h or Qs Jh 2h, with the turn and the river if they lie; or a JSON file, on top of which flags "
            "come.",
        ),
    ],
    oop: Annotated[
        str | None, typer.Option(help="The range of whoever acts first: 'AA,KQs,T9o:0.5,22+'; by default any.")
    ] = None,
    ip: Annotated[str | None, typer.Option(help="The range of whoever acts last; by default any.")] = None,
    pot: Annotated[float | None, typer.Option(help="Chips in the pot; by default 10.")] = None,
    stack: Annotated[float | None, typer.Option(help="Chips that each player has behind; by default 95.")] = None,
    bets: Annotated[
        str | None,
        typer.Option(help="Bets by the pot: '33%,75%' or '0.33,0.75'; by default '0.5,1'. All-in is there too."),
    ] = None,
    raises: Annotated[
        str | None, typer.Option(help="Raises by the pot after calling, as bets are written; by default '0.5'.")
    ] = None,
    limit: Annotated[
        float | None, typer.Option(help="Fixed bets: so much on the flop, twice that later; then there is no stack.")
    ] = None,
    rake: Annotated[
        float | None, typer.Option(help="The share of every pot that the house takes: 0.05; by default none.")
    ] = None,
    rake_cap: Annotated[float | None, typer.Option(help="The most that it takes, in chips.")] = None,
    betting: Annotated[str, typer.Option(help="Show the spot after this: 'check pot', 'check check / 5c pot'.")] = "",
    share: Annotated[float, typer.Option(help="Stop when exploitability is this share of the pot.")] = 0.003,
    iterations: Annotated[int, typer.Option(help="Stop after so many iterations.")] = 10_000,
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this much time; compiling comes on top of it.")
    ] = None,
    picture: Annotated[Path | None, typer.Option("--out", help="Draw the range there: .png, .svg or .pdf.")] = None,
    kept: Annotated[Path | None, typer.Option("--save", help="Keep the solution there: NAME.safetensors.")] = None,
    as_json: AsJson = False,
) -> None:
    """Solve a spot of hold'em from the flop on: what to do with every hand, and what it wins."""
    from feint.public.room import lacking, words
    from feint.runs.signals import listening
    from feint.runs.solutions import SUFFIX, save_solution
    from feint.runs.solving import check_limits, read_spot
    from feint.runs.solving import solve as solved
    from feint.solvers.spot_trees import spot_size
    from feint.solvers.spots import Progress

    check_limits(share, seconds, iterations)
    given = {
        "oop": oop, "ip": ip, "pot": pot, "stack": stack, "bets": bets, "raises": raises, "limit": limit, "rake": rake,
        "rake_cap": rake_cap,
    }  # fmt: skip
    spot = read_spot(_named(where), given)
    spot.after(betting)  # what cannot be shown is refused before hours of solving
    for path, endings in ((picture, PICTURES), (kept, (SUFFIX,))):
        check_place(path, endings)
    if lacking(size := spot_size(spot)) is None:  # else the refusal says it
        slow = "Compiling comes first, and takes some seconds where no spot like it was solved before."
        err.print(f"The spot has {words(size)}. {slow}", soft_wrap=True)
    with Waiting("compiling") as status, listening() as signals:

        def told(progress: Progress) -> None:
            signals.patient()  # from now on there is something to tell
            words = f"exploitability {progress.share:.2%} of the pot after {progress.steps:,} iterations"
            status.update(f"{words}, {progress.seconds:.0f} s without compiling; Ctrl-C leaves it there")

        def stop() -> bool:
            return signals.caught is not None

        solution = solved(spot, share=share, seconds=seconds, iterations=iterations, progress=told, stop=stop)
    terminal.interrupted = signals.caught is not None
    if solution.share > share:
        why = "It was interrupted" if signals.caught else f"It stopped after {solution.steps:,} iterations"
        err.print(f"{why}, short of the {100 * share:.3g}% of the pot that was asked for.", soft_wrap=True)
    failed = list[str]()  # what was solved is told even where it cannot be kept, and both may fail
    try:
        if kept is not None:
            save_solution(solution, kept)
            err.print(f"The solution is {kept}, which feint show tells of.", soft_wrap=True)
    except BadInput as error:
        failed.append(str(error))
    try:
        tell(solution, betting, picture, as_json)
    except BadInput as error:
        failed.append(str(error))
    if failed:
        raise BadInput(" ".join(failed))
    if end := signals.end:
        raise RunStopped(f"Solving was asked to end ({end.name}) after {solution.steps:,} iterations.", 128 + end)


def check_place(path: Path | None, endings: tuple[str, ...]) -> None:
    """Refuse a file that cannot be written before anything is done for it."""
    if path is None:
        return
    if path.suffix not in endings:
        raise BadInput(f"{path} has to end with {either(endings)}; choose another name.")
    try:
        if not path.parent.is_dir():
            raise BadInput(f"There is no folder {path.parent} for {path.name}; make it first, or choose another.")
        if path.is_dir():
            raise BadInput(f"{path} is a folder, and a file was to be written there; choose another name.")
        with TemporaryFile(dir=path.parent):  # permissions do not tell all: what is mounted may be read-only
            pass
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> BadInput:
    return BadInput(f"{path} cannot be written ({error.strerror}); choose another file.")


def tell(solution: Solution, betting: str, picture: Path | None, as_json: bool) -> None:
    """What a solution does after some betting: as a table or JSON and, if a file for it is given, as a picture."""
    with Waiting("looking"):
        node = solution.at(betting)
    for seat, often in node.comes.items():
        if often < SELDOM:
            what = "what is told of it was hardly learned"
            err.print(f"{seat} plays so with {often:.2g} of its hands, and {what}.", soft_wrap=True)
    if as_json:
        from feint.report.spot_facts import spot_facts

        print_json(spot_facts(solution, node))
    else:
        _print(solution, node)
    if picture is not None:
        from feint.report.range_grid import draw_range

        after = f", after {betting}" if betting else ""
        try:
            with Waiting("drawing"):
                draw_range(node, picture, f"{solution.spot.board}: {node.seat}{after}")
        except OSError as error:
            raise _unwritable(picture, error) from error
        err.print(f"The picture is {picture}.", soft_wrap=True)


def _named(words: list[str]) -> str:
    """The cards of a board, or one file."""
    if len(words) > 1 and any(word.endswith(".json") for word in words):
        raise BadInput(f"One spot is solved at a time, but {' '.join(words)} was given; name one file, or cards.")
    return "".join(words)


def _print(solution: Solution, node: Node) -> None:
    table = Table("hand", "weight", *node.moves, "wins", "equity", box=None, pad_edge=False)
    for kind, weight, chances, wins, equity in node.kinds():
        table.add_row(kind, f"{weight:.2f}", *(f"{chance:.1%}" for chance in chances), f"{wins:z.2f}", f"{equity:z.1%}")
    wins, equity = node.together
    moves = (f"{chance:.1%}" for chance in node.overall)
    table.add_row("all", f"{node.reach.sum():.2f}", *moves, f"{wins:z.2f}", f"{equity:z.1%}")
    out.print(table)
    pot = f"{solution.spot.pot:g}"
    first, last = solution.wins("oop"), solution.wins("ip")
    house = f", the house {solution.raked:.3f}" if solution.spot.rake else ""
    within = "" if solution.near is None else f"; an equilibrium's are within {solution.near:.2g} of these"
    out.print(
        f"\nOf a pot of {pot} whoever acts first takes {first:.3f} and whoever acts last {last:.3f}{house} on average"
        f"{within}. Exploitability {solution.share:.2%} of the pot (exact), after {solution.steps:,} iterations and "
        f"{solution.seconds:.1f} s without compiling.",
        soft_wrap=True,
    )
