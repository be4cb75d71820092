"""DeepStack's value networks in Leduc hold'em: Dorohyi, Tsurkan & Lisovyi (KPI, 2017).

Eight networks, {2, 4} hidden layers of tanh, ReLU, SoftPlus or PReLU, learn what situations are worth and stand in for
the second round in continual re-solving. Which one makes DeepStack least exploitable, and how does it then stand beside
other programs? Their Table 3 is one run a cell; ours are several seeds of every network, judged exactly, beside what
the same player scores with values played out and with none. Every claim is answered from the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import jax
import numpy as np
from jaxtyping import Float

from feint.games.leduc import leduc_no_limit
from feint.papers.deepstack_bets import Scores, bet_sets
from feint.papers.deepstack_figures import draw_figures
from feint.papers.deepstack_networks import (
    EIGHT,
    KINDS,
    Learned,
    Size,
    by_kind,
    exploitabilities,
    exploitability,
    learned,
    state_errors,
)
from feint.papers.deepstack_page import page_of
from feint.papers.deepstack_programs import (
    FEW,
    GENERATIONS,
    Note,
    all_exploitable,
    cross_table,
    deepstack,
    evolved,
    our_guesses,
    players,
    solved,
)
from feint.papers.trials import Notebook
from feint.runs.files import write_whole
from feint.runs.loop import Watcher
from feint.runs.provenance import provenance
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
    """What the row wins off the column, half of the hands in each seat, in chips per hand."""
    where: str


def reproduce(out: Path, quick: bool, watch: Callable[[str], Watcher]) -> Path:
    """Make, train and judge what `out` does not hold yet, draw the figures and write the report."""
    size = QUICK if quick else Size()
    with watch("DeepStack's networks") as watcher:
        networks = learned(out, size, watcher.stage)
        facts = measure(out, size, networks, quick, watcher, watch)
    draw_figures(out, facts)
    page = out / "README.md"
    write_whole(page, page_of(facts, quick).encode())
    return page


def measure(
    out: Path, size: Size, networks: Learned, quick: bool, watcher: Watcher, watch: Callable[[str], Watcher]
) -> Facts:
    """Judge everything, keeping every number as it is found."""
    notebook = Notebook(out / "numbers.json")

    def note(words: str, find: Callable[[], Number]) -> Number:
        watcher.stage(words)
        return notebook.note(words, find)

    scores = {iterations: _scores(size, networks, iterations, note) for iterations in size.iterations}
    best = _least(scores[max(size.iterations)])
    values, searching = jax.tree.map(lambda leaf: leaf[best], networks.of(0)), Searching("tool", size.iterations[0])
    strategies = {
        THEIRS: deepstack(jax.tree_util.Partial(LearnedValues.on, values), searching),
        **({} if quick else {OURS: deepstack(our_guesses(), searching)}),
        **solved(out, watch),
        **evolved(out, FEW if quick else GENERATIONS, watch),
        **players(),
    }
    return Facts(
        size=size,
        scores=scores,
        losses=networks.test_loss.reshape(-1, size.seeds, len(KINDS)),
        states=by_kind(note("values of states", partial(state_errors, networks.values, out, size)), size.seeds),
        controls=_controls(size, quick, note),
        bets={} if quick else bet_sets(note),
        inside={solver: _inside(size, values, solver, note) for solver in (QUICK_SOLVERS if quick else SOLVERS)},
        programs=all_exploitable(strategies, note),
        cross=cross_table(strategies, note),
        where=f"Networks: {networks.where}. All else: {note('machine', lambda: ', '.join(provenance()))}",
    )


def _scores(size: Size, networks: Learned, iterations: int, note: Note) -> Float[np.ndarray, "s k"]:
    searching = Searching("tool", iterations)
    each = [
        note(f"seed {seed} at {iterations} iterations", partial(exploitabilities, networks.of(seed), searching))
        for seed in range(size.seeds)
    ]
    return by_kind([number for numbers in each for number in numbers], size.seeds)


def _least(scores: Float[np.ndarray, "s k"]) -> int:
    """The paper's network that is least exploitable, by the median of the seeds."""
    return int(np.argmin(np.median(scores, 0)[: len(EIGHT)]))


def _controls(size: Size, quick: bool, note: Note) -> dict[str, float]:
    """The same player with other values."""
    game, searching = leduc_no_limit(suits=True), Searching("tool", size.iterations[0])
    played_out = partial(PlayedOut.on, game, method=Method(NEARLY.rule, NEARLY.alternating, INNER))
    ways: dict[str, Guesses] = {"played out": played_out, "nobody bets any more": CheckedDown.of, "nothing": Nothing.of}
    if quick:
        del ways["played out"]  # which takes longest to compile
    return {
        name: note(f"values: {name}", partial(exploitability, guesses, searching)) for name, guesses in ways.items()
    }


def _inside(size: Size, values: Values, solver: Solver, note: Note) -> dict[int, float]:
    """With one network, by iterations of a solver."""
    guesses = jax.tree_util.Partial(LearnedValues.on, values)
    counts = sorted({max(1, size.iterations[0] // 10), *size.iterations})
    return {
        count: note(f"{solver} at {count}", partial(exploitability, guesses, Searching(solver, count)))
        for count in counts
    }
