"""Other rankings of hands and other hold'em tables, to be timed: run in their own environment by hands.py."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import eval7
import numpy as np
import phevaluator
import pyspiel
import rlcard
from rlcard.agents import RandomAgent

from racing import Facts, Run, repeat, serve

HANDS = 20_000
"""How many different hands take turns; a call ranks all of them."""
CHECKED = 1000
"""How many hands all racers put into order."""
NAMES = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
LIMIT = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=1 2,firstPlayer=1 2 2 2,maxRaises=3 4 4 4,"
    "raiseSize=2 2 4 4,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1)"
)
"""Limit hold'em by the competition's rules in OpenSpiel, the dealer in seat 1."""


def main() -> None:
    serve(lambda method, _: METHODS[method](), ["eval7", "phevaluator", "rlcard", "open_spiel"])


def random_cards(hands: int, size: int) -> list[list[int]]:
    """Hands of different cards, the same ones in every racer."""
    source = random.Random(0)
    return [source.sample(range(52), size) for _ in range(hands)]


def with_eval7() -> tuple[Run, Facts]:
    cards = [eval7.Card(name) for name in NAMES]
    hands = [[cards[card] for card in hand] for hand in random_cards(HANDS, 7)]
    return _ranking(eval7.evaluate, hands)


def with_phevaluator() -> tuple[Run, Facts]:
    """Called with numbers, the quickest of its ways; its best hand is 1."""
    evaluate = phevaluator.evaluate_cards
    run, facts = _ranking(lambda hand: evaluate(*hand), random_cards(HANDS, 7))
    return run, facts | {"order": [max(facts["order"]) - place for place in facts["order"]]}


def _ranking(rank: Callable[[Any], int], hands: Sequence[Any]) -> tuple[Run, Facts]:
    def every() -> None:
        for hand in hands:
            rank(hand)

    _, order = np.unique([rank(hand) for hand in hands[:CHECKED]], return_inverse=True)
    return repeat(every), {"hands": len(hands), "order": order.tolist()}


def eval7_equity() -> tuple[Run, Facts]:
    """Its Monte Carlo equity, a loop in C: it draws a board for two hands and ranks both."""
    drawn = 10_000
    hero, villain = [eval7.Card("As"), eval7.Card("Ah")], eval7.HandRange("KcKd")
    return repeat(lambda: eval7.py_hand_vs_range_monte_carlo(hero, villain, [], drawn)), {"hands": 2 * drawn}


def eval7_range() -> tuple[Run, Facts]:
    """Its exact equity of a hand against every other on a full board, a loop in C over 990 hands."""
    every = eval7.HandRange(",".join(one + other for one, other in combinations(NAMES, 2)))
    hero, board = ([eval7.Card(name) for name in names.split()] for names in ("As Ah", "2c 7d 9s Qd Qc"))
    return repeat(lambda: eval7.py_hand_vs_range_exact(hero, every, board)), {"hands": 990}


def rlcard_play() -> tuple[Run, Facts]:
    """Random players at its limit hold'em table, as its own examples play."""
    table = rlcard.make("limit-holdem", config={"seed": 0})
    table.set_agents([RandomAgent(num_actions=table.num_actions) for _ in range(table.num_players)])

    def hand() -> int:
        trajectories, _ = table.run(is_training=False)
        return sum((len(seen) - 1) // 2 for seen in trajectories)  # a state after every move, and the move between

    return _hands(hand)


def open_spiel_play() -> tuple[Run, Facts]:
    """Random moves on the bare C++ states. All cards are equally likely, so that they are drawn as moves are."""
    game = pyspiel.load_game(LIMIT)

    def hand() -> int:
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            decisions += not state.is_chance_node()
            state.apply_action(random.choice(state.legal_actions()))
        state.returns()
        return decisions

    return _hands(hand)


def _hands(hand: Callable[[], int]) -> tuple[Run, Facts]:
    facts: Facts = {"hands": 1}

    def run(count: int) -> None:
        facts["decisions"] = sum(hand() for _ in range(count)) / count

    return run, facts


METHODS: dict[str, Callable[[], tuple[Run, Facts]]] = {
    "eval7": with_eval7,
    "phevaluator": with_phevaluator,
    "eval7 equity": eval7_equity,
    "eval7 range": eval7_range,
    "rlcard play": rlcard_play,
    "open_spiel play": open_spiel_play,
}


if __name__ == "__main__":
    main()
