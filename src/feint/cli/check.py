"""Whether rules are sound, and what can be done with them."""

from __future__ import annotations

from typing import Annotated, Any, final

import numpy as np
import typer
from rich.table import Table as Columns

from feint.cli.terminal import AsJson, Waiting, out, print_json
from feint.forms.form import Form
from feint.games.errors import BadInput, check_seed
from feint.players.player import Observation, Player, Result


def check(
    game: Annotated[str, typer.Argument(help="Rules of your own, as my_game.py:MyGame, or a game: see feint games.")],
    states: Annotated[int | None, typer.Option(help="How many states to look at closely; by default 3,000.")] = None,
    hands: Annotated[int, typer.Option(help="How many random hands to show.")] = 3,
    seed: Annotated[int, typer.Option(help="The seed of those hands.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Check a game's rules: that they keep their promises, how large the game is, what can be run on it."""
    from feint.forms.library import form_of
    from feint.games.library import load_game
    from feint.runs.config import algorithms_for
    from feint.testing.rules import LIMIT, check_game

    check_seed(seed)
    for name, value, least in (("states", LIMIT if states is None else states, 1), ("hands", hands, 0)):
        if value < least:
            raise BadInput(f"{name} must be {least} or more, but --{name} {value} was given.")
    with Waiting(f"reading {game}") as waiting:
        rules = load_game(game)
        looked = check_game(rules, states or LIMIT, lambda met: waiting.update(f"checking {game}: {met:,} states"))
        try:
            form = form_of(rules, lambda nodes: waiting.update(f"unrolling {game}: {nodes:,} nodes"))
        except BadInput as error:
            form, small = None, str(error)
        played = _played(rules, hands, seed)
    facts: dict[str, Any] = {
        "game": rules.name,
        "states": looked.states,
        "complete": looked.complete,
        "players": rules.players,
        "moves": list(rules.actions),
        "zero_sum": looked.zero_sum,
        "longest": looked.longest,
        "algorithms": algorithms_for(form) if form else [],
        "judges": list(form.judges) if form else [],
    } | (_sizes(form) if form else {})
    if as_json:
        print_json(facts | {"hands": played})
        return
    out.print(f"{looked} States are never changed, chance sums to 1, and players remember.\n", soft_wrap=True)
    out.print(_table(facts))
    if not form:
        out.print(f"\nNothing can be run on it: {small}", soft_wrap=True)
    for number, lines in enumerate(played, 1):
        out.print("\n".join([f"\nHand {number}, at random:", *(f"  {line}" for line in lines)]), soft_wrap=True)


def _sizes(form: Form) -> dict[str, Any]:
    """How large a game is, as far as its form tells."""
    from feint.tree.move_values import levels_of

    tree = form.tree
    if tree is None:
        return {"size": form.size}
    paid = tree.payoff[tree.terminal]
    return {
        "size": form.size,
        "nodes": tree.nodes,
        "information_sets": np.bincount(tree.player, minlength=tree.players).tolist(),
        "longest": len(levels_of(tree)) - 1,
        "payoffs": [float(paid.min()), float(paid.max())],
        "zero_sum": tree.zero_sum,
    }


def _table(facts: dict[str, Any]) -> Columns:
    told = {"players": facts["players"], "moves": ", ".join(facts["moves"])}
    if "nodes" in facts:
        by_player = ", ".join(
            f"player {number}: {count:,}" for number, count in enumerate(facts["information_sets"], 1)
        )
        told |= {"nodes": f"{facts['nodes']:,}", "information sets": by_player}
    elif "size" in facts:
        told["size"] = facts["size"]
    told["longest hand"] = f"{facts['longest']:,} moves, of players and of chance"
    zero_sum = "zero-sum" if facts["zero_sum"] else "not zero-sum"
    told["payoffs"] = "{:g} to {:g} chips, ".format(*facts["payoffs"]) + zero_sum if "payoffs" in facts else zero_sum
    told |= {key: ", ".join(facts[key]) or "none" for key in ("algorithms", "judges")}
    table = Columns(box=None, pad_edge=False, show_header=False)
    for what, words in told.items():
        table.add_row(what, str(words))
    return table


def _played(rules: Any, hands: int, seed: int) -> list[list[str]]:
    """Random hands in the game's own words."""
    from feint.players.table import Table

    table, found = Table(rules, seed), list[list[str]]()
    for hand in range(hands):
        found.append([])
        scribe = Scribe(found[-1], np.random.default_rng((seed, hand)))
        table.hand([scribe] * rules.players)
    return found


@final
class Scribe(Player):
    """Moves at random in every seat, and writes down what everyone sees, does and wins."""

    def __init__(self, lines: list[str], random: np.random.Generator) -> None:
        self._lines, self._random = lines, random

    def move(self, seen: Observation) -> int:
        word = str(self._random.choice(list(seen.moves)))
        self._lines.append(f"player {seen.player + 1} sees {seen.label!r}: {word}")
        return seen.moves[word]

    def end(self, result: Result) -> None:
        self._lines.append(", ".join(f"player {number} {chips:+g}" for number, chips in enumerate(result.won, 1)))
