"""What it costs a player who searches to consider few bet sizes: the reproduction's table of bet sets.

The next round is played out, so that no network has a part in it. A player is judged in the game that is declared with
the bets it considers, and in one with all of them, where the other may bet what the search never thought of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from feint.games.library import load_game
from feint.games.poker import Poker
from feint.papers.deepstack_networks import exploitability
from feint.papers.trials import table
from feint.report.canvas import COLOURS, INK, blank, keep, plain
from feint.search.deepstack import Searching
from feint.search.lookahead import Method
from feint.search.oracle import NEARLY, PlayedOut

EVERY = "leduc_no_limit(bets=(0.5,1,2))"
SETS: dict[str, tuple[tuple[str, ...], str | None]] = {
    "pot": (("pot",), None),
    "pot, all-in": (("pot", "all-in"), "leduc_no_limit"),
    "pot, two pots, all-in": (("pot", "2 pot", "all-in"), "leduc_no_limit(bets=(1,2))"),
    "half pot, pot, all-in": (("0.5 pot", "pot", "all-in"), "leduc_no_limit(bets=(0.5,1))"),
    "half pot, pot, two pots, all-in": (("0.5 pot", "pot", "2 pot", "all-in"), EVERY),
}
"""The raises that are considered, and the game declared with no others; one without all-in cannot be."""
BETS = "bets: "
SEARCHING, INNER = Searching("dcfr", 500), 50
"""How lookaheads are solved, and with how many iterations the next round is played out whenever it is asked for."""
Note = Callable[[str, Callable[[], Any]], Any]
Scores = dict[str, dict[str, float]]
"""Exploitability by the bets that are considered and by where it is judged (`THERE`), in chips per hand."""
THERE = ("judged with no other bets", "judged with all bets")


def bet_sets(note: Note) -> Scores:
    """How exploitable players are who consider some bets: exact."""
    scores: Scores = {}
    for name, (bets, declared) in SETS.items():
        games = {THERE[0]: declared, THERE[1]: EVERY}
        scores[name] = {
            there: note(f"{BETS}{name}; judged in {game}", partial(_judged, game, bets))
            for there, game in games.items()
            if game
        }
    return scores


def bets_in(found: Mapping[str, Any]) -> Scores:
    """The same as it was noted; nothing where not all of it was."""
    asked = list[str]()
    bet_sets(lambda words, find: asked.append(words))
    return bet_sets(lambda words, find: found[words]) if found.keys() >= set(asked) else {}


def _judged(game: str, bets: tuple[str, ...]) -> float:
    rules = load_game(game)
    assert isinstance(rules, Poker)
    method = Method(NEARLY.rule, NEARLY.alternating, INNER)
    return exploitability(partial(PlayedOut.on, rules, method=method, bets=bets), SEARCHING, rules, bets)


def bets_section(scores: Scores) -> str:
    """The table, in Markdown, and what it is."""
    rows = [
        [name, *(f"{each[there]:.3g}" if there in each else "" for there in THERE)] for name, each in scores.items()
    ]
    return f"""## Exploitability against bet sets

{table(["it considers", *THERE], rows)}

The next round is played out ({INNER} iterations of discounted CFR whenever it is asked for), so no network has a part
in this; each search takes {SEARCHING.iterations} iterations of discounted CFR. In the first column the game is declared
with the bets that are considered and no others. In the second the other may bet half the pot, the pot, two pots or
all-in; bets that a search never thought of are met by the next search, which begins with them. Chips per hand, exact;
this part alone is made by `python benchmarks/bet_sets.py FOLDER`.

![bet sets](bets.png)
"""


def draw_bets(scores: Scores, path: Path) -> Path:
    """Exploitability by the bets that are considered."""
    figure = blank(8.4, 0.5 * len(scores) + 1.4)
    axes = figure.subplots()
    for shift, there, colour in zip((-0.2, 0.2), THERE, COLOURS, strict=False):
        for row, each in enumerate(scores.values()):
            if there in each:
                axes.barh(row + shift, each[there], 0.38, color=colour)
                axes.text(each[there] * 1.1, row + shift, f"{each[there]:.3g}", va="center", fontsize=8, color=INK)
        axes.barh([0], [0], color=colour, label=there)
    axes.set_yticks(range(len(scores)), list(scores), fontsize=8)
    axes.set(xscale="log", xlabel="exploitability (chips per hand)")
    plain(axes, "By the raises that a search considers")
    axes.invert_yaxis()
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    axes.margins(x=0.15)
    return keep(figure, path)
