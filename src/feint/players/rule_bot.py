"""The rule bot: a table of actions for every group of starting hands and for every made hand.

Before the flop the starting hand has a table, and on each later street what the bot's cards make of the board has one.
What the opponent did up to and on the flop says what their starting hand is taken for, and that corrects the bot on the
turn and on the river. In Leduc the first round says it, and corrects the second; there all is a function of what the
bot sees, so it is a strategy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast, final

import numpy as np
from jaxtyping import Float

from feint.forms.form import Form
from feint.forms.strategy import TabularStrategy
from feint.games.cards import Cards, Deck, best_five, pair_then_rank
from feint.games.errors import BadInput
from feint.games.game import Game
from feint.games.holdem import BOARD
from feint.games.poker import Poker
from feint.players.action_tables import ActionTable, Standing, Standings, chances, corrected, taken_for
from feint.players.player import Adviser, Observation, Player, PlayerConfig, StrategyPlayer
from feint.players.rule_tables import (
    LEDUC_CARDS,
    LEDUC_HANDS,
    MADE_HANDS,
    leduc_card,
    leduc_hand,
    made_hand,
    starting_hand,
)

HOLDEM_LOOKS, LEDUC_LOOKS = 2, 1
"""The rounds that the opponent's starting hand is inferred from, and after which that corrects the bot."""


def evaluated(table: ActionTable, standing: Standing, looks: int) -> dict[int, float]:
    """How often the bot makes each move by a table, once it has looked at the opponent for so many rounds."""
    actions = table.actions(standing.facing)
    if standing.round >= looks:
        actions = corrected(actions, taken_for(standing.shown[:looks]))
    return chances(actions, standing)


@final
class HoldemRuleBot(Adviser):
    """The bot at a table of hold'em."""

    def __init__(self, game: Poker, seed: int | None) -> None:
        self._game, self._standings, self._random = game, Standings(game), np.random.default_rng(seed)

    def move(self, seen: Observation) -> int:
        told = self._told(seen)
        return int(self._random.choice(list(told), p=list(told.values())))

    def chances(self, seen: Observation) -> Float[np.ndarray, " a"]:
        told = self._told(seen)
        return np.array([told.get(move, 0.0) for move in range(len(self._game.actions))])

    def _told(self, seen: Observation) -> dict[int, float]:
        """How often it makes each move that its tables have here."""
        _, hole, board, moves = cast("Any", seen.view)
        # The paper has three calls on each street: to forget what was made before, match the board, and evaluate that.
        made = made_hand(self._game.deck, hole, board) if board else None
        table = MADE_HANDS[made] if made else starting_hand(self._game.deck, hole)
        return evaluated(table, self._standings[moves], HOLDEM_LOOKS)


def leduc_strategy(form: Form, game: Poker) -> TabularStrategy:
    """The bot in Leduc, written down at every information set."""
    tree, standings = form.whole("The rule bot"), Standings(game)
    table, columns = np.zeros(tree.legal.shape), {name: column for column, name in enumerate(tree.actions)}
    for row, (_, (card,), board, moves) in enumerate(tree.views):
        for move, chance in evaluated(_leduc_table(game.deck, card, board), standings[moves], LEDUC_LOOKS).items():
            table[row, columns[game.actions[move]]] = chance
    return TabularStrategy(form.fingerprint, table)


def _leduc_table(deck: Deck, card: int, board: Cards) -> ActionTable:
    return LEDUC_HANDS[leduc_hand(deck, card, board[0])] if board else LEDUC_CARDS[leduc_card(deck, card)]


@final
@dataclass(frozen=True)
class RuleBot(PlayerConfig):
    """The rule bot."""

    about: ClassVar[str] = (
        "Follows printed tables of actions, by cards and what the opponent did; in hold'em and Leduc."
    )

    def check(self, game: Game[Any]) -> None:
        _kind(game)

    def at(self, form: Form, seed: int | None) -> Player:
        game = cast("Poker", form.game)
        if _kind(game) == "holdem":
            return HoldemRuleBot(game, seed)
        return StrategyPlayer(leduc_strategy(form, game), form, seed)


def _kind(game: Game[Any]) -> Literal["holdem", "leduc"]:
    """Which tables are for a game; refused where none are."""
    if isinstance(game, Poker) and game.players == 2 and not game.rotating_dealer:
        boards = tuple(declared.board for declared in game.rounds)
        if (game.hole, game.showdown) == (2, best_five) and len(boards) > 1 and boards == BOARD[: len(boards)]:
            return "holdem"
        if (game.hole, game.showdown, boards) == (1, pair_then_rank, (0, 1)):
            return "leduc"
    raise BadInput(
        f"The rule bot has tables for hold'em and Leduc for two with a dealer who stays, such as holdem_no_limit "
        f"and leduc_no_limit, but none for {game.name}; choose another player."
    )


PLAYERS = {"rule-bot": RuleBot()}
