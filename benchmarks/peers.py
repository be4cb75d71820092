"""OpenSpiel and LiteEFG, to be timed: run in their own environment by solvers.py, see racing.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import LiteEFG
import pyspiel
from LiteEFG.baselines import CFR, CFRplus
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, exploitability

from racing import CHECKED, Facts, Run, repeat, serve


def main() -> None:
    LiteEFG.set_threads(1)
    serve(prepare, ["open_spiel", "LiteEFG"])


def prepare(method: str, game: str) -> tuple[Run, Facts]:
    return METHODS[method](pyspiel.load_game(game), method)


def tree(game: Any, _: str) -> tuple[Run, Facts]:
    """Nothing to time: how large the game is."""
    nodes, views, stack = 0, set(), [game.new_initial_state()]
    while stack:
        state = stack.pop()
        nodes += 1
        if state.is_player_node():
            views.add((state.current_player(), state.information_state_string()))
        stack += [state.child(action) for action in state.legal_actions()]
    return repeat(lambda: None), {"nodes": nodes, "infosets": len(views)}


def spiel_solver(game: Any, method: str) -> tuple[Run, Facts]:
    solvers = {
        "C++ cfr": pyspiel.CFRSolver,
        "C++ cfr+": pyspiel.CFRPlusSolver,
        "Python cfr": cfr.CFRSolver,
        "Python cfr+": cfr.CFRPlusSolver,
    }
    solver = solvers[method](game)
    step = repeat(solver.evaluate_and_update_policy)
    step(CHECKED)
    judge = pyspiel.nash_conv if method.startswith("C++") else exploitability.nash_conv
    return step, {"nash_conv": judge(game, solver.average_policy())}


def spiel_nash_conv(game: Any, method: str) -> tuple[Run, Facts]:
    """The average of CFR+ judged: by the C++ call, the Python call, or C++ best responders kept between calls."""
    solver = pyspiel.CFRPlusSolver(game)
    repeat(solver.evaluate_and_update_policy)(CHECKED)
    average = solver.tabular_average_policy()
    judges: dict[str, Callable[[], float]] = {"C++ nash_conv": lambda: float(pyspiel.nash_conv(game, average))}
    if method == "Python nash_conv":
        table = policy.pyspiel_policy_to_python_policy(game, average)
        judges[method] = lambda: float(exploitability.nash_conv(game, table))
    if method == "C++ nash_conv kept":
        judges[method] = _kept(game, average)
    return repeat(judges[method]), {"nash_conv": judges[method]()}


def _kept(game: Any, average: Any) -> Callable[[], float]:
    """Best responders that build their trees once. In a zero-sum game their values add up to NashConv."""
    responders = [pyspiel.TabularBestResponse(game, player, average) for player in range(game.num_players())]
    root = game.new_initial_state()

    def judge() -> float:
        for responder in responders:
            responder.set_policy(average)
        return float(sum(responder.value_from_state(root) for responder in responders))

    return judge


def lite_solver(game: Any, method: str) -> tuple[Run, Facts]:
    """LiteEFG as its own training loop calls it: an update of the graph, then one of the average."""
    step, judge = _lite(game, method)
    step(CHECKED)
    return step, {"nash_conv": judge()}


def lite_nash_conv(game: Any, _: str) -> tuple[Run, Facts]:
    step, judge = _lite(game, "LiteEFG cfr+")
    step(CHECKED)
    return repeat(judge), {"nash_conv": judge()}


def _lite(game: Any, method: str) -> tuple[Run, Callable[[], float]]:
    environment = LiteEFG.OpenSpielEnv(game, traverse_type="Enumerate")
    graph, average = (CFR, "avg-iterate") if method == "LiteEFG cfr" else (CFRplus, "linear-avg-iterate")
    graph = graph.graph()
    environment.set_graph(graph)

    def step() -> None:
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())

    return repeat(step), lambda: float(sum(environment.exploitability(graph.current_strategy(), average)))


METHODS: dict[str, Callable[[Any, str], tuple[Run, Facts]]] = {
    "tree": tree,
    "C++ cfr": spiel_solver,
    "C++ cfr+": spiel_solver,
    "Python cfr": spiel_solver,
    "Python cfr+": spiel_solver,
    "C++ nash_conv": spiel_nash_conv,
    "C++ nash_conv kept": spiel_nash_conv,
    "Python nash_conv": spiel_nash_conv,
    "LiteEFG cfr": lite_solver,
    "LiteEFG cfr+": lite_solver,
    "LiteEFG nash_conv": lite_nash_conv,
}


if __name__ == "__main__":
    main()
