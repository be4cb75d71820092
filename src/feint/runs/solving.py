"""Spots of hold'em solved by a call: `solve("QsJh2h5c7d", oop="QQ+,AK", ip="22-JJ,AQ", pot=10, stack=95)`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from feint.games.errors import BadInput
from feint.games.postflop import Spot
from feint.games.spot_words import read_sizes
from feint.runs.config import check_positive
from feint.solvers import spots
from feint.solvers.spots import Progress, Solution
from feint.tree.cache import keep_compiled

USUAL = {"oop": "any", "ip": "any", "pot": 10.0, "stack": 95.0}
"""What a spot is like of which only the board is given."""
SIZES = ("bets", "raises")


def solve(
    spot: Spot | Mapping[str, Any] | Path | str,
    *,
    share: float = 0.003,
    seconds: float | None = None,
    iterations: int = 10_000,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
    **given: Any,
) -> Solution:
    """Solve a spot of hold'em from the flop on.

    `spot` is a board such as `QsJh2h5c7d`, a JSON file (its name ends with .json) or a dict with the same in it. What
    else is `given`, called as the flags of `feint solve` or the names in such a file are (oop, ip, pot, stack, bets,
    raises, limit, rake, rake_cap, locks …), is laid over that.
    It stops where exploitability is this `share` of the pot, or after so many iterations or seconds (compiling not
    counted). `progress` is called at every look, and `stop` asked after it whether what there is will do.
    `solution.at("check pot")` is what is done after that betting: its `moves`, `overall` and `by_hand()`.
    """
    check_limits(share, seconds, iterations)
    asked = read_spot(spot, given)
    keep_compiled()
    return spots.solve(asked, share, iterations, seconds, progress, stop)


def check_limits(share: float, seconds: float | None, iterations: int) -> None:
    """Refuse what nothing can stop after."""
    if not (isinstance(share, int | float) and 0 < share < 1):
        raise BadInput(f"share is a share of the pot above 0 and below 1, but {share!r} was given; 0.003 is usual.")
    check_positive("seconds", seconds)
    if not isinstance(iterations, int) or iterations < 1:
        raise BadInput(f"iterations must be a whole number from 1 on, but iterations={iterations!r} was given.")


def read_spot(spot: Spot | Mapping[str, Any] | Path | str, given: Mapping[str, Any]) -> Spot:
    """A spot, or its board or what tells all of it, with what else is given laid over that.

    Sizes are laid over its menus on every street; what these say beside them stays.
    """
    more = {name: value for name, value in given.items() if value is not None}
    if isinstance(spot, Spot):
        if not more:
            return spot
        told = spot.words()
    elif isinstance(spot, Path) or (isinstance(spot, str) and spot.endswith(".json")):
        told = _inside(_in_file(spot), f"{spot} holds")
    elif isinstance(spot, Mapping):
        told = _inside(spot, "That is")
    else:
        told = {"board": spot} | USUAL
        if "limit" in more and "stack" not in more:
            del told["stack"]
    sizes = {name: _sizes(more.pop(name), name) for name in SIZES if name in more}
    told |= more
    if not sizes:
        return Spot.read(told)
    # Locks are on moves that these sizes may be the first to offer, so they wait until all is laid over.
    locks = {"locks": told.pop("locks")} if "locks" in told else {}
    found = Spot.read(told)
    words = found.words() | locks
    if found.limit is not None:
        return Spot.read(words | sizes)  # which says why not
    menus = {street: {seat: menu | sizes for seat, menu in by.items()} for street, by in words["menus"].items()}
    return Spot.read(words | {"menus": menus})


def _sizes(given: Any, name: str) -> Any:
    return read_sizes(given, name) if isinstance(given, str) else given


def _in_file(file: Path | str) -> Any:
    """What is in a file of JSON."""
    try:
        return json.loads(Path(file).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(f"{file} cannot be read as a spot in JSON ({error}); check the file.") from error


def _inside(words: Any, what: str) -> dict[str, Any]:
    """What is said of a spot, be it all that --json has printed of one that was solved."""
    inner = words.get("spot", words) if isinstance(words, Mapping) else words
    if not isinstance(inner, Mapping):
        raise BadInput(f"{what} no spot; write an object with board, oop, ip, pot and stack.")
    return dict(inner)
