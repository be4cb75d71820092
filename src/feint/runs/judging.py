"""Judges asked about a player, and what they find kept beside its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from feint.evaluate.measure import LOWER_BOUND, Judge, Verdict
from feint.forms.form import Form
from feint.games.errors import BadInput, nearest
from feint.games.game import Game
from feint.games.names import declared, parse
from feint.players.player import Player
from feint.runs.config import configured
from feint.runs.folder import keep_bound
from feint.runs.lineup import Who, line_up
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


def judge(
    who: Who,
    by: str | None = None,
    *,
    game: Game[Any] | str | None = None,
    hands: int | None = None,
    trust: bool = False,
) -> Verdict:
    """What a judge says of a player: unless one is named, the judge that tells most of it at this game.

    `judge("feint:holdem", "local-best-response(hands=2000)").measures[0]`. `who` is as for `match`, `hands` is for
    judges that play, and `feint judges` lists who there is. Unlike `feint evaluate` it keeps no bound beside a run.
    """
    lineup = line_up((who,), game, trust=trust)
    player = lineup.players[0]
    judges = judges_of(lineup.form, player, () if by is None else (by,), hands)
    try:
        *_, most = judges.values()  # forms name the one that matters last
        return most(lineup.form, player, lambda told, so_far: None)
    finally:
        if not isinstance(who, Player):  # one's own may play on
            player.close()


def keep(run: Run, verdicts: Iterable[Verdict], form: Form) -> Iterator[str]:
    """Keep the bounds among some verdicts beside a run that cannot be judged exactly, and say where."""
    for bound in (verdict.measures[0] for verdict in verdicts if verdict.measures[0].kind == LOWER_BOUND):
        if form.exact:
            continue
        try:
            if kept := keep_bound(run, bound, form):
                yield f"The bound is kept in {kept}."
        except BadInput as changed:
            yield str(changed)
        except OSError as error:
            yield f"The bound is not kept, because {run.path} cannot be written ({error.strerror})."
