"""DeepStack's value networks in Leduc hold'em: Dorohyi, Tsurkan & Lisovyi (KPI, 2017).

Eight networks, {2, 4} hidden layers of tanh, ReLU, SoftPlus or PReLU, learn what situations are worth and stand in for
the second round in continual re-solving. Which one makes DeepStack least exploitable, and how does it then stand beside
other programs? Their Table 3 is one run a cell; ours are several seeds of every network, judged exactly, beside what
the same player scores with values played out and with none. Every claim is answered from the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import jax
import numpy as np
from jaxtyping import Float

from feint.games.errors import BadInput
from feint.games.leduc import leduc_no_limit
from feint.papers.deepstack_bets import BETS, Scores, bet_sets, bets_in
from feint.papers.deepstack_figures import draw_figures
from feint.papers.deepstack_networks import (
    EIGHT,
    KINDS,
    NETWORKS,
    Size,
    by_kind,
    exploitabilities,
    exploitability,
    learned,
    learning_in,
    of_seed,
    state_errors,
)
from feint.papers.deepstack_page import page_of
from feint.papers.deepstack_programs import (
    FEW,
    GENERATIONS,
    JUDGED,
    Note,
    cross_in,
    deepstack,
    evolved,
    note_programs,
    our_guesses,
    players,
    programs_in,
    solved,
)
from feint.papers.records import Records, Row, rows_in, where
from feint.runs.files import write_whole
from feint.runs.loop import Watcher
from feint.search.beyond import CheckedDown, Nothing
from feint.search.deepstack import Searching, Solver
from feint.search.lookahead import Method
from feint.search.oracle import NEARLY, PlayedOut
from feint.search.resolving import Guesses
from feint.search.values import LearnedValues, Values

Number = TypeVar("Number")
QUICK = Size(train=6_000, test=1_200, seeds=1, epochs=3, iterations=(50, 100), shard=100, label_iterations=50)
SOLVERS: tuple[Solver, ...] = ("tool", "cfr", "cfr+", "dcfr")
QUICK_SOLVERS: tuple[Solver, ...] = ("tool", "dcfr")
"""Nearly all of a quick look is compiling."""
INNER = 100
"""Iterations of discounted CFR with which the next round is played out, whenever it is asked for."""
NUMBERS = "numbers.jsonl"
MEASURED, STATES, CONTROL = "measured", "values of states", "values: "
THEIRS, OURS = "DeepStack (paper's network)", "DeepStack (Feint's network)"


class Facts(NamedTuple):
    """All that was measured: exploitability in chips per hand, exact."""

    size: Size
    scores: dict[int, Float[np.ndarray, "s k"]]
    """Of every seed and kind of network, by iterations of the search."""
    losses: Float[np.ndarray, "e s k"]
    """Held-out Huber losses after each epoch."""
    states: Float[np.ndarray, "s k"]
    """How far what networks say of public states is off, in chips."""
    controls: dict[str, float]
    """Of players with other values, at the fewer iterations."""
    inside: dict[str, dict[int, float]]
    """With the best network, by the solver inside the search and its iterations."""
    bets: Scores
    """Of players who consider few bet sizes; none in a quick look."""
    programs: dict[str, float]
    cross: dict[str, dict[str, float]]
    """What the row wins off the column, half of the hands in each seat, in chips per hand; nan where not judged."""
    where: str


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Make, train and judge what `out` does not hold yet, draw the figures and write the report."""
    size = QUICK if quick else Size()
    check_kept(out, size)
    with watch("DeepStack's networks") as watcher:
        networks = learned(out, size, watcher.stage)
        measure(out, size, networks, quick, watcher, watch)
    return write_report(out, size, quick)


def write_report(out: Path, size: Size, quick: bool) -> Path:
    """The figures and the page, from what was noted alone."""
    facts, page = facts_of(out, size), out / "README.md"
    draw_figures(out, facts)
    write_whole(page, page_of(facts, quick).encode())
    return page


def measure(
    out: Path, size: Size, networks: Values, quick: bool, watcher: Watcher, watch: Callable[[str], Watcher]
) -> None:
    """Judge everything, keeping every number as it is found."""
    records = Records(out / NUMBERS)
    records.note(MEASURED, lambda: _measured_of(out, size))

    def note(words: str, find: Callable[[], Number]) -> Number:
        watcher.stage(words)
        return records.note(words, find)

    for iterations in size.iterations:
        searching = Searching("tool", iterations)
        for seed in range(size.seeds):
            note(scores_of(seed, iterations), partial(exploitabilities, of_seed(networks, seed), searching))
    note(STATES, partial(state_errors, networks, out, size))
    best = _least(_scores(_found(records.rows), size, max(size.iterations)))
    values, searching = (
        jax.tree.map(lambda leaf: leaf[best], of_seed(networks, 0)),
        Searching("tool", size.iterations[0]),
    )
    _controls(size, quick, note)
    for solver in QUICK_SOLVERS if quick else SOLVERS:
        _inside(size, values, solver, note)
    strategies = {
        THEIRS: deepstack(jax.tree_util.Partial(LearnedValues.on, values), searching),
        **({} if quick else {OURS: deepstack(our_guesses(), searching)}),
        **solved(out, watch),
        **evolved(out, FEW if quick else GENERATIONS, watch),
        **players(),
    }
    note_programs(strategies, note)
    if not quick:
        bet_sets(note)


def check_kept(out: Path, size: Size) -> None:
    """Numbers are of networks and of a size: those of others are neither taken for ours nor overwritten.

    This is asked before networks are trained, which would overwrite how those of the numbers learned. Of bet sets any
    numbers will do, since no network has a part in them.
    """
    rows = [row for row in rows_in(out / NUMBERS) if not row["what"].startswith(BETS)]
    known = [row["found"] for row in rows if row["what"] == MEASURED]
    if rows and not ((out / NETWORKS).is_file() and known == [_measured_of(out, size)]):
        raise BadInput(
            f"{out / NUMBERS} has numbers of other networks than {out} keeps, or of a look of another size; remove it "
            f"to measure anew, or choose another folder with --out."
        )


def _measured_of(out: Path, size: Size) -> dict[str, str]:
    """What numbers are of: the digest of the networks, and the size."""
    return {"networks": sha256((out / NETWORKS).read_bytes()).hexdigest(), "size": repr(size)}


def facts_of(out: Path, size: Size) -> Facts:
    """All that a folder says was measured."""
    rows, learning = rows_in(out / NUMBERS), learning_in(out)
    found = _found(rows)
    return Facts(
        size=size,
        scores={iterations: _scores(found, size, iterations) for iterations in size.iterations},
        losses=learning.test_loss.reshape(-1, size.seeds, len(KINDS)),
        states=by_kind(found[STATES], size.seeds),
        controls={what.removeprefix(CONTROL): value for what, value in found.items() if what.startswith(CONTROL)},
        inside={
            solver: {count: found[inside(solver, count)] for count in _counts(size)}
            for solver in SOLVERS
            if all(inside(solver, count) in found for count in _counts(size))
        },
        bets=bets_in(found),
        programs=programs_in(found),
        cross=cross_in(found),
        where=f"Networks: {learning.where}. All else: {where(rows, partial(_about, programs_in(found)))}",
    )


def scores_of(seed: int, iterations: int) -> str:
    """What the scores of a seed's networks are noted as."""
    return f"seed {seed} at {iterations} iterations"


def inside(solver: Solver, count: int) -> str:
    """What the best network's score with a solver is noted as."""
    return f"{solver} at {count}"


def _found(rows: Iterable[Row]) -> dict[str, Any]:
    return {row["what"]: row["found"] for row in rows}


def _about(programs: Iterable[str], row: Row) -> str:
    """What a number is about, in a few words: of a match, the program that came later, for which it was played."""
    what = str(row["what"])
    for program in reversed(list(programs)):
        if program in what.removeprefix(JUDGED).split(" against "):
            return f"{program}, judged and matched"
    return "bet sets" if what.startswith(BETS) else what


def _scores(found: Mapping[str, Any], size: Size, iterations: int) -> Float[np.ndarray, "s k"]:
    each = [number for seed in range(size.seeds) for number in found[scores_of(seed, iterations)]]
    return by_kind(each, size.seeds)


def _least(scores: Float[np.ndarray, "s k"]) -> int:
    """The paper's network that is least exploitable, by the median of the seeds."""
    return int(np.argmin(np.median(scores, 0)[: len(EIGHT)]))


def _controls(size: Size, quick: bool, note: Note) -> None:
    """The same player with other values."""
    game, searching = leduc_no_limit(suits=True), Searching("tool", size.iterations[0])
    played_out = partial(PlayedOut.on, game, method=Method(NEARLY.rule, NEARLY.alternating, INNER))
    ways: dict[str, Guesses] = {"played out": played_out, "nobody bets any more": CheckedDown.of, "nothing": Nothing.of}
    if quick:
        del ways["played out"]  # which takes longest to compile
    for name, guesses in ways.items():
        note(f"{CONTROL}{name}", partial(exploitability, guesses, searching))


def _inside(size: Size, values: Values, solver: Solver, note: Note) -> None:
    """With one network, by iterations of a solver."""
    guesses = jax.tree_util.Partial(LearnedValues.on, values)
    for count in _counts(size):
        note(inside(solver, count), partial(exploitability, guesses, Searching(solver, count)))


def _counts(size: Size) -> list[int]:
    return sorted({max(1, size.iterations[0] // 10), *size.iterations})
