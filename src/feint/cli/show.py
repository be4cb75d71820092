"""Showing what was learned, and papers."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from feint.cli.compare import compare
from feint.cli.solve import PICTURES, check_place, tell
from feint.cli.terminal import AsJson, GameName, Trust, err, out, print_json
from feint.games.errors import BadInput, nearest

if TYPE_CHECKING:
    from feint.forms.form import Form
    from feint.runs.run import Run


def show(
    names: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="A run, an agent or a solved spot; several runs are drawn together."),
    ],
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where the pictures go; of a solved spot, the file of its grid.")
    ] = None,
    betting: Annotated[
        str | None, typer.Option(help="What is done after this: hold'em's chart of starting hands, or a spot's grid.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every information set, however many.")] = False,
    game: GameName = None,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """A run's strategy as a table and, in Kuhn poker, at a glance; its curve as a picture. Or a solved spot.

    Several runs are one picture and one table, as feint compare draws them.
    """
    from feint.papers.library import published
    from feint.report.curve import draw_curve
    from feint.report.picture import draw_strategy
    from feint.runs.agents import beside
    from feint.runs.run import load_run
    from feint.runs.solutions import SUFFIX, load_solution

    if len(names) > 1:
        if betting is not None or everything:
            raise BadInput(f"--betting and --all are for one run, but {len(names)} were named; show them one by one.")
        compare(names, picture=folder or Path("comparison.png"), as_json=as_json)
        return
    (name,) = names
    if name.endswith(SUFFIX):
        check_place(folder, PICTURES)
        with err.status("reading"):
            solution = load_solution(Path(name))
        tell(solution, betting or "", folder, as_json)
        return
    with err.status("reading"):
        run = load_run(name, game, trust)
        form = run.form
    if betting is not None:
        _chart(run, form, betting, folder, as_json)
        return
    if as_json:
        tree = form.whole("printing a strategy")
        table = run.strategy.table(tree)
        print_json(
            [
                {
                    "player": infoset.player + 1,
                    "sees": infoset.label,
                    "moves": {name: float(table[row, column]) for name, column in tree.offered(row).items()},
                }
                for row, infoset in enumerate(tree.infosets)
            ]
        )
        return
    target = _writable(folder or beside(run.path))
    print_strategy(run, form, None if everything else MOST_ROWS)
    with err.status("drawing"):
        curve = draw_curve([run], target / "curve.png", published(run.config.algorithm, run.config.game))
        picture = draw_strategy(run, form, target)
    err.print(f"The curve is {curve}.")
    if picture:
        err.print(f"The strategy at a glance is {picture}.")


def _chart(run: Run, form: Form, betting: str, folder: Path | None, as_json: bool) -> None:
    """Hold'em's chart of starting hands at one decision."""
    from feint.report.picture import draw_starting_hands, starting_hands
    from feint.report.starting_hands import kinds_of_hands
    from feint.runs.agents import beside

    tree, told, node = starting_hands(run, form, betting)  # first, for it refuses what cannot be
    if as_json:
        words = {move: word for move, word in enumerate(tree.spoken[node]) if word}
        hands = {
            kind: {word: float(shares[move]) for move, word in words.items()}
            for kind, _, shares in kinds_of_hands(tree, told)
        }
        print_json({"player": int(tree.actor[node]) + 1, "betting": tree.labels[node], "hands": hands})
        return
    with err.status("drawing"):
        picture = draw_starting_hands(run, form, betting, _writable(folder or beside(run.path)))
    err.print(f"The chart is {picture}.", soft_wrap=True)


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            help="leduc-nfsp, leduc-thesis, kuhn-fictitious-play, poker-rnn, deepstack-leduc, monte-carlo, "
            "or anticipation."
        ),
    ],
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
    out.print(page.read_text(), soft_wrap=True)
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


def print_strategy(run: Run, form: Form, most: int | None = MOST_ROWS) -> None:
    """The strategy, where it is small enough to print, and how good it is."""
    from feint.report.curve import LESS
    from feint.report.table import strategy_table
    from feint.runs.summary import band, headline, length, of_strategy

    if (tree := form.tree) is not None:
        out.print(strategy_table(tree, run.strategy, out.width, most))
        if most is not None and len(tree.infosets) > most:
            shown = f"The {most} of {len(tree.infosets):,} information sets that give away most"
            out.print(f"{shown}; feint show {shlex.quote(str(run.path))} --all shows them all.\n", soft_wrap=True)
    last = run.metrics[-1]
    if "winnings" in last and run.bound is None:
        err.print(f"{LESS}: feint evaluate finds what a best response wins.", soft_wrap=True)
    out.print(f"{' '.join(headline(of_strategy(last), run.bound))} after {length(last)}{band(last)}", soft_wrap=True)
