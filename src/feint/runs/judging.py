"""Judges asked about a player, and what they find kept beside its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

from feint.evaluate.measure import LOWER_BOUND, Judge, Verdict
from feint.forms.form import Form
from feint.games.errors import BadInput, nearest
from feint.games.names import declared, parse
from feint.players.player import Player
from feint.runs.config import configured
from feint.runs.folder import keep_bound
from feint.runs.run import Run


def judges() -> dict[str, Judge]:
    """Every judge with its settings unless the user says otherwise, by name."""
    return declared("JUDGES", "feint.evaluate")


def judges_of(form: Form, player: Player, names: tuple[str, ...], hands: int | None = None) -> dict[str, Judge]:
    """Judges by name with their settings, `name(key=value)`; unless any are named, those who suit form and player.

    `hands` is for all who play.
    """
    known, asked = judges(), dict[str, Judge]()
    for text in names or (form.judges if player.strategy else ("winnings",)):
        name, settings = parse(text, "judge", "winnings or winnings(hands=1000)")
        if name not in known:
            raise BadInput(f"There is no judge called {name!r}; {nearest(name, known)}")
        plays = any(field.name == "hands" for field in fields(known[name]))
        given = {"hands": hands} if hands is not None and plays else {}
        asked[text] = configured(name, known[name], given | settings)
    return asked


def keep(run: Run, verdicts: Iterable[Verdict], form: Form) -> Iterator[str]:
    """Keep the bounds among some verdicts beside a run that cannot be judged exactly, and say where."""
    for bound in (verdict.measures[0] for verdict in verdicts if verdict.measures[0].kind == LOWER_BOUND):
        if form.exact:
            continue
        try:
            if kept := keep_bound(run, bound, form):
                yield f"The bound is kept in {kept}."
        except OSError as error:
            yield f"The bound is not kept, because {run.path} cannot be written ({error.strerror})."
