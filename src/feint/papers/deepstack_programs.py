"""The programs of Figure 9 in the reproduction of DeepStack for Leduc, judged and matched exactly.

Cards of a rank are told apart in all of them, since the paper's networks do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

import equinox as eqx

from feint.forms.form import Form
from feint.forms.library import form_of
from feint.forms.strategy import Strategy, TabularStrategy
from feint.games.leduc import leduc_no_limit
from feint.papers.deepstack_networks import APART, written
from feint.papers.trials import Trial, trained
from feint.runs.lineup import line_up
from feint.runs.loop import Watcher
from feint.runs.run import load_run
from feint.search.deepstack import Searching
from feint.search.resolving import Guesses, searches_of
from feint.search.table import seen_in, tabulated

JUDGED = "exploitability of "
Note = Callable[[str, Callable[[], Any]], Any]
BUDGETS = (10, 100, 1000)
"""Iterations of solvers in the comparison of programs; the paper gives none."""
GENERATIONS, FEW = 1000, 20
"""Of evolved networks, and in a quick look."""
RULE_BOT, MODELLER, THEIR_MODELLER = "rule bot", "opponent modeller", "modeller of the rule bot"
RANDOM, CALL, EVOLVED = "random", "always call", "evolved networks"
PLAYERS = {
    RULE_BOT: "rule-bot",
    MODELLER: "modeller(against=random, hands=10000)",
    THEIR_MODELLER: "modeller(against=rule-bot, hands=10000)",
    RANDOM: "random",
    CALL: "call",
}
"""Programs that need no training of ours, by what they are called here. A modeller is frozen after those hands."""
AGENT = "feint:leduc-deepstack"
"""It comes with Feint; its values are searched with as the paper's are."""


def deepstack(guesses: Guesses, searching: Searching) -> Strategy:
    """What the player does with a network, everywhere."""
    game, tree = leduc_no_limit(suits=True), form_of(APART).whole("DeepStack")
    searches = searches_of(game)
    tables = written(searches, searching.method, guesses)
    return TabularStrategy(tree.fingerprint, eqx.filter_jit(tabulated)(searches.tree, tables, seen_in(tree, game)))


def our_guesses() -> Guesses:
    """Those of the agent that comes with Feint."""
    guesses = load_run(AGENT).strategy.guesses
    assert guesses is not None
    return guesses


def solved(out: Path, watch: Callable[[str], Watcher], budgets: tuple[int, ...] = BUDGETS) -> dict[str, Strategy]:
    """CFR and CFR+ after so many iterations."""
    found: dict[str, Strategy] = {}
    for label, algorithm in (("CFR", "cfr"), ("CFR+", "cfr+")):
        for steps in budgets:
            name = f"{label}, {steps:,} iterations"
            trial = Trial(out / "programs" / f"{algorithm}-{steps}", name, algorithm, APART, steps=steps)
            found[name] = trained(trial, watch(name)).strategy
    return found


def evolved(out: Path, generations: int, watch: Callable[[str], Watcher]) -> dict[str, Strategy]:
    """The winner of the last tournament of evolved networks."""
    name = f"{EVOLVED}, {generations:,} generations"
    trial = Trial(out / "programs" / f"evolved-{generations}", name, "evolved", APART, steps=generations)
    return {name: trained(trial, watch(name)).strategy}


def players() -> dict[str, Strategy]:
    """Those that need no training of ours."""
    lineup = line_up(tuple(PLAYERS.values()), APART, seed=0)
    assert all(player.strategy for player in lineup.players)
    named = zip(PLAYERS, lineup.players, strict=True)
    return {name: player.strategy for name, player in named if player.strategy}


def note_programs(strategies: Mapping[str, Strategy], note: Note) -> None:
    """How exploitable each is, and what each wins off each, half of the hands in each seat, in chips per hand."""
    form = form_of(APART)
    for name, one in strategies.items():
        note(f"{JUDGED}{name}", partial(_judged, form, one))
    for name, one in strategies.items():
        for other, met in strategies.items():
            note(f"{name} against {other}", partial(_won, form, one, met))


def programs_in(found: Mapping[str, Any]) -> dict[str, float]:
    """How exploitable each program is, by all that was noted."""
    return {what.removeprefix(JUDGED): value for what, value in found.items() if what.startswith(JUDGED)}


def cross_in(found: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """What each wins off each; nan where that was not noted."""
    names = programs_in(found)
    return {name: {other: found.get(f"{name} against {other}", nan) for other in names} for name in names}


def _judged(form: Form, strategy: Strategy) -> float:
    judged = form.judged(strategy, 0)
    assert judged is not None
    return float((judged.best - judged.values).sum() / 2)


def _won(form: Form, one: Strategy, other: Strategy) -> float:
    first, second = form.values([one, other]), form.values([other, one])
    assert first is not None
    assert second is not None
    return float(first[0] + second[1]) / 2
